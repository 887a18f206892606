package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// How long an input may take, and how many may take longer before the rest is
// given up.
const (
	patience = 2 * time.Second
	hangs    = 5
)

// mutated builds a mutant and returns its behaviour on each input.
func (b *bench) mutated(ctx context.Context, m mutant, inputs [][]byte) ([]string, error) {
	file := filepath.Join(b.dir, "mutant.go")
	if err := os.WriteFile(file, m.text, 0o600); err != nil {
		return nil, err
	}
	path, err := b.build(ctx, map[string]string{filepath.Join(b.lib, m.file): file})
	if err != nil {
		return nil, err
	}
	return b.behaviour(ctx, path, inputs)
}

// behaviour returns a digest of what the command does with each input; of the
// unchanged one if no path is given. After some that do not end the rest is
// empty: nobody knows.
func (b *bench) behaviour(ctx context.Context, path string, inputs [][]byte) ([]string, error) {
	if path == "" {
		var err error
		if path, err = b.build(ctx, nil); err != nil {
			return nil, err
		}
	}
	text, err := json.Marshal(inputs)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(b.dir, "inputs.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return nil, err
	}
	var out []string
	for range hangs {
		lines, err := runFrom(ctx, path, file, len(out))
		if err != nil {
			return nil, err
		}
		if out = append(out, lines...); len(out) >= len(inputs) {
			break
		}
		out = append(out, "no end") // of the process, one way or the other
	}
	for len(out) < len(inputs) {
		out = append(out, "")
	}
	return out, nil
}

// runFrom runs the command from an input on, until it ends or an input takes too
// long.
func runFrom(ctx context.Context, path, file string, from int) ([]string, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, file, strconv.Itoa(from))
	cmd.Env = append(cmd.Environ(), "GOMEMLIMIT=256MiB", "GOTRACEBACK=none")
	cmd.WaitDelay = time.Second
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	alarm := time.AfterFunc(patience, cancel)
	lines := readLines(stdout, func() { alarm.Reset(patience) })
	alarm.Stop()
	_ = cmd.Wait() // a mutant may die; what it printed is what counts
	return lines, context.Cause(context.WithoutCancel(ctx))
}

func readLines(r io.Reader, each func()) []string {
	var out []string
	for s := bufio.NewScanner(r); s.Scan(); each() {
		out = append(out, s.Text())
	}
	return out
}
