package selection

import (
	"time"
)

// Costs estimates how long inputs run.
type Costs struct {
	known map[Digest]time.Duration
	// fixed and perByte are nanoseconds per input and per byte, to estimate inputs
	// without a known duration.
	fixed, perByte float64
	Unknown        bool // no duration is known
}

// A Timing is the duration of one run of an input.
type Timing struct {
	Size     int // of the input in bytes
	Duration time.Duration
}

// LearnCosts estimates costs from earlier runs. The cost of a known input is
// its duration; the costs of others are estimated from their size by linear
// regression.
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
		c.Unknown = true
		return c
	}
	// The slope is never negative: larger inputs do not take less time.
	if spread := n*xx - x*x; spread > 0 {
		c.perByte = max(0, (n*xy-x*y)/spread)
	}
	c.fixed = (y - c.perByte*x) / n
	if c.fixed < 0 {
		c.fixed, c.perByte = 0, y/x
	}
	return c
}

// Of returns the expected duration of an input, at least a microsecond. It returns 0 if
// no duration is known.
func (c *Costs) Of(in Input) time.Duration {
	if c.Unknown {
		return 0
	}
	d, ok := c.known[in.Digest]
	if !ok {
		d = time.Duration(c.fixed + c.perByte*float64(in.Size))
	}
	return max(d, time.Microsecond)
}

// weight returns the cost of an input relative to others. All are equal if no duration
// is known.
func (c *Costs) weight(in Input) float64 {
	if c.Unknown {
		return 1
	}
	return c.Of(in).Seconds()
}
