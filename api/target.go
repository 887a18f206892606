package api

import (
	"context"
	"iter"
	"math"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/grammars/refine"
	"github.com/inroad/inroad/targeting/aim"
)

// Target implements [Service].
func (e *Engine) Target(ctx context.Context, name string, req openapi.TargetRequest) iter.Seq2[openapi.TargetAnswer, error] {
	return func(yield func(openapi.TargetAnswer, error) bool) {
		m, found, used, err := e.aim(ctx, name, req)
		if err != nil {
			yield(openapi.TargetAnswer{}, err)
			return
		}
		name := func(unit int) string {
			if unit == aim.NoUnit {
				return req.Outcome
			}
			return m.Units[unit].ID
		}
		summary := &openapi.GenerateSummary{Inputs: len(found.Inputs), Seed: int64(used)}
		for _, input := range found.Inputs {
			summary.Draws += input.Draws
			answer := openapi.TargetAnswer{
				Methods: m.ids(input.Units), Outcome: input.Outcome, Probability: math.Round(input.Probability*1e4) / 1e4,
				Unlikely: m.ids(input.Unlikely), UnlikelyOutcome: input.UnlikelyOutcome,
			}
			answer.Input, answer.InputBase64 = Encode(input.Text)
			if !yield(answer, nil) {
				return
			}
		}
		for _, miss := range found.Missed {
			if !yield(openapi.TargetAnswer{
				Missed: name(miss.Unit), Verdict: openapi.Verdict(miss.Verdict), Reason: Excerpt(miss.Err.Error()),
			}, nil) {
				return
			}
		}
		for _, short := range found.Short {
			summary.Short = append(summary.Short, openapi.Shortfall{Method: name(short.Unit), Inputs: short.Found, Tried: short.Tried, All: short.All})
		}
		yield(openapi.TargetAnswer{Summary: summary}, nil)
	}
}

// aim finds inputs for the methods and the outcome of a request.
func (e *Engine) aim(ctx context.Context, name string, req openapi.TargetRequest) (m *Model, found *aim.Result, used uint64, err error) {
	if err = openapi.Validate(&req); err != nil {
		return nil, nil, 0, err
	}
	if m, err = e.Library.Model(ctx, name); err != nil {
		return nil, nil, 0, err
	}
	if err := m.CheckTarget(&req); err != nil {
		return nil, nil, 0, err
	}
	want, err := m.Resolve(req.Methods)
	if err != nil {
		return nil, nil, 0, err
	}
	avoid, err := m.Resolve(req.Avoid)
	if err != nil {
		return nil, nil, 0, err
	}
	draw, err := newDraw(m.Grammar, req.Style, req.Probabilities)
	if err != nil {
		return nil, nil, 0, err
	}
	if err := refine.Prepare(ctx, m.Grammar, m.Grammar.Start); err != nil {
		return nil, nil, 0, err
	}
	aimer, err := aim.New(m.Model)
	if err != nil {
		return nil, nil, 0, err
	}
	used = Seed(req.Seed)
	found, err = aimer.Find(ctx, source(used), want, avoid, aim.Options{
		N: req.N, Draw: draw, MaxNodes: req.MaxNodes, Outcome: req.Outcome, AnyOutcome: req.AnyOutcome, AllowUnlikely: req.AllowUnlikely,
		NoMutants: req.Style == openapi.Natural,
	})
	return m, found, used, err
}

// CheckTarget returns an error if a request has neither methods nor an outcome, or if
// the model does not predict the outcome.
func (m *Model) CheckTarget(req *openapi.TargetRequest) error {
	switch {
	case len(req.Methods) == 0 && req.Outcome == "":
		return openapi.FieldErrorf("methods", "give methods to reach, an outcome, or both")
	case req.Outcome != "" && req.AnyOutcome:
		return openapi.FieldErrorf("any_outcome", "cannot be combined with an outcome")
	case req.Outcome != "" && len(m.OutcomesOf(req.Outcome)) == 0:
		return m.outcomeNotFound(req.Outcome)
	}
	return nil
}

// ids returns the IDs of units.
func (m *Model) ids(units []int) []string {
	var out []string
	for _, unit := range units {
		out = append(out, m.Units[unit].ID)
	}
	return out
}
