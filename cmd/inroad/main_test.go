package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/inroad/inroad/model/golearn"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"inroad": main})
}

// TestScripts types what users type. Each script says at its top what it shows.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Files:               scripts(t, "testdata/script", "failures", "fuzz", "import", "mutate", "observe_exec", "observe_go", "observe_terminated", "outputs", "pipes", "refine_exec", "serve", "several", "store", "target", "train"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Condition:           condition,
		Setup: func(env *testscript.Env) error {
			for _, name := range []string{"CARGO_HOME", "RUSTUP_HOME"} { // of Rust toolchains, by default in the home folder
				if home, err := os.UserHomeDir(); err == nil {
					folder := "." + strings.ToLower(strings.TrimSuffix(name, "_HOME"))
					env.Setenv(name, cmp.Or(os.Getenv(name), filepath.Join(home, folder)))
				}
			}
			// Scripts that build Go programs do not build the library again.
			out, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output()
			if err == nil {
				env.Setenv("GOCACHE", strings.TrimSpace(string(out)))
			}
			return nil
		},
	})
}

// scripts returns the scripts in a folder. With -short they are only those whose commands do
// several things at once, which are named: the race detector finds nothing in the others, and
// they take most of its time.
func scripts(t *testing.T, folder string, concurrent ...string) []string {
	t.Helper()
	var files []string
	if !testing.Short() {
		concurrent = []string{"*"}
	}
	for _, name := range concurrent {
		found, err := filepath.Glob(filepath.Join(folder, name+".txtar"))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: no script %s (%v)", folder, name, err)
		}
		files = append(files, found...)
	}
	return files
}

// condition evaluates the conditions of scripts: golearn, unless built with -tags
// nogolearn, clang, and rust, if there are a Rust toolchain and a C compiler.
func condition(name string) (bool, error) {
	switch name {
	case "golearn":
		return golearn.Available, nil
	case "clang":
		return hasClang(), nil
	case "rust":
		_, err := exec.LookPath("cc")
		return err == nil && exec.CommandContext(context.Background(), "cargo", "--version").Run() == nil, nil
	}
	return false, fmt.Errorf("unknown condition %q", name)
}

// TestInterrupt ends a command that waits for its input.
func TestInterrupt(t *testing.T) {
	typing, keyboard := io.Pipe() // nobody types
	defer keyboard.Close()
	ctx, interrupt := context.WithCancel(t.Context())
	stdin := readerFunc(func(p []byte) (int, error) {
		interrupt()
		return typing.Read(p)
	})
	var stdout, stderr bytes.Buffer
	code := run(ctx, []string{"parse", "--grammar", "json"}, stdin, &stdout, &stderr)
	if code != exitInterrupted || stdout.String() != "" || stderr.String() != "inroad: interrupted\n" {
		t.Errorf("got exit code %d, stdout %q, stderr %q; want 130 and interrupted", code, &stdout, &stderr)
	}
}

// TestTimeout gives up on an input that takes too long.
func TestTimeout(t *testing.T) {
	stdin := strings.NewReader("[" + strings.Repeat("0, ", 10_000) + "0]")
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), []string{"parse", "--grammar", "json", "--timeout", "1ns"}, stdin, &stdout, &stderr)
	const want = "inroad: stdin: time to parse: limit of 1ns reached; raise it with --timeout\n"
	if code != exitWrong || stdout.String() != "" || stderr.String() != want {
		t.Errorf("got exit code %d, stdout %q, stderr %q; want 1 and %q", code, &stdout, &stderr, want)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// TestOutputFails sees to it that no command takes lost output for success.
func TestOutputFails(t *testing.T) {
	commands := []string{
		"check json", "grammars", "grammars show json",
		"parse --grammar json", "parse --grammar json --format tree", "parse --grammar json --format json",
	}
	for _, command := range commands {
		for _, failure := range []struct {
			name   string
			err    error
			stderr string
		}{
			{"full", errors.New("disk full"), "inroad: disk full\n"},
			{"closed pipe", syscall.EPIPE, ""},
		} {
			t.Run(command+" to a "+failure.name, func(t *testing.T) {
				var stderr bytes.Buffer
				code := run(t.Context(), strings.Fields(command), strings.NewReader("[1]"), failingWriter{failure.err}, &stderr)
				if code != exitWrong || stderr.String() != failure.stderr {
					t.Errorf("got exit code %d, stderr %q; want 1, %q", code, &stderr, failure.stderr)
				}
			})
		}
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }
