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
