//go:build !nogolearn

package golearn

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/model/dtree"
)

// gain returns how much a test reduces the Gini impurity of rows, by definition.
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

// TestBothLearnersFindBestTest checks the gain of the test in each node; which of
// several tests with the same gain is chosen may differ.
func TestBothLearnersFindBestTest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.IntRange(1, 6).Draw(t, "columns")
		n := rapid.IntRange(1, 19).Draw(t, "rows") // with more, the native learner requires a minimum gain
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

// check fails if another test in a node of the tree had a higher gain.
func check(t *rapid.T, name string, tree dtree.Tree, table *dtree.Table, labels dtree.Bits, rows []int32, at int32, depth int) {
	t.Helper()
	most := 0.0
	for c := range int32(table.Columns()) {
		most = max(most, gain(table, labels, rows, c))
	}
	n := tree[at]
	if n.Column < 0 {
		if depth > 0 && most > 1e-9 {
			t.Fatalf("%s: node %d is a leaf, and a test has gain %v; %v", name, at, most, tree)
		}
		return
	}
	if got := gain(table, labels, rows, n.Column); math.Abs(got-most) > 1e-9 {
		t.Fatalf("%s: node %d has gain %v, the best test %v; %v", name, at, got, most, tree)
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

// TestGuards has data for which the library fails or grows wrong trees.
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
		{"no informative columns", [][]int32{{0}, {0}, {0}}, []int32{1}, dtree.Tree{{Column: -1, Rows: 3, Positives: 1}}},
		{"one test", [][]int32{{0}, {1}, {1}}, []int32{0}, dtree.Tree{
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

func TestLimits(t *testing.T) {
	rows := [][]int32{{0, 5}, {1, 5}, {2, 5}, {0, 3, 5}} // columns 4 and 5 are the same in all rows
	labels := dtree.NewBits(len(rows))
	labels.Set(1)
	for _, tc := range []struct {
		name   string
		limits Limits
		want   string
	}{
		{"defaults", Limits{}, ""},
		{"at the limits", Limits{Rows: 4, Columns: 4, Cells: 16}, ""},
		{"rows", Limits{Rows: 3}, "rows for golearn"},
		{"columns", Limits{Columns: 3}, "columns for golearn"},
		{"cells", Limits{Cells: 15}, "rows times columns for golearn"},
	} {
		l := New(dtree.NewTable(rows, 6, 6), nil, dtree.Options{})
		l.Limits = tc.limits
		_, err := l.Learn(labels, nil)
		if reached, ok := errors.AsType[*limit.Error](err); tc.want == "" && err != nil || tc.want != "" && (!ok || reached.What != tc.want) {
			t.Errorf("%s: got error %v, want %q", tc.name, err, tc.want)
		}
	}
}

// Data over the default limits is refused at once, and not after minutes.
func TestDefaultLimits(t *testing.T) {
	rows := make([][]int32, 10_001)
	labels := dtree.NewBits(len(rows))
	labels.Set(0)
	rows[0] = []int32{0}
	table := dtree.NewTable(rows, 1, 1)
	if _, err := New(table, nil, dtree.Options{}).Learn(labels, nil); !errors.As(err, new(*limit.Error)) {
		t.Errorf("%d rows: got error %v", len(rows), err)
	}
	subset := []int32{0, 1, 2}
	if _, err := New(table, subset, dtree.Options{}).Learn(labels, nil); err != nil {
		t.Errorf("%d rows of them: %v", len(subset), err)
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
