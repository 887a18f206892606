package source_test

import (
	"slices"
	"testing"
)

func TestJavaScript(t *testing.T) {
	testOutlines(t, "x.js", []outlineCase{
		{"declarations", `'use strict'
import a, { b as c } from './m.js';
import * as n from "n"
export { a };
const x = 1, y = [
	1, 2,
], { p, q: r } = z
export const table = { one: 1, two() { return 2 } };
export default function main(args) {
	const helper = (v) => v + 1
	function inner() { return helper(1) }
	return args.map(function (a) { return a })
}
export async function* gen() {}
const arrow = async (a, b) => {
	return a / b / 2
};
let short = a => a + 1, other = function named() {}
`, `
1-1 statement <file>
2-2 import import ./m.js [a c]
3-3 import import n
4-4 import export
5-5 value x
5-7 value y
7-7 value p [p r]
8-8 value table
8-8 function table.two of table
9-13 function main
10-10 function main.helper
11-11 function main.inner
14-14 function gen
15-17 function arrow
18-18 function short
18-18 function other [other named]
`},
		{"classes", `class A extends f({}) {
	static count = 0;
	#secret = 1
	handler = () => { this.x() }
	constructor(a) { super(a) }
	get size() { return 1 }
	static async *[Symbol.iterator]() { yield 1 }
	#hidden() { return /[/}]/.test('a') }
	static { init() }
}
var B = class { m() {} }
`, `
1-10 type A
2-2 value A.count of A
3-3 value A.secret of A
4-4 function A.handler of A
5-5 function A.constructor [constructor A] of A
6-6 function A.size of A
7-7 function A.[Symbol.iterator] of A
8-8 function A.hidden of A
9-9 statement A.<static> of A
11-11 type B
11-11 function B.m of B
`},
		{"objects and prototypes", `function A() {
	this.run = function () { return 1 }
}
A.prototype.g = function () {}
A.prototype = {
	h: function () {},
	nested: { i: () => 1 },
	get j() { return 1 }
}
A.limit = 10
module.exports = A
exports.k = exports.l = function () {}
`, `
1-3 function A
2-2 function A.run
4-4 function A.prototype.g of A
5-9 value A.prototype of A
6-6 function A.prototype.h of A
7-7 function A.prototype.nested.i of nested
8-8 function A.prototype.j of A
10-10 value A.limit of A
11-11 statement <file>
12-12 value exports.k [k l]
12-12 function exports.l
`},
		{"wrappers", `(function (root, factory) {
	factory(root)
}(this, function () {
	var table = { a: 1 }
	function parse(s) { return table[s] }
	return { parse: parse, go: function () {} }
}))
var Lib = (function () {
	var state = 0
	function next() { return state++ }
	return { next: next }
})()
`, `
1-7 statement <file>
4-4 value table
5-5 function parse
6-6 function go
8-12 value Lib
9-9 value Lib.state
10-10 function Lib.next
`},
		{"default exports", `module.exports = function () {}
export default () => 1
`, `
1-1 function module.exports
2-2 function default
`},
		{"literals", "const a = `x${ `y${ {z: 1}.z }` }}`\n" + `const b = 1 / 2 / 3, c = a++ / 2
function f() { return /}"/g.test("'") }
if (x) /}/.exec(y)
const d = '\
}'
function g() { return (1) / 2 } // }
`, `
1-1 value a
2-2 value b
2-2 value c
3-3 function f
4-4 statement <file>
5-6 value d
7-7 function g
`},
		{"elements", `const App = () => <div className="a" onClick={() => go("}")}>
	don't {name} <b>x</b> <br/>
</div>
function f() { return a < b ? <></> : null }
function g() {}
`, `
1-3 function App
4-4 function f
5-5 function g
`},
	})
	testOutlines(t, "x.ts", []outlineCase{
		{"types", `import type { T } from 't'
export interface I<K> { f(a: string): void; g: () => void }
type U = { a: (x: number) => string } | null
export enum E { A, B = 2 }
declare module 'm' { export function h(): void }
namespace N.M { export const v = 1; export function w() {} }
export function over(a: string): void
export function over(a: number): { b: string } { return { b: '' } }
export const typed: Record<string, () => void> = {}
const fn: (a: string) => void = (a) => { a }
@Component({ a: 1 })
export abstract class C<T> extends D<T> implements I<T> {
	private readonly x: number = 1
	constructor(private y: string) { super() }
	abstract m(): void
	n<K>(a: K): Promise<{ a: K }> { return a as any }
	@Input() set z(v: string) { this.x = <number>v }
}
`, `
1-1 import import t
2-2 type I
3-3 type U
4-4 type E
5-6 statement <file>
5-5 value m.h;
6-6 value N.M.v
6-6 function N.M.w
7-7 value over;
8-8 function over
9-9 value typed
10-10 function fn
11-18 type C
13-13 value C.x of C
14-14 function C.constructor [constructor C] of C
16-16 function C.n of C
17-17 function C.z of C
`},
	})
	if d := mustParse(t, "src/parse.js", "export default () => 1").Find("default"); d.Short != "parse" {
		t.Errorf("default export of parse.js is mentioned as %q, want parse", d.Short)
	}
	if d := mustParse(t, "src/parse.js", "class A { default() {} }").Find("A.default"); d.Short != "default" {
		t.Errorf("a method named default is mentioned as %q", d.Short)
	}
	f := mustParse(t, "x.js", "import a from 'b'\nexport * from \"c\"\nconst d = require('e')\nimport('f')\n")
	if want := []string{"b", "c", "e", "f"}; !slices.Equal(f.Imports, want) {
		t.Errorf("imports %q, want %q", f.Imports, want)
	}
}

func TestJavaScriptChanges(t *testing.T) {
	testChanges(t, "x.js", []changeCase{
		{"comment and format", "function f(a) { return g(a, 1) }", "// f\nfunction f(a) {\n\treturn g(\n\t\ta,\n\t\t1, // one\n\t)\n}", nil},
		{"exported", "const a = 1; function f() {}", "export const a = 1;\nexport function f() {}", nil},
		{"new exported function", "export const a = 1", "export const a = 1\nexport const f = () => 2", []string{"+f"}},
		{"line end", "function f() { return a }", "function f() { return\na }", []string{"f"}},
		{"inner function", "function f() { function g() { return 1 } return g() }", "function f() { function g() { return 2 } return g() }", []string{"f.g"}},
		{"elision", "const a = [1,]", "const a = [1,,]", []string{"a"}},
		{"module code", "start(1)\nfunction f() {}", "start(2)\nfunction f() {}", []string{"<file>"}},
	})
}
