package solve

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

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
}

// An UnrealisedError tells that there are trees that satisfy a constraint, but
// that none of those tried has a text that is read as it.
type UnrealisedError struct {
	Least     int // the size of the smallest of the trees
	Tried     int // trees
	Misspelt  int // of them had a token that no text was found for
	Misread   int // of them could not be written, or were read as another tree
	Otherwise int // of them were read as meant, but inside their tokens something else was found
}

func (e *UnrealisedError) Error() string {
	return fmt.Sprintf("unrealised: the smallest tree has size %d, but of %d trees tried %d had tokens that no text was found for, "+
		"%d were read as another tree, and %d had other paths inside their tokens", e.Least, e.Tried, e.Misspelt, e.Misread, e.Otherwise)
}

// Least returns the size of the smallest tree that satisfies the constraint: its
// symbols, or its characters if those are limited.
func (s *Solution) Least() int {
	if s.constraint.MaxChars > 0 {
		return int(s.main.cheapest()) / charWeight
	}
	return int(s.main.cheapest())
}

// Bounds on the search for a tree that can be written, where not all can.
const (
	maxLevels  = 24  // sizes looked at, from the smallest on
	maxListed  = 200 // trees of one size that are listed one after the other
	maxDrawn   = 60  // trees of one size that are drawn if there are more
	maxUseless = 300 // draws in a row that gave nothing new
)

// Smallest returns the smallest input there is a text for. Smaller trees were
// all tried, as long as there are no more than a few hundred of a size. The error
// is an [*UnrealisedError] if no text was found.
func (s *Solution) Smallest(ctx context.Context, r *rand.Rand) (*generate.Input, error) {
	w, err := s.writer(r) //nolint:contextcheck // reading one token back is bounded and takes no context
	if err != nil {
		return nil, err
	}
	return w.smallest(ctx)
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

// span returns how much more than the smallest one a varied tree may cost.
func (s *Solution) span() int32 {
	least := s.main.cheapest()
	span := max(least, 40)
	if s.constraint.MaxChars > 0 {
		span = max(least, 40*charWeight)
	}
	if s.constraint.MaxNodes > 0 || s.constraint.MaxChars > 0 {
		return s.most - least
	}
	return min(span, s.most-least)
}

// collect gathers inputs of trees that are drawn, each once.
func (w *writer) collect(ctx context.Context, n int, draw func() witness) ([]*generate.Input, error) {
	var out []*generate.Input
	seen := map[string]bool{}
	for useless := 0; len(out) < n && useless < maxUseless; useless++ {
		input, err := w.write(ctx, draw())
		if err != nil {
			return nil, err
		}
		if input != nil && !seen[string(input.Text)] {
			seen[string(input.Text)] = true
			out = append(out, input)
			useless = 0
		}
	}
	if len(out) > 0 || n == 0 {
		return out, nil
	}
	input, err := w.smallest(ctx)
	if err != nil {
		return nil, err
	}
	return []*generate.Input{input}, nil
}

// smallest goes through the trees in the order of what they cost.
func (w *writer) smallest(ctx context.Context) (*generate.Input, error) {
	p := w.main
	step := int32(1)
	if w.constraint.MaxChars > 0 {
		step = charWeight
	}
	done := int32(-1)
	for budget, level := p.cheapest(), 0; budget <= w.most && level < maxLevels; budget, level = budget+step, level+1 {
		input, all, err := w.list(ctx, done, budget)
		for drawn := 0; input == nil && err == nil && !all && drawn < maxDrawn; drawn++ {
			input, err = w.write(ctx, p.draw(budget, lottery{w.rand}))
		}
		if input != nil || err != nil {
			return input, err
		}
		done = budget
	}
	return nil, w.unrealised()
}

// list tries the trees that cost more than what is done and no more than the
// budget, and reports whether these were all.
func (w *writer) list(ctx context.Context, done, budget int32) (input *generate.Input, all bool, err error) {
	choices := &odometer{}
	for range maxListed {
		tree := w.main.draw(budget, choices)
		if w.main.cost(tree) > done {
			if input, err = w.write(ctx, tree); input != nil || err != nil {
				return input, false, err
			}
		}
		if !choices.next() {
			return nil, true, nil
		}
	}
	return nil, false, nil
}

// A writer makes inputs of trees.
type writer struct {
	*Solution
	rand  *rand.Rand
	text  *generate.Generator
	check *checker
	fails UnrealisedError
}

// maxTexts is how many texts are tried for a tree, and for each of its tokens.
const (
	maxTexts  = 4
	maxSpells = 20
)

func (s *Solution) writer(r *rand.Rand) (*writer, error) {
	opt := generate.Options{Start: s.solver.start.Name}
	text, err := generate.New(s.solver.grammar, r, opt)
	if err != nil {
		return nil, err
	}
	w := &writer{Solution: s, rand: r, text: text, check: s.newChecker()}
	if s.separators != nil {
		opt.Separators = w.allowedSeparators()
		w.text, err = generate.New(s.solver.grammar, r, opt)
	}
	return w, err
}

func (w *writer) unrealised() error {
	w.fails.Least = w.Least()
	return &w.fails
}

// write returns an input for a tree; nil if there is none. Texts are drawn anew
// a few times: other characters may do where the first did not.
func (w *writer) write(ctx context.Context, tree witness) (*generate.Input, error) {
	w.fails.Tried++
	var failed *int
	for range maxTexts {
		draft, free := w.draft(tree)
		if draft == nil {
			failed = &w.fails.Misspelt
			break
		}
		input, err := w.text.Write(ctx, draft)
		switch {
		case errors.Is(err, generate.ErrUnwritten):
			failed = &w.fails.Misread
		case err != nil:
			return nil, err
		default:
			ok, err := w.check.holds(input.Tree)
			if ok || err != nil {
				return input, err
			}
			failed = &w.fails.Otherwise
		}
		if !free {
			break
		}
	}
	*failed++
	return nil, nil
}

// allowedSeparators returns texts of trivia that satisfy the constraint, short
// and plain ones first.
func (w *writer) allowedSeparators() [][]byte {
	out := [][]byte{}
	p := w.separators
	if p.cheapest() >= impossible {
		return out
	}
	for range 30 {
		text := w.spell(p.draw(p.cheapest()+w.rand.Int32N(4), lottery{w.rand}), nil)
		if !slices.ContainsFunc(out, func(s []byte) bool { return string(s) == string(text) }) {
			out = append(out, text)
		}
	}
	slices.SortStableFunc(out, func(a, b []byte) int { return len(a) - len(b) })
	return out
}
