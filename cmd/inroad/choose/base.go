package choose

// baseModel is the value of --base that stands for the commit of the model.
const baseModel = "model"
