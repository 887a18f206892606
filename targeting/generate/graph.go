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
	modes   *grammars.Modes       // nil if there is nothing to heed
	needed  []string              // the symbols that something needs before it
	fit     map[uint64][]bool     // by those of them that are there: for each node whether it derives something that needs no other
	above   []grammars.Occurrence // by node: the construct that it stands in, within its rule
	held    *grammars.Holdings
}

func newGraph(g *grammars.Grammar) *graph {
	t := &graph{
		grammar: g, open: make([][]*grammars.Node, len(g.Nodes)),
		above: make([]grammars.Occurrence, len(g.Nodes)), held: g.Holdings(), fit: map[uint64][]bool{},
	}
	roots := map[grammars.Occurrence]bool{}
	for _, r := range g.Rules {
		roots[r.Root] = true
	}
	for i := range t.above {
		t.above[i] = derivation.None
	}
	for _, r := range g.Rules {
		if r.Needs != "" && !slices.Contains(t.needed, r.Needs) {
			t.needed = append(t.needed, r.Needs)
		}
	}
	for _, n := range g.Nodes {
		t.open[n.ID] = without(n.Children, unproductive)
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

// met returns which of the needed symbols a node is.
func (t *graph) met(n *grammars.Node) uint64 {
	if i := slices.Index(t.needed, n.Text); i >= 0 && n.Kind.Symbolic() {
		return 1 << i
	}
	return 0
}

// lacks reports whether all that a node derives needs a symbol that is not among
// those there are.
func (t *graph) lacks(n *grammars.Node, there uint64) bool {
	if len(t.needed) == 0 {
		return false
	}
	if t.fit[there] == nil {
		t.fit[there] = t.findFit(there)
	}
	return !t.fit[there][n.ID]
}

// findFit finds the nodes that derive something which needs nothing but what is
// there.
func (t *graph) findFit(there uint64) []bool {
	known := make([]bool, len(t.grammar.Nodes))
	for changed := true; changed; {
		changed = false
		for _, n := range slices.Backward(t.grammar.Nodes) { // children mostly come later
			if !known[n.ID] && t.fits(n, there, known) {
				known[n.ID], changed = true, true
			}
		}
	}
	return known
}

func (t *graph) fits(n *grammars.Node, there uint64, known []bool) bool {
	switch {
	case n.Kind == grammars.Alternation:
		return slices.ContainsFunc(n.Children, func(n *grammars.Node) bool { return known[n.ID] })
	case n.Kind == grammars.Repetition:
		return n.Min == 0 || known[n.Children[0].ID]
	case n.Kind == grammars.Reference && n.Target != nil && n.Target.Needs != "" && there&(1<<slices.Index(t.needed, n.Target.Needs)) == 0:
		return false
	default:
		return !unproductive(n) && !slices.ContainsFunc(n.Children, func(n *grammars.Node) bool { return !known[n.ID] })
	}
}

// free returns which nodes are come to from one, and derive something, with nothing
// on the way or in it that needs more than what is there.
func (t *graph) free(from *grammars.Node, there uint64) []bool {
	out := make([]bool, len(t.grammar.Nodes))
	for queue := []*grammars.Node{from}; len(queue) > 0; queue = queue[1:] {
		n := queue[0]
		if out[n.ID] || t.lacks(n, there) {
			continue
		}
		out[n.ID] = true
		queue = append(queue, n.Children...)
	}
	return out
}

// without returns the nodes that are not out.
func without(nodes []*grammars.Node, out func(*grammars.Node) bool) []*grammars.Node {
	if !slices.ContainsFunc(nodes, out) {
		return nodes
	}
	return slices.DeleteFunc(slices.Clone(nodes), out)
}

func unproductive(n *grammars.Node) bool { return n.Size == grammars.Unproductive }

// symbols returns the symbols in a construct of a rule.
func (t *graph) symbols(n *grammars.Node) []*grammars.Node { return t.held.Of(n) }

// within returns a node and the constructs that it stands in, up to its rule's
// right-hand side.
func (t *graph) within(o grammars.Occurrence) []grammars.Occurrence {
	var out []grammars.Occurrence
	for ; o != derivation.None; o = t.above[o] {
		out = append(out, o)
	}
	return out
}
