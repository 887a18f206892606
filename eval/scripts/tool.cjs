// Runs a JavaScript function on observed inputs without inroad.
//
// Usage: tool.cjs bare|v8|istanbul PACKAGE EXPORT OBSERVATIONS [COUNT WARMUP]
//
// bare prints the inputs per second of processor time. The others print the functions
// that V8's precise coverage, which c8 reads, or istanbul reports for each of COUNT
// inputs, after WARMUP others, as a JSON list of IDs per line.

const fs = require('node:fs')
const {Session} = require('node:inspector')
const path = require('node:path')
const Module = require('node:module')
const {createRequire} = Module

const [mode, name, exported, file, count, warmup] = process.argv.slice(2)
const [header, ...observed] = fs.readFileSync(file, 'utf8').trim().split('\n').map(line => JSON.parse(line))
const inputs = observed.map(o => o.input ?? Buffer.from(o.input_base64, 'base64').toString())

const run = (target, text) => {
  try {
    target(text)
  } catch { /* a failure */ }
}
const load = () => createRequire(path.resolve('inroad'))(name)[exported]

if (mode === 'bare') {
  const target = load()
  for (const text of inputs.slice(0, 20)) run(target, text)
  const start = process.cpuUsage()
  for (const text of inputs) run(target, text)
  const {user, system} = process.cpuUsage(start)
  console.log(inputs.length / ((user + system) / 1e6))
} else {
  const tool = {v8, istanbul}[mode]()
  const target = load()
  for (const text of inputs.slice(0, warmup)) run(target, text)
  const byLine = new Map() // units by file and line
  for (const u of header.units) {
    const key = `${u.file}:${u.start}`
    byLine.set(key, [...byLine.get(key) ?? [], u.id])
  }
  const single = [...byLine.values()].filter(ids => ids.length === 1).map(([id]) => id)
  console.log(JSON.stringify(single)) // functions on one line cannot be told apart
  tool.take()
  for (const text of inputs.slice(+warmup, +warmup + +count)) {
    run(target, text)
    const reached = []
    for (const {file, line} of tool.take()) {
      const ids = byLine.get(`${file.split('/node_modules/').at(-1)}:${line(file)}`) ?? []
      if (ids.length === 1) reached.push(ids[0])
    }
    console.log(JSON.stringify(reached))
  }
}

// A tool's take returns the functions called since it was last called.

function v8() {
  const session = new Session()
  session.connect()
  const post = (method, parameters) => {
    let result
    session.post(method, parameters, (error, value) => {
      if (error) throw error
      result = value?.result
    })
    return result
  }
  post('Profiler.enable')
  post('Profiler.startPreciseCoverage', {callCount: true, detailed: false})
  const starts = new Map() // by file, the offset of each line
  const lineOf = (file, offset) => {
    if (!starts.has(file)) starts.set(file, fs.readFileSync(file, 'utf8').split('\n').reduce((all, line) => [...all, all.at(-1) + line.length + 1], [0]))
    return starts.get(file).findLastIndex(start => start <= offset) + 1
  }
  const known = new Set(header.units.map(u => u.file))
  return {
    take: () => post('Profiler.takePreciseCoverage').flatMap(script => {
      const file = script.url.replace('file://', '')
      if (!known.has(file.split('/node_modules/').at(-1))) return []
      const called = script.functions.filter(f => f.ranges[0].count > 0)
      return called.map(f => ({file, line: () => lineOf(file, f.ranges[0].startOffset)}))
    }),
  }
}

function istanbul() {
  const {createInstrumenter} = createRequire(path.resolve('inroad'))('istanbul-lib-instrument')
  const known = new Set(header.units.map(u => u.file))
  const instrumenter = createInstrumenter({coverageVariable: '__inroad__', compact: false})
  const compile = Module.prototype._compile
  Module.prototype._compile = function (text, file) {
    return compile.call(this, known.has(file.split('/node_modules/').at(-1)) ? instrumenter.instrumentSync(text, file) : text, file)
  }
  return {
    take: () => Object.values(globalThis.__inroad__ ?? {}).flatMap(({path: file, fnMap, f}) => {
      const called = Object.keys(f).filter(id => f[id] > 0)
      for (const id of called) f[id] = 0
      return called.map(id => ({file, line: () => fnMap[id].decl.start.line}))
    }),
  }
}
