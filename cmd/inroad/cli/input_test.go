package cli_test

import (
	"context"
	"errors"
	"io"
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
