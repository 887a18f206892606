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

// compilePatience is the timeout for starting the worker and compiling a mutant.
const compilePatience = time.Minute

// A javaWorker is a Java process that compiles and runs mutants until one of them
// crashes or hangs.
type javaWorker struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Scanner
}

func startJava(ctx context.Context, args ...string) (*javaWorker, error) {
	// A small heap quickly stops mutants that allocate without end. Runs are too short
	// for the optimizing compiler.
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
	_ = w.cmd.Process.Kill() // may have exited
	_ = w.cmd.Wait()
}

// ask runs a mutant on n inputs, starting at index from. It returns fewer than n lines
// if the mutant crashed or hung; then the caller must stop the worker.
func (w *javaWorker) ask(from int, file string, n int) ([]string, error) {
	alarm := time.AfterFunc(compilePatience, func() { _ = w.cmd.Process.Kill() }) // may have exited
	defer alarm.Stop()
	if _, err := fmt.Fprintf(w.stdin, "%d %s\n", from, file); err != nil {
		return nil, err
	}
	if !w.stdout.Scan() {
		return nil, errors.Join(errors.New("java exited"), w.stdout.Err())
	}
	if message := w.stdout.Text(); message != "" {
		return nil, fmt.Errorf("%w: %s", errBuild, message)
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
