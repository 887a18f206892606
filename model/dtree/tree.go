package dtree

import (
	"errors"
	"fmt"
	"slices"
)

// A Node is a test or a leaf of a tree.
type Node struct {
	Column          int32 // the column to test; -1 for a leaf
	Absent          int32 // index of the child for rows without the column; the child for rows with it follows
	Rows, Positives int32
	Positive        bool // whether a leaf predicts the positive class
}

// A Tree lists its nodes, the root first and parents before their children.
type Tree []Node

// Leaf returns the index of the leaf that row falls into.
func (t Tree) Leaf(row Bits) int32 {
	at := int32(0)
	for t[at].Column >= 0 {
		at = t[at].Absent + row.bit(t[at].Column)
	}
	return at
}

// A Condition is a test with the answer it needs.
type Condition struct {
	Column  int32
	Present bool
}

// A Way is the conjunction of conditions that leads to a leaf, from the root
// down.
type Way struct {
	Leaf       int32
	Conditions []Condition
}

// Ways returns the ways to all leaves, depth first, absent before present.
func (t Tree) Ways() []Way {
	type step struct {
		node  int32
		tests []Condition
	}
	var out []Way
	for work := []step{{}}; len(work) > 0; {
		s := work[len(work)-1]
		work = work[:len(work)-1]
		n := t[s.node]
		if n.Column < 0 {
			out = append(out, Way{s.node, s.tests})
			continue
		}
		work = append(work,
			step{n.Absent + 1, append(slices.Clip(s.tests), Condition{n.Column, true})},
			step{n.Absent, append(slices.Clip(s.tests), Condition{n.Column, false})})
	}
	return out
}

// Columns returns the columns that the tree tests, in ascending order.
func (t Tree) Columns() []int32 {
	var out []int32
	for _, n := range t {
		if n.Column >= 0 {
			out = append(out, n.Column)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Check returns an error unless a decoded tree is well-formed and tests only columns below
// the given number of columns.
func (t Tree) Check(columns int) error {
	if len(t) == 0 {
		return errors.New("tree has no nodes")
	}
	parents := make([]int, len(t)) // number of parents by node
	for i, n := range t {
		switch {
		case n.Rows < 0 || n.Positives < 0 || n.Positives > n.Rows:
			return fmt.Errorf("node %d: %d positive rows of %d: must be between 0 and the number of rows", i, n.Positives, n.Rows)
		case n.Column < -1 || int(n.Column) >= columns:
			return fmt.Errorf("node %d: column %d: must be between -1 and %d", i, n.Column, columns-1)
		case n.Column < 0:
			continue
		case n.Absent <= int32(i) || int(n.Absent) >= len(t)-1:
			return fmt.Errorf("node %d: children %d and %d: must be between %d and %d", i, n.Absent, n.Absent+1, i+1, len(t)-1)
		}
		a, p := t[n.Absent], t[n.Absent+1]
		if int64(a.Rows)+int64(p.Rows) != int64(n.Rows) || int64(a.Positives)+int64(p.Positives) != int64(n.Positives) {
			return fmt.Errorf("node %d: row counts differ from the sum of its children", i)
		}
		parents[n.Absent]++
		parents[n.Absent+1]++
	}
	for i, n := range parents[1:] {
		if n != 1 {
			return fmt.Errorf("node %d has %d parents: must have 1", i+1, n)
		}
	}
	return nil
}
