package selection

import (
	"slices"
	"time"
)

// A Gap is a changed unit that too few inputs reach.
type Gap struct {
	Unit    int
	Missing int // inputs
}

// Undertested returns the changed units that fewer than n inputs of the corpus
// are predicted or known to reach.
func (s *Selection) Undertested(p *Predictions, n int) []Gap {
	var out []Gap
	for _, u := range s.Units {
		missing := n
		for i := range p.Inputs {
			if p.row(i).known != unknown && p.At(i, u).Likely() {
				missing--
			}
		}
		if missing > 0 {
			out = append(out, Gap{u, missing})
		}
	}
	return out
}

// Add selects an input that is not in the corpus. It has no effect if an input
// with the same path is selected already.
func (s *Selection) Add(in Input, cost time.Duration, reason Reason) {
	if slices.ContainsFunc(s.Selected, func(c SelectedInput) bool { return s.Inputs[c.Input].Path == in.Path }) {
		return
	}
	s.Selected = append(s.Selected, SelectedInput{Input: len(s.Inputs), Reasons: []Reason{reason}, Cost: cost})
	s.Inputs = append(s.Inputs, in)
	s.Cost += cost
	s.Total += cost
}
