package solve

import (
	"context"
	"math/rand/v2"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/refine"
	"github.com/inroad/inroad/targeting/generate"
)

// All returns one input for each tree of the solution, if that is all there is apart
// from trivia and letter case: the solution has at most 200 trees, a text was found
// for each, and no tree has a token with a choice of characters. Otherwise complete
// is false.
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

// finite reports whether no derivation repeats or contains itself. It may be false
// although the number of trees is finite.
func (p *problem) finite() bool {
	const (
		unknown = iota
		open
		done
	)
	state := make([]uint8, len(p.frames))
	var part func(f *frame, i int32) bool
	visit := func(at int32) bool {
		state[at] = open
		f := &p.frames[at]
		ok := part(f, f.last-f.first)
		state[at] = done
		return ok
	}
	part = func(f *frame, i int32) bool {
		if !p.possible(f.first + i) {
			return true
		}
		b := &p.Bodies[f.body]
		switch x := &b.Parts[i]; x.Kind {
		case refine.Reference:
			below := p.cells[f.first+i].below
			return state[below] == done || state[below] == unknown && visit(below)
		case refine.Either:
			for _, kid := range b.Kids[x.A:x.B] {
				if !part(f, kid.Part) {
					return false
				}
			}
			return true
		case refine.Both:
			return part(f, x.A) && part(f, x.B)
		default:
			return x.Kind != refine.Many
		}
	}
	return visit(0)
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
