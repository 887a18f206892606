package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/targeting/generate"
)

// Compare implements [Service].
func (e *Engine) Compare(ctx context.Context, req openapi.CompareRequest) (openapi.Comparison, error) {
	if err := openapi.Validate(&req); err != nil {
		return openapi.Comparison{}, err
	}
	before, err := e.Library.Model(ctx, req.Before)
	if err != nil {
		return openapi.Comparison{}, err
	}
	after, err := e.Library.Model(ctx, req.After)
	if err != nil {
		return openapi.Comparison{}, err
	}
	inputs, err := compareInputs(ctx, before, after, req)
	if err != nil {
		return openapi.Comparison{}, err
	}
	c, err := model.Compare(ctx, before.Model, after.Model, inputs, e.Limits)
	if errors.Is(err, model.ErrGrammarMismatch) {
		return openapi.Comparison{}, fmt.Errorf("%w: %s and %s", err, before.Grammar.Name, after.Grammar.Name)
	}
	if err != nil {
		return openapi.Comparison{}, err
	}
	out := openapi.Comparison{
		Before: before.Digest, After: after.Digest, Inputs: c.Inputs, Outside: c.Outside, Methods: c.Units, Changes: []openapi.Change{},
	}
	if c.Skew != nil {
		out.Skew = &openapi.Skew{
			Feature: before.Describe(c.Skew.Feature), Before: *rate(c.Skew.Rates[0]), After: *rate(c.Skew.Rates[1]),
		}
	}
	for _, change := range c.Changes {
		item := modelChange(&change, c.Skew == nil)
		if change.Example >= 0 {
			item.Example, item.ExampleBase64 = Encode(inputs[change.Example])
		}
		out.Changes = append(out.Changes, item)
	}
	return out, nil
}

// modelChange converts a change, without its example. rates tells whether observed rates
// were compared.
func modelChange(change *model.Change, rates bool) openapi.Change {
	out := openapi.Change{
		Method: change.Unit.ID, Kind: openapi.ChangeKind(change.Kind), FoundBy: []openapi.ChangeFoundBy{},
		Differ: change.Disagreements, Expected: change.Expected, Chance: change.PValue,
		RateBefore: rate(change.Rates[0]), RateAfter: rate(change.Rates[1]),
		Before: conditions(change.Before), After: conditions(change.After),
	}
	if change.ByPredictions {
		out.FoundBy = append(out.FoundBy, openapi.ByPredictions)
	}
	if change.ByRates {
		out.FoundBy = append(out.FoundBy, openapi.ByRates)
	}
	if rates && out.RateBefore != nil && out.RateAfter != nil {
		out.RateChance = &change.RatePValue
	}
	return out
}

// rate converts a rate; nil if it has no observations.
func rate(r model.Rate) *openapi.Rate {
	if r.Rows == 0 {
		return nil
	}
	return &openapi.Rate{Count: r.Positives, Observations: r.Rows}
}

// compareInputs returns the inputs to compare two models on: the inputs of the request,
// or else the inputs that the models keep, and random inputs.
func compareInputs(ctx context.Context, before, after *Model, req openapi.CompareRequest) ([][]byte, error) {
	var out [][]byte
	for _, in := range req.Inputs {
		input, err := Decode(in.Input, in.InputBase64)
		if err != nil {
			return nil, err
		}
		out = append(out, input)
	}
	if len(out) == 0 {
		out = slices.Concat(before.Inputs(), after.Inputs())
		slices.SortFunc(out, bytes.Compare)
		out = slices.CompactFunc(out, bytes.Equal)
	}
	random, err := randomInputs(ctx, before.Grammar, req)
	if err != nil {
		return nil, err
	}
	if out = append(out, random...); len(out) == 0 {
		return nil, openapi.FieldErrorf("inputs", "required, because the models keep no inputs: give inputs or a number of random inputs")
	}
	return out, nil
}

func randomInputs(ctx context.Context, g *grammars.Grammar, req openapi.CompareRequest) ([][]byte, error) {
	if req.Random == 0 {
		return nil, nil
	}
	generator, err := generate.New(g, source(Seed(req.Seed)), generate.Options{}) //nolint:contextcheck // it generates nothing yet
	if err != nil {
		return nil, err
	}
	var out [][]byte
	for range req.Random {
		input, err := generator.Next(ctx)
		if err != nil {
			return nil, err
		}
		out = append(out, input.Text)
	}
	return out, nil
}
