package solve

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/grammars/refine"
	"github.com/inroad/inroad/targeting"
	"github.com/inroad/inroad/targeting/generate"
)

// Reasons for paths without an input, beside those of package refine.
const (
	// No tree has the path: its symbols, or the symbols that they require, contradict each
	// other.
	NoTree refine.Reason = "no-tree"
	// Every tree with the path has another path that is proved impossible.
	Implied refine.Reason = "implied"
	// Trees have the path, but every text that was tried parsed to another tree. This is no
	// proof.
	Misread refine.Reason = "misread"
	// A limit stopped the solver before it found whether a tree has the path. This is no
	// proof.
	Limited refine.Reason = "limit"
)

// A Missing is a path without an input.
type Missing struct {
	Path   features.Path
	Reason refine.Reason
	Symbol grammars.Occurrence // if Misread: a symbol of the path without an input; or else derivation.None
	Tried  int                 // if Misread: the trees that were tried for the symbol, or for the path
	Limit  string              // if Limited
}

// Proved reports whether it is proved that no input has the path.
func (m Missing) Proved() bool { return m.Reason != Misread && m.Reason != Limited }

// Complete solves the paths that a cover gave up and calls take with the inputs. It returns
// the paths that are still without an input, proved ones first. The cover's generator must
// have the solver's grammar and start rule.
//
// The search for an input is limited for each path. All paths through a symbol that no
// input has share one search for that symbol. If the error is not nil, paths that were not
// searched have no reason.
func (s *Solver) Complete(ctx context.Context, c *generate.Cover, r *rand.Rand, take func(*generate.Input) error) ([]Missing, error) {
	text, err := generate.New(s.grammar, r, generate.Options{Start: s.start.Name}) //nolint:contextcheck // reading one token back is bounded and takes no context
	if err != nil {
		return nil, err
	}
	prover, err := refine.Of(s.grammar, s.start.Name).NewProver(ctx)
	if err != nil {
		return nil, err
	}
	m := &completion{Solver: s, prover: prover, cover: c, text: text, rand: r, take: take, symbols: map[grammars.Occurrence]search{}}
	var proved, left []Missing
	for _, p := range c.Unrealised() {
		some := Missing{Path: p, Symbol: derivation.None}
		if err == nil {
			some.Reason, err = m.prove(ctx, p)
		}
		if some.Reason != "" {
			proved = append(proved, some)
		} else {
			left = append(left, some)
		}
	}
	if err == nil && c.Length() == 2 {
		proved, left = m.withoutAbsent(proved, left)
	}
	for i := 0; i < len(left) && err == nil; i++ {
		if !c.Covers(left[i].Path) { // by an input for an earlier path
			err = m.path(ctx, &left[i], min(manyTrees/len(left), maxTrees))
		}
	}
	return append(proved, slices.DeleteFunc(left, func(m Missing) bool { return c.Covers(m.Path) })...), err
}

// A completion is the state of one call of Complete.
type completion struct {
	*Solver
	prover  *refine.Prover
	cover   *generate.Cover
	text    *generate.Generator
	rand    *rand.Rand
	take    func(*generate.Input) error
	symbols map[grammars.Occurrence]search // of symbols that no input of the cover had
}

// A search is the result of a search for an input.
type search struct {
	found bool
	tried int // trees
}

// withoutAbsent moves the paths of two symbols that the proved paths rule out from left to
// proved.
func (m *completion) withoutAbsent(proved, left []Missing) (allProved, rest []Missing) {
	a := newAbsence(m.grammar, m.start, m.cover)
	for _, p := range proved {
		a.add(p.Path)
	}
	a.spread()
	for _, p := range left {
		if a.excludes(p.Path) {
			p.Reason = Implied
			proved = append(proved, p)
		} else {
			rest = append(rest, p)
		}
	}
	return proved, rest
}

// pathEffort limits the search for an input with a path.
func pathEffort() effort { return effort{levels: 2, listed: 20, random: 30} }

// symbolEffort limits the search for an input with a symbol that no input has.
func symbolEffort() effort { return effort{levels: 4, listed: 40, random: 150} }

// Limits on the trees that are drawn for paths that are neither covered nor proved
// impossible, before the paths are solved.
const (
	manyTrees = 6_000 // for all paths
	maxTrees  = 1_000 // for a path
	someTrees = 60    // at once
)

// prove returns the reason why no input has a path; "" if there is no proof.
func (m *completion) prove(ctx context.Context, p features.Path) (refine.Reason, error) {
	why, err := m.prover.Never(ctx, p)
	if why != "" || err != nil {
		return why, err
	}
	solution, err := m.Try(ctx, require(p))
	switch {
	case isUnsolved(err):
		return "", nil
	case solution == nil && err == nil:
		return NoTree, nil
	default:
		return "", err
	}
}

func require(p features.Path) targeting.Constraint {
	return targeting.Constraint{Conditions: []targeting.Condition{targeting.Require(p)}}
}

// path looks for an input with a path: it draws trees, and then solves the path. If it
// finds no input, it sets the reason.
func (m *completion) path(ctx context.Context, of *Missing, trees int) error {
	p := of.Path
	of.Reason = Misread
	for before := m.cover.Tried(); trees > 0 && !m.cover.Covers(p); trees -= someTrees {
		input, err := m.cover.Search(ctx, p, min(trees, someTrees))
		if err == nil && input != nil {
			err = m.take(input)
		}
		if err != nil {
			return err
		}
		of.Tried = m.cover.Tried() - before
	}
	if m.cover.Covers(p) {
		return nil
	}
	solution, err := m.Try(ctx, require(p))
	if isUnsolved(err) {
		of.Reason, of.Limit = Limited, err.Error()
		return nil
	}
	if solution == nil || err != nil {
		return err
	}
	for _, o := range p {
		if err := m.symbol(ctx, o); err != nil {
			return err
		}
	}
	if m.cover.Covers(p) {
		return nil
	}
	for _, o := range p {
		if s, ok := m.symbols[o]; ok && !s.found {
			of.Symbol, of.Tried = o, max(s.tried, 1)
			return nil
		}
	}
	s, err := m.search(ctx, solution, pathEffort())
	of.Tried += s.tried
	return err
}

// symbol looks for an input with a symbol, unless an input has the symbol or an earlier
// call looked for it.
func (m *completion) symbol(ctx context.Context, o grammars.Occurrence) error {
	if _, ok := m.symbols[o]; ok || m.cover.Reads(o) {
		return nil
	}
	solution, err := m.Try(ctx, require(features.Path{o}))
	if err != nil && !isUnsolved(err) {
		return err
	}
	var s search
	if solution != nil {
		if s, err = m.search(ctx, solution, symbolEffort()); err != nil {
			return err
		}
	}
	m.symbols[o] = s
	return nil
}

// search looks for an input of a solution, and counts the trees it tries. If it finds one,
// it lets the cover generate further inputs, which the new input makes easier.
func (m *completion) search(ctx context.Context, of *Solution, e effort) (search, error) {
	w := of.writerWith(m.text, m.rand)
	input, err := w.search(ctx, e)
	if input == nil || err != nil {
		return search{tried: w.fails.Tried}, err
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
	return search{true, w.fails.Tried}, err
}

// isUnsolved reports whether an error says that no input was found, without a proof
// that there is none.
func isUnsolved(err error) bool {
	var unrealised *UnrealisedError
	var limited *limit.Error
	return errors.As(err, &unrealised) || errors.As(err, &limited)
}
