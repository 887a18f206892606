package generate

import (
	"slices"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
)

// A graph is a grammar with what drawing looks up again and again.
type graph struct {
	grammar *grammars.Grammar
	open    [][]*grammars.Node    // by node: the children that derive something
	above   []grammars.Occurrence // by node: the construct that it stands in, within its rule
	held    [][]*grammars.Node    // by node: the symbols in it, within its rule, once asked for
}

func newGraph(g *grammars.Grammar) *graph {
	t := &graph{
		grammar: g, open: make([][]*grammars.Node, len(g.Nodes)),
		above: make([]grammars.Occurrence, len(g.Nodes)), held: make([][]*grammars.Node, len(g.Nodes)),
	}
	roots := map[grammars.Occurrence]bool{}
	for _, r := range g.Rules {
		roots[r.Root] = true
	}
	for i := range t.above {
		t.above[i] = derivation.None
	}
	for _, n := range g.Nodes {
		t.open[n.ID] = n.Children
		if slices.ContainsFunc(n.Children, unproductive) {
			t.open[n.ID] = slices.DeleteFunc(slices.Clone(n.Children), unproductive)
		}
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

func unproductive(n *grammars.Node) bool { return n.Size == grammars.Unproductive }

// symbols returns the symbols in a construct of a rule.
func (t *graph) symbols(n *grammars.Node) []*grammars.Node {
	if t.held[n.ID] == nil {
		if n.Kind.Symbolic() {
			t.held[n.ID] = []*grammars.Node{n}
		} else {
			for _, child := range n.Children {
				t.held[n.ID] = append(t.held[n.ID], t.symbols(child)...)
			}
		}
	}
	return t.held[n.ID]
}

// within returns a node and the constructs that it stands in, up to its rule's
// right-hand side.
func (t *graph) within(o grammars.Occurrence) []grammars.Occurrence {
	var out []grammars.Occurrence
	for ; o != derivation.None; o = t.above[o] {
		out = append(out, o)
	}
	return out
}
