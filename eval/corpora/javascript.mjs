// How well the bundled grammar javascript fits scripts that others wrote, and acorn what it generates.
//
//   npm install --no-save acorn@8.14.0
//   node javascript.mjs corpus WORK inroad     parse the scripts of npm packages
//   node javascript.mjs accepted DIR           let acorn and node read generated files
//
// The corpus is made of the packages below: of the .js files of each that acorn accepts as scripts at ecmaVersion 6, up to
// 25, evenly spread over their names in order. Minified files are among them.

import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import vm from 'node:vm'
import { parse } from 'acorn'

const packages = `
  async@2.6.4 backbone@1.4.1 bluebird@3.7.2 chai@4.3.7 chalk@2.4.2 co@4.6.0 codemirror@5.65.9 commander@2.20.3 d3@3.5.17
  debug@4.3.4 ejs@3.1.8 escodegen@1.14.3 eslint@4.19.1 esprima@4.0.1 express@4.18.2 glob@7.2.3 handlebars@4.7.7 jade@1.11.0
  jquery@3.6.0 js-yaml@3.14.1 jshint@2.13.6 knockout@3.5.1 koa@2.3.0 leaflet@1.7.1 less@3.13.1 levelup@1.3.9 lodash@4.17.21
  marked@0.3.19 minimatch@3.0.4 mocha@5.2.0 moment@2.29.4 mustache@2.3.2 nunjucks@3.2.3 prismjs@1.29.0 pug@2.0.4 q@1.5.1
  react@15.6.2 readable-stream@3.6.0 redux@3.7.2 request@2.88.2 semver@5.7.1 socket.io@2.5.0 standard@10.0.3 through2@2.0.5
  uglify-js@3.17.4 underscore@1.13.6 ws@6.2.2 yargs@13.3.2`.trim().split(/\s+/)

const perPackage = 25

function acornRefuses(text) {
  try {
    parse(text, { ecmaVersion: 6, sourceType: 'script' })
  } catch (e) {
    return e.message.replace(/ \(\d+:\d+\)$/, '')
  }
}

function nodeRefuses(text) {
  try {
    new vm.Script(text)
  } catch (e) {
    return e.message
  }
}

function unpack(work, name) {
  const folder = path.join(work, name)
  if (!fs.existsSync(folder)) {
    const archive = execFileSync('npm', ['pack', name, '--silent'], { cwd: work, encoding: 'utf8' }).trim()
    fs.mkdirSync(folder)
    execFileSync('tar', ['xzf', path.resolve(work, archive), '-C', folder], { stdio: 'ignore' })
  }
  return folder
}

function scripts(folder) {
  const files = fs.readdirSync(folder, { recursive: true })
    .filter(f => f.endsWith('.js'))
    .map(f => path.join(folder, f))
    .filter(f => fs.statSync(f).isFile() && !acornRefuses(fs.readFileSync(f, 'utf8')))
    .sort()
  const step = Math.max(1, files.length / perPackage)
  return Array.from({ length: Math.min(files.length, perPackage) }, (_, i) => files[Math.floor(i * step)])
}

function corpus(work, inroad) {
  fs.mkdirSync(work, { recursive: true })
  const files = packages.flatMap(name => scripts(unpack(work, name)))
  const errors = []
  for (let i = 0; i < files.length; i += 50) {
    const args = ['parse', '--grammar', 'javascript', '--format', 'json', ...files.slice(i, i + 50)]
    const run = spawnSync(inroad, args, { encoding: 'utf8', maxBuffer: 2 ** 30 })
    for (const line of run.stdout.trim().split('\n')) {
      const answer = JSON.parse(line)
      if (answer.error) errors.push(answer.error.message)
    }
  }
  fs.writeFileSync(path.join(work, 'errors.txt'), errors.join('\n') + '\n')
  report('parsed', files.length, errors.map(e => e.replace(/^.*?:\d+:\d+: /, '').replace(/, expected .*/, '')))
}

function accepted(folder) {
  const texts = fs.readdirSync(folder).sort().map(f => fs.readFileSync(path.join(folder, f), 'utf8'))
  for (const [who, refuses] of [['acorn', acornRefuses], ['node', nodeRefuses]]) {
    const errors = texts.map(refuses).filter(Boolean)
    report(`accepted by ${who}`, texts.length, errors.map(e => e.replace(/\/.*\//, '/.../').replace(/'.*'/, "'...'")))
  }
}

function report(done, all, reasons) {
  const good = all - reasons.length
  console.log(`${done}: ${good} of ${all} (${(100 * good / all).toFixed(1)} %)`)
  const counts = new Map()
  for (const r of reasons) counts.set(r, (counts.get(r) || 0) + 1)
  for (const [r, n] of [...counts].sort((a, b) => b[1] - a[1]).slice(0, 20)) console.log(String(n).padStart(6), r)
}

const [task, folder, inroad = 'inroad'] = process.argv.slice(2)
if (task === 'corpus') corpus(folder, inroad)
else if (task === 'accepted') accepted(folder)
else console.error('usage: node javascript.mjs corpus WORK INROAD | accepted DIR')
