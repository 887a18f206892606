// A function that misbehaves in the way that its input asks for.

const {spawn} = require('node:child_process')
const fs = require('node:fs')

const kept = []

class Sad extends Error {
  get message() {
    throw new Error('no message')
  }
}

const actions = {
  fail() {
    throw new TypeError('refused: \ud800')
  },
  sad() {
    throw new Sad()
  },
  string() {
    throw 'text'
  },
  nothing() {
    throw undefined
  },
  hang() {
    for (;;);
  },
  never: () => new Promise(() => {}),
  exit() {
    process.exit(3)
  },
  kill() {
    process.kill(process.pid, 'SIGKILL')
    for (;;);
  },
  abort() {
    process.abort()
  },
  overflow() {
    actions.overflow()
  },
  hoard() {
    for (;;) kept.push(new Array(1 << 20).fill(kept.length))
  },
  buffers() {
    for (;;) kept.push(Buffer.alloc(16 << 20, 1))
  },
  leak() {
    kept.push(Buffer.alloc(16 << 20, 1))
  },
  close() {
    for (let fd = 3; fd < 100; fd++) {
      try {
        if (fs.fstatSync(fd).isFIFO()) fs.closeSync(fd)
      } catch { /* not open */ }
    }
  },
  'close low'() {
    fs.closeSync(3)
    fs.closeSync(4)
  },
  daemon() {
    spawn('sleep', ['3600'], {stdio: 'ignore'})
  },
  print() {
    for (const stream of [process.stdout, process.stderr]) for (let i = 0; i < 64; i++) stream.write('x'.repeat(1 << 20))
  },
  stdin() {
    fs.readFileSync(0)
  },
  resolve: async () => {
    await null
    await new Promise(resolve => setTimeout(resolve, 1))
  },
  reject: async () => {
    await null
    throw new RangeError('rejected')
  },
  forgotten() {
    Promise.reject(new RangeError('forgotten'))
  },
  later() {
    setImmediate(() => {
      throw new RangeError('later')
    })
  },
  chdir() {
    fs.mkdirSync('below')
    process.chdir('below')
    fs.rmdirSync('../below')
  },
}

module.exports.fuzz = data => actions[data.toString()]?.()
