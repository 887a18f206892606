package tests

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/targeting/selection"
)

func TestKinds(t *testing.T) {
	for _, tc := range []struct {
		id    string
		kind  Kind
		group string
		junit string
	}{
		{"example.com/m/parser.TestParse", Go, "example.com/m/parser", "example.com/m/parser TestParse"},
		{"gopkg.in/yaml.v3.FuzzRead", Go, "gopkg.in/yaml.v3", "gopkg.in/yaml.v3 FuzzRead"},
		{"m.Example", Go, "m", "m Example"},
		{"tests/test_a.py::test_x", Pytest, "tests/test_a.py", "tests.test_a test_x"},
		{"tests/test_a.py::C::test_x[a::b-1.5]", Pytest, "tests/test_a.py", "tests.test_a.C test_x[a::b-1.5]"},
		{"com.example.AddTest#adds", JUnit, "com.example.AddTest", "com.example.AddTest adds"},
		{"a name", Other, "a name", "a name "},
	} {
		class, name := junitName(tc.id)
		if KindOf(tc.id) != tc.kind || Group(tc.id) != tc.group || class+" "+name != tc.junit {
			t.Errorf("%s: kind %s, group %s, in reports %q; want %s, %s, %q", tc.id, KindOf(tc.id), Group(tc.id), class+" "+name, tc.kind, tc.group, tc.junit)
		}
	}
}

func TestLayout(t *testing.T) {
	golang := NewLayout("example.com/m", []Test{{ID: "example.com/m.TestA"}, {ID: "example.com/m/parser.TestB"}}, []string{"a.go", "parser/p.go"})
	pytest := NewLayout("", []Test{{ID: "tests/test_a.py::test_1"}, {ID: "tests/sub/test_b.py::test_1"}, {ID: "lib/test_c.py::test_1"}}, []string{"lib/c.py", "tests/util.py"})
	junit := NewLayout("", []Test{{ID: "x.AddTest#a"}, {ID: "x.MulTest#b"}}, []string{"src/main/java/x/Add.java"})
	other := NewLayout("", []Test{{ID: "one"}, {ID: "two"}, {ID: "x.AddTest#a"}}, []string{"lib.js"})
	for _, tc := range []struct {
		name   string
		layout *Layout
		file   string
		want   string // "-" if the file does not belong to tests
	}{
		{"test file", golang, "parser/p_test.go", "example.com/m/parser"},
		{"test file of the root", golang, "a_test.go", "example.com/m"},
		{"test file of a new package", golang, "new/n_test.go", "example.com/m/new"},
		{"data", golang, "parser/testdata/fuzz/FuzzB/1", "example.com/m/parser"},
		{"data of a package without tests", golang, "parser/inner/testdata/x", "example.com/m/parser"},
		{"data at the root", golang, "testdata/x", "example.com/m"},
		{"program", golang, "parser/p.go", "-"},
		{"other", golang, "parser/data.txt", "-"},
		{"test file", pytest, "tests/test_a.py", "tests/test_a.py"},
		{"new test file", pytest, "tests/test_z.py", "tests/test_z.py"},
		{"conftest", pytest, "tests/sub/conftest.py", "tests/sub/test_b.py"},
		{"conftest of all", pytest, "conftest.py", "lib/test_c.py tests/sub/test_b.py tests/test_a.py"},
		{"data", pytest, "tests/data/x.json", "tests/sub/test_b.py tests/test_a.py"},
		{"helper that is measured", pytest, "tests/util.py", "tests/sub/test_b.py tests/test_a.py"},
		{"helper in a folder without tests", pytest, "other/tests/util.py", "lib/test_c.py tests/sub/test_b.py tests/test_a.py"},
		{"program beside tests", pytest, "lib/c.py", "-"},
		{"new program file beside tests", pytest, "lib/d.py", "-"},
		{"program", pytest, "setup.py", "-"},
		{"test class", junit, "src/test/java/x/AddTest.java", "x.AddTest"},
		{"new test class", junit, "core/src/test/kotlin/x/NewTests.kt", "x.NewTests"},
		{"helper", junit, "src/test/java/x/Helper.java", "x.AddTest x.MulTest"},
		{"resource", junit, "src/test/resources/x.json", "x.AddTest x.MulTest"},
		{"program", junit, "src/main/java/x/Add.java", "-"},
		{"test file of an unknown tool", other, "lib.test.js", "one two"},
		{"folder of tests of an unknown tool", other, "test/data.json", "one two"},
		{"program", other, "lib.js", "-"},
		{"program with test in its name", other, "latest/contest.js", "-"},
	} {
		t.Run(tc.name+" "+tc.file, func(t *testing.T) {
			groups, ok := tc.layout.Groups(tc.file)
			got := strings.Join(groups, " ")
			if !ok {
				got = "-"
			}
			if got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func TestSelect(t *testing.T) {
	all := []Test{
		{ID: "m/a.TestSlow", Methods: []string{"a.go#A"}, Duration: 2 * time.Second},
		{ID: "m/a.TestFast", Methods: []string{"a.go#A", "b.go#B"}, Duration: time.Second},
		{ID: "m/a.TestOther", Methods: []string{"c.go#C"}},
		{ID: "m/b.TestCrash"},
		{ID: "m/c.TestC", Methods: []string{"c.go#C"}},
		{ID: "m/c.TestD", Methods: []string{}},
	}
	everywhere := func(string) bool { return true }
	for _, tc := range []struct {
		name   string
		change Change
		want   string // in order
		rest   int
		args   string
		gaps   string
	}{
		{"nothing changed", Change{}, "", 6, "", ""},
		{"a method", Change{Units: []string{"a.go#A"}}, "m/b.TestCrash m/a.TestFast m/a.TestSlow", 3, "m/b|-run '^(TestFast|TestSlow)$' m/a", ""},
		{"a method that no test reaches", Change{Units: []string{"x.go#X"}}, "m/b.TestCrash", 5, "m/b", "x.go#X"},
		{"all tests of a package", Change{Units: []string{"c.go#C"}, Failed: map[string]bool{"m/c.TestD": true}}, "m/c.TestD m/a.TestOther m/b.TestCrash m/c.TestC", 2, "m/b|m/c|-run '^(TestOther)$' m/a", ""},
		{"a test file, and a new one", Change{Groups: map[string]bool{"m/c": true, "m/new": true}}, "m/c.TestC m/c.TestD", 4, "m/c|m/new", ""},
		{"always", Change{Always: []string{"*.TestD"}}, "m/c.TestD", 5, "-run '^(TestD)$' m/c", ""},
		{"everything", Change{Units: []string{"b.go#B"}, Fallbacks: []selection.Fallback{{Cause: selection.StaleModel}}}, "m/b.TestCrash m/a.TestFast m/a.TestOther m/c.TestC m/c.TestD m/a.TestSlow", 0, "./...", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := Select(all, tc.change)
			var got []string
			for _, test := range s.Tests {
				got = append(got, test.ID)
			}
			if list := strings.Join(got, " "); list != tc.want || len(s.Rest) != tc.rest || strings.Join(s.Gaps, " ") != tc.gaps {
				t.Errorf("selected %s, %d left, gaps %v; want %s, %d, %s", list, len(s.Rest), s.Gaps, tc.want, tc.rest, tc.gaps)
			}
			if args := strings.Join(Args(s, GoArgs, everywhere), "|"); args != tc.args {
				t.Errorf("arguments %s, want %s", args, tc.args)
			}
		})
	}
}

func TestArgs(t *testing.T) {
	python := []Test{
		{ID: "t/test_a.py::test_1", Methods: []string{"a"}},
		{ID: "t/test_a.py::C::test_2[x y]", Methods: []string{"a"}},
		{ID: "t/test_a.py::test_3", Methods: []string{}},
		{ID: "t/test_b.py::test_1", Methods: []string{}},
		{ID: "t/test_gone.py::test_1", Methods: []string{}},
	}
	java := []Test{
		{ID: "x.AddTest#a", Methods: []string{"a"}},
		{ID: "x.AddTest#b", Methods: []string{"a"}},
		{ID: "x.AddTest#c", Methods: []string{}},
		{ID: "x.MulTest#a", Methods: []string{}},
	}
	everything := Change{Fallbacks: []selection.Fallback{{}}}
	for _, tc := range []struct {
		name   string
		all    []Test
		change Change
		format Format
		want   string
	}{
		{"tests and files of pytest", python, Change{Units: []string{"a"}, Groups: map[string]bool{"t/test_b.py": true, "t/test_gone.py": true}}, PytestArgs, "t/test_b.py\nt/test_a.py::C::test_2[x y]\nt/test_a.py::test_1"},
		{"all of pytest", python, everything, PytestArgs, "."},
		{"none of pytest", python, Change{}, PytestArgs, ""},
		{"tests and classes of Surefire", java, Change{Units: []string{"a"}, Groups: map[string]bool{"x.MulTest": true}}, SurefireArgs, "-Dtest=x.MulTest,x.AddTest#a+b"},
		{"all of Surefire", java, everything, SurefireArgs, "-Dtest=*"},
		{"none of Surefire", java, Change{}, SurefireArgs, ""},
		{"tests and classes of Gradle", java, Change{Units: []string{"a"}, Groups: map[string]bool{"x.MulTest": true}}, GradleArgs, "--tests x.MulTest --tests x.AddTest.a --tests x.AddTest.b"},
		{"names", java, Change{Units: []string{"a"}}, Names, "x.AddTest#a\nx.AddTest#b"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := Args(Select(tc.all, tc.change), tc.format, func(file string) bool { return file != "t/test_gone.py" })
			if diff := cmp.Diff(tc.want, strings.Join(got, "\n")); diff != "" {
				t.Errorf("arguments (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadResults(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		known      []string
		want       []selection.Result
		err        string
	}{
		{"go test", `{"Action":"start","Package":"m/a"}
{"Action":"run","Package":"m/a","Test":"TestA"}
{"Action":"fail","Package":"m/a","Test":"TestA/sub","Elapsed":1}
{"Action":"fail","Package":"m/a","Test":"TestA","Elapsed":1.5}
{"Action":"pass","Package":"m/a","Test":"TestB","Elapsed":0.25}
{"Action":"skip","Package":"m/a","Test":"TestC","Elapsed":0}
{"Action":"fail","Package":"m/a","Elapsed":2}
# m/b
{"Action":"fail","Package":"m/b","Elapsed":0}
{"Action":"run","Package":"m/c","Test":"TestExits"}
{"Action":"fail","Package":"m/c","Elapsed":0}
`, []string{"m/a.TestA", "m/b.TestX", "m/c.TestExits", "m/c.TestLater"}, []selection.Result{
			{Path: "m/a.TestA", Failed: true, Duration: 1500 * time.Millisecond},
			{Path: "m/a.TestB", Duration: 250 * time.Millisecond},
			{Path: "m/b.TestX", Failed: true},
			{Path: "m/c.TestExits", Failed: true},
		}, ""},
		{"pytest", `<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="pytest">
<testcase classname="tests.test_a" name="test_1" time="0.5"/>
<testcase classname="tests.test_a.C" name="test_2[x]" time="1"><failure message="m">text</failure></testcase>
<testcase classname="tests.test_a.C" name="test_2[y]" time="1"><skipped/></testcase>
</testsuite></testsuites>`, []string{"tests/test_a.py::test_1", "tests/test_a.py::C::test_2[x]"}, []selection.Result{
			{Path: "tests/test_a.py::test_1", Duration: 500 * time.Millisecond},
			{Path: "tests/test_a.py::C::test_2[x]", Failed: true, Duration: time.Second},
		}, ""},
		{"Surefire, with parameters", `<testsuite name="x.AddTest">
<testcase name="adds(int)[1]" classname="x.AddTest" time="1,000.5"/>
<testcase name="adds(int)[2]" classname="x.AddTest" time="0.5"><error type="t"/></testcase>
<testcase name="other()" classname="x.AddTest" time="?"/>
</testsuite>`, []string{"x.AddTest#adds"}, []selection.Result{
			{Path: "x.AddTest#adds", Failed: true, Duration: 1001 * time.Second},
			{Path: "x.AddTest#other()"},
		}, ""},
		{"lines", `{"path":"a","outcome":"crash"}`, nil, []selection.Result{{Path: "a", Failed: true}}, ""},
		{"damaged XML", `<testsuite><testcase`, nil, nil, "not a JUnit report: XML syntax error on line 1: unexpected EOF"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := ReadResults(strings.NewReader(tc.text), tc.known)
			message := ""
			if err != nil {
				message = err.Error()
			}
			if diff := cmp.Diff(tc.want, got); diff != "" || message != tc.err {
				t.Errorf("error %q, results (-want +got):\n%s", message, diff)
			}
		})
	}
}

// TestJUnit reads the report of a selection as results.
func TestJUnit(t *testing.T) {
	var report strings.Builder
	s := Select([]Test{{ID: "t/test_a.py::C::test_1", Methods: []string{"a"}}, {ID: "t/test_a.py::test_2", Methods: []string{}}}, Change{Units: []string{"a"}})
	if err := WriteJUnit(&report, s); err != nil {
		t.Fatal(err)
	}
	want := `<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="inroad tests select" tests="2" skipped="1">
 <testcase classname="t.test_a.C" name="test_1">
  <system-out>reached a when observed</system-out>
 </testcase>
 <testcase classname="t.test_a" name="test_2">
  <skipped message="left out: not needed for this change"></skipped>
 </testcase>
</testsuite>
`
	if diff := cmp.Diff(want, report.String()); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	results, err := ReadResults(strings.NewReader(report.String()), []string{"t/test_a.py::C::test_1"})
	if err != nil || len(results) != 1 || results[0].Path != "t/test_a.py::C::test_1" {
		t.Errorf("results %v, %v", results, err)
	}
}
