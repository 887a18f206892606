package selection

import (
	"cmp"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/inroad/inroad/model"
)

// A Goal says how many inputs to select. A zero field sets no limit.
type Goal struct {
	Recall   float64       // share of the inputs reaching a changed unit that are selected
	Budget   time.Duration // time to run all selected inputs; no limit if no duration is known
	Max      int           // number of inputs
	PerClass int           // number of inputs per class; inputs outside the grammar are not limited
}

// Options are the options of [Select].
type Options struct {
	Goal      Goal
	Always    []string        // patterns of inputs that are always run
	Changed   map[string]bool // by path: inputs that the change adds (true) or edits (false)
	Failed    map[Digest]bool // inputs that failed recently
	Sample    float64         // share of the inputs left out that are drawn at random
	MinRecall float64         // least recall of a changed unit on held-out observations; below it, all predicted inputs are run
	MinChance float64         // least probability to reach a changed unit; predicted inputs below it are left out
	Costs     *Costs          // nil if no run is known
	Seed      uint64
}

// Defaults returns the default options.
func Defaults() Options {
	return Options{Goal: Goal{Recall: 1}, Sample: 0.01, MinRecall: 0.5, MinChance: 0.05, Seed: 1}
}

// A SelectedInput is an input to run.
type SelectedInput struct {
	Input   int // index in the inputs of the selection
	Reasons []Reason
	Cost    time.Duration
}

// A Selection is the result of [Select] or [Minimize].
type Selection struct {
	Inputs     []Input
	Fallbacks  []Fallback      // reasons to run all inputs; usually none
	Without    int             // number of inputs that would be selected without the fallbacks
	Units      []int           // changed units
	Unobserved []Unobserved    // changed methods that no observation reached
	Selected   []SelectedInput // in the order to run them
	Rest       []int           // inputs that are left out, most likely to reach a changed unit first
	Known      int             // inputs whose reached units are recorded, not predicted
	Classes    int             // classes of inputs that likely reach a changed unit
	Affected   float64         // expected number of inputs that reach a changed unit
	Recall     float64         // expected share of them that are selected
	Cost       time.Duration   // of the selected inputs
	Total      time.Duration   // cost of the whole corpus
	Cut        bool            // Budget or Max left out inputs that the recall needs
}

// Everything reports whether there is a fallback to run all inputs.
func (s *Selection) Everything() bool { return len(s.Fallbacks) > 0 }

// Select decides which inputs to run for a change. If the model or the predictions
// are nil, it selects all inputs that the limits of the goal allow.
func Select(m *model.Model, inputs []Input, p *Predictions, change Change, opt Options) *Selection {
	s := selectFor(m, inputs, p, change, opt)
	if s.Without = len(s.Selected); s.Everything() && m != nil && p != nil {
		change.Fallbacks = nil
		s.Without = len(selectFor(m, inputs, p, change, opt).Selected)
	}
	return s
}

func selectFor(m *model.Model, inputs []Input, p *Predictions, change Change, opt Options) *Selection {
	c := &selector{
		Selection: &Selection{
			Inputs: inputs, Fallbacks: slices.Clone(change.Fallbacks), Units: change.Units, Unobserved: slices.Clone(change.Unobserved),
		},
		own: change.Own, model: m, predictions: p, opt: opt, reasons: make([][]Reason, len(inputs)), taken: make([]bool, len(inputs)),
	}
	if c.opt.Costs == nil {
		c.opt.Costs = LearnCosts(nil)
	}
	c.findWeakUnits()
	c.computeChances()
	c.findMandatory()
	wanted := c.forGoal()
	c.take(c.mandatory)
	c.take(c.sample(wanted)) // before the others, so that the limits leave room for it; it is run last
	c.take(c.ordered(wanted))
	slices.SortStableFunc(c.Selected, func(a, b SelectedInput) int { return compareBool(c.sampled(a.Input), c.sampled(b.Input)) })
	c.summarize()
	return c.Selection
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// A selector is the state of [Select].
type selector struct {
	*Selection
	own         []int // changed units whose own code changed, sorted
	model       *model.Model
	predictions *Predictions
	opt         Options
	chances     []float64        // by input: chance that it reaches a changed unit
	unit        []int            // by input: changed unit that it most likely reaches; -1 for none
	class       []int32          // by input
	weak        map[int]weakness // by changed unit
	unsure      []bool           // by input: it may reach a changed unit that is predicted poorly
	reasons     [][]Reason
	mandatory   []int
	taken       []bool
}

// findMandatory finds the inputs to run regardless of the predictions.
func (c *selector) findMandatory() {
	for i, in := range c.Inputs {
		added, touched := c.opt.Changed[in.Path]
		switch {
		case touched && added:
			c.reasons[i] = append(c.reasons[i], Reason{Kind: New})
		case touched:
			c.reasons[i] = append(c.reasons[i], Reason{Kind: Edited})
		}
		if c.opt.Failed[in.Digest] {
			c.reasons[i] = append(c.reasons[i], Reason{Kind: Failing})
		}
		if MatchAny(c.opt.Always, in.Path) {
			c.reasons[i] = append(c.reasons[i], Reason{Kind: Always})
		}
		if len(c.reasons[i]) > 0 {
			c.mandatory = append(c.mandatory, i)
		}
	}
}

// forGoal returns the inputs that reach a changed unit, in addition to the mandatory
// ones: all inputs that are known to reach one, all that cannot be predicted well, and
// as many predicted inputs as the recall needs.
func (c *selector) forGoal() []int {
	var known, out []int
	taken := 0.0    // expected number of predicted inputs taken that reach a changed unit
	left := 0.0     // expected number of predicted inputs left out that reach a changed unit
	variance := 0.0 // of left
	for i, p := range c.chances {
		c.Affected += p
		switch {
		case p == 0:
		case c.known(i) || c.unsure[i]:
			if len(c.reasons[i]) == 0 {
				known = append(known, i)
			}
		case len(c.reasons[i]) > 0:
			taken += p
		default:
			out = append(out, i)
			left += p
			variance += p * (1 - p)
		}
	}
	if c.Everything() {
		return append(known, out...)
	}
	out = c.byPreference(out)
	goal := c.opt.Goal.Recall
	if goal == 0 {
		goal = 1
	}
	for n, i := range out {
		p := c.chances[i]
		missed := left + safetyMargin*math.Sqrt(max(variance, 0))
		if taken >= goal*(taken+missed) && taken > 0 || p < c.opt.MinChance {
			return append(known, out[:n]...)
		}
		taken += p
		left = max(0, left-p)
		variance -= p * (1 - p)
		if n == len(out)-1 {
			left = 0
		}
	}
	return append(known, out...)
}

// known reports whether the units that an input reached were observed.
func (c *selector) known(i int) bool {
	return c.predictions != nil && c.predictions.row(i).known == observed
}

// byPreference orders inputs by how much they serve the recall: first those that
// the model knows little about, then those that likely reach a changed unit, then
// the others. Of the likely ones, the first input of each class comes first, then
// the second, and so on, so that inputs of classes that are already represented
// are left out first.
func (c *selector) byPreference(inputs []int) []int {
	ranks := c.ranks(inputs)
	group := func(i int) int {
		switch p := c.chances[i]; {
		case c.uncertain(i) && p >= minUncertainChance:
			return 0
		case p >= 0.5:
			return 1
		}
		return 2
	}
	out := slices.Clone(inputs)
	slices.SortFunc(out, func(a, b int) int {
		order := cmp.Compare(group(a), group(b))
		if order == 0 && group(a) == 1 {
			order = cmp.Compare(ranks[a], ranks[b])
		}
		return cmp.Or(order, cmp.Compare(c.chances[b], c.chances[a]), cmp.Compare(a, b))
	})
	return out
}

// minUncertainChance is the chance above which uncertain inputs are preferred.
const minUncertainChance = 0.05

// uncertain reports whether an input is outside the grammar or unknown.
func (c *selector) uncertain(i int) bool {
	known := c.predictions.row(i).known
	return known == outside || known == unknown
}

// safetyMargin is the number of standard deviations by which the missed inputs
// may exceed their expected number.
const safetyMargin = 1

// ranks returns, by input, the number of inputs of its class that come before it: likelier
// and cheaper inputs come first.
func (c *selector) ranks(inputs []int) map[int]int {
	sorted := slices.Clone(inputs)
	slices.SortStableFunc(sorted, func(a, b int) int {
		return cmp.Or(cmp.Compare(c.chances[b], c.chances[a]), cmp.Compare(c.cost(a), c.cost(b)), cmp.Compare(c.Inputs[a].Path, c.Inputs[b].Path))
	})
	out := make(map[int]int, len(inputs))
	seen := map[int32]int{}
	for _, i := range sorted {
		out[i] = seen[c.class[i]]
		seen[c.class[i]]++
	}
	return out
}

func (c *selector) cost(i int) time.Duration { return c.opt.Costs.Of(c.Inputs[i]) }

// sample draws a random sample of the inputs that are left out.
func (c *selector) sample(wanted []int) []int {
	if c.Everything() || len(c.Units) == 0 || c.opt.Sample <= 0 {
		return nil
	}
	in := make([]bool, len(c.Inputs))
	for _, i := range slices.Concat(wanted, c.mandatory) {
		in[i] = true
	}
	var left []int
	for i := range c.Inputs {
		if !in[i] {
			left = append(left, i)
		}
	}
	n := int(math.Ceil(c.opt.Sample * float64(len(left))))
	if c.opt.Goal.Max > 0 {
		n = min(n, c.opt.Goal.Max/10)
	}
	r := rand.New(rand.NewPCG(c.opt.Seed, c.changeHash()))
	r.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
	left = left[:min(n, len(left))]
	slices.Sort(left)
	for _, i := range left {
		c.reasons[i] = append(c.reasons[i], Reason{Kind: Sampled})
	}
	return left
}

// changeHash hashes the changed units, so that different changes draw different
// samples.
func (c *selector) changeHash() uint64 {
	h := fnv.New64a()
	for _, u := range c.Units {
		_, _ = h.Write([]byte(c.model.Units[u].ID + "\n"))
	}
	return h.Sum64()
}

// take selects inputs in order as far as the limits of the goal allow. Mandatory
// inputs are not limited.
func (c *selector) take(inputs []int) {
	perClass := map[int32]int{}
	for _, i := range inputs {
		cost, class := c.cost(i), c.class[i]
		switch goal := c.opt.Goal; {
		case len(c.reasons[i]) > 0 && !c.sampled(i): // mandatory
		case goal.Max > 0 && len(c.Selected) >= goal.Max, goal.Budget > 0 && c.Cost+cost > goal.Budget:
			c.Cut = true
			continue
		case goal.PerClass > 0 && perClass[class] >= goal.PerClass && !c.Everything() && !c.uncertain(i):
			continue
		}
		perClass[class]++
		c.taken[i] = true
		c.Cost += cost
		c.Selected = append(c.Selected, SelectedInput{Input: i, Cost: cost})
	}
}

// sampled reports whether an input is in the random sample.
func (c *selector) sampled(i int) bool {
	return len(c.reasons[i]) > 0 && c.reasons[i][0].Kind == Sampled
}

// summarize computes the totals of the selection and the reasons for its
// inputs.
func (c *selector) summarize() {
	affected := map[int32]bool{}
	found := 0.0
	for i := range c.Inputs {
		c.Total += c.cost(i)
		if c.known(i) {
			c.Known++
		}
		if c.unit[i] >= 0 && c.chances[i] >= 0.5 {
			affected[c.class[i]] = true
		}
		if c.taken[i] {
			found += c.chances[i]
		} else {
			c.Rest = append(c.Rest, i)
		}
	}
	c.Classes = len(affected)
	c.Recall = 1
	if c.Affected > 0 {
		c.Recall = min(1, found/c.Affected)
	}
	for j := range c.Selected {
		c.Selected[j].Reasons = c.reasonsOf(c.Selected[j].Input)
	}
	slices.SortStableFunc(c.Rest, func(a, b int) int { return cmp.Compare(c.chances[b], c.chances[a]) })
}

// reasonsOf returns the reasons to run an input, mandatory ones first.
func (c *selector) reasonsOf(i int) []Reason {
	out := c.reasons[i]
	if c.sampled(i) {
		return out
	}
	if u := c.unit[i]; u >= 0 {
		r := Reason{Kind: Reaches, Unit: c.model.Units[u].ID, Chance: c.predictions.At(i, u).Float()}
		switch c.predictions.row(i).known {
		case unknown:
			r = Reason{Kind: Unknown}
		case observed:
			r.Kind = Reached
		case predicted, outside:
			if c.weak[u] == poorlyPredicted {
				r.Kind, r.Chance = Unsure, 0
			}
		}
		out = append(out, r)
	}
	if len(out) == 0 || c.Everything() && len(c.reasons[i]) == 0 {
		out = append([]Reason{{Kind: Everything}}, out...)
	}
	return out
}
