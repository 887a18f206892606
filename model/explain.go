package model

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/model/dtree"
	"github.com/inroad/inroad/model/observation"
)

// An Explanation is a human-readable decision tree of a unit.
type Explanation struct {
	Unit    observation.Unit
	Reached int // observations that reached the unit
	Rows    int // all observations
	HeldOut Confusion
	Tree    *Node
	// Ways lists the ways to leaves that predict "reached", by descending
	// number of observations that reached the unit.
	Ways []Way
}

// A Node is a test or a leaf of an explanation. A leaf has no feature.
type Node struct {
	Feature     string
	Equal       int // number of features that held for the same training inputs
	Rows        int
	Positives   int
	Reached     bool // prediction, by majority for a test
	Probability float64
	Absent      *Node
	Present     *Node
}

// A Way describes the inputs of a leaf: the features that they have, and those
// that they lack.
type Way struct {
	With      []string
	Without   []string
	Rows      int
	Positives int
}

// Explain returns an explanation of the unit's tree. Unless whole is set, tests
// that are not significant are removed.
func (m *Model) Explain(unit int, whole bool) *Explanation {
	tree := m.unitTree(unit)
	if !whole {
		tree = tree.Prune(m.Columns)
	}
	e := &Explanation{Unit: m.Units[unit], HeldOut: m.HeldOut(unit), Tree: m.node(tree, 0)}
	e.Reached, e.Rows = m.Support(unit)
	for _, leaf := range m.leaves(tree) {
		if leaf.Reached {
			e.Ways = append(e.Ways, m.way(leaf))
		}
	}
	slices.SortStableFunc(e.Ways, func(a, b Way) int { return b.Positives - a.Positives })
	return e
}

func (m *Model) node(t dtree.Tree, at int32) *Node {
	n := t[at]
	out := &Node{Rows: int(n.Rows), Positives: int(n.Positives), Reached: n.Positive, Probability: m.calibration.apply(leafProbability(n), n.Positive)}
	if n.Column >= 0 {
		f := m.Features[n.Column]
		out.Feature, out.Equal = m.Describe(f), len(f.Equal)
		out.Reached = 2*n.Positives > n.Rows
		out.Absent, out.Present = m.node(t, n.Absent), m.node(t, n.Absent+1)
	}
	return out
}

// way describes a leaf. Paths with a common start are merged into one pattern.
func (m *Model) way(l Leaf) Way {
	w := Way{With: []string{}, Without: []string{}, Rows: l.Rows, Positives: l.Positives}
	var paths []features.Path
	for _, t := range l.Conditions {
		switch {
		case !t.Present:
			w.Without = append(w.Without, m.Describe(*t.Feature))
		case t.Feature.Path != nil && t.Feature.Before == 0:
			paths = append(paths, t.Feature.Path)
		default:
			w.With = append(w.With, m.Describe(*t.Feature))
		}
	}
	if len(paths) > 0 {
		w.With = append(m.space.Patterns(paths...), w.With...)
	}
	return w
}

// String returns the way as one line of text.
func (w Way) String() string {
	switch with, without := strings.Join(w.With, " and "), strings.Join(w.Without, " or "); {
	case with == "" && without == "":
		return "any input"
	case without == "":
		return "inputs with " + with
	case with == "":
		return "inputs without " + without
	default:
		return fmt.Sprintf("inputs with %s and without %s", with, without)
	}
}

// WriteText writes the explanation as an indented tree. It does not escape
// control characters in names and patterns.
func (e *Explanation) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: reached by %d of %d observations\n", e.Unit.ID, e.Reached, e.Rows)
	if e.HeldOut.Total() > 0 {
		fmt.Fprintf(&b, "on held-out observations: precision %.3f, recall %.3f, F1 %.3f\n", e.HeldOut.Precision(), e.HeldOut.Recall(), e.HeldOut.F1())
	}
	b.WriteByte('\n')
	if e.Tree.Absent == nil {
		fmt.Fprintf(&b, "%s\n", e.Tree.text())
	} else {
		e.Tree.write(&b, "")
	}
	if len(e.Ways) > 0 && e.Tree.Absent != nil {
		b.WriteString("\nReached by\n")
		for _, way := range e.Ways {
			fmt.Fprintf(&b, "  %s (%d of %d)\n", way, way.Positives, way.Rows)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (n *Node) write(b *strings.Builder, indent string) {
	fmt.Fprintf(b, "%s\n", n.test())
	for _, branch := range []struct {
		to          *Node
		edge, below string
	}{{n.Absent, "├─ no: ", "│  "}, {n.Present, "└─ yes: ", "   "}} {
		b.WriteString(indent + branch.edge)
		if branch.to.Absent == nil {
			fmt.Fprintf(b, "%s\n", branch.to.text())
		} else {
			branch.to.write(b, indent+branch.below)
		}
	}
}

// test describes the test of an inner node. A pattern alone would read as an
// optional element.
func (n *Node) test() string { return "has " + n.Feature + "?" }

// text describes a leaf.
func (n *Node) text() string {
	word := "not reached"
	if n.Reached {
		word = "reached"
	}
	return fmt.Sprintf("%s (%d of %d, probability %.2f)", word, n.Positives, n.Rows, n.Probability)
}

// WriteDOT writes the tree in the DOT language of Graphviz.
func (e *Explanation) WriteDOT(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph {\n\tlabel=%s\n\tnode [shape=box, fontname=\"sans-serif\"]\n", quoteDOT(e.Unit.ID))
	number := 0
	var write func(n *Node) int
	write = func(n *Node) int {
		id := number
		number++
		if n.Absent == nil {
			color := "#eeeeee"
			if n.Reached {
				color = "#cce8cc"
			}
			fmt.Fprintf(&b, "\tn%d [label=%s, style=\"filled,rounded\", fillcolor=%q]\n", id, quoteDOT(n.text()), color)
			return id
		}
		fmt.Fprintf(&b, "\tn%d [label=%s]\n", id, quoteDOT(n.test()))
		fmt.Fprintf(&b, "\tn%d -> n%d [label=no]\n", id, write(n.Absent))
		fmt.Fprintf(&b, "\tn%d -> n%d [label=yes]\n", id, write(n.Present))
		return id
	}
	write(e.Tree)
	b.WriteString("}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// quoteDOT returns s as a DOT string without escapes or control characters.
func quoteDOT(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7F {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
