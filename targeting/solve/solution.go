package solve

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/inroad/inroad/targeting"
	"github.com/inroad/inroad/targeting/generate"
)

// A Solution is all the trees that satisfy a constraint. It is safe for
// concurrent use.
type Solution struct {
	solver     *Solver
	constraint targeting.Constraint
	main       *problem
	trivia     *problem // nil where nothing is asked of it
	separators *problem // likewise: the trivia that may stand between tokens
	most       int32    // what a tree may cost
	accept     Accept   // nil for any input
}

// Accept tells whether an input will do.
type Accept func(ctx context.Context, input *generate.Input) (bool, error)

// Where returns the inputs of the solution that will do. What they are is found
// by trying.
func (s *Solution) Where(accept Accept) *Solution {
	out := *s
	out.accept = accept
	return &out
}

// An UnrealisedError tells that there are trees that satisfy a constraint, but
// that none of those tried has a text that is read as it.
type UnrealisedError struct {
	Least     int // the size of the smallest of the trees
	Tried     int // trees
	Misspelt  int // of them had a token that no text was found for
	Misread   int // of them could not be written, or were read as another tree
	Otherwise int // of them were read as meant, but inside their tokens something else was found
	Refused   int // of them satisfied the constraint, but would not do
}

func (e *UnrealisedError) Error() string {
	var reasons []string
	for _, r := range []struct {
		n    int
		what string
	}{
		{e.Misspelt, "with a token that no text was found for"},
		{e.Misread, "read as another tree"},
		{e.Otherwise, "with other paths inside their tokens"},
		{e.Refused, "refused for other reasons"},
	} {
		if r.n > 0 {
			reasons = append(reasons, fmt.Sprintf("%d %s", r.n, r.what))
		}
	}
	return fmt.Sprintf("unrealised: there is a tree of size %d, but no text was found that is read as such a tree; of %d tried: %s",
		e.Least, e.Tried, strings.Join(reasons, ", "))
}

// Verdict returns [targeting.Unrealised].
func (e *UnrealisedError) Verdict() targeting.Verdict { return targeting.Unrealised }

// Least returns the size of the smallest tree that satisfies the constraint: its
// symbols, or its characters if those are limited.
func (s *Solution) Least() int {
	if s.constraint.MaxChars > 0 {
		return int(s.main.cheapest()) / charWeight
	}
	return int(s.main.cheapest())
}

// Smallest returns the n smallest inputs there are texts for, one for a tree, or
// fewer if no more were found. Smaller trees were all tried, as long as there are
// no more than a few hundred of a size. The error is an [*UnrealisedError] if
// there is no input.
func (s *Solution) Smallest(ctx context.Context, r *rand.Rand, n int) ([]*generate.Input, error) {
	w, err := s.writer(r) //nolint:contextcheck // reading one token back is bounded and takes no context
	if err != nil {
		return nil, err
	}
	return w.smallest(ctx, n)
}

// Varied returns n inputs that differ, of random sizes, or fewer if no more were
// found. The error is an [*UnrealisedError] if none was.
func (s *Solution) Varied(ctx context.Context, r *rand.Rand, n int) ([]*generate.Input, error) {
	w, err := s.writer(r) //nolint:contextcheck // reading one token back is bounded and takes no context
	if err != nil {
		return nil, err
	}
	least := s.main.cheapest()
	span := s.span()
	return w.collect(ctx, n, func() witness {
		return s.main.draw(least+r.Int32N(span+1), lottery{r})
	})
}

// span returns how much more than the smallest one a varied tree may cost: as
// much again, and at least some dozen symbols, or what a limit allows.
func (s *Solution) span() int32 {
	least := s.main.cheapest()
	span, unit := max(least, 40), int32(1)
	if s.constraint.MaxChars > 0 {
		span, unit = max(least, 40*charWeight), charWeight
	}
	if s.constraint.MaxNodes > 0 || s.constraint.MaxChars > 0 {
		span = max(span, 2000*unit)
	}
	return min(span, s.most-least)
}
