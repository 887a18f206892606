package generate

import (
	"testing"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/grammartest"
)

// A tally without room for more contexts counts choices in the contexts that it has.
func TestContextsAreLimited(t *testing.T) {
	g := grammartest.Load(t, "grammar Brackets; file: e EOF; e: '(' e ')' | '[' e ']' | 'x' | 'y';")
	tally := NewContextTally(g, 3)
	tally.room = 2
	for _, input := range []string{"(x)", "[[y]]"} {
		tree, err := g.Parse(t.Context(), []byte(input), grammars.ParseOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := tally.Add(tree); err != nil {
			t.Fatal(err)
		}
	}
	p := tally.Probabilities()
	if len(p.contexts) != 2 {
		t.Errorf("%d contexts, want 2", len(p.contexts))
	}
	root := g.Nodes[g.Rule("e").Root]
	want := []float64{1. / 5, 2. / 5, 1. / 5, 1. / 5}
	for i, share := range p.Alternatives(root) {
		if share != want[i] {
			t.Errorf("alternative %d has probability %v without a context, want %v", i, share, want[i])
		}
	}
}
