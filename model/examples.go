package model

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/model/dtree"
)

// Limits of the example inputs that a model keeps for its leaves.
const (
	maxExample      = 128  // bytes of an input
	maxExampleRows  = 5000 // inputs to choose from
	examplesPerLeaf = 3
	maxExamples     = 4000
)

// exampleLengths finds the maximum length of example inputs, so that only the shortest
// inputs become examples.
type exampleLengths struct {
	most   int                 // maximum length
	counts [maxExample + 1]int // records by the length of their inputs
	added  int
}

// add counts an input, and reports whether it may become an example. From time to time it
// drops inputs that are too long from the records.
func (e *exampleLengths) add(length int, records []record) bool {
	if length > e.most {
		return false
	}
	e.counts[length]++
	if e.added++; e.added%maxExampleRows == 0 {
		if most := e.longest(); most < e.most {
			e.most = most
			for i := range records {
				if len(records[i].input) > most {
					records[i].input = nil
				}
			}
		}
	}
	return length <= e.most
}

// keepsExample counts an input and reports whether it may become an example. If the
// trainer draws a sample, all short inputs may, because the shortest ones in the sample
// are known only at the end.
func (t *Trainer) keepsExample(length int) bool {
	if t.draws() {
		return length <= maxExample
	}
	return t.examples.add(length, t.records)
}

// longest returns the least length up to which there are enough inputs.
func (e *exampleLengths) longest() int {
	sum := 0
	for length, n := range e.counts {
		if sum += n; sum >= maxExampleRows {
			return length
		}
	}
	return maxExample
}

// examples returns short training inputs: up to three for each leaf that agree
// with its prediction. index maps columns to features of the model.
func (k *task) examples(index map[int32]int32) ([][]byte, error) {
	var rows []int32
	for i, r := range k.rows {
		if r.input != nil && len(r.input) <= k.longestExample {
			rows = append(rows, int32(i))
		}
	}
	slices.SortFunc(rows, func(a, b int32) int {
		return cmp.Or(cmp.Compare(len(k.rows[a].input), len(k.rows[b].input)), cmp.Compare(a, b))
	})
	rows = rows[:min(len(rows), maxExampleRows)]
	bits, err := k.exampleBits(rows, index)
	if err != nil {
		return nil, err
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
	return out, nil
}

// exampleBits returns the features of the model in each of the rows. It reads them in
// ascending order.
func (k *task) exampleBits(rows []int32, index map[int32]int32) ([]dtree.Bits, error) {
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(rows[a], rows[b]) })
	bits := make([]dtree.Bits, len(rows))
	reader := k.view.withOutcomes.Reader()
	for _, i := range order {
		row, err := reader.Row(rows[i])
		if err != nil {
			return nil, err
		}
		bits[i] = dtree.NewBits(len(index))
		for _, c := range row {
			if f, ok := index[c]; ok {
				bits[i].Set(f)
			}
		}
	}
	return bits, nil
}

// An Example is a short training input that a model keeps, with the predictions for it.
type Example struct {
	Tree     *derivation.Tree
	Outcomes []OutcomeProbability // as in [Answer]

	row           dtree.Bits
	reached       dtree.Bits // units that are predicted to be reached
	probabilities []uint8    // by unit, in steps; a model has many examples and units
}

func newExample(tree *derivation.Tree, a *Answer, row dtree.Bits) Example {
	e := Example{
		Tree: tree, Outcomes: a.Outcomes,
		row: slices.Clone(row), reached: dtree.NewBits(len(a.Methods)), probabilities: make([]uint8, len(a.Methods)),
	}
	for unit, p := range a.Methods {
		if e.probabilities[unit] = toSteps(p.Probability); p.Reached {
			e.reached.Set(int32(unit))
		}
	}
	return e
}

// steps is the number of steps of a probability. One half is a whole number of them, so
// that rounding down does not change whether a probability is below it.
const steps = 254

func toSteps(probability float64) uint8 { return uint8(probability * steps) }

// In reports whether the input falls into a leaf of the model.
func (e *Example) In(l *Leaf) bool { return l.tree.Leaf(e.row) == l.node }

// Prediction returns the predicted class of a unit, and its probability rounded down to a
// multiple of 1/254.
func (e *Example) Prediction(unit int) (reached bool, probability float64) {
	return e.reached.Has(int32(unit)), float64(e.probabilities[unit]) / steps
}

// Distance returns how much the predictions for another input differ: the sum of the
// differences in the probability of each unit.
func (e *Example) Distance(a *Answer) float64 {
	sum := 0
	for unit, p := range a.Methods {
		d := int(toSteps(p.Probability)) - int(e.probabilities[unit])
		sum += max(d, -d)
	}
	return float64(sum) / steps
}

// Examples returns training inputs that the model keeps, shortest first: up to three
// for each leaf that agree with its prediction. The caller must not modify them.
func (m *Model) Examples() []Example {
	m.examplesOnce.Do(func() {
		p := m.newPredictor()
		for _, input := range m.file.Examples {
			tree, err := m.Grammar.Parse(context.Background(), input, p.parse)
			if err != nil {
				continue
			}
			if a, err := m.predictTree(p, tree); err == nil {
				m.examples = append(m.examples, newExample(tree, a, p.row))
			}
		}
	})
	return m.examples
}

// addExamples adds examples to the leaves of an explanation. nodes has the node of the
// explanation for each node of the tree.
func (m *Model) addExamples(tree dtree.Tree, nodes []*Node) {
	for _, e := range m.Examples() {
		if n := nodes[tree.Leaf(e.row)]; len(n.Examples) < examplesPerLeaf {
			n.Examples = append(n.Examples, e.Tree.Input())
		}
	}
}
