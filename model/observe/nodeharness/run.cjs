// Calls a JavaScript function on one input after the other and reports what it reaches.
//
// Usage: run.cjs TARGET DIR TABLE TIMEOUT MEMORY
//
// TARGET and DIR are those of scan.mjs, TABLE is the file that it wrote, TIMEOUT the
// time limit per input in milliseconds, and MEMORY the limit in bytes.
//
// Inputs arrive on file descriptor 3 and frames leave on 4, so that the function may use
// standard input and output. An input is a four-byte little-endian length followed by
// the bytes. A frame is a letter, a length of the same form, and the contents: M once at
// the start, C with the indices of the reached units (four bytes each; the last before R
// is valid), and R with the result in JSON, which completes the input.
//
// A second thread reports the reached units of inputs that take long, and ends the
// process if an input takes too long or too much memory.

const {createHash} = require('node:crypto')
const fs = require('node:fs')
const Module = require('node:module')
const path = require('node:path')
const {pathToFileURL} = require('node:url')
const v8 = require('node:v8')
const vm = require('node:vm')
const {Worker, isMainThread, workerData} = require('node:worker_threads')
const {isModule, locate, stop} = require('./target.cjs')

const MAX_MESSAGE = 1000
const DIGEST_FRAMES = 8
const POLL_INTERVAL = 25 // milliseconds between checks of a running function
const CHECK_INTERVAL = 2000000n // nanoseconds between checks of the memory that inputs leave behind

// The state that the threads share.
const RUNNING = 0 // 1 while an input runs; the thread that clears it sends the result

const {readSync, writeSync, fstatSync} = fs
const {setImmediate} = globalThis
const {stringify} = JSON
const now = process.hrtime.bigint
const exit = code => process.reallyExit(code)

function send(fd, ...frames) {
  const parts = []
  for (const [kind, data] of frames) {
    const head = Buffer.allocUnsafe(5)
    head[0] = kind.charCodeAt(0)
    head.writeUInt32LE(data.length, 1)
    parts.push(head, data)
  }
  const message = Buffer.concat(parts)
  for (let at = 0; at < message.length;) at += writeSync(fd, message, at)
}

/** Returns the contents of a counters frame. */
function indices(reached) {
  const found = []
  for (let i = reached.indexOf(1); i >= 0; i = reached.indexOf(1, i + 1)) found.push(i)
  const data = Buffer.allocUnsafe(4 * found.length)
  for (let i = 0; i < found.length; i++) data.writeUInt32LE(found[i], 4 * i)
  return data
}

/** Watches the main thread, in a thread of its own. */
function watch({out, timeout, memory, reached, state, times}) {
  const idle = new Int32Array(new SharedArrayBuffer(4))
  const base = process.memoryUsage.rss()
  for (;;) {
    Atomics.wait(idle, 0, 0, POLL_INTERVAL)
    if (!Atomics.load(state, RUNNING)) continue
    const used = process.memoryUsage.rss() - base
    const took = now() - times[0]
    let result = took > BigInt(timeout) * 1000000n ? {outcome: 'timeout'} : null
    if (used > memory) result = {outcome: 'crash', type: 'out of memory', message: `memory use exceeds the limit of ${memory} bytes`}
    if (!result) {
      if (took > 1000000n * BigInt(POLL_INTERVAL)) send(out, ['C', indices(reached)]) // in case the process dies
      continue
    }
    if (Atomics.compareExchange(state, RUNNING, 1, 0) !== 1) continue
    send(out, ['C', indices(reached)], ['R', Buffer.from(stringify({...result, ns: Number(took), last: true}))])
    process.kill(process.pid, 'SIGKILL')
  }
}

class Harness {
  constructor(timeout, memory, units) {
    // Other file descriptors for the same pipes, out of the way of programs that close low ones.
    this.in = fs.openSync('/dev/fd/3', 'r')
    this.out = fs.openSync('/dev/fd/4', 'w')
    this.pipes = [this.in, this.out].map(fd => [fd, fstatSync(fd).ino])
    this.reached = new Uint8Array(new SharedArrayBuffer(Math.max(units, 1)))
    this.state = new Int32Array(new SharedArrayBuffer(4))
    this.times = new BigInt64Array(new SharedArrayBuffer(8))
    this.timeout = timeout
    this.memory = memory
    this.checked = 0n
    this.buffer = Buffer.allocUnsafe(1 << 16)
    this.failure = null
    Object.defineProperty(globalThis, '__inroad', {value: this.reached})
  }

  start(call) {
    this.call = call
    const {out, timeout, memory, reached, state, times} = this
    this.worker = new Worker(__filename, {workerData: {out, timeout, memory, reached, state, times}, argv: [], env: {}, execArgv: []})
    const keep = reason => value => {
      this.failure ??= {value, reason}
    }
    process.on('uncaughtException', keep('uncaught'))
    process.on('unhandledRejection', keep('rejected'))
    const report = () => { // the program ends the process
      if (Atomics.compareExchange(state, RUNNING, 1, 0) === 1 && this.isOpen()) send(out, ['C', indices(reached)])
    }
    process.on('exit', report)
    const abort = process.abort
    process.abort = () => {
      report()
      abort()
    }
    this.finish = this.finish.bind(this)
    this.worker.once('online', () => {
      this.base = process.memoryUsage.rss()
      send(out, ['M', Buffer.alloc(0)])
      this.next()
    })
  }

  /** Reports whether the program left the pipes open. */
  isOpen() {
    try {
      return this.pipes.every(([fd, ino]) => fstatSync(fd).ino === ino)
    } catch {
      return false
    }
  }

  receive() {
    let n = readSync(this.in, this.buffer, 0, this.buffer.length, null)
    if (n === 0) exit(0)
    const size = this.buffer.readUInt32LE(0)
    const input = Buffer.allocUnsafeSlow(size)
    this.buffer.copy(input, 0, 4, n)
    for (let at = n - 4; at < size; at += n) {
      n = readSync(this.in, input, at, size - at, null)
      if (n === 0) exit(0)
    }
    return input
  }

  /** Runs one input. The event loop turns before the result is sent. */
  next() {
    const input = this.receive()
    this.failure = null
    this.reached.fill(0)
    this.began = this.times[0] = now()
    Atomics.store(this.state, RUNNING, 1)
    try {
      const result = this.call(input)
      if (typeof result?.then === 'function') {
        result.then(() => this.end(), value => {
          this.failure ??= {value}
          this.end()
        })
        return
      }
    } catch (value) {
      this.failure ??= {value}
    }
    this.end()
  }

  end() {
    this.took = now() - this.began
    setImmediate(this.finish)
  }

  finish() {
    if (Atomics.compareExchange(this.state, RUNNING, 1, 0) !== 1) Atomics.wait(this.state, RUNNING, 0) // the watchdog ends the process
    if (!this.isOpen()) stop('the program closed file descriptors that it did not open')
    const reached = indices(this.reached)
    const last = this.failure?.reason === 'uncaught' || this.leaks()
    const result = this.failure ? describe(this.failure.value) : {outcome: 'ok'}
    send(this.out, ['C', reached], ['R', Buffer.from(stringify({...result, ns: Number(this.took), last}))])
    if (last) exit(0)
    this.next()
  }

  /**
   * Reports whether more than half of the memory stays in use after a collection. Another
   * input would be blamed for it otherwise.
   */
  leaks() {
    const time = now()
    if (time - this.checked < CHECK_INTERVAL) return false
    this.checked = time
    const isLarge = () => process.memoryUsage.rss() - this.base > this.memory / 2
    if (!isLarge()) return false
    v8.setFlagsFromString('--expose-gc')
    vm.runInNewContext('gc')()
    return isLarge()
  }
}

function describe(value) {
  const result = {outcome: 'failure', type: typeof value, message: '(message not available)', stack: ''}
  try {
    if (value instanceof Error || typeof value?.stack === 'string') {
      result.type = String(value.constructor?.name || value.name)
      result.stack = digest(String(value.stack))
      result.message = String(value.message).slice(0, MAX_MESSAGE)
    } else {
      result.message = String(value).slice(0, MAX_MESSAGE)
    }
  } catch { /* a getter threw */ }
  return result
}

/** Returns a digest of the innermost functions on the stack. */
function digest(stack) {
  const names = []
  for (const line of stack.split('\n')) {
    const match = /^ {4}at (?:async )?(?:(.*?) \()?(.*?):\d+:\d+\)?$/.exec(line)
    if (!match) continue
    if (match[2] === __filename || names.length === DIGEST_FRAMES) break
    const name = `${path.basename(match[2])}:${match[1] ?? ''}`
    if (name !== names.at(-1)) names.push(name) // ignore the depth of recursion
  }
  return createHash('sha256').update(names.map(name => `${name}\n`).join('')).digest('hex').slice(0, 16)
}

/** Makes Node load the files with counters in place of the originals. */
function hook(files) {
  const copies = new Map(files.map(f => [f.path, f.copy]))
  const compile = Module.prototype._compile
  Module.prototype._compile = function (content, file, ...rest) {
    const copy = copies.get(file)
    return Reflect.apply(compile, this, [copy ? fs.readFileSync(copy, 'utf8') : content, file, ...rest])
  }
  const urls = Object.fromEntries(files.map(f => [pathToFileURL(f.path).href, f.copy]))
  if (Module.registerHooks) {
    Module.registerHooks({
      load(url, context, next) {
        const loaded = next(url, context)
        return urls[url] && loaded.format === 'module' ? {...loaded, source: fs.readFileSync(urls[url], 'utf8')} : loaded
      },
    })
  } else {
    Module.register(pathToFileURL(path.join(__dirname, 'load.mjs')).href, {data: urls})
  }
}

/** Loads the target and returns the function to call. */
async function find(target, dir) {
  const {file, name} = locate(target, dir)
  process.argv = [process.argv[0], file]
  const loaded = isModule(file) ? await import(pathToFileURL(file).href) : require(file)
  const exported = loaded?.default ?? loaded
  if (name) {
    const found = loaded[name] ?? exported[name]
    if (typeof found !== 'function') stop(`${file} exports no function ${name}`)
    return input => found(input.toString())
  }
  const found = loaded.fuzz ?? exported.fuzz ?? exported
  if (typeof found !== 'function') stop(`${file} exports no function fuzz: give FILE:EXPORT`)
  return found
}

async function main() {
  const [target, dir, table, timeout, memory] = process.argv.slice(2)
  const {files, count} = JSON.parse(fs.readFileSync(table, 'utf8'))
  const harness = new Harness(Number(timeout), Number(memory), count)
  hook(files)
  let call
  try {
    call = await find(target, dir)
  } catch (e) {
    const at = /\((.*:\d+):\d+\)|at (.*:\d+):\d+/.exec(e?.stack ?? '')
    stop(`${e?.name ?? typeof e}: ${e?.message ?? e}${at ? ` (${at[1] ?? at[2]})` : ''}`)
  }
  harness.start(call)
}

if (isMainThread) main()
else watch(workerData)
