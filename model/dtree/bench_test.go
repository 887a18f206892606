package dtree

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// syntheticRows draws rows that resemble those of inputs: each row is a set of
// branches of a shared tree of columns, and contains the ancestors of its
// columns.
func syntheticRows(r *rand.Rand, rows, columns int) [][]int32 {
	out := make([][]int32, rows)
	for i := range out {
		has := map[int32]bool{}
		for range 20 + r.IntN(60) {
			for c := int32(r.IntN(columns)); c > 0; c /= 3 {
				has[c] = true
			}
		}
		for c := range has {
			out[i] = append(out[i], c)
		}
		slices.Sort(out[i])
	}
	return out
}

// syntheticLabels draws labels that depend on three columns.
func syntheticLabels(r *rand.Rand, rows [][]int32, columns int) Bits {
	labels := NewBits(len(rows))
	a, b, c := int32(r.IntN(200)), int32(r.IntN(2000)), int32(r.IntN(columns))
	for i, row := range rows {
		has := func(c int32) bool { _, ok := slices.BinarySearch(row, c); return ok }
		if has(a) && !has(b) || has(c) || r.IntN(50) == 0 {
			labels.Set(int32(i))
		}
	}
	return labels
}

// BenchmarkLearn grows the trees of 1,000 methods on 1,000 inputs with 20,000
// paths, on two cores.
func BenchmarkLearn(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	rows := syntheticRows(r, 1000, 20_000)
	labels := make([]Bits, 1000)
	for i := range labels {
		labels[i] = syntheticLabels(r, rows, 20_000)
	}
	table := NewTable(rows, 20_000, 20_000)
	for b.Loop() {
		var group sync.WaitGroup
		for w := range 2 {
			group.Go(func() {
				learner := NewLearner(table, nil, Options{})
				for i := w; i < len(labels); i += 2 {
					learner.Learn(labels[i], nil)
				}
			})
		}
		group.Wait()
	}
}

// BenchmarkForest evaluates 1,000 trees on one row.
func BenchmarkForest(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	rows := syntheticRows(r, 1000, 20_000)
	learner := NewLearner(NewTable(rows, 20_000, 20_000), nil, Options{})
	trees := make([]Tree, 1000)
	for i := range trees {
		trees[i] = learner.Learn(syntheticLabels(r, rows, 20_000), nil)
	}
	forest := NewForest(trees)
	row := NewBits(20_000)
	for _, c := range rows[0] {
		row.Set(c)
	}
	out := make([]int32, len(trees))
	for b.Loop() {
		forest.Leaves(row, out)
	}
}
