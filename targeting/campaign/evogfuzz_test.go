package campaign_test

import (
	"strings"
	"testing"

	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/targeting/campaign"
)

// A campaign ends after its generations, or when they find no new failure.
func TestEvoGFuzzEnds(t *testing.T) {
	g := grammartest.Load(t, arithmetic)
	opt := options(campaign.EvoGFuzz, 0)
	opt.EvoGFuzz = campaign.EvoGFuzzOptions{Generations: 3, Population: 20}
	c := start(t, g, opt)
	if n := len(drive(t, c, 10, 1)); c.Status().End != campaign.EndGenerations || c.Status().Generation != 3 || n > 60 || n < 10 {
		t.Errorf("%d runs, status %+v; want the end after 3 generations", n, c.Status())
	}
	opt.EvoGFuzz = campaign.EvoGFuzzOptions{Population: 20, Patience: 5}
	c = start(t, g, opt)
	drive(t, c, 10, 1)
	if s := c.Status(); s.End != campaign.EndPatience || s.Generation < 5 {
		t.Errorf("status %+v; want the end after 5 generations without a new failure", s)
	}
}

// Mutations find what the corpus lacks, and inputs that fail become more frequent.
func TestEvoGFuzzEvolves(t *testing.T) {
	g := grammartest.Load(t, arithmetic)
	failing := func(inputs []string) (n int) {
		for _, input := range inputs {
			if strings.Contains(input, "/0") {
				n++
			}
		}
		return n
	}
	first, last := 0, 0
	for seed := range uint64(4) { // a mutation may come late
		opt := options(campaign.EvoGFuzz, 1000)
		opt.Seed = 1 + seed
		inputs := drive(t, start(t, g, opt), 10, 1)
		first, last = first+failing(inputs[:200]), last+failing(inputs[800:])
	}
	if last < 20 || last < 2*first {
		t.Errorf("%d of the first 800 inputs fail and %d of the last; want at least twice as many", first, last)
	}
	if n := failing(drive(t, start(t, g, options(campaign.Common, 500)), 10, 1)); n > 0 {
		t.Errorf("%d common inputs have a division by 0, which the corpus does not have", n)
	}
}
