package observe_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/model/observe"
)

// copyRust returns a copy of the Rust package, because cargo writes to its folder.
func copyRust(t *testing.T) string {
	t.Helper()
	for _, tool := range []string{"cargo", "cc"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("there is no " + tool)
		}
	}
	if err := exec.CommandContext(t.Context(), "cargo", "--version").Run(); err != nil {
		t.Skip("cargo has no toolchain")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/rustsubject")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestRust(t *testing.T) {
	dir := copyRust(t)
	p, err := observe.BuildRust(t.Context(), observe.RustTarget{Target: filepath.Join(dir, "parse"), Sources: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	checkMarks(t, filepath.Join(dir, "src/lib.rs"), "src/lib.rs", p.Header().Units, 3)
	got := observeAll(t, p, observe.Options{Jobs: 1}, "7", "x", "panic", "index", "exit", "recurse", "length")
	for _, tc := range []struct {
		input   string
		outcome observation.Outcome
		failure observation.Failure // Stack is ignored
		methods []string            // in addition to LLVMFuzzerTestOneInput and first
	}{
		{"7", observation.OK, observation.Failure{}, []string{"Reader<T>::new 1", "Reader<T>::digit 1", "Reader<T>::digit::{{closure}} 1"}},
		// The second reader has another type.
		{"x", observation.Failed, observation.Failure{Type: "rejected", Message: "LLVMFuzzerTestOneInput returned -1"}, []string{"Reader<T>::new 2", "Reader<T>::digit 2", "Reader<T>::digit::{{closure}} 2", "first::{{closure}} 1"}},
		{"length", observation.OK, observation.Failure{}, []string{"length 1"}}, // always inlined
		{"panic", observation.Crashed, observation.Failure{Type: "panic", Message: "no digit in 5 bytes in subject::first (src/lib.rs:19)"}, nil},
		{"index", observation.Crashed, observation.Failure{Type: "panic", Message: "index out of bounds: the len is 5 but the index is 5 in subject::first (src/lib.rs:20)"}, nil},
		{"exit", observation.Crashed, observation.Failure{Type: "exit", Message: "exit status 3 in subject::first (src/lib.rs:21)"}, nil},
		{"recurse", observation.Crashed, observation.Failure{Type: "stack overflow", Message: "stack overflow in subject::recurse"}, []string{"recurse"}},
	} {
		o := got[tc.input]
		failure := observation.Failure{}
		if o.Failure != nil {
			failure = *o.Failure
		}
		if o.Outcome != tc.outcome || failure.Type != tc.failure.Type || !strings.HasPrefix(failure.Message, tc.failure.Message) {
			t.Errorf("%q: got %s, %+v; want %s, %+v", tc.input, o.Outcome, failure, tc.outcome, tc.failure)
		}
		var methods []string
		for i, id := range o.Methods {
			name := strings.TrimPrefix(id[strings.IndexByte(id, '#')+1:], "subject::")
			name, _, _ = strings.Cut(name, "@")
			if name == "first" || strings.HasPrefix(id, "parse.rs#") {
				continue
			}
			if tc.input != "recurse" {
				name += fmt.Sprintf(" %d", o.Counts[i])
			}
			methods = append(methods, name)
		}
		if !slices.Equal(sorted(methods), sorted(tc.methods)) {
			t.Errorf("%q: got methods %q, want %q", tc.input, methods, tc.methods)
		}
	}
}

func TestRustErrors(t *testing.T) {
	dir := copyRust(t)
	for target, want := range map[string]string{
		"parse":                                ". must be the folder of a package",
		dir + "/":                              "must be DIR/NAME, such as fuzz/parse",
		filepath.Join(dir, "src/parse"):        "must be the folder of a package",
		filepath.Join(dir, "missing"):          "no bin target named `missing`",
		filepath.Join(dir, "plain"):            "the program has its own main function",
		filepath.Join(dir, "nowhere", "parse"): "must be the folder of a package",
	} {
		p, err := observe.BuildRust(t.Context(), observe.RustTarget{Target: target, Sources: dir})
		if err == nil {
			p.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", target, err, want)
		}
	}
}
