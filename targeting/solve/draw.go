package solve

import (
	"context"

	"github.com/inroad/inroad/targeting/generate"
)

// Limits on the search for trees that can be written.
const (
	maxLevels  = 24  // sizes that are tried, from the smallest on
	maxListed  = 200 // trees of one size that are enumerated
	maxDrawn   = 60  // trees of one size that are drawn at random if there are more
	maxUseless = 300 // draws in a row without a new input
	maxRefused = 150 // inputs refused for each input accepted
	maxBroken  = 8   // broken witnesses that are kept
	maxRepairs = 6   // repairs of a broken witness, for each size
)

// A collection is a list of different inputs.
type collection struct {
	inputs []*generate.Input
	seen   map[string]bool
}

// add adds an input and reports whether it is new. It ignores nil.
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

// collect draws trees until it has n inputs or gives up. If it has none by then, it
// returns the smallest input.
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

// smallest returns up to n inputs. It tries the trees in ascending order of cost.
func (w *writer) smallest(ctx context.Context, n int) ([]*generate.Input, error) {
	var found collection
	step := int32(1)
	if w.constraint.MaxChars > 0 {
		step = charWeight
	}
	done, budget := int32(-1), w.main.cheapest()
	listed := true // whether all trees so far were tried
	for range maxLevels {
		if len(found.inputs) >= n || budget > w.most || w.hopeless() {
			break
		}
		all, err := w.list(ctx, &found, n, done, budget)
		if err != nil {
			return nil, err
		}
		listed = listed && all
		for drawn := 0; !all && len(found.inputs) < n && drawn < maxDrawn; drawn++ {
			input, err := w.write(ctx, w.main.draw(budget, randomChooser{w.rand}))
			if err != nil {
				return nil, err
			}
			found.add(input)
		}
		if len(found.inputs) < n {
			err = w.repair(ctx, budget, func(input *generate.Input) bool {
				found.add(input)
				return len(found.inputs) >= n
			})
			if err != nil {
				return nil, err
			}
		}
		done, budget = budget, budget+step
	}
	for drawn := 0; !listed && len(found.inputs) == 0 && n > 0 && drawn < maxUseless && !w.hopeless(); drawn++ { // a larger input is better than none
		input, err := w.write(ctx, w.main.draw(w.main.cheapest()+w.rand.Int32N(w.span(variedSpan)+1), randomChooser{w.rand}))
		if err != nil {
			return nil, err
		}
		found.add(input)
	}
	if len(found.inputs) == 0 && n > 0 {
		return nil, w.unrealised()
	}
	return found.inputs, nil
}

// list tries the trees that cost more than done and at most the budget, until n
// inputs are found. It reports whether it tried all these trees.
func (w *writer) list(ctx context.Context, found *collection, n int, done, budget int32) (all bool, err error) {
	choices := &enumerator{}
	for range maxListed {
		if len(found.inputs) >= n || w.hopeless() {
			return false, nil
		}
		if tree := w.main.draw(budget, choices); tree.cost() > done {
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

// An effort limits a search.
type effort struct {
	levels int // sizes, from the smallest on
	listed int // trees of each size
	random int // trees of any size
}

// search returns an input, preferably a small one; nil if none was found.
func (w *writer) search(ctx context.Context, e effort) (*generate.Input, error) {
	least := w.main.cheapest()
	for level := range e.levels {
		choices := &enumerator{}
		for range e.listed {
			tree := w.main.draw(min(least+int32(level), w.most), choices)
			if level == 0 || tree.cost() == least+int32(level) {
				if input, err := w.write(ctx, tree); input != nil || err != nil {
					return input, err
				}
			}
			if !choices.next() {
				break
			}
		}
	}
	for range e.random {
		input, err := w.write(ctx, w.main.draw(least+w.rand.Int32N(w.span(variedSpan)+1), randomChooser{w.rand}))
		if input != nil || err != nil {
			return input, err
		}
	}
	var found *generate.Input
	err := w.repair(ctx, w.most, func(input *generate.Input) bool {
		found = input
		return input != nil
	})
	return found, err
}
