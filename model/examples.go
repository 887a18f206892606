package model

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"github.com/inroad/inroad/model/dtree"
)

// Limits of the example inputs that a model keeps for its leaves.
const (
	maxExample      = 128  // bytes of an input
	maxExampleRows  = 5000 // inputs to choose from
	examplesPerLeaf = 3
	maxExamples     = 4000
)

// examples returns short training inputs: up to three for each leaf that agree
// with its prediction. index maps columns to features of the model.
func (k *task) examples(index map[int32]int32) [][]byte {
	var rows []int32
	for i, r := range k.rows {
		if r.input != nil {
			rows = append(rows, int32(i))
		}
	}
	slices.SortFunc(rows, func(a, b int32) int {
		return cmp.Or(cmp.Compare(len(k.rows[a].input), len(k.rows[b].input)), cmp.Compare(a, b))
	})
	rows = rows[:min(len(rows), maxExampleRows)]
	bits := make([]dtree.Bits, len(rows))
	for i, r := range rows {
		bits[i] = dtree.NewBits(len(index))
		for _, c := range k.view.withOutcomes.Row(r) {
			if f, ok := index[c]; ok {
				bits[i].Set(f)
			}
		}
	}
	chosen := make([]bool, len(rows))
	for _, t := range k.targets {
		tree := slices.Clone(t.tree)
		leaves := 0
		for i, n := range tree {
			if n.Column >= 0 {
				tree[i].Column = index[n.Column]
			} else {
				leaves++
			}
		}
		found := make([]int, len(tree))
		for i, r := range rows {
			if t.unit && k.rows[r].unlabelled {
				continue
			}
			leaf := tree.Leaf(bits[i])
			if found[leaf] == examplesPerLeaf || tree[leaf].Positive != t.labels.Has(r) {
				continue
			}
			chosen[i] = true
			if found[leaf]++; found[leaf] == examplesPerLeaf {
				if leaves--; leaves == 0 {
					break
				}
			}
		}
	}
	var out [][]byte
	for i, r := range rows {
		if chosen[i] && len(out) < maxExamples && (len(out) == 0 || !bytes.Equal(out[len(out)-1], k.rows[r].input)) {
			out = append(out, k.rows[r].input)
		}
	}
	return out
}

// An exampleRow is an example input with its features.
type exampleRow struct {
	input []byte
	row   dtree.Bits
}

// exampleRows returns the features of the model's example inputs.
func (m *Model) exampleRows() []exampleRow {
	m.examplesOnce.Do(func() {
		p := m.newPredictor()
		for _, input := range m.file.Examples {
			a, err := m.predict(context.Background(), p, input)
			if err == nil && a.Syntax == nil {
				m.examples = append(m.examples, exampleRow{input, slices.Clone(p.row)})
			}
		}
	})
	return m.examples
}

// addExamples adds examples to the leaves of an explanation. nodes has the node
// for each node of the tree.
func (m *Model) addExamples(tree dtree.Tree, nodes []*Node) {
	for _, e := range m.exampleRows() {
		if n := nodes[tree.Leaf(e.row)]; len(n.Examples) < examplesPerLeaf {
			n.Examples = append(n.Examples, e.input)
		}
	}
}
