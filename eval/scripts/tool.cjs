// Runs a JavaScript function on observed inputs without inroad.
//
// Usage: tool.cjs bare|coverage PACKAGE EXPORT OBSERVATIONS [COUNT WARMUP]
//
// bare prints the inputs per second of processor time. coverage prints the functions that V8's precise
// coverage, which c8 reads, reports for each of COUNT inputs, after WARMUP others, as
// a JSON list of IDs per line.

const fs = require('node:fs')
const {Session} = require('node:inspector')
const path = require('node:path')
const {createRequire} = require('node:module')

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
  const target = load()
  post('Profiler.takePreciseCoverage')
  for (const text of inputs.slice(0, warmup)) run(target, text)

  const starts = new Map() // by file, the offset of each line
  const lineOf = (file, offset) => {
    if (!starts.has(file)) starts.set(file, fs.readFileSync(file, 'utf8').split('\n').reduce((all, line) => [...all, all.at(-1) + line.length + 1], [0]))
    return starts.get(file).findLastIndex(start => start <= offset) + 1
  }
  const byLine = new Map() // units by file and line
  for (const u of header.units) {
    const key = `${u.file}:${u.start}`
    byLine.set(key, [...byLine.get(key) ?? [], u.id])
  }
  const single = [...byLine.values()].filter(ids => ids.length === 1).map(([id]) => id)
  console.log(JSON.stringify(single)) // functions on one line cannot be told apart
  post('Profiler.takePreciseCoverage')
  for (const text of inputs.slice(+warmup, +warmup + +count)) {
    run(target, text)
    const reached = []
    for (const script of post('Profiler.takePreciseCoverage')) {
      const file = script.url.replace('file://', '')
      const known = file.split('/node_modules/').at(-1)
      for (const f of script.functions) {
        if (f.ranges[0].count === 0 || !header.units.some(u => u.file === known)) continue
        const ids = byLine.get(`${known}:${lineOf(file, f.ranges[0].startOffset)}`) ?? []
        if (ids.length === 1) reached.push(ids[0])
      }
    }
    console.log(JSON.stringify(reached))
  }
}
