package model

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/model/dtree"
	"github.com/inroad/inroad/model/observation"
)

// An Explanation is a human-readable decision tree of a unit or an outcome.
type Explanation struct {
	Unit    observation.Unit // empty for an outcome
	Outcome string           // empty for a unit
	Reached int              // observations that reached the unit, or had the outcome
	Rows    int              // all observations
	HeldOut Confusion
	Tree    *Node
	// Ways lists the ways to leaves that predict "reached", by descending
	// number of observations that reached the unit.
	Ways []Way
	// Outcomes explains the outcomes that the tree tests.
	Outcomes []OutcomeWays
	// Refusals lists the constructs whose refusal the tree tests, or, for an
	// outcome, that lead to the outcome.
	Refusals []string
	// Regression may overrule the tree of a unit; nil if none may.
	Regression *Regression

	describe func(Feature) string
	whole    bool
}

// OutcomeWays lists the ways to leaves that predict an outcome.
type OutcomeWays struct {
	Outcome string
	Ways    []Way
}

// A Node is a test or a leaf of an explanation. A leaf has no feature.
type Node struct {
	Feature     string
	Equal       int // number of features that held for the same training inputs
	Rows        int
	Positives   int
	Reached     bool // prediction, by majority for a test
	Probability float64
	Examples    [][]byte // up to three training inputs in a leaf, shortest first
	LeftOut     int      // tests below a leaf that are not shown
	Differ      int      // observations for which these tests predict the contrary
	Absent      *Node
	Present     *Node
	words       [2]string // predictions of a leaf in words: the negative one, then the positive one
}

// A Way describes the inputs of a leaf: the features that they have, and those
// that they lack.
type Way struct {
	With      []string
	Without   []string
	Rows      int
	Positives int
}

// Explain returns an explanation of the unit's tree. Unless whole is set, tests that are
// not significant are left out and counted in the leaves, and the text lists only the
// heaviest weights of the regression.
func (m *Model) Explain(unit int, whole bool) *Explanation {
	e := &Explanation{Unit: m.Units[unit], HeldOut: m.HeldOut(unit), Regression: m.Regression(unit), describe: m.Describe, whole: whole}
	e.Reached, e.Rows = m.Support(unit)
	m.explain(e, m.unitTree(unit), whole, [2]string{"not reached", "reached"})
	return e
}

// ExplainOutcome returns an explanation of the tree of an outcome; ok is false
// if the model does not predict the outcome.
func (m *Model) ExplainOutcome(outcome string, whole bool) (e *Explanation, ok bool) {
	i, ok := slices.BinarySearch(m.Outcomes, outcome)
	if !ok {
		return nil, false
	}
	tree := m.trees[i]
	e = &Explanation{Outcome: outcome, HeldOut: m.file.Targets[i].Held, Reached: int(tree[0].Positives), Rows: int(tree[0].Rows)}
	m.explain(e, tree, whole, [2]string{"another outcome", "this outcome"})
	for _, r := range m.Refusals {
		if text := m.Describe(r.Feature); r.Outcome == outcome && r.Rows > 0 && !slices.Contains(e.Refusals, text) {
			e.Refusals = append(e.Refusals, text)
		}
	}
	return e, true
}

func (m *Model) explain(e *Explanation, tree dtree.Tree, whole bool, words [2]string) {
	removed := make([]dtree.Removed, len(tree))
	if !whole {
		tree, removed = tree.Prune(m.Columns)
	}
	nodes := make([]*Node, len(tree))
	e.Tree, e.Ways = m.node(tree, removed, 0, words, nodes), m.reachedWays(tree)
	m.addExamples(tree, nodes)
	var phases [maxPhases + 1]bool // that the tree tests
	for _, c := range tree.Columns() {
		f := m.Features[c]
		if i, ok := slices.BinarySearch(m.Outcomes, f.Outcome); ok {
			pruned, _ := m.trees[i].Prune(m.Columns)
			e.Outcomes = append(e.Outcomes, OutcomeWays{f.Outcome, m.reachedWays(pruned)})
		}
		phases[max(f.Before, -f.Refusal, 0)] = true
	}
	for _, r := range m.Refusals {
		if phases[r.Phase] && r.Rows > 0 {
			e.Refusals = append(e.Refusals, m.Describe(r.Feature))
		}
	}
}

// reachedWays returns the ways to the leaves that predict the positive class, by
// descending number of positive rows.
func (m *Model) reachedWays(tree dtree.Tree) []Way {
	var out []Way
	for _, leaf := range m.leaves(tree) {
		if leaf.Reached {
			out = append(out, m.way(leaf))
		}
	}
	slices.SortStableFunc(out, func(a, b Way) int { return b.Positives - a.Positives })
	return out
}

func (m *Model) node(t dtree.Tree, removed []dtree.Removed, at int32, words [2]string, nodes []*Node) *Node {
	n := t[at]
	out := &Node{
		Rows: int(n.Rows), Positives: int(n.Positives), Reached: n.Positive, Probability: m.calibration.apply(leafProbability(n), n.Positive),
		words: words,
	}
	nodes[at] = out
	if n.Column < 0 {
		out.LeftOut, out.Differ = removed[at].Tests, int(removed[at].Differ)
		return out
	}
	f := m.Features[n.Column]
	out.Feature, out.Equal = m.Describe(f), len(f.Equal)
	out.Reached = 2*n.Positives > n.Rows
	out.Absent, out.Present = m.node(t, removed, n.Absent, words, nodes), m.node(t, removed, n.Absent+1, words, nodes)
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
	fmt.Fprintf(&b, "%s\n", e.title())
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
		heading := "Reached by"
		if e.Outcome != "" {
			heading = "Expected for"
		}
		fmt.Fprintf(&b, "\n%s\n", heading)
		writeWays(&b, e.Ways)
	}
	for _, o := range e.Outcomes {
		fmt.Fprintf(&b, "\nThe outcome %s is expected for\n", o.Outcome)
		writeWays(&b, o.Ways)
	}
	if len(e.Refusals) > 0 {
		b.WriteString("\nThe program refuses\n")
		for _, r := range e.Refusals[:min(len(e.Refusals), maxListed)] {
			fmt.Fprintf(&b, "  %s\n", r)
		}
		if n := len(e.Refusals) - maxListed; n > 0 {
			fmt.Fprintf(&b, "  and %d more\n", n)
		}
	}
	if e.Regression != nil {
		e.writeRegression(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeRegression lists the heaviest votes of the regression, or all in a whole
// explanation.
func (e *Explanation) writeRegression(b *strings.Builder) {
	r := e.Regression
	var when []string
	if r.ToReached {
		when = append(when, fmt.Sprintf("more than %.2f (reached)", sureOdds))
	}
	if r.ToNotReached {
		when = append(when, fmt.Sprintf("less than %.2f (not reached)", -sureOdds))
	}
	fmt.Fprintf(b, "\nOverruled if these weights add up to %s;\n", strings.Join(when, " or "))
	fmt.Fprintf(b, "right for %d of %d held-out observations whose prediction was overruled\n", r.Right, r.Overruled)
	fmt.Fprintf(b, "  %+.2f for any input\n", r.Bias)
	listed := len(r.Votes)
	if !e.whole && listed > maxWeights+1 { // a line about one weight is no shorter than the weight
		listed = maxWeights
	}
	for _, v := range r.Votes[:listed] {
		fmt.Fprintf(b, "  %+.2f with %s\n", v.Weight, e.describe(*v.Feature))
	}
	if n := len(r.Votes) - listed; n > 0 {
		fmt.Fprintf(b, "  and %d of at most %.2f, which the whole explanation lists\n", n, math.Abs(r.Votes[listed].Weight))
	}
}

// Maximum numbers of refusals, and of features with a weight, in the text of an
// explanation.
const (
	maxListed  = 20
	maxWeights = 5
)

func writeWays(b *strings.Builder, ways []Way) {
	for _, way := range ways {
		fmt.Fprintf(b, "  %s (%d of %d)\n", way, way.Positives, way.Rows)
	}
	if len(ways) == 0 {
		b.WriteString("  no inputs that the tree knows\n")
	}
}

// name returns the ID of the unit, or the outcome.
func (e *Explanation) name() string {
	if e.Outcome != "" {
		return "outcome " + e.Outcome
	}
	return e.Unit.ID
}

// title returns the first line of the explanation.
func (e *Explanation) title() string {
	if e.Outcome != "" {
		return fmt.Sprintf("outcome %s: %d of %d observations", e.Outcome, e.Reached, e.Rows)
	}
	return fmt.Sprintf("%s: reached by %d of %d observations", e.Unit.ID, e.Reached, e.Rows)
}

func (n *Node) write(b *strings.Builder, indent string) {
	fmt.Fprintf(b, "%s\n", n.test())
	for _, branch := range []struct {
		to          *Node
		edge, below string
	}{{n.Absent, "├─ no: ", "│  "}, {n.Present, "└─ yes: ", "   "}} {
		b.WriteString(indent + branch.edge)
		if branch.to.Absent == nil {
			fmt.Fprintf(b, "%s%s\n", branch.to.text(), branch.to.example())
		} else {
			branch.to.write(b, indent+branch.below)
		}
	}
}

// test describes the test of an inner node. A pattern alone would read as an
// optional element.
func (n *Node) test() string { return "has " + n.Feature + "?" }

// example returns the shortest example input of a leaf, if it is short.
func (n *Node) example() string {
	if len(n.Examples) == 0 || len(n.Examples[0]) > maxShown {
		return ""
	}
	return fmt.Sprintf(", as in %q", n.Examples[0])
}

// maxShown is the maximum length of an example input in the text of an
// explanation.
const maxShown = 40

// text describes a leaf.
func (n *Node) text() string {
	text := fmt.Sprintf("%s (%d of %d, probability %.2f", n.words[btoi(n.Reached)], n.Positives, n.Rows, n.Probability)
	switch {
	case n.LeftOut == 1:
		text += "; 1 test left out"
	case n.LeftOut > 1:
		text += fmt.Sprintf("; %d tests left out", n.LeftOut)
	}
	if n.Differ > 0 {
		text += fmt.Sprintf(", %s for %d", n.words[1-btoi(n.Reached)], n.Differ)
	}
	return text + ")"
}

// WriteDOT writes the tree in the DOT language of Graphviz.
func (e *Explanation) WriteDOT(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph {\n\tlabel=%s\n\tnode [shape=box, fontname=\"sans-serif\"]\n", quoteDOT(e.name()))
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
