const {parse} = require('./route')

// Called for each input.
exports.fuzz = data => {
  parse(data.toString())
}
