package selection

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/targeting/selection/source"
)

// A memoryVersion holds the files of a version.
type memoryVersion map[string]string

func (v *memoryVersion) Files(context.Context) ([]string, error) {
	return slices.Sorted(maps.Keys(*v)), nil
}

func (v *memoryVersion) Read(_ context.Context, name string) ([]byte, error) {
	if text, ok := (*v)[name]; ok {
		return []byte(text), nil
	}
	return nil, nil
}

// goProgram is a program in Go with a table, constants, a type, and a value that is
// computed when the program is loaded.
var goProgram = memoryVersion{
	"p/parse.go": `package p

import "strings"

// limit is the largest depth.
const limit = 10

const usage = "one " +
	"two"

var digits = []string{
	"zero",
	lookup("one"),
}

var squares = build(3)

func build(n int) []int {
	return fill(n)
}

func fill(n int) []int {
	return make([]int, n)
}

type parser struct {
	depth int
	text  string
}

func Parse(text string) int {
	p := parser{text: text}
	return p.value()
}

func (p *parser) value() int {
	if p.depth > limit {
		return len(usage)
	}
	if strings.HasPrefix(p.text, "x") {
		return square(p.text)
	}
	return p.digit()
}

func (p *parser) digit() int {
	for i, d := range digits {
		if d == p.text {
			return i
		}
	}
	return -1
}

func square(text string) int {
	return squares[len(text)]
}

func lookup(s string) string {
	return s
}

func unused() {}
`,
	"q/other.go": "package q\n\nconst limit = 3\n\nfunc Other() int { return limit }\n",
}

// digit is a method of the program.
const digit = `func (p *parser) digit() int {
	for i, d := range digits {
		if d == p.text {
			return i
		}
	}
	return -1
}
`

// edited returns the program with texts replaced: pairs of an old and a new text.
func edited(t *testing.T, v memoryVersion, pairs ...string) memoryVersion {
	t.Helper()
	out := maps.Clone(v)
	for i := 0; i < len(pairs); i += 2 {
		found := false
		for name, text := range out {
			if strings.Contains(text, pairs[i]) {
				out[name] = strings.Replace(text, pairs[i], pairs[i+1], 1)
				found = true
				break
			}
		}
		if !found {
			t.Fatalf("no file contains %q", pairs[i])
		}
	}
	return out
}

// with returns the program with further files; an empty text removes a file.
func with(v memoryVersion, files ...string) memoryVersion {
	out := maps.Clone(v)
	for i := 0; i < len(files); i += 2 {
		if out[files[i]] = files[i+1]; files[i+1] == "" {
			delete(out, files[i])
		}
	}
	return out
}

// differing returns the files that differ between two versions.
func differing(a, b memoryVersion) []FileStatus {
	var out []FileStatus
	for _, name := range slices.Sorted(maps.Keys(with(a, slices.Collect(flat(b))...))) {
		before, inA := a[name]
		after, inB := b[name]
		if before != after || inA != inB {
			out = append(out, FileStatus{Path: name, New: !inA, Deleted: !inB})
		}
	}
	return out
}

func flat(v memoryVersion) func(func(string) bool) {
	return func(yield func(string) bool) {
		for name, text := range v {
			if !yield(name) || !yield(text) {
				return
			}
		}
	}
}

// unitsOfVersion returns a unit for each function of a version.
func unitsOfVersion(v memoryVersion) []observation.Unit {
	var out []observation.Unit
	for _, name := range slices.Sorted(maps.Keys(v)) {
		if f, ok := source.Parse(name, []byte(v[name])); ok && !source.IsTest(name) {
			for _, d := range f.Decls {
				if d.Kind == source.Function {
					out = append(out, observation.Unit{ID: name + "#" + d.Name, Name: d.Name, File: name, Start: d.Start, End: d.End})
				}
			}
		}
	}
	return out
}

// affectedBy describes the effect of a change: the affected units without their
// folders, unobserved methods, fallbacks and ignored files. Functions that run only at
// load were never observed.
func affectedBy(t *testing.T, trained, base, head memoryVersion, unreached ...string) string {
	t.Helper()
	v := Versions{Trained: &trained, Base: &base, Head: &head, Since: differing(trained, base)}
	if len(v.Since) == 0 {
		v.Trained = v.Base
	}
	s, err := CompareSources(t.Context(), v, differing(base, head), CompareOptions{Rules: Rules{Ignore: DefaultIgnore()}, Inputs: []string{"corpus"}})
	if err != nil {
		t.Fatal(err)
	}
	table := NewTable(unitsOfVersion(trained), ".")
	change := table.MapCode(s, func(unit int) bool { return !slices.Contains(unreached, table.units[unit].Name) })
	var out []string
	for _, u := range change.Units {
		out = append(out, table.units[u].Name)
	}
	slices.Sort(out)
	for _, u := range change.Unobserved {
		_, name, _ := strings.Cut(u.Method, "#")
		out = append(out, "unobserved:"+name)
	}
	for _, f := range change.Fallbacks {
		out = append(out, "everything:"+string(f.Cause))
	}
	return strings.Join(out, " ")
}

// TestCompareGo changes the program in one way at a time.
func TestCompareGo(t *testing.T) {
	for _, tc := range []struct {
		name string
		head memoryVersion
		want string
	}{
		{"nothing", goProgram, ""},
		{"a statement", edited(t, goProgram, "return i\n", "return i + 1\n"), "(*parser).digit"},
		{"a comment in a method", edited(t, goProgram, "return i\n", "return i // the digit\n"), ""},
		{"a comment between methods", edited(t, goProgram, "// limit is the largest depth.", "// limit is the maximum depth."), ""},
		{"another formatting", edited(t, goProgram, "func unused() {}", "func unused() {\n}"), ""},
		{"an import", edited(t, goProgram, `import "strings"`, "import (\n\t\"os\"\n\t\"strings\"\n)"), ""},
		{"another package with the same name", edited(t, goProgram, `import "strings"`, `import "example.com/strings"`), "(*parser).value"},
		{"a constant", edited(t, goProgram, "limit = 10", "limit = 11"), "(*parser).value"},
		{"a continued constant", edited(t, goProgram, "\t\"two\"", "\t\"three\""), "(*parser).value"},
		{"an entry of a table between methods", edited(t, goProgram, `"zero",`, `"nought",`), "(*parser).digit"},
		{"a parenthesis in a table", edited(t, goProgram, `lookup("one"),`, `lookup("eins"),`), "(*parser).digit"},
		{"a field", edited(t, goProgram, "depth int\n", "depth int64\n"), "(*parser).value"},
		{"a further field", edited(t, goProgram, "depth int\n", "depth int\n\tother bool\n"), ""},
		{"a further field after the last one", edited(t, goProgram, "text  string\n", "text  string\n\tother bool\n"), ""},
		{"an embedded field", edited(t, goProgram, "text  string\n", "text  string\n\tsync.Mutex\n"), "(*parser).digit (*parser).value Parse"},
		{"a tag of a field", edited(t, goProgram, "text  string\n", "text  string `json:\"text\"`\n"), "(*parser).digit (*parser).value Parse square"},
		{"a build constraint that holds", with(goProgram, "p/parse.go", "//go:build go1.6\n\n"+goProgram["p/parse.go"]), ""},
		{"a build constraint that does not hold", with(goProgram, "q/other.go", "//go:build nowhere\n\n"+goProgram["q/other.go"]), "Other"},
		{"a constant that is deleted", edited(t, goProgram, "const usage = \"one \" +\n\t\"two\"\n", "", "len(usage)", "7"), "(*parser).value"},
		{"a constant of another package", edited(t, goProgram, "limit = 3", "limit = 4"), "Other"},
		{
			"a new function that is called", edited(t, goProgram, "return i\n", "return one(i)\n", "func unused() {}", "func one(i int) int { return i }\n\nfunc unused() {}"),
			"(*parser).digit unobserved:one",
		},
		{"a new function that is not called", edited(t, goProgram, "func unused() {}", "func unused() {}\n\nfunc more() {}"), "unobserved:more"},
		{
			"a new method of a type", edited(t, goProgram, "func unused() {}", "func (p *parser) String() string { return p.text }"),
			"(*parser).digit (*parser).value Parse unused unobserved:(*parser).String", // fmt may call it
		},
		{"a constant that moves and changes", edited(t, with(goProgram, "p/limit.go", "package p\n\nconst limit = 12\n"), "const limit = 10\n", ""), "(*parser).value"},
		{"a constant whose user moves", edited(t, with(goProgram, "p/digit.go", "package p\n\n"+digit, "p/parse.go", strings.Replace(goProgram["p/parse.go"], digit, "", 1)), `"zero",`, `"nought",`), "(*parser).digit"},
		{
			"a function that has the name of another in Go itself", edited(t, goProgram, "func unused() {}", "func unused() {}\n\nfunc len(s string) int { return 1 }"),
			"(*parser).value square unobserved:len",
		},
		{"code that runs at load", edited(t, goProgram, "func unused() {}", "func unused() {}\n\nfunc init() { digits = nil }"), "(*parser).digit unobserved:init"},
		{
			"code without a name that runs at load", edited(t, goProgram, "func unused() {}", "func unused() {}\n\nvar _ = reset()\n\nfunc reset() int {\n\tdigits = nil\n\treturn 0\n}"),
			"(*parser).digit unobserved:reset",
		},
		{"assembly", with(goProgram, "p/square_amd64.s", "TEXT ·square(SB)\n"), "everything:unmapped change"},
		{"a deleted function", edited(t, goProgram, "func unused() {}\n", ""), "unused"},
		{"a function moved within its file", edited(t, goProgram, "func unused() {}\n", "", "type parser struct", "func unused() {}\n\ntype parser struct"), ""},
		{"a file that moves", with(goProgram, "q/other.go", "", "q/moved.go", goProgram["q/other.go"]), ""},
		{"a function that only runs at load", edited(t, goProgram, "return make([]int, n)", "return make([]int, n+1)"), "fill square"},
		{"a test", with(goProgram, "p/parse_test.go", "package p\n\nfunc TestParse() {}\n"), ""},
		{"documentation", with(goProgram, "README.md", "new"), ""},
		{"a workflow", with(goProgram, ".github/workflows/ci.yml", "on: push\n"), ""},
		{"a Makefile", with(goProgram, "Makefile", "all:\n"), ""},
		{"an input", with(goProgram, "corpus/1.go", "package corpus\n\nfunc Parse() {}\n"), ""},
		{"the grammar", with(goProgram, "p.g4", "grammar p;\n"), "everything:file that affects everything"},
		{"a package that nobody imports", with(goProgram, "tool/main.go", "package main\n\nconst limit = 1\n\nfunc main() { print(limit) }\n"), "unobserved:main"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := affectedBy(t, goProgram, goProgram, tc.head, "build", "fill", "lookup"); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// TestCompareOldModel describes changes for a model of an earlier version.
func TestCompareOldModel(t *testing.T) {
	base := edited(t, goProgram,
		"func square(text string) int {\n\treturn squares[len(text)]\n}\n\n", "", // moved to another file
		"return p.digit()", "return p.numeral()",
		"func (p *parser) digit() int", "func (p *parser) numeral() int { return p.digit() }\n\nfunc (p *parser) digit() int",
		"limit = 10", "limit = 12")
	base["p/square.go"] = "package p\n\n\n\nfunc square(text string) int {\n\treturn squares[len(text)]\n}\n"
	for _, tc := range []struct {
		name string
		head memoryVersion
		want string
	}{
		{"nothing since the base", base, ""},
		{"a method at other lines", edited(t, base, "return i\n", "return i + 1\n"), "(*parser).digit"},
		{"a method that was moved", edited(t, base, "squares[len(text)]", "squares[0]"), "square"},
		{"a method that is newer than the model", edited(t, base, "{ return p.digit() }", "{ return p.digit() + 1 }"), "(*parser).value"},
		{"back to the version of the model", edited(t, base, "limit = 12", "limit = 10"), "(*parser).value"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := affectedBy(t, goProgram, base, tc.head); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// TestCompareSubmodules changes submodules, whose code is unknown.
func TestCompareSubmodules(t *testing.T) {
	v := Versions{Trained: &goProgram, Base: &goProgram, Head: &goProgram}
	for name, everything := range map[string]bool{"third_party/lib": true, "tests/inputs": false} {
		s, err := CompareSources(t.Context(), v, []FileStatus{{Path: name, Submodule: true}}, CompareOptions{})
		if err != nil || len(s.Fallbacks) > 0 != everything {
			t.Errorf("%s: fallbacks %v, error %v", name, s.Fallbacks, err)
		}
	}
}

// TestCompareOtherFiles changes files that have no outline.
func TestCompareOtherFiles(t *testing.T) {
	everything := map[string]bool{
		"src/A.kt":               true,
		"src/B.kt":               false, // without methods of the model
		"p/words.txt":            false,
		"p/scan.l":               true,
		"tests/scan.l":           false,
		"p/config.h.in":          true,
		"MANIFEST.in":            false,
		"gradle/versions.gradle": true,
		"lib/Makefile.am":        true,
		"p/Makefile.am":          false, // builds no code in C
	}
	base := with(goProgram, "lib/a.c", "int a(void) { return 1; }\n")
	for name := range everything {
		base[name] = "x\n"
	}
	table := NewTable([]observation.Unit{{ID: "A.kt#a", Name: "a", File: "A.kt", Start: 1, End: 1}}, ".")
	for name, want := range everything {
		head := with(base, name, "y\n")
		s, err := CompareSources(t.Context(), Versions{Trained: &base, Base: &base, Head: &head}, differing(base, head), CompareOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if change := table.MapCode(s, func(int) bool { return true }); len(change.Fallbacks) > 0 != want {
			t.Errorf("%s: fallbacks %v", name, change.Fallbacks)
		}
	}
}

// TestCompareRenamed changes a method that was renamed since the model was trained.
func TestCompareRenamed(t *testing.T) {
	base := edited(t, goProgram, "return square(p.text)", "return power(p.text)", "func square(", "func power(")
	head := edited(t, base, "squares[len(text)]", "squares[0]")
	if got := affectedBy(t, goProgram, base, head); got != "square" {
		t.Errorf("got %q, want the method of the model", got)
	}
}

// TestCompareJava changes a program in Java.
func TestCompareJava(t *testing.T) {
	base := memoryVersion{
		"src/A.java": `package x;

class A {
    private static final int LIMIT = 3;
    static final int WIDE = 4;
    private int line;

    int parse(String s) {
        return s.length() > LIMIT ? line : size(s);
    }

    int size(String s) {
        return s.length();
    }

    int other(int line) {
        return line;
    }
}
`,
		"src/B.java": `package x;

class B extends A {
    int size(int n) {
        int line = n, LIMIT = 2;
        return line + LIMIT;
    }

    int wide() {
        return A.WIDE + size(1);
    }
}
`,
		"src/test/ATest.java": "class ATest { void test() { new A().parse(\"\"); } }",
	}
	for _, tc := range []struct {
		name string
		head memoryVersion
		want string
	}{
		{"a comment", edited(t, base, "class A {", "/** A parser. */\nclass A {"), ""},
		{"a private constant", edited(t, base, "LIMIT = 3", "LIMIT = 4"), "A.parse(String)"},
		{"a constant", edited(t, base, "WIDE = 4", "WIDE = 5"), "B.wide()"},
		{"a private field that is deleted", edited(t, base, "    private int line;\n", "", "? line :", "? 0 :"), "A.parse(String)"},
		{"a further parameter", edited(t, base, "size(String s) {", "size(String s, int n) {", ": size(s)", ": size(s, 1)"), "A.parse(String) A.size(String)"},
		{"a method that overrides another", edited(t, base, "    int wide()", "    int other(int line) {\n        return 1;\n    }\n\n    int wide()"), "A.other(int) unobserved:B.other(int)"},
		{"a new overload", edited(t, base, "    int wide()", "    int size(long n) {\n        return 1;\n    }\n\n    int wide()"), "A.parse(String) A.size(String) B.size(int) B.wide() unobserved:B.size(long)"},
		{"a test", edited(t, base, "void test()", "void tests()"), ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := affectedBy(t, base, base, tc.head); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// TestCompareScripts changes programs in JavaScript, Python, C and Rust.
func TestCompareScripts(t *testing.T) {
	base := memoryVersion{
		"a.js":           "const limit = 3;\nfunction parse(s) {\n  return s.length > limit ? value(s) : 0;\n}\nfunction value(s) {\n  return s;\n}\nmodule.exports = { parse };\n",
		"b.py":           "LIMIT = 3\n\ndef parse(s):\n    \"\"\"Parse.\"\"\"\n    return value(s) if len(s) > LIMIT else 0\n\ndef value(s):\n    return s\n",
		"m/__init__.py":  "from .one import scan\n",
		"m/one.py":       "def scan(s):\n    return 1\n",
		"m/two.py":       "def scan(s):\n    return 2\n",
		"run.py":         "import m\n\ndef run(s):\n    return m.scan(s)\n",
		"words.js":       "const words = require('./lib/words');\nfunction lookup(s) {\n  return words[s];\n}\n",
		"lib/words.json": "{\"a\": 1}",
		"c.h":            "#define LIMIT 3\nstruct p { int depth; int width; };\n",
		"c.c":            "#include \"c.h\"\n\nstatic int value(struct p *p) {\n  return p->width;\n}\n\nint parse(struct p *p) {\n  return p->depth > LIMIT ? value(p) : 0;\n}\n",
		"d.rs":           "const LIMIT: usize = 3;\n\nfn value(s: &str) -> usize {\n    s.len()\n}\n\npub fn parse(s: &str) -> usize {\n    if s.len() > LIMIT { value(s) } else { 0 }\n}\n",
	}
	for _, tc := range []struct{ name, from, to, want string }{
		{"a constant in JavaScript", "const limit = 3", "const limit = 4", "parse"},
		{"a function in JavaScript", "  return s;", "  return s + s;", "value"},
		{"a comment in JavaScript", "function value", "// The value.\nfunction value", ""},
		{"a constant in Python", "LIMIT = 3\n\ndef", "LIMIT = 4\n\ndef", "parse"},
		{"a function in Python", "    return s\n", "    return s * 2\n", "value"},
		{"a docstring in Python", "Parse.", "Parse a text.", ""},
		{"a name that a package exports", "from .one", "from .two", "run"},
		{"a module of data in JavaScript", "\"a\": 1", "\"a\": 2", "lookup"},
		{"a macro in C", "LIMIT 3", "LIMIT 4", "parse"},
		{"a field in C", "int width", "long width", "value"},
		{"a function in C", "return p->width", "return p->width + 1", "value"},
		{"a constant in Rust", "usize = 3", "usize = 4", "parse"},
		{"a function in Rust", "    s.len()\n", "    s.len() + 1\n", "value"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := affectedBy(t, base, base, edited(t, base, tc.from, tc.to)); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
	for _, tc := range []struct{ name, from, to, want string }{
		{"a module of Python that is renamed", "b.py", "b2.py", "parse value"},
		{"a module of JavaScript that is renamed", "a.js", "a2.js", "parse value"},
		{"a file of C that is renamed", "c.c", "c2.c", ""},
		{"a file of Rust that is renamed", "d.rs", "e.rs", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := affectedBy(t, base, base, with(base, tc.from, "", tc.to, base[tc.from])); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// TestCompareManifests changes files that name dependencies.
func TestCompareManifests(t *testing.T) {
	base := with(goProgram,
		"go.mod", "module m\n\ngo 1.21\n\nrequire (\n\texample.com/dep v1.0.0 // indirect\n\texample.com/other v1.0.0\n)\n",
		"q/other.go", "package q\n\nimport \"example.com/dep/sub\"\n\nfunc Other() { sub.F() }\n",
		"q/plain.go", "package q\n\nfunc Plain() {\n\tfor range 3 {\n\t}\n}\n\nfunc Loop() {\n\tfor i := range 3 {\n\t\tkeep(func() int { return i })\n\t}\n}\n",
		"q/data.go", "package q\n\nimport _ \"embed\"\n\n//go:embed words.txt\nvar words string\n\nfunc Words() string { return words }\n",
		"q/words.txt", "a b c\n",
		"q/names.go", "package q\n\nfunc Names() { open(\"names.txt\") }\n",
		"q/names.txt", "x\n",
		"package.json", `{"version": "1.0.0", "dependencies": {"a": "1"}, "devDependencies": {"b": "1"}}`,
		"pom.xml", "<project><version>1</version><properties><v>2</v><w>${x}-jre</w><x>31</x><lib.version>5</lib.version><plugin.version>6</plugin.version></properties>"+
			"<build><plugins><plugin><artifactId>p</artifactId><version>${plugin.version}</version></plugin></plugins></build>"+
			"<dependencies><dependency><groupId>g</groupId><artifactId>a</artifactId><version>${v}-1</version></dependency>"+
			"<dependency><groupId>g</groupId><artifactId>b</artifactId><version>${w}</version></dependency>"+
			"<dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4</version><scope>test</scope></dependency></dependencies></project>",
		"Cargo.toml", "[package]\nversion = \"1.0.0\"\n\n[dependencies]\nserde = \"1\" # data\n",
		"setup.py", "setup(\n    version='1.0',\n    install_requires=['attrs'],\n)\n",
		"pyproject.toml", "[project]\nversion = \"1\"\ndependencies = [\n  \"six\",\n]\n")
	for _, tc := range []struct{ name, from, to, want string }{
		{"a module that a file imports", "example.com/dep v1.0.0", "example.com/dep v1.1.0", "Other"},
		{"a module that others may depend on", "example.com/other v1.0.0", "example.com/other v1.1.0", "Other"},
		{"a comment", "// indirect", "", ""},
		{"the meaning of loops", "go 1.21", "go 1.22", "Loop"},
		{"an earlier version of Go", "go 1.21", "go 1.20", ""},
		{"an embedded file", "a b c", "a b c d", "Words"},
		{"a file whose name a method mentions", "x\n", "y\n", "Names"},
		{"the version of a package", `"version": "1.0.0"`, `"version": "1.0.1"`, ""},
		{"a dependency for development", `"b": "1"`, `"b": "2"`, ""},
		{"a dependency of a package", `"a": "1"`, `"a": "2"`, "everything:build file"},
		{"the version of a project", "<version>1<", "<version>2<", ""},
		{"a dependency for tests", "<version>4<", "<version>5<", ""},
		{"a property that is part of the version of a dependency", "<v>2<", "<v>3<", "everything:build file"},
		{"a property that another one refers to", "<x>31<", "<x>32<", "everything:build file"},
		{"a version that other projects inherit", "<lib.version>5<", "<lib.version>6<", "everything:build file"},
		{"the version of a plugin", "<plugin.version>6<", "<plugin.version>7<", ""},
		{"the version of a crate", `version = "1.0.0"`, `version = "1.0.1"`, ""},
		{"a dependency of a crate", `serde = "1"`, `serde = "2"`, "everything:build file"},
		{"the version in a setup script", "version='1.0'", "version='1.1'", ""},
		{"the formatting of a setup script", "install_requires=['attrs'],", "install_requires = ['attrs']", ""},
		{"a dependency in a setup script", "'attrs'", "'attrs>1'", "everything:build file"},
		{"the version of a Python project", `version = "1"`, `version = "2"`, ""},
		{"a dependency of a Python project", `"six",`, `"six>1",`, "everything:build file"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := affectedBy(t, base, base, edited(t, base, tc.from, tc.to)); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// TestCompareSharedUsers changes two files that the same method uses: it is affected by
// each of them.
func TestCompareSharedUsers(t *testing.T) {
	base := with(goProgram,
		"q/names.go", "package q\n\nfunc Names() { open(\"names.txt\"); open(\"more.txt\") }\n",
		"q/names.txt", "x\n", "q/more.txt", "z\n")
	head := edited(t, base, "x\n", "y\n", "z\n", "y\n")
	s, err := CompareSources(t.Context(), Versions{Trained: &base, Base: &base, Head: &head}, differing(base, head), CompareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Changes) != 2 || len(s.Changes[0].Affected) != 1 || len(s.Changes[1].Affected) != 1 {
		t.Errorf("changes %+v", s.Changes)
	}
}

// TestMapCode maps regions to units with nested methods and blocks.
func TestMapCode(t *testing.T) {
	table := NewTable([]observation.Unit{
		{ID: "A.java#A.f(int)", Name: "A.f(int)", File: "com/x/A.java", Start: 11, End: 30}, // without its annotation
		{ID: "A.java#A.lambda$f$0", Name: "A.lambda$f$0", File: "com/x/A.java", Start: 20, End: 22},
		{ID: "A.java#A.f(int):12", Name: "A.f(int):12", Kind: observation.KindBlock, File: "com/x/A.java", Start: 12, End: 15},
		{ID: "A.java#A.f(int):15", Name: "A.f(int):15", Kind: observation.KindBlock, File: "com/x/A.java", Start: 15, End: 18},
		{ID: "A.java#A.f(int):16", Name: "A.f(int):16", Kind: observation.KindBlock, File: "com/x/A.java", Start: 16, End: 17},
		{ID: "b.c#g", Name: "g", File: "b.c"},
		{ID: "c.go#h", Name: "h", File: "c.go", Start: 1, End: 20},
		{ID: "c.go#h:5.7", Name: "h:5.7", Kind: observation.KindBlock, File: "c.go", Start: 5, End: 8, StartColumn: 7, EndColumn: 3},
		{ID: "c.go#h:6.10", Name: "h:6.10", Kind: observation.KindBlock, File: "c.go", Start: 6, End: 6, StartColumn: 10, EndColumn: 20},
		{ID: "d.c#k", Name: "k", File: "d.c", Start: 1, End: 9},
		{ID: "d.c#4", Name: "4", Kind: observation.KindLine, File: "d.c", Start: 4, End: 4},
		{ID: "w.js#wrapper", Name: "wrapper", File: "w.js", Start: 1, End: 100},
		{ID: "w.js#inner", Name: "inner", File: "w.js", Start: 50, End: 60},
	}, ".")
	const java = "src/main/java/com/x/A.java"
	line := func(n int) []source.Place { return []source.Place{{Line: n}} }
	at := func(n, column int) []source.Place { return []source.Place{{Line: n, Column: column}} }
	for _, tc := range []struct {
		name   string
		region Region
		want   string
	}{
		{"a whole method", Region{java, "f", 10, 30, nil}, "A.f(int) A.lambda$f$0"},
		{"its annotation", Region{java, "f", 10, 30, line(10)}, "A.f(int) A.lambda$f$0"},
		{"a line of it outside all blocks", Region{java, "f", 10, 30, line(28)}, "A.f(int)"},
		{"a line of a function in it", Region{java, "f", 10, 30, line(21)}, "A.lambda$f$0"},
		{"a line of a block", Region{java, "f", 10, 30, line(13)}, "A.f(int):12"},
		{"the first line of a block", Region{java, "f", 10, 30, line(12)}, "A.f(int)"},
		{"a line at which one block ends and another begins", Region{java, "f", 10, 30, line(15)}, "A.f(int):12 A.f(int):15"},
		{"a line of a block in a block", Region{java, "f", 10, 30, line(17)}, "A.f(int):16"},
		{"lines of a block and of the method", Region{java, "f", 10, 30, append(line(17), line(19)...)}, "A.f(int) A.f(int):16"},
		{"the first line of a block, without a branch", Region{java, "f", 10, 30, []source.Place{{Line: 12, Straight: true}}}, "A.f(int):12"},
		{"the first line of a function in it", Region{java, "f", 10, 30, line(20)}, "A.f(int) A.lambda$f$0"},
		{"the column at which a block begins", Region{"c.go", "h", 1, 20, at(5, 7)}, "h:5.7"},
		{"a column before it", Region{"c.go", "h", 1, 20, at(5, 6)}, "h"},
		{"the column before its end", Region{"c.go", "h", 1, 20, at(8, 2)}, "h:5.7"},
		{"the column at which it ends", Region{"c.go", "h", 1, 20, at(8, 3)}, "h"},
		{"a column of a block in it", Region{"c.go", "h", 1, 20, at(6, 12)}, "h:6.10"},
		{"a line that was observed", Region{"d.c", "k", 1, 9, line(4)}, "4"},
		{"a line that was not", Region{"d.c", "k", 1, 9, line(5)}, "k"},
		{"a method whose lines are unknown", Region{"b.c", "g", 5, 9, line(6)}, "g"},
		{"a method in a method", Region{"w.js", "inner", 50, 60, line(55)}, "inner"},
		{"a method around others", Region{"w.js", "wrapper", 1, 100, line(3)}, "wrapper"},
		{"a file without units", Region{"lib/b.js", "g", 5, 9, nil}, ""},
		{"a method that is no unit", Region{"w.js", "extra", 110, 120, nil}, "unobserved:w.js#extra"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := CodeChange{Name: tc.region.File + "#" + tc.region.Name, Kind: source.Function, How: Changed, Affected: []Region{tc.region}}
			change := table.MapCode(&SourceChange{Changes: []CodeChange{c}}, func(int) bool { return true })
			var got []string
			for _, u := range change.Units {
				got = append(got, table.units[u].Name)
			}
			for _, u := range change.Unobserved {
				got = append(got, "unobserved:"+u.Method)
			}
			if diff := cmp.Diff(tc.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("units (-want +got):\n%s", diff)
			}
		})
	}
}
