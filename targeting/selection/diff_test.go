package selection

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadDiff(t *testing.T) {
	tests := []struct {
		name, diff string
		want       []FileChange
	}{
		{"nothing", "", nil},
		{"a line replaced", `diff --git a/p/x.go b/p/x.go
index 1..2 100644
--- a/p/x.go
+++ b/p/x.go
@@ -12 +12 @@ func f() {
-	return 1
+	return 2
`, []FileChange{{Old: "p/x.go", New: "p/x.go", Hunks: []Hunk{{12, []Content{Code}, []Content{Code}}}}}},
		{"lines added and removed", `diff --git a/x.go b/x.go
--- a/x.go
+++ b/x.go
@@ -3,0 +4,2 @@
+// why
+
@@ -9,2 +11,0 @@
-@Test
-}
`, []FileChange{{Old: "x.go", New: "x.go", Hunks: []Hunk{{3, nil, []Content{Comment, Blank}}, {9, []Content{Decoration, Decoration}, nil}}}}},
		{"context is no change", `--- a/x.c	2020-01-01
+++ b/x.c	2020-01-02
@@ -1,5 +1,5 @@
 one

-two
+zwei
 three
+four
-five
`, []FileChange{{Old: "x.c", New: "x.c", Hunks: []Hunk{{3, []Content{Code}, []Content{Code}}, {5, []Content{Code}, []Content{Code}}}}}},
		{"what looks like a file in a hunk", `diff --git a/x.sql b/x.sql
--- a/x.sql
+++ b/x.sql
@@ -1,2 +1 @@
--- a/comment
-diff --git a/y b/y
+++ b/y
\ No newline at end of file
`, []FileChange{{Old: "x.sql", New: "x.sql", Hunks: []Hunk{{1, []Content{Comment, Code}, []Content{Code}}}}}},
		{"a new file", `diff --git a/a b.txt b/a b.txt
new file mode 100644
--- /dev/null
+++ b/a b.txt
@@ -0,0 +1 @@
+x
`, []FileChange{{New: "a b.txt", Hunks: []Hunk{{0, nil, []Content{Code}}}}}},
		{"a new file without lines, one that is gone, another mode", `diff --git a/n b/n
new file mode 100644
diff --git a/g b/g
deleted file mode 100644
diff --git a/m b/m
old mode 100644
new mode 100755
`, []FileChange{{New: "n"}, {Old: "g"}, {Old: "m", New: "m"}}},
		{"a file that moved", `diff --git a/old.go b/new.go
similarity index 100%
rename from old.go
rename to new.go
`, []FileChange{{Old: "old.go", New: "new.go"}}},
		{"a binary file", `diff --git a/i.png b/i.png
Binary files a/i.png and b/i.png differ
`, []FileChange{{Old: "i.png", New: "i.png", Binary: true}}},
		{"quoted names", `diff --git "a/\303\244\n\"\\.txt" "b/\303\244\n\"\\.txt"
--- "a/\303\244\n\"\\.txt"
+++ "b/\303\244\n\"\\.txt"
@@ -1 +0,0 @@
-x
`, []FileChange{{Old: "ä\n\"\\.txt", New: "ä\n\"\\.txt", Hunks: []Hunk{{1, []Content{Code}, nil}}}}},
		{
			"a quoted name of a binary file", "diff --git \"a/\\tx\" \"b/\\tx\"\nBinary files differ\n",
			[]FileChange{{Old: "\tx", New: "\tx", Binary: true}},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := ReadDiff(strings.NewReader(test.diff))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadDiffWrong(t *testing.T) {
	const file = "--- a/x\n+++ b/x\n"
	for name, test := range map[string]struct{ diff, want string }{
		"a hunk that ends too early":     {file + "@@ -1,2 +1 @@\n-x\n", "line 4 of the diff: a hunk ends before its last line"},
		"a line that belongs to no hunk": {file + "@@ -1 +0,0 @@\n+x\n", "line 4 of the diff: a hunk has a line that does not belong there"},
		"a range without numbers":        {file + "@@ -x +1 @@\n", `line 3 of the diff: "-x" is not a range of lines`},
		"a range that is too large":      {file + "@@ -1,99999999999 +1 @@\n", `line 3 of the diff: "-1,99999999999" is not a range of lines`},
		"a head without an end":          {file + "@@ -1 +1\n", `line 3 of the diff: "@@ -1 +1" is not the head of a hunk`},
		"a quoted name without an end":   {"--- \"a/x\n", "line 1 of the diff: a quoted name does not end"},
		"an escape that is none":         {"--- \"a/\\9\"\n", "line 1 of the diff: a name has an escape that is none"},
		"a file without a name":          {"--- \t2020\n", "line 1 of the diff: there is no name"},
		"a merge":                        {file + "@@@ -1 -1 +1 @@@\n", "line 3 of the diff: it is of a merge; give one of two versions"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ReadDiff(strings.NewReader(test.diff))
			if _, ok := errors.AsType[*DiffError](err); !ok || err.Error() != test.want {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
}

// TestReadDiffLong reads a line that is longer than any buffer.
func TestReadDiffLong(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	got, err := ReadDiff(strings.NewReader("--- a/x.go\n+++ b/x.go\n@@ -1 +1,2 @@\n-// " + long + "\n+// short\n+// " + long + "\n"))
	want := []FileChange{{Old: "x.go", New: "x.go", Hunks: []Hunk{{1, []Content{Code}, []Content{Comment, Code}}}}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func FuzzReadDiff(f *testing.F) {
	f.Add("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +3 @@\n-a\n-b\n+c\n")
	f.Add("diff --git \"a/\\303\" \"b/\\303\"\nnew file mode 1\nBinary files\nrename from \"\\\n")
	f.Fuzz(func(t *testing.T, diff string) {
		files, err := ReadDiff(strings.NewReader(diff))
		if _, ok := errors.AsType[*DiffError](err); err != nil && !ok {
			t.Fatalf("error %v is no DiffError", err)
		}
		lines := strings.Count(diff, "\n") + 1
		for _, f := range files {
			for _, h := range f.Hunks {
				if h.Start < 0 || len(h.Removed)+len(h.Added) > lines {
					t.Fatalf("hunk %+v of a diff of %d lines", h, lines)
				}
			}
		}
		testTable().Change(files, Rules{}, func(string) bool { return false })
	})
}

func TestContent(t *testing.T) {
	for _, test := range []struct {
		extension, line string
		want            Content
	}{
		{".go", "\t ", Blank},
		{".go", "// a comment", Comment},
		{".go", " * in a comment", Comment},
		{".go", "/* one */ var x = 1", Code},
		{".go", "//go:embed x.txt", Code},
		{".go", "// +build linux", Code},
		{".go", `	"fmt"`, Import},
		{".go", `	_ "net/http/pprof"`, Code},
		{".go", `	"one",`, Code},
		{".go", "func (x *T) f(", OuterHead},
		{".go", "\tif f(", Head},
		{".go", "var x = f(1)", Code},
		{".java", "import java.util.List;", Import},
		{".java", "@Override", Decoration},
		{".java", "  }", Decoration},
		{".java", "  public int f(int a, int b) {", Head},
		{".java", "int x;", Code},
		{".java", "* 2;", Code},
		{".py", "# a comment", Comment},
		{".py", "#!/usr/bin/python", Code},
		{".c", "#include <x.h>", Code},
		{".unknown", "// what this is nobody knows", Code},
		{"", "", Blank},
	} {
		if got := languageOf(test.extension).content(test.line, false); got != test.want {
			t.Errorf("%s %q is %d, want %d", test.extension, test.line, got, test.want)
		}
	}
}
