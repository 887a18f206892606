package observe_test

import (
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/model/observe"
)

func buildNode(t *testing.T, target observe.NodeTarget) *observe.Program {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("there is no Node")
	}
	target.Dir = "testdata/nodesubject"
	return builtOnce(t, target, observe.BuildNode)
}

// TestHostileNode is [TestHostileGo] for JavaScript.
func TestHostileNode(t *testing.T) {
	p := buildNode(t, observe.NodeTarget{File: "hostile.js"})
	kinds := []struct {
		input   string
		outcome observation.Outcome
		failure observation.Failure // Message is a substring; Stack is ignored
		unknown bool                // the methods
	}{
		{"fine", observation.OK, observation.Failure{}, false},
		{"fail", observation.Failed, observation.Failure{Type: "TypeError", Message: "refused: "}, false},
		{"sad", observation.Failed, observation.Failure{Type: "Sad", Message: "message not available"}, true},
		{"string", observation.Failed, observation.Failure{Type: "string", Message: "text"}, false},
		{"nothing", observation.Failed, observation.Failure{Type: "undefined", Message: "undefined"}, false},
		{"hang", observation.TimedOut, observation.Failure{}, false},
		{"never", observation.TimedOut, observation.Failure{}, true},
		{"exit", observation.Crashed, observation.Failure{Type: "exit", Message: "exit status 3"}, false},
		{"kill", observation.Crashed, observation.Failure{Type: "SIGKILL", Message: "killed"}, true},
		{"abort", observation.Crashed, observation.Failure{Type: "SIGABRT", Message: "aborted"}, false},
		{"overflow", observation.Failed, observation.Failure{Type: "RangeError", Message: "call stack"}, false},
		{"hoard", observation.Crashed, observation.Failure{}, false},
		{"buffers", observation.Crashed, observation.Failure{Type: "out of memory", Message: "exceeds the limit of"}, false},
		{"leak", observation.OK, observation.Failure{}, false},
		{"close", observation.Crashed, observation.Failure{Type: "exit", Message: "closed file descriptors"}, true},
		{"close low", observation.OK, observation.Failure{}, false},
		{"daemon", observation.OK, observation.Failure{}, false},
		{"print", observation.OK, observation.Failure{}, false},
		{"stdin", observation.OK, observation.Failure{}, false},
		{"resolve", observation.OK, observation.Failure{}, true},
		{"reject", observation.Failed, observation.Failure{Type: "RangeError", Message: "rejected"}, false},
		{"forgotten", observation.Failed, observation.Failure{Type: "RangeError", Message: "forgotten"}, false},
		{"later", observation.Failed, observation.Failure{Type: "RangeError", Message: "later"}, true},
		{"chdir", observation.OK, observation.Failure{}, false},
	}
	var inputs, slow []string
	for _, k := range kinds {
		if k.outcome == observation.TimedOut {
			slow = append(slow, k.input)
		} else {
			inputs = append(inputs, k.input, "fine")
		}
	}
	for range 12 { // exceeds the memory limit in total
		inputs = append(inputs, "leak", "fine")
	}
	opt := observe.Options{Jobs: 2, Warmup: -1, Limits: observe.Limits{Timeout: time.Minute, Memory: 192 << 20}}
	got := observeAll(t, p, opt, inputs...)
	opt.Timeout = time.Second / 2
	maps.Copy(got, observeAll(t, p, opt, slow...))
	for _, k := range kinds {
		o := got[k.input]
		failure := observation.Failure{}
		if o.Failure != nil {
			failure = *o.Failure
		}
		if o.Outcome != k.outcome || !strings.Contains(failure.Message, k.failure.Message) || k.failure.Type != "" && failure.Type != k.failure.Type {
			t.Errorf("%s: got %s, %+v; want %s, %+v", k.input, o.Outcome, failure, k.outcome, k.failure)
		}
		want := []string{"actions." + k.input, "fuzz"}
		if k.input == "fine" {
			want = want[1:]
		}
		if got := sorted(short(o.Methods)); !k.unknown && !slices.Equal(got, want) {
			t.Errorf("%s: got methods %q, want %q", k.input, got, want)
		}
	}
	if f := got["fail"].Failure; len(f.Stack) != 16 || f.Stack == got["reject"].Failure.Stack {
		t.Errorf("got the digests %q and %q of two places", f.Stack, got["reject"].Failure.Stack)
	}
}

func TestNodeMethods(t *testing.T) {
	p := buildNode(t, observe.NodeTarget{File: "shapes/index.js:parse"})
	cases := map[string][]string{
		"":   {},
		"s":  {"shapes.s", "Shape.of", "Shape.constructor", "Shape.get first"},
		"p":  {"shapes.p", "Shape.constructor", "Shape.reveal", "Shape.#secret"},
		"a":  {"shapes.a", "Shape.constructor", "Shape.arrow"},
		"w":  {"shapes.w", "Shape.constructor", "Shape.set first"},
		"g":  {"shapes.g", "generator"},
		"u":  {"shapes.u"},
		"o":  {"shapes.o", "Old", "Old.method"},
		"l":  {"shapes.l", "shapes.l.<anonymous>"},
		"f":  {"shapes.f", "shapes.f.named"},
		"d":  {"branches", "defaulted", "<anonymous>"},
		"su": {"shapes.s", "Shape.of", "Shape.constructor", "Shape.get first", "shapes.u"},
	}
	got := observeAll(t, p, observe.Options{Jobs: 1, Warmup: -1}, slices.Collect(maps.Keys(cases))...)
	for input, want := range cases {
		if diff := cmp.Diff(sorted(append(want, "parse")), sorted(short(got[input].Methods))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", input, diff)
		}
	}
	for _, want := range []observation.Unit{
		{ID: "shapes/index.js#Shape.constructor", Kind: "constructor", Name: "Shape.constructor", File: "shapes/index.js", Start: 7, End: 7},
		{ID: "shapes/index.js#source", Kind: "method", Name: "source", File: "shapes/index.js", Start: 41, End: 43},
		{ID: "shapes/branches.js#branches", Kind: "method", Name: "branches", File: "shapes/branches.js", Start: 1, End: 29},
	} {
		if !slices.Contains(p.Header().Units, want) {
			t.Errorf("no unit %+v in %+v", want, p.Header().Units)
		}
	}
}

func TestNodeBlocks(t *testing.T) {
	p := buildNode(t, observe.NodeTarget{File: "shapes/branches.js:branches", Blocks: true})
	cases := map[string][]string{
		"1": {":3.18", ":7.3", ":9.5", ":10.3", ":13.7", ":18.3", ":20.5", ":24.5", ":26.3", ":26.6", ":28.3"},
		"2": {":4.8", ":5.5", ":7.3", ":9.5", ":10.3", ":13.7", ":18.3", ":19.20", ":22.5", ":24.5", ":26.3", ":26.6", ":28.3"},
		"3": {":4.8", ":6.10", ":7.3", ":9.5", ":9.20", ":10.3", ":16.7", ":18.3", ":20.5", ":24.5", ":26.3", ":26.6", ":28.3"},
	}
	got := observeAll(t, p, observe.Options{Jobs: 1, Warmup: -1}, "1", "2", "3")
	for input, want := range cases {
		for i := range want {
			want[i] = "branches" + want[i]
		}
		if diff := cmp.Diff(sorted(append(want, "branches")), sorted(short(got[input].Methods))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", input, diff)
		}
	}
}

// TestNodeModules observes modules in both notations, and files that are loaded
// later.
func TestNodeModules(t *testing.T) {
	p := buildNode(t, observe.NodeTarget{File: "esm/fuzz.js", Packages: []string{"esm", "shapes/branches.js"}})
	got := observeAll(t, p, observe.Options{Jobs: 1, Warmup: -1}, "", "lazy", "require")
	for input, want := range map[string][]string{
		"":        {"esm/fuzz.js#fuzz", "esm/lib.js#parse"},
		"lazy":    {"esm/fuzz.js#fuzz", "esm/lazy.mjs#default", "esm/lazy.mjs#default.<anonymous>", "esm/lib.js#parse"},
		"require": {"esm/fuzz.js#fuzz", "esm/lib.js#parse", "shapes/branches.js#branches"},
	} {
		if got := sorted(got[input].Methods); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", input, got, want)
		}
	}
}

func TestNodeErrors(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("there is no Node")
	}
	for _, tc := range []struct {
		target observe.NodeTarget
		want   string
	}{
		{observe.NodeTarget{File: "nowhere.js"}, "nowhere.js: no file or package nowhere.js"},
		{observe.NodeTarget{File: "empty.js"}, "empty.js: no function in the JavaScript sources of "},
		{observe.NodeTarget{File: "shapes/index.js"}, "exports no function fuzz: give FILE:EXPORT"},
		{observe.NodeTarget{File: "shapes/index.js:nothing"}, "exports no function nothing"},
		{observe.NodeTarget{File: "broken.js"}, "broken.js: RangeError: broken at load ("},
		{observe.NodeTarget{File: "hostile.js", Packages: []string{"nowhere"}}, "hostile.js: no file, folder or package nowhere"},
		{observe.NodeTarget{File: "hostile.js", Interpreter: "/nowhere/node"}, "hostile.js: observing JavaScript needs an interpreter: "},
	} {
		tc.target.Dir = "testdata/nodesubject"
		p, err := observe.BuildNode(t.Context(), tc.target)
		if err == nil {
			p.Close()
		}
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%+v: got %v, want %q", tc.target, err, tc.want)
		}
	}
}
