package generate

import (
	"slices"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/refine"
)

// A graph is a grammar together with the lookups that drawing repeats most often.
type graph struct {
	grammar    *grammars.Grammar
	refinement *refine.Refinement
	modes      *refine.Modes // nil if lexer modes are not refined
	needs      *refine.Needs
	productive [][]*grammars.Node            // by node: the children that have a finite derivation
	readable   map[grammars.Occurrence][]int // by token set: the types of tokens that have a text
	above      []grammars.Occurrence         // by node: the construct that it stands in, within its rule
	symbols    *grammars.Symbols
}

func newGraph(g *grammars.Grammar, opt Options) *graph {
	refinement := refine.Of
	if opt.unparsed(g) {
		refinement = refine.Unrefined
	}
	t := &graph{
		grammar: g, refinement: refinement(g, opt.Start), needs: refine.NewNeeds(g), symbols: g.Symbols(),
		productive: make([][]*grammars.Node, len(g.Nodes)), above: make([]grammars.Occurrence, len(g.Nodes)),
	}
	t.modes = t.refinement.Modes()
	t.readable = readable(g)
	roots := map[grammars.Occurrence]bool{}
	for _, r := range g.Rules {
		roots[r.Root] = true
	}
	for i := range t.above {
		t.above[i] = derivation.None
	}
	for _, n := range g.Nodes {
		t.productive[n.ID] = without(n.Children, unproductive)
		if n.Kind.Symbolic() {
			continue
		}
		for _, child := range n.Children {
			if !roots[child.ID] {
				t.above[child.ID] = n.ID
			}
		}
	}
	return t
}

// readable returns, by token set, the types of tokens that the lexer can read.
func readable(g *grammars.Grammar) map[grammars.Occurrence][]int {
	out := map[grammars.Occurrence][]int{}
	x := g.Lexicon()
	if x == nil {
		return out
	}
	read := map[int]bool{}
	for _, r := range x.Readings {
		read[r.Type] = true
	}
	for _, n := range g.Nodes {
		for _, t := range n.Types {
			if read[t] {
				out[n.ID] = append(out[n.ID], t)
			}
		}
	}
	return out
}

// without returns the nodes for which excluded is false.
func without(nodes []*grammars.Node, excluded func(*grammars.Node) bool) []*grammars.Node {
	if !slices.ContainsFunc(nodes, excluded) {
		return nodes
	}
	return slices.DeleteFunc(slices.Clone(nodes), excluded)
}

func unproductive(n *grammars.Node) bool { return n.Size == grammars.Unproductive }

// within returns a node and the constructs that it stands in, up to the right-hand
// side of its rule.
func (t *graph) within(o grammars.Occurrence) []grammars.Occurrence {
	var out []grammars.Occurrence
	for ; o != derivation.None; o = t.above[o] {
		out = append(out, o)
	}
	return out
}
