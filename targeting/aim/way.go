package aim

import (
	"cmp"
	"slices"
	"sync"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/targeting"
	"github.com/inroad/inroad/targeting/solve"
)

// A way is a path from the root of a decision tree to a leaf, as conditions on
// inputs.
type way struct {
	conditions []targeting.Condition // inputs that meet all of them are in the leaf, as far as conditions can express it
	necessary  []targeting.Condition // those of the conditions that all inputs in the leaf meet
	// stronger holds conditions that the tree does not test, but that all
	// training inputs in the leaf met: each of them may be the condition that
	// the program really tests.
	stronger []targeting.Condition
	texts    []solve.TokenText // of tokens of inputs in the leaf
	pairs    []solve.Pair      // of children in inputs in the leaf
	leaf     model.Leaf
	trust    trust
	outcomes []model.Condition // tests of the outcome on the way
}

// trust says how far observations support that inputs in a leaf have a property.
type trust int

const (
	trusted  trust = iota // the leaf predicts it, and few observations contradict
	likely                // the leaf predicts it
	unlikely              // the leaf predicts the contrary, but some observations had it
)

// maxGini is the highest Gini impurity of a leaf that is trusted.
const maxGini = 0.3

// A wayFinder lists the ways to the leaves of a model's trees. It is safe for
// concurrent use.
type wayFinder struct {
	m            *model.Model
	main, trivia []bool   // by occurrence: whether it can occur in parsed tokens, and in trivia
	known        sync.Map // []way by property
}

func newWayFinder(m *model.Model) *wayFinder {
	occurring := func(trivia bool) []bool {
		out := make([]bool, len(m.Grammar.Nodes))
		for p := range features.NewSpace(m.Grammar, features.Options{Trivia: trivia}).All(1) {
			out[p[0]] = true
		}
		return out
	}
	return &wayFinder{m: m, main: occurring(false), trivia: occurring(true)}
}

// toUnit returns the ways to the leaves that predict that a unit is reached, or
// not reached, most certain first.
func (wf *wayFinder) toUnit(unit int, reached bool) []way {
	return predicted(wf.unitWays(unit, reached))
}

// toUnitAnyhow returns the ways of toUnit, then the ways to the other leaves with
// an observation that reached the unit.
func (wf *wayFinder) toUnitAnyhow(unit int) []way { return wf.unitWays(unit, true) }

// A property is that an input reaches a unit, or has an outcome, or that it does not.
type property struct {
	outcome bool
	index   int // of the unit or the outcome
	holds   bool
}

func (wf *wayFinder) unitWays(unit int, reached bool) []way {
	return wf.found(property{false, unit, reached}, func() []way {
		ways := wf.ways(wf.m.Leaves(unit), reached)
		votes := wf.votes(unit, reached)
		for i := range ways {
			ways[i].stronger = slices.Concat(votes, ways[i].stronger)
		}
		return ways
	})
}

// maxVotes is the maximum number of features of a regression that inputs should have,
// and of features that they should lack.
const maxVotes = 3

// votes returns conditions that keep a unit's regression from overruling its tree, which
// predicts that the unit is reached, or not reached. They require the features that
// support the prediction most, and forbid the features that oppose it most.
func (wf *wayFinder) votes(unit int, reached bool) []targeting.Condition {
	r := wf.m.Regression(unit)
	if r == nil || reached && !r.ToNotReached || !reached && !r.ToReached {
		return nil
	}
	var out []targeting.Condition
	count := map[bool]int{}
	for _, v := range r.Votes { // heaviest first
		present := v.Weight > 0 == reached
		if count[present]++; count[present] <= maxVotes {
			out = append(out, wf.conditions(*v.Feature, present)...)
		}
	}
	return out
}

// found returns the ways to the leaves of a property's tree. They are found once.
func (wf *wayFinder) found(p property, find func() []way) []way {
	ways, ok := wf.known.Load(p)
	if !ok {
		ways, _ = wf.known.LoadOrStore(p, find())
	}
	return slices.Clone(ways.([]way)) //nolint:forcetypeassert // nothing else is stored
}

// toOutcome returns the ways to the leaves that predict an outcome, or any other
// outcome if present is false. If no leaf does, it returns the way to the likeliest
// leaf. It returns nil if the model does not know the outcome.
func (wf *wayFinder) toOutcome(outcome string, present bool) []way {
	all := wf.toOutcomeAnyhow(outcome, present)
	if out := predicted(all); len(out) > 0 {
		return out
	}
	return all[:min(len(all), 1)]
}

// toOutcomeAnyhow returns the ways to the leaves that predict an outcome, or any
// other outcome if present is false, then the ways to the other leaves with an
// observation of it.
func (wf *wayFinder) toOutcomeAnyhow(outcome string, present bool) []way {
	i, ok := slices.BinarySearch(wf.m.Outcomes, outcome)
	if !ok {
		return nil
	}
	return wf.found(property{true, i, present}, func() []way { return wf.ways(wf.m.OutcomeLeaves(i), present) })
}

// predicted returns the ways to leaves that predict a property. ways is sorted by trust.
func predicted(ways []way) []way {
	for i, w := range ways {
		if w.trust == unlikely {
			return ways[:i]
		}
	}
	return ways
}

// ways returns the ways to the leaves in which some observation has a property,
// most trusted first, then most certain first.
func (wf *wayFinder) ways(leaves []model.Leaf, positive bool) []way {
	trustOf := func(l model.Leaf) trust {
		switch {
		case l.Reached != positive:
			return unlikely
		case l.Gini() > maxGini:
			return likely
		default:
			return trusted
		}
	}
	share := func(l model.Leaf) float64 {
		s := float64(l.Positives+1) / float64(l.Rows+2)
		if !positive {
			s = 1 - s
		}
		return s
	}
	slices.SortStableFunc(leaves, func(a, b model.Leaf) int {
		return cmp.Or(cmp.Compare(trustOf(a), trustOf(b)), cmp.Compare(share(b), share(a)))
	})
	var out []way
	for _, l := range leaves {
		t := trustOf(l)
		if t == unlikely && (positive && l.Positives == 0 || !positive && l.Positives == l.Rows) {
			continue
		}
		w := wf.way(l)
		w.trust = t
		out = append(out, w)
	}
	return out
}

func (wf *wayFinder) way(l model.Leaf) way {
	w := way{leaf: l}
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
		conditions := wf.conditions(*c.Feature, c.Present)
		w.conditions = append(w.conditions, conditions...)
		if !wf.narrows(*c.Feature, c.Present) {
			w.necessary = append(w.necessary, conditions...)
		}
		w.texts = append(w.texts, wf.texts(*c.Feature, c.Present)...)
		if c.Present {
			w.pairs = append(w.pairs, wf.pairs(*c.Feature)...)
		}
		for _, f := range c.Feature.Equal {
			w.stronger = append(w.stronger, wf.conditions(f, c.Present)...)
		}
	}
	return w
}

// conditions returns the conditions under which an input has a feature, or lacks
// it. An input without a refused construct has a feature before any refusal if
// it has the feature at all.
func (wf *wayFinder) conditions(f model.Feature, present bool) []targeting.Condition {
	switch {
	case f.Refusal != 0:
		return wf.refusalConditions(f.Refusal, present)
	case f.Extra == 0:
		return wf.pathConditions(f.Path, present)
	}
	need, _ := f.Extra.Need(wf.m.Space())
	return needCondition(need, present)
}

// refusalConditions returns the conditions under which an input has a refused
// construct, or lacks it. A negative refusal stands for all refusals of a phase.
func (wf *wayFinder) refusalConditions(refusal int, present bool) []targeting.Condition {
	if refusal > 0 {
		return wf.conditions(wf.m.Refusals[refusal-1].Feature, present)
	}
	var out []targeting.Condition
	for _, r := range wf.m.Refusals {
		if r.Phase == -refusal {
			out = append(out, wf.conditions(r.Feature, present)...)
		}
	}
	if present { // one of them suffices
		either := targeting.Condition{Min: 1, Max: targeting.Unbounded, Text: "a refused construct"}
		for _, c := range out {
			if !c.Trivia {
				either.Paths = append(either.Paths, c.Paths...)
			}
		}
		if len(either.Paths) == 0 {
			return nil
		}
		return []targeting.Condition{either}
	}
	return out
}

// texts returns the texts of tokens that inputs with a feature have, or that inputs
// without it lack. If one of several refused constructs suffices, its texts are
// optional.
func (wf *wayFinder) texts(f model.Feature, present bool) []solve.TokenText {
	var out []solve.TokenText
	switch text, ok := f.Extra.Text(); {
	case ok:
		use := solve.Forbidden
		if present {
			use = solve.Required
		}
		out = append(out, solve.TokenText{Occurrence: f.Extra.Path()[0], Text: text, Use: use})
	case f.Refusal > 0:
		return wf.texts(wf.m.Refusals[f.Refusal-1].Feature, present)
	case f.Refusal < 0:
		refusals := 0
		for _, r := range wf.m.Refusals {
			if r.Phase == -f.Refusal {
				refusals++
				out = append(out, wf.texts(r.Feature, present)...)
			}
		}
		for i := range out {
			if present && refusals > 1 {
				out[i].Use = solve.Optional
			}
		}
	}
	return out
}

// pairs returns the pair of children that inputs with a feature have.
func (wf *wayFinder) pairs(f model.Feature) []solve.Pair {
	switch {
	case f.Refusal > 0:
		return wf.pairs(wf.m.Refusals[f.Refusal-1].Feature)
	case f.Extra.Kind() != features.Operands:
		return nil
	}
	path := f.Extra.Path()
	return []solve.Pair{{First: path[0], Second: path[1]}}
}

// narrows reports whether the conditions for a feature exclude inputs with the
// wanted property. An input may lack a feature before a refusal because the refusal
// comes first, or be refused because of another construct. A number may be large
// because of its exponent, a token may be long because of wide characters, and a path
// may be in trivia only.
func (wf *wayFinder) narrows(f model.Feature, present bool) bool {
	switch {
	case !present:
		return f.Before != 0 || f.Refusal > 0 || f.Refusal < -1
	case f.Refusal > 0:
		return wf.narrows(wf.m.Refusals[f.Refusal-1].Feature, true)
	case f.Refusal < 0: // refusals without conditions, or in trivia, suffice as well
		return slices.ContainsFunc(wf.m.Refusals, func(r model.Refusal) bool {
			conditions := wf.conditions(r.Feature, true)
			return r.Phase == -f.Refusal && (len(conditions) == 0 || conditions[0].Trivia || r.Feature.Extra == 0 && wf.narrows(r.Feature, true))
		})
	case f.Extra != 0:
		need, _ := f.Extra.Need(wf.m.Space())
		return need.Margin > 0
	default:
		return wf.main[f.Path[0]] && wf.trivia[f.Path[0]]
	}
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

// needCondition returns the condition that an input meets a need, or does not meet it if
// present is false. It returns nil if no condition can express that.
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
