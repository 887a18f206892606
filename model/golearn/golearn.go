// Package golearn grows decision trees with the CART of the golearn library, on
// the same tables as package dtree and in the same form.
//
// It is there to compare with: it takes thousands of times longer, knows neither
// weights nor margins, and is kept from the data that it cannot deal with. Its
// trees are converted at once, and counted anew, as it keeps no counts.
package golearn

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/trees"

	"github.com/inroad/inroad/model/dtree"
)

// ErrBalance tells that the library has no weights.
var ErrBalance = errors.New("golearn cannot weigh classes: balance is none or subsample")

// A Learner grows trees on some rows of a table.
type Learner struct {
	table *dtree.Table
	rows  []int32
	opt   dtree.Options
}

// New returns a learner on the given rows of a table, all of them if rows is nil.
func New(t *dtree.Table, rows []int32, opt dtree.Options) *Learner {
	if rows == nil {
		for r := range t.Rows() {
			rows = append(rows, int32(r))
		}
	}
	if opt.MaxDepth == 0 {
		opt.MaxDepth = 5
	}
	return &Learner{t, rows, opt}
}

// Learn grows a tree for the labels. Only to draw a sample does it need r.
func (l *Learner) Learn(labels dtree.Bits, r *rand.Rand) (dtree.Tree, error) {
	rows := l.rows
	switch l.opt.Balance {
	case dtree.Sqrt:
		return nil, ErrBalance
	case dtree.Subsample:
		if mixed(rows, labels) {
			rows = subsample(rows, labels, r)
		}
	case dtree.None:
	}
	tree := dtree.Tree{{Column: -1}}
	if columns := l.telling(rows); len(columns) > 0 && mixed(rows, labels) {
		root, err := l.fit(rows, columns, labels)
		if err != nil {
			return nil, err
		}
		tree = root
	}
	l.count(tree, rows, labels)
	if l.opt.Balance == dtree.Subsample { // what leaves answer stays as the sample has it
		sample := slices.Clone(tree)
		l.count(tree, l.rows, labels)
		for i := range tree {
			tree[i].Positive = sample[i].Positive
		}
	}
	return l.collapse(tree), nil
}

// mixed reports whether there are rows of both classes. Of one class alone, or of
// no rows, the library makes nonsense.
func mixed(rows []int32, labels dtree.Bits) bool {
	positive := func(r int32) bool { return labels.Has(r) }
	return slices.ContainsFunc(rows, positive) && slices.ContainsFunc(rows, func(r int32) bool { return !positive(r) })
}

// subsample draws as many rows of the larger class as there are of the other.
func subsample(rows []int32, labels dtree.Bits, r *rand.Rand) []int32 {
	var classes [2][]int32
	for _, row := range rows {
		if labels.Has(row) {
			classes[1] = append(classes[1], row)
		} else {
			classes[0] = append(classes[0], row)
		}
	}
	small, large := classes[0], classes[1]
	if len(small) > len(large) {
		small, large = large, small
	}
	r.Shuffle(len(large), func(i, j int) { large[i], large[j] = large[j], large[i] })
	out := append(slices.Clone(small), large[:len(small)]...)
	slices.Sort(out)
	return out
}

// telling returns the columns that some rows have and some have not.
func (l *Learner) telling(rows []int32) []int32 {
	counts := make([]int, l.table.Columns())
	for _, r := range rows {
		for _, c := range l.table.Row(r) {
			counts[c]++
		}
	}
	var out []int32
	for c, n := range counts {
		if n > 0 && n < len(rows) {
			out = append(out, int32(c))
		}
	}
	return out
}

// fit lets the library grow a tree, and converts it. It panics on data that it
// does not expect.
func (l *Learner) fit(rows, columns []int32, labels dtree.Bits) (tree dtree.Tree, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("golearn: %v", p)
		}
	}()
	grid, err := l.grid(rows, columns, labels)
	if err != nil {
		return nil, fmt.Errorf("golearn: %w", err)
	}
	classifier := trees.NewDecisionTreeClassifier(trees.GINI, int64(l.opt.MaxDepth), []int64{0, 1})
	if err := classifier.Fit(grid); err != nil {
		return nil, fmt.Errorf("golearn: %w", err)
	}
	tree = dtree.Tree{{Column: -1}}
	if classifier.RootNode.Threshold == 0 { // it found no question to ask
		return tree, nil
	}
	// The type of the library's nodes has no name outside of it.
	work, at := list(classifier.RootNode), []int32{0}
	for len(work) > 0 {
		n, i := work[len(work)-1], at[len(at)-1]
		work, at = work[:len(work)-1], at[:len(at)-1]
		below := int32(len(tree))
		tree[i].Column, tree[i].Absent = columns[n.Feature], below
		tree = append(tree, dtree.Node{Column: -1}, dtree.Node{Column: -1})
		if n.Left != nil {
			work, at = append(work, n.Left), append(at, below)
		}
		if n.Right != nil {
			work, at = append(work, n.Right), append(at, below+1)
		}
	}
	return tree, nil
}

func list[T any](v ...T) []T { return v }

// grid returns the rows as the library has them. It overlooks attributes that are
// binary, so that columns are numbers.
func (l *Learner) grid(rows, columns []int32, labels dtree.Bits) (*base.DenseInstances, error) {
	grid := base.NewDenseInstances()
	var specs []base.AttributeSpec
	place := make(map[int32]int, len(columns))
	for i, c := range columns {
		place[c] = i
		specs = append(specs, grid.AddAttribute(base.NewFloatAttribute(fmt.Sprint(c))))
	}
	class := base.NewFloatAttribute("class")
	classSpec := grid.AddAttribute(class)
	if err := grid.AddClassAttribute(class); err != nil {
		return nil, err
	}
	if err := grid.Extend(len(rows)); err != nil {
		return nil, err
	}
	no, yes := base.PackFloatToBytes(0), base.PackFloatToBytes(1)
	for i, r := range rows {
		for _, spec := range specs {
			grid.Set(spec, i, no)
		}
		for _, c := range l.table.Row(r) {
			if j, ok := place[c]; ok {
				grid.Set(specs[j], i, yes)
			}
		}
		if labels.Has(r) {
			grid.Set(classSpec, i, yes)
		} else {
			grid.Set(classSpec, i, no)
		}
	}
	return grid, nil
}

// count counts rows in each node.
func (l *Learner) count(tree dtree.Tree, rows []int32, labels dtree.Bits) {
	for i := range tree {
		tree[i].Rows, tree[i].Positives = 0, 0
	}
	row := dtree.NewBits(l.table.Columns())
	for _, r := range rows {
		for _, c := range l.table.Row(r) {
			row.Set(c)
		}
		for at := int32(0); ; {
			n := &tree[at]
			n.Rows++
			if labels.Has(r) {
				n.Positives++
			}
			if n.Column < 0 {
				break
			}
			next := n.Absent
			if row.Has(n.Column) {
				next++
			}
			at = next
		}
		clear(row)
	}
	for i := range tree {
		tree[i].Positive = tree[i].Column < 0 && 2*tree[i].Positives > tree[i].Rows
	}
}

// collapse takes back questions that leave too few rows on a side: the library
// knows no such bound.
func (l *Learner) collapse(tree dtree.Tree) dtree.Tree {
	least := int32(max(1, l.opt.MinLeaf))
	return tree.Collapse(func(n, without, with dtree.Node) bool { return without.Rows < least || with.Rows < least })
}
