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

// An Explanation is the tree of a unit, for people to read.
type Explanation struct {
	Unit    observation.Unit
	Reached int // observations that entered the unit
	Rows    int // out of these
	HeldOut Confusion
	Tree    *Node
	// Conditions are the ways to leaves that answer covered, those of most
	// observations first.
	Ways []Way
}

// A Question is a node of an explanation. Without a feature it is an answer.
type Node struct {
	Feature     string  `json:"feature,omitempty"`
	Equal       int     `json:"equal,omitempty"` // other features that may be meant
	Rows        int     `json:"observations"`
	Positives   int     `json:"reached"`
	Reached     bool    `json:"covered"`
	Probability float64 `json:"probability"`
	Absent      *Node   `json:"absent,omitempty"`
	Present     *Node   `json:"present,omitempty"`
}

// A Condition is what inputs have that reach a unit, and what they lack.
type Way struct {
	With      []string `json:"with"`
	Without   []string `json:"without"`
	Rows      int      `json:"observations"`
	Positives int      `json:"reached"`
}

// Explain returns the tree of a unit. Unless it is to be whole, it is without
// what chance explains.
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
	q := &Node{Rows: int(n.Rows), Positives: int(n.Positives), Reached: n.Positive, Probability: m.calibration.apply(leafProbability(n), n.Positive)}
	if n.Column >= 0 {
		f := m.Features[n.Column]
		q.Feature, q.Equal = f.Describe(m.space), len(f.Equal)
		q.Reached = 2*n.Positives > n.Rows
		q.Absent, q.Present = m.node(t, n.Absent), m.node(t, n.Absent+1)
	}
	return q
}

// condition shows a leaf's tests. Paths that an input has together make one
// pattern where they begin in the same place.
func (m *Model) way(l Leaf) Way {
	c := Way{With: []string{}, Without: []string{}, Rows: l.Rows, Positives: l.Positives}
	var paths []features.Path
	for _, t := range l.Conditions {
		switch {
		case !t.Present:
			c.Without = append(c.Without, t.Feature.Describe(m.space))
		case t.Feature.Path != nil:
			paths = append(paths, t.Feature.Path)
		default:
			c.With = append(c.With, t.Feature.Describe(m.space))
		}
	}
	if len(paths) > 0 {
		c.With = append(strings.Split(m.space.Pattern(paths...), "; "), c.With...)
	}
	return c
}

// String says the condition in a line.
func (c Way) String() string {
	switch with, without := strings.Join(c.With, " and "), strings.Join(c.Without, " or "); {
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

// WriteText writes the explanation as an indented tree. Names and patterns may
// hold anything that a grammar or a program does; who shows them on a terminal
// must see to that.
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
		for _, c := range e.Ways {
			fmt.Fprintf(&b, "  %s (%d of %d)\n", c, c.Positives, c.Rows)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (q *Node) write(b *strings.Builder, indent string) {
	fmt.Fprintf(b, "%s?\n", q.Feature)
	for _, branch := range []struct {
		to          *Node
		edge, below string
	}{{q.Absent, "├─ no: ", "│  "}, {q.Present, "└─ yes: ", "   "}} {
		b.WriteString(indent + branch.edge)
		if branch.to.Absent == nil {
			fmt.Fprintf(b, "%s\n", branch.to.text())
		} else {
			branch.to.write(b, indent+branch.below)
		}
	}
}

// answer says what a leaf answers.
func (q *Node) text() string {
	word := "not reached"
	if q.Reached {
		word = "reached"
	}
	return fmt.Sprintf("%s (%d of %d, probability %.2f)", word, q.Positives, q.Rows, q.Probability)
}

// WriteDOT writes the tree in the language of Graphviz.
func (e *Explanation) WriteDOT(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph {\n\tlabel=%s\n\tnode [shape=box, fontname=\"sans-serif\"]\n", quoteDOT(e.Unit.ID))
	number := 0
	var write func(q *Node) int
	write = func(q *Node) int {
		id := number
		number++
		if q.Absent == nil {
			color := "#eeeeee"
			if q.Reached {
				color = "#cce8cc"
			}
			fmt.Fprintf(&b, "\tn%d [label=%s, style=\"filled,rounded\", fillcolor=%q]\n", id, quoteDOT(q.text()), color)
			return id
		}
		fmt.Fprintf(&b, "\tn%d [label=%s]\n", id, quoteDOT(q.Feature+"?"))
		fmt.Fprintf(&b, "\tn%d -> n%d [label=no]\n", id, write(q.Absent))
		fmt.Fprintf(&b, "\tn%d -> n%d [label=yes]\n", id, write(q.Present))
		return id
	}
	write(e.Tree)
	b.WriteString("}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// quoteDOT quotes a text, in which Graphviz then sees neither escapes nor tags.
func quoteDOT(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7F {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
