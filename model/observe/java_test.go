package observe_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/model/observe"
)

// javaClasses is the folder of the compiled test classes.
var javaClasses string

func compileJava(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("javac"); err != nil {
		t.Skip("there is no JDK")
	}
	const root = "testdata/javasubject/src/main/java"
	sources, err := filepath.Glob(root + "/org/example/*.java")
	if err != nil {
		t.Fatal(err)
	}
	if javaClasses == "" {
		dir, err := os.MkdirTemp("", "") //nolint:usetesting // all tests share it
		if err != nil {
			t.Fatal(err)
		}
		execute(t, ".", nil, "javac", append([]string{"-g", "-nowarn", "-sourcepath", root, "-d", dir}, sources...)...)
		javaClasses = dir
	}
	return javaClasses
}

func buildJava(t *testing.T, method string) *observe.Program {
	t.Helper()
	target := observe.JavaTarget{Method: method, Classpath: compileJava(t), Sources: "testdata/javasubject"}
	return builtOnce(t, target, observe.BuildJava)
}

// names returns the names of methods without parameters and class.
func names(o observation.Observation) (names []string) {
	for _, m := range short(o.Methods) {
		m, _, _ = strings.Cut(m, "(")
		// The first depends on which input came first in its process, the
		// second on a thread that an earlier input may have left.
		if m != "Hostile.<clinit>" && m != "Hostile.lambda$act$0" {
			names = append(names, strings.TrimPrefix(m, "Hostile."))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// TestHostileJava is [TestHostileGo] for Java.
func TestHostileJava(t *testing.T) {
	p := buildJava(t, "org.example.Hostile#parse")
	kinds := []struct {
		input   string
		outcome observation.Outcome
		failure observation.Failure // Message is a substring; Stack is ignored
		methods []string            // in addition to parse and act; nil if unknown
	}{
		{"fine", observation.OK, observation.Failure{}, []string{}},
		{"fail", observation.Failed, observation.Failure{Type: "java.io.IOException", Message: "refused"}, []string{}},
		{"sad", observation.Failed, observation.Failure{Type: "org.example.Hostile$Sad", Message: "message not available"}, []string{"Sad.<init>"}},
		{"error", observation.Crashed, observation.Failure{Type: "java.lang.AssertionError", Message: "so\n\"it\" ü"}, []string{}},
		{"null", observation.Failed, observation.Failure{Type: "java.lang.NullPointerException"}, []string{}},
		{"hang", observation.TimedOut, observation.Failure{}, []string{"hang"}},
		{"sleep", observation.TimedOut, observation.Failure{}, []string{}},
		{"exit", observation.Crashed, observation.Failure{Type: "exit", Message: "exit status 3"}, []string{}},
		{"halt", observation.Crashed, observation.Failure{Type: "exit", Message: "exit status 4"}, nil},
		{"overflow", observation.Crashed, observation.Failure{Type: "java.lang.StackOverflowError"}, []string{"overflow"}},
		{"hoard", observation.Crashed, observation.Failure{Type: "java.lang.OutOfMemoryError"}, []string{"leak"}},
		{"leak", observation.OK, observation.Failure{}, nil}, // threads of other inputs may contribute
		{"spawn", observation.OK, observation.Failure{}, nil},
		{"print", observation.OK, observation.Failure{}, []string{}},
		{"stdin", observation.OK, observation.Failure{}, []string{}},
		{"interrupt", observation.OK, observation.Failure{}, []string{}},
	}
	var inputs []string
	for _, k := range kinds {
		if k.outcome != observation.TimedOut {
			inputs = append(inputs, k.input, "fine")
		}
	}
	for range 20 { // exceeds the memory limit in total
		inputs = append(inputs, "leak", "spawn")
	}
	opt := observe.Options{Jobs: 2, Warmup: 4, Limits: observe.Limits{Timeout: time.Minute, Memory: 64 << 20}}
	got := observeAll(t, p, opt, inputs...)
	opt.Timeout = time.Second / 2
	for input, o := range observeAll(t, p, opt, "fine", "hang", "sleep") {
		if input != "fine" { // a warm-up input, which may be late on a busy machine
			got[input] = o
		}
	}
	for _, k := range kinds {
		t.Run(k.input, func(t *testing.T) {
			o := got[k.input]
			failure := observation.Failure{}
			if o.Failure != nil {
				failure = *o.Failure
			}
			if o.Outcome != k.outcome || !strings.Contains(failure.Message, k.failure.Message) || failure.Type != k.failure.Type {
				t.Errorf("got %s, %+v; want %s, %+v", o.Outcome, failure, k.outcome, k.failure)
			}
			if want := sorted(append([]string{"parse", "act"}, k.methods...)); k.methods != nil && !slices.Equal(names(o), want) {
				t.Errorf("got methods %q, want %q", names(o), want)
			}
		})
	}
}

func TestJavaMethods(t *testing.T) {
	p := buildJava(t, "org.example.Shapes#parse")
	inits := map[string]int{"Shapes.<init>()": 1, "Shapes.<init>(CharSequence,int)": 1, "Shapes.start()": 1, "Shapes.parse(Reader)": 1}
	cases := []struct {
		input string
		want  map[string]int // in addition to the methods that every input reaches
	}{
		{"", nil},
		{"aab", map[string]int{"Shapes.overloaded(int)": 2, "Shapes.overloaded(String)": 1}},
		{"c", map[string]int{"Shapes.Inner.<init>(Shapes)": 1, "Shapes.Inner.inner()": 1}},
		{"d", map[string]int{"Shapes.lambda(IntUnaryOperator)": 1, "Shapes.lambda$parse$0(int)": 1}},
		{"e", map[string]int{"Shapes.Color.1.weight()": 1}},
		{"f", map[string]int{"Shapes.guarded(int)": 1}},
		{"g", map[string]int{"Shapes.lambda$parse$1()": 1, "Shapes.Default.twice()": 1}},
		{"hh", map[string]int{"Shapes.sparse(int)": 2}},
		{"i", map[string]int{"Shapes.1.<init>(Shapes)": 1, "Shapes.1.hashCode()": 1}},
		{"j", map[string]int{"Shapes.generic(Comparable)": 1}},
		{"k", nil},
		{"x", nil},
	}
	var inputs []string
	for _, tc := range cases {
		inputs = append(inputs, tc.input)
	}
	observed := observeAll(t, p, observe.Options{Jobs: 1}, inputs...) // classes are initialized during warm-up
	for _, tc := range cases {
		o := observed[tc.input]
		got := map[string]int{}
		for i, m := range short(o.Methods) {
			got[m] = o.Counts[i]
		}
		want := maps.Clone(inits)
		maps.Copy(want, tc.want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: methods (-want +got):\n%s", tc.input, diff)
		}
	}
}

// TestJavaBlocks names blocks by the line where they start. An input reaches a
// method's blocks except the first, which is the method itself.
func TestJavaBlocks(t *testing.T) {
	p, err := observe.BuildJava(t.Context(), observe.JavaTarget{
		Method: "org.example.Shapes#parse", Classpath: compileJava(t), Sources: "testdata/javasubject", Blocks: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for _, tc := range []struct {
		input, method string
		want          map[string]int // executions by suffix
	}{
		{"aab", "Shapes.parse(Reader)", map[string]int{"": 1, ":36": 4, ":37": 3, ":38": 2, ":39": 1, ":58": 1}},
		{"x", "Shapes.parse(Reader)", map[string]int{"": 1, ":36": 1, ":37": 1, ":54": 1}},
		{"b", "Shapes.overloaded(String)", map[string]int{"": 1, ":73": 1}},
		{"h", "Shapes.sparse(int)", map[string]int{"": 1, ":109": 1, ":114": 1}},
	} {
		o := observeAll(t, p, observe.Options{Jobs: 1}, tc.input)[tc.input]
		got := map[string]int{}
		for i, m := range short(o.Methods) {
			if suffix, ok := strings.CutPrefix(m, tc.method); ok {
				got[suffix] = o.Counts[i]
			}
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%q: blocks of %s (-want +got):\n%s", tc.input, tc.method, diff)
		}
	}
	for _, u := range p.Header().Units {
		if u.Name == "Shapes.parse(Reader):43" && (u.Kind != observation.KindBlock || u.Start != 43 || u.End != 43) {
			t.Errorf("got unit %+v, want a block of line 43", u)
		}
	}
}

// TestJavaFuzzTarget gives a fuzz target strings and bytes from the start of the
// input and numbers from its end.
func TestJavaFuzzTarget(t *testing.T) {
	p := buildJava(t, "org.example.FuzzShapes")
	if got, want := p.Header().Subject, "org.example.FuzzShapes"; got != want {
		t.Errorf("got subject %q, want %q", got, want)
	}
	for input, want := range map[string]string{
		"": "ready -5 false  [] [] x true  0",
		"né\\\\\\.ab\x01\x02rest\x00\x00\x00\x00\x01\x01\x03": "ready -2 true né\\ [97, 98] [513] y true rest 0",
	} {
		o := observeAll(t, p, observe.Options{Jobs: 1, Warmup: -1}, input)[input]
		if o.Failure == nil || o.Failure.Message != want {
			t.Errorf("%q: got %s, %+v; want %q", input, o.Outcome, o.Failure, want)
		}
	}
}

// TestJavaUnits maps lines to units, as for a diff.
func TestJavaUnits(t *testing.T) {
	p := buildJava(t, "org.example.Shapes#parse")
	const file = "src/main/java/org/example/Shapes.java"
	text, err := os.ReadFile("testdata/javasubject/" + file)
	if err != nil {
		t.Fatal(err)
	}
	marks := 0
	for i, line := range strings.Split(string(text), "\n") {
		mark := inMark.FindStringSubmatch(line)
		if mark == nil {
			continue
		}
		marks++
		// A method of a local class is inside another method; the one that
		// starts last is meant.
		var at observation.Unit
		for _, u := range p.Header().Units {
			if u.File == file && u.Kind != observation.KindSynthetic && u.Start <= i+1 && i+1 <= u.End && u.Start >= at.Start {
				at = u
			}
		}
		if want := file + "#" + mark[1]; at.ID != want {
			t.Errorf("line %d is in %q, want %q", i+1, at.ID, want)
		}
	}
	if marks != 15 {
		t.Errorf("%d marks", marks)
	}
	kinds := map[string]int{}
	for _, u := range p.Header().Units {
		kinds[u.Kind]++
		if u.ID == file+"#Shapes.overloaded(String)" && (u.Start != 65 || u.End != 74) {
			t.Errorf("%s has lines %d to %d", u.ID, u.Start, u.End)
		}
	}
	for _, kind := range []string{observation.KindMethod, observation.KindConstructor, observation.KindInitializer, observation.KindSynthetic} {
		if kinds[kind] == 0 {
			t.Errorf("no unit is a %s", kind)
		}
	}
}

func TestJavaRefuses(t *testing.T) {
	classes := compileJava(t)
	for _, tc := range []struct{ method, classpath, packages, sources, want string }{
		{"#parse", classes, "", "", "must be CLASS#METHOD, or the CLASS of a fuzz target"},
		{"org.example.Shapes", classes, "", "", "org.example.Shapes#fuzzerTestOneInput: method not found"},
		{"org.example.Shapes#silent", classes, "", "", "must take byte[], String, CharSequence, InputStream, Reader, char[], ByteBuffer or Jazzer's FuzzedDataProvider"},
		{"org.example.Shapes#parse", classes, "org.elsewhere", "", "no class of org.elsewhere on the class path"},
		{"org.example.Shapes#parse", "", "", "", "empty class path"},
		{"org.example.Shapes#parse", "missing.jar", "", "", "no such file or directory"},
		{"org.example.Shapes#parse", classes, "", "missing", "sources: stat missing: no such file or directory"},
	} {
		t.Run(tc.method, func(t *testing.T) {
			target := observe.JavaTarget{Method: tc.method, Classpath: tc.classpath, Sources: tc.sources}
			if tc.packages != "" {
				target.Packages = []string{tc.packages}
			}
			_, err := observe.BuildJava(t.Context(), target)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got error %v, want %q", err, tc.want)
			}
		})
	}
}
