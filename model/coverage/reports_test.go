package coverage_test

import (
	"bytes"
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
parse.cc#_Z5parsePKc method 20-29
parse.cc#std::map<int, int>::operator[](int) method 40-41
first_json: lex*5 _Z5parsePKc*4
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
parse.cc#_Z5parsePKc method 20-29
parse.cc#40 line 40-40
parse.cc#std::map<int, int>::operator[](int) method 40-41
parse.cc#41 line 41-41
first_json: 3*5 4*5 8*1 lex*5 20*4 _Z5parsePKc*4
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

func TestBadReports(t *testing.T) {
	const sf = "TN:\nSF:a.c\n"
	for _, tc := range []struct {
		name, text string
		format     coverage.Format
		want       string
	}{
		{"nothing", "", coverage.Auto, "unknown report format"},
		{"some XML", "<html/>", coverage.Auto, "unknown report format"},
		{"other XML", "<html><report/></html>", coverage.JaCoCo, `line 1: root element "html": must be "report"`},
		{"half an XML", "<report><package>", coverage.JaCoCo, "truncated JaCoCo report"},
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
		{"an unknown format", "x", "xml", `format "xml": must be auto, lcov, jacoco or gocover`},
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
	for _, name := range []string{"two.info", "a.json.xml"} {
		text, err := os.ReadFile("testdata/reports/" + name)
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
