// Package refine determines which derivations of a grammar its parser can return.
//
// Not every tree that the rules of a grammar derive is the tree of some text.
// Operator precedence keeps an addition from being an operand of a product. The parser
// never takes an alternative if earlier ones derive the same. And a token stands only
// where the lexer reads it: in a mode whose rules make it, and after a token with which
// it does not merge. [Of] analyses this once for a grammar and a start rule:
//
//   - [Refinement.Graph] is the refined grammar, without alternatives that are never
//     taken, in which every rule is split by operator binding and lexer states. Path
//     counting and solving walk it.
//   - [Bindings], [Modes] and [Plan] make the same decisions step by step, for a
//     generator that draws a tree from left to right.
//
// The parser returns no derivation that the package excludes. The text of a
// derivation that the package allows can still be parsed as another tree: where the
// grammar is ambiguous in a way that depends on more than one decision, or where a token
// merges with more than its neighbour.
package refine

import (
	"context"
	"strconv"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/limit"
)

// A Refinement describes the derivations from a start rule that the parser can
// return. It is safe for concurrent use.
type Refinement struct {
	grammar     *grammars.Grammar
	start       *grammars.Rule
	bindings    map[*grammars.Rule]*Bindings
	preferences preferences
	endings     *endings // nil if lexer states are not refined
}

type (
	refinementKey struct{ start string }
	graphKey      struct{ start string }
	plainKey      struct{ start string }
)

// maxSteps limits the steps of an analysis: to refine a grammar in [Prepare], to find
// layers, or to prove paths impossible.
const maxSteps = 500_000_000

// Prepare computes the refinement of derivations from a parser rule and its graph,
// which the grammar keeps for [Of]. A large grammar takes seconds. The error is a
// [*limit.Error], or the cause of ctx's cancellation.
func Prepare(ctx context.Context, g *grammars.Grammar, start string) error {
	metered := func(key any, compute func(m *limit.Meter) any) (any, error) {
		return g.MemoWith(ctx, key, func(ctx context.Context) (out any, err error) {
			defer limit.Catch(&err)
			return compute(limit.NewMeter(ctx, maxSteps, &limit.Error{
				What: "steps to refine a grammar", Value: strconv.Itoa(maxSteps), Advice: "use fewer operators or lexer modes",
			})), nil
		})
	}
	if _, err := metered(plainKey{start}, func(m *limit.Meter) any { return newPlain(m, g, start) }); err != nil {
		return err
	}
	if err := g.PrepareLexicon(ctx); err != nil {
		return err
	}
	r, err := metered(refinementKey{start}, func(m *limit.Meter) any { return newRefinement(m, g, start) })
	if err != nil {
		return err
	}
	_, err = metered(graphKey{start}, func(m *limit.Meter) any { return r.(*Refinement).newGraph(m) })
	return err
}

// Of returns the refinement of derivations from a parser rule. The grammar keeps
// the refinement, so that it is computed once. [Prepare] computes it under a context.
func Of(g *grammars.Grammar, start string) *Refinement {
	return g.Memo(refinementKey{start}, func() any { return newRefinement(nil, g, start) }).(*Refinement)
}

// Unrefined returns a refinement that allows every derivation, for trees that are not
// parsed. The grammar must be scannerless: a lexer reads texts in its own way.
func Unrefined(g *grammars.Grammar, start string) *Refinement {
	return &Refinement{grammar: g, start: g.Rule(start)}
}

func newRefinement(m *limit.Meter, g *grammars.Grammar, start string) *Refinement {
	r := &Refinement{grammar: g, start: g.Rule(start), bindings: map[*grammars.Rule]*Bindings{}}
	for _, rule := range g.ParserRules() {
		if rule.Operators != nil {
			m.Step(len(rule.Operators))
			r.bindings[rule] = newBindings(rule)
		}
	}
	adjacent := findAdjacent(m, g)
	r.preferences = findUnchosen(m, g, start, adjacent)
	r.endings = findEndings(m, g, start, adjacent, r.preferences.unchosen)
	return r
}

// Bindings returns the operator bindings of a rule, or nil if the rule is not
// left-recursive.
func (r *Refinement) Bindings(rule *grammars.Rule) *Bindings { return r.bindings[rule] }

// Graph returns the refined grammar.
func (r *Refinement) Graph() *Graph {
	return r.grammar.Memo(graphKey{r.start.Name}, func() any { return r.newGraph(nil) }).(*Graph)
}

// Plain returns the grammar as a [Graph] without refinement: operators bind alike,
// and any token can stand anywhere.
func Plain(g *grammars.Grammar, start string) *Graph {
	return g.Memo(plainKey{start}, func() any { return newPlain(nil, g, start) }).(*Graph)
}

func newPlain(m *limit.Meter, g *grammars.Grammar, start string) *Graph {
	graph, _ := build(m, &Refinement{grammar: g, start: g.Rule(start)})
	return graph
}

// newGraph builds the refined grammar. If it exceeds maxParts, lexer states are not
// refined; if it still does, nothing is refined.
func (r *Refinement) newGraph(m *limit.Meter) *Graph {
	for _, coarser := range []*Refinement{r, {grammar: r.grammar, start: r.start, bindings: r.bindings, preferences: r.preferences}} {
		if graph, ok := build(m, coarser); ok {
			return graph
		}
	}
	return Plain(r.grammar, r.start.Name)
}
