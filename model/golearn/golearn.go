// Package golearn grows decision trees with the CART of the golearn library, from
// the same tables as package dtree and into the same form.
//
// It exists for comparison: it takes thousands of times longer than dtree, and has
// neither class weights nor a minimum gain. [Limits] refuse tables that would take
// minutes. The library keeps no counts, so the rows of each node are counted after
// a tree is converted.
//
// Builds with -tags nogolearn do not contain the library; [Learner.Learn] returns
// [ErrNotBuilt].
package golearn

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/model/dtree"
)

var (
	// ErrBalance is returned for [dtree.Sqrt], which needs class weights.
	ErrBalance = errors.New("golearn cannot weigh classes: balance must be none or subsample")

	// ErrNotBuilt is returned by builds without the library.
	ErrNotBuilt = errors.New("this build has no golearn: build without -tags nogolearn")
)

// Limits limit the size of the table that is passed to the library. The time
// for a tree grows with rows times columns: about 0.7 s and 1 GB of allocations
// per million cells. Zero fields mean defaults.
type Limits struct {
	Rows    int // default 10,000
	Columns int // columns that differ between rows; default 10,000
	Cells   int // rows times columns; default 4,000,000, about 3 s per tree
}

func (l Limits) withDefaults() Limits {
	l.Rows = cmp.Or(l.Rows, 10_000)
	l.Columns = cmp.Or(l.Columns, 10_000)
	l.Cells = cmp.Or(l.Cells, 4_000_000)
	return l
}

// check returns a [*limit.Error] if there are too many rows or columns.
func (l Limits) check(rows, columns int) error {
	l = l.withDefaults()
	for _, c := range []struct {
		what     string
		n, limit int
	}{
		{"rows for golearn", rows, l.Rows},
		{"columns for golearn", columns, l.Columns},
		{"rows times columns for golearn", rows * columns, l.Cells},
	} {
		if c.n > c.limit {
			return &limit.Error{What: c.what, Value: strconv.Itoa(c.limit), Advice: "use the native learner"}
		}
	}
	return nil
}

// A Learner grows trees on a subset of a table's rows.
type Learner struct {
	Limits Limits

	table *dtree.Table
	rows  []int32
	opt   dtree.Options
}

// New returns a learner for the given rows of a table, or all rows if rows is nil.
func New(t *dtree.Table, rows []int32, opt dtree.Options) *Learner {
	if rows == nil {
		for r := range t.Rows() {
			rows = append(rows, int32(r))
		}
	}
	if opt.MaxDepth == 0 {
		opt.MaxDepth = 5
	}
	return &Learner{table: t, rows: rows, opt: opt}
}

// Learn grows a tree for the labels. It uses r only to draw a subsample. A tree
// cannot be interrupted; callers with a context check it between trees.
func (l *Learner) Learn(labels dtree.Bits, r *rand.Rand) (dtree.Tree, error) {
	if !Available {
		return nil, ErrNotBuilt
	}
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
	if columns := l.informative(rows); len(columns) > 0 && mixed(rows, labels) {
		if err := l.Limits.check(len(rows), len(columns)); err != nil {
			return nil, err
		}
		root, err := l.fit(rows, columns, labels)
		if err != nil {
			return nil, err
		}
		tree = root
	}
	l.count(tree, rows, labels)
	if l.opt.Balance == dtree.Subsample { // leaves predict as in the sample, with the counts of all rows
		sample := slices.Clone(tree)
		l.count(tree, l.rows, labels)
		for i := range tree {
			tree[i].Positive = sample[i].Positive
		}
	}
	return l.collapse(tree), nil
}

// mixed reports whether there are rows of both classes. From rows of one class the
// library grows wrong trees, and without rows it panics.
func mixed(rows []int32, labels dtree.Bits) bool {
	positive := func(r int32) bool { return labels.Has(r) }
	return slices.ContainsFunc(rows, positive) && slices.ContainsFunc(rows, func(r int32) bool { return !positive(r) })
}

// subsample returns the rows of the smaller class and as many of the larger class, drawn at random.
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

// informative returns the columns that are present in some rows and absent in others.
func (l *Learner) informative(rows []int32) []int32 {
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

// count sets the row counts and predictions of each node.
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

// collapse removes tests that leave fewer rows than MinLeaf on a side: the library
// has no such option.
func (l *Learner) collapse(tree dtree.Tree) dtree.Tree {
	least := int32(max(1, l.opt.MinLeaf))
	return tree.Collapse(func(n, without, with dtree.Node) bool { return without.Rows < least || with.Rows < least })
}
