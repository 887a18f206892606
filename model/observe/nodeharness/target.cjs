// Finds the target of inroad observe --node, for scan.mjs and run.cjs.

const fs = require('node:fs')
const {createRequire} = require('node:module')
const path = require('node:path')

/** Ends the process because of a problem of the target, not of an input. */
exports.stop = message => {
  fs.writeSync(2, `inroad harness: ${String(message).replaceAll('\n', ' ')}\n`)
  process.reallyExit(3)
}

/** Returns the file of a target and the export that it names, if any. */
exports.locate = (target, dir) => {
  const [, place, name] = /^(.*?)(?::([^:\\/]*))?$/.exec(target)
  const file = path.resolve(dir, place)
  if (fs.statSync(file, {throwIfNoEntry: false})?.isFile()) return {file: fs.realpathSync(file), name}
  try {
    return {file: fs.realpathSync(createRequire(path.join(dir, 'inroad')).resolve(place)), name}
  } catch {
    return exports.stop(`no file or package ${place}`)
  }
}

/** Reports whether Node loads a file as a module rather than a script. */
exports.isModule = file => {
  if (/\.[cm]js$/.test(file)) return file.endsWith('.mjs')
  for (let folder = path.dirname(file); folder !== path.dirname(folder); folder = path.dirname(folder)) {
    const manifest = path.join(folder, 'package.json')
    if (fs.existsSync(manifest)) return JSON.parse(fs.readFileSync(manifest)).type === 'module'
    if (path.basename(folder) === 'node_modules') break
  }
  return false
}
