package dtree

import (
	"errors"
	"fmt"
	"slices"
)

// A Node is a question or a leaf. It knows how many rows came there.
type Node struct {
	Column          int32 // what it asks for; -1 at a leaf
	Absent          int32 // where to go on without it; with it, at the node after that
	Rows, Positives int32
	Positive        bool // what a leaf answers
}

// A Tree is its nodes, the root first, each before those below it.
type Tree []Node

// Leaf returns the leaf where a row ends up.
func (t Tree) Leaf(row Bits) int32 {
	at := int32(0)
	for t[at].Column >= 0 {
		at = t[at].Absent + row.bit(t[at].Column)
	}
	return at
}

// A Test asks whether a column is there.
type Condition struct {
	Column  int32
	Present bool
}

// A Way is all that the rows of a leaf have in common, from the root down.
type Way struct {
	Leaf       int32
	Conditions []Condition
}

// Ways returns the ways to all leaves, those without a column before those with it.
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

// Columns returns the columns that the tree asks for, in order.
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

// Check tells what is wrong with a tree that comes from elsewhere.
func (t Tree) Check(columns int) error {
	if len(t) == 0 {
		return errors.New("a tree without nodes")
	}
	above := make([]int, len(t)) // how many nodes go on with each
	for i, n := range t {
		switch {
		case n.Rows < 0 || n.Positives < 0 || n.Positives > n.Rows:
			return fmt.Errorf("node %d: %d of %d rows are positive", i, n.Positives, n.Rows)
		case n.Column < -1 || int(n.Column) >= columns:
			return fmt.Errorf("node %d: column %d of %d", i, n.Column, columns)
		case n.Column < 0:
			continue
		case n.Absent <= int32(i) || int(n.Absent) >= len(t)-1:
			return fmt.Errorf("node %d of %d goes on with node %d", i, len(t), n.Absent)
		}
		a, p := t[n.Absent], t[n.Absent+1]
		if int64(a.Rows)+int64(p.Rows) != int64(n.Rows) || int64(a.Positives)+int64(p.Positives) != int64(n.Positives) {
			return fmt.Errorf("node %d: its rows are not those of the nodes below it", i)
		}
		above[n.Absent]++
		above[n.Absent+1]++
	}
	for i, n := range above[1:] {
		if n != 1 {
			return fmt.Errorf("node %d is below %d nodes", i+1, n)
		}
	}
	return nil
}
