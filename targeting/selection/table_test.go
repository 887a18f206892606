package selection

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/model/observation"
)

// testTable returns a table of a file with two methods, the second with a nested
// function, of two other files, and of a file whose lines are unknown.
func testTable() *Table {
	return NewTable([]observation.Unit{
		{ID: "a.go#f", File: "a.go", Start: 10, End: 20},
		{ID: "a.go#g", File: "a.go", Start: 30, End: 40},
		{ID: "a.go#g.func1", File: "a.go", Start: 33, End: 36},
		{ID: "b.go#h", File: "sub/b.go", Start: 5, End: 6},
		{ID: "c.go#?", File: "c.go"},
		{ID: "d.go#i", File: "corpus/d.go", Start: 1, End: 3},
		{ID: "a.go#f.block", File: "a.go", Kind: observation.KindBlock, Start: 12, End: 13},
	}, "lib")
}

// hunk returns a hunk that replaces lines of one kind by as many of another.
func hunk(start, lines int, removed, added Content) Hunk {
	h := Hunk{Start: start, Removed: slices.Repeat([]Content{removed}, lines)}
	if added != None {
		h.Added = slices.Repeat([]Content{added}, max(1, lines))
	}
	return h
}

func TestTableMap(t *testing.T) {
	file := func(before, after string, hunks ...Hunk) []FileChange {
		return []FileChange{{Old: before, New: after, Hunks: hunks}}
	}
	in := func(hunks ...Hunk) []FileChange { return file("lib/a.go", "lib/a.go", hunks...) }
	tests := []struct {
		name  string
		files []FileChange
		want  string // the units, and the causes of fallbacks
	}{
		{"nothing", nil, ""},
		{"a line in a method", in(hunk(15, 1, Code, Code)), "a.go#f"},
		{"the first line", in(hunk(10, 1, Signature, Signature)), "a.go#f"},
		{"the last line", in(hunk(20, 1, Decoration, Decoration)), "a.go#f"},
		{"a line in a function in a method", in(hunk(34, 1, Code, Code)), "a.go#g.func1"},
		{"a line of a method with a function", in(hunk(38, 1, Code, Code)), "a.go#g"},
		{"lines of both", in(hunk(32, 2, Code, Code)), "a.go#g a.go#g.func1"},
		{"lines added in a method", in(hunk(15, 0, None, Code)), "a.go#f"},
		{"lines added before the last of a method", in(hunk(19, 0, None, Code)), "a.go#f"},
		{"lines added at the end of a function in a method", in(hunk(36, 0, None, Code)), "a.go#g a.go#g.func1"},
		{"a comment between methods", in(hunk(25, 1, Comment, Comment)), "a.go#f a.go#g"},
		{"an annotation added between methods", in(hunk(28, 0, None, Decoration)), "a.go#f a.go#g"},
		{"a signature between methods", in(hunk(29, 1, Signature, Signature)), "unmapped change"},
		{"a comment added right after a method", in(hunk(20, 0, None, Comment)), "a.go#f a.go#g"},
		{"a new method between methods", in(hunk(25, 0, None, Code)), "new method"},
		{"the signature of a new method", in(hunk(25, 0, None, Signature)), "new method"},
		{"a new method that begins inside another", in(Hunk{15, []Content{Code}, []Content{Code, Decoration, Blank, TopSignature, Code}}), "a.go#f new method"},
		{"a signature in a method", in(Hunk{10, []Content{TopSignature}, []Content{TopSignature}}), "a.go#f"},
		{"a new method at the end", in(hunk(40, 0, None, Code)), "new method"},
		{"a variable between methods", in(hunk(25, 1, Code, Code)), "unmapped change"},
		{"a variable before the methods", in(hunk(5, 1, Code, Code)), "unmapped change"},
		{"lines of a method and of a variable", in(hunk(19, 5, Code, Code)), "a.go#f unmapped change"},
		{"an import", in(hunk(3, 1, Import, Import)), ""},
		{"an import that is added", in(hunk(3, 0, None, Import)), ""},
		{"a license", in(hunk(1, 2, Comment, Comment)), ""},
		{"a signature before the methods", in(hunk(9, 1, Signature, Signature)), "unmapped change"},
		{"the last line that a diff can name", in(hunk(maxLineNumber+maxFileLines, 9, Code, Code)), "unmapped change"},
		{"line 0 of a file whose lines are unknown", file("lib/c.go", "lib/c.go", hunk(0, 1, Code, Code)), "unmapped change"},
		{"far after the last line", in(hunk(1<<29, 9, Code, Code)), "unmapped change"},
		{"a deleted method with its comment", in(Hunk{28, slices.Concat(
			[]Content{Comment, Comment}, slices.Repeat([]Content{Code}, 11), []Content{Blank}), nil}), "a.go#f a.go#g a.go#g.func1"},
		{"a comment and the signature below it", in(Hunk{29, []Content{Comment, Signature}, []Content{Comment, Signature}}), "a.go#f a.go#g"},
		{"a comment becomes code, above a signature", in(Hunk{29, []Content{Comment, Signature}, []Content{Code, Signature}}), "a.go#g new method"},
		{"a deleted file", file("lib/a.go", "", hunk(1, 50, Code, None)), "a.go#f a.go#g a.go#g.func1"},
		{"a moved file", file("lib/a.go", "lib/z.go"), "a.go#f a.go#g a.go#g.func1"},
		{"another mode", file("lib/sub/b.go", "lib/sub/b.go"), "b.go#h"},
		{"a new file", file("", "lib/new.go", hunk(0, 0, None, Code)), "new method"},
		{"a new file of another kind", file("", "lib/new.proto", hunk(0, 0, None, Code)), "unmapped change"},
		{"a file without methods", file("Makefile", "Makefile", hunk(1, 1, Code, Code)), "unmapped change"},
		{"a file with the same name elsewhere", file("a.go", "a.go", hunk(15, 1, Code, Code)), "unmapped change"},
		{"a file whose lines are unknown", file("lib/c.go", "lib/c.go", hunk(3, 1, Code, Code)), "unmapped change"},
		{"a binary file", []FileChange{{Old: "lib/a.go", New: "lib/a.go", Binary: true}}, "unmapped change"},
		{"a header", file("x/y.h", "x/y.h", hunk(1, 1, Comment, Comment)), "file that affects everything"},
		{"a file that affects everything moves away", file("go.mod", "old.md"), "file that affects everything"},
		{"documentation", file("docs/x.md", "docs/x.md", hunk(1, 1, Code, Code)), "ignored docs/x.md"},
		{"code becomes documentation", file("lib/a.go", "docs/x.md"), "a.go#f a.go#g a.go#g.func1"},
		{"an input", file("corpus/1.json", "corpus/1.json", hunk(1, 1, Code, Code)), ""},
		{"a source in the folder of the corpus", file("lib/corpus/d.go", "lib/corpus/d.go", hunk(2, 1, Code, Code)), "d.go#i"},
		{"an input that looks like a source", file("lib/corpus/e.go", "lib/corpus/e.go", hunk(2, 1, Code, Code)), ""},
		{"no name", file("", ""), "unmapped change"},
	}
	rules := Rules{RunAllOn: []string{"go.mod", "**/*.h"}, Ignore: []string{"*.md"}}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			table := testTable()
			c := table.Map(test.files, rules, func(name string) bool { return strings.Contains(name, "corpus/") })
			var got []string
			for _, u := range c.Units {
				got = append(got, table.units[u].ID)
			}
			for _, f := range c.Fallbacks {
				got = append(got, string(f.Cause))
			}
			for _, name := range c.Ignored {
				got = append(got, "ignored "+name)
			}
			if diff := cmp.Diff(test.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("%+v (-want +got):\n%s", c.Fallbacks, diff)
			}
		})
	}
}
