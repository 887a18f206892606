package selection

import "testing"

// An affectedCase replaces a text of a program. want is what [affectedBy] returns.
type affectedCase struct {
	name     string
	base     memoryVersion
	from, to string
	want     string
}

func checkAffected(t *testing.T, cases []affectedCase) {
	t.Helper()
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			if got := affectedBy(t, tc.base, tc.base, edited(t, tc.base, tc.from, tc.to)); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// TestCompareEdges changes programs in ways that are easily overlooked.
func TestCompareEdges(t *testing.T) {
	checkAffected(t, []affectedCase{
		{
			"a constant of a Java enum between others", memoryVersion{
				"E.java": "enum E { A, B }\n",
				"U.java": "class U {\n\tint f(E e) { return e.ordinal(); }\n\tboolean g(E e) { return e == E.B; }\n\tint n() { return E.values().length; }\n\tint other() { return 1; }\n}\n",
			}, "A, B", "A, X, B", "U.f(E) U.n()",
		},
		{
			"a member of a Python enum", memoryVersion{
				"e.py": "from enum import Enum, auto\nclass E(Enum):\n    A = auto()\n    B = auto()\n",
				"u.py": "from e import E\ndef f():\n    return [x for x in E]\ndef g():\n    return E.B\ndef h():\n    return 1\n",
			}, "    A = auto()\n    B = auto()\n", "    B = auto()\n    A = auto()\n", "f g",
		},
		{
			"an import of everything in Python", memoryVersion{
				"a.py": "LIMIT = 1\ndef f():\n    return 1\n",
				"b.py": "from a import *\ndef g():\n    return LIMIT\ndef h():\n    return 2\n",
			}, "LIMIT = 1", "LIMIT = 2", "g",
		},
		{
			"an export of everything in JavaScript", memoryVersion{
				"a.js": "export const limit = 1\n",
				"b.js": "export * from './a.js'\n",
				"c.js": "import { limit } from './b.js'\nexport function g() { return limit }\nexport function h() { return 2 }\n",
			}, "limit = 1", "limit = 2", "g",
		},
		{
			"an export under another name", memoryVersion{
				"a.js": "const limit = 1\nexport { limit as most }\n",
				"c.js": "import { most } from './a.js'\nexport function g() { return most }\nexport function h() { return 2 }\n",
			}, "limit = 1", "limit = 2", "g",
		},
		{
			"an import under another name", memoryVersion{
				"a.py": "LIMIT = 1\n",
				"c.py": "from a import LIMIT as MOST\ndef g():\n    return MOST\ndef h():\n    return 2\n",
			}, "LIMIT = 1", "LIMIT = 2", "g",
		},
		{
			"a Rust import under another name", memoryVersion{
				"src/a.rs":   "pub const LIMIT: u32 = 1;\n",
				"src/lib.rs": "mod a;\nuse a::LIMIT as MOST;\nfn g() -> u32 { MOST }\nfn h() -> u32 { 2 }\n",
			}, "LIMIT: u32 = 1", "LIMIT: u32 = 2", "g",
		},
		{
			"tests in a file of Rust", memoryVersion{
				"src/lib.rs": "fn parse(s: &str) -> u32 { value(s) }\nfn value(s: &str) -> u32 { 1 }\n#[cfg(test)]\nmod tests {\n    const LIMIT: u32 = 1;\n    #[test]\n    fn one() { assert_eq!(super::parse(\"\"), LIMIT); }\n}\n",
			}, "LIMIT: u32 = 1;\n", "LIMIT: u32 = 2;\n    fn value(s: &str) -> u32 { super::value(s) }\n    #[test]\n    fn two() { assert_eq!(value(\"\"), LIMIT); }\n", "",
		},
		{
			"declarations of types for JavaScript", memoryVersion{
				"index.d.ts": "export function parse(s: string): number;\n",
				"index.js":   "export function parse(s) { return s.length }\n",
				"main.js":    "import { parse } from './index.js'\nexport function main(s) { return parse(s) }\n",
			}, "s: string)", "s: string, strict?: boolean)", "",
		},
		{
			"an object that is exported under another name", memoryVersion{
				"a.js": "const table = { a: 1 }\nmodule.exports = { lookup: table }\n",
				"c.js": "const a = require('./a')\nfunction g() { return a.lookup.a }\nfunction h() { return 2 }\n",
			}, "a: 1", "a: 2", "g",
		},
		{
			"a macro that joins names in C", memoryVersion{
				"a.c": "#define NAME(x) x##_limit\nint a_limit = 1;\nint g(void) { return NAME(a); }\nint h(void) { return 2; }\n",
			}, "a_limit = 1", "a_limit = 2", "g",
		},
		{
			"a module of data that JavaScript imports", memoryVersion{
				"lib/words.json": "{\"a\": 1}",
				"a.js":           "import words from './lib/words.json'\nexport function g(s) { return words[s] }\nexport function h() { return 2 }\n",
			}, "\"a\": 1", "\"a\": 2", "g",
		},
		{
			"a file that a table in C includes", memoryVersion{
				"words.dat": "\"a\",\n",
				"a.c":       "static const char *words[] = {\n#include \"words.dat\"\n};\nint g(int i) { return words[i][0]; }\nint h(void) { return 2; }\n",
			}, "\"a\"", "\"b\"", "g",
		},
		{
			"another file that a table in C includes", memoryVersion{
				"a.c": "static const char *words[] = {\n#include \"words.dat\"\n};\nint g(int i) { return words[i][0]; }\nint h(void) { return 2; }\n",
			}, "words.dat", "names.dat", "g",
		},
		{
			"a file that C code includes outside declarations", memoryVersion{
				"words.dat": "WORD(a)\n",
				"a.c":       "#define WORD(x) int x(void) { return 1; }\n#include \"words.dat\"\nint h(void) { return 2; }\n",
			}, "WORD(a)", "WORD(b)", "everything:unmapped change",
		},
		{
			"a value that a module imports by way of another one", memoryVersion{
				"pkg/__init__.py": "from .a import *\n",
				"pkg/a.py":        "LIMIT = 1\n",
				"b.py":            "import pkg\ndef g():\n    return pkg.LIMIT\n",
				"c.py":            "LIMIT = 3\ndef h():\n    return LIMIT\n",
			}, "LIMIT = 1", "LIMIT = 2", "g",
		},
		{
			"a value of a package without an import of its module", memoryVersion{
				"pkg/__init__.py": "",
				"pkg/a.py":        "LIMIT = 1\n",
				"b.py":            "import pkg\ndef g():\n    return pkg.a.LIMIT\n",
			}, "LIMIT = 1", "LIMIT = 2", "g",
		},
		{
			"a value of a package that a file in it imports", memoryVersion{
				"pkg/__init__.py": "LIMIT = 1\n",
				"pkg/b.py":        "from . import LIMIT\ndef g():\n    return LIMIT\n",
				"pkg/c.py":        "from . import *\ndef h():\n    return LIMIT\n",
			}, "LIMIT = 1", "LIMIT = 2", "g h",
		},
		{
			"a value of a module that is imported by a computed name", memoryVersion{
				"a.py": "LIMIT = 1\n",
				"b.py": "import importlib\ndef g(name):\n    return importlib.import_module(name).LIMIT\n",
			}, "LIMIT = 1", "LIMIT = 2", "g",
		},
		{
			"a value of a package of JavaScript", memoryVersion{
				"lib/index.js": "exports.limit = 1\n",
				"b.js":         "const lib = require('./lib')\nfunction g() { return lib.limit }\n",
				"lib/c.js":     "const lib = require('.')\nfunction h() { return lib.limit }\n",
				"d.js":         "exports.limit = 2\nfunction k() { return exports.limit }\n",
			}, "limit = 1", "limit = 3", "g h k",
		},
		{
			"a global value of JavaScript", memoryVersion{
				"a.js": "var limit = 1\n",
				"b.js": "function g() { return limit }\n",
			}, "limit = 1", "limit = 3", "g",
		},
		{
			"a dictionary of functions", memoryVersion{
				"a.py": "def f(x):\n    return 1\nHANDLERS = {'a': f}\ndef g(x):\n    return HANDLERS[x](x)\ndef h():\n    return 2\n",
			}, "{'a': f}", "{'b': f}", "g",
		},
		{
			"a prefix found by reflection", memoryVersion{
				"a.py": "class A:\n    def visit_a(self):\n        return 1\n    def visit(self, n):\n        return getattr(self, 'visit_' + n)()\n    def h(self):\n        return 2\n",
			}, "    def h(self)", "    def visit_b(self):\n        return 3\n    def h(self)", "A.visit unobserved:A.visit_b",
		},
		{
			"an exported field of a type that is serialized", memoryVersion{
				"go.mod": "module m\n\ngo 1.26\n",
				"a.go":   "package m\n\nimport \"encoding/json\"\n\ntype T struct {\n\tA int\n}\n\nfunc f(t T) { _, _ = json.Marshal(t) }\n\nfunc g() int { return 1 }\n",
			}, "\tA int\n", "\tA int\n\tB int\n", "f",
		},
		{
			"the type of a field of a type that is serialized", memoryVersion{
				"go.mod": "module m\n\ngo 1.26\n",
				"a.go":   "package m\n\nimport \"encoding/json\"\n\ntype T struct {\n\tA int\n\tB int\n}\n\nfunc f(b []byte) { var t T; _ = json.Unmarshal(b, &t) }\n\nfunc g() int { return 1 }\n",
			}, "\tA int\n", "\tA float64\n", "f",
		},
		{
			"the order of fields of a type that is serialized", memoryVersion{
				"go.mod": "module m\n\ngo 1.26\n",
				"a.go":   "package m\n\nimport \"encoding/json\"\n\ntype T struct {\n\tA int\n\tB int\n}\n\nfunc f(t T) { _, _ = json.Marshal(t) }\n\nfunc g() int { return 1 }\n",
			}, "\tA int\n\tB int\n", "\tB int\n\tA int\n", "f",
		},
		{
			"the type of several fields in Go", memoryVersion{
				"a.go": "package m\n\ntype pos struct {\n\tline, column int\n}\n\nfunc f(p pos) bool { return p.line-1 < 0 }\n\nfunc g(p pos) bool { return p.column-1 < 0 }\n\nfunc h(p pos) int { return 1 }\n",
			}, "column int", "column uint", "f g",
		},
		{
			"further fields of one type in Go", memoryVersion{
				"a.go": "package m\n\ntype pos struct {\n\tline int\n}\n\nfunc f(p pos) int { return p.line }\n",
			}, "\tline int\n", "\tline, column int\n\tfirst, last int\n", "",
		},
		{
			"the type of several fields in C", memoryVersion{
				"a.c": "struct pos { int line, column; };\nint f(struct pos *p) { return p->line; }\nint g(struct pos *p) { return p->column; }\nint h(struct pos *p) { return 1; }\n",
			}, "int line", "char line", "f g",
		},
		{
			"the initial value of a field in C++", memoryVersion{
				"a.h":  "struct Options {\n\tbool strict = false;\n\tbool wide{false};\n\tint depth = 1;\n};\n",
				"a.cc": "int f(Options o) { return o.strict; }\nint g(Options o) { return o.wide; }\nint h(Options o) { return o.depth; }\n",
			}, "strict = false", "strict = true", "f(Options)",
		},
		{
			"a public field in Rust", memoryVersion{
				"src/lib.rs": "pub struct Pos {\n    pub line: u32,\n    pub(crate) column: u32,\n}\nfn f(p: &Pos) -> bool { p.line > 0 }\npub fn g(p: &Pos) -> bool { p.column > 0 }\n",
			}, "line: u32", "line: u64", "f",
		},
		{
			"a dependency in a lock file", memoryVersion{
				"package-lock.json": `{"lockfileVersion":3,"packages":{"":{"name":"x"},"node_modules/a":{"version":"1.0.0"}}}`,
				"a.js":              "const a = require('a')\nfunction g() { return a() }\n",
			}, `"1.0.0"`, `"1.1.0"`, "g",
		},
		{
			"a dependency of a dependency in a lock file", memoryVersion{
				"package-lock.json": `{"lockfileVersion":3,"packages":{"node_modules/a":{"version":"1.0.0"},"node_modules/@x/b":{"version":"2.0.0","dependencies":{"a":"^1"}}}}`,
				"a.js":              "import b from '@x/b/lib'\nfunction g() { return b() }\n",
				"c.js":              "import c from 'c'\nfunction h() { return c() }\n",
			}, `"1.0.0"`, `"1.1.0"`, "g",
		},
		{
			"a dependency for development in a lock file", memoryVersion{
				"package-lock.json": `{"lockfileVersion":3,"packages":{"":{"name":"x"},"node_modules/a":{"version":"1.0.0","dev":true}}}`,
				"a.js":              "const a = require('a')\nfunction g() { return a() }\n",
			}, `"1.0.0"`, `"1.1.0"`, "",
		},
		{
			"a dependency in Cargo.lock", memoryVersion{
				"Cargo.lock": "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\n",
				"src/lib.rs": "fn g() -> u32 { 1 }\n",
			}, `"1.0.0"`, `"1.1.0"`, "everything:build file",
		},
		{
			"requirements", memoryVersion{"requirements.txt": "# pinned\na==1\n", "a.py": "def f():\n    return 1\n"}, "a==1", "a==2", "everything:build file",
		},
		{
			"a comment in requirements", memoryVersion{"requirements.txt": "# pinned\na==1\n", "a.py": "def f():\n    return 1\n"}, "# pinned", "# fixed", "",
		},
		{
			"requirements for tests", memoryVersion{"requirements-dev.txt": "a==1\n", "a.py": "def f():\n    return 1\n"}, "a==1", "a==2", "",
		},
		{
			"a value on indented lines in setup.cfg", memoryVersion{
				"setup.cfg": "[options]\ninstall_requires =\n    a==1\n[flake8]\nmax = 1\n", "a.py": "def f():\n    return 1\n",
			}, "a==1", "a==2", "everything:build file",
		},
	})
}

// TestCompareUnusedModule adds a module that no other one imports.
func TestCompareUnusedModule(t *testing.T) {
	base := memoryVersion{
		"pkg/__init__.py": "from .one import parse\n",
		"pkg/one.py":      "LIMIT = 1\ndef alpha():\n    return LIMIT\ndef parse():\n    return alpha()\n",
	}
	head := with(base, "pkg/two.py", "LIMIT = 2\nclass C:\n    def __init__(self):\n        self.parse = 1\n    def parse(self):\n        return 1\ndef alpha():\n    return LIMIT\n")
	if got, want := affectedBy(t, base, base, head), "unobserved:C.__init__ unobserved:C.parse unobserved:alpha"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	imported := with(base, "pkg/one.py", base["pkg/one.py"]+"from pkg.two import *\n", "pkg/two.py", "")
	head = with(imported, "pkg/two.py", "def alpha():\n    return 2\n")
	if got, want := affectedBy(t, imported, imported, head), "alpha parse unobserved:alpha"; got != want {
		t.Errorf("imported before: got %q, want %q", got, want)
	}
}

// TestCompareFound adds methods that other code finds without mentioning their names.
func TestCompareFound(t *testing.T) {
	checkAffected(t, []affectedCase{
		{
			"a method that a library calls, in Python", memoryVersion{
				"a.py": "import ast\nclass A(ast.NodeVisitor):\n    def visit_Name(self, n):\n        return 1\ndef f(t):\n    return A().visit(t)\ndef g():\n    return 1\n",
			}, "def f(t)", "    def visit_Call(self, n):\n        return 2\ndef f(t)", "f unobserved:A.visit_Call",
		},
		{
			"a method that a library calls, in Java", memoryVersion{
				"L.java": "class L extends DefaultHandler {\n\tpublic void startElement() { }\n}\n",
				"M.java": "class M {\n\tvoid f() { parse(new L()); }\n\tvoid g() { }\n}\n",
			}, "void startElement() { }\n", "void startElement() { }\n\tpublic void endElement() { }\n", "M.f() unobserved:L.endElement()",
		},
		{
			"a rule in a docstring, in Python", memoryVersion{
				"a.py": "def p_sum(p):\n    'sum : sum PLUS NUMBER'\n    p[0] = p[1] + p[3]\ndef p_number(p):\n    'sum : NUMBER'\n    p[0] = p[1]\n",
				"b.py": "def g():\n    'PLUS'\n    return 1\n",
			}, "sum PLUS NUMBER", "sum MINUS NUMBER", "p_number p_sum",
		},
		{
			"a computed name in JavaScript", memoryVersion{
				"a.js": "class A {\n  visit(n) { return this['visit' + n.type](n) }\n  visitA(n) { return 1 }\n  other() { return 2 }\n}\nmodule.exports = A\n",
			}, "  other()", "  visitB(n) { return 3 }\n  other()", "A.visit unobserved:A.visitB",
		},
		{
			"a formatted name in Python", memoryVersion{
				"a.py": "class A:\n    def visit(self, n):\n        return getattr(self, '%s_handler' % n)()\n    def other(self):\n        return 2\n",
			}, "    def other", "    def b_handler(self):\n        return 3\n    def other", "A.visit unobserved:A.b_handler",
		},
		{
			"a function that is registered by a decorator", memoryVersion{
				"reg.py": "REG = {}\ndef register(name):\n    def wrap(f):\n        REG[name] = f\n        return f\n    return wrap\ndef call(name):\n    return REG.get(name)\n",
				"a.py":   "from reg import register\n@register('a')\ndef fa():\n    return 1\ndef h():\n    return 1\n",
			}, "def h", "@register('b')\ndef fb():\n    return 2\ndef h", "call register.wrap unobserved:fb",
		},
		{
			"a value that is registered", memoryVersion{
				"reg.py": "REG = {}\ndef register(name, v):\n    REG[name] = v\ndef call(name):\n    return REG.get(name)\n",
				"a.py":   "from reg import register\nLIMIT = 1\nregister('x', LIMIT)\ndef h():\n    return 1\n",
			}, "LIMIT = 1", "LIMIT = 2", "call register",
		},
		{
			"a module of JavaScript that is an array", memoryVersion{
				"a.js": "module.exports = [1, 2]\n",
				"b.js": "const most = require('./a')\nfunction g() { return most[0] }\nfunction h() { return 1 }\n",
			}, "[1, 2]", "[3, 2]", "g",
		},
		{
			"a module of JavaScript that is a value", memoryVersion{
				"a.js": "const table = [1]\nmodule.exports = table\n",
				"b.js": "const most = require('./a')\nfunction g() { return most[0] }\nfunction h() { return 1 }\n",
			}, "[1]", "[2]", "g",
		},
		{
			"a default export", memoryVersion{
				"a.js": "const limit = 1\nexport default limit\n",
				"b.js": "import most from './a'\nexport function g() { return most }\nexport function h() { return 1 }\n",
			}, "limit = 1", "limit = 2", "g",
		},
		{
			"a default export without a name", memoryVersion{
				"a.js": "export default { limit: 1 }\n",
				"b.js": "import most from './a'\nexport function g() { return most.limit }\nexport function h() { return 1 }\n",
			}, "limit: 1", "limit: 2", "g",
		},
		{
			"a value that a module computes from others", memoryVersion{
				"a.js": "const limit = 1\nmodule.exports = Object.freeze({ most: limit + 1 })\n",
				"b.js": "const a = require('./a')\nfunction g() { return a.most }\nfunction h() { return 1 }\n",
			}, "limit = 1", "limit = 2", "g",
		},
		{
			"a member of a module that is used as an object", memoryVersion{
				"plugins/a.js": "exports.enabled = true\nexports.run = () => 1\n",
				"engine.js":    "exports.run = plugins => { for (const p of plugins) if (p.enabled) p.run() }\nfunction h() { return 1 }\n",
				"main.js":      "require('./engine').run([require('./plugins/a')])\n",
			}, "enabled = true", "enabled = false", "exports.run",
		},
	})
}
