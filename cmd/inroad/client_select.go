package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/targeting/selection"
)

// choose has a service choose inputs. What git and the files know is told from
// here.
func (c *client) choose(ctx context.Context, opt *selectOptions, names []string) (*found, error) {
	m, err := c.openModel(ctx, opt.model, opt.stderr)
	if p, ok := errors.AsType[*problemError](err); ok && p.Status == http.StatusNotFound {
		return opt.withoutModel(ctx, names, fmt.Sprintf("%s at %s", p.Detail, c.url))
	}
	if err != nil {
		return nil, err
	}
	body := opt.request(m.ID)
	if opt.diff == "" && m.Commit == "" {
		body.Fallbacks = []openapi.Fallback{{Cause: string(selection.StaleModel), Detail: noCommit}}
		return c.selectInputs(ctx, opt, m.Commit, body, names)
	}
	told, err := opt.told(ctx, m.Commit, names)
	if err != nil {
		return nil, err
	}
	body.Diff, body.Untracked, body.Folders = strings.ToValidUTF8(told.text, "\uFFFD"), told.Untracked, told.InputFolders
	if told.Touched != nil {
		body.Touched = &told.Touched
	}
	for _, f := range told.fallbacks {
		body.Fallbacks = append(body.Fallbacks, openapi.Fallback{Cause: string(f.Cause), Detail: f.Detail})
	}
	return c.selectInputs(ctx, opt, m.Commit, body, names)
}

// minimize has a service choose a smallest corpus.
func (c *client) minimize(ctx context.Context, opt *selectOptions, names []string) (*found, error) {
	m, err := c.openModel(ctx, opt.model, opt.stderr)
	if err != nil {
		return nil, err
	}
	body := opt.request(m.ID)
	body.Minimize = true
	return c.selectInputs(ctx, opt, m.Commit, body, names)
}

// request returns what a service is asked for, but for the change.
func (opt *selectOptions) request(id string) openapi.SelectRequest {
	s := opt.selection
	return openapi.SelectRequest{
		Model: id, Root: filepath.ToSlash(opt.root), FullOn: opt.rules.RunAllOn, Ignore: opt.rules.Ignore, Always: s.Always,
		Recall: s.Goal.Recall, BudgetMs: inMilliseconds(s.Goal.Budget), Max: s.Goal.Max, PerClass: s.Goal.PerClass,
		Sample: &s.Sample, MinRecall: &s.MinRecall,
	}
}

func inMilliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// selectInputs sends the corpus, and returns what a service chooses of it.
func (c *client) selectInputs(ctx context.Context, opt *selectOptions, commit string, head openapi.SelectRequest, names []string) (*found, error) {
	var err error
	if head.Seed, err = sentSeed(opt.selection.Seed); err != nil {
		return nil, err
	}
	seen, timings, err := opt.readObservations(commit)
	if err != nil {
		return nil, err
	}
	opt.learnCosts(timings)
	bar := newProgress(opt.stderr, "sent", len(names))
	defer bar.end()
	var failure error // of reading an input
	body := sendLines(ctx, func(ctx context.Context, line func(any) error) error {
		if err := line(head); err != nil {
			return err
		}
		for i, name := range names {
			in, err := opt.sentInput(name, seen)
			if err != nil {
				failure = err
				return err
			}
			if err := line(in); err != nil {
				return err
			}
			bar.set(i + 1)
		}
		return nil
	})
	resp, err := c.SelectInputsWithBody(ctx, "application/x-ndjson", body)
	answer, err := read[openapi.Selection](ctx, c, resp, err)
	body.end()
	switch {
	case failure != nil && ctx.Err() == nil:
		return nil, failure
	case err != nil:
		return nil, err
	}
	return c.selected(opt, &answer, names)
}

// sentInput returns an input as it is sent: what it is known to reach, or else
// its content. One that is too large may reach anything.
func (opt *selectOptions) sentInput(name string, seen map[selection.Digest][]string) (openapi.SelectInput, error) {
	in := openapi.SelectInput{Path: filepath.ToSlash(name)}
	if !utf8.ValidString(in.Path) {
		return in, fmt.Errorf("%s: a path that is no text cannot be sent to a service", printable(name))
	}
	text, err := readFile(name, observation.MaxInput)
	if err != nil {
		return in, fmt.Errorf("%s: %w", printable(name), cause(err))
	}
	input := selection.Input{Path: in.Path, Digest: selection.DigestOf(text), Size: len(text)}
	reached, ok := seen[input.Digest]
	switch {
	case ok:
		reached = append([]string{}, reached...)
		in.Digest, in.Size, in.Reached = input.Digest.String(), input.Size, &reached
	case len(text) > observation.MaxInput:
		in.Digest, in.Size = input.Digest.String(), input.Size
	default:
		in.Input, in.InputBase64 = sent(text)
	}
	if added, ok := opt.selection.Changed[in.Path]; ok {
		in.Changed = openapi.Edited
		if added {
			in.Changed = openapi.New
		}
	}
	in.Failed = opt.selection.Failed[input.Digest]
	if costs := opt.selection.Costs; !costs.Assumed {
		in.DurationMs = inMilliseconds(costs.Of(input))
	}
	return in, nil
}

// selected returns what a service chose. What it prints is run, so that a path is
// taken only if it was sent.
func (c *client) selected(opt *selectOptions, a *openapi.Selection, names []string) (*found, error) {
	f := &found{Report: &selection.Report{
		Version: a.Inroad, Base: opt.base, Model: a.Model, Everything: a.Everything, Fallbacks: []selection.Fallback{}, Changed: a.Changed,
		Ignored: a.Ignored, Corpus: a.Corpus, Classes: a.Classes, Affected: a.Affected, Recall: a.Recall, CostMS: a.CostMs, TotalMS: a.TotalMs,
		Cut: a.Cut, Inputs: []selection.Entry{},
	}, rest: a.Rest}
	for _, why := range a.Fallbacks {
		f.Fallbacks = append(f.Fallbacks, selection.Fallback{Cause: selection.Cause(why.Cause), Detail: why.Detail})
	}
	left := map[string]bool{}
	for _, name := range names {
		left[filepath.ToSlash(name)] = true
	}
	for _, in := range a.Inputs {
		entry := selection.Entry{Path: in.Path, Size: in.Size, CostMS: in.CostMs, Reasons: []selection.Reason{}}
		if err := entry.Digest.UnmarshalText([]byte(in.Digest)); err != nil {
			return nil, fmt.Errorf("%s: %w", c.url, err)
		}
		for _, why := range in.Reasons {
			entry.Reasons = append(entry.Reasons, selection.Reason{Kind: selection.ReasonKind(why.Kind), Unit: why.Unit, Chance: why.Chance})
		}
		f.Inputs = append(f.Inputs, entry)
	}
	for _, path := range append(f.paths(), f.rest...) {
		if !left[path] {
			return nil, fmt.Errorf("%s: it chose %s, which is no input, or twice", c.url, printable(path))
		}
		delete(left, path)
	}
	if len(left) > 0 {
		return nil, fmt.Errorf("%s: %s neither chosen nor left out", c.url, count(len(left), "input is", "inputs are"))
	}
	return f, nil
}
