package dtree

import "slices"

// Removed describes the tests that were removed below a leaf.
type Removed struct {
	Tests  int
	Differ int32 // rows for which the removed tests predict the other class
}

// Prune returns a simplified tree for display. It removes tests whose children
// predict the same class, and tests whose split is not significant given that
// it was selected from the given number of columns. At least one positive leaf
// remains if there was one. removed has an entry for each node of the result.
func (t Tree) Prune(columns int) (pruned Tree, removed []Removed) {
	out := slices.Clone(t)
	lost := make([]Removed, len(out))
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
			a, p := lost[n.Absent], lost[n.Absent+1]
			lost[i].Tests = 1 + a.Tests + p.Tests
			for _, child := range []struct {
				Node
				Removed
			}{{without, a}, {with, p}} {
				if child.Positive == leaf.Positive {
					lost[i].Differ += child.Differ
				} else {
					lost[i].Differ += child.Rows - child.Differ
				}
			}
			*n, positive = leaf, left
		}
	}
	pruned = out.reachable(&lost)
	return pruned, lost
}

func btoi(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// reachable returns the tree without unreachable nodes. It rearranges removed,
// which may be nil, in the same way.
func (t Tree) reachable(removed *[]Removed) Tree {
	out := Tree{t[0]}
	from := []int32{0}
	for i := 0; i < len(out); i++ {
		if out[i].Column >= 0 {
			first := out[i].Absent
			from = append(from, first, first+1)
			out[i].Absent = int32(len(out))
			out = append(out, t[first:first+2]...)
		}
	}
	if removed != nil {
		kept := make([]Removed, len(out))
		for i, at := range from {
			kept[i] = (*removed)[at]
		}
		*removed = kept
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
	return out.reachable(nil)
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
	return out.reachable(nil)
}

// pValue returns the p-value of Fisher's exact test that the column of n is
// independent of the label.
func pValue(n, with Node) float64 {
	return FisherExact(int(with.Positives), int(with.Rows), int(n.Positives-with.Positives), int(n.Rows-with.Rows))
}
