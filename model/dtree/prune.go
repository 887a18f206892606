package dtree

import (
	"math"
	"slices"
)

// Prune returns the tree for people to read: without questions whose answer
// changes nothing, and without those that chance would explain, given how many
// columns there were to choose from. The last leaf that answers covered stays.
func (t Tree) Prune(columns int) Tree {
	out := slices.Clone(t)
	covered := 0 // leaves that answer so
	for _, n := range out {
		if n.Column < 0 && n.Positive {
			covered++
		}
	}
	for i := len(out) - 1; i >= 0; i-- { // from the leaves up
		n := &out[i]
		if n.Column < 0 || out[n.Absent].Column >= 0 || out[n.Absent+1].Column >= 0 {
			continue
		}
		without, with := out[n.Absent], out[n.Absent+1]
		leaf := Node{Column: -1, Rows: n.Rows, Positives: n.Positives, Positive: 2*n.Positives > n.Rows}
		left := covered + btoi(leaf.Positive) - btoi(without.Positive) - btoi(with.Positive)
		if left == 0 && covered > 0 {
			continue
		}
		same := without.Positive == with.Positive && with.Positive == leaf.Positive
		if same || pValue(*n, with)*float64(columns) > 1 {
			*n, covered = leaf, left
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

// reachable returns the tree without the nodes that nothing leads to.
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

// Collapse returns the tree without the questions that are to go, and without all
// that is below them.
func (t Tree) Collapse(gone func(n, without, with Node) bool) Tree {
	out := slices.Clone(t)
	for i, n := range out {
		if n.Column >= 0 && gone(n, out[n.Absent], out[n.Absent+1]) {
			out[i] = Node{Column: -1, Rows: n.Rows, Positives: n.Positives, Positive: 2*n.Positives > n.Rows}
		}
	}
	return out.reachable()
}

// chance returns how likely a split as uneven as this one, or more, is if the
// column has nothing to do with the label: Fisher's exact test.
func pValue(n, with Node) float64 {
	rows, positives, taken := float64(n.Rows), float64(n.Positives), float64(with.Rows)
	log := func(k float64) float64 { // of how likely it is that k of the taken are positive
		return logChoose(positives, k) + logChoose(rows-positives, taken-k) - logChoose(rows, taken)
	}
	least := max(0, taken-(rows-positives))
	most := min(taken, positives)
	seen := log(float64(with.Positives))
	sum := 0.0
	for k := least; k <= most; k++ {
		if p := log(k); p <= seen+1e-7 {
			sum += math.Exp(p)
		}
	}
	return min(sum, 1)
}

func logChoose(n, k float64) float64 {
	a, _ := math.Lgamma(n + 1)
	b, _ := math.Lgamma(k + 1)
	c, _ := math.Lgamma(n - k + 1)
	return a - b - c
}
