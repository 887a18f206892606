package dtree

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestWaysLeadToTheirLeaves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSample(t)
		tree := NewLearner(NewTable(s.rows, s.columns, s.columns), nil, Options{}).Learn(s.labels, nil)
		forest := NewForest([]Tree{tree, tree})
		ways := tree.Ways()
		for _, row := range s.rows {
			bits := NewBits(s.columns)
			for _, c := range row {
				bits.Set(c)
			}
			leaf := tree.Leaf(bits)
			for _, way := range ways {
				meets := true
				for _, test := range way.Conditions {
					meets = meets && bits.Has(test.Column) == test.Present
				}
				if meets != (way.Leaf == leaf) {
					t.Fatalf("row %v ends at leaf %d; the way %v to %d: %v", row, leaf, way.Conditions, way.Leaf, meets)
				}
			}
			both := make([]int32, 2)
			forest.Leaves(bits, both)
			if both[0] != leaf || both[1] != leaf {
				t.Fatalf("row %v ends at leaf %d, in the forest at %v", row, leaf, both)
			}
		}
	})
}

func TestPrune(t *testing.T) {
	strong := Tree{
		{Column: 1, Absent: 1, Rows: 100, Positives: 50},
		{Column: -1, Rows: 50},
		{Column: -1, Rows: 50, Positives: 50, Positive: true},
	}
	last := Tree{
		{Column: 1, Absent: 1, Rows: 100, Positives: 1},
		{Column: -1, Rows: 99},
		{Column: -1, Rows: 1, Positives: 1, Positive: true},
	}
	for _, tc := range []struct {
		name string
		in   Tree
		want Tree
	}{
		{"a leaf", Tree{{Column: -1, Rows: 3}}, Tree{{Column: -1, Rows: 3}}},
		{"a significant test", strong, strong},
		{"the only positive leaf", last, last},
		{
			"an answer that is the same either way",
			Tree{{Column: 0, Absent: 1, Rows: 9, Positives: 7}, {Column: -1, Rows: 4, Positives: 4, Positive: true}, {Column: -1, Rows: 5, Positives: 3, Positive: true}},
			Tree{{Column: -1, Rows: 9, Positives: 7, Positive: true}},
		},
		{
			"an insignificant test below a significant one",
			Tree{
				{Column: 1, Absent: 1, Rows: 100, Positives: 51},
				{Column: 2, Absent: 3, Rows: 50, Positives: 1},
				{Column: -1, Rows: 50, Positives: 50, Positive: true},
				{Column: -1, Rows: 49},
				{Column: -1, Rows: 1, Positives: 1, Positive: true},
			},
			Tree{
				{Column: 1, Absent: 1, Rows: 100, Positives: 51},
				{Column: -1, Rows: 50, Positives: 1},
				{Column: -1, Rows: 50, Positives: 50, Positive: true},
			},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, removed := tc.in.Prune(1000)
			if len(removed) != len(got) {
				t.Errorf("%d entries for %d nodes", len(removed), len(got))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("pruned (-want +got):\n%s", diff)
			}
			if err := got.Check(3); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestPrunedTreesKeepAPositiveLeaf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSample(t)
		tree := NewLearner(NewTable(s.rows, s.columns, s.columns), nil, Options{}).Learn(s.labels, nil)
		pruned, removed := tree.Prune(s.columns)
		if err := pruned.Check(s.columns); err != nil {
			t.Fatal(err)
		}
		differ := make([]int32, len(pruned)) // rows of the learner, by leaf of the pruned tree
		for _, columns := range s.rows {
			row := NewBits(s.columns)
			for _, c := range columns {
				row.Set(c)
			}
			leaf := pruned.Leaf(row)
			if tree[tree.Leaf(row)].Positive != pruned[leaf].Positive {
				differ[leaf]++
			}
		}
		for i, n := range differ {
			if removed[i].Differ != n {
				t.Fatalf("node %d: %d rows are said to differ, %d do", i, removed[i].Differ, n)
			}
		}
		positive := func(tree Tree) bool {
			for _, n := range tree {
				if n.Column < 0 && n.Positive {
					return true
				}
			}
			return false
		}
		if positive(tree) != positive(pruned) {
			t.Fatalf("%v pruned to %v", tree, pruned)
		}
	})
}

func TestCheck(t *testing.T) {
	for _, tc := range []struct {
		name string
		tree Tree
		want string
	}{
		{"nothing", nil, "tree has no nodes"},
		{"more positives than rows", Tree{{Column: -1, Rows: 1, Positives: 2}}, "node 0: 2 positive rows of 1: must be between 0 and the number of rows"},
		{"an unknown column", Tree{{Column: 2}}, "node 0: column 2: must be between -1 and 1"},
		{"a way back", Tree{{Column: 0, Absent: 0}, {Column: -1}}, "node 0: children 0 and 1: must be between 1 and 1"},
		{"a way out", Tree{{Column: 0, Absent: 1}, {Column: -1}}, "node 0: children 1 and 2: must be between 1 and 1"},
		{
			"two ways to a node",
			Tree{{Column: 0, Absent: 1}, {Column: 1, Absent: 2}, {Column: -1}, {Column: -1}},
			"node 2 has 2 parents: must have 1",
		},
		{
			"rows from nowhere",
			Tree{{Column: 0, Absent: 1, Rows: 1}, {Column: -1, Rows: 1}, {Column: -1, Rows: 1}},
			"node 0: row counts differ from the sum of its children",
		},
		{"a node that nothing leads to", Tree{{Column: -1}, {Column: -1}}, "node 1 has 0 parents: must have 1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := tc.tree.Check(2)
			if err == nil || err.Error() != tc.want {
				t.Errorf("got %v, want %s", err, tc.want)
			}
		})
	}
}
