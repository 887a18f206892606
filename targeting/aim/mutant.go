package aim

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/targeting/generate"
)

// Limits on mutants of examples.
const (
	mutantShare = 5    // one in so many inputs is a mutant
	perMutant   = 20   // mutants tried for each mutant returned
	maxMutants  = 2000 // mutants tried for a plan
	maxRepeats  = 20   // successive mutants that are not new
)

// withMutants replaces the last inputs by mutants of the examples of plans, up to the
// last tier that was tried, and adds mutants for missing inputs. An input that meets the
// conditions of a leaf may lack something that the program needs but the model does not
// test; a mutant of an input that reached the unit rarely lacks it.
func (s *search) withMutants(ctx context.Context, plans []plan, last tier, inputs []Input) ([]Input, error) {
	if s.opt.NoMutants || s.opt.Steps > 0 {
		return inputs, nil
	}
	mutants, err := s.mutants(ctx, plans, last, inputs, max(s.opt.N-len(inputs), s.opt.N/mutantShare))
	return append(inputs[:min(len(inputs), s.opt.N-len(mutants))], mutants...), err
}

// mutants returns up to n mutants that are not in before and that are predicted to reach
// the units of the first input in before.
func (s *search) mutants(ctx context.Context, plans []plan, last tier, before []Input, n int) (out []Input, err error) {
	if n == 0 {
		return nil, nil
	}
	x, err := generate.New(s.model.Grammar, s.rand, generate.Options{MaxNodes: s.opt.MaxNodes, VaryParts: true}) //nolint:contextcheck // reading one token back is bounded and takes no context
	if err != nil {
		return nil, err
	}
	for i := range plans {
		p := &plans[i]
		if p.tier > last || p.unseen || len(p.examples) == 0 {
			continue
		}
		found, err := s.mutantsOf(ctx, x, p, slices.Concat(before, out), n-len(out))
		if out = append(out, found...); err != nil || len(out) == n {
			return out, err
		}
	}
	return out, nil
}

// mutantsOf returns up to n mutants of the first examples of a plan: the mutants whose
// predictions differ least from those for an example. A mutant keeps the paths that all
// examples of the plan share.
func (s *search) mutantsOf(ctx context.Context, x *generate.Generator, p *plan, before []Input, n int) ([]Input, error) {
	type mutant struct {
		Input
		distance float64
	}
	examples := p.examples[:min(len(p.examples), maxExamples)]
	var trees []*derivation.Tree
	for _, e := range examples {
		trees = append(trees, e.Tree)
	}
	seen := map[string]bool{}
	for _, tree := range trees {
		seen[string(tree.Input())] = true
	}
	for _, input := range before {
		seen[string(input.Text)] = true
	}
	shared := sharedPaths(p.examples)
	var all []mutant
	left := min(n*perMutant, maxMutants)
	for repeats := 0; left > 0 && repeats < maxRepeats; {
		input, err := x.Mutate(ctx, trees[s.rand.IntN(len(trees))], trees[s.rand.IntN(len(trees))], generate.Mutations()...)
		if errors.Is(err, generate.ErrUnwritten) {
			break
		}
		if err != nil {
			return nil, err
		}
		if seen[string(input.Text)] {
			repeats++
			continue
		}
		seen[string(input.Text)] = true
		repeats, left = 0, left-1
		answer, err := s.predictMutant(input.Tree, shared)
		switch {
		case overLimit(err): // a token takes too long to parse
			continue
		case err != nil:
			return nil, err
		case answer == nil || !s.follows(forecastOf(answer), *p):
			continue
		}
		m := s.input(input, forecastOf(answer))
		if len(before) == 0 || containsAll(m.Units, before[0].Units) {
			all = append(all, mutant{m, distance(answer, examples)})
		}
	}
	slices.SortStableFunc(all, func(a, b mutant) int { return cmp.Compare(a.distance, b.distance) })
	var out []Input
	for _, m := range all[:min(len(all), n)] {
		out = append(out, m.Input)
	}
	return out, nil
}

// predictMutant returns the predictions for a mutant, or nil if it lacks a shared path or
// is too large.
func (s *search) predictMutant(tree *derivation.Tree, shared []uint64) (*model.Answer, error) {
	fits, err := s.fits(tree)
	if !fits || err != nil {
		return nil, err
	}
	paths, err := s.examples.pathsOf(tree)
	if err != nil || slices.ContainsFunc(shared, func(id uint64) bool { return paths[id] == nil }) {
		return nil, err
	}
	s.tried++
	return s.model.PredictTree(tree)
}

// containsAll reports whether units contains all of others.
func containsAll(units, others []int) bool {
	return !slices.ContainsFunc(others, func(u int) bool { return !slices.Contains(units, u) })
}

// sharedPaths returns the IDs of the paths that all examples have.
func sharedPaths(examples []*example) []uint64 {
	var out []uint64
	for id := range examples[0].paths {
		if !slices.ContainsFunc(examples, func(e *example) bool { return e.paths[id] == nil }) {
			out = append(out, id)
		}
	}
	return out
}

// fits reports whether a tree has at most the requested number of symbols.
func (s *search) fits(tree *derivation.Tree) (bool, error) {
	if s.opt.MaxNodes == 0 {
		return true, nil
	}
	nodes := 0
	err := features.NewExtractor(s.examples.space, 1).Each(tree, func(int, uint64, features.Position) { nodes++ })
	return nodes <= s.opt.MaxNodes, err
}

// distance returns how much an answer differs from the predictions for the nearest
// example.
func distance(answer *model.Answer, examples []*example) float64 {
	nearest := math.Inf(1)
	for _, e := range examples {
		nearest = min(nearest, e.Distance(answer))
	}
	return nearest
}
