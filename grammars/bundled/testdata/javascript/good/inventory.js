var fs = require('fs')
var path = require('path')
var util = require('util')

module.exports = inventory

// Walk a folder and add up sizes by extension.
function inventory (folder, options, callback) {
  if (typeof options === 'function') {
    callback = options
    options = {}
  }
  var totals = {}
  var pending = 0
  var failed = null
  var ignored = (options.ignore || []).map(function (pattern) {
    return new RegExp(pattern, 'i')
  })

  visit(folder, 0)

  function visit (directory, depth) {
    pending++
    fs.readdir(directory, function (error, entries) {
      if (error) return done(error)
      entries
        .filter(keep)
        .forEach(function (entry) {
          var full = path.join(directory, entry)
          pending++
          fs.stat(full, function (problem, stats) {
            if (problem) return done(problem)
            if (stats.isDirectory() && depth < (options.depth || 8)) visit(full, depth + 1)
            else count(full, stats.size)
            done()
          })
        })
      done()
    })
  }

  function keep (entry) {
    for (var i = 0; i < ignored.length; i++) {
      if (ignored[i].test(entry)) return false
    }
    return entry[0] !== '.'
  }

  function count (file, size) {
    var extension = path.extname(file).toLowerCase() || 'none'
    var total = totals[extension] || (totals[extension] = { files: 0, bytes: 0 })
    total.files++
    total.bytes += size
  }

  function done (error) {
    if (error && !failed) failed = error
    if (--pending === 0) callback(failed, totals)
  }
}

if (!module.parent) {
  var start = Date.now()
  inventory(process.argv[2] || '.', { ignore: ['^node_modules$'] }, function (error, result) {
    if (error) throw error
    Object.keys(result).sort().forEach(function (extension) {
      var row = result[extension]
      console.log(util.format('%s\t%d files\t%d bytes', extension, row.files, row.bytes))
    })
    console.log(`took ${Date.now() - start} ms`)
  })
}
