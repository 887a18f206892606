package observe_test

import (
	"fmt"
	"maps"
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

// needClang skips a test where there is no clang.
func needClang(t *testing.T) {
	t.Helper()
	for _, name := range []string{"clang", "clang-19", "clang-18", "clang-17", "clang-16", "clang-15", "clang-14", "clang-13"} {
		if _, err := exec.LookPath(name); err == nil {
			return
		}
	}
	t.Skip("there is no clang")
}

const buildHostile = "$CC $CFLAGS hostile.c $LIB_FUZZING_ENGINE -o $OUT/hostile"

func buildC(t *testing.T, target observe.CTarget) *observe.Program {
	t.Helper()
	needClang(t)
	target.Dir = "testdata/csubject"
	return builtOnce(t, target, observe.BuildC)
}

// TestHostileC observes a program that damages its process in many ways, with
// harmless inputs in between. Counters survive all of them.
func TestHostileC(t *testing.T) {
	for _, fork := range []bool{false, true} {
		t.Run(fmt.Sprintf("fork=%v", fork), func(t *testing.T) {
			testHostileC(t, buildC(t, observe.CTarget{Command: buildHostile, Fork: fork}), fork)
		})
	}
}

func testHostileC(t *testing.T, p *observe.Program, fork bool) {
	t.Helper()
	crash := func(kind, message string) observation.Failure {
		return observation.Failure{Type: kind, Message: message}
	}
	const in = " in "
	none := observation.Failure{}
	kinds := []struct {
		input   string
		outcome observation.Outcome
		failure observation.Failure // Message is a substring; Stack is ignored
		methods []string            // in addition to LLVMFuzzerTestOneInput and run
	}{
		{"null", observation.Crashed, crash("SIGSEGV", "segmentation fault in crash (hostile.c:28)"), []string{"crash"}}, // as the first input
		{"fine", observation.OK, none, nil},
		{"reject", observation.Failed, crash("rejected", "returned -1"), nil},
		{"deep", observation.Crashed, crash("SIGSEGV", "segmentation fault in crash (hostile.c:28)"), []string{"crash_deeply", "crash"}},
		{"abort", observation.Crashed, crash("SIGABRT", "aborted in run"), nil},
		{"assert", observation.Crashed, crash("assertion", "word == NULL in run (hostile.c:"), nil},
		{"divide", observation.Crashed, crash("SIGFPE", "floating point exception in run"), nil},
		{"overflow", observation.Crashed, crash("stack overflow", in+"overflow"), []string{"overflow"}},
		{"exit0", observation.Crashed, crash("exit", "exit status 0 in run"), nil},
		{"exit3", observation.Crashed, crash("exit", "exit status 3 in run"), nil},
		{"_exit", observation.Crashed, crash("exit", "exit status 4"), nil},
		{"kill", observation.Crashed, crash("SIGKILL", "killed"), nil},
		{"stop", observation.TimedOut, none, nil},
		{"hang", observation.TimedOut, none, nil},
		{"deaf", observation.TimedOut, none, nil},
		{"hoard", observation.Crashed, crash("out of memory", "limit"), []string{"leak"}},
		{"huge", observation.Failed, crash("rejected", ""), []string{"leak"}},
		{"leak", observation.OK, none, []string{"leak"}},
		{"close3", observation.OK, none, []string{"closes"}},
		{"close", observation.OK, none, []string{"closes"}},
		{"fork", observation.OK, none, []string{"forks", "in_child"}},
		{"linger", observation.OK, none, []string{"forks"}},
		{"both", observation.OK, none, nil},
		{"print", observation.OK, none, []string{"prints"}},
		{"often", observation.OK, none, []string{"called_often"}},
		{"write", observation.OK, none, nil},
	}
	var inputs, endless []string
	for _, k := range kinds {
		if k.outcome == observation.TimedOut {
			endless = append(endless, k.input, k.input+" fine")
		} else {
			inputs = append(inputs, k.input, "fine")
		}
	}
	for range 20 { // exceeds the memory limit in total
		inputs = append(inputs, "leak")
	}
	// Only an endless input may time out, even on a busy machine.
	opt := observe.Options{Jobs: 2, Warmup: 5, Limits: observe.Limits{Timeout: time.Minute, Memory: 128 << 20}}
	got := observeAll(t, p, opt, inputs...)
	opt.Timeout = time.Second / 2
	maps.Copy(got, observeAll(t, p, opt, endless...))
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
			methods := short(o.Methods)
			if k.input == "linger" { // the child may or may not have run
				methods = slices.DeleteFunc(methods, func(m string) bool { return m == "in_child" })
			}
			if want := append([]string{"LLVMFuzzerTestOneInput", "run"}, k.methods...); !slices.Equal(sorted(methods), sorted(want)) {
				t.Errorf("got methods %q, want %q", methods, want)
			}
		})
	}
	if i := slices.Index(got["often"].Methods, "hostile.c#called_often"); i < 0 || got["often"].Counts[i] != 512 {
		t.Errorf("called_often is called 512 times: got methods %q, counts %v", got["often"].Methods, got["often"].Counts)
	}
	if a, b := got["null"].Failure, got["deep"].Failure; a.Stack == "" || a.Stack == b.Stack {
		t.Errorf("crashes of different callers have the stacks %q and %q", a.Stack, b.Stack)
	}
	state := observeAll(t, p, observe.Options{Jobs: 1, Warmup: -1}, "state", "state ", "state  ")
	if failed := state["state  "].Outcome == observation.Failed; failed == fork {
		t.Errorf("fork=%v: the third input that needs a fresh process has outcome %s", fork, state["state  "].Outcome)
	}
}

func TestCErrors(t *testing.T) {
	needClang(t)
	const target = `#include <stddef.h>\nint LLVMFuzzerTestOneInput(const unsigned char *d, size_t n) { return 0; }\n`
	for _, tc := range []struct{ name, command, want string }{
		{"no executable", "true", "the command writes no executable: it must build a fuzz target anew, to $OUT or below the current folder"},
		{"failing", "echo no such thing >&2; exit 7", "exit status 7\nno such thing"},
		{"empty", " ", "must be a shell command"},
		{"no harness", "$CC -shared a.c -o lib.so && $CC a.c b.c -o b", "b is not linked with the harness: add $LIB_FUZZING_ENGINE"},
		{"no main", "$CC a.c -o a", "the command must link the program with $LIB_FUZZING_ENGINE"},
		{"no target", "$CC $CFLAGS -x c /dev/null -x none $LIB_FUZZING_ENGINE -o a", "the program must define LLVMFuzzerTestOneInput"},
		{"several", "for n in a b; do $CC a.c $LIB_FUZZING_ENGINE -o $OUT/$n; done", "the command builds several fuzz targets: must name one of a, b"},
		{"other name", "$CC a.c $LIB_FUZZING_ENGINE -o $OUT/a", "no fuzz target c"},
		{"no counters", "clang=$(tail -1 $CC | cut -d' ' -f2 | tr -d '\"') && $clang -g a.c $LIB_FUZZING_ENGINE -o a", "the program has no counters"},
		{"no debug information", "$CC a.c -s $LIB_FUZZING_ENGINE -o a", "a has no debug information: compile it with -g, and do not strip it"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, filepath.Join(dir, "a.c"), strings.ReplaceAll(target, `\n`, "\n"))
			write(t, filepath.Join(dir, "b.c"), "int main() { return 0; }\n")
			name := ""
			if tc.name == "other name" {
				name = "c"
			}
			p, err := observe.BuildC(t.Context(), observe.CTarget{Dir: dir, Command: tc.command, Name: name})
			if err == nil {
				p.Close()
				t.Fatalf("got no error, want %q", tc.want)
			}
			if !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got error %q, want %q", err, tc.want)
			}
		})
	}
}

// TestCppUnits maps lines to units, as for a diff, and counts instances of templates
// and variants of constructors as one method.
func TestCppUnits(t *testing.T) {
	p := buildC(t, observe.CTarget{Command: "$CXX $CXXFLAGS -O2 -c shapes.cpp -o $WORK/shapes.o && g++ $WORK/shapes.o -fsanitize=fuzzer -o $OUT/shapes", Blocks: true})
	units := map[string]observation.Unit{}
	for _, u := range p.Header().Units {
		if _, ok := units[u.ID]; ok {
			t.Errorf("two units have the id %s", u.ID)
		}
		units[u.ID] = u
		if u.File != "shapes.cpp" || u.Start < 1 || u.End < u.Start {
			t.Errorf("got unit %+v", u)
		}
	}
	checkMarks(t, "testdata/csubject/shapes.cpp", "shapes.cpp", p.Header().Units, 10)
	for id, kind := range map[string]string{"geo::Shape::Shape": observation.KindConstructor, "geo::Shape::~Shape": observation.KindMethod, "hidden": observation.KindMethod} {
		if got := units["shapes.cpp#"+id].Kind; got != kind {
			t.Errorf("%s has kind %q, want %q", id, got, kind)
		}
	}
	methods := func(input string) (methods []string, blocks []string) {
		o := observeAll(t, p, observe.Options{Jobs: 1}, input)[input]
		for i, id := range o.Methods {
			if u, ok := units[id]; !ok {
				t.Errorf("%s is not in the table", id)
			} else if u.Kind == observation.KindBlock {
				blocks = append(blocks, fmt.Sprintf("%d-%d", u.Start, u.End))
			} else if u.Name != "LLVMFuzzerTestOneInput" {
				methods = append(methods, fmt.Sprintf("%s %d", u.Name, o.Counts[i]))
			}
		}
		return methods, blocks
	}
	for input, want := range map[string][]string{
		"o": {"geo::Shape::Shape 1", "geo::Shape::area 1", "geo::Shape::area 1", "geo::Shape::~Shape 1"},
		"t": {"geo::largest 3"}, // three instances
		"l": {"hidden 1", "LLVMFuzzerTestOneInput::$_0::operator() 1"},
		"x": nil,
	} {
		if got, _ := methods(input); !slices.Equal(sorted(got), sorted(want)) {
			t.Errorf("%q reaches %q, want %q", input, got, want)
		}
	}
	_, other := methods("x")
	_, thrown := methods("e")
	if diff := cmp.Diff([]string{"46-46", "46-46"}, slices.DeleteFunc(thrown, func(b string) bool { return slices.Contains(other, b) })); diff != "" {
		t.Errorf("blocks of a branch (-want +got):\n%s", diff)
	}
	got := observeAll(t, p, observe.Options{Jobs: 1}, "e")["e"]
	if f := got.Failure; got.Outcome != observation.Crashed || f.Type != "std::runtime_error" || !strings.HasPrefix(f.Message, "no such shape in LLVMFuzzerTestOneInput (shapes.cpp:46)") || f.Stack == "" {
		t.Errorf("an exception gives %s, %+v", got.Outcome, f)
	}
}

// TestSanitizers expects a report as type, message and stack of a crash.
func TestSanitizers(t *testing.T) {
	needClang(t)
	p, err := observe.BuildC(t.Context(), observe.CTarget{Dir: "testdata/csubject", Command: "$CC -fsanitize=address,undefined,fuzzer memory.c -o $OUT/memory"})
	if err != nil {
		if strings.Contains(err.Error(), "libclang_rt.") {
			t.Skip("clang has no runtime libraries for sanitizers")
		}
		t.Fatal(err)
	}
	defer p.Close()
	got := observeAll(t, p, observe.Options{Jobs: 1}, "", "read", "use", "free", "add")
	for input, want := range map[string]observation.Failure{
		"read": {Type: "heap-buffer-overflow", Message: "READ of size 1 in read_behind (memory.c:7)"},
		"use":  {Type: "heap-use-after-free", Message: "WRITE of size 1 in use_freed (memory.c:11)"},
		"free": {Type: "double-free", Message: "attempting double-free on 0x…"},
		"add":  {Type: "undefined-behavior", Message: "signed integer overflow: 2147483647 + 1 cannot be represented in type 'int' in add (memory.c:15)"},
	} {
		o := got[input]
		if o.Outcome != observation.Crashed || o.Failure.Type != want.Type || !strings.HasPrefix(o.Failure.Message, want.Message) || o.Failure.Stack == "" {
			t.Errorf("%q: got %s, %+v; want %+v", input, o.Outcome, o.Failure, want)
		}
		if len(o.Methods) != 2 {
			t.Errorf("%q reaches %q, want the target and one other method", input, o.Methods)
		}
	}
	if o := got[""]; o.Outcome != observation.OK {
		t.Errorf("got %+v", o)
	}
}
