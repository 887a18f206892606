package grammars

// parents returns the nodes right above each node.
func parents(g *Grammar) [][]Occurrence {
	out := make([][]Occurrence, len(g.Nodes))
	for _, n := range g.Nodes {
		for _, child := range n.Children {
			out[child.ID] = append(out[child.ID], n.ID)
		}
	}
	return out
}

// measure computes the least size and depth of every node by fixpoint iteration
// from the leaves up.
func (g *Grammar) measure() {
	queued := make([]bool, len(g.Nodes))
	var queue []Occurrence
	for i := len(g.Nodes) - 1; i >= 0; i-- {
		g.Nodes[i].Size, g.Nodes[i].Depth = Unproductive, Unproductive
		queued[i] = true
		queue = append(queue, Occurrence(i))
	}
	for len(queue) > 0 {
		n := g.Nodes[queue[0]]
		queue = queue[1:]
		queued[n.ID] = false
		size, depth := n.least()
		if size == n.Size && depth == n.Depth {
			continue
		}
		n.Size, n.Depth = size, depth
		for _, p := range g.parents[n.ID] {
			if !queued[p] {
				queued[p] = true
				queue = append(queue, p)
			}
		}
	}
}

// maxSize limits sizes: derivations can be exponentially larger than their
// grammar.
const maxSize = 1 << 30

// least computes the size and depth of a node from those of its children.
func (n *Node) least() (size, depth int) {
	switch n.Kind {
	case End:
		return 0, 0
	case Literal, CharSet, TokenSet, Empty:
		return 1, 1
	case Reference:
		if len(n.Children) == 0 || n.Children[0].Size == Unproductive {
			return Unproductive, Unproductive
		}
		return min(n.Children[0].Size+1, maxSize), n.Children[0].Depth + 1
	case Repetition:
		if n.Min == 0 {
			return 0, 0
		}
		return n.Children[0].Size, n.Children[0].Depth
	case Concatenation:
		for _, child := range n.Children {
			if child.Size == Unproductive {
				return Unproductive, Unproductive
			}
			size = min(size+child.Size, maxSize)
			depth = max(depth, child.Depth)
		}
		return size, depth
	default:
		return n.leastChild()
	}
}

func (n *Node) leastChild() (size, depth int) {
	size, depth = Unproductive, Unproductive
	for _, child := range n.Children {
		if child.Size == Unproductive {
			continue
		}
		if size == Unproductive || child.Size < size {
			size = child.Size
		}
		if depth == Unproductive || child.Depth < depth {
			depth = child.Depth
		}
	}
	return size, depth
}
