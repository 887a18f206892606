package dtree

import "slices"

// Prune returns a simplified tree for display. It removes tests whose children
// predict the same class, and tests whose split is not significant given that
// it was selected from the given number of columns. At least one positive leaf
// remains if there was one.
func (t Tree) Prune(columns int) Tree {
	out := slices.Clone(t)
	positive := 0 // positive leaves left
	for _, n := range out {
		if n.Column < 0 && n.Positive {
			positive++
		}
	}
	for i := len(out) - 1; i >= 0; i-- { // bottom up
		n := &out[i]
		if n.Column < 0 || out[n.Absent].Column >= 0 || out[n.Absent+1].Column >= 0 {
			continue
		}
		without, with := out[n.Absent], out[n.Absent+1]
		leaf := Node{Column: -1, Rows: n.Rows, Positives: n.Positives, Positive: 2*n.Positives > n.Rows}
		left := positive + btoi(leaf.Positive) - btoi(without.Positive) - btoi(with.Positive)
		if left == 0 && positive > 0 {
			continue
		}
		same := without.Positive == with.Positive && with.Positive == leaf.Positive
		if same || pValue(*n, with)*float64(columns) > 1 {
			*n, positive = leaf, left
		}
	}
	return out.reachable()
}

func btoi(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// reachable returns the tree without unreachable nodes.
func (t Tree) reachable() Tree {
	out := Tree{t[0]}
	for i := 0; i < len(out); i++ {
		if out[i].Column >= 0 {
			below := t[out[i].Absent : out[i].Absent+2]
			out[i].Absent = int32(len(out))
			out = append(out, below...)
		}
	}
	return out
}

// Collapse returns the tree with every test for which remove returns true
// replaced by a leaf.
func (t Tree) Collapse(remove func(n, without, with Node) bool) Tree {
	out := slices.Clone(t)
	for i, n := range out {
		if n.Column >= 0 && remove(n, out[n.Absent], out[n.Absent+1]) {
			out[i] = Node{Column: -1, Rows: n.Rows, Positives: n.Positives, Positive: 2*n.Positives > n.Rows}
		}
	}
	return out.reachable()
}

// Cut returns the tree with at most depth tests on each way.
func (t Tree) Cut(depth int) Tree {
	out := slices.Clone(t)
	level := make([]int, len(t))
	for i, n := range out {
		if n.Column < 0 {
			continue
		}
		if level[i] == depth {
			out[i] = Node{Column: -1, Rows: n.Rows, Positives: n.Positives, Positive: n.Positive}
			continue
		}
		level[n.Absent], level[n.Absent+1] = level[i]+1, level[i]+1
	}
	return out.reachable()
}

// pValue returns the p-value of Fisher's exact test that the column of n is
// independent of the label.
func pValue(n, with Node) float64 {
	return FisherExact(int(with.Positives), int(with.Rows), int(n.Positives-with.Positives), int(n.Rows-with.Rows))
}
