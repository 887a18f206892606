package source_test

import (
	"slices"
	"testing"
)

func TestPython(t *testing.T) {
	testOutlines(t, "p/x.py", []outlineCase{
		{"declarations", `#!/usr/bin/env python
"""Doc."""
import os, a.b as c
from .m import (x as y,
                z)

TABLE = {
    "a": 1,
}
p, (q, r) = 1, (2, 3)
s: int = 4
TABLE["b"] = 2
os.x = 1

@decorator(1)
@other
def f(a, b=")", *args):
    """Doc
    of f."""
    def inner(): return 1
    x = lambda: 2
    return inner()

async def g():
    pass

class C(Base):
    """Doc."""
    limit = 10
    def __init__(self):
        self.a = 1

    @property
    def m(self): return f"{self.a:>{limit}} {'}'}"

    class D:
        def n(self):
            """Nothing."""

if __name__ == "__main__":
    main = 1
    f(main)
`, `
3-3 import import os [os c]
4-5 import import .m [y z]
7-9 value TABLE
10-10 value p [p q r]
11-11 value s
12-12 value TABLE#2
13-13 value os.x of os
15-22 function f
20-20 function f.inner
24-25 function g
27-38 type C
29-29 value C.limit of C
30-31 function C.__init__ [__init__ C] of C
33-34 function C.m of C
36-38 type C.D of C
37-38 function C.D.n of D
40-42 statement <file>
41-41 value main
`},
		{"lines", `a = 1; b = 2
c = (1 +
  2) \
  + 3
def f(
    a,
):
	if a:
	  return """
def no(): pass
"""
# comment
	# comment
	return r'\d\{' + rf'\{{' + f'{a!r:#x}' + b''
def g(): pass
`, `
1-1 value a
1-1 value b
2-4 value c
5-14 function f
15-15 function g
`},
	})
	f := mustParse(t, "x.py", "import os, a.b as c\nfrom .m import x\nfrom . import y\nfrom k.l import *\n")
	if want := []string{"os", "a.b", ".m", ".m.x", ".", ".y", "k.l"}; !slices.Equal(f.Imports, want) {
		t.Errorf("imports %q, want %q", f.Imports, want)
	}
	if !mustParse(t, "x.py", "def f():\n  return f'{name}'\n").Find("f").Mentions("name") {
		t.Error("a placeholder of a formatted string must count as a mention")
	}
}

func TestPythonChanges(t *testing.T) {
	testChanges(t, "x.py", []changeCase{
		{"comment and format", "def f(a):\n    return g(a, [1])\n", "# f\ndef f( a ):\n  \"\"\"Doc.\"\"\"\n\n  return g(\n    a,  # a\n    [1,],\n  )\n", nil},
		{"tuple", "a = (1)\n", "a = (1,)\n", []string{"a"}},
		{"indentation", "def f():\n  if a:\n    b()\n    c()\n", "def f():\n  if a:\n    b()\n  c()\n", []string{"f"}},
		{"inner function", "def f():\n  def g(): return 1\n  return g\n", "def f():\n  def g(): return 2\n  return g\n", []string{"f.g"}},
		{"new method", "class C:\n  def f(self): pass\n", "class C:\n  def f(self): pass\n  def g(self): pass\n", []string{"+C.g"}},
		{"docstring", "class C:\n  def f(self):\n    \"\"\"Doc.\"\"\"\n    return 1\n", "class C:\n  def f(self):\n    \"\"\"Another doc.\"\"\"\n    return 1\n", nil},
		{"rule", "class C:\n  def p_f(self, p):\n    \"\"\"f : a\"\"\"\n    return 1\n", "class C:\n  def p_f(self, p):\n    \"\"\"f : a b\"\"\"\n    return 1\n", []string{"C.p_f.__doc__"}},
		{"module code", "start(1)\ndef f(): pass\n", "start(2)\ndef f(): pass\n", []string{"<file>"}},
	})
}
