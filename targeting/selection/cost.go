package selection

import (
	"time"
)

// Costs tell how long inputs take.
type Costs struct {
	known map[Digest]time.Duration
	// What is not known is estimated: so much for an input, and for each byte.
	fixed, perByte float64
	Assumed        bool // nothing is known of any input
}

// assumedCost is what an input takes if nothing is known of any.
const assumedCost = 100 * time.Millisecond

// A Timing is how long an input took.
type Timing struct {
	Size     int
	Duration time.Duration
}

// LearnCosts learns from runs how long inputs take. Inputs without a size are
// known for themselves, but tell nothing of others.
func LearnCosts(runs map[Digest]Timing) *Costs {
	c := &Costs{known: map[Digest]time.Duration{}}
	var n, x, y, xx, xy float64
	for d, t := range runs {
		if t.Duration <= 0 {
			continue
		}
		c.known[d] = t.Duration
		n++
		x += float64(t.Size)
		y += float64(t.Duration)
		xx += float64(t.Size) * float64(t.Size)
		xy += float64(t.Size) * float64(t.Duration)
	}
	if n == 0 {
		c.fixed, c.Assumed = float64(assumedCost), true
		return c
	}
	// A straight line through sizes and durations, which never falls: larger
	// inputs do not take less time.
	if spread := n*xx - x*x; spread > 0 {
		c.perByte = max(0, (n*xy-x*y)/spread)
	}
	c.fixed = (y - c.perByte*x) / n
	if c.fixed < 0 {
		c.fixed, c.perByte = 0, y/x
	}
	return c
}

// Of returns how long an input takes, at least a microsecond.
func (c *Costs) Of(in Input) time.Duration {
	d, ok := c.known[in.Digest]
	if !ok {
		d = time.Duration(c.fixed + c.perByte*float64(in.Size))
	}
	return max(d, time.Microsecond)
}
