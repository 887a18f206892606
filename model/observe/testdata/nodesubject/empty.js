exports.value = 1
