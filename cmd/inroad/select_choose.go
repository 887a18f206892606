package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/targeting/selection"
)

// A found is a selection: what is chosen, with reasons, and the rest.
type found struct {
	*selection.Report
	rest []string // paths
}

// newFound returns a selection, made with a model or without one.
func (opt *selectOptions) newFound(s *selection.Selection, m *model.Model, ignored []string) *found {
	f := &found{Report: s.Report(func(unit int) string { return m.Units[unit].ID })}
	f.Base, f.Ignored = opt.base, ignored
	if m != nil {
		f.Model = m.Digest
	}
	for _, i := range s.Rest {
		f.rest = append(f.rest, s.Inputs[i].Path)
	}
	return f
}

// everything is the selection if there is no other, for a reason.
func (opt *selectOptions) everything(names []string, why selection.Fallback) *found {
	change := selection.Change{Fallbacks: []selection.Fallback{why}}
	return opt.newFound(selection.Select(nil, opt.unread(names), nil, change, opt.selection), nil, nil)
}

// trouble is the reason to run everything if there is an error.
func trouble(err error) selection.Fallback {
	why := selection.Fallback{Cause: selection.OtherError, Detail: err.Error()}
	if _, ok := errors.AsType[*unreachableError](err); ok {
		why.Cause = selection.Unreachable
	}
	return why
}

// unread returns inputs of which nothing is known but their paths, and what can
// be had without a model.
func (opt *selectOptions) unread(names []string) []selection.Input {
	out := make([]selection.Input, len(names))
	for i, name := range names {
		out[i].Path = filepath.ToSlash(name)
		if text, err := readFile(name, observation.MaxInput); err == nil {
			out[i].Digest, out[i].Size = selection.DigestOf(text), len(text)
		}
	}
	return out
}

func (opt *selectOptions) choose(ctx context.Context, names []string) (*found, error) {
	if err := opt.readPast(); err != nil {
		return nil, err
	}
	if opt.client != nil {
		return opt.client.choose(ctx, opt, names)
	}
	m, err := readModel(opt.model)
	if errors.Is(err, os.ErrNotExist) {
		return opt.withoutModel(ctx, names, "there is no "+opt.model)
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
	s := selection.Select(m, p.Inputs, p, change, opt.selection)
	if opt.generate > 0 {
		if err := opt.makeInputs(ctx, m, p, s); err != nil {
			return nil, err
		}
	}
	return opt.newFound(s, m, change.Ignored), nil
}

// noCommit is why a model is of no use that does not tell where it is from.
const noCommit = "it does not tell the commit that it was trained at"

// change finds out which methods changed.
func (opt *selectOptions) change(ctx context.Context, m *model.Model, names []string) (selection.Change, error) {
	if opt.diff == "" && m.Commit == "" {
		return selection.Change{Fallbacks: []selection.Fallback{{Cause: selection.StaleModel, Detail: noCommit}}}, nil
	}
	told, err := opt.told(ctx, m.Commit, names)
	if err != nil {
		return selection.Change{}, err
	}
	change := told.Map(selection.NewTable(m.Units, filepath.ToSlash(opt.root)), opt.rules)
	change.Fallbacks = append(told.fallbacks, change.Fallbacks...)
	return change, nil
}

// withoutModel chooses everything; what changed still tells what is new.
func (opt *selectOptions) withoutModel(ctx context.Context, names []string, why string) (*found, error) {
	if opt.diff == "" {
		if _, err := opt.told(ctx, "", names); err != nil {
			return nil, err
		}
	}
	return opt.everything(names, selection.Fallback{Cause: selection.NoModel, Detail: why}), nil
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

// learnCosts learns how long inputs take, unless the history tells.
func (opt *selectOptions) learnCosts(timings map[selection.Digest]selection.Timing) {
	if opt.selection.Costs == nil || opt.selection.Costs.Assumed {
		opt.selection.Costs = selection.LearnCosts(timings)
	}
	if opt.selection.Goal.Budget > 0 && opt.selection.Costs.Assumed {
		fmt.Fprintf(opt.stderr, "inroad: note: it is not known how long inputs take; each counts as %v\n", opt.selection.Costs.Of(selection.Input{}))
	}
}

// predict asks the model about the corpus.
func (opt *selectOptions) predict(ctx context.Context, m *model.Model, names []string) (*selection.Predictions, error) {
	seen, timings, err := opt.readObservations(m.Commit)
	if err != nil {
		return nil, err
	}
	opt.learnCosts(timings)
	units := map[string]int{}
	for i, u := range m.Units {
		units[u.ID] = i
	}
	observed := map[selection.Digest]selection.Observation{}
	for digest, methods := range seen {
		reached := []int{}
		for _, id := range methods {
			if u, ok := units[id]; ok {
				reached = append(reached, u)
			}
		}
		observed[digest] = selection.Observation{Units: reached}
	}
	cache, err := opt.openCache(m)
	if err != nil {
		return nil, err
	}
	bar := newProgress(opt.stderr, "predicted", len(names))
	defer bar.end()
	source := selection.Corpus{Read: func(name string) ([]byte, error) {
		text, err := readFile(name, observation.MaxInput)
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

// readObservations reads which methods inputs reached, as far as that is of a
// commit, and how long they took.
func (opt *selectOptions) readObservations(commit string) (map[selection.Digest][]string, map[selection.Digest]selection.Timing, error) {
	observed, timings := map[selection.Digest][]string{}, map[selection.Digest]selection.Timing{}
	for _, name := range opt.observations {
		reader := observationReader{stdin: opt.stdin, stderr: opt.stderr}
		var all []observation.Observation
		var header observation.Header
		take := func(o []observation.Observation) error { all = append(all, o...); return nil }
		if err := reader.read([]string{name}, func(h observation.Header) { header = h }, take); err != nil {
			return nil, nil, err
		}
		// What was built with changes that were not committed may be anything.
		same := header.Commit == commit && !strings.HasSuffix(commit, dirty)
		for _, o := range all {
			d := selection.DigestOf(o.Input)
			if o.Duration > 0 {
				timings[d] = selection.Timing{Size: len(o.Input), Duration: max(o.Duration, timings[d].Duration)}
			}
			if o.Methods != nil && same {
				observed[d] = append(observed[d], o.Methods...)
			}
		}
		switch {
		case same:
		case strings.HasSuffix(header.Commit, dirty):
			fmt.Fprintf(opt.stderr, "inroad: note: %s is of a program with changes that were not committed; only its durations count\n", inputName(name))
		default:
			fmt.Fprintf(opt.stderr, "inroad: note: %s is of another commit than the model; only its durations count\n", inputName(name))
		}
	}
	return observed, timings, nil
}
