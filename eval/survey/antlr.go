package main

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

//go:embed Accept.java
var acceptJava []byte

// An antlr parses inputs with the interpreter of the ANTLR tool.
type antlr struct {
	jar     string
	classes string // the folder of the compiled driver
	limit   time.Duration
}

// newANTLR compiles the driver into a folder.
func newANTLR(ctx context.Context, jar, dir string, limit time.Duration) (*antlr, error) {
	if _, err := os.Stat(jar); err != nil {
		return nil, err
	}
	source := filepath.Join(dir, "Accept.java")
	if err := os.WriteFile(source, acceptJava, 0o600); err != nil {
		return nil, err
	}
	out, err := exec.CommandContext(ctx, "javac", "-nowarn", "-encoding", "UTF-8", "-cp", jar, "-d", dir, source).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("javac: %w\n%s", err, out)
	}
	return &antlr{jar, dir, limit}, nil
}

// check parses the inputs of a folder and adds the verdicts to a row. The names of
// inputs are those of [measurement.keep].
func (a *antlr) check(ctx context.Context, root string, r *row, inputs string) error {
	begin := time.Now()
	out, err := a.run(ctx, root, &r.unit, inputs, "-Xmx2g")
	if err != nil {
		return err
	}
	r.judge(out)
	r.ANTLR.Seconds = time.Since(begin).Seconds()
	return nil
}

// run runs the driver on the inputs of a folder and returns what it prints.
func (a *antlr) run(ctx context.Context, root string, u *unit, inputs, memory string, more ...string) ([]byte, error) {
	files, err := os.MkdirTemp("", "survey")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(files) }()
	for _, file := range u.Files {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(files, filepath.Base(file)), text, 0o600); err != nil {
			return nil, err
		}
	}
	encoding := "UTF-8"
	if u.Latin1 {
		encoding = "ISO-8859-1"
	}
	seconds := strconv.Itoa(int(a.limit / time.Second))
	main := strings.TrimSuffix(filepath.Base(u.Files[0]), ".g4")
	args := append([]string{
		memory, "-XX:+UseSerialGC", "-cp", a.jar + string(os.PathListSeparator) + a.classes, "Accept", seconds, encoding, u.Start, main, files, inputs,
	}, more...)
	cmd := exec.CommandContext(ctx, "java", args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("java: %w", err), errors.New(stderr.String()))
	}
	return out, nil
}

// judge adds what the driver printed.
func (r *row) judge(printed []byte) {
	r.ANTLR = &verdict{Error: "out of time"}
	lines := bufio.NewScanner(bytes.NewReader(printed))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		name, answer, _ := strings.Cut(lines.Text(), "\t")
		kind, rest, _ := strings.Cut(name, "-")
		switch {
		case name == "end":
			r.ANTLR.Error = ""
		case name == "!":
			r.ANTLR.Error = answer
		case kind == "examples":
			if (answer == "ok") != strings.HasSuffix(rest, "true") {
				r.Example.Differ++
			}
		default:
			r.ANTLR.Checked++
			if answer == "ok" {
				r.ANTLR.Accepted++
				if kind == "random" {
					r.ANTLR.Random++
				}
			} else if r.ANTLR.First == "" {
				r.ANTLR.First = name + ": " + answer
			}
		}
	}
}
