package dtree

// A Forest answers for many trees at once. Its nodes stand in one array, without
// what only people want to know.
type Forest struct {
	nodes []flatNode
	roots []int32
	trees []Tree
}

type flatNode struct {
	column int32
	next   int32 // without the column; at a leaf, the leaf's number in its tree
}

// NewForest returns the forest of the trees.
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

// Leaves puts the leaf where the row ends up in each tree into out, which must
// have room for all.
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
