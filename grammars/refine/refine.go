// Package refine determines which derivations of a grammar its parser can return.
//
// Not every tree that the rules of a grammar derive is the tree of some text.
// Operator precedence keeps an addition from being an operand of a product, and
// a token stands only where the lexer is in a mode whose rules make it. [Of]
// analyses both once for a grammar and a start rule:
//
//   - [Refinement.Graph] is the refined grammar, in which every rule is split by
//     operator binding and lexer modes. Path counting and solving walk it.
//   - [Bindings], [Modes] and [Plan] make the same decisions step by step, for a
//     generator that draws a tree from left to right.
//
// The parser returns no derivation that the package excludes. The text of a
// derivation that the package allows can still be parsed as another tree: where the
// grammar is ambiguous, or where the characters of neighbouring tokens run together.
package refine

import (
	"sync"

	"github.com/inroad/inroad/grammars"
)

// A Refinement describes the derivations from a start rule that the parser can
// return. It is safe for concurrent use.
type Refinement struct {
	grammar  *grammars.Grammar
	start    *grammars.Rule
	bindings map[*grammars.Rule]*Bindings
	endings  *endings // nil if modes are not refined
	graph    func() *Graph
}

type refinementKey struct{ start string }

// Of returns the refinement of derivations from a parser rule. The grammar keeps
// the refinement, so that it is computed once.
func Of(g *grammars.Grammar, start string) *Refinement {
	return g.Memo(refinementKey{start}, func() any {
		r := &Refinement{grammar: g, start: g.Rule(start), bindings: map[*grammars.Rule]*Bindings{}}
		for _, rule := range g.ParserRules() {
			if rule.Operators != nil {
				r.bindings[rule] = newBindings(rule)
			}
		}
		r.endings = findEndings(g, start)
		r.graph = sync.OnceValue(func() *Graph { return r.newGraph() })
		return r
	}).(*Refinement)
}

// Bindings returns the operator bindings of a rule, nil if the rule is not left-recursive.
func (r *Refinement) Bindings(rule *grammars.Rule) *Bindings { return r.bindings[rule] }

// Graph returns the refined grammar.
func (r *Refinement) Graph() *Graph { return r.graph() }

type plainKey struct{ start string }

// Plain returns the grammar as a [Graph] without refinement: operators bind alike,
// and any token can stand anywhere.
func Plain(g *grammars.Grammar, start string) *Graph {
	return g.Memo(plainKey{start}, func() any {
		graph, _ := build(&Refinement{grammar: g, start: g.Rule(start)})
		return graph
	}).(*Graph)
}

// newGraph builds the refined grammar. If it exceeds maxParts, lexer modes are not
// refined; if it still does, operator bindings are not refined either.
func (r *Refinement) newGraph() *Graph {
	for _, coarser := range []*Refinement{r, {grammar: r.grammar, start: r.start, bindings: r.bindings}} {
		if graph, ok := build(coarser); ok {
			return graph
		}
	}
	return Plain(r.grammar, r.start.Name)
}
