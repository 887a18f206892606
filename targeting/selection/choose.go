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

// A Goal says how much is to be chosen. Zero fields do not bind.
type Goal struct {
	Recall   float64       // the share of the inputs that reach a changed unit
	Budget   time.Duration // that all inputs take together
	Max      int           // inputs
	PerClass int           // inputs of which the same is predicted; those outside the grammar do not count
}

// Options say what to choose beside what the model finds.
type Options struct {
	Goal      Goal
	Always    []string        // patterns of paths
	Changed   map[string]bool // by path: inputs that the change adds (true) or edits (false)
	Failed    map[Digest]bool // inputs that failed lately
	Sample    float64         // the share of what is left out that is drawn nevertheless
	MinRecall float64         // of a changed unit on held-out observations; below it everything is run
	Costs     *Costs          // nil if nothing is known
	Seed      uint64
}

// Defaults returns the options that are used unless others are given.
func Defaults() Options {
	return Options{Goal: Goal{Recall: 0.95}, Sample: 0.01, MinRecall: 0.5, Seed: 1}
}

// A Choice is an input that is to be run.
type Choice struct {
	Input   int
	Reasons []Reason
	Cost    time.Duration
}

// A Selection is what was chosen of a corpus.
type Selection struct {
	Inputs    []Input
	Fallbacks []Fallback // not empty if everything is to be run
	Units     []int      // that changed
	Chosen    []Choice   // in the order to run them in
	Rest      []int      // inputs that are left out, likeliest first
	Classes   int        // kinds of inputs of which the same is predicted, that may reach a changed unit
	Affected  float64    // how many inputs reach a changed unit, as far as the model can tell
	Recall    float64    // the share of them that is chosen
	Cost      time.Duration
	Total     time.Duration // that the whole corpus takes
	Cut       bool          // the budget or the number left something out that the goal asks for
}

// Everything tells whether all inputs were called for.
func (s *Selection) Everything() bool { return len(s.Fallbacks) > 0 }

// Choose decides which inputs to run. Without predictions, which may be nil if
// there is a fallback, it knows inputs only.
func Choose(m *model.Model, inputs []Input, p *Predictions, change Change, opt Options) *Selection {
	c := &chooser{
		Selection: &Selection{Inputs: inputs, Fallbacks: slices.Clone(change.Fallbacks), Units: change.Units},
		model:     m, known: p, opt: opt, reasons: make([][]Reason, len(inputs)), taken: make([]bool, len(inputs)),
	}
	if c.opt.Costs == nil {
		c.opt.Costs = LearnCosts(nil)
	}
	c.doubt()
	c.weigh()
	c.oblige()
	wanted := c.wanted()
	c.take(c.obliged)
	c.take(c.sample(wanted)) // there must be room for it, but it is run last
	c.take(c.ordered(wanted))
	slices.SortStableFunc(c.Chosen, func(a, b Choice) int { return compareBool(c.sampled(a.Input), c.sampled(b.Input)) })
	c.finish()
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

// A chooser is on its way to a selection.
type chooser struct {
	*Selection
	model   *model.Model
	known   *Predictions
	opt     Options
	chances []float64 // by input: that it reaches a changed unit
	unit    []int     // by input: the unit that it reaches most likely; -1 for none
	class   []int32   // by input
	reasons [][]Reason
	obliged []int
	taken   []bool
}

// oblige finds the inputs that are run whatever the model says.
func (c *chooser) oblige() {
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
			c.obliged = append(c.obliged, i)
		}
	}
}

// wanted returns the inputs that the goal asks for beside those obliged.
func (c *chooser) wanted() []int {
	var out []int
	taken := 0.0
	left := 0.0  // the chances of those that are left out
	doubt := 0.0 // and the variance of how many of them it is
	for i, p := range c.chances {
		c.Affected += p
		if len(c.reasons[i]) > 0 {
			taken += p
		} else if p > 0 {
			out = append(out, i)
			left += p
			doubt += p * (1 - p)
		}
	}
	if c.Everything() {
		return out
	}
	out = c.preferred(out)
	goal := c.opt.Goal.Recall
	if goal == 0 {
		goal = 1
	}
	for n, i := range out {
		if missed := left + caution*math.Sqrt(max(doubt, 0)); taken >= goal*(taken+missed) && taken > 0 {
			return out[:n]
		}
		p := c.chances[i]
		taken += p
		left = max(0, left-p)
		doubt -= p * (1 - p)
		if n == len(out)-1 {
			left = 0
		}
	}
	return out
}

// preferred puts inputs into the order in which they serve the goal. Those that
// the model knows little about come first. Among those that will likely reach a
// changed unit, the ones come last that have most others of their class before
// them: what is left out should be what is there already. Then come the
// unlikely.
func (c *chooser) preferred(inputs []int) []int {
	rounds := c.rounds(inputs)
	group := func(i int) int {
		switch p := c.chances[i]; {
		case c.doubtful(i) && p >= leastDoubtful:
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
			order = cmp.Compare(rounds[a], rounds[b])
		}
		return cmp.Or(order, cmp.Compare(c.chances[b], c.chances[a]), cmp.Compare(a, b))
	})
	return out
}

// leastDoubtful is the chance from which on inputs are run that the model knows
// little about.
const leastDoubtful = 0.05

// doubtful tells whether an input is outside the grammar, or nothing is known of
// it.
func (c *chooser) doubtful(i int) bool {
	known := c.known.rows[c.known.of[i]].known
	return known == outside || known == unknown
}

// caution is by how many standard deviations more inputs than expected may turn
// out to be missed.
const caution = 1

// rounds tells for each input how many of its class come before it.
func (c *chooser) rounds(inputs []int) map[int]int {
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

func (c *chooser) cost(i int) time.Duration { return c.opt.Costs.Of(c.Inputs[i]) }

// sample draws some of the inputs that are left out.
func (c *chooser) sample(wanted []int) []int {
	if c.Everything() || len(c.Units) == 0 || c.opt.Sample <= 0 {
		return nil
	}
	in := make([]bool, len(c.Inputs))
	for _, i := range slices.Concat(wanted, c.obliged) {
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

// changeHash makes other changes draw other samples.
func (c *chooser) changeHash() uint64 {
	h := fnv.New64a()
	for _, u := range c.Units {
		_, _ = h.Write([]byte(c.model.Units[u].ID + "\n"))
	}
	return h.Sum64()
}

// take takes inputs in their order, as long as there is room for them. Obliged
// inputs come first and need none.
func (c *chooser) take(inputs []int) {
	perClass := map[int32]int{}
	for _, i := range inputs {
		cost, class := c.cost(i), c.class[i]
		switch goal := c.opt.Goal; {
		case len(c.reasons[i]) > 0 && !c.sampled(i): // obliged
		case goal.Max > 0 && len(c.Chosen) >= goal.Max, goal.Budget > 0 && c.Cost+cost > goal.Budget:
			c.Cut = true
			continue
		case goal.PerClass > 0 && perClass[class] >= goal.PerClass && !c.Everything() && !c.doubtful(i):
			continue
		}
		perClass[class]++
		c.taken[i] = true
		c.Cost += cost
		c.Chosen = append(c.Chosen, Choice{Input: i, Cost: cost})
	}
}

// sampled tells whether an input was drawn.
func (c *chooser) sampled(i int) bool {
	return len(c.reasons[i]) > 0 && c.reasons[i][0].Kind == Sampled
}

// finish gives reasons, and counts.
func (c *chooser) finish() {
	affected := map[int32]bool{}
	found := 0.0
	for i := range c.Inputs {
		c.Total += c.cost(i)
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
	for j := range c.Chosen {
		c.Chosen[j].Reasons = c.why(c.Chosen[j].Input)
	}
	slices.SortStableFunc(c.Rest, func(a, b int) int { return cmp.Compare(c.chances[b], c.chances[a]) })
}

func (c *chooser) why(i int) []Reason {
	out := c.reasons[i]
	if c.sampled(i) {
		return out
	}
	if u := c.unit[i]; u >= 0 {
		r := Reason{Kind: Reaches, Unit: c.model.Units[u].ID, Chance: c.known.At(i, u).Float()}
		switch c.known.rows[c.known.of[i]].known {
		case unknown:
			r = Reason{Kind: Unknown}
		case observed:
			r.Kind = Reached
		}
		out = append(out, r)
	}
	if len(out) == 0 || c.Everything() && len(c.reasons[i]) == 0 {
		out = append([]Reason{{Kind: Everything}}, out...)
	}
	return out
}
