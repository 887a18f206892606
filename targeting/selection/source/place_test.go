package source_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inroad/inroad/targeting/selection/source"
)

func TestPlaces(t *testing.T) {
	const goHead, jsHead, pyHead, javaHead = "package p\n", "", "", "class A {\n"
	for _, c := range []struct {
		name, file, a, b string
		want             string // lines and columns; "all" for the whole function
	}{
		{"a token", "x.go", "func f() {\n\ta(1)\n\tb(2)\n}", "func f() {\n\ta(1)\n\tc(2)\n}", "4:2"},
		{"two tokens", "x.go", "func f() {\n\ta(1)\n\tb()\n\tc(1)\n}", "func f() {\n\ta(2)\n\tb()\n\tc(2)\n}", "3:3 3:4 5:3 5:4"},
		{"a statement before another one", "x.go", "func f() {\n\ta()\n\tb()\n}", "func f() {\n\ta()\n\tc()\n\tb()\n}", "4:2"},
		{"a statement at the end of a list", "x.go", "func f() {\n\tif x {\n\t\ta()\n\t}\n\tb()\n}", "func f() {\n\tif x {\n\t\ta()\n\t\tc()\n\t}\n\tb()\n}", "4:3 4:4 4:5"},
		{"a statement behind a branch at the end of a list", "x.js", "function f() {\nif (x) {\nif (y) { a(); }\n}\n}", "function f() {\nif (x) {\nif (y) { a(); }\nb();\n}\n}", "3:15 4:1"},
		{"a deleted statement", "x.go", "func f() {\n\ta()\n\tb()\n\tc()\n}", "func f() {\n\ta()\n\tc()\n}", "4:2 4:3 4:4"},
		{"a statement moved out of a branch", "x.go", "func f() {\n\tif x {\n\t\ta()\n\t\tb()\n\t}\n\tc()\n}", "func f() {\n\tif x {\n\t\ta()\n\t}\n\tb()\n\tc()\n}", "3:2 3:5"},
		{"a statement moved out of a branch, by its indentation", "x.py", "def f():\n    if x:\n        a()\n        b()\n    c()\n", "def f():\n    if x:\n        a()\n    b()\n    c()\n", "2:8"},
		{"a branch around a statement", "x.go", "func f() {\n\ta()\n\tb()\n\tc()\n}", "func f() {\n\ta()\n\tif x {\n\t\tb()\n\t}\n\tc()\n}", "4:2 4:3 4:4"},
		{"a deleted statement without braces", "x.js", "function f() {\nif (x)\na();\nb();\n}", "function f() {\nif (x)\nb();\n}", "2:1 2:4 2:5 2:6 3:1 3:2 3:3"},
		{"a statement in front of one without braces", "x.js", "function f() {\nif (x)\na();\n}", "function f() {\nif (x)\nb();\na();\n}", "2:1 2:4 2:5 2:6"},
		{"a handler", "x.js", "function f() {\ntry { a(); } finally { b(); }\nc();\n}", "function f() {\ntry { a(); } catch (e) { d(); } finally { b(); }\nc();\n}", "all"},
		{"a case behind a changed statement", "x.go", "func f() {\n\tswitch x {\n\tcase 1:\n\t\ta()\n\t\tb()\n\t}\n}", "func f() {\n\tswitch x {\n\tcase 1:\n\t\ta()\n\t\td()\n\tdefault:\n\t\tc()\n\t}\n}", "all"},
		{"the type of a handler", "A.java", "void f() {\ntry {\na();\n} catch (X e) {\nb();\n}\n}\n}", "void f() {\ntry {\na();\n} catch (Y e) {\nb();\n}\n}\n}", "all"},
		{"an operand in Java", "A.java", "boolean f() {\nreturn a\n&& p(x,\nq(x));\n}\n}", "boolean f() {\nreturn a\n&& p(x,\nq(x)) || z;\n}\n}", "5:5 5:6 3:1 3:1"},
		{"a hoisted variable", "x.js", "function f() {\nif (x) { a(); }\nreturn y;\n}", "function f() {\nif (x) { var y = a(); }\nreturn y;\n}", "all"},
		{"a local name of Python", "x.py", "def f():\n    if x:\n        a()\n    return y\n", "def f():\n    if x:\n        y = a()\n    return y\n", "all"},
		{"a generator", "x.py", "def f():\n    if x:\n        a()\n    return 1\n", "def f():\n    if x:\n        yield a()\n    return 1\n", "all"},
		{"code that is compiled twice", "A.java", "void f() {\ntry { a(); } finally {\nb(1);\n}\n}\n}", "void f() {\ntry { a(); } finally {\nb(2);\n}\n}\n}", "all"},
		{"a line without a branch", "A.java", "void f() {\nif (x) {\na(1);\n}\n}\n}", "void f() {\nif (x) {\na(2);\n}\n}\n}", "4:2! 4:3! 4:1! 4:1!"},
		{"a line with a branch", "A.java", "void f() {\nif (x) {\na(!b, 1);\n}\n}\n}", "void f() {\nif (x) {\na(!b, 2);\n}\n}\n}", "4:5 4:7 4:1 4:1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			head := map[string]string{"x.go": goHead, "x.js": jsHead, "x.py": pyHead, "A.java": javaHead}[c.file]
			a, b := mustParse(t, c.file, head+c.a), mustParse(t, c.file, head+c.b)
			name := "f"
			if c.file == "A.java" {
				name = "A.f()"
			}
			places := source.Places(a.Find(name), b.Find(name))
			got := "all"
			if places != nil {
				var texts []string
				for _, p := range places {
					texts = append(texts, fmt.Sprintf("%d:%d%s", p.Line, p.Column, map[bool]string{true: "!"}[p.Straight]))
				}
				got = strings.Join(texts, " ")
			}
			if got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// TestPlacesAreSound changes random functions, executes them before and after with all
// inputs, and checks that an execution which differs comes to a place of the change.
func TestPlacesAreSound(t *testing.T) {
	const functions = 5_000
	for _, file := range []string{"x.go", "x.js", "x.py"} {
		t.Run(file, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			narrow := 0
			for n := range functions {
				before := written(file, randomStatements(r, 3))
				after := before
				for range 1 + r.IntN(2) {
					after = written(file, mutateStatements(r, after))
				}
				old, updated := printed{file: file}, printed{file: file}
				old.function(before)
				updated.function(after)
				if checkPlaces(t, file, &old, &updated) {
					narrow++
				}
				if t.Failed() {
					t.Fatalf("function %d, before:\n%s\nafter:\n%s", n, old.text, updated.text)
				}
			}
			if narrow < functions/4 {
				t.Errorf("only %d of %d changes are narrower than the function", narrow, functions)
			}
		})
	}
}

// checkPlaces reports whether some executions need not be repeated.
func checkPlaces(t *testing.T, file string, old, updated *printed) bool {
	t.Helper()
	a, b := mustParse(t, file, old.text).Find("f"), mustParse(t, file, updated.text).Find("f")
	if a == nil || b == nil {
		t.Fatal("no function f")
	}
	if a.Digest == b.Digest {
		return true
	}
	places := source.Places(a, b)
	if places == nil {
		return false
	}
	var heads []int
	for _, p := range places {
		i := slices.IndexFunc(old.heads, func(h head) bool { return h.line == p.Line && h.first <= p.Column && p.Column < h.end })
		if i < 0 {
			return false // may be executed outside all blocks
		}
		heads = append(heads, i)
	}
	for input := range 1 << conditions {
		x, y := execution{input: input}, execution{input: input}
		x.run(old.statements)
		y.run(updated.statements)
		if x.trace != y.trace && !slices.ContainsFunc(heads, func(h int) bool { return x.visited[h] }) {
			t.Errorf("places %v; input %b comes to none of them, and %q becomes %q", places, input, x.trace, y.trace)
		}
	}
	return true
}

// conditions is the number of bits of an input, each of which decides a branch.
const conditions = 4

// A statement calls a function, returns, throws, or is a branch, a loop, a switch, or a
// handler of what is thrown.
type statement struct {
	kind  string // call, return, throw, if, while, switch, try
	value int    // called function, or condition
	then  []statement
	other []statement // nil without else; the second case of a switch; the handler
	falls bool        // the first case of a switch continues with the second one
	bare  bool        // written without braces
	head  int         // index of its head, after printing
}

func randomStatements(r *rand.Rand, depth int) []statement {
	var out []statement
	for range 1 + r.IntN(3) {
		out = append(out, randomStatement(r, depth))
	}
	return out
}

func randomStatement(r *rand.Rand, depth int) statement {
	switch kind := r.IntN(10); {
	case kind < 4 && depth > 0:
		s := statement{kind: "if", value: r.IntN(conditions), then: randomStatements(r, depth-1)}
		if r.IntN(2) == 0 {
			s.other = randomStatements(r, depth-1)
		}
		s.bare = len(s.then) == 1 && len(s.other) <= 1 && r.IntN(2) == 0
		return s
	case kind == 4 && depth > 0:
		return statement{kind: "while", value: r.IntN(conditions), then: randomStatements(r, depth-1)}
	case kind == 5:
		return statement{kind: []string{"return", "throw"}[r.IntN(2)]}
	case kind == 6 && depth > 0:
		return statement{
			kind: []string{"switch", "try"}[r.IntN(2)], value: r.IntN(conditions), then: randomStatements(r, depth-1),
			other: randomStatements(r, depth-1), falls: r.IntN(2) == 0,
		}
	}
	return statement{kind: "call", value: r.IntN(5)}
}

// written replaces what is not written in all languages: only JavaScript has all kinds of
// statements here.
func written(file string, list []statement) []statement {
	out := slices.Clone(list)
	for i := range out {
		s := &out[i]
		if file != "x.js" {
			switch s.kind {
			case "throw":
				s.kind = "return"
			case "switch", "try":
				s.kind = "if"
			}
		}
		s.then, s.other = written(file, s.then), written(file, s.other)
	}
	return out
}

// mutateStatements changes a list at one place: it adds, deletes, replaces, wraps,
// unwraps or swaps statements, or does so in a branch.
func mutateStatements(r *rand.Rand, list []statement) []statement {
	out := slices.Clone(list)
	i := r.IntN(len(out) + 1)
	if i == len(out) {
		return append(out, randomStatement(r, 1))
	}
	s := &out[i]
	switch kind := r.IntN(12); {
	case kind == 0:
		return slices.Insert(out, i, randomStatement(r, 2))
	case kind == 1 && len(out) > 1:
		return slices.Delete(out, i, i+1)
	case kind == 2:
		out[i] = randomStatement(r, 1)
	case kind == 3:
		out[i] = statement{kind: "if", value: r.IntN(conditions), then: []statement{*s}}
	case kind == 4 && len(s.then) > 0:
		return slices.Concat(out[:i], s.then, out[i+1:])
	case kind == 5 && i > 0:
		out[i-1], out[i] = out[i], out[i-1]
	case kind == 6 && i > 0 && out[i-1].kind == "if" && !out[i-1].bare: // into the branch before it
		out[i-1].then = append(slices.Clone(out[i-1].then), *s)
		return slices.Delete(out, i, i+1)
	case kind == 7 && len(s.then) > 1 && !s.bare: // out of the branch
		last := s.then[len(s.then)-1]
		s.then = s.then[:len(s.then)-1]
		return slices.Insert(out, i+1, last)
	case kind == 8 && s.kind == "if" && !s.bare:
		if s.other == nil {
			s.other = randomStatements(r, 1)
		} else {
			moved := s.other
			s.other = nil
			return slices.Insert(out, i+1, moved...)
		}
	case len(s.then) > 0:
		if s.other != nil && r.IntN(2) == 0 {
			s.other = mutateStatements(r, s.other)
		} else {
			s.then = mutateStatements(r, s.then)
		}
		s.bare = s.bare && len(s.then) == 1 && len(s.other) <= 1
	default:
		s.value = r.IntN(conditions)
		s.falls = r.IntN(2) == 0
	}
	return out
}

// A head is the place of a statement, without the statements in it.
type head struct{ line, first, end int }

// printed is a function as text.
type printed struct {
	file       string
	text       string
	line       int
	heads      []head
	statements []statement
}

func (p *printed) function(list []statement) {
	switch p.file {
	case "x.go":
		p.add(0, "package p; func f() {")
	case "x.js":
		p.add(0, "function f() {")
	case "x.py":
		p.add(0, "def f():")
	}
	p.statements = p.list(list, 1)
	if p.file != "x.py" {
		p.add(0, "}")
	}
}

func (p *printed) add(depth int, text string) {
	p.line++
	p.text += strings.Repeat("  ", depth) + text + "\n"
}

// head adds a line with the head of a statement, and returns its index.
func (p *printed) head(depth int, text, after string) int {
	first := 2*depth + 1
	p.heads = append(p.heads, head{p.line + 1, first, first + len(text)})
	p.add(depth, text+after)
	return len(p.heads) - 1
}

func (p *printed) list(list []statement, depth int) []statement {
	out := make([]statement, 0, len(list))
	for _, s := range list {
		out = append(out, p.statement(s, depth))
	}
	return out
}

func (p *printed) statement(s statement, depth int) statement {
	plain := func(list []statement) bool {
		return len(list) == 1 && (list[0].kind == "call" || list[0].kind == "return")
	}
	s.bare = s.bare && plain(s.then) && (s.other == nil || plain(s.other))
	open, closing, end, condition := " {", "}", "", s.kind+" c%d"
	switch p.file {
	case "x.py":
		open, closing = ":", ""
	case "x.js":
		end, condition = ";", s.kind+" (c%d"
		if s.bare {
			open, closing = "", ""
		}
	}
	switch s.kind {
	case "call":
		s.head = p.head(depth, fmt.Sprintf("call%d()%s", s.value, end), "")
		return s
	case "return":
		s.head = p.head(depth, "return"+end, "")
		return s
	case "throw":
		s.head = p.head(depth, "throw 1;", "")
		return s
	case "try":
		p.add(depth, "try {")
		s.then = p.list(s.then, depth+1)
		p.add(depth, "} catch (e) {")
		s.other = p.list(s.other, depth+1)
		p.add(depth, "}")
		return s
	case "switch":
		s.head = p.head(depth, fmt.Sprintf("switch (c%d", s.value), ") {")
		p.add(depth, "case 1:")
		s.then = p.list(s.then, depth+1)
		if !s.falls {
			p.add(depth+1, "break;")
		}
		p.add(depth, "default:")
		s.other = p.list(s.other, depth+1)
		p.add(depth, "}")
		return s
	}
	after := open
	if p.file == "x.js" {
		after = ")" + open
	}
	s.head = p.head(depth, fmt.Sprintf(condition, s.value), after)
	s.then = p.list(s.then, depth+1)
	if s.other != nil {
		if closing != "" {
			p.add(depth, "} else"+open)
		} else {
			p.add(depth, "else"+open)
		}
		s.other = p.list(s.other, depth+1)
	}
	if closing != "" {
		p.add(depth, closing)
	}
	return s
}

// An execution runs statements. A loop ends after two rounds.
type execution struct {
	input    int
	trace    string
	visited  [1000]bool
	returned bool
	thrown   bool
}

func (x *execution) run(list []statement) {
	for _, s := range list {
		if x.returned || x.thrown {
			return
		}
		if s.kind == "try" {
			if x.run(s.then); x.thrown {
				x.thrown = false
				x.run(s.other)
			}
			continue
		}
		x.visited[s.head] = true
		holds := x.input>>s.value&1 == 1
		switch {
		case s.kind == "call":
			x.trace += fmt.Sprint(s.value)
		case s.kind == "return":
			x.returned = true
		case s.kind == "throw":
			x.thrown = true
			x.trace += "!"
		case s.kind == "switch":
			if holds {
				x.run(s.then)
			}
			if (!holds || s.falls) && !x.returned && !x.thrown {
				x.run(s.other)
			}
		case s.kind == "while" && holds:
			x.run(s.then)
			x.run(s.then)
		case s.kind == "if" && holds:
			x.run(s.then)
		case s.kind == "if":
			x.run(s.other)
		}
	}
}
