package observe_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/model/observe"
)

const commandProgram = `package main

import "os"

func main() {
	if len(os.Args) > 9 {
		many()
	}
}

func many() {
	println()
}
`

// TestCommandGo observes a binary built with -cover.
func TestCommandGo(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command")
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.com/p\n\ngo 1.22\n")
	write(t, filepath.Join(dir, "cmd/main.go"), commandProgram)
	execute(t, dir, nil, "go", "build", "-cover", "-o", "p", "./cmd")
	p, err := observe.NewCommand(observe.CommandTarget{Shell: "'" + dir + "/p' $(cat {})", Root: dir, Blocks: true})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	got := observeAll(t, p, observe.Options{Jobs: 2, Warmup: -1}, "1 2", "1 2 3 4 5 6 7 8 9")
	for input, want := range map[string]string{
		"1 2":               "main",
		"1 2 3 4 5 6 7 8 9": "main main:6.22 many",
	} {
		if methods := strings.Join(sorted(short(got[input].Methods)), " "); methods != want {
			t.Errorf("%q: got %q, want %q", input, methods, want)
		}
	}
	want := observation.Unit{ID: "cmd/main.go#many", Kind: "method", Name: "many", File: "cmd/main.go", Start: 11, End: 13}
	if units := p.Header().Units; len(units) != 3 || !slices.Contains(units, want) {
		t.Errorf("got units %+v, want 3 with %+v", units, want)
	}
}

// TestCommandIDs checks that units keep their IDs, whatever the order of the
// inputs.
func TestCommandIDs(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no shell")
	}
	p, err := observe.NewCommand(observe.CommandTarget{Shell: "cp {} {report}"})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	p.RestoreUnits([]observation.Unit{
		{ID: "a.c#f", Kind: "method", Name: "f", File: "a.c", Start: 9, End: 12},
		{ID: "a.c#f@3", Kind: "method", Name: "f", File: "a.c", Start: 3, End: 8},
	})
	report := func(line string) string { return "TN:\nSF:a.c\nFN:" + line + ",f\nFNDA:1,f\nend_of_record\n" }
	third, first, second := report("20,21"), report("9,12"), report("3,8")
	got := observeAll(t, p, observe.Options{Jobs: 1, Warmup: -1}, third, second, first)
	for input, want := range map[string]string{first: "a.c#f", second: "a.c#f@3", third: "a.c#f@20"} {
		if methods := got[input].Methods; !slices.Equal(methods, []string{want}) {
			t.Errorf("%q: got %q, want %q", input, methods, want)
		}
	}
}

// TestCommandKilled checks that half a report of a killed command is ignored: the
// methods are unknown.
func TestCommandKilled(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no shell")
	}
	for _, tc := range []struct {
		name, shell string
		outcome     observation.Outcome
		want        []string
	}{
		{"an empty report", ": >{report}; kill -SEGV $$", observation.Crashed, nil},
		{"half a report", `printf '{"data": [' >{report}; kill -SEGV $$`, observation.Crashed, nil},
		{"half a report at the timeout", `printf 'TN:\nSF:a.c\n' >{report}; sleep 1000`, observation.TimedOut, nil},
		{"a list of methods", "echo lex >{report}; kill -SEGV $$", observation.Crashed, []string{"lex"}},
		{"an empty list", ": >{report}", observation.OK, []string{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, err := observe.NewCommand(observe.CommandTarget{Shell: tc.shell})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			opt := observe.Options{Jobs: 1, Warmup: -1}
			if tc.outcome == observation.TimedOut {
				opt.Timeout = time.Second / 2
			}
			o := observeAll(t, p, opt, "x")["x"]
			if o.Outcome != tc.outcome || !slices.Equal(o.Methods, tc.want) || (o.Methods == nil) != (tc.want == nil) {
				t.Errorf("got %s with methods %#v, want %s with %#v", o.Outcome, o.Methods, tc.outcome, tc.want)
			}
		})
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(text), 0o666)); err != nil {
		t.Fatal(err)
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
