#!/usr/bin/env node
'use strict'
const {branches} = require('./branches')

class Shape {
  #hidden = 1
  constructor(c) { this.c = c }
  get first() { return this.c[0] }
  set first(c) { this.c = c }
  static of(c) { return new Shape(c) }
  #secret() { return this.#hidden }
  reveal() { return this.#secret() }
  arrow = () => this.c
}

function* generator(c) {
  yield c
}

function Old() {}
Old.prototype.method = function () { "use strict"; return 1 }

const shapes = {
  s: c => Shape.of(c).first,
  p: c => new Shape(c).reveal(),
  a: c => new Shape(c).arrow(),
  w(c) { const s = new Shape(c); s.first = c },
  g: c => [...generator(c)],
  u: c => { generator(c) },
  o: c => ({value: new Old().method()}),
  l: c => [c].map(function (x) { return x }),
  f: c => (function named() { return c })(),
}

function defaulted(c, f = () => 0) { return f() }

exports.parse = text => {
  for (const c of text) (shapes[c] ?? branches)(c)
  return text === 'd' ? defaulted(text) : 0
}
exports.source = text => {
  if (!shapes.s.toString().includes('=>')) throw new Error(text)
}
