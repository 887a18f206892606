package source_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/targeting/selection/source"
)

// mustParse outlines a text.
func mustParse(t *testing.T, name, text string) *source.File {
	t.Helper()
	f, ok := source.Parse(name, []byte(text))
	if !ok {
		t.Fatalf("Parse(%q): not outlined", name)
	}
	return f
}

// changed returns the names of the declarations of a that b lacks or that have
// another digest there, and those of b that a lacks.
func changed(a, b *source.File) []string {
	var out []string
	for _, d := range a.Decls {
		if e := b.Find(d.Name); e == nil {
			out = append(out, "-"+d.Name)
		} else if e.Digest != d.Digest {
			out = append(out, d.Name)
		}
	}
	for _, d := range b.Decls {
		if a.Find(d.Name) == nil {
			out = append(out, "+"+d.Name)
		}
	}
	return out
}

type changeCase struct {
	name, before, after string
	want                []string
}

func testChanges(t *testing.T, file string, cases []changeCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := changed(mustParse(t, file, c.before), mustParse(t, file, c.after))
			if !slices.Equal(got, c.want) {
				t.Errorf("changed %q, want %q\nbefore: %s\nafter: %s", got, c.want, c.before, c.after)
			}
		})
	}
}

func TestGoChanges(t *testing.T) {
	testChanges(t, "x.go", []changeCase{
		{"comment and format", "package p\nfunc f() { a(1, 2) }\n", "package p\n\n// doc\nfunc f() {\n\ta(\n\t\t1, // one\n\t\t2,\n\t)\n}\n", nil},
		{"group", "package p\nconst a = 1\nconst b = 2\n", "package p\nconst (\n\ta = 1\n\tb = 2\n)\n", nil},
		{"line end", "package p\nfunc f() {\n\treturn\n\tg()\n}\n", "package p\nfunc f() {\n\treturn g()\n}\n", []string{"f"}},
		{"directive", "package p\nfunc f() {}\n", "package p\n//go:noinline\nfunc f() {}\n", []string{"f"}},
		{"generate", "package p\nfunc f() {}\n", "package p\n//go:generate x\nfunc f() {}\n", nil},
		{"build constraint", "package p\nfunc f() {}\n", "//go:build linux\n\npackage p\nfunc f() {}\n", []string{"<file>"}},
		{"continued constant", "package p\nconst c = \"a\" +\n\t\"b\"\n", "package p\nconst c = \"a\" +\n\t\"c\"\n", []string{"c"}},
		{"iota inserted", "package p\nconst (\n\ta = iota\n\tb\n\tc\n)\n", "package p\nconst (\n\ta = iota\n\tx\n\tb\n\tc\n)\n", []string{"b", "c", "+x"}},
		{"iota expression", "package p\nconst (\n\ta = 1 << iota\n\tb\n)\n", "package p\nconst (\n\ta = 2 << iota\n\tb\n)\n", []string{"a", "b"}},
		{"constants without iota", "package p\nconst (\n\ta = 1\n\tb = 2\n)\n", "package p\nconst (\n\tx = 0\n\ta = 1\n\tb = 2\n)\n", []string{"+x"}},
		{"preamble of lines", "package p\n\n// #cgo LDFLAGS: -lm\n// int x;\nimport \"C\"\n", "package p\n\n// #cgo LDFLAGS: -lz\n// int x;\nimport \"C\"\n", []string{"import C"}},
		{"preamble", "package p\n\n// int x;\nimport \"C\"\n", "package p\n\n// long x;\nimport \"C\"\n", []string{"import C"}},
	})
}

func TestBody(t *testing.T) {
	body := func(text string) source.Digest {
		f := mustParse(t, "x.go", "package p\n"+text)
		return f.Decls[len(f.Decls)-1].Body
	}
	for _, c := range []struct {
		name, a, b string
		same       bool
	}{
		{"renamed", "func f() { x() }", "func g() { x() }", true},
		{"renamed with recursion", "func f() { f() }", "func g() { g() }", true},
		{"calls another one", "func f() { f() }", "func g() { f() }", false},
		{"qualified", "func f() { x.f() }", "func g() { x.g() }", false},
		{"method with recursion", "func (t T) f() { t.f() }", "func (t T) g() { t.g() }", true},
		{"method of another", "func (t T) f() { t.x.f() }", "func (t T) g() { t.x.g() }", false},
		{"constant", "const a = 1", "const b = 1", true},
		{"other value", "const a = 1", "const b = 2", false},
		{"variable", "const a = 1", "var a = 1", false},
	} {
		if got := body(c.a) == body(c.b); got != c.same {
			t.Errorf("%s: same body is %v, want %v", c.name, got, c.same)
		}
	}
}

func TestMentions(t *testing.T) {
	f := mustParse(t, "x.go", "package p\nfunc f() { open(\"a/b.txt\", x.y) // z\n}\nconst (\n\ta = k * iota\n\tb\n)\n")
	d := f.Find("f")
	got := slices.Collect(d.Identifiers())
	if diff := cmp.Diff([]string{"func", "f", "open", "x", "y"}, got); diff != "" {
		t.Errorf("identifiers (-want +got)\n%s", diff)
	}
	if !d.Mentions("y") || d.Mentions("z") || d.Mentions("txt") || !d.MentionsText("b.txt") || d.MentionsText("open") {
		t.Error("mentions are wrong")
	}
	if !f.Find("b").Mentions("k") {
		t.Error("a constant must mention what its repeated expression does")
	}
}
