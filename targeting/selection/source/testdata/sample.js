'use strict'
import def, { named as alias } from './module.js'
export { def }

const x = 1, table = { one: 1, two() { return 2 }, three: { deep: () => 3 } }
let { p, q = 4 } = x

export function parse(text) {
	const helper = (a) => a / 5 / 6
	function inner() { return /[}/"]{7}/g.test(text) }
	return inner() ? helper(8) : `a${ text + `${9}` }b`
}

export default class Parser extends Base {
	static count = 10
	#state = 11;
	handler = async () => { await this.run(12) }
	constructor() { super(13) }
	get size() { return 14 }
	*items() { yield 15 }
	static { Parser.count++ }
}

Parser.prototype.old = function () { return 16 }
exports.f = exports.g = function named() { return 17 }

;(function (root) {
	var state = 18
	function next() { return state++ }
	root.lib = { next: next, reset: function () { state = 19 } }
}(this))

if (x > 20) {
	start(21)
} else for (;;) break
