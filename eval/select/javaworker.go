package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// slowly is how long a machine may take that starts, or one that compiles.
const slowly = time.Minute

// A javaWorker is a machine that compiles and runs mutants, until one of them
// does not end.
type javaWorker struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Scanner
}

func startJava(ctx context.Context, args ...string) (*javaWorker, error) {
	// Little memory, so that a mutant that fills it is soon done; and a run is over before a better compiler pays.
	args = append([]string{"-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"}, args...)
	w := &javaWorker{cmd: exec.CommandContext(ctx, "java", args...)}
	var err error
	if w.stdin, err = w.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := w.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	w.stdout = bufio.NewScanner(stdout)
	if err := w.cmd.Start(); err != nil {
		return nil, err
	}
	return w, nil
}

func (w *javaWorker) stop() {
	_ = w.cmd.Process.Kill() // it may be gone
	_ = w.cmd.Wait()
}

// ask runs a mutant from an input on. There are fewer answers than inputs if
// the mutant did not end, one way or the other; then the worker is of no use any
// more.
func (w *javaWorker) ask(from int, file string, n int) ([]string, error) {
	alarm := time.AfterFunc(slowly, func() { _ = w.cmd.Process.Kill() }) // it may be gone
	defer alarm.Stop()
	if _, err := fmt.Fprintf(w.stdin, "%d %s\n", from, file); err != nil {
		return nil, err
	}
	if !w.stdout.Scan() {
		return nil, errors.Join(errors.New("java ended"), w.stdout.Err())
	}
	if trouble := w.stdout.Text(); trouble != "" {
		return nil, fmt.Errorf("%w: %s", errBuild, trouble)
	}
	var lines []string
	for len(lines) < n {
		alarm.Reset(patience)
		if !w.stdout.Scan() {
			break
		}
		lines = append(lines, w.stdout.Text())
	}
	return lines, nil
}
