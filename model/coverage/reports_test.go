package coverage_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/model/coverage"
	"github.com/inroad/inroad/model/observation"
)

// table formats units and runs for comparison.
func table(r *coverage.Reports) string {
	var b strings.Builder
	for _, u := range r.Units() {
		fmt.Fprintf(&b, "%s %s %d-%d\n", u.ID, u.Kind, u.Start, u.End)
	}
	for _, run := range r.Runs() {
		fmt.Fprintf(&b, "%s:", run.Name)
		for i, m := range run.Methods {
			fmt.Fprintf(&b, " %s*%d", m[strings.IndexByte(m, '#')+1:], run.Counts[i])
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestReports(t *testing.T) {
	for _, tc := range []struct {
		name, file string
		blocks     bool
		want       string
	}{
		{
			"lcov", "two.info", false, `lex.c#lex method 3-8
lex.c#number method 10-12
parse.cc#parse method 20-29
parse.cc#std::map<int, int>::operator[](int) method 40-41
first_json: lex*5 parse*4
second_json: lex*1 number*100
third_json:
`,
		},
		{
			"lcov with lines", "two.info", true, `lex.c#3 line 3-3
lex.c#lex method 3-8
lex.c#4 line 4-4
lex.c#8 line 8-8
lex.c#10 line 10-10
lex.c#number method 10-12
lex.c#11 line 11-11
parse.cc#20 line 20-20
parse.cc#parse method 20-29
parse.cc#40 line 40-40
parse.cc#std::map<int, int>::operator[](int) method 40-41
parse.cc#41 line 41-41
first_json: 3*5 4*5 8*1 lex*5 20*4 parse*4
second_json: 10*100 3*1 lex*1 number*100
third_json:
`,
		},
		{
			"jacoco", "a.json.xml", false, `org/example/Reader.java#Reader.<init>() constructor 5-5
org/example/Reader.java#Reader.next(int,String[]) method 7-9
org/example/Reader.java#Reader.State.lambda$of$0(Reader.State) synthetic 15-15
org/example/Reader.java#Reader.next() method 20-25
a.json: Reader.<init>()*1 Reader.State.lambda$of$0(Reader.State)*1 Reader.next(int,String[])*1
`,
		},
		{
			"llvm-cov", "a.llvm.json", false, `/usr/include/other.h#unused method 1-1
kv.cc#digit method 3-6
list.h#kv::list method 8-12
a.llvm: digit*2 kv::list*1
`,
		},
		{
			"llvm-cov with blocks", "a.llvm.json", true, `/usr/include/other.h#unused method 1-1
kv.cc#kv::list:2.3 block 2-2
kv.cc#digit method 3-6
kv.cc#digit:4.18 block 4-4
kv.cc#digit:4.7 block 4-4
list.h#kv::list method 8-12
a.llvm: digit*2 digit:4.7*2 kv::list:2.3*1099511627776 kv::list*1
`,
		},
		{
			"gcov", "a.gcov.json", false, `kv.c#digit method 3-6
list.h#kv::list method 8-12
main.c#main method 1-9
a: digit*2 kv::list*3 main*1
`,
		},
		{
			"gcov with lines", "a.gcov.json", true, `kv.c#3 line 3-3
kv.c#digit method 3-6
kv.c#4 line 4-4
list.h#kv::list method 8-12
main.c#main method 1-9
a: 3*2 digit*2 kv::list*3 main*1
`,
		},
		{
			"coverage.py", "a.coveragepy.json", false, `kv.py#Kv.parse method 3-4
kv.py#Kv.parse.inner method 6-7
kv.py#Kv.unused method 10-10
a.coveragepy: Kv.parse*1 Kv.parse.inner*1
`,
		},
		{
			"coverage.py with lines", "a.coveragepy.json", true, `kv.py#1 line 1-1
kv.py#2 line 2-2
kv.py#3 line 3-3
kv.py#Kv.parse method 3-4
kv.py#4 line 4-4
kv.py#6 line 6-6
kv.py#Kv.parse.inner method 6-7
kv.py#7 line 7-7
kv.py#10 line 10-10
kv.py#Kv.unused method 10-10
a.coveragepy: 1*1 2*1 3*1 6*1 7*1 Kv.parse*1 Kv.parse.inner*1
`,
		},
		{
			"istanbul", "a.istanbul.json", false, `kv.js#digit method 1-3
kv.js#(anonymous_1) method 5-7
a.istanbul: digit*4
`,
		},
		{
			"istanbul with lines", "a.istanbul.json", true, `kv.js#digit method 1-3
kv.js#2 line 2-2
kv.js#(anonymous_1) method 5-7
kv.js#6 line 6-6
a.istanbul: 2*5 digit*4
`,
		},
		{
			"cobertura", "a.cobertura.xml", false, `Parser.cs#Reader.Next method 0-0
kv.js#digit method 1-2
kv.js#list method 5-6
org/example/Reader.java#Reader.State.<init>() constructor 3-3
org/example/Reader.java#Reader.State.next(int,String[]) method 7-9
a.cobertura: Reader.Next*1 digit*4 Reader.State.<init>()*1
`,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := &coverage.Reports{Root: "/src/parser", Blocks: tc.blocks}
			if err := r.Read("testdata/reports/"+tc.file, coverage.Auto); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, table(r)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestLCOVFunctions reads functions as several tools write them.
func TestLCOVFunctions(t *testing.T) {
	for _, tc := range []struct{ name, lines, want string }{
		{
			"methods of two classes, as istanbul writes them for c8", "FN:2,parse\nFN:9,parse\nFNF:2\nFNH:1\nFNDA:0,parse\nFNDA:3,parse\n",
			"a#parse@2 method 2-2\na#parse@9 method 9-9\nrun: parse@9*3\n",
		},
		{
			"a property and its setter, as coverage.py writes them", "FN:2,3,A.x\nFNDA:0,A.x\nFN:6,7,A.x\nFNDA:1,A.x\n",
			"a#A.x@2 method 2-3\na#A.x@6 method 6-7\nrun: A.x@6*1\n",
		},
		{
			"two constructors of a class, as lcov names them for C++", "FN:2,A::A()\nFN:2,A::A()\nFN:9,f()\nFNDA:0,A::A()\nFNDA:3,A::A()\nFNDA:0,f()\n",
			"a#A::A() method 2-2\na#f() method 9-9\nrun: A::A()*3\n",
		},
		{
			"one function with two counts", "FN:2,f\nFNDA:1,f\nFNDA:2,f\n",
			"a#f method 2-2\nrun: f*3\n",
		},
		{
			"static functions, as llvm-cov writes them", "FN:2,kv.c:digit\nFN:4,kv.cc:_ZL5digitc\nFNDA:1,kv.c:digit\nFNDA:0,kv.cc:_ZL5digitc\n",
			"a#digit@2 method 2-2\na#digit@4 method 4-4\nrun: digit@2*1\n",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var r coverage.Reports
			if err := r.ReadReport(strings.NewReader("TN:\nSF:a\n"+tc.lines+"end_of_record\n"), "run", coverage.Auto); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, table(&r)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestReportsOfOtherTools reads what few tools write.
func TestReportsOfOtherTools(t *testing.T) {
	const bom = "\xef\xbb\xbf"
	for _, tc := range []struct{ name, text, want string }{
		{"lcov with a byte order mark", bom + "SF:a\nFN:1,f\nFNDA:2,f\nend_of_record\n", "a#f method 1-1\nrun: f*2\n"},
		{
			"JSON with a byte order mark", bom + `{"files": [{"file": "a", "functions": [{"name": "f", "start_line": 1, "end_line": 1, "execution_count": 2}]}]}`,
			"a#f method 1-1\nrun: f*2\n",
		},
		{
			"large and overflowed counts", `<coverage line-rate="1"><packages><package><classes><class filename="a"><methods>` +
				`<method name="f" signature=""><lines><line number="1" hits="99999999999999999999"/></lines></method>` +
				`<method name="g" signature=""><lines><line number="2" hits="-1"/></lines></method>` +
				`</methods></class></classes></package></packages></coverage>`,
			"a#f method 1-1\na#g method 2-2\nrun: f*1099511627776\n",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var r coverage.Reports
			if err := r.ReadReport(strings.NewReader(tc.text), "run", coverage.Auto); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, table(&r)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestBadReports(t *testing.T) {
	const sf = "TN:\nSF:a.c\n"
	for _, tc := range []struct {
		name, text string
		format     coverage.Format
		want       string
	}{
		{"nothing", "", coverage.Auto, "the report is empty"},
		{"white space", " \n", coverage.LCOV, "the report is empty"},
		{"some text", "hello", coverage.Auto, "unknown report format: must be an lcov tracefile, a JaCoCo XML report, a Go profile, JSON of llvm-cov export, JSON of gcov, JSON of coverage.py, a coverage-final.json of istanbul, a NODE_V8_COVERAGE file or a Cobertura XML report"},
		{"some XML", "<html/>", coverage.Auto, `unknown report format, XML with the root element "html": must be`},
		{"a Clover report", `<?xml version="1.0"?><coverage generated="1" clover="3.2.0"><project/></coverage>`, coverage.Auto, `unknown report format, XML with the root element "coverage": must be`},
		{"some JSON", `{"name": "x"}`, coverage.Auto, `unknown report format, JSON with the member "name": must be`},
		{"a list", `[1]`, coverage.Auto, "unknown report format: must be"},
		{"other XML", "<html><report/></html>", coverage.JaCoCo, `line 1: root element "html": must be "report"`},
		{"half an XML", "<report><package>", coverage.JaCoCo, "read as a JaCoCo XML report: truncated: <report> must be closed"},
		{"broken XML", "<report><method line='</report>", coverage.JaCoCo, "XML syntax error"},
		{"a line that is no number", "<report><package><class><method line='x'/></class></package></report>", coverage.JaCoCo, `line 1: line "x": must be a number`},
		{"an end too many", "<report></report></report>", coverage.JaCoCo, "unexpected end"},
		{"a count that is no number", sf + "FN:1,f\nFNDA:x,f\nend_of_record\n", coverage.Auto, `line 4: FNDA:x,f: "x": must be a number`},
		{"a number that is missing", sf + "DA:1\n", coverage.Auto, "line 3: DA:1: missing number"},
		{"half a section", sf + "FN:1,f\n", coverage.Auto, "truncated section of a.c"},
		{"a long line", sf + "FN:1," + strings.Repeat("f", 2<<20), coverage.Auto, "line 3: must be at most 1048576 bytes"},
		{"no profile", "mode: set\nx\n", coverage.Auto, "line 2: not a block"},
		{"a huge number", "mode: set\na.go:99999999999999999999.1,2.2 1 1\n", coverage.Auto, "must be at most 1099511627776"},
		{"a profile without sources", "mode: set\nexample.com/a.go:1.1,2.2 1 1\n", coverage.Auto, "must be below the root: text profiles need the source files"},
		{"an unknown format", "x", "xml", `format "xml": must be auto, lcov, jacoco, gocover, llvm-cov, gcov, coverage.py, istanbul, v8 or cobertura`},
		{"lines only", sf + "DA:1,1\nend_of_record\n", coverage.Auto, "the report lists no methods, but 1 lines: must have lines FN: or FNL:"},
		{"a report about nothing", "<report name='x'></report>", coverage.Auto, "the report lists no methods, but 0 lines: must have method elements"},
		{"a profile of nothing", "mode: set\n", coverage.Auto, "the report lists no methods"},
		{"half a gzip file", gzipped(`{"files": []}`)[:20], coverage.Auto, "truncated gzip file"},
		{"half a JSON report", `{"data": [{"functions": [{"name": "f"`, coverage.Auto, "read as JSON of llvm-cov export: truncated after byte"},
		{"broken JSON", `{"data": [{"functions": [}`, coverage.Auto, "read as JSON of llvm-cov export: byte 25: invalid JSON"},
		{"a summary", `{"data": [{"files": [], "totals": {}}], "type": "llvm.coverage.json.export"}`, coverage.Auto, `the report has no "functions": export without -summary-only`},
		{"another report", `{"meta": {}, "files": {}}`, coverage.LLVMCov, `read as JSON of llvm-cov export: the report has no "data"`},
		{"a function without regions", `{"data": [{"functions": [{"name": "f", "filenames": ["a.c"]}]}]}`, coverage.Auto, `function "f": must have filenames and regions`},
		{"a short region", `{"data": [{"functions": [{"name": "f", "filenames": ["a.c"], "regions": [[1, 2]]}]}]}`, coverage.Auto, "region of 2 numbers: must have at least 8"},
		{"a region of an unknown file", `{"data": [{"functions": [{"name": "f", "filenames": ["a.c"], "regions": [[1, 2, 3, 4, 5, 6, 7, 0]]}]}]}`, coverage.Auto, "file 6: must be below 1"},
		{"a count that is a text", `{"files": [{"file": "a.c", "functions": [{"name": "f", "execution_count": "many"}]}]}`, coverage.Auto, `"many": must be a number`},
		{"a file that is a number", `{"files": [{"file": 1}]}`, coverage.Auto, `read as JSON of gcov: byte 24: unexpected number in "files.file"`},
		{"gcov of nothing", `{"gcc_version": "12", "files": []}`, coverage.Auto, `the report lists no methods, but 0 lines: must have "functions"`},
		{"an old coverage.py", `{"meta": {"version": "7.4"}, "files": {"a.py": {"executed_lines": [1]}}}`, coverage.Auto, "the report has no functions, only lines: use coverage.py 7.6 or later"},
		{"a file without functions", `{"a.js": {"path": "a.js"}}`, coverage.Auto, `a.js: the report has no "fnMap"`},
		{"a list of files", `{"files": []}`, coverage.CoveragePy, "byte 11: must be an object"},
		{"other scripts", `{"result": [{"url": "node:fs", "functions": []}, {"url": "file:///elsewhere/a.js", "functions": []}]}`, coverage.Auto, "must have scripts below the folder of the sources and outside node_modules"},
		{"lines of Cobertura", `<coverage line-rate="1"><packages><package><classes><class filename="a.py"><methods/><lines><line number="1" hits="1"/></lines></class></classes></package></packages></coverage>`, coverage.Auto, "the report lists no methods, but 1 lines: must have method elements"},
		{"deep JSON", `{"data": ` + strings.Repeat("[", 100_000), coverage.Auto, "read as JSON of llvm-cov export"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := &coverage.Reports{Root: t.TempDir()}
			err := r.ReadReport(strings.NewReader(tc.text), "run", tc.format)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

func gzipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return b.String()
}

// TestV8 finds the lines of functions in the sources, by offsets in UTF-16.
func TestV8(t *testing.T) {
	root := t.TempDir()
	const source = "// \U0001F600 é\nfunction digit(c) {\n  if (c > 9) {\n    return never();\n  }\n  return 1;\n}\n\nconst twice = [1].map((x) => 2 * x);\n"
	write(t, filepath.Join(root, "kv.js"), source)
	write(t, filepath.Join(root, "cov/in.kv/coverage-12-1700000000000-0.json"), `{"result": [{"scriptId": "1", "url": "node:fs", "functions": [{"functionName": "read", "ranges": [{"startOffset": 0, "endOffset": 9, "count": 1}]}]}]}`)
	write(t, filepath.Join(root, "cov/in.kv/coverage-13-1700000000000-0.json"), `{"result": [
 {"scriptId": "2", "url": "file://`+root+`/kv.js", "functions": [
  {"functionName": "", "ranges": [{"startOffset": 0, "endOffset": 119, "count": 1}], "isBlockCoverage": true},
  {"functionName": "digit", "ranges": [{"startOffset": 8, "endOffset": 80, "count": 3}, {"startOffset": 41, "endOffset": 66, "count": 0}], "isBlockCoverage": true},
  {"functionName": "", "ranges": [{"startOffset": 104, "endOffset": 116, "count": 1}], "isBlockCoverage": true}]},
 {"scriptId": "3", "url": "file://`+root+`/node_modules/x/x.js", "functions": [{"functionName": "x", "ranges": [{"startOffset": 0, "endOffset": 9, "count": 1}]}]}],
 "timestamp": 1.5}`)
	for _, tc := range []struct {
		blocks bool
		want   string
	}{
		{false, "kv.js#digit method 2-7\nkv.js#(anonymous):9.23 method 9-9\nin.kv: (anonymous):9.23*1 digit*3\n"},
		{true, `kv.js#1 line 1-1
kv.js#2 line 2-2
kv.js#digit method 2-7
kv.js#3 line 3-3
kv.js#4 line 4-4
kv.js#5 line 5-5
kv.js#6 line 6-6
kv.js#7 line 7-7
kv.js#(anonymous):9.23 method 9-9
kv.js#9 line 9-9
in.kv: (anonymous):9.23*1 1*1 2*3 3*3 6*3 7*3 9*1 digit*3
`},
	} {
		r := &coverage.Reports{Root: root, Blocks: tc.blocks}
		if err := r.Read(filepath.Join(root, "cov"), coverage.Auto); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tc.want, table(r)); diff != "" {
			t.Errorf("blocks %v (-want +got):\n%s", tc.blocks, diff)
		}
	}
	if err := os.Remove(filepath.Join(root, "kv.js")); err != nil {
		t.Fatal(err)
	}
	err := (&coverage.Reports{Root: root}).Read(filepath.Join(root, "cov"), coverage.Auto)
	if err == nil || !strings.Contains(err.Error(), "needs the sources") {
		t.Errorf("without the sources: got %v", err)
	}
}

// TestGzip reads a compressed report, and finds a folder that gcov wrote for a run.
func TestGzip(t *testing.T) {
	text, err := os.ReadFile("testdata/reports/a.gcov.json")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "in.kv/kv.gcov.json.gz"), gzipped(string(text)))
	write(t, filepath.Join(dir, "in.kv/kv.c"), "int x;")
	r := &coverage.Reports{Root: "/src/parser"}
	if err := r.Read(dir, coverage.Auto); err != nil {
		t.Fatal(err)
	}
	if runs := r.Runs(); len(runs) != 1 || runs[0].Name != "in.kv" || len(runs[0].Methods) != 3 {
		t.Errorf("got %+v, want in.kv with 3 methods", runs)
	}
}

const goProgram = `package main

import "os"

type T[E any] struct{}

func (t *T[E]) used(
	args []string,
) {
	if len(args) > 9 {
		unused()
	}
}

func unused() {
	println()
}

func main() {
	new(T[int]).used(os.Args)
}
`

// TestGoReports runs a program twice and reads both formats that Go writes.
func TestGoReports(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.com/p\n\ngo 1.22\n")
	write(t, filepath.Join(dir, "cmd/main.go"), goProgram)
	execute(t, dir, nil, "go", "build", "-cover", "-covermode=count", "-o", "p", "./cmd")
	for _, run := range []struct{ name, args string }{{"few", "1"}, {"many", "1 2 3 4 5 6 7 8 9"}} {
		to := filepath.Join(dir, "cov", run.name)
		if err := os.MkdirAll(to, 0o777); err != nil {
			t.Fatal(err)
		}
		execute(t, dir, []string{"GOCOVERDIR=" + to}, "./p", strings.Fields(run.args)...)
		execute(t, dir, nil, "go", "tool", "covdata", "textfmt", "-i", to, "-o", filepath.Join(dir, run.name+".out"))
	}
	const want = `cmd/main.go#(*T).used method 7-13
cmd/main.go#unused method 15-17
cmd/main.go#main method 19-21
few: (*T).used*1 main*1
many: (*T).used*1 main*1 unused*1
`
	const wantBlocks = `cmd/main.go#(*T).used method 7-13
cmd/main.go#(*T).used:10.19 block 10-12
cmd/main.go#unused method 15-17
cmd/main.go#main method 19-21
few: (*T).used*1 main*1
many: (*T).used*1 (*T).used:10.19*1 main*1 unused*1
`
	for _, tc := range []struct {
		name   string
		files  []string
		blocks bool
		want   string
	}{
		{"folders", []string{"cov"}, false, want},
		{"text", []string{"few.out", "many.out"}, false, want},
		{"folders with blocks", []string{"cov"}, true, wantBlocks},
		{"text with blocks", []string{"few.out", "many.out"}, true, wantBlocks},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := &coverage.Reports{Root: dir, Blocks: tc.blocks}
			for _, file := range tc.files {
				if err := r.Read(filepath.Join(dir, file), coverage.Auto); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(tc.want, table(r)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func write(tb testing.TB, name, text string) {
	tb.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(text), 0o666)); err != nil {
		tb.Fatal(err)
	}
}

func execute(t *testing.T, dir string, env []string, name string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
}

// FuzzReports checks that reading never panics, and that the result can be
// written as observations.
func FuzzReports(f *testing.F) {
	names, err := filepath.Glob("testdata/reports/*")
	if err != nil || len(names) < 7 {
		f.Fatalf("%v, %v", names, err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text, true)
		f.Add(text, false)
	}
	f.Add([]byte("mode: set\nexample.com/p/cmd/main.go:9.3,10.19 1 1\n"), true)
	root := f.TempDir()
	write(f, filepath.Join(root, "go.mod"), "module example.com/p\n\ngo 1.22\n")
	write(f, filepath.Join(root, "cmd/main.go"), goProgram)
	f.Add([]byte(`{"result":[{"url":"file://`+root+`/go.mod","functions":[{"functionName":"f","ranges":[{"startOffset":1,"endOffset":9,"count":1}]}]}]}`), true)
	f.Fuzz(func(t *testing.T, text []byte, blocks bool) {
		r := &coverage.Reports{Root: root, Blocks: blocks}
		if err := r.ReadReport(bytes.NewReader(text), "run", coverage.Auto); err != nil {
			return
		}
		var b bytes.Buffer
		w, err := observation.NewWriter(&b, observation.Header{Units: r.Units()})
		if err != nil {
			t.Fatal(err)
		}
		for _, run := range r.Runs() {
			if err := w.Write(observation.Observation{Name: run.Name, Methods: run.Methods, Counts: run.Counts}); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestWriteReports joins runs with the inputs that their names may stand for.
func TestWriteReports(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.json", "b.json", "b.xml", "sub/c d.json"} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(name), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	index, err := coverage.NewInputIndex(dir)
	if err != nil {
		t.Fatal(err)
	}
	var r coverage.Reports
	for _, run := range []string{"a_json", "b", "b.xml", "c_d", "e"} {
		report := "TN:" + run + "\nSF:f.c\nFN:1,2,f\nFNDA:1,f\nend_of_record\n"
		if err := r.ReadReport(strings.NewReader(report), run, coverage.LCOV); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	var notes []string
	written, err := r.Write(t.Context(), &out, observation.Header{Subject: "p"}, index, func(err error) { notes = append(notes, err.Error()) })
	const want = `{"inroad":"observations/1","subject":"p","units":[{"id":"f.c#f","name":"f","file":"f.c","start":1,"end":2}]}
{"name":"a.json","input":"a.json","methods":["f.c#f"],"counts":[1],"outcome":"ok"}
{"name":"b.xml","input":"b.xml","methods":["f.c#f"],"counts":[1],"outcome":"ok"}
{"name":"sub/c d.json","input":"sub/c d.json","methods":["f.c#f"],"counts":[1],"outcome":"ok"}
`
	if diff := cmp.Diff(want, out.String()); diff != "" || written != 3 || err != nil {
		t.Errorf("%d written, error %v (-want +got):\n%s", written, err, diff)
	}
	if diff := cmp.Diff([]string{"b: ambiguous, could be b.json or b.xml", "e: input not found"}, notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	if _, err := coverage.NewInputIndex(filepath.Join(dir, "missing")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: got %v", err)
	}
}
