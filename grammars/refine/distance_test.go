package refine_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/grammars/refine"
)

func TestDistances(t *testing.T) {
	g := grammartest.Bundled(t, "expr")
	const plus, x = 10, 39
	tests := []struct{ from, to, want grammars.Occurrence }{
		{plus, plus, 0},
		{3, plus, 2},   // concatenation, alternation
		{2, plus, 9},   // multExpr, alternation, unaryExpr, alternation, concatenation, addExpr 36, alternation, concatenation, alternation
		{0, x, 8},      // addExpr, alternation, multExpr, alternation, unaryExpr, alternation, identifier, alternation
		{16, x, 2},     // identifier, alternation
		{44, plus, -1}, // a digit leads nowhere
		{x, 40, -1},
	}
	for _, test := range tests {
		if got := refine.Distances(g, test.to)[test.from]; got != int(test.want) {
			t.Errorf("distance from %d to %d is %d, want %d", test.from, test.to, got, test.want)
		}
	}
}

// Distances that are kept up to date are those that are computed anew.
func TestNearest(t *testing.T) {
	for _, name := range []string{"expr", "json", "javascript"} {
		g := grammartest.Bundled(t, name)
		r := rand.New(rand.NewPCG(1, 0))
		nearest := refine.NewNearest(g)
		targets := map[grammars.Occurrence]bool{}
		for round := range 200 {
			for range 1 + r.IntN(5) {
				o := grammars.Occurrence(r.IntN(len(g.Nodes)))
				if round > 100 && len(targets) > 0 { // remove more than is added
					all := slices.Sorted(maps.Keys(targets))
					o = all[r.IntN(len(all))]
				}
				if targets[o] {
					delete(targets, o)
				} else {
					targets[o] = true
				}
				nearest.SetTarget(o, targets[o])
			}
			all := slices.Sorted(maps.Keys(targets))
			want := refine.Distances(g, all...)
			for o := range g.Nodes {
				if got := nearest.Distance(grammars.Occurrence(o)); got != want[o] {
					t.Fatalf("%s, targets %d: distance from %d is %d, want %d", name, all, o, got, want[o])
				}
			}
		}
	}
}
