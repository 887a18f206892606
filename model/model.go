// Package model learns which methods of a program an input reaches.
//
// A [Trainer] takes observations and grows a decision tree for each method. The
// [Model] that it returns predicts the methods that an input reaches, explains
// its predictions, and can be compared with another model.
package model

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model/dtree"
	"github.com/inroad/inroad/model/observation"
)

// A Model knows which units of a program an input reaches. It is immutable, and
// safe for concurrent use.
type Model struct {
	Grammar  *grammars.Grammar
	Subject  string
	Commit   string
	Options  Options
	Units    []observation.Unit // by ID
	Outcomes []string           // that are told apart; none if all runs ended alike
	Features []Feature          // that its trees ask for
	Rows     int                // observations that it was learned from, of inputs of the grammar
	Columns  int                // features that its trees were learned from
	Outside  Outside            // observations of other inputs
	Stats    Stats              // all that was given
	Digest   string             // names the model: of all that is in its file

	file        *modelFile
	space       *features.Space
	trees       []dtree.Tree // of the outcomes, then of the units
	seen        []uint64     // the paths of the training, by ID
	calibration calibration
	lookup      *lookup
	pool        sync.Pool // of predictors
}

// Outside says what the program did with inputs that are not in the grammar.
type Outside struct {
	Rows     int
	Outcomes map[string]int
	Reached  []int // by unit: how many of the inputs reached it
}

func (o *Outside) add(r *record, place []int32) {
	o.Rows++
	o.Outcomes[r.outcome]++
	for _, m := range r.methods {
		o.Reached[place[m]]++
	}
}

// unitTree returns the tree of a unit.
func (m *Model) unitTree(unit int) dtree.Tree { return m.trees[len(m.Outcomes)+unit] }

// target returns the place of a target among the trees.
func (m *Model) treeIndex(t *target) (int, bool) {
	if !t.unit {
		return slices.BinarySearch(m.Outcomes, t.name)
	}
	i, ok := m.unitByID(t.name)
	return len(m.Outcomes) + i, ok
}

// byID returns the place of a unit.
func (m *Model) unitByID(id string) (int, bool) {
	return slices.BinarySearchFunc(m.Units, id, func(u observation.Unit, id string) int { return strings.Compare(u.ID, id) })
}

// Trainable reports whether observations differ in whether a unit was entered.
func (m *Model) Trainable(unit int) bool {
	root := m.unitTree(unit)[0]
	return root.Positives > 0 && root.Positives < root.Rows
}

// Support returns in how many observations a unit was entered, and out of how many.
func (m *Model) Support(unit int) (entered, rows int) {
	root := m.unitTree(unit)[0]
	return int(root.Positives), int(root.Rows)
}

// HeldOut returns how the unit's trees did on observations that they were not
// learned from, part by part.
func (m *Model) HeldOut(unit int) Confusion { return m.file.Targets[len(m.Outcomes)+unit].Held }

// Inputs returns some of the inputs that the model was learned from. The caller
// must not change them.
func (m *Model) Inputs() [][]byte { return m.file.Inputs }

// A UnitError tells that a name is not that of one unit.
type UnitError struct {
	Name    string
	Matches []string // of several units
	Near    []string // that may have been meant
}

func (e *UnitError) Error() string {
	switch {
	case len(e.Matches) > 0:
		return fmt.Sprintf("method %q is one of several: %s", e.Name, strings.Join(e.Matches, ", "))
	default:
		return fmt.Sprintf("the model knows no method %q", e.Name)
	}
}

// Unit returns the place of a unit, given by its ID or by a suffix of it that no
// other unit has, such as its name.
func (m *Model) Unit(name string) (int, error) {
	if i, ok := m.unitByID(name); ok {
		return i, nil
	}
	var found []int
	for i, u := range m.Units {
		if name != "" && (suffixOf(u.ID, name) || u.Name == name) {
			found = append(found, i)
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	e := &UnitError{Name: name}
	for _, i := range found[:min(len(found), 5)] {
		e.Matches = append(e.Matches, m.Units[i].ID)
	}
	return 0, e
}

// suffixOf reports whether an ID ends in a name, which begins where a word does.
func suffixOf(id, name string) bool {
	rest, ok := strings.CutSuffix(id, name)
	if !ok || rest == "" {
		return ok
	}
	return strings.ContainsAny(rest[len(rest)-1:], "#./@)( ") || strings.ContainsAny(name[:1], "#./@)( ")
}

// Space returns the paths of the model's grammar, to describe features with.
func (m *Model) Space() *features.Space { return m.space }

// A Test is a question on the way to a leaf, and its answer.
type Condition struct {
	Feature *Feature
	Present bool
}

// A Leaf is where inputs of a kind end up: all that meet its tests.
type Leaf struct {
	Conditions []Condition
	Rows       int // observations that ended up here
	Positives  int // of them reached the unit
	Reached    bool
}

// Gini returns the leaf's impurity: 0 if all observations agree, at most 0.5.
func (l Leaf) Gini() float64 {
	if l.Rows == 0 {
		return 0
	}
	p := float64(l.Positives) / float64(l.Rows)
	return 2 * p * (1 - p)
}

// Leaves returns the leaves of a unit's tree. Their conditions exclude each
// other, and together they are all inputs.
func (m *Model) Leaves(unit int) []Leaf { return m.leaves(m.unitTree(unit)) }

// OutcomeLeaves returns the leaves of the tree of an outcome.
func (m *Model) OutcomeLeaves(outcome int) []Leaf { return m.leaves(m.trees[outcome]) }

func (m *Model) leaves(t dtree.Tree) []Leaf {
	var out []Leaf
	for _, way := range t.Ways() {
		n := t[way.Leaf]
		out = append(out, Leaf{m.conditions(way.Conditions), int(n.Rows), int(n.Positives), n.Positive})
	}
	return out
}

func (m *Model) conditions(tests []dtree.Condition) []Condition {
	out := make([]Condition, 0, len(tests))
	for _, t := range tests {
		out = append(out, Condition{&m.Features[t.Column], t.Present})
	}
	return out
}
