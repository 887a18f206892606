package aim

import (
	"cmp"
	"slices"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/targeting"
)

// A way is a path from the root of a decision tree to a leaf, as conditions on
// inputs.
type way struct {
	conditions []targeting.Condition // all of them hold for inputs in the leaf
	// stronger holds conditions that the tree does not test, but that all
	// training inputs in the leaf met: each of them may be the condition that
	// the program really tests.
	stronger []targeting.Condition
	doubtful bool              // no leaf is pure enough to trust; this is the best one
	outcomes []model.Condition // tests of the outcome on the way
}

// maxGini is the highest Gini impurity of a leaf that is trusted.
const maxGini = 0.3

// A wayFinder lists the ways to the leaves of a model's trees. It is safe for
// concurrent use.
type wayFinder struct {
	m            *model.Model
	main, trivia []bool // by occurrence: whether it can occur in parsed tokens, and in trivia
}

func newWayFinder(m *model.Model) *wayFinder {
	occurring := func(trivia bool) []bool {
		out := make([]bool, len(m.Grammar.Nodes))
		for p := range features.NewSpace(m.Grammar, features.Options{Trivia: trivia}).All(1) {
			out[p[0]] = true
		}
		return out
	}
	return &wayFinder{m, occurring(false), occurring(true)}
}

// toUnit returns the ways to the leaves that predict that a unit is reached, or
// not reached, most certain first.
func (wf *wayFinder) toUnit(unit int, reached bool) []way { return wf.ways(wf.m.Leaves(unit), reached) }

// toOutcome returns the ways to the leaves that predict an outcome, or any other
// outcome if present is false. It returns nil if the model does not predict the
// outcome.
func (wf *wayFinder) toOutcome(outcome string, present bool) []way {
	i, ok := slices.BinarySearch(wf.m.Outcomes, outcome)
	if !ok {
		return nil
	}
	return wf.ways(wf.m.OutcomeLeaves(i), present)
}

// ways returns the ways to the trusted leaves with the given prediction, or to the
// best leaf if none is trusted.
func (wf *wayFinder) ways(leaves []model.Leaf, positive bool) []way {
	share := func(l model.Leaf) float64 {
		s := float64(l.Positives+1) / float64(l.Rows+2)
		if !positive {
			s = 1 - s
		}
		return s
	}
	slices.SortStableFunc(leaves, func(a, b model.Leaf) int { return cmp.Compare(share(b), share(a)) })
	var out []way
	for _, l := range leaves {
		if l.Reached == positive && l.Gini() <= maxGini {
			out = append(out, wf.way(l))
		}
	}
	if len(out) == 0 && len(leaves) > 0 && share(leaves[0]) > 0 {
		w := wf.way(leaves[0])
		w.doubtful = true
		out = append(out, w)
	}
	return out
}

func (wf *wayFinder) way(l model.Leaf) way {
	var w way
	for _, c := range l.Conditions {
		switch {
		case c.Feature.Outcome != "":
			w.outcomes = append(w.outcomes, c)
			continue
		case c.Feature.Extra != 0:
			need, _ := c.Feature.Extra.Need(wf.m.Space())
			if need.Margin > 0 {
				need.Min += need.Margin
				w.stronger = append(w.stronger, needCondition(need, c.Present)...)
			}
		}
		w.conditions = append(w.conditions, wf.conditions(*c.Feature, c.Present)...)
		for _, f := range c.Feature.Equal {
			w.stronger = append(w.stronger, wf.conditions(f, c.Present)...)
		}
	}
	return w
}

// conditions returns the conditions under which an input has a feature, or lacks it.
func (wf *wayFinder) conditions(f model.Feature, present bool) []targeting.Condition {
	if f.Extra == 0 {
		return wf.pathConditions(f.Path, present)
	}
	need, _ := f.Extra.Need(wf.m.Space())
	return needCondition(need, present)
}

// pathConditions returns the conditions under which an input has a path, or lacks
// it. A path inside a token may occur both in parsed tokens and in trivia: one of
// them suffices to have it, and both must lack it.
func (wf *wayFinder) pathConditions(p features.Path, present bool) []targeting.Condition {
	var out []targeting.Condition
	for _, trivia := range []bool{false, true} {
		in := wf.main
		if trivia {
			in = wf.trivia
		}
		if !in[p[0]] {
			continue
		}
		c := targeting.Forbid(p)
		if present {
			c = targeting.Require(p)
		}
		c.Trivia, c.Text = trivia, wf.m.Space().Pattern(p)
		out = append(out, c)
		if present {
			break
		}
	}
	return out
}

// needCondition returns the condition that an input meets a need, or, if present
// is false, that it does not. It returns nil if a condition cannot express that.
func needCondition(need features.Need, present bool) []targeting.Condition {
	c := targeting.Condition{Paths: need.Paths, Trivia: need.Trivia, Min: need.Min, Max: targeting.Unbounded, Text: need.Text}
	switch {
	case len(need.Paths) == 0 || !present && !need.Negatable:
		return nil
	case !present:
		c.Min, c.Max = 0, need.Min-1
	}
	return []targeting.Condition{c}
}
