package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A bench studies one library.
type bench struct {
	library
	options
	dir    string // the library's part of the work directory
	clone  repository
	inputs *inputs
	driver []byte
	path   string
	states map[string]*state
	models map[string]string        // the newest model file by variant, whose trees are reused
	spent  map[string]time.Duration // processor time of commands
}

// suffix keeps what was observed with blocks apart.
func (o *options) suffix() string {
	if o.blocks {
		return "-blocks"
	}
	return ""
}

func newBench(ctx context.Context, l library, opt options) (*bench, error) {
	b := &bench{
		library: l, options: opt, dir: filepath.Join(opt.work, fmt.Sprintf("%s-%d-%d%s", l.Name, opt.inputs, opt.seed, opt.suffix())),
		states: map[string]*state{}, models: map[string]string{}, spent: map[string]time.Duration{},
	}
	if err := os.MkdirAll(b.dir, 0o700); err != nil {
		return nil, err
	}
	var err error
	if b.driver, err = os.ReadFile(filepath.Join(opt.repos, l.Driver)); err != nil {
		return nil, err
	}
	var path []string
	for _, dependency := range l.Path {
		path = append(path, filepath.Join(opt.repos, dependency))
	}
	b.path = strings.Join(path, string(filepath.ListSeparator))
	checkout := repository(filepath.Join(opt.repos, l.Name))
	newest, err := checkout.git(ctx, "rev-parse", l.At+"^{commit}")
	if err != nil {
		return nil, err
	}
	b.At = strings.TrimSpace(newest) // HEAD of the clone will move
	if b.clone, err = cloneOf(ctx, string(checkout), filepath.Join(b.dir, "clone")); err != nil {
		return nil, err
	}
	b.inputs, err = makeInputs(ctx, &b.library, b.clone, filepath.Join(b.dir, "inputs"), opt.inputs, opt.seed)
	return b, err
}

// spend runs a command, and counts its processor time.
func (b *bench) spend(what string, cmd *exec.Cmd) error {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	if cmd.ProcessState != nil {
		b.spent[what] += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	if err != nil {
		text := strings.TrimSpace(stderr.String())
		return fmt.Errorf("inroad %s: %w: %s", cmd.Args[1], err, text[:min(len(text), 2000)])
	}
	return nil
}

// study measures the selections for a step that are not among the results yet. It
// writes them to w, and returns all results.
func (b *bench) study(ctx context.Context, t timeline, s step, results []result, w io.Writer) ([]result, error) {
	for _, age := range b.ages {
		for _, variant := range variants {
			r := result{Library: b.Name, Commit: s.Commit, Parent: s.Parent, Age: age, Variant: variant, Model: t.state(s.at + age)}
			if r.Model == "" || slices.ContainsFunc(results, r.same) {
				continue
			}
			if err := b.measure(ctx, t.state(s.at), &r); errors.Is(err, errBuild) && ctx.Err() == nil {
				r.Failed = err.Error()
			} else if err != nil {
				return nil, err
			}
			results = append(results, r)
			text, err := json.Marshal(r)
			if err != nil {
				return nil, err
			}
			if _, err := w.Write(append(text, '\n')); err != nil {
				return nil, err
			}
		}
	}
	return results, nil
}

// measure selects inputs for a commit with a model, and compares the selection with
// the inputs that the commit affects.
func (b *bench) measure(ctx context.Context, parent string, r *result) error {
	before, err := b.observe(ctx, parent)
	if err != nil {
		return err
	}
	after, err := b.observe(ctx, r.Commit)
	if err != nil {
		return err
	}
	model, err := b.observe(ctx, r.Model)
	if err != nil {
		return err
	}
	files, err := b.clone.lines(ctx, append([]string{"diff", "--name-only", "--no-renames", r.Parent, r.Commit, "--"}, b.Sources...)...)
	if err != nil {
		return err
	}
	trained, err := b.train(ctx, model, r.Variant)
	if err != nil {
		return err
	}
	chosen, err := b.selectInputs(ctx, model, trained, r)
	if err != nil {
		return err
	}
	r.judge(effectOf(before, after, files), chosen)
	return nil
}

// train returns the model file of a state.
func (b *bench) train(ctx context.Context, s *state, variant string) (string, error) {
	part := corpus
	if variant == unseen {
		part = training
	}
	file := filepath.Join(b.dir, "models-"+b.version, fmt.Sprintf("%s-%s.model", s.commit, part))
	if _, err := os.Stat(file); err == nil {
		b.models[part] = file
		return file, nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return "", err
	}
	args := []string{"train", "--grammar", b.Grammar, "--observations", s.observations(part), "--out", file + ".new", "--workers", "1"}
	if b.models[part] != "" {
		args = append(args, "--from", b.models[part])
	}
	if err := b.spend("train", exec.CommandContext(ctx, b.inroad, args...)); err != nil {
		return "", err
	}
	b.models[part] = file
	return file, os.Rename(file+".new", file)
}

// selectInputs runs inroad select in a work tree of the commit, and returns the
// selected inputs of the corpus.
func (b *bench) selectInputs(ctx context.Context, s *state, model string, r *result) ([]bool, error) {
	if err := b.clone.checkOut(ctx, r.Commit); err != nil {
		return nil, err
	}
	out := filepath.Join(b.dir, "selection.json")
	dir := filepath.Join(b.inputs.dir, corpus)
	args := []string{"select", "--model", model, "--corpus", dir, "--base", r.Parent, "--json-out", out, "--workers", "1"}
	if r.Variant == recorded && b.beside {
		args = append(args, "--observations", s.observations(corpus))
	}
	args = append(args, b.flags...)
	cmd := exec.CommandContext(ctx, b.inroad, args...)
	cmd.Dir = string(b.clone)
	before := b.spent["select"]
	if err := b.spend("select", cmd); err != nil {
		return nil, err
	}
	r.Seconds = (b.spent["select"] - before).Seconds()
	text, err := os.ReadFile(out)
	if err != nil {
		return nil, err
	}
	return r.readSelection(text, len(b.inputs.parts[corpus]))
}

// readSelection reads a selection that inroad select wrote for a corpus.
func (r *result) readSelection(text []byte, inputs int) ([]bool, error) {
	var selection struct {
		Everything bool
		Changed    []string
		Fallbacks  []struct{ Cause, Detail string }
		Inputs     []struct{ Path string }
	}
	if err := json.Unmarshal(text, &selection); err != nil {
		return nil, err
	}
	r.Everything, r.Changed = selection.Everything, len(selection.Changed)
	for _, f := range selection.Fallbacks {
		if !slices.Contains(r.Causes, f.Cause) {
			r.Causes = append(r.Causes, f.Cause)
			r.Details = append(r.Details, f.Detail)
		}
	}
	out := make([]bool, inputs)
	for _, in := range selection.Inputs {
		var i int
		if _, err := fmt.Sscanf(filepath.Base(in.Path), "%d", &i); err != nil || i >= inputs {
			return nil, fmt.Errorf("selected input %s: not in the corpus", in.Path)
		}
		out[i] = true
	}
	return out, nil
}
