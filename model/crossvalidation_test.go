package model

import (
	"math/rand/v2"
	"testing"

	"github.com/inroad/inroad/model/dtree"
)

// A tree that predicts held-out rows badly at any depth is cut only if that is clearly
// better.
func TestChooseDepth(t *testing.T) {
	of := func(right, wrong int) heldOut {
		return heldOut{confusion: Confusion{TruePositives: right, FalsePositives: wrong, TrueNegatives: 900}}
	}
	for name, tc := range map[string]struct {
		held []heldOut
		want int
	}{
		"only one depth":           {[]heldOut{of(3, 5)}, 0},
		"deeper is better":         {[]heldOut{of(3, 9), of(5, 5), of(9, 2)}, 2},
		"equal":                    {[]heldOut{of(9, 2), of(9, 2), of(9, 2)}, 0},
		"deeper is worse":          {[]heldOut{of(40, 0), of(40, 1), of(39, 1)}, 0},
		"no prediction is right":   {[]heldOut{of(0, 2), of(0, 3), of(0, 9)}, 2},
		"all are low and close":    {[]heldOut{of(4, 20), of(4, 21), of(4, 22)}, 2},
		"the deepest is not close": {[]heldOut{of(4, 20), of(4, 21), of(1, 30)}, 1},
	} {
		if got := choose(tc.held); got != tc.want {
			t.Errorf("%s: got %d, want %d", name, got, tc.want)
		}
	}
}

// randomTree returns a tree of the given depth whose leaves differ.
func randomTree(r *rand.Rand, columns, depth int) dtree.Tree {
	t := dtree.Tree{{Column: -1, Rows: 100, Positives: 50}}
	first := 0
	for range depth {
		last := len(t)
		for at := first; at < last; at++ {
			if r.IntN(5) == 0 {
				continue // stays a leaf
			}
			t[at].Column, t[at].Absent = r.Int32N(int32(columns)), int32(len(t))
			for range 2 {
				leaf := dtree.Node{Column: -1, Rows: 1 + r.Int32N(50)}
				leaf.Positives = r.Int32N(leaf.Rows + 1)
				leaf.Positive = 2*leaf.Positives > leaf.Rows
				t = append(t, leaf)
			}
		}
		first = last
	}
	return t
}

// A scorer predicts what the tree predicts at each depth, whether it tests outcomes or
// not.
func TestScorer(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	const columns, outcome = 8, 7
	for range 200 {
		s := &scorer{marginalizer: marginalizer{[]int32{outcome}}, depths: []int{1, 2, 4, 6}}
		tree := randomTree(r, columns, 5)
		s.use(tree)
		for range 20 {
			row := heldRow{columns: dtree.NewBits(columns), outcomes: []float64{r.Float64()}}
			for c := range int32(outcome) {
				if r.IntN(2) == 0 {
					row.columns.Set(c)
				}
			}
			s.predict(row, func(depth, bin int, positive bool) {
				p, want := s.probability(tree, row.columns, row.outcomes, s.depths[depth])
				if bin != binIndex(p) || positive != want {
					t.Fatalf("depth %d: got bin %d and %t, want %d and %t", s.depths[depth], bin, positive, binIndex(p), want)
				}
			})
		}
	}
}

// The changes that a regression makes give the same result as counting its predictions.
func TestOverrule(t *testing.T) {
	var tree, changes, want heldOut
	for i := range 100 {
		bin, actual, positive := i%calibrationBins, i%3 == 0, i%2 == 0
		tree.add(bin, positive, actual)
		if i%5 != 0 {
			want.add(bin, positive, actual)
			continue
		}
		logOdds := float64(i%7) - 3
		changes.overrule(bin, logOdds, positive, actual)
		want.add(binIndex(sigmoid(logOdds)), !positive, actual)
		b := &want.overruled[btoi(positive)]
		b.rows++
		b.positives += int32(btoi(actual))
	}
	if got := tree.plus(changes); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
