package solve

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
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
	maxRefused = 500 // inputs that will not do, for none that will
	maxBroken  = 8   // trees whose tokens are drawn anew
	maxRepairs = 6   // times that they are, for each size
)

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

// A collection is of inputs that differ.
type collection struct {
	inputs []*generate.Input
	seen   map[string]bool
}

// add adds an input, and reports whether it is a new one.
func (c *collection) add(input *generate.Input) bool {
	if input == nil || c.seen[string(input.Text)] {
		return false
	}
	if c.seen == nil {
		c.seen = map[string]bool{}
	}
	c.seen[string(input.Text)] = true
	c.inputs = append(c.inputs, input)
	return true
}

// collect gathers inputs of trees that are drawn.
func (w *writer) collect(ctx context.Context, n int, draw func() witness) ([]*generate.Input, error) {
	var found collection
	for useless := 0; len(found.inputs) < n && useless < maxUseless && !w.hopeless(); useless++ {
		input, err := w.write(ctx, draw())
		if err != nil {
			return nil, err
		}
		if found.add(input) {
			useless = 0
		}
		if len(w.broken) == maxBroken {
			if err := w.repair(ctx, w.most, func(input *generate.Input) bool {
				if found.add(input) {
					useless = 0
				}
				return len(found.inputs) >= n
			}); err != nil {
				return nil, err
			}
			w.broken = w.broken[:0]
		}
	}
	if len(found.inputs) == 0 {
		return w.smallest(ctx, min(n, 1))
	}
	return found.inputs, nil
}

// smallest goes through the trees in the order of what they cost.
func (w *writer) smallest(ctx context.Context, n int) ([]*generate.Input, error) {
	var found collection
	step := int32(1)
	if w.constraint.MaxChars > 0 {
		step = charWeight
	}
	done, budget := int32(-1), w.main.cheapest()
	for range maxLevels {
		if len(found.inputs) >= n || budget > w.most || w.hopeless() {
			break
		}
		all, err := w.list(ctx, &found, n, done, budget)
		if err != nil {
			return nil, err
		}
		for drawn := 0; !all && len(found.inputs) < n && drawn < maxDrawn; drawn++ {
			input, err := w.write(ctx, w.main.draw(budget, lottery{w.rand}))
			if err != nil {
				return nil, err
			}
			found.add(input)
		}
		if err := w.repair(ctx, budget, func(input *generate.Input) bool {
			found.add(input)
			return len(found.inputs) >= n
		}); err != nil {
			return nil, err
		}
		done, budget = budget, budget+step
	}
	if len(found.inputs) == 0 && n > 0 {
		return nil, w.unrealised()
	}
	return found.inputs, nil
}

// list tries the trees that cost more than what is done and no more than the
// budget, until n inputs are found, and reports whether these were all.
func (w *writer) list(ctx context.Context, found *collection, n int, done, budget int32) (all bool, err error) {
	choices := &odometer{}
	for range maxListed {
		if len(found.inputs) >= n || w.hopeless() {
			return false, nil
		}
		if tree := w.main.draw(budget, choices); w.main.cost(tree) > done {
			input, err := w.write(ctx, tree)
			if err != nil {
				return false, err
			}
			found.add(input)
		}
		if !choices.next() {
			return true, nil
		}
	}
	return false, nil
}

// A writer makes inputs of trees.
type writer struct {
	*Solution
	rand  *rand.Rand
	text  *generate.Generator
	check *checker
	fails UnrealisedError

	written int      // inputs that will do
	bad     []int    // the tokens, by place, that made the last tree fail
	broken  []broken // trees to be repaired
}

// A broken is a tree that fails because of some of its tokens.
type broken struct {
	tree witness
	bad  []int
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

// hopeless reports whether so many inputs would not do that none is likely to.
func (w *writer) hopeless() bool {
	return w.fails.Refused >= maxRefused && w.fails.Refused >= w.written*maxRefused
}

// write returns an input for a tree; nil if there is none. Texts are drawn anew
// a few times: other characters may do where the first did not.
func (w *writer) write(ctx context.Context, tree witness) (*generate.Input, error) {
	w.fails.Tried++
	w.bad = w.bad[:0]
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
			if failed, err = w.refused(ctx, input); failed == nil || err != nil {
				w.written++
				return input, err
			}
			if failed == &w.fails.Otherwise {
				if err := w.findBad(tree, input.Tree); err != nil {
					return nil, err
				}
			}
		}
		if !free {
			break
		}
	}
	*failed++
	if len(w.bad) > 0 && len(w.broken) < maxBroken {
		w.broken = append(w.broken, broken{tree, slices.Clone(w.bad)})
	}
	return nil, nil
}

// repair draws the bad tokens of trees anew that failed because of them, for no
// more than a budget altogether. What is wrong with a token is often that it is
// too small to be read as meant.
func (w *writer) repair(ctx context.Context, budget int32, done func(*generate.Input) bool) error {
	all := len(w.broken)
	defer func() { w.broken = w.broken[:all] }() // what fails again is not repaired again
	for _, b := range w.broken[:all] {
		more := min(budget-w.main.cost(b.tree), w.span())
		for range maxRepairs {
			tree := b.tree
			for _, at := range slices.Backward(b.bad) {
				tree = w.main.redraw(tree, at, more, lottery{w.rand})
			}
			if w.main.cost(tree) > budget || tree.equal(b.tree) {
				continue
			}
			input, err := w.write(ctx, tree)
			if err != nil || done(input) {
				return err
			}
		}
	}
	return nil
}

// refused returns what to count an input as that will not do, nil if it will.
func (w *writer) refused(ctx context.Context, input *generate.Input) (*int, error) {
	if ok, err := w.check.holds(input.Tree); !ok || err != nil {
		return &w.fails.Otherwise, err
	}
	w.bad = w.bad[:0]
	if w.accept != nil {
		if ok, err := w.accept(ctx, input); !ok || err != nil {
			return &w.fails.Refused, err
		}
	}
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
