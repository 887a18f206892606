//go:build !nogolearn

package golearn

import (
	"fmt"

	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/trees"

	"github.com/inroad/inroad/model/dtree"
)

// Available reports whether this build contains the library.
const Available = true

// fit grows a tree with the library and converts it. Panics of the library are
// returned as errors.
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
	if classifier.RootNode.Threshold == 0 { // the root is a leaf
		return tree, nil
	}
	// The type of the library's nodes is not exported, so list infers it.
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

// grid returns the rows in the library's form. Columns are floating-point attributes,
// because the library ignores binary ones.
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
