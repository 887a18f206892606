package cli_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/inroad/inroad/cmd/inroad/cli"
)

// TestObservationsInterrupted checks that Ctrl-C ends a command that waits for
// observations on standard input.
func TestObservationsInterrupted(t *testing.T) {
	stdin, keyboard := io.Pipe() // nobody types
	defer keyboard.Close()
	ctx, cancel := context.WithCancel(t.Context())
	files, err := cli.OpenObservations(ctx, []string{"-"}, false, cli.Streams{In: stdin, Out: io.Discard, Err: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	cancel()
	for _, err = range files.Blocks() {
		if err != nil {
			break
		}
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

// TestObservationsStdin checks that standard input is read to its end.
func TestObservationsStdin(t *testing.T) {
	stdin := strings.NewReader(strings.Repeat(`{"input":"a","methods":["m"]}`+"\n", 10_000))
	files, err := cli.OpenObservations(t.Context(), []string{"-"}, true, cli.Streams{In: stdin, Out: io.Discard, Err: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	n := 0
	for block, err := range files.Blocks() {
		if err != nil {
			t.Fatal(err)
		}
		n += len(block.Observations)
	}
	if n != 10_000 {
		t.Errorf("got %d observations, want 10000", n)
	}
}

// The files of a corpus are those of its folders, except hidden ones: a queue of AFL++ has
// an empty file for each input in .state.
func TestInputFiles(t *testing.T) {
	root := filepath.Join(t.TempDir(), ".queue") // a named folder may be hidden
	for _, name := range []string{"id:000000", ".dotfile", "sub/b", ".state/deterministic_done/id:000000", "sub/.git/HEAD"} {
		name = filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := cli.InputFiles([]string{root})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Join(root, ".dotfile"), filepath.Join(root, "id:000000"), filepath.Join(root, "sub", "b")}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
