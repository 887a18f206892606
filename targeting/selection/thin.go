package selection

import (
	"slices"
	"time"
)

// A Lack is a changed unit that few inputs reach.
type Lack struct {
	Unit    int
	Missing int // inputs
}

// Thin returns the changed units that fewer than n inputs of the corpus are
// expected to reach.
func (s *Selection) Thin(p *Predictions, n int) []Lack {
	var out []Lack
	for _, u := range s.Units {
		missing := n
		for i := range p.Inputs {
			if p.rows[p.of[i]].known != unknown && p.At(i, u).Covered() {
				missing--
			}
		}
		if missing > 0 {
			out = append(out, Lack{u, missing})
		}
	}
	return out
}

// Add adds an input that is not of the corpus to what is chosen.
func (s *Selection) Add(in Input, cost time.Duration, why Reason) {
	if slices.ContainsFunc(s.Chosen, func(c Choice) bool { return s.Inputs[c.Input].Path == in.Path }) {
		return
	}
	s.Chosen = append(s.Chosen, Choice{Input: len(s.Inputs), Reasons: []Reason{why}, Cost: cost})
	s.Inputs = append(s.Inputs, in)
	s.Cost += cost
	s.Total += cost
}
