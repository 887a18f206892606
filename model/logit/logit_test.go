package logit

import (
	"context"
	"errors"
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
		got, err := f.Fit(t.Context(), labels)
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

// TestFitOfSample fits a regression to a table with too many cells for all rows, and checks
// that the sample has all rows of the rare class, that the classes weigh as much as in the
// table, and that the memory is within its limit.
func TestFitOfSample(t *testing.T) {
	const rows, columns = 12_000, 100
	table, common := random(1, rows, columns)
	rare := dtree.NewBits(rows)
	for _, r := range table.Holders(3)[:60] {
		rare.Set(r)
	}
	f, err := NewFitter(table, nil, Options{Penalty: 2, MaxColumns: columns})
	if err != nil {
		t.Fatal(err)
	}
	for name, labels := range map[string]dtree.Bits{"common": common, "rare": rare} {
		got, err := f.Fit(t.Context(), labels)
		if err != nil {
			t.Fatal(err)
		}
		var cells int
		for _, c := range f.columns {
			cells += len(c.holders)
		}
		if len(f.labels) >= rows || cells > maxSampled*5/4 {
			t.Errorf("%s: fitted to %d rows with %d cells, want about %d cells", name, len(f.labels), cells, maxSampled)
		}
		var n, weight [2]float64
		for i, label := range f.labels {
			n[int(label)]++
			weight[int(label)] += f.weights[i]
		}
		positives := float64(labels.Count())
		if want := math.Sqrt(positives / (rows - positives)); math.Abs(weight[1]/weight[0]-want) > 1e-9 {
			t.Errorf("%s: positive rows have %.4f times the weight of negative rows, want %.4f", name, weight[1]/weight[0], want)
		}
		if name == "rare" && n[1] != positives {
			t.Errorf("%.0f of %.0f rows of the rare class are in the sample", n[1], positives)
		}
		right := 0
		for r := range int32(rows) {
			if (got.LogOdds(bitsOf(table.Row(r), columns)) > 0) == common.Has(r) {
				right++
			}
		}
		if name == "common" && right < rows*9/10 { // 1 of 20 labels is random
			t.Errorf("right about %d of %d rows", right, rows)
		}
	}
	allocated := 4*(cap(f.rows)+cap(f.local)+cap(f.sampled)+cap(f.base)+cap(f.positives)+cap(f.holders)+cap(f.holdersAt)+cap(f.cells)) +
		8*(cap(f.gains)+cap(f.labels)+cap(f.weights)+cap(f.odds)+cap(f.oddsBefore)+cap(f.curvature)+cap(f.residual))
	cells := 0
	for r := range int32(rows) {
		cells += len(table.Row(r))
	}
	if limit := FitterMemory(columns, rows, cells); int64(allocated) > limit {
		t.Errorf("%d bytes allocated, limit %d", allocated, limit)
	}
}

// TestFitEnds checks that a fit ends with its context.
func TestFitEnds(t *testing.T) {
	table, labels := random(1, 200, 30)
	f, err := NewFitter(table, nil, Options{Penalty: 2, MaxColumns: 30})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Fit(ctx, labels); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want that of the context", err)
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
		if _, err := f.Fit(b.Context(), labels); err != nil {
			b.Fatal(err)
		}
	}
}

// TestPenalty rejects penalties without which weights have no limit.
func TestPenalty(t *testing.T) {
	table, _ := random(1, 10, 3)
	for _, penalty := range []float64{0, -1, math.NaN()} {
		if _, err := NewFitter(table, nil, Options{Penalty: penalty, MaxColumns: 3}); err == nil {
			t.Errorf("penalty %g is accepted", penalty)
		}
	}
}
