package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/targeting/selection"
)

// A found is a selection, and what belongs to it.
type found struct {
	*selection.Selection
	model   *model.Model // nil if there is none
	base    string
	ignored []string
}

func (f *found) unitID(unit int) string { return f.model.Units[unit].ID }

func (f *found) reported() *selection.Report {
	r := f.Report(f.unitID)
	r.Base, r.Ignored = f.base, f.ignored
	if f.model != nil {
		r.Model = f.model.Digest
	}
	return r
}

// everything is the selection if there is an error.
func (opt *selectOptions) everything(names []string, err error) *found {
	change := selection.Change{Fallbacks: []selection.Fallback{{Cause: selection.Trouble, Detail: err.Error()}}}
	return &found{Selection: selection.Choose(nil, opt.unread(names), nil, change, opt.selection), base: opt.base}
}

// unread returns inputs of which nothing is known but their paths, and what can
// be had without a model.
func (opt *selectOptions) unread(names []string) []selection.Input {
	out := make([]selection.Input, len(names))
	for i, name := range names {
		out[i].Path = filepath.ToSlash(name)
		if text, err := readFile(name, model.MaxInput); err == nil {
			out[i].Digest, out[i].Size = selection.DigestOf(text), len(text)
		}
	}
	return out
}

func (opt *selectOptions) choose(ctx context.Context, names []string) (*found, error) {
	if err := opt.readPast(); err != nil {
		return nil, err
	}
	m, err := readModel(opt.model)
	if errors.Is(err, os.ErrNotExist) {
		return opt.withoutModel(ctx, names)
	}
	if err != nil {
		return nil, err
	}
	noteApproximate(opt.stderr, m.Grammar)
	change, err := opt.change(ctx, m, names)
	if err != nil {
		return nil, err
	}
	p, err := opt.predict(ctx, m, names)
	if err != nil {
		return nil, err
	}
	s := selection.Choose(m, p.Inputs, p, change, opt.selection)
	if opt.generate > 0 {
		if err := opt.makeInputs(ctx, m, p, s); err != nil {
			return nil, err
		}
	}
	return &found{s, m, opt.base, change.Ignored}, nil
}

// withoutModel chooses everything; what changed still tells what is new.
func (opt *selectOptions) withoutModel(ctx context.Context, names []string) (*found, error) {
	change := selection.Change{Fallbacks: []selection.Fallback{fallback(selection.NoModel, "there is no %s", opt.model)}}
	if opt.diff == "" {
		r, err := openRepository(ctx)
		if err != nil {
			return nil, err
		}
		c, err := r.readChange(ctx, opt.base, "", opt.maxAge)
		if err != nil {
			return nil, err
		}
		opt.markInputs(names, r.pathOf, c.files, c.untracked)
	}
	return &found{Selection: selection.Choose(nil, opt.unread(names), nil, change, opt.selection), base: opt.base}, nil
}

// readPast reads the history: how long inputs take, and which failed.
func (opt *selectOptions) readPast() error {
	if opt.history == "" {
		return nil
	}
	h, err := readHistory(opt.history)
	if err != nil {
		return err
	}
	opt.selection.Failed = h.Failed()
	opt.selection.Costs = selection.LearnCosts(h.Timings())
	return nil
}

// predict asks the model about the corpus.
func (opt *selectOptions) predict(ctx context.Context, m *model.Model, names []string) (*selection.Predictions, error) {
	observed, timings, err := opt.readObservations(m)
	if err != nil {
		return nil, err
	}
	if opt.selection.Costs == nil || opt.selection.Costs.Assumed {
		opt.selection.Costs = selection.LearnCosts(timings)
	}
	if opt.selection.Goal.Budget > 0 && opt.selection.Costs.Assumed {
		fmt.Fprintf(opt.stderr, "inroad: note: it is not known how long inputs take; each counts as %v\n", opt.selection.Costs.Of(selection.Input{}))
	}
	cache, err := opt.openCache(m)
	if err != nil {
		return nil, err
	}
	bar := newProgress(opt.stderr, "predicted", len(names))
	defer bar.end()
	source := selection.Source{Read: func(name string) ([]byte, error) {
		text, err := readFile(name, model.MaxInput)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", printable(name), cause(err))
		}
		return text, nil
	}}
	for _, name := range names {
		source.Paths = append(source.Paths, filepath.ToSlash(name))
	}
	p, err := selection.Predict(ctx, m, source, selection.PredictOptions{Cache: cache, Observed: observed, Workers: opt.workers, Progress: bar.set})
	if err != nil {
		return nil, err
	}
	if cache != nil && cache.Changed() {
		return p, writeWhole(opt.cache, cache.Write)
	}
	return p, nil
}

// openCache reads the cache. One that is of another model begins anew.
func (opt *selectOptions) openCache(m *model.Model) (*selection.Cache, error) {
	if opt.cache == "" {
		return nil, nil //nolint:nilnil // no cache is a cache that keeps nothing
	}
	file, err := os.Open(opt.cache)
	if errors.Is(err, os.ErrNotExist) {
		return selection.NewCache(m.Digest, len(m.Units)), nil
	}
	if err != nil {
		return nil, fmt.Errorf("--cache %s: %w", printable(opt.cache), cause(err))
	}
	defer func() { _ = file.Close() }() // it was only read
	cache, err := selection.ReadCache(file, m.Digest, len(m.Units))
	if errors.Is(err, selection.ErrCache) {
		return selection.NewCache(m.Digest, len(m.Units)), nil
	}
	return cache, err
}

// readObservations reads what inputs reached, as far as it is of the model's
// commit, and how long they took.
func (opt *selectOptions) readObservations(m *model.Model) (map[selection.Digest]selection.Observation, map[selection.Digest]selection.Timing, error) {
	units := map[string]int{}
	for i, u := range m.Units {
		units[u.ID] = i
	}
	observed, timings := map[selection.Digest]selection.Observation{}, map[selection.Digest]selection.Timing{}
	for _, name := range opt.observations {
		reader := observationReader{stdin: opt.stdin, stderr: opt.stderr}
		var all []model.Observation
		var header model.Header
		take := func(o []model.Observation) error { all = append(all, o...); return nil }
		if err := reader.read([]string{name}, func(h model.Header) { header = h }, take); err != nil {
			return nil, nil, err
		}
		for _, o := range all {
			d := selection.DigestOf(o.Input)
			if o.Duration > 0 {
				timings[d] = selection.Timing{Size: len(o.Input), Duration: max(o.Duration, timings[d].Duration)}
			}
			if o.Methods != nil && header.Commit == m.Commit {
				reached := observed[d].Units
				for _, id := range o.Methods {
					if u, ok := units[id]; ok {
						reached = append(reached, u)
					}
				}
				observed[d] = selection.Observation{Units: reached}
			}
		}
		if header.Commit != m.Commit {
			fmt.Fprintf(opt.stderr, "inroad: note: %s is of another commit than the model; only its durations count\n", inputName(name))
		}
	}
	return observed, timings, nil
}
