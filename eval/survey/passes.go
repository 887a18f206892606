package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/inroad/inroad/eval/internal/process"
	"github.com/inroad/inroad/grammars"
)

// hardToPredict are the grammars whose passes are measured unless others are named.
const hardToPredict = "java/java8,sql/tsql,erlang,lisp,elixir,odin,vhdl/vhdl"

// passes are those over the inputs of a grammar: every other input, the same again, and
// the rest.
func passes() []string { return []string{"first", "second", "unseen"} }

// measurePasses writes a table of the processor time that inroad and the interpreter of
// the ANTLR tool take for the same random inputs, each in a process of its own with the
// same limit of memory.
func (opt *options) measurePasses(ctx context.Context, units []*unit, w io.Writer) error {
	if opt.jar == "" {
		return errors.New("-passes: name the jar of the ANTLR tool with -antlr")
	}
	classes, err := os.MkdirTemp("", "survey")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(classes) }()
	check, err := newANTLR(ctx, opt.jar, classes, 60*opt.Limit)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "| grammar | inputs | bytes | parser | %s | MB |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n", strings.Join(passes(), " | "))
	for _, u := range units {
		fmt.Fprintln(opt.progress, u.Name)
		if err := opt.passesOf(ctx, u, check, w); err != nil {
			return fmt.Errorf("%s: %w", u.Name, err)
		}
	}
	return nil
}

func (opt *options) passesOf(ctx context.Context, u *unit, check *antlr, w io.Writer) error {
	dir, err := os.MkdirTemp("", "survey")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	t := opt.task
	t.Unit, t.Out, t.CoverLimit, t.Memory = *u, dir, time.Nanosecond, max(t.Memory, 2<<30)
	made, err := start(ctx, t)
	if err != nil {
		return err
	}
	if made.Random == nil || made.Random.Distinct == 0 {
		return fmt.Errorf("no random inputs: %v", made.Stopped)
	}
	covering, err := filepath.Glob(filepath.Join(dir, "cover-*"))
	if err != nil {
		return err
	}
	for _, file := range covering {
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	t.Memory, t.Passes = opt.Memory, true
	ours, err := start(ctx, t)
	if err != nil {
		return err
	}
	printed, err := check.run(ctx, opt.Root, u, dir, fmt.Sprintf("-Xmx%dm", opt.Memory>>20), "passes")
	if err != nil {
		return err
	}
	inputs := fmt.Sprintf("%d | %d", made.Random.Distinct, made.Random.Bytes)
	fmt.Fprintf(w, "| %s | %s | inroad | %s | %d |\n", u.Name, inputs, cells(ours.Passes), ours.PassMemory>>20)
	fmt.Fprintf(w, "| | | | ANTLR | %s | |\n", cells(secondsOf(printed)))
	return nil
}

// secondsOf returns the times of passes that the driver printed.
func secondsOf(printed []byte) []float64 {
	var out []float64
	for line := range strings.Lines(string(printed)) {
		text, ok := strings.CutPrefix(strings.TrimSpace(line), "pass\t")
		if seconds, err := strconv.ParseFloat(text, 64); ok && err == nil {
			out = append(out, seconds)
		}
	}
	return out
}

// cells returns the times of passes for a table. A pass that did not end has none.
func cells(seconds []float64) string {
	out := make([]string, len(passes()))
	for i := range out {
		if out[i] = "did not end"; i < len(seconds) {
			out[i] = fmt.Sprintf("%.2f", seconds[i])
		}
	}
	return strings.Join(out, " | ")
}

// passes parses the inputs in the folder of the task.
func (m *measurement) passes(ctx context.Context) error {
	files, err := filepath.Glob(filepath.Join(m.Out, "*"))
	if err != nil {
		return err
	}
	var inputs [][]byte
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		inputs = append(inputs, text)
	}
	for i := range passes() {
		begin := process.OwnTime()
		for at := i / 2; at < len(inputs); at += 2 {
			_, err := m.grammar.Parse(ctx, inputs[at], grammars.ParseOptions{Latin1: m.Unit.Latin1, Limits: grammars.Limits{Steps: 1 << 40, Time: time.Hour}})
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", files[at], err)
			}
		}
		m.row.Passes = append(m.row.Passes, (process.OwnTime() - begin).Seconds())
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	m.row.PassMemory = int64(memory.Sys - memory.HeapReleased)
	return nil
}
