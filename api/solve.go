package api

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/refine"
	"github.com/inroad/inroad/targeting"
	"github.com/inroad/inroad/targeting/aim"
	"github.com/inroad/inroad/targeting/generate"
	"github.com/inroad/inroad/targeting/solve"
)

// Solve implements [Service]. If no input is found, the error has a verdict: see
// [targeting.VerdictOf].
func (e *Engine) Solve(ctx context.Context, grammar string, req openapi.SolveRequest) iter.Seq2[openapi.GeneratedInput, error] {
	return func(yield func(openapi.GeneratedInput, error) bool) {
		used := Seed(req.Seed)
		inputs, err := e.solve(ctx, grammar, req, source(used))
		if err != nil {
			yield(openapi.GeneratedInput{}, err)
			return
		}
		summary := openapi.GenerateSummary{Inputs: len(inputs), Seed: int64(used)}
		for _, input := range inputs {
			summary.Draws += input.Draws
			if !yield(generatedInput(input), nil) {
				return
			}
		}
		yield(openapi.GeneratedInput{Summary: &summary}, nil)
	}
}

func (e *Engine) solve(ctx context.Context, grammar string, req openapi.SolveRequest, r *rand.Rand) ([]*generate.Input, error) {
	if err := openapi.Validate(&req); err != nil {
		return nil, err
	}
	if req.MaxNodes > 0 && req.MaxChars > 0 {
		return nil, openapi.FieldErrorf("max_chars", "only one of nodes and characters can be limited")
	}
	g, err := e.Library.Grammar(ctx, grammar)
	if err != nil {
		return nil, err
	}
	start, err := g.ProductiveRule(req.Start)
	if err != nil {
		return nil, err
	}
	if err := refine.Prepare(ctx, g.Grammar, start); err != nil {
		return nil, err
	}
	constraint, err := readConstraint(targeting.NewReader(g.Grammar, start), req)
	if err != nil {
		return nil, err
	}
	draw, err := newDraw(g.Grammar, req.Style, req.Probabilities)
	if err != nil {
		return nil, err
	}
	solver, err := solve.New(g.Grammar, start)
	if err != nil {
		return nil, err
	}
	solution, err := solver.Solve(ctx, constraint)
	if err != nil {
		return nil, err
	}
	if req.Style == openapi.Varied { // no program has to accept these inputs
		return solution.Spread(ctx, r, req.N)
	}
	return draw(ctx, solution, r, req.N)
}

// newDraw returns a function that draws inputs of a solution in the given style.
func newDraw(g *grammars.Grammar, style openapi.Style, given openapi.Probabilities) (aim.Draw, error) {
	if given != nil && style != openapi.Natural {
		return nil, openapi.FieldErrorf("probabilities", "the style must be natural, not %s", style)
	}
	probabilities, err := readProbabilities(g, given)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, s *solve.Solution, r *rand.Rand, n int) ([]*generate.Input, error) {
		switch style {
		case openapi.Varied:
			return s.Varied(ctx, r, n)
		case openapi.Natural:
			return s.Natural(ctx, r, probabilities, n)
		default:
			return s.Smallest(ctx, r, n)
		}
	}, nil
}

// readConstraint reads the paths of a request.
func readConstraint(r *targeting.Reader, req openapi.SolveRequest) (targeting.Constraint, error) {
	out := targeting.Constraint{MaxNodes: req.MaxNodes, MaxDepth: req.MaxDepth, MaxChars: req.MaxChars}
	var failed error
	add := func(c targeting.Condition, err error) *targeting.Condition {
		if failed == nil {
			failed = suggest(err)
		}
		out.Conditions = append(out.Conditions, c)
		return &out.Conditions[len(out.Conditions)-1]
	}
	for _, path := range req.Require {
		add(r.Read(asJSON(path)))
	}
	for _, path := range req.Forbid {
		c := add(r.Read(asJSON(path)))
		c.Min, c.Max = 0, 0
	}
	for _, counted := range req.Counts {
		c := add(r.Read(asJSON(counted.Path)))
		c.Min = counted.Min
		if counted.Max != nil {
			c.Max = *counted.Max
		}
	}
	for _, rule := range req.Absent {
		add(r.Absent(asJSON(rule)))
	}
	return out, failed
}

// suggest appends similar or allowed symbols to an error about a path.
func suggest(err error) error {
	path, ok := errors.AsType[*targeting.PathError](err)
	if !ok || len(path.Known) == 0 {
		return err
	}
	hint := ""
	if path.Symbol != "" {
		hint = didYouMean(path.Symbol, path.Known)
	}
	if hint == "" && len(path.Known) <= 12 {
		hint = "; allowed are " + strings.Join(path.Known, ", ")
	}
	return fmt.Errorf("%w%s", err, hint)
}
