package golearn

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/inroad/inroad/model/dtree"
)

// gain returns how much impurity a question takes from rows, by its definition.
func gain(table *dtree.Table, labels dtree.Bits, rows []int32, column int32) float64 {
	var n, p [2]float64
	for _, r := range rows {
		side := 0
		if slices.Contains(table.Row(r), column) {
			side = 1
		}
		n[side]++
		if labels.Has(r) {
			p[side]++
		}
	}
	if n[0] == 0 || n[1] == 0 {
		return 0
	}
	impurity := func(n, p float64) float64 { return p * (n - p) / n }
	return impurity(n[0]+n[1], p[0]+p[1]) - impurity(n[0], p[0]) - impurity(n[1], p[1])
}

// TestEitherLearnerAsksTheBest compares what is asked in each node by what it
// gains; which of several equally good questions it is may differ.
func TestEitherLearnerAsksTheBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.IntRange(1, 6).Draw(t, "columns")
		n := rapid.IntRange(1, 19).Draw(t, "rows") // of more, the native learner leaves out questions that gain little
		rows := make([][]int32, n)
		labels := dtree.NewBits(n)
		for r := range rows {
			for c := range columns {
				if rapid.Bool().Draw(t, "has") {
					rows[r] = append(rows[r], int32(c))
				}
			}
			if rapid.Bool().Draw(t, "label") {
				labels.Set(int32(r))
			}
		}
		table := dtree.NewTable(rows, columns, columns)
		opt := dtree.Options{MaxDepth: rapid.IntRange(1, 5).Draw(t, "depth"), MinLeaf: 1}
		other, err := New(table, nil, opt).Learn(labels, nil)
		if err != nil {
			t.Fatal(err)
		}
		native := dtree.NewLearner(table, nil, opt).Learn(labels, nil)
		if err := other.Check(columns); err != nil {
			t.Fatalf("%v: %v", other, err)
		}
		all := make([]int32, n)
		for r := range all {
			all[r] = int32(r)
		}
		for name, tree := range map[string]dtree.Tree{"golearn": other, "native": native} {
			check(t, name, tree, table, labels, all, 0, opt.MaxDepth)
		}
	})
}

// check sees to it that no question in a tree could gain more.
func check(t *rapid.T, name string, tree dtree.Tree, table *dtree.Table, labels dtree.Bits, rows []int32, at int32, depth int) {
	t.Helper()
	most := 0.0
	for c := range int32(table.Columns()) {
		most = max(most, gain(table, labels, rows, c))
	}
	n := tree[at]
	if n.Column < 0 {
		if depth > 0 && most > 1e-9 {
			t.Fatalf("%s: node %d asks nothing, and a question gains %v; %v", name, at, most, tree)
		}
		return
	}
	if got := gain(table, labels, rows, n.Column); math.Abs(got-most) > 1e-9 {
		t.Fatalf("%s: node %d gains %v, and could %v; %v", name, at, got, most, tree)
	}
	var parts [2][]int32
	for _, r := range rows {
		side := 0
		if slices.Contains(table.Row(r), n.Column) {
			side = 1
		}
		parts[side] = append(parts[side], r)
	}
	check(t, name, tree, table, labels, parts[0], n.Absent, depth-1)
	check(t, name, tree, table, labels, parts[1], n.Absent+1, depth-1)
}

// TestGuards has the data that the library fails on, or answers wrongly for.
func TestGuards(t *testing.T) {
	for _, tc := range []struct {
		name   string
		rows   [][]int32
		labels []int32
		want   dtree.Tree
	}{
		{"no rows", nil, nil, dtree.Tree{{Column: -1}}},
		{"all positive", [][]int32{{0}, {}}, []int32{0, 1}, dtree.Tree{{Column: -1, Rows: 2, Positives: 2, Positive: true}}},
		{"all negative", [][]int32{{0}, {}}, nil, dtree.Tree{{Column: -1, Rows: 2}}},
		{"no columns that tell rows apart", [][]int32{{0}, {0}, {0}}, []int32{1}, dtree.Tree{{Column: -1, Rows: 3, Positives: 1}}},
		{"one question", [][]int32{{0}, {1}, {1}}, []int32{0}, dtree.Tree{
			{Column: 0, Absent: 1, Rows: 3, Positives: 1},
			{Column: -1, Rows: 2},
			{Column: -1, Rows: 1, Positives: 1, Positive: true},
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			labels := dtree.NewBits(len(tc.rows))
			for _, r := range tc.labels {
				labels.Set(r)
			}
			for _, balance := range []dtree.Balance{dtree.None, dtree.Subsample} {
				got, err := New(dtree.NewTable(tc.rows, 2, 2), nil, dtree.Options{Balance: balance}).Learn(labels, rand.New(rand.NewPCG(1, 2)))
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("balance %v (-want +got):\n%s", balance, diff)
				}
			}
		})
	}
}

func TestLeastLeaf(t *testing.T) {
	labels := dtree.NewBits(4)
	labels.Set(0)
	table := dtree.NewTable([][]int32{{0}, {}, {}, {}}, 1, 1)
	got, err := New(table, nil, dtree.Options{MinLeaf: 2}).Learn(labels, nil)
	want := dtree.Tree{{Column: -1, Rows: 4, Positives: 1}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
}

func TestWeightsAreRefused(t *testing.T) {
	table := dtree.NewTable([][]int32{{0}, {}}, 1, 1)
	if _, err := New(table, nil, dtree.Options{Balance: dtree.Sqrt}).Learn(dtree.NewBits(2), nil); !errors.Is(err, ErrBalance) {
		t.Errorf("got %v, want %v", err, ErrBalance)
	}
}

// BenchmarkBoth grows one tree on 300 rows of 300 columns with either learner.
func BenchmarkBoth(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	rows := make([][]int32, 300)
	labels := dtree.NewBits(len(rows))
	for i := range rows {
		for c := range int32(300) {
			if r.IntN(10) == 0 {
				rows[i] = append(rows[i], c)
			}
		}
		if slices.Contains(rows[i], 7) || slices.Contains(rows[i], 8) {
			labels.Set(int32(i))
		}
	}
	table := dtree.NewTable(rows, 300, 300)
	b.Run("golearn", func(b *testing.B) {
		for b.Loop() {
			if _, err := New(table, nil, dtree.Options{}).Learn(labels, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("native", func(b *testing.B) {
		learner := dtree.NewLearner(table, nil, dtree.Options{})
		for b.Loop() {
			learner.Learn(labels, nil)
		}
	})
}
