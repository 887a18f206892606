// Lists the functions of JavaScript files and the blocks in them, and inserts counters.
//
// Usage: scan.mjs TARGET DIR ROOT BLOCKS TABLE [COVER...]
//
// TARGET is FILE or PACKAGE, with :EXPORT if it does not export fuzz, and DIR the
// folder that the user runs inroad in. Names of files below ROOT are relative to it,
// and others to their folder node_modules. With BLOCKS 1, blocks are listed as well.
// COVER are packages, files or folders. Without any, the files of the target are
// listed: those that it loads by relative paths, and those that the packages load
// that it imports. The list is written to the file TABLE, and files with counters beside
// it.
//
// Acorn, which parses the files, is part of Node: run with --expose-internals. Run with
// --experimental-import-meta-resolve to resolve imports as the file that has them would.

import fs from 'node:fs'
import module, {createRequire, isBuiltin} from 'node:module'
import path from 'node:path'
import {fileURLToPath, pathToFileURL} from 'node:url'

const require = createRequire(import.meta.url)
const {isModule, locate, stop} = require('./target.cjs')
if (!module.register) stop(`${process.execPath} is Node ${process.version}: must be 20.6 or later`)
const acorn = require('internal/deps/acorn/acorn/dist/acorn')

const [target, dir, root, withBlocks, table, ...cover] = process.argv.slice(2)
const out = path.dirname(table)

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])
const LOOPS = new Set(['ForStatement', 'ForInStatement', 'ForOfStatement', 'WhileStatement', 'DoWhileStatement'])

// The order of texts to insert at the same place.
const CLOSE_EXPRESSION = 0
const CLOSE_STATEMENT = 1
const OPEN = 2

/** A Source is a parsed file with its units and the texts to insert. */
class Source {
  constructor(file) {
    this.file = file
    this.text = fs.readFileSync(file, 'utf8')
    this.units = []
    this.inserts = []
    this.imports = []
    const tree = parse(this.text, file)
    try {
      if (tree) this.visit(tree, '', '')
    } catch (e) {
      if (!(e instanceof RangeError)) throw e
      this.units = this.inserts = [] // nested too deeply to be observed
    }
  }

  /** Visits a node. The prefix names what encloses it, and the name is the one that it is given. */
  visit(node, prefix, name) {
    if (FUNCTIONS.has(node.type)) return this.enter(node, prefix, name || node.id?.name)
    switch (node.type) {
      case 'ImportDeclaration': case 'ExportNamedDeclaration': case 'ExportAllDeclaration': case 'ImportExpression':
        if (typeof node.source?.value === 'string') this.imports.push({name: node.source.value, syntax: 'import'})
        break
      case 'CallExpression':
        if (node.callee.name === 'require' && typeof node.arguments[0]?.value === 'string') {
          this.imports.push({name: node.arguments[0].value, syntax: 'require'})
        }
        break
      case 'ClassDeclaration': case 'ClassExpression': {
        const own = node.id?.name ?? name
        if (node.superClass) this.visit(node.superClass, prefix, '')
        return this.visit(node.body, own ? `${prefix}${own}.` : prefix, '')
      }
      case 'VariableDeclarator':
        if (node.init) this.visit(node.init, prefix, node.id.name ?? '')
        return this.children(node.id, prefix)
      case 'AssignmentExpression':
        this.visit(node.right, prefix, assigned(node.left))
        return this.visit(node.left, prefix, '')
      case 'Property': case 'MethodDefinition': case 'PropertyDefinition': {
        if (node.computed) this.visit(node.key, prefix, '')
        if (!node.value) return
        const key = node.computed ? '' : String(node.key.name ?? node.key.value ?? '')
        const label = node.key.type === 'PrivateIdentifier' ? `#${key}` : key
        const enclosing = node.type === 'Property' && name ? `${prefix}${name}.` : prefix
        return this.visit(node.value, enclosing, node.kind === 'get' || node.kind === 'set' ? `${node.kind} ${label}` : label)
      }
      case 'ExportDefaultDeclaration':
        return this.visit(node.declaration, prefix, 'default')
      case 'ObjectExpression':
        for (const property of node.properties) this.visit(property, prefix, name)
        return
    }
    this.children(node, prefix)
  }

  children(node, prefix) {
    for (const key in node) {
      const value = node[key]
      if (Array.isArray(value)) {
        for (const item of value) if (item?.type) this.visit(item, prefix, '')
      } else if (value?.type && key !== 'loc') this.visit(value, prefix, '')
    }
  }

  enter(node, prefix, name) {
    const full = prefix + (name || '<anonymous>')
    const inside = name ? `${full}.` : prefix
    for (const parameter of node.params) this.visit(parameter, prefix, '')
    const unit = this.units.push({
      name: full, kind: name === 'constructor' && prefix ? 'constructor' : 'method',
      start: node.loc.start.line, end: node.loc.end.line,
    }) - 1
    if (node.body.type === 'BlockStatement') {
      const last = node.body.body.findLast(s => s.directive)
      this.insert(last ? last.end : node.body.start + 1, last ? `;${count(unit)}` : count(unit))
      if (withBlocks === '1') new Blocks(this, full).list(node.body.body, true)
    } else {
      this.insert(node.body.start, `(${count(unit).slice(0, -1)},`)
      this.insert(node.body.end, ')', CLOSE_EXPRESSION)
    }
    this.visit(node.body, inside, '')
  }

  /** Returns the column of a position in bytes, from 1. */
  column({line, column}) {
    this.lines ??= this.text.split(/\r\n|[\n\r\u2028\u2029]/)
    return Buffer.byteLength(this.lines[line - 1].slice(0, column)) + 1
  }

  insert(at, text, order = OPEN) {
    this.inserts.push({at, text, order})
  }

  /** Returns the text with counters. Its first unit has the index first. */
  instrumented(first) {
    let text = ''
    let from = 0
    for (const {at, text: inserted} of this.inserts.sort((a, b) => a.at - b.at || a.order - b.order)) {
      text += this.text.slice(from, at) + inserted.replace(/@(\d+)/, (_, unit) => first + Number(unit))
      from = at
    }
    return text + this.text.slice(from)
  }
}

/** Returns the statement that counts a unit. */
function count(unit) {
  return `__inroad[@${unit}]=1;`
}

/** Returns the name of the variable or property that is assigned to. */
function assigned(node) {
  const parts = []
  for (; node.type === 'MemberExpression' && !node.computed; node = node.object) parts.unshift(node.property.name)
  if (node.type === 'Identifier') parts.unshift(node.name)
  return parts.filter(part => !['module', 'exports', 'prototype', 'this'].includes(part)).join('.')
}

/**
 * Blocks lists the blocks of a function, other than the one at its entry. A block is a
 * run of statements up to a branch.
 */
class Blocks {
  constructor(source, name) {
    this.source = source
    this.name = name
    this.open = null // the current block
  }

  /** Lists the blocks of statements. The first statement continues the current block if asked to. */
  list(statements, continues) {
    let fresh = !continues
    for (const s of statements) {
      if (s.directive || s.type === 'FunctionDeclaration') continue
      if (fresh) this.start(s)
      fresh = this.walk(s)
    }
    this.fresh = fresh
  }

  start(s) {
    const {line, column} = s.loc.start
    const unit = this.source.units.push({
      name: `${this.name}:${line}.${column + 1}`, kind: 'block', start: line, startColumn: this.source.column(s.loc.start),
    }) - 1
    this.open = this.source.units[unit]
    this.source.insert(s.start, count(unit))
  }

  /** Visits a statement of the current block. Reports whether the block ends with it. */
  walk(s) {
    if (this.open) {
      const end = headEnd(s)
      this.open.end = end.line
      this.open.endColumn = this.source.column(end)
    }
    switch (s.type) {
      case 'BlockStatement':
        this.list(s.body, true)
        return this.fresh
      case 'LabeledStatement':
        this.walk(s.body)
        return true
      case 'IfStatement':
        this.arm(s.consequent)
        if (s.alternate) this.arm(s.alternate)
        return true
      case 'SwitchStatement':
        for (const c of s.cases) this.suite(c.consequent)
        return true
      case 'TryStatement':
        this.list(s.block.body, true)
        if (s.handler) this.suite(s.handler.body.body)
        if (s.finalizer) this.suite(s.finalizer.body)
        return true
    }
    if (!LOOPS.has(s.type)) return false
    this.arm(s.body)
    return true
  }

  suite(statements) {
    this.list(statements, false)
  }

  /** Lists the blocks of a branch, which gets braces if it has none. */
  arm(s) {
    if (s.type === 'BlockStatement') return this.suite(s.body)
    if (s.type === 'FunctionDeclaration' || s.type === 'EmptyStatement') return
    this.source.insert(s.start, '{')
    this.suite([s])
    this.source.insert(s.end, '}', CLOSE_STATEMENT)
  }
}

/** Returns the end of a statement, without the statements in it. */
function headEnd(s) {
  if (['TryStatement', 'DoWhileStatement', 'LabeledStatement', 'BlockStatement'].includes(s.type)) return s.loc.start
  if (s.type !== 'IfStatement' && s.type !== 'SwitchStatement' && !LOOPS.has(s.type)) return s.loc.end
  const head = s.test ?? s.discriminant ?? s.right ?? s.update ?? s.init
  return head?.loc.end ?? s.loc.start
}

/** Parses a file as a module or a script. Returns null if it is neither. */
function parse(text, file) {
  for (const sourceType of file.endsWith('.mjs') ? ['module'] : ['script', 'module']) {
    try {
      return acorn.parse(text, {
        sourceType, ecmaVersion: 'latest', locations: true, allowHashBang: true, allowReturnOutsideFunction: true,
        allowAwaitOutsideFunction: sourceType === 'module',
      })
    } catch (e) {
      if (!(e instanceof SyntaxError)) throw e
    }
  }
  return null
}

const isSource = file => /\.[cm]?js$/.test(file) || (!path.extname(file) && path.isAbsolute(file))

/** Returns the file that an import loads, or null if it is part of Node or cannot be found. */
function resolve({name, syntax}, from) {
  if (isBuiltin(name)) return null
  try {
    const found = syntax === 'require' ? createRequire(from).resolve(name) : fileURLToPath(import.meta.resolve(name, pathToFileURL(from).href))
    return fs.realpathSync(found)
  } catch {
    return null
  }
}

const isRelative = name => /^(\.\.?)?(\/|$)/.test(name)

/** Returns the name of the package in an import. */
const packageOf = name => name.split('/').slice(0, name[0] === '@' ? 2 : 1).join('/')

function filesBelow(place) {
  if (!fs.statSync(place).isDirectory()) return [place]
  return fs.readdirSync(place).sort().flatMap(name => {
    const file = path.join(place, name)
    if (name === 'node_modules' || name.startsWith('.')) return []
    return fs.statSync(file).isDirectory() || isSource(file) ? filesBelow(file) : []
  })
}

/** Returns the sources to observe. */
function collect(start) {
  const queue = []
  const packages = new Set()
  for (const name of cover) {
    const place = path.resolve(dir, name)
    if (fs.existsSync(place)) {
      queue.push(...filesBelow(fs.realpathSync(place)))
      continue
    }
    const found = resolve({name, syntax: isModule(start) ? 'import' : 'require'}, start) ?? resolve({name, syntax: 'import'}, start)
    if (!found) stop(`no file, folder or package ${name}`)
    packages.add(name)
    queue.push(found)
  }
  if (!cover.length) queue.push(start)
  const sources = new Map()
  while (queue.length) {
    const file = queue.shift()
    if (sources.has(file) || !isSource(file)) continue
    const source = new Source(file)
    sources.set(file, source)
    for (const item of source.imports) {
      const follow = isRelative(item.name) || (cover.length ? packages.has(packageOf(item.name)) : file === start)
      const found = follow && resolve(item, file)
      if (found) queue.push(found)
    }
  }
  return [...sources.values()]
}

function nameOf(file) {
  const below = path.relative(root, file)
  const at = file.lastIndexOf(`${path.sep}node_modules${path.sep}`)
  if (!below.startsWith('..') && at < 0) return below
  return at < 0 ? path.basename(file) : file.slice(at + '/node_modules/'.length)
}

/** Returns the version of the package of a file in node_modules. */
function versionOf(file) {
  if (!file.includes(`${path.sep}node_modules${path.sep}`)) return ''
  for (let folder = path.dirname(file); folder !== path.dirname(folder); folder = path.dirname(folder)) {
    try {
      const {version} = JSON.parse(fs.readFileSync(path.join(folder, 'package.json')))
      if (version) return version
    } catch { /* further up */ }
  }
  return ''
}

const {file: start} = locate(target, dir)
const files = []
let first = 0
for (const source of collect(start)) {
  const copy = path.join(out, `${files.length}.js`)
  fs.writeFileSync(copy, source.instrumented(first))
  first += source.units.length
  files.push({path: source.file, name: nameOf(source.file).split(path.sep).join('/'), copy, units: source.units})
}
fs.writeFileSync(table, JSON.stringify({
  cover: cover.length ? cover : [start], version: versionOf(start), count: first, files,
}))
