package selection

import (
	"encoding/binary"
	"slices"
)

// findWeakUnits finds the changed units that the model cannot predict: units that no
// observation reached, and units whose recall on held-out observations is too low.
func (c *selector) findWeakUnits() {
	c.weak = map[int]weakness{}
	if c.model == nil || c.predictions == nil {
		if len(c.Fallbacks) == 0 {
			c.Fallbacks = append(c.Fallbacks, Fallback{NoModel, "there are no predictions"})
		}
		return
	}
	for _, u := range c.Units {
		reached, _ := c.model.Support(u)
		held := c.model.HeldOut(u)
		switch {
		case reached == 0 && c.model.Outside.Reached[u] == 0:
			c.weak[u] = neverObserved
			if _, own := slices.BinarySearch(c.own, u); own && !c.predictions.observed(u) {
				c.Unobserved = append(c.Unobserved, Unobserved{c.model.Units[u].ID, "changed, but no observation reached it"})
			}
		case held.Positives() >= minHeldOut && held.Recall() < c.opt.MinRecall:
			c.weak[u] = poorlyPredicted
		}
	}
}

// A weakness is a reason not to use the predictions for a unit.
type weakness uint8

const (
	neverObserved   weakness = iota + 1 // predicted inputs are assumed not to reach it
	poorlyPredicted                     // predicted inputs are assumed to reach it
)

// observed reports whether an input of the corpus is known to reach a unit.
func (p *Predictions) observed(unit int) bool {
	return slices.ContainsFunc(p.rows, func(r *row) bool { return r.known == observed && r.chances[unit] > 0 })
}

// minHeldOut is the number of held-out observations below which the recall of a
// unit is not trusted.
const minHeldOut = 5

// computeChances computes for each input the chance that it reaches a changed
// unit, and the changed unit that it most likely reaches.
func (c *selector) computeChances() {
	n := len(c.Inputs)
	c.chances, c.unit, c.class, c.unsure = make([]float64, n), make([]int, n), make([]int32, n), make([]bool, n)
	for i := range n {
		c.unit[i] = -1
		if c.Everything() {
			c.chances[i] = 1
		}
	}
	if c.predictions == nil {
		return
	}
	c.class = c.predictions.classes(c.Units)
	for _, u := range c.Units {
		scale := c.scaleOf(u)
		for i := range n {
			p := scale.of(c.predictions.At(i, u), c.predictions.row(i).known)
			if known := c.predictions.row(i).known; known == predicted || known == outside {
				switch c.weak[u] {
				case neverObserved:
					p = 0
				case poorlyPredicted:
					p, c.unsure[i] = 1, true
				}
			}
			if p > c.chances[i] || c.unit[i] < 0 && p > 0 {
				c.chances[i], c.unit[i] = max(p, c.chances[i]), u
			}
		}
	}
}

// A scale calibrates the chances of one unit: their mean becomes the share of
// held-out observations that reached the unit. A model is calibrated over all units,
// but not for each of them.
type scale struct {
	low, high float64 // factors for inputs that are predicted not to reach the unit, and to reach it
}

func (c *selector) scaleOf(unit int) scale {
	held := c.model.HeldOut(unit)
	s := scale{1, 1}
	if held.Positives() < minHeldOut {
		return s
	}
	var low, high []float64
	for i := range c.Inputs {
		switch r := c.predictions.row(i); {
		case r.known != predicted:
		case r.chances[unit].Likely():
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

// factor returns the factor by which to multiply chances, so that they have the given
// mean after chances above 1 are reduced to 1.
func factor(chances []float64, mean float64) float64 {
	sorted := slices.Sorted(slices.Values(chances))
	rest := 0.0 // sum of the chances that stay below 1
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
	case p.Likely():
		return min(1, p.Float()*s.high)
	}
	return min(1, p.Float()*s.low)
}

// classes returns the class of each input. Inputs of one class likely reach the same
// units, and have the same chance to reach each changed unit: to the model, they are
// alike.
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
			if c.Likely() {
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
	out := make([]int32, len(p.rowOf))
	for i, r := range p.rowOf {
		out[i] = byRow[r]
	}
	return out
}
