package dtree

// A Forest evaluates many trees on the same row. It stores all nodes in one
// compact array.
type Forest struct {
	nodes []flatNode
	roots []int32
	trees []Tree
}

type flatNode struct {
	column int32
	next   int32 // the child for rows without the column; for a leaf, its index in its tree
}

// NewForest returns a forest of the trees.
func NewForest(trees []Tree) *Forest {
	f := &Forest{trees: trees}
	for _, t := range trees {
		base := int32(len(f.nodes))
		f.roots = append(f.roots, base)
		for i, n := range t {
			if n.Column < 0 {
				f.nodes = append(f.nodes, flatNode{-1, int32(i)})
			} else {
				f.nodes = append(f.nodes, flatNode{n.Column, base + n.Absent})
			}
		}
	}
	return f
}

// Leaves stores the index of the leaf that row falls into, per tree, in out.
// len(out) must be at least the number of trees.
func (f *Forest) Leaves(row Bits, out []int32) {
	nodes := f.nodes
	for i, at := range f.roots {
		n := nodes[at]
		for n.column >= 0 {
			n = nodes[n.next+row.bit(n.column)]
		}
		out[i] = n.next
	}
}
