package solve

import (
	"context"
	"math/rand/v2"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/refine"
	"github.com/inroad/inroad/targeting/generate"
)

// All returns one input for each tree of the solution. It reports whether the list is
// complete, apart from trivia and letter case: the solution has at most 200 trees, a
// text was found for each, and no tree leaves a choice of characters or token types.
// If the list is not complete, inputs is nil.
func (s *Solution) All(ctx context.Context, r *rand.Rand) (inputs []*generate.Input, complete bool, err error) {
	if !s.main.finite() {
		return nil, false, nil
	}
	w, err := s.writer(r) //nolint:contextcheck // reading one token back is bounded and takes no context
	if err != nil {
		return nil, false, err
	}
	var found collection
	choices := &enumerator{}
	for range maxListed {
		tree := w.main.draw(w.most, choices)
		for _, p := range tree {
			if p.node.Kind == grammars.CharSet || p.node.Kind == grammars.TokenSet {
				return nil, false, nil
			}
		}
		input, err := w.write(ctx, tree)
		if input == nil || err != nil {
			return nil, false, err
		}
		found.add(input)
		if !choices.next() {
			return found.inputs, true, nil
		}
	}
	return nil, false, nil
}

// finite reports whether no derivation is recursive or has a repetition. It may return
// false even if the number of trees is finite.
func (p *problem) finite() bool {
	const (
		unknown = iota
		open
		done
	)
	state := make([]uint8, len(p.cells)) // of the cells below references
	var visit, cell func(at int32) bool
	visit = func(at int32) bool {
		state[at] = open
		ok := cell(at)
		state[at] = done
		return ok
	}
	cell = func(at int32) bool {
		if !p.possible(at) {
			return true
		}
		switch c := &p.cells[at]; c.kind {
		case refine.Reference:
			return state[c.below] == done || state[c.below] == unknown && visit(c.below)
		case refine.Either:
			for _, kid := range p.kidsOf(c) {
				if !cell(kid.Part) {
					return false
				}
			}
			return true
		case refine.Both:
			return cell(c.a) && cell(c.b)
		default:
			return c.kind != refine.Many
		}
	}
	return visit(p.top)
}

// possible reports whether a cell has a derivation.
func (p *problem) possible(at int32) bool {
	if p.cells[at].dead {
		return false
	}
	for v := range p.vectors {
		if p.cost(at, v) < impossible {
			return true
		}
	}
	return false
}
