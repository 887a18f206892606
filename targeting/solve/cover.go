package solve

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/grammars/refine"
	"github.com/inroad/inroad/targeting"
	"github.com/inroad/inroad/targeting/generate"
)

// A Rest says what is left of the paths of a cover.
type Rest struct {
	Impossible int             // the number of paths that are proved impossible
	NotFound   []features.Path // neither covered nor proved impossible
}

// Complete solves the paths that a cover gave up and calls take with the inputs. The
// cover's generator must have the solver's grammar and start rule.
//
// The search for an input is limited for each path, and for all paths together that
// run through a symbol without an input. If the error is not nil, the result is that
// of the paths before it.
func (s *Solver) Complete(ctx context.Context, c *generate.Cover, r *rand.Rand, take func(*generate.Input) error) (Rest, error) {
	text, err := generate.New(s.grammar, r, generate.Options{Start: s.start.Name}) //nolint:contextcheck // reading one token back is bounded and takes no context
	if err != nil {
		return Rest{}, err
	}
	prover, err := refine.Of(s.grammar, s.start.Name).NewProver(ctx) //nolint:contextcheck // the solver has refined the grammar
	if err != nil {
		return Rest{}, err
	}
	m := &completion{Solver: s, prover: prover, cover: c, text: text, rand: r, take: take, absent: map[grammars.Occurrence]bool{}}
	var rest Rest
	var left []features.Path
	for _, p := range c.Unrealised() {
		proved := false
		if err == nil {
			proved, err = m.prove(ctx, p)
		}
		if proved {
			rest.Impossible++
			m.proved = append(m.proved, p)
		} else {
			left = append(left, p)
		}
	}
	if n := len(left); err == nil && c.Length() == 2 {
		left = m.withoutAbsent(left)
		rest.Impossible += n - len(left)
	}
	for i := 0; i < len(left) && err == nil; i++ {
		if !c.Covers(left[i]) { // by an input for an earlier path
			err = m.path(ctx, left[i], min(manyTrees/len(left), maxTrees))
		}
	}
	rest.NotFound = slices.DeleteFunc(left, c.Covers)
	return rest, err
}

// A completion is a cover while it is completed.
type completion struct {
	*Solver
	prover *refine.Prover
	cover  *generate.Cover
	text   *generate.Generator
	rand   *rand.Rand
	take   func(*generate.Input) error
	absent map[grammars.Occurrence]bool // the symbols without an input
	proved []features.Path              // proved impossible
}

// withoutAbsent returns, of paths of two symbols, those that are not impossible because
// other paths are.
func (m *completion) withoutAbsent(paths []features.Path) []features.Path {
	a := newAbsence(m.grammar, m.start, m.cover)
	for _, p := range m.proved {
		a.add(p)
	}
	a.spread()
	return slices.DeleteFunc(paths, a.excludes)
}

// pathEffort limits the search for an input with a path.
func pathEffort() effort { return effort{levels: 2, listed: 20, random: 30} }

// symbolEffort limits the search for an input with a symbol that no input has.
func symbolEffort() effort { return effort{levels: 4, listed: 40, random: 150} }

// Limits on the trees that are drawn for the paths that are neither covered nor proved
// impossible, before they are solved.
const (
	manyTrees = 6_000 // for all paths
	maxTrees  = 1_000 // for a path
	someTrees = 60    // at once
)

// prove reports whether there is a proof that no input has a path.
func (m *completion) prove(ctx context.Context, p features.Path) (bool, error) {
	never, err := m.prover.Never(ctx, p)
	if never || err != nil {
		return never, err
	}
	solution, err := m.Try(ctx, require(p))
	if isUnsolved(err) {
		return false, nil
	}
	return solution == nil && err == nil, err
}

func require(p features.Path) targeting.Constraint {
	return targeting.Constraint{Conditions: []targeting.Condition{targeting.Require(p)}}
}

// path looks for an input with a path: it draws trees, and then solves the path.
func (m *completion) path(ctx context.Context, p features.Path, trees int) error {
	for ; trees > 0 && !m.cover.Covers(p); trees -= someTrees {
		input, err := m.cover.Search(ctx, p, min(trees, someTrees))
		if err == nil && input != nil {
			err = m.take(input)
		}
		if err != nil {
			return err
		}
	}
	if m.cover.Covers(p) {
		return nil
	}
	solution, err := m.Try(ctx, require(p))
	if isUnsolved(err) || solution == nil || err != nil {
		if isUnsolved(err) {
			err = nil
		}
		return err
	}
	for _, o := range p {
		if m.absent[o] || m.cover.Reads(o) {
			continue
		}
		symbol, err := m.Try(ctx, require(features.Path{o}))
		if err != nil && !isUnsolved(err) {
			return err
		}
		found := false
		if symbol != nil {
			if found, err = m.search(ctx, symbol, symbolEffort()); err != nil {
				return err
			}
		}
		m.absent[o] = !found
	}
	if m.cover.Covers(p) || slices.ContainsFunc(p, func(o grammars.Occurrence) bool { return m.absent[o] }) {
		return nil
	}
	_, err = m.search(ctx, solution, pathEffort())
	return err
}

// search looks for an input of a solution. Then it covers the paths that the input
// makes easy to cover.
func (m *completion) search(ctx context.Context, of *Solution, e effort) (found bool, err error) {
	w := of.writerWith(m.text, m.rand)
	input, err := w.search(ctx, e)
	if input == nil || err != nil {
		return false, err
	}
	more, err := m.cover.Credit(input.Tree)
	for err == nil && input != nil {
		if more > 0 {
			err = m.take(input)
		}
		if err == nil {
			input, err = m.cover.Next(ctx)
			more = 1
		}
	}
	return true, err
}

// isUnsolved reports whether an error says that no input was found, without a proof
// that there is none.
func isUnsolved(err error) bool {
	var unrealised *UnrealisedError
	var limited *limit.Error
	return errors.As(err, &unrealised) || errors.As(err, &limited)
}
