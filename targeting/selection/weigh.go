package selection

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// doubt adds the fallbacks that changed units call for.
func (c *chooser) doubt() {
	if c.model == nil || c.known == nil {
		if len(c.Fallbacks) == 0 {
			c.Fallbacks = append(c.Fallbacks, Fallback{NoModel, "nothing is predicted"})
		}
		return
	}
	for _, u := range c.Units {
		id := c.model.Units[u].ID
		entered, _ := c.model.Support(u)
		held := c.model.HeldOut(u)
		switch {
		case entered == 0 && c.model.Outside.Reached[u] == 0:
			c.Fallbacks = append(c.Fallbacks, Fallback{NeverObserved, id + " changed, and no observation reached it"})
		case held.Positives() >= leastHeldOut && held.Recall() < c.opt.MinRecall:
			c.Fallbacks = append(c.Fallbacks, Fallback{PoorRecall, fmt.Sprintf(
				"%s changed, and of held-out observations that reached it only %.0f %% were foreseen", id, 100*held.Recall())})
		}
	}
}

// leastHeldOut is how many held-out observations it takes to speak of a recall.
const leastHeldOut = 5

// weigh computes how likely inputs reach a changed unit, and which one.
func (c *chooser) weigh() {
	n := len(c.Inputs)
	c.chances, c.unit, c.class = make([]float64, n), make([]int, n), make([]int32, n)
	for i := range n {
		c.unit[i] = -1
		if c.Everything() {
			c.chances[i] = 1
		}
	}
	if c.known == nil {
		return
	}
	c.class = c.known.classes(c.Units)
	for _, u := range c.Units {
		scale := c.scaleOf(u)
		for i := range n {
			if p := scale.of(c.known.At(i, u), c.known.rows[c.known.of[i]].known); p > c.chances[i] || c.unit[i] < 0 && p > 0 {
				c.chances[i], c.unit[i] = max(p, c.chances[i]), u
			}
		}
	}
}

// A scale corrects the chances of one unit, so that on average they are what
// held-out observations showed: a model's chances are right over all units, but
// not for each.
type scale struct{ low, high float64 }

func (c *chooser) scaleOf(unit int) scale {
	held := c.model.HeldOut(unit)
	s := scale{1, 1}
	if held.Positives() < leastHeldOut {
		return s
	}
	var low, high []float64 // of inputs that are predicted not to reach it, and to reach it
	for i := range c.Inputs {
		switch r := c.known.rows[c.known.of[i]]; {
		case r.known != predicted:
		case r.chances[unit].Covered():
			high = append(high, r.chances[unit].Float())
		default:
			low = append(low, r.chances[unit].Float())
		}
	}
	if negatives := held.FalseNegatives + held.TrueNegatives; negatives > 0 {
		s.low = factor(low, float64(held.FalseNegatives)/float64(negatives))
	}
	if held.TruePositives > 0 {
		s.high = factor(high, held.Precision())
	}
	return s
}

// factor returns what to multiply chances with, so that their mean is what it
// should be although none is more than 1.
func factor(chances []float64, mean float64) float64 {
	sorted := slices.Sorted(slices.Values(chances))
	rest := 0.0 // the sum of those that stay below 1
	for _, p := range sorted {
		rest += p
	}
	wanted := mean * float64(len(sorted))
	out := 1.0
	for _, p := range slices.Backward(sorted) {
		if p <= 0 || rest <= 0 {
			break
		}
		if out = wanted / rest; out*p <= 1 {
			return out
		}
		out = 1 / p
		wanted--
		rest -= p
	}
	return out
}

func (s scale) of(p Chance, known knowledge) float64 {
	switch {
	case known != predicted:
		return p.Float()
	case p.Covered():
		return min(1, p.Float()*s.high)
	}
	return min(1, p.Float()*s.low)
}

// classes numbers the kinds of inputs of which the same is predicted. What
// reaches a changed unit as likely as another does so for the same reasons, as
// far as the model knows any; for other reasons, it is another kind.
func (p *Predictions) classes(changed []int) []int32 {
	numbers := map[string]int32{}
	byRow := make([]int32, len(p.rows))
	var key []byte
	for i, r := range p.rows {
		key = append(key[:0], byte(r.known))
		for j, c := range r.chances {
			if j%8 == 0 {
				key = append(key, 0)
			}
			if c.Covered() {
				key[len(key)-1] |= 1 << (j % 8)
			}
		}
		for _, u := range changed {
			if r.chances != nil {
				key = binary.LittleEndian.AppendUint16(key, uint16(r.chances[u]))
			}
		}
		n, ok := numbers[string(key)]
		if !ok {
			n = int32(len(numbers))
			numbers[string(key)] = n
		}
		byRow[i] = n
	}
	out := make([]int32, len(p.of))
	for i, r := range p.of {
		out[i] = byRow[r]
	}
	return out
}
