package grammars

// Holdings tell which symbols constructs hold. They are not safe for concurrent
// use until all that is asked for was asked for once.
type Holdings struct {
	held [][]*Node // by node
}

// Holdings returns what tells which symbols the constructs of the grammar hold.
func (g *Grammar) Holdings() *Holdings { return &Holdings{make([][]*Node, len(g.Nodes))} }

// Of returns the symbols in a construct, and the end of the input, within its
// rule, in order. The caller must not change them.
func (h *Holdings) Of(n *Node) []*Node {
	if h.held[n.ID] == nil {
		if n.Kind.Symbolic() || n.Kind == End {
			h.held[n.ID] = []*Node{n}
		} else {
			for _, child := range n.Children {
				h.held[n.ID] = append(h.held[n.ID], h.Of(child)...)
			}
		}
	}
	return h.held[n.ID]
}
