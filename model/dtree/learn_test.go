package dtree

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A sample is a drawn set of rows with labels.
type sample struct {
	rows    [][]int32
	columns int
	labels  Bits
}

func drawSample(t *rapid.T) sample {
	s := sample{columns: rapid.IntRange(0, 12).Draw(t, "columns")}
	n := rapid.IntRange(0, 60).Draw(t, "rows")
	s.labels = NewBits(n)
	for r := range n {
		var row []int32
		for c := range s.columns {
			if rapid.Bool().Draw(t, "has") {
				row = append(row, int32(c))
			}
		}
		s.rows = append(s.rows, row)
		if rapid.Bool().Draw(t, "label") {
			s.labels.Set(int32(r))
		}
	}
	return s
}

// naiveGain returns the gain of a split by its definition.
func (s sample) naiveGain(rows []int32, column int32, weight float64) (gain float64, with, without int) {
	var n, p [2]float64
	for _, r := range rows {
		side := 0
		if slices.Contains(s.rows[r], column) {
			side, with = 1, with+1
		} else {
			without++
		}
		if s.labels.Has(r) {
			n[side] += weight
			p[side] += weight
		} else {
			n[side]++
		}
	}
	gini := func(n, p float64) float64 { // times n
		if n == 0 {
			return 0
		}
		return n * (1 - p/n*p/n - (n-p)/n*(n-p)/n)
	}
	return (gini(n[0]+n[1], p[0]+p[1]) - gini(n[0], p[0]) - gini(n[1], p[1])) / 2, with, without
}

// check walks a tree with its training rows and reports the first node with a
// suboptimal split or a wrong count.
func (s sample) check(t *rapid.T, tree Tree, opt Options, extra int) {
	t.Helper()
	opt = opt.withDefaults()
	opt.MinLeaf = opt.minLeaf(s.labels.Count(), len(s.rows)-s.labels.Count())
	rows := make([]int32, len(s.rows))
	for i := range rows {
		rows[i] = int32(i)
	}
	worth := minGain(s.labels.Count(), len(s.rows)-s.labels.Count())
	weight := 1.0
	if p := float64(s.labels.Count()); opt.Balance == Sqrt && p > 0 && p < float64(len(rows)) {
		weight = math.Sqrt((float64(len(rows)) - p) / p)
	}
	var walk func(at int32, rows []int32, depth int)
	walk = func(at int32, rows []int32, depth int) {
		n := tree[at]
		positives := 0
		for _, r := range rows {
			if s.labels.Has(r) {
				positives++
			}
		}
		if int(n.Rows) != len(rows) || int(n.Positives) != positives {
			t.Fatalf("node %d: got %d of %d positive, want %d of %d", at, n.Positives, n.Rows, positives, len(rows))
		}
		best := [2]int32{-1, -1} // of plain columns, of extra columns
		most := [2]float64{worth, worth}
		for c := range int32(s.columns) {
			gain, with, without := s.naiveGain(rows, c, weight)
			if with < opt.MinLeaf || without < opt.MinLeaf {
				continue
			}
			kind := btoi(int(c) >= extra)
			if gain > most[kind]+1e-9 {
				best[kind], most[kind] = c, gain
			}
		}
		want := best[0]
		if best[1] >= 0 && (best[0] < 0 || most[1] > most[0]*(1+opt.Margin)+1e-9) {
			want = best[1]
		}
		if depth == opt.MaxDepth || positives == 0 || positives == len(rows) {
			want = -1
		}
		if n.Column != want {
			t.Fatalf("node %d tests column %d, want %d; the best gains are %v", at, n.Column, want, most)
		}
		if n.Column < 0 {
			if n.Positive != (2*positives > len(rows)) {
				t.Fatalf("leaf %d: %d of %d positive, answers %v", at, positives, len(rows), n.Positive)
			}
			return
		}
		var parts [2][]int32
		for _, r := range rows {
			side := btoi(slices.Contains(s.rows[r], n.Column))
			parts[side] = append(parts[side], r)
		}
		walk(n.Absent, parts[0], depth+1)
		walk(n.Absent+1, parts[1], depth+1)
	}
	walk(0, rows, 0)
}

func TestEveryQuestionIsTheBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSample(t)
		opt := Options{
			MaxDepth: rapid.IntRange(0, 7).Draw(t, "depth"),
			MinLeaf:  rapid.IntRange(0, 4).Draw(t, "least"),
			Balance:  rapid.SampledFrom([]Balance{None, Sqrt}).Draw(t, "balance"),
			Margin:   rapid.SampledFrom([]float64{0, 0.25}).Draw(t, "margin"),
		}
		extra := rapid.IntRange(0, s.columns).Draw(t, "extra")
		learner := NewLearner(NewTable(s.rows, s.columns, extra), nil, opt)
		tree := learner.Learn(s.labels, nil)
		s.check(t, tree, opt, extra)
		if err := tree.Check(s.columns); err != nil {
			t.Fatal(err)
		}
		if again := learner.Learn(s.labels, nil); !slices.Equal(again, tree) {
			t.Fatalf("learned again: %v, at first: %v", again, tree)
		}
	})
}

// TestSomeRows checks that learning from some rows of a table gives the same
// tree as learning from a table of these rows.
func TestSomeRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSample(t)
		var rows []int32
		part := sample{columns: s.columns, labels: NewBits(len(s.rows))}
		for r := range s.rows {
			if rapid.Bool().Draw(t, "in") {
				if s.labels.Has(int32(r)) {
					part.labels.Set(int32(len(rows)))
				}
				rows = append(rows, int32(r))
				part.rows = append(part.rows, s.rows[r])
			}
		}
		if rows == nil {
			t.Skip("no rows")
		}
		got := NewLearner(NewTable(s.rows, s.columns, s.columns), rows, Options{}).Learn(s.labels, nil)
		want := NewLearner(NewTable(part.rows, part.columns, part.columns), nil, Options{}).Learn(part.labels, nil)
		if !slices.Equal(got, want) {
			t.Fatalf("from some rows: %v, from a table of them: %v", got, want)
		}
	})
}

func TestSubsample(t *testing.T) {
	// Column 0 determines the class; three of forty rows are positive.
	s := sample{columns: 2, labels: NewBits(40)}
	for r := range int32(40) {
		row := []int32{}
		if r < 3 {
			row = append(row, 0)
			s.labels.Set(r)
		}
		if r%2 == 0 {
			row = append(row, 1)
		}
		s.rows = append(s.rows, row)
	}
	learner := NewLearner(NewTable(s.rows, 2, 2), nil, Options{Balance: Subsample})
	tree := learner.Learn(s.labels, rand.New(rand.NewPCG(1, 2)))
	want := Tree{
		{Column: 0, Absent: 1, Rows: 40, Positives: 3},
		{Column: -1, Rows: 37, Positives: 0},
		{Column: -1, Rows: 3, Positives: 3, Positive: true},
	}
	if diff := cmp.Diff(want, tree); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
}

func TestNothingToLearn(t *testing.T) {
	for _, tc := range []struct {
		name string
		rows [][]int32
		want Tree
	}{
		{"no rows", nil, Tree{{Column: -1}}},
		{"rows without columns", [][]int32{{}, {}}, Tree{{Column: -1, Rows: 2, Positives: 1}}},
		{"a column that all rows have", [][]int32{{0}, {0}}, Tree{{Column: -1, Rows: 2, Positives: 1}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			labels := NewBits(len(tc.rows))
			if len(tc.rows) > 0 {
				labels.Set(0)
			}
			for _, balance := range []Balance{None, Sqrt, Subsample} {
				learner := NewLearner(NewTable(tc.rows, 1, 1), nil, Options{Balance: balance})
				got := learner.Learn(labels, rand.New(rand.NewPCG(1, 2)))
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("balance %v (-want +got):\n%s", balance, diff)
				}
			}
		})
	}
}

// A learner counts and orders the columns of its rows in the same way, whether these are
// most rows of the table or few.
func TestLearnerCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	const columns, visible = 40, 35
	var cells [][]int32
	for range 100 {
		var row []int32
		for c := range int32(columns) {
			if r.Int32N(columns) < c {
				row = append(row, c)
			}
		}
		cells = append(cells, row)
	}
	table := NewTable(cells, columns, columns).Before(visible)
	for _, every := range []int32{1, 2, 5, 100} {
		for _, leftOut := range []bool{false, true} {
			var rows []int32
			var want [columns]tally
			for row := range int32(100) {
				if row%every == 0 == leftOut {
					continue
				}
				rows = append(rows, row)
				for _, c := range table.Row(row) {
					want[c]++
				}
			}
			if rows == nil {
				continue // means all
			}
			l := NewLearner(table, rows, Options{})
			if !slices.Equal(l.base, want[:]) {
				t.Errorf("%d rows: got %v, want %v", len(rows), l.base, want)
			}
			var varying []int32
			for n := len(rows) - 1; n > 0; n-- {
				for c := range want {
					if int(want[c]) == n {
						varying = append(varying, int32(c))
					}
				}
			}
			if !slices.Equal(l.varying, varying) {
				t.Errorf("%d rows: got columns %v, want %v", len(rows), l.varying, varying)
			}
		}
	}
}
