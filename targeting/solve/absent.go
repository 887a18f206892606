package solve

import (
	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/targeting/generate"
)

// An absence starts from pairs of a symbol and its child that no tree has. It derives
// which symbols, and hence which further paths, no tree has:
//
//   - A symbol is absent if it is absent below every reference to its rule.
//   - A reference is absent if every right-hand side of its rule needs a symbol that is
//     absent below it.
type absence struct {
	grammar *grammars.Grammar
	start   *grammars.Rule
	pairs   map[[2]grammars.Occurrence]bool
	symbols []bool             // by node
	callers [][]*grammars.Node // by parser rule: the references to it from reachable rules
	used    []*grammars.Node   // the symbols of reachable rules
}

// newAbsence returns the absence of pairs that are not among the paths of a cover.
func newAbsence(g *grammars.Grammar, start *grammars.Rule, c *generate.Cover) *absence {
	a := &absence{
		grammar: g, start: start, pairs: map[[2]grammars.Occurrence]bool{}, symbols: make([]bool, len(g.Nodes)),
		callers: make([][]*grammars.Node, len(g.ParserRules())),
	}
	a.reach(start, make([]bool, len(g.ParserRules())))
	for _, n := range a.used {
		for _, call := range a.callers[n.Rule.Index] {
			if !c.Has(features.Path{call.ID, n.ID}) {
				a.pairs[[2]grammars.Occurrence{call.ID, n.ID}] = true
			}
		}
	}
	return a
}

// reach finds the symbols and the references of a rule and of all rules below it.
func (a *absence) reach(r *grammars.Rule, seen []bool) {
	if seen[r.Index] {
		return
	}
	seen[r.Index] = true
	var below []*grammars.Rule
	for work := []*grammars.Node{a.grammar.Nodes[r.Root]}; len(work) > 0; {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if !n.Kind.Symbolic() {
			work = append(work, n.Children...)
			continue
		}
		a.used = append(a.used, n)
		if calls(n) {
			a.callers[n.Target.Index] = append(a.callers[n.Target.Index], n)
			below = append(below, n.Target)
		}
	}
	for _, r := range below {
		a.reach(r, seen)
	}
}

// calls reports whether a symbol is a reference to a parser rule.
func calls(n *grammars.Node) bool {
	return n.Kind == grammars.Reference && n.Token == 0 && n.Target != nil
}

// add records that no tree has a path of two symbols.
func (a *absence) add(p features.Path) { a.pairs[[2]grammars.Occurrence(p)] = true }

// spread derives further absent symbols.
func (a *absence) spread() {
	for grown := true; grown; {
		grown = false
		for _, n := range a.used {
			if !a.symbols[n.ID] && (a.uncalled(n) || calls(n) && !a.derives(n, a.grammar.Nodes[n.Target.Root])) {
				a.symbols[n.ID], grown = true, true
			}
		}
	}
}

// uncalled reports whether a symbol is absent below every reference to its rule.
func (a *absence) uncalled(n *grammars.Node) bool {
	if n.Rule == a.start {
		return false
	}
	for _, call := range a.callers[n.Rule.Index] {
		if !a.symbols[call.ID] && !a.pairs[[2]grammars.Occurrence{call.ID, n.ID}] {
			return false
		}
	}
	return true
}

// derives reports whether n, a node of the rule that call refers to, has a derivation below
// call without absent symbols.
func (a *absence) derives(call, n *grammars.Node) bool {
	switch {
	case n.Kind == grammars.Alternation:
		for _, alt := range n.Children {
			if a.derives(call, alt) {
				return true
			}
		}
		return false
	case n.Kind == grammars.Concatenation:
		for _, part := range n.Children {
			if !a.derives(call, part) {
				return false
			}
		}
		return true
	case n.Kind == grammars.Repetition:
		return n.Min == 0 || a.derives(call, n.Children[0])
	case n.Kind.Symbolic():
		return !a.symbols[n.ID] && !a.pairs[[2]grammars.Occurrence{call.ID, n.ID}]
	default:
		return true
	}
}

// excludes reports whether no tree has a path.
func (a *absence) excludes(p features.Path) bool {
	for i, o := range p {
		if a.symbols[o] || i > 0 && a.pairs[[2]grammars.Occurrence(p[i-1:i+1])] {
			return true
		}
	}
	return false
}
