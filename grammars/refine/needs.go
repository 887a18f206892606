package refine

import (
	"slices"

	"github.com/inroad/inroad/grammars"
)

// Needs determine which nodes are derivable using only some of the symbols that the
// rules of a grammar need, according to its notes. Sets of needed symbols are given as bits,
// see [Needs.Provides]. Needs are not safe for concurrent use.
type Needs struct {
	grammar   *grammars.Grammar
	symbols   []string
	derivable map[uint64][]bool // by available symbols, then by node
}

// NewNeeds returns the needs of a grammar's rules.
func NewNeeds(g *grammars.Grammar) *Needs {
	t := &Needs{grammar: g, derivable: map[uint64][]bool{}}
	for _, r := range g.Rules {
		if r.Needs != "" && !slices.Contains(t.symbols, r.Needs) {
			t.symbols = append(t.symbols, r.Needs)
		}
	}
	return t
}

// Symbols returns the needed symbols; the i-th is bit i of a set.
func (t *Needs) Symbols() []string { return t.symbols }

// Provides returns the needed symbol that a node stands for, as a set; 0 if it stands
// for none.
func (t *Needs) Provides(n *grammars.Node) uint64 {
	if i := slices.Index(t.symbols, n.Text); i >= 0 && n.Kind.Symbolic() {
		return 1 << i
	}
	return 0
}

// Missing reports whether every derivation from a node needs a symbol that is not
// available.
func (t *Needs) Missing(n *grammars.Node, available uint64) bool {
	if len(t.symbols) == 0 {
		return false
	}
	if t.derivable[available] == nil {
		t.derivable[available] = t.findDerivable(available)
	}
	return !t.derivable[available][n.ID]
}

// findDerivable finds the nodes that are derivable using only available symbols.
func (t *Needs) findDerivable(available uint64) []bool {
	known := make([]bool, len(t.grammar.Nodes))
	for changed := true; changed; {
		changed = false
		for _, n := range slices.Backward(t.grammar.Nodes) { // children mostly come later
			if !known[n.ID] && t.isDerivable(n, available, known) {
				known[n.ID], changed = true, true
			}
		}
	}
	return known
}

func (t *Needs) isDerivable(n *grammars.Node, available uint64, known []bool) bool {
	switch {
	case n.Kind == grammars.Alternation:
		return slices.ContainsFunc(n.Children, func(n *grammars.Node) bool { return known[n.ID] })
	case n.Kind == grammars.Repetition:
		return n.Min == 0 || known[n.Children[0].ID]
	case n.Kind == grammars.Reference && n.Target != nil && n.Target.Needs != "" && available&(1<<slices.Index(t.symbols, n.Target.Needs)) == 0:
		return false
	default:
		return n.Size != grammars.Unproductive && !slices.ContainsFunc(n.Children, func(n *grammars.Node) bool { return !known[n.ID] })
	}
}

// Reachable returns, by node, whether some derivation from the given node contains
// it, using only available symbols.
func (t *Needs) Reachable(from *grammars.Node, available uint64) []bool {
	out := make([]bool, len(t.grammar.Nodes))
	for queue := []*grammars.Node{from}; len(queue) > 0; queue = queue[1:] {
		n := queue[0]
		if out[n.ID] || t.Missing(n, available) {
			continue
		}
		out[n.ID] = true
		queue = append(queue, n.Children...)
	}
	return out
}
