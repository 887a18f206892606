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

// A Model predicts which units of a program an input reaches. It is immutable
// and safe for concurrent use.
type Model struct {
	Grammar  *grammars.Grammar
	Subject  string
	Commit   string
	Options  Options
	Units    []observation.Unit // sorted by ID
	Outcomes []string           // sorted; empty if all runs had the same outcome
	Features []Feature          // features that the trees test
	Refusals []Refusal          // constructs that the program refuses, most important first
	Rows     int                // observations of inputs in the grammar
	Columns  int                // features available in training
	Outside  Outside            // observations of inputs outside the grammar
	Stats    Stats              // all observations given to the trainer
	Digest   string             // of the encoded model; serves as its ID

	file            *modelFile
	space           *features.Space
	trees           []dtree.Tree      // one per outcome, then one per unit
	unitRegressions []*unitRegression // by unit; nil if no regression may overrule the tree
	seen            []uint64          // sorted IDs of the paths in the training inputs
	calibration     calibration
	lookup          *lookup
	recorded        recordedSets
	pool            sync.Pool // of *predictor

	examplesOnce sync.Once
	examples     []Example
}

// Outside summarizes the observations of inputs outside the grammar.
type Outside struct {
	Rows     int
	Outcomes map[string]int
	Reached  []int // by unit: number of inputs that reached it
}

// add counts an observation that reached methods.
func (o *Outside) add(r *record, methods []int32, index []int32) {
	o.Rows++
	o.Outcomes[r.outcome]++
	for _, m := range methods {
		o.Reached[index[m]]++
	}
}

func (m *Model) unitTree(unit int) dtree.Tree { return m.trees[len(m.Outcomes)+unit] }

// treeIndex returns the index of a target's tree.
func (m *Model) treeIndex(t *target) (int, bool) {
	if !t.unit {
		return slices.BinarySearch(m.Outcomes, t.name)
	}
	i, ok := m.unitByID(t.name)
	return len(m.Outcomes) + i, ok
}

// unitByID returns the index of a unit.
func (m *Model) unitByID(id string) (int, bool) {
	return slices.BinarySearchFunc(m.Units, id, func(u observation.Unit, id string) int { return strings.Compare(u.ID, id) })
}

// Trainable reports whether the unit was reached by some but not all
// observations.
func (m *Model) Trainable(unit int) bool {
	root := m.unitTree(unit)[0]
	return root.Positives > 0 && root.Positives < root.Rows
}

// Support returns how many observations reached the unit, and how many there
// are.
func (m *Model) Support(unit int) (reached, rows int) {
	root := m.unitTree(unit)[0]
	return int(root.Positives), int(root.Rows)
}

// Evidence below which the condition of a unit is unknown.
const (
	minEvidence   = 5   // observations that reached the unit, or that did not
	minEvidenceF1 = 0.5 // of the rarer class in cross-validation
)

// Unknown reports whether the observations do not show when inputs reach a unit:
// few of them reached it, or few missed it, and cross-validation predicts these
// badly.
func (m *Model) Unknown(unit int) bool {
	reached, rows := m.Support(unit)
	held := m.HeldOut(unit)
	if min(reached, rows-reached) >= minEvidence || !m.Trainable(unit) || held.Total() == 0 {
		return false
	}
	if 2*reached > rows {
		held = held.Inverse()
	}
	return held.F1() < minEvidenceF1
}

// HeldOut returns the confusion matrix of the unit's predictions in
// cross-validation.
func (m *Model) HeldOut(unit int) Confusion { return m.file.Targets[len(m.Outcomes)+unit].Held }

// Inputs returns a sample of the training inputs. The caller must not modify
// them.
func (m *Model) Inputs() [][]byte { return m.file.Inputs }

// A UnitError reports that a name matches no unit, or several.
type UnitError struct {
	Name    string
	Matches []string // IDs of the units that the name matches
	Near    []string // similar IDs, as suggestions
}

func (e *UnitError) Error() string {
	switch {
	case len(e.Matches) > 0:
		return fmt.Sprintf("method %q is ambiguous: %s", e.Name, observation.ListIDs(e.Matches))
	default:
		return fmt.Sprintf("method %q is not in the model", e.Name)
	}
}

// Unit returns the index of the unit that a name stands for: its ID, its name, or any
// part of its ID that no other unit has, as [observation.MatchUnits] finds it.
func (m *Model) Unit(name string) (int, error) {
	if i, ok := m.unitByID(name); ok {
		return i, nil
	}
	found := observation.MatchUnits(m.Units, name)
	if len(found) == 1 {
		return found[0], nil
	}
	e := &UnitError{Name: name}
	for _, i := range found {
		e.Matches = append(e.Matches, m.Units[i].ID)
	}
	return 0, e
}

// Space returns the path space of the model's grammar.
func (m *Model) Space() *features.Space { return m.space }

// A Condition is a test of a decision tree with the answer it needs.
type Condition struct {
	Feature *Feature
	Present bool
}

// A Leaf is a leaf of a decision tree. All conditions hold for the inputs that
// fall into it.
type Leaf struct {
	Conditions []Condition
	Rows       int  // observations that fall into the leaf
	Positives  int  // observations among Rows that reached the unit
	Reached    bool // prediction of the leaf

	tree dtree.Tree
	node int32
}

// Gini returns the Gini impurity of the leaf, between 0 (all observations
// agree) and 0.5.
func (l Leaf) Gini() float64 {
	if l.Rows == 0 {
		return 0
	}
	p := float64(l.Positives) / float64(l.Rows)
	return 2 * p * (1 - p)
}

// Leaves returns the leaves of the unit's tree. Every input falls into exactly
// one of them.
func (m *Model) Leaves(unit int) []Leaf { return m.leaves(m.unitTree(unit)) }

// OutcomeLeaves returns the leaves of the outcome's tree.
func (m *Model) OutcomeLeaves(outcome int) []Leaf { return m.leaves(m.trees[outcome]) }

func (m *Model) leaves(t dtree.Tree) []Leaf {
	var out []Leaf
	for _, way := range t.Ways() {
		n := t[way.Leaf]
		out = append(out, Leaf{m.conditions(way.Conditions), int(n.Rows), int(n.Positives), n.Positive, t, way.Leaf})
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
