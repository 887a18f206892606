package forest

// Within is [Of] within a number of steps.
var Within = within
