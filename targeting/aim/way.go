package aim

import (
	"cmp"
	"slices"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/targeting"
)

// A Way is a way through the tree of a method to a leaf, as conditions on the
// inputs that take it.
type Way struct {
	Leaf       model.Leaf
	Conditions []targeting.Condition // inputs that take the way satisfy these
	// Stronger are further conditions that all inputs of the training satisfied
	// which took the way: any of them may be what the program really asks for.
	Stronger []targeting.Condition
	Doubtful bool // no leaf is pure enough, and this is the best
	Outcomes []model.Condition
}

// maxGini is the impurity of leaves that are trusted.
const maxGini = 0.3

// A Guide knows the ways through the trees of a model. It is safe for concurrent
// use.
type Guide struct {
	m            *model.Model
	main, trivia []bool // by occurrence: whether paths can have it
}

// NewGuide returns a guide through the trees of a model.
func NewGuide(m *model.Model) *Guide {
	below := func(trivia bool) []bool {
		out := make([]bool, len(m.Grammar.Nodes))
		for p := range features.NewSpace(m.Grammar, features.Options{Trivia: trivia}).All(1) {
			out[p[0]] = true
		}
		return out
	}
	return &Guide{m, below(false), below(true)}
}

// Ways returns the ways to the leaves that say that a unit is reached, or that
// it is not, the surest first.
func (t *Guide) Ways(unit int, reached bool) []Way { return t.ways(t.m.Leaves(unit), reached) }

// OutcomeWays returns the ways to the leaves that say that a run ends with an
// outcome, or that it does not. There are none if the model knows no such
// outcome.
func (t *Guide) OutcomeWays(outcome string, so bool) []Way {
	i, ok := slices.BinarySearch(t.m.Outcomes, outcome)
	if !ok {
		return nil
	}
	return t.ways(t.m.OutcomeLeaves(i), so)
}

func (t *Guide) ways(leaves []model.Leaf, covered bool) []Way {
	share := func(l model.Leaf) float64 {
		s := float64(l.Positives+1) / float64(l.Rows+2)
		if !covered {
			s = 1 - s
		}
		return s
	}
	slices.SortStableFunc(leaves, func(a, b model.Leaf) int { return cmp.Compare(share(b), share(a)) })
	var out []Way
	for _, l := range leaves {
		if l.Reached == covered && l.Gini() <= maxGini {
			out = append(out, t.way(l))
		}
	}
	if len(out) == 0 && len(leaves) > 0 && share(leaves[0]) > 0 {
		w := t.way(leaves[0])
		w.Doubtful = true
		out = append(out, w)
	}
	return out
}

func (t *Guide) way(l model.Leaf) Way {
	w := Way{Leaf: l}
	for _, test := range l.Conditions {
		switch {
		case test.Feature.Outcome != "":
			w.Outcomes = append(w.Outcomes, test)
			continue
		case test.Feature.Extra != 0:
			need, _ := test.Feature.Extra.Need(t.m.Space())
			if need.Margin > 0 {
				need.Min += need.Margin
				w.Stronger = append(w.Stronger, met(need, test.Present)...)
			}
		}
		w.Conditions = append(w.Conditions, t.conditions(*test.Feature, test.Present)...)
		for _, f := range test.Feature.Equal {
			w.Stronger = append(w.Stronger, t.conditions(f, test.Present)...)
		}
	}
	return w
}

// conditions returns the conditions that an input has a feature, or that it does not.
func (t *Guide) conditions(f model.Feature, present bool) []targeting.Condition {
	if f.Extra == 0 {
		return t.path(f.Path, present)
	}
	need, _ := f.Extra.Need(t.m.Space())
	return met(need, present)
}

// path returns the conditions that a path is there or is not. A part of a token
// may be both in what the parser sees and in trivia; it is enough if it is in
// one of them.
func (t *Guide) path(p features.Path, present bool) []targeting.Condition {
	var out []targeting.Condition
	for _, trivia := range []bool{false, true} {
		in := t.main
		if trivia {
			in = t.trivia
		}
		if !in[p[0]] {
			continue
		}
		c := targeting.Forbid(p)
		if present {
			c = targeting.Require(p)
		}
		c.Trivia, c.Text = trivia, t.m.Space().Pattern(p)
		out = append(out, c)
		if present {
			break
		}
	}
	return out
}

// met returns the condition that a need is met, or that it is not. If inputs
// without the feature may meet the need, there is no condition for the latter.
func met(need features.Need, present bool) []targeting.Condition {
	c := targeting.Condition{Paths: need.Paths, Trivia: need.Trivia, Min: need.Min, Max: targeting.Unbounded, Text: need.Text}
	switch {
	case len(need.Paths) == 0 || !present && !need.Negatable:
		return nil
	case !present:
		c.Min, c.Max = 0, need.Min-1
	}
	return []targeting.Condition{c}
}
