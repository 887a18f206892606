package grammars

// Symbols is an index of the symbols in each construct of a grammar.
type Symbols struct {
	in [][]*Node // by node
}

type symbolsKey struct{}

// Symbols returns an index of the symbols in each construct.
func (g *Grammar) Symbols() *Symbols {
	return g.Memo(symbolsKey{}, func() any {
		s := &Symbols{make([][]*Node, len(g.Nodes))}
		for _, n := range g.Nodes {
			s.find(n)
		}
		return s
	}).(*Symbols)
}

// In returns the symbols in a construct, and the end of the input, within its
// rule, in order. The caller must not change them.
func (s *Symbols) In(n *Node) []*Node { return s.in[n.ID] }

// find finds the symbols in a construct.
func (s *Symbols) find(n *Node) []*Node {
	if s.in[n.ID] == nil {
		if n.Kind.Symbolic() || n.Kind == End {
			s.in[n.ID] = []*Node{n}
		} else {
			s.in[n.ID] = []*Node{}
			for _, child := range n.Children {
				s.in[n.ID] = append(s.in[n.ID], s.find(child)...)
			}
		}
	}
	return s.in[n.ID]
}
