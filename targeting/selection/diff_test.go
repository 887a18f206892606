package selection

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseDiff(t *testing.T) {
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
			got, err := ParseDiff(test.diff)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestParseDiffOfTools reads diffs that tools and settings other than git's
// defaults print, in which gitdiff alone would miss or misread files.
func TestParseDiffOfTools(t *testing.T) {
	line := []Hunk{{1, []Content{Code}, []Content{Code}}}
	const hunk = "@@ -1 +1 @@\n-x\n+y\n"
	tests := []struct {
		name, diff string
		want       []FileChange
	}{
		{
			"git without prefixes", "diff --git a/x.go a/x.go\n--- a/x.go\n+++ a/x.go\n" + hunk +
				"diff --git lib/run.sh lib/run.sh\nold mode 100644\nnew mode 100755\n" +
				"diff --git lib/new lib/new\nnew file mode 100644\nindex 0000000..587be6b\n--- /dev/null\n+++ lib/new\n@@ -0,0 +1 @@\n+x\n",
			[]FileChange{
				{Old: "a/x.go", New: "a/x.go", Hunks: line},
				{Old: "lib/run.sh", New: "lib/run.sh"},
				{New: "lib/new", Hunks: []Hunk{{0, nil, []Content{Code}}}},
			},
		},
		{
			"git without prefixes, renamed and edited",
			"diff --git lib/old.go \"lib/n\\303\\244.go\"\nsimilarity index 89%\nrename from lib/old.go\nrename to \"lib/n\\303\\244.go\"\n" +
				"index 0ff3bbb..af82288 100644\n--- lib/old.go\n+++ \"lib/n\\303\\244.go\"\n" + hunk,
			[]FileChange{{Old: "lib/old.go", New: "lib/nä.go", Hunks: line}},
		},
		{
			"git with prefixes that name the sides", "diff --git c/x.go w/x.go\n--- c/x.go\n+++ w/x.go\n" + hunk,
			[]FileChange{{Old: "x.go", New: "x.go", Hunks: line}},
		},
		{
			"a prefix twice", "diff --git a/a/x.go b/a/x.go\n--- a/a/x.go\n+++ b/a/x.go\n" + hunk,
			[]FileChange{{Old: "a/x.go", New: "a/x.go", Hunks: line}},
		},
		{
			"names that end in a backslash",
			"diff --git \"a/end\\\\\" \"b/end\\\\\"\nold mode 100644\nnew mode 100755\n" +
				"diff --git \"a/sp ace\\\\\" \"b/sp ace\\\\\"\n--- \"a/sp ace\\\\\"\t\n+++ \"b/sp ace\\\\\"\t\n" + hunk,
			[]FileChange{{Old: `end\`, New: `end\`}, {Old: `sp ace\`, New: `sp ace\`, Hunks: line}},
		},
		{
			"a copy", "diff --git a/x.go b/y.go\nsimilarity index 100%\ncopy from x.go\ncopy to y.go\n",
			[]FileChange{{Old: "x.go", New: "y.go"}},
		},
		{
			"a binary patch", "diff --git a/i b/i\nindex bdc955b..8835708 100644\nGIT binary patch\nliteral 2\nJcmZQz0ssI600RI3\n\nliteral 2\nJcmZQz1ONa700IC2\n\n",
			[]FileChange{{Old: "i", New: "i", Binary: true}},
		},
		{
			"a mail",
			"From 0 Mon Sep 17 00:00:00 2001\nSubject: [PATCH] x\n\n@@ a note\n--- another\n---\n x.go | 2 +-\n\n" +
				"diff --git a/x.go b/x.go\n--- a/x.go\n+++ b/x.go\n" + hunk + "-- \n2.43.0\n\n",
			[]FileChange{{Old: "x.go", New: "x.go", Hunks: line}},
		},
		{
			"lines that end in a carriage return", "diff --git a/x.go b/x.go\r\nsimilarity index 90%\r\nrename from x.go\r\nrename to y.go\r\n" +
				"--- a/x.go\r\n+++ b/y.go\r\n@@ -1,2 +1,2 @@\r\n-x\r\n+y\r\n\r\n",
			[]FileChange{{Old: "x.go", New: "y.go", Hunks: line}},
		},
		{
			"no line end at the end", "diff --git a/i b/i\nBinary files a/i and b/i differ",
			[]FileChange{{Old: "i", New: "i", Binary: true}},
		},
		{
			"diff -urN", "diff -urN a/n.go b/n.go\n--- a/n.go\t1970-01-01 00:00:00.000000000 +0000\n+++ b/n.go\t2020-01-01 10:00:00.5 +0100\n@@ -0,0 +1 @@\n+x\n" +
				"Binary files a/i.png and b/i.png differ\n" +
				"diff -urN a/x.go b/x.go\n--- a/x.go\t2020-01-01 10:00:00.5 +0100\n+++ b/x.go\t2020-01-01 10:00:00.6 +0100\n" + hunk,
			[]FileChange{
				{Old: "i.png", New: "i.png", Binary: true},
				{New: "n.go", Hunks: []Hunk{{0, nil, []Content{Code}}}},
				{Old: "x.go", New: "x.go", Hunks: line},
			},
		},
		{
			"diff -u of a backup", "--- lib/x.go.orig\t2020-01-01\n+++ lib/x.go\t2020-01-02\n" + hunk,
			[]FileChange{{Old: "lib/x.go", New: "lib/x.go", Hunks: line}},
		},
		{
			"svn", "Index: lib/x.go\n====\n--- lib/x.go\t(revision 1)\n+++ lib/x.go\t(working copy)\n" + hunk,
			[]FileChange{{Old: "lib/x.go", New: "lib/x.go", Hunks: line}},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := ParseDiff(test.diff)
			if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
				t.Errorf("error %v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestParseDiffWrong(t *testing.T) {
	const file = "--- a/x\n+++ b/x\n"
	const git = "diff --git a/x b/x\n"
	for name, test := range map[string]struct{ diff, want string }{
		"a hunk that ends too early":           {file + "@@ -1,2 +1 @@\n-x\n", "line 4 of the diff: the hunk ends too early: 1 removed and 1 added lines are missing"},
		"a hunk with too many lines":           {file + "@@ -1 +0,0 @@\n+x\n", "line 4 of the diff: the hunk has more lines than its header says"},
		"a hunk with context that is too long": {file + "@@ -1,2 +0,0 @@\n-x\n x\n", "line 5 of the diff: the hunk has more lines than its header says"},
		"a hunk that another file interrupts":  {file + "@@ -1 +1 @@\n-x\n" + git, "line 5 of the diff: a line in a hunk begins with 'd': expected ' ', '-', '+' or '\\'"},
		"a range without numbers":              {file + "@@ -x +1 @@\n", `line 3 of the diff: invalid hunk header "@@ -x +1 @@": line numbers must be between 0 and 1073741823`},
		"a range that is too large":            {file + "@@ -1,99999999999 +1 @@\n", `line 3 of the diff: invalid hunk header "@@ -1,99999999999 +1 @@": line numbers must be between 0 and 1073741823`},
		"a range without a sign":               {file + "@@ 1 +1 @@\n", `line 3 of the diff: invalid hunk header "@@ 1 +1 @@": "1": must begin with "-"`},
		"a hunk header without an end":         {file + "@@ -1 +1\n", `line 3 of the diff: invalid hunk header "@@ -1 +1"`},
		"something else for a hunk header":     {file + "@@ nonsense @@\n", `line 3 of the diff: invalid hunk header "@@ nonsense @@"`},
		"a hunk without a file":                {"@@ -1 +1 @@\n-x\n+y\n", "line 1 of the diff: patch fragment without file header: @@ -1,1 +1,1 @@"},
		"a quoted name without an end":         {"--- \"a/x\n", `line 1 of the diff: invalid quoted file name "x`},
		"an invalid escape":                    {"--- \"a/\\9\"\n", `line 1 of the diff: invalid quoted file name "\9"`},
		"an invalid escape in a rename":        {git + "rename from \"\\9\"\n", `line 2 of the diff: invalid quoted file name "\9"`},
		"a file without a name":                {"--- \t2020\n", "line 1 of the diff: missing file name"},
		"git without names":                    {"diff --git a/x b/yz\nold mode 100644\nnew mode 100755\n", "line 3 of the diff: git file header: missing filename information"},
		"an invalid mode in the second file":   {git + "Binary files a/x and b/x differ\n" + git + "old mode rwx\n", "line 4 of the diff: git file header: invalid mode line: invalid syntax"},
		"an invalid mode":                      {git + "old mode rwx\n", "line 2 of the diff: git file header: invalid mode line: invalid syntax"},
		"a new file with old lines":            {git + "new file mode 100644\n--- /dev/null\n+++ b/x\n@@ -1 +1 @@\n-x\n+y\n", "line 5 of the diff: new file depends on old contents"},
		"a merge":                              {file + "@@@ -1 -1 +1 @@@\n", "line 3 of the diff: the diff of a merge: expected a diff of two versions"},
		"a merge of binary files":              {"diff --cc i.png\nindex 1,2..3\nBinary files differ\n", "line 1 of the diff: the diff of a merge: expected a diff of two versions"},
		"the log of a submodule":               {git + "Submodule lib 1234567..89abcde:\n  > fix\n", "line 2 of the diff: the log of a submodule: expected a diff of git with --submodule=short"},
		"a file in one folder only":            {file + "@@ -1 +1 @@\n-x\n+y\nOnly in b/src: new.c\n", "line 6 of the diff: a file of one version only: expected its lines, as diff -N prints them"},
		"a diff with context marks":            {"*** a/x\t2020\n--- b/x\t2020\n***************\n*** 1 ****\n! x\n--- 1 ----\n! y\n", noFiles},
		"a diff without names":                 {"1c1\n< x\n---\n> y\n", noFiles},
		"another text":                         {"hello\n", noFiles},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ParseDiff(test.diff)
			if _, ok := errors.AsType[*DiffError](err); !ok || err.Error() != test.want {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
}

const noFiles = "line 1 of the diff: no file of a unified diff: expected 'diff --git', or '---' and '+++' followed by '@@'"

// TestParseDiffLimits reads diffs that are larger than any real one.
func TestParseDiffLimits(t *testing.T) {
	for name, test := range map[string]struct{ diff, want string }{
		"files": {strings.Repeat("diff --git a/x b/x\n", maxDiffFiles+1), "line 200001 of the diff: more than 200000 files"},
		"files of diff -u": {
			strings.Repeat("--- x\n+++ x\n@@ -1 +0,0 @@\n-\n", maxDiffFiles+1), "line 800002 of the diff: more than 200000 files",
		},
		"lines of a file": {
			"diff --git a/x b/x\n" + strings.Repeat("\n", 10) + "diff --git a/y b/y\n" + strings.Repeat("\n", maxFileLines),
			"line 2000012 of the diff: more than 2000000 lines in one file",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := ParseDiff(test.diff); err == nil || err.Error() != test.want {
				t.Errorf("error %v, want %s", err, test.want)
			}
		})
	}
	n := &diffNormalizer{line: 7, hunks: maxDiffHunks - 1}
	if err := n.hunkHeader("@@ -1 +1 @@"); err != nil {
		t.Errorf("the last hunk: %v", err)
	}
	if err := n.hunkHeader("@@ -1 +1 @@"); err == nil || err.Error() != "line 7 of the diff: more than 2000000 hunks" {
		t.Errorf("one more hunk: %v", err)
	}
}

// TestParseDiffLong reads a line that is longer than any buffer.
func TestParseDiffLong(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	got, err := ParseDiff("--- a/x.go\n+++ b/x.go\n@@ -1 +1,2 @@\n-// " + long + "\n+// short\n+// " + long + "\n")
	want := []FileChange{{Old: "x.go", New: "x.go", Hunks: []Hunk{{1, []Content{Code}, []Content{Comment, Code}}}}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func FuzzParseDiff(f *testing.F) {
	f.Add("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +3 @@\n-a\n-b\n+c\n")
	f.Add("--- lib/a.go\n+++ lib/a.go\n@@ -1073741823,3 +1,2 @@\n x\n x\n-x\n")
	f.Add("--- lib/c.go\n+++ lib/c.go\n@@ -0 +0,0 @@\n-x\n")
	f.Add("diff --git x/y x/y\nrename from x/y\nrename to \"z\"\n--- x/y\n+++ \"z\"\n@@ -0,0 +1 @@\n+c\n\\ No newline at end of file\n")
	f.Add("diff --git a/i b/i\nGIT binary patch\nliteral 2\nJcmZQz0ssI600RI3\n\nliteral 2\nJcmZQz1ONa700IC2\n\n")
	f.Add("--- a/x\t1970-01-01 00:00:00 +0000\n+++ b/x\t2020\n@@ -0,0 +1,2 @@\n+c\n+d\nBinary files i and j differ\n")
	f.Add("diff --git \"a/\\303\" \"b/\\303\"\nnew file mode 1\nBinary files\nrename from \"\\\n")
	f.Fuzz(func(t *testing.T, diff string) {
		files, err := ParseDiff(diff)
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
		testTable().Map(files, Rules{}, func(string) bool { return false })
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
		{".go", `	"fmt"`, Code}, // or part of a constant
		{".go", `import "fmt"`, Import},
		{".go", `	_ "net/http/pprof"`, Code},
		{".go", `	"one",`, Code},
		{".go", "func (x *T) f(", TopSignature},
		{".go", "\tif f(", Signature},
		{".go", "var x = f(1)", Code},
		{".java", "import java.util.List;", Import},
		{".java", "@Override", Decoration},
		{".java", "  }", Decoration},
		{".java", "  public int f(int a, int b) {", Signature},
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
