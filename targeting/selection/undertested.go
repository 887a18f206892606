package selection

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/targeting/aim"
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

// Fill generates inputs that reach the units of gaps, and selects them. It returns the
// generated inputs by their index in the selection, and the units without an input.
func (s *Selection) Fill(ctx context.Context, m *model.Model, gaps []Gap, opt Options) (texts map[int][]byte, missed []aim.Miss, err error) {
	if len(gaps) == 0 {
		return nil, nil, nil
	}
	targeter, err := aim.New(m)
	if err != nil {
		return nil, nil, err
	}
	if opt.Costs == nil {
		opt.Costs = LearnCosts(nil)
	}
	known := map[Digest]bool{}
	for _, in := range s.Inputs {
		known[in.Digest] = true
	}
	texts = map[int][]byte{}
	for _, gap := range gaps {
		r := rand.New(rand.NewPCG(opt.Seed, uint64(gap.Unit)))
		found, err := targeter.Find(ctx, r, []int{gap.Unit}, nil, aim.Options{N: gap.Missing})
		if err != nil {
			return nil, nil, err
		}
		missed = append(missed, found.Missed...)
		for _, generated := range found.Inputs {
			in := Input{Digest: DigestOf(generated.Text), Size: len(generated.Text)}
			in.Path = in.Digest.String()[:16] + "." + strings.ToLower(m.Grammar.Name)
			if known[in.Digest] || slices.ContainsFunc(s.Selected, func(c SelectedInput) bool { return s.Inputs[c.Input].Path == in.Path }) {
				continue
			}
			known[in.Digest] = true
			texts[len(s.Inputs)] = generated.Text
			s.add(in, opt.Costs.Of(in), Reason{Kind: Generated, Unit: m.Units[gap.Unit].ID, Chance: generated.Probability})
		}
	}
	return texts, missed, nil
}

// add selects an input that is not in the corpus.
func (s *Selection) add(in Input, cost time.Duration, reason Reason) {
	s.Selected = append(s.Selected, SelectedInput{Input: len(s.Inputs), Reasons: []Reason{reason}, Cost: cost})
	s.Inputs = append(s.Inputs, in)
	s.Cost += cost
	s.Total += cost
}
