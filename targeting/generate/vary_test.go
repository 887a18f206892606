package generate_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/targeting/generate"
)

func TestChoosingRules(t *testing.T) {
	g := grammartest.Load(t, `grammar G;
s : a b NAME EOF ;
a : 'x' ;
b : 'y' | 'z' c* ;
c : '(' ')' ;
unused : 'p' | 'q' ;
NAME : LETTER+ ;
fragment LETTER : [a-f] ;
WS : ' ' -> skip ;
`)
	var got []string
	for _, rule := range generate.ChoosingRules(g, "s") {
		got = append(got, rule.Name)
	}
	if want := []string{"b", "NAME"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Varying a rule changes the probabilities of its choices only.
func TestVaryProbabilities(t *testing.T) {
	g := grammartest.Load(t, arithmetic)
	learned := learn(t, g, "1 + (2 * 3)")
	varied := learned.WithRandom(rand.New(rand.NewPCG(1, 0)), g.Rule("term"))
	again := learned.WithRandom(rand.New(rand.NewPCG(1, 0)), g.Rule("term"))
	sum := 0.0
	for _, p := range ruleProbabilities(g, varied, "term") {
		if sum += p; p <= 0 {
			t.Errorf("random probability %v, want more than 0", p)
		}
	}
	if math.Abs(sum-1) > 1e-9 {
		t.Errorf("random probabilities have the sum %v, want 1", sum)
	}
	if a, b := ruleProbabilities(g, varied, "term"), ruleProbabilities(g, again, "term"); !near(a, b) {
		t.Errorf("the same seed gives %v and %v", a, b)
	}
	uniform := learned.WithUniform(g.Rule("term"))
	if got := ruleProbabilities(g, uniform, "term"); got != nil {
		t.Errorf("uniform: got %v, want none", got)
	}
	for _, rule := range []string{"expr", "factor", "int", "digit"} {
		for _, p := range []*generate.Probabilities{varied, uniform} {
			if got, want := ruleProbabilities(g, p, rule), ruleProbabilities(g, learned, rule); !near(got, want) {
				t.Errorf("%s: got %v, want %v", rule, got, want)
			}
		}
	}
	if got, want := ruleProbabilities(g, learned, "term"), []float64{0, .25, .75}; !near(got, want) {
		t.Errorf("the probabilities before changed to %v", got)
	}
}

// A scripted source of randomness makes rand.Rand.Float64 return given numbers.
type scripted []float64

func (s *scripted) Uint64() uint64 {
	next := (*s)[0]
	*s = (*s)[1:]
	return uint64(math.Round(next * (1 << 53)))
}

// The mutation of EvoGFuzz, equation 10 and figure 11: random numbers above 0 and up to 1,
// divided by their sum.
func TestWorkedMutation(t *testing.T) {
	g := grammartest.Load(t, arithmetic)
	learned := learn(t, g, "1 + (2 * 3)")
	for _, c := range []struct {
		name         string
		random, want []float64 // numbers from 0 to below 1 are subtracted from 1
	}{
		{"figure 11", []float64{1 - .64, 1 - .48, 1 - .88}, []float64{.32, .24, .44}},
		{"sum 2", []float64{0, .5, .5}, []float64{.5, .25, .25}},
		{"sum 1.5", []float64{.75, .25, .5}, []float64{.25 / 1.5, .75 / 1.5, .5 / 1.5}},
	} {
		source := scripted(c.random)
		mutant := learned.WithRandom(rand.New(&source), g.Rule("term"))
		if got := ruleProbabilities(g, mutant, "term"); !near(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
		if len(source) > 0 {
			t.Errorf("%s: %d random numbers are left", c.name, len(source))
		}
	}
}

func TestVaryRepetitions(t *testing.T) {
	g := grammartest.Load(t, "grammar G; s : 'a'* 'b'? EOF ;")
	p := learn(t, g, "aab").WithRandom(rand.New(rand.NewPCG(2, 0)), g.Rule("s"))
	for _, n := range g.Nodes {
		if n.Kind != grammars.Repetition {
			continue
		}
		want := 11 // up to ten rounds
		if n.Max == 1 {
			want = 2
		}
		if got := p.Times(n); len(got) != want {
			t.Errorf("%s: got %d numbers of rounds, want %d", n.Text, len(got), want)
		}
	}
}
