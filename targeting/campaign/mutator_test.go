package campaign_test

import (
	"math/rand/v2"
	"testing"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/targeting/campaign"
	"github.com/inroad/inroad/targeting/generate"
)

// Mutants are in the grammar, differ, and are as short as required, whatever the input
// is.
func TestMutants(t *testing.T) {
	g := grammartest.Load(t, arithmetic)
	m, err := campaign.NewMutator(t.Context(), g, rand.New(rand.NewPCG(1, 0)), generate.Options{MaxNodes: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ input, more string }{
		{"hello", ""}, {"1 + (2 * 3)", "4 / 5"}, {"1 + (2 * 3)", "4 / 5"}, {"", "\xff\xfe"}, {"7", "7"},
	} {
		mutants, err := m.Mutants(t.Context(), []byte(c.input), []byte(c.more), 50, 60)
		if err != nil || len(mutants) < 25 {
			t.Fatalf("%q: %d mutants, error %v", c.input, len(mutants), err)
		}
		distinct := map[string]bool{}
		for _, text := range mutants {
			distinct[string(text)] = true
			if _, err := g.Parse(t.Context(), text, grammars.ParseOptions{}); err != nil || len(text) > 60 {
				t.Errorf("%q becomes %q: error %v", c.input, text, err)
			}
		}
		if len(distinct) < len(mutants) {
			t.Errorf("%q: only %d of %d mutants differ", c.input, len(distinct), len(mutants))
		}
	}
}
