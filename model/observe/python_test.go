package observe_test

import (
	"iter"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/model/observe"
)

// pythons returns an interpreter for each way to observe: with sys.monitoring
// since Python 3.12, and with sys.settrace before.
var pythons = sync.OnceValue(func() map[string]string {
	home, _ := os.UserHomeDir()
	installed, _ := filepath.Glob(filepath.Join(home, ".pyenv/versions/3.*/bin/python3"))
	found := map[string]string{}
	for _, command := range append([]string{"python3"}, installed...) {
		out, err := exec.Command(command, "-c", `import sys; print(sys.executable, "monitoring" if hasattr(sys, "monitoring") else "settrace") if sys.version_info >= (3, 8) else None`).Output()
		python, way, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
		if err == nil && way != "" && found[way] == "" {
			found[way] = python
		}
	}
	return found
})

// eachPython yields the names of the ways to observe, with an interpreter.
func eachPython(t *testing.T) iter.Seq2[string, string] {
	t.Helper()
	if len(pythons()) == 0 {
		t.Skip("there is no Python 3.8 or later")
	}
	return maps.All(pythons())
}

func buildPython(t *testing.T, target observe.PythonTarget) *observe.Program {
	t.Helper()
	target.Dir = "testdata/pysubject"
	return builtOnce(t, target, observe.BuildPython)
}

// TestHostilePython is [TestHostileGo] for Python. An input that ends its
// process keeps its methods.
func TestHostilePython(t *testing.T) {
	kinds := []struct {
		input   string
		outcome observation.Outcome
		failure observation.Failure // Message is a substring; Stack is ignored
		methods []string            // in addition to parse and act
	}{
		{"fine", observation.OK, observation.Failure{}, nil},
		{"fail", observation.Failed, observation.Failure{Type: "ValueError", Message: "refused: "}, nil},
		{"sad", observation.Failed, observation.Failure{Type: "hostile.Sad", Message: "message not available"}, nil},
		{"hang", observation.TimedOut, observation.Failure{}, []string{"hang"}},
		{"sleep", observation.TimedOut, observation.Failure{}, nil},
		{"ignore", observation.TimedOut, observation.Failure{}, []string{"hang"}},
		{"exit", observation.Failed, observation.Failure{Type: "SystemExit", Message: "3"}, nil},
		{"done", observation.OK, observation.Failure{}, nil},
		{"_exit", observation.Crashed, observation.Failure{Type: "exit", Message: "exit status 4"}, nil},
		{"kill", observation.Crashed, observation.Failure{Type: "SIGKILL", Message: "killed"}, nil},
		{"segfault", observation.Crashed, observation.Failure{Type: "Segmentation fault", Message: "segmentation fault"}, []string{"segfault"}},
		{"overflow", observation.Failed, observation.Failure{Type: "RecursionError"}, []string{"overflow"}},
		{"hoard", observation.Crashed, observation.Failure{Type: "MemoryError"}, []string{"hoard"}},
		{"leak", observation.OK, observation.Failure{}, nil},
		{"threads", observation.OK, observation.Failure{}, nil},
		{"close", observation.Crashed, observation.Failure{Type: "exit", Message: "exit status 3"}, nil},
		{"close low", observation.OK, observation.Failure{}, nil},
		{"fork", observation.OK, observation.Failure{}, []string{"fork"}},
		{"daemon", observation.OK, observation.Failure{}, nil},
		{"print", observation.OK, observation.Failure{}, nil},
		{"stdin", observation.OK, observation.Failure{}, nil},
		{"chdir", observation.OK, observation.Failure{}, nil},
	}
	for way, python := range eachPython(t) {
		t.Run(way, func(t *testing.T) {
			p := buildPython(t, observe.PythonTarget{Interpreter: python, Function: "hostile:parse"})
			var inputs, slow []string
			for _, k := range kinds {
				if k.outcome == observation.TimedOut {
					slow = append(slow, k.input)
				} else {
					inputs = append(inputs, k.input, "fine")
				}
			}
			for range 8 { // exceeds the memory limit and the number of threads in total
				inputs = append(inputs, "leak", "threads")
			}
			opt := observe.Options{Jobs: 2, Warmup: -1, Limits: observe.Limits{Timeout: time.Minute, Memory: 1 << 30}}
			got := observeAll(t, p, opt, inputs...)
			opt.Timeout = time.Second / 2
			maps.Copy(got, observeAll(t, p, opt, slow...))
			for _, k := range kinds {
				o := got[k.input]
				failure := observation.Failure{}
				if o.Failure != nil {
					failure = *o.Failure
				}
				if o.Outcome != k.outcome || !strings.Contains(failure.Message, k.failure.Message) || failure.Type != k.failure.Type {
					t.Errorf("%s: got %s, %+v; want %s, %+v", k.input, o.Outcome, failure, k.outcome, k.failure)
				}
				if got, want := sorted(short(o.Methods)), sorted(append([]string{"parse", "act"}, k.methods...)); !slices.Equal(got, want) {
					t.Errorf("%s: got methods %q, want %q", k.input, got, want)
				}
			}
		})
	}
}

// TestPythonStacks checks that equal places have equal digests.
func TestPythonStacks(t *testing.T) {
	for way, python := range eachPython(t) {
		t.Run(way, func(t *testing.T) {
			p := buildPython(t, observe.PythonTarget{Interpreter: python, Function: "hostile:parse"})
			opt := observe.Options{Jobs: 1, Warmup: -1}
			first, second := observeAll(t, p, opt, "fail", "sad", "segfault"), observeAll(t, p, opt, "segfault", "fail")
			for _, input := range []string{"fail", "segfault"} {
				a, b := first[input].Failure, second[input].Failure
				if len(a.Stack) != 16 || a.Stack != b.Stack {
					t.Errorf("%s: got stacks %q and %q, want the same digest", input, a.Stack, b.Stack)
				}
			}
			if first["fail"].Failure.Stack == first["segfault"].Failure.Stack {
				t.Error("other places have the same digest")
			}
		})
	}
}

func TestPythonMethods(t *testing.T) {
	cases := []struct {
		input string
		want  []string // in addition to parse
	}{
		{"", nil},
		{"w", []string{"decorated.wrapper", "wrapped"}},
		{"s", []string{"Outer.Inner.static", "Outer.__init__", "Outer.first"}},
		{"g", []string{"generator", "inner"}},
		{"u", []string{"<lambda>@84"}}, // a generator that never starts is not reached
		{"c", []string{"caught", "raising"}},
		{"l", []string{"local", "local.nested"}},
		{"d", []string{"<lambda>@72", "default"}},
		{"1", []string{"branches"}},
		{"wcw", []string{"caught", "decorated.wrapper", "raising", "wrapped"}},
	}
	for way, python := range eachPython(t) {
		t.Run(way, func(t *testing.T) {
			p := buildPython(t, observe.PythonTarget{Interpreter: python, Function: "shapes:parse"})
			var inputs []string
			for _, tc := range cases {
				inputs = append(inputs, tc.input)
			}
			got := observeAll(t, p, observe.Options{Jobs: 1, Warmup: -1}, inputs...)
			for _, tc := range cases {
				if got, want := sorted(short(got[tc.input].Methods)), sorted(append([]string{"parse"}, tc.want...)); !slices.Equal(got, want) {
					t.Errorf("%q: got %q, want %q", tc.input, got, want)
				}
			}
		})
	}
}

func TestPythonUnits(t *testing.T) {
	for way, python := range eachPython(t) {
		t.Run(way, func(t *testing.T) {
			p := buildPython(t, observe.PythonTarget{Interpreter: python, Function: "shapes:parse", Commit: "v1"})
			h := p.Header()
			if h.Subject != "shapes:parse" || h.Commit != "v1" {
				t.Errorf("got subject %q at %q", h.Subject, h.Commit)
			}
			for _, want := range []observation.Unit{
				{ID: "shapes/__init__.py#wrapped", Kind: "method", Name: "wrapped", File: "shapes/__init__.py", Start: 23, End: 25},
				{ID: "shapes/__init__.py#Outer.__init__", Kind: "constructor", Name: "Outer.__init__", File: "shapes/__init__.py", Start: 29, End: 30},
				{ID: "shapes/__init__.py#never.<lambda>", Kind: "method", Name: "never.<lambda>", File: "shapes/__init__.py", Start: 77, End: 77},
				{ID: "shapes/lines.py#branches", Kind: "method", Name: "branches", File: "shapes/lines.py", Start: 1, End: 26},
			} {
				if !slices.Contains(h.Units, want) {
					t.Errorf("no unit %+v in %+v", want, h.Units)
				}
			}
		})
	}
}

// TestPythonBlocks checks which blocks inputs reach. A block that shares a line
// with another one is not observed.
func TestPythonBlocks(t *testing.T) {
	cases := map[string][]string{
		"1": {":4", ":14", ":15", ":16", ":21", ":23"},
		"2": {":8", ":9", ":14", ":15", ":16", ":21", ":23"},
		"3": {":8", ":11", ":14"},
		"x": {":8", ":11", ":14", ":15", ":16", ":19", ":21", ":24", ":25", ":26"},
	}
	for way, python := range eachPython(t) {
		t.Run(way, func(t *testing.T) {
			p := buildPython(t, observe.PythonTarget{Interpreter: python, Function: "shapes.lines:branches", Packages: []string{"shapes.lines"}, Blocks: true})
			var inputs []string
			for input := range cases {
				inputs = append(inputs, input)
			}
			got := observeAll(t, p, observe.Options{Jobs: 1, Warmup: -1}, inputs...)
			for input, want := range cases {
				want := append([]string{"branches"}, want...)
				for i := range want[1:] {
					want[i+1] = "branches" + want[i+1]
				}
				if diff := cmp.Diff(sorted(want), sorted(short(got[input].Methods))); diff != "" {
					t.Errorf("%q (-want +got):\n%s", input, diff)
				}
			}
		})
	}
}

// TestAtheris runs an unmodified fuzz target. The first byte of the input
// selects ASCII.
func TestAtheris(t *testing.T) {
	for way, python := range eachPython(t) {
		t.Run(way, func(t *testing.T) {
			for _, target := range []string{"fuzz_shapes.py", "fuzz_shapes"} {
				p := buildPython(t, observe.PythonTarget{Interpreter: python, Function: target})
				p.Wrap([]byte{1}, nil)
				got := observeAll(t, p, observe.Options{Jobs: 1, Warmup: -1}, "c", "l")
				for input, want := range map[string][]string{"c": {"TestOneInput", "caught", "parse", "raising"}, "l": {"TestOneInput", "local", "local.nested", "parse"}} {
					if got := sorted(short(got[input].Methods)); !slices.Equal(got, want) {
						t.Errorf("%s: %q: got %q, want %q", target, input, got, want)
					}
				}
			}
		})
	}
}

// TestPythonTypes checks how a function gets its input.
func TestPythonTypes(t *testing.T) {
	for way, python := range eachPython(t) {
		t.Run(way, func(t *testing.T) {
			p := buildPython(t, observe.PythonTarget{Interpreter: python, Function: "takers.py:take"})
			got := observeAll(t, p, observe.Options{Jobs: 1, Warmup: -1}, "a\xff", "generate", "wait")
			for input, want := range map[string]string{
				"a\xff": `plain str, text str, data bytes, quoted bytes, either str, take bytes, got 'a\udcff'`, "generate": "generated", "wait": "waited",
			} {
				if f := got[input].Failure; f == nil || f.Message != want {
					t.Errorf("%q: got %+v, want %s", input, f, want)
				}
			}
		})
	}
}

func TestPythonErrors(t *testing.T) {
	var python string
	for _, python = range eachPython(t) {
		break
	}
	cases := []struct {
		target observe.PythonTarget
		want   string
	}{
		{observe.PythonTarget{Function: "a:b:c"}, "a:b:c: must be MODULE:FUNC, such as json:loads, or the file of a fuzz target"},
		{observe.PythonTarget{Function: "shapes:"}, "shapes:: must be MODULE:FUNC, such as json:loads, or the file of a fuzz target"},
		{observe.PythonTarget{Function: "shapes:parse", Interpreter: "/nowhere/python"}, "observing Python needs an interpreter: "},
		{observe.PythonTarget{Function: "nowhere:parse"}, "nowhere:parse: no module nowhere in "},
		{observe.PythonTarget{Function: "nowhere.py"}, "nowhere.py: no such file"},
		{observe.PythonTarget{Function: "shapes:nothing"}, "shapes:nothing: shapes has no function nothing"},
		{observe.PythonTarget{Function: "shapes:SHAPES"}, "shapes:SHAPES: shapes:SHAPES: must be a function"},
		{observe.PythonTarget{Function: "hostile"}, "has no function TestOneInput and does not call atheris.Fuzz: give MODULE:FUNC"},
		{observe.PythonTarget{Function: "broken:parse"}, "broken:parse: RuntimeError: broken at import ("},
		{observe.PythonTarget{Function: "math:sqrt"}, "math:sqrt: no function in the Python sources of math"},
		{observe.PythonTarget{Function: "shapes:parse", Packages: []string{"nowhere"}}, "no module nowhere in "},
	}
	for _, tc := range cases {
		tc.target.Dir = "testdata/pysubject"
		if tc.target.Interpreter == "" {
			tc.target.Interpreter = python
		}
		p, err := observe.BuildPython(t.Context(), tc.target)
		if err == nil {
			p.Close()
		}
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got %v, want %q", tc.target.Function, err, tc.want)
		}
	}
}
