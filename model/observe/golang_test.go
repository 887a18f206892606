package observe_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/model/observe"
)

// programs caches programs for all tests.
var programs = map[string]*observe.Program{}

func TestMain(m *testing.M) {
	if file := os.Getenv("INROAD_TEST_OBSERVE"); file != "" { //nolint:forbidigo // the test is its own child
		observeUntilKilled(file)
		return
	}
	m.Run()
	for _, p := range programs {
		p.Close()
	}
	if javaClasses != "" {
		os.RemoveAll(javaClasses)
	}
}

func build(t *testing.T, target observe.GoTarget) *observe.Program {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	target.Dir = "testdata/gosubject"
	return builtOnce(t, target, observe.BuildGo)
}

// builtOnce returns the program of a target, which all tests share.
func builtOnce[T any](t *testing.T, target T, build func(context.Context, T) (*observe.Program, error)) *observe.Program {
	t.Helper()
	key := fmt.Sprintf("%T%v", target, target)
	if programs[key] == nil {
		p, err := build(t.Context(), target)
		if err != nil {
			t.Fatal(err)
		}
		programs[key] = p
	}
	return programs[key]
}

func texts(inputs ...string) iter.Seq2[observe.Input, error] {
	return func(yield func(observe.Input, error) bool) {
		for i, text := range inputs {
			if !yield(observe.Input{Name: fmt.Sprint(i), Data: []byte(text)}, nil) {
				return
			}
		}
	}
}

// observeAll returns the observations of the inputs, by input. It fails unless
// every input has exactly one.
func observeAll(t *testing.T, p *observe.Program, opt observe.Options, inputs ...string) map[string]observation.Observation {
	t.Helper()
	if opt.Timeout == 0 {
		opt.Timeout = time.Minute // for busy machines
	}
	got := map[string]observation.Observation{}
	names := map[string]int{}
	err := p.Observe(t.Context(), texts(inputs...), opt, func(o observation.Observation) error {
		got[string(o.Input)] = o
		names[o.Name]++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, input := range inputs {
		if n := names[fmt.Sprint(i)]; n != 1 {
			t.Errorf("input %d, %q, has %d outcomes", i, input, n)
		}
	}
	return got
}

// short removes the file from the IDs of methods.
func short(methods []string) []string {
	var out []string
	for _, id := range methods {
		out = append(out, id[strings.IndexByte(id, '#')+1:])
	}
	return out
}

// TestHostileGo observes a function that damages its process in many ways, with
// harmless inputs in between.
func TestHostileGo(t *testing.T) {
	p := build(t, observe.GoTarget{Function: "./internal/hostile.Parse"})
	kinds := []struct {
		input   string
		outcome observation.Outcome
		failure observation.Failure // Message is a substring; Stack is ignored
		methods []string            // in addition to Parse; nil if unknown
	}{
		{"fine", observation.OK, observation.Failure{}, []string{"do"}},
		{"", observation.OK, observation.Failure{}, []string{}},
		{"fail", observation.Failed, observation.Failure{Type: "*errors.errorString", Message: "refused"}, []string{"do", "fail"}},
		{"sad", observation.Failed, observation.Failure{Type: "hostile.sad", Message: "no message"}, []string{"do"}},
		{"panic", observation.Crashed, observation.Failure{Type: "*fmt.wrapError", Message: "panicked: refused"}, []string{"do", "panics"}},
		{"nil", observation.Crashed, observation.Failure{Type: "runtime.errorString", Message: "nil pointer"}, []string{"do"}},
		{"goexit", observation.Crashed, observation.Failure{Type: "runtime.Goexit"}, []string{"do"}},
		{"goroutine", observation.Crashed, observation.Failure{Type: "panic", Message: "elsewhere"}, nil},
		{"hang", observation.TimedOut, observation.Failure{}, []string{"do", "hang"}},
		{"sleep", observation.TimedOut, observation.Failure{}, []string{"do"}},
		{"exit0", observation.Crashed, observation.Failure{Type: "exit", Message: "exit status 0"}, []string{"do", "exit"}},
		{"exit3", observation.Crashed, observation.Failure{Type: "exit", Message: "exit status 3"}, []string{"do", "exit"}},
		{"print exit3", observation.Crashed, observation.Failure{Type: "exit", Message: "exit status 3"}, []string{"do", "exit", "garbage"}},
		{"overflow", observation.Crashed, observation.Failure{Type: "fatal error", Message: "stack overflow"}, nil},
		{"hoard", observation.Crashed, observation.Failure{Type: "out of memory"}, []string{"do", "leak"}},
		{"huge", observation.Crashed, observation.Failure{}, nil},
		{"leak", observation.OK, observation.Failure{}, []string{"do", "leak"}},
		{"spawn", observation.OK, observation.Failure{}, []string{"do"}},
		{"print", observation.OK, observation.Failure{}, []string{"do", "garbage"}},
		{"pipes", observation.Crashed, observation.Failure{Type: "exit"}, nil},
		{"stdin", observation.OK, observation.Failure{}, []string{"do"}},
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
	// Only an endless input may time out, even on a busy machine.
	opt := observe.Options{Jobs: 3, Warmup: 12, Limits: observe.Limits{Timeout: time.Minute, Memory: 128 << 20}}
	got := observeAll(t, p, opt, inputs...)
	opt.Timeout = time.Second / 2
	maps.Copy(got, observeAll(t, p, opt, "hang", "sleep", "hang fine", "sleep fine"))
	for _, k := range kinds {
		t.Run(k.input, func(t *testing.T) {
			o := got[k.input]
			failure := observation.Failure{}
			if o.Failure != nil {
				failure = *o.Failure
			}
			if o.Outcome != k.outcome || !strings.Contains(failure.Message, k.failure.Message) || k.failure.Type != "" && failure.Type != k.failure.Type {
				t.Errorf("got %s, %+v; want %s, %+v", o.Outcome, failure, k.outcome, k.failure)
			}
			if (o.Outcome == observation.OK) != (o.Failure == nil) && o.Outcome != observation.TimedOut {
				t.Errorf("got %s with failure %v", o.Outcome, o.Failure)
			}
			if want := append([]string{"Parse"}, k.methods...); k.methods != nil && !slices.Equal(sorted(short(o.Methods)), sorted(want)) {
				t.Errorf("got methods %q, want %q", short(o.Methods), want)
			}
		})
	}
}

func sorted(s []string) []string { return slices.Sorted(slices.Values(s)) }

// TestStackDigest checks that panics have equal digests if and only if they
// happen in the same place.
func TestStackDigest(t *testing.T) {
	p := build(t, observe.GoTarget{Function: "./internal/hostile.Parse"})
	got := observeAll(t, p, observe.Options{Jobs: 1}, "panic", "fine panic", "nil", "goroutine", "goroutine ")
	stack := func(input string) string {
		if f := got[input].Failure; f != nil {
			return f.Stack
		}
		return ""
	}
	if a, b := stack("panic"), stack("fine panic"); a == "" || a != b {
		t.Errorf("the same panic has stacks %q and %q", a, b)
	}
	if a, b := stack("goroutine"), stack("goroutine "); a == "" || a != b {
		t.Errorf("the same panic of a goroutine has stacks %q and %q", a, b)
	}
	if a, b := stack("panic"), stack("nil"); a == b {
		t.Errorf("two panics have the stack %q", a)
	}
}

func TestGoMethods(t *testing.T) {
	p := build(t, observe.GoTarget{Function: "./shapes.Parse"})
	for _, tc := range []struct {
		input   string
		methods []string
		counts  []int
	}{
		{"", []string{"Parse"}, []int{1}},
		{"ppo", []string{"(*stack).pop", "(*stack).push", "Parse"}, []int{1, 2, 1}},
		{"eev", []string{"Parse", "empty", "value.method"}, []int{1, 2, 1}},
		{"l", []string{"Parse", "func:66"}, []int{1, 1}},
	} {
		o := observeAll(t, p, observe.Options{Jobs: 1}, tc.input)[tc.input]
		got := map[string]int{}
		for i, m := range short(o.Methods) {
			got[m] = o.Counts[i]
		}
		want := map[string]int{}
		for i, m := range tc.methods {
			want[m] = tc.counts[i]
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: methods (-want +got):\n%s", tc.input, diff)
		}
	}
}

var inMark = regexp.MustCompile(`// in: (.*)`)

// TestGoUnits maps lines to units, as for a diff.
func TestGoUnits(t *testing.T) {
	p := build(t, observe.GoTarget{Function: "./shapes.Parse"})
	checkMarks(t, "testdata/gosubject/shapes/shapes.go", "shapes/shapes.go", p.Header().Units, 8)
	want := observation.Unit{ID: "shapes/shapes.go#(*stack).push", Kind: "method", Name: "(*stack).push", File: "shapes/shapes.go", Start: 45, End: 49}
	if !slices.Contains(p.Header().Units, want) {
		t.Errorf("no unit %+v in %+v", want, p.Header().Units)
	}
}

// checkMarks compares the methods at lines of a file with the comments that name
// them.
func checkMarks(t *testing.T, file, name string, units []observation.Unit, number int) {
	t.Helper()
	text, err := os.ReadFile(file)
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
		var at []string
		for _, u := range units {
			if u.File == name && u.Kind != observation.KindBlock && u.Start <= i+1 && i+1 <= u.End {
				at = append(at, u.ID)
			}
		}
		if want := []string{name + "#" + mark[1]}; !slices.Equal(at, want) {
			t.Errorf("line %d is in %q, want %q", i+1, at, want)
		}
	}
	if marks != number {
		t.Errorf("got %d marks, want %d", marks, number)
	}
}

func TestGoBlocks(t *testing.T) {
	p := build(t, observe.GoTarget{Function: "./shapes.Parse", Blocks: true})
	kinds := map[string]string{}
	for _, u := range p.Header().Units {
		if kinds[u.ID] != "" {
			t.Errorf("two units have the id %s", u.ID)
		}
		kinds[u.ID] = u.Kind
	}
	o := observeAll(t, p, observe.Options{Jobs: 1}, "o")["o"]
	var blocks []string
	for _, id := range o.Methods {
		if kinds[id] == "" {
			t.Errorf("%s is not in the table", id)
		}
		if kinds[id] == observation.KindBlock {
			blocks = append(blocks, id[strings.IndexByte(id, '#')+1:])
		}
	}
	// The last block of pop is the return after an if whose body was not
	// reached.
	want := []string{"(*stack).pop:55.2", "Parse:14.2", "Parse:15.25", "Parse:20.12", "Parse:32.2"}
	if slices.Sort(blocks); !slices.Equal(blocks, want) {
		t.Errorf("got blocks %q, want %q", blocks, want)
	}
}

func TestGoSignatures(t *testing.T) {
	for _, tc := range []struct{ function, want string }{
		{"./shapes.Options", ""},
		{"./shapes.Into", ""},
		{"encoding/json.Unmarshal", ""},
		{"./shapes.Silent", "func(int): must take []byte, string or io.Reader"},
		{"./shapes.never", "never: must be exported"},
		{"./shapes.Missing", "undefined: subject.Missing"},
		{"./missing.Parse", "missing"},
		{"shapes", "shapes: must be exported"},
		{"-exec=x.Parse", "must be PKG.FUNC"},
	} {
		t.Run(tc.function, func(t *testing.T) {
			p, err := observe.BuildGo(t.Context(), observe.GoTarget{Dir: "testdata/gosubject", Function: tc.function})
			if tc.want == "" && err == nil {
				if o := observeAll(t, p, observe.Options{Jobs: 1}, `"text"`)[`"text"`]; o.Outcome != observation.OK {
					t.Errorf("got %+v", o)
				}
				p.Close()
				return
			}
			if err == nil || tc.want == "" || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got error %v, want %q", err, tc.want)
			}
		})
	}
}

// TestUntouched checks that building and observing leave the user's folders
// unchanged.
func TestUntouched(t *testing.T) {
	list := func() (files []string) {
		filepath.WalkDir("testdata/gosubject", func(path string, d os.DirEntry, _ error) error {
			info, err := d.Info()
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, fmt.Sprint(path, info.Size(), info.ModTime()))
			return nil
		})
		return files
	}
	before := list()
	p, err := observe.BuildGo(t.Context(), observe.GoTarget{Dir: "testdata/gosubject", Function: "./internal/hostile.Parse"})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	observeAll(t, p, observe.Options{}, "fine", "exit3", "panic")
	if diff := cmp.Diff(before, list()); diff != "" {
		t.Errorf("files changed (-before +after):\n%s", diff)
	}
}

// TestInterrupted cancels the context during an endless input.
func TestInterrupted(t *testing.T) {
	p := build(t, observe.GoTarget{Function: "./internal/hostile.Parse"})
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	err := p.Observe(ctx, texts("fine", "fine", "sleep", "sleep"), observe.Options{Jobs: 2, Warmup: 1, Limits: observe.Limits{Timeout: time.Hour}},
		func(observation.Observation) error {
			cancel(enough)
			return nil
		})
	if !errors.Is(err, enough) && !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want to be interrupted", err)
	}
}

// TestGoWorkspace builds in a user's workspace, with a flag that workspaces
// reject.
func TestGoWorkspace(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.work"), "go 1.25.1\n\nuse (\n\t./a\n\t./b\n)\n")
	write(t, filepath.Join(dir, "a/go.mod"), "module example.com/a\n\ngo 1.24\n")
	write(t, filepath.Join(dir, "a/a.go"), "package a\n\nimport \"example.com/b/x\"\n\nfunc Parse(s string) int { return x.Run(s) }\n")
	write(t, filepath.Join(dir, "b/go.mod"), "module example.com/b\n\ngo 1.25.1\n")
	write(t, filepath.Join(dir, "b/x/a.go"), "package x\n\nfunc Run(s string) int { return len(s) }\n")
	t.Setenv("GOWORK", "") // the environment may disable workspaces
	t.Setenv("GOFLAGS", "-mod=vendor")
	p, err := observe.BuildGo(t.Context(), observe.GoTarget{Dir: filepath.Join(dir, "a"), Function: ".Parse", Packages: []string{"./...", "example.com/b/..."}})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	want := []string{"a.go#Parse", "example.com/b/x/a.go#Run"}
	if got := sorted(observeAll(t, p, observe.Options{Jobs: 1}, "x")["x"].Methods); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
