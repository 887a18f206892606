package grammars

import "container/heap"

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

// maxSize limits sizes: derivations can be exponentially larger than their
// grammar.
const maxSize = 1 << 30

// measure computes the least size, depth and number of tokens of every node.
func (l *loader) measure() {
	sum := func(sum, child int) int { return min(sum+child, maxSize) }
	rounds := func(n *Node, children int) int {
		if n.Kind == Repetition {
			return min(max(n.Min, 1)*children, maxSize)
		}
		return children
	}
	sizes := l.least(func(n *Node, children int) int { return min(n.own()+rounds(n, children), maxSize) }, sum)
	tokens := l.least(func(n *Node, children int) int {
		if n.Token > 0 || n.Kind == TokenSet || l.spec.Scannerless && (n.Kind == Literal || n.Kind == CharSet) {
			return 1
		}
		return rounds(n, children)
	}, sum)
	depths := l.least(func(n *Node, children int) int { return n.own() + children }, func(most, child int) int { return max(most, child) })
	for i, n := range l.grammar.Nodes {
		n.Size, n.Depth, n.Tokens = sizes[i], depths[i], tokens[i]
	}
}

// own returns 1 if a node is a symbol, and 0 otherwise.
func (n *Node) own() int {
	if n.Kind.Symbolic() {
		return 1
	}
	return 0
}

// least computes the least value of every node's derivations, from the value of
// the children: combined for a concatenation, the least child's for other nodes.
// Values never decrease upwards, so each node is settled once, the least values
// first, as in Knuth's generalization of Dijkstra's algorithm.
func (l *loader) least(value func(n *Node, children int) int, combine func(a, b int) int) []int {
	g := l.grammar
	out := make([]int, len(g.Nodes))
	missing := make([]int32, len(g.Nodes))
	combined := make([]int, len(g.Nodes))
	var queue leastQueue
	for i, n := range g.Nodes {
		out[i] = Unproductive
		switch {
		case n.Kind == Concatenation:
			missing[i] = int32(len(n.Children))
		case n.Kind == Alternation, n.Kind == Reference, n.Kind == Repetition && n.Min > 0:
			missing[i] = 1
		default:
			queue = append(queue, leastItem{n.ID, value(n, 0)})
		}
	}
	heap.Init(&queue)
	for len(queue) > 0 {
		item := heap.Pop(&queue).(leastItem)
		if out[item.node] != Unproductive {
			continue
		}
		out[item.node] = item.value
		l.meter.Step(1 + len(g.parents[item.node]))
		for _, p := range g.parents[item.node] {
			if missing[p] == 0 {
				continue
			}
			missing[p]--
			if combined[p] = combine(combined[p], item.value); missing[p] == 0 {
				heap.Push(&queue, leastItem{p, value(g.Nodes[p], combined[p])})
			}
		}
	}
	return out
}

// A leastItem is a node with the value of a derivation.
type leastItem struct {
	node  Occurrence
	value int
}

// A leastQueue is a heap of items, the least value first.
type leastQueue []leastItem

func (q leastQueue) Len() int           { return len(q) }
func (q leastQueue) Less(i, j int) bool { return q[i].value < q[j].value }
func (q leastQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }

// Push adds an item.
func (q *leastQueue) Push(x any) { *q = append(*q, x.(leastItem)) }

// Pop removes the last item.
func (q *leastQueue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
