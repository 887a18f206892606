package grammars

// Symbols is an index of the symbols in each construct of a grammar. It is filled
// on demand: concurrent use is safe only for nodes that were looked up before.
type Symbols struct {
	in [][]*Node // by node
}

// Symbols returns an index of the symbols in each construct.
func (g *Grammar) Symbols() *Symbols { return &Symbols{make([][]*Node, len(g.Nodes))} }

// In returns the symbols in a construct, and the end of the input, within its
// rule, in order. The caller must not change them.
func (s *Symbols) In(n *Node) []*Node {
	if s.in[n.ID] == nil {
		if n.Kind.Symbolic() || n.Kind == End {
			s.in[n.ID] = []*Node{n}
		} else {
			s.in[n.ID] = []*Node{}
			for _, child := range n.Children {
				s.in[n.ID] = append(s.in[n.ID], s.In(child)...)
			}
		}
	}
	return s.in[n.ID]
}
