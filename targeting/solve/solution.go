package solve

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/inroad/inroad/targeting"
	"github.com/inroad/inroad/targeting/generate"
)

// A Solution represents all trees that satisfy a constraint. It is safe for
// concurrent use.
type Solution struct {
	solver     *Solver
	constraint targeting.Constraint
	main       *problem
	trivia     *problem    // nil if there are no conditions on trivia
	separators *problem    // the trivia that may stand between tokens; nil if there are no conditions on trivia
	most       int32       // the highest cost of a tree
	texts      []TokenText // of tokens; see WithTexts
	pairs      []Pair      // see WithPairs
	accept     func(context.Context, *generate.Input) (bool, error)
	maxTries   int // trees; no limit if 0
}

// WithMaxTries returns the solution with a limit on the number of trees that are tried
// for inputs. A draw that reaches the limit returns a [*limit.Error].
func (s *Solution) WithMaxTries(n int) *Solution {
	out := *s
	out.maxTries = n
	return &out
}

// Where returns the solution restricted to inputs for which accept returns true. It
// finds them by trial and error.
func (s *Solution) Where(accept func(context.Context, *generate.Input) (bool, error)) *Solution {
	out := *s
	out.accept = accept
	return &out
}

// An UnrealisedError says that trees satisfy a constraint, but that no text was
// found that parses to one of them.
type UnrealisedError struct {
	Least         int // the size of the smallest tree
	Tried         int // the number of trees that were tried
	NoTokenText   int // trees with a token for which no text was found
	Misread       int // trees whose text parsed to another tree
	TokenMismatch int // trees whose tokens were read with other paths inside
	Refused       int // trees that satisfied the constraint, but were not accepted
}

func (e *UnrealisedError) Error() string {
	var reasons []string
	for _, r := range []struct {
		n    int
		what string
	}{
		{e.NoTokenText, "had a token without a text"},
		{e.Misread, "parsed to another tree"},
		{e.TokenMismatch, "had other paths inside their tokens"},
		{e.Refused, "were not accepted"},
	} {
		if r.n > 0 {
			reasons = append(reasons, fmt.Sprintf("%d %s", r.n, r.what))
		}
	}
	return fmt.Sprintf("unrealised: a tree of size %d satisfies the constraint, but no text was found that parses to a satisfying tree; of %d trees tried, %s",
		e.Least, e.Tried, strings.Join(reasons, ", "))
}

// Verdict returns [targeting.Unrealised].
func (e *UnrealisedError) Verdict() targeting.Verdict { return targeting.Unrealised }

// Least returns the size of the smallest tree that satisfies the constraint: its
// number of characters if the constraint limits characters, and of symbols otherwise.
func (s *Solution) Least() int {
	if s.constraint.MaxChars > 0 {
		return int(s.main.cheapest()) / charWeight
	}
	return int(s.main.cheapest())
}

// Smallest returns the n smallest inputs, one per tree, or fewer if no more were
// found. All trees smaller than an input were tried, unless there are more than
// 200 of a size. The error is an [*UnrealisedError] if no input was found.
func (s *Solution) Smallest(ctx context.Context, r *rand.Rand, n int) ([]*generate.Input, error) {
	w, err := s.writer(r) //nolint:contextcheck // reading one token back is bounded and takes no context
	if err != nil {
		return nil, err
	}
	return w.smallest(ctx, n)
}

// Varied returns n different inputs of random sizes, or fewer if no more were
// found. The error is an [*UnrealisedError] if no input was found.
func (s *Solution) Varied(ctx context.Context, r *rand.Rand, n int) ([]*generate.Input, error) {
	return s.drawn(ctx, r, n, randomChooser{r}, s.span(variedSpan))
}

// Spread is like Varied, but prefers alternatives that earlier inputs seldom took, so that
// the inputs contain many paths. Programs reject spread inputs more often than varied ones.
func (s *Solution) Spread(ctx context.Context, r *rand.Rand, n int) ([]*generate.Input, error) {
	return s.drawn(ctx, r, n, newSpread(r), s.span(spreadSpan))
}

// drawn returns n different inputs whose trees cost up to span more than the smallest.
func (s *Solution) drawn(ctx context.Context, r *rand.Rand, n int, choose chooser, span int32) ([]*generate.Input, error) {
	w, err := s.writer(r) //nolint:contextcheck // reading one token back is bounded and takes no context
	if err != nil {
		return nil, err
	}
	least := s.main.cheapest()
	return w.collect(ctx, n, func() witness {
		return s.main.draw(least+r.Int32N(span+1), choose)
	})
}

// Numbers of symbols by which a tree may exceed the smallest tree; see span.
const (
	variedSpan = 40
	spreadSpan = 60
)

// span returns how much more than the smallest tree a tree may cost: as much again, but
// at least the given symbols, and at least 2000 units if the size is limited. A tree
// never costs more than s.most.
func (s *Solution) span(symbols int32) int32 {
	least := s.main.cheapest()
	span, unit := max(least, symbols), int32(1)
	if s.constraint.MaxChars > 0 {
		span, unit = max(least, symbols*charWeight), charWeight
	}
	if s.constraint.MaxNodes > 0 || s.constraint.MaxChars > 0 {
		span = max(span, 2000*unit)
	}
	return min(span, s.most-least)
}
