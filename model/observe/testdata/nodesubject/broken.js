exports.fuzz = data => {}

throw new RangeError('broken\nat load')
