package logit

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/inroad/inroad/model/dtree"
)

// random returns a table of random rows and labels that depend on two columns, with
// noise.
func random(seed uint64, rows, columns int) (*dtree.Table, dtree.Bits) {
	r := rand.New(rand.NewPCG(seed, 0))
	cells := make([][]int32, rows)
	labels := dtree.NewBits(rows)
	for i := range cells {
		for c := range columns {
			if r.IntN(4+c%5) == 0 {
				cells[i] = append(cells[i], int32(c))
			}
		}
		row := bitsOf(cells[i], columns)
		if (row.Has(0) && !row.Has(1)) != (r.IntN(20) == 0) {
			labels.Set(int32(i))
		}
	}
	return dtree.NewTable(cells, columns, columns), labels
}

func bitsOf(cells []int32, columns int) dtree.Bits {
	out := dtree.NewBits(columns)
	for _, c := range cells {
		out.Set(c)
	}
	return out
}

// TestFitIsOptimal checks the conditions under which no change of the weights lowers
// the penalized loss: the loss has the slope of the penalty at each weight, at most that
// slope at a weight of 0, and no slope at the bias.
func TestFitIsOptimal(t *testing.T) {
	for seed := range uint64(40) {
		const rows, columns, penalty = 800, 30, 2.0
		table, labels := random(seed, rows, columns)
		rare := seed%2 == 1
		if rare { // quadratic approximations are bad far from the optimum
			labels = dtree.NewBits(rows)
			for _, r := range table.Holders(3)[:4] {
				labels.Set(r)
			}
		}
		var some []int32
		for r := range int32(rows) {
			if r%5 != 0 {
				some = append(some, r)
			}
		}
		f, err := NewFitter(table, some, Options{Penalty: penalty, MaxColumns: columns})
		if err != nil {
			t.Fatal(err)
		}
		got, err := f.Fit(labels)
		if err != nil {
			t.Fatal(err)
		}
		weights := map[int32]float64{}
		for _, term := range got.Terms {
			weights[term.Column] = term.Weight
		}
		slopes := make([]float64, columns+1) // the last is that of the bias
		positives := 0
		for _, r := range some {
			if labels.Has(r) {
				positives++
			}
		}
		for _, r := range some {
			p := 1 / (1 + math.Exp(-got.LogOdds(bitsOf(table.Row(r), columns))))
			slope := -p
			if labels.Has(r) {
				slope = math.Sqrt(float64(len(some)-positives)/float64(positives)) * (1 - p)
			}
			for _, c := range append(table.Row(r)[:len(table.Row(r)):len(table.Row(r))], columns) {
				slopes[c] += slope
			}
		}
		const tolerance = 1 // weights are rounded to hundredths
		for c, slope := range slopes {
			weight, want := weights[int32(c)], 0.0
			switch {
			case c == columns:
			case weight > 0:
				want = penalty
			case weight < 0:
				want = -penalty
			default:
				want = min(max(slope, -penalty), penalty)
			}
			if math.Abs(slope-want) > tolerance {
				t.Errorf("seed %d, column %d, weight %.2f: slope %.2f, want %.2f", seed, c, weight, slope, want)
			}
		}
		if !rare && (weights[0] <= 0 || weights[1] > 0) {
			t.Errorf("seed %d: weights of the columns that decide are %.2f and %.2f, want a positive and no positive one", seed, weights[0], weights[1])
		}
	}
}

// BenchmarkFit measures a fit whose columns are as dense and as many as those of a
// program's inputs.
func BenchmarkFit(b *testing.B) {
	table, labels := random(1, 1000, 300)
	f, err := NewFitter(table, nil, Options{Penalty: 3.3, MaxColumns: 1000})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := f.Fit(labels); err != nil {
			b.Fatal(err)
		}
	}
}
