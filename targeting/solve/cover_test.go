package solve_test

import (
	"math/rand/v2"
	"testing"

	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/targeting/generate"
	"github.com/inroad/inroad/targeting/solve"
)

// A path is covered, proved impossible or not found. A path that the parser never
// reads is not found if there is no proof: that all of b is derived by a depends on
// unbounded nesting.
func TestComplete(t *testing.T) {
	for name, c := range map[string]struct {
		grammar  string
		notFound int
	}{
		"every path has an input": {"grammar G;\ns : x+ EOF ;\nx : a | b ;\na : 'x' ;\nb : 'y' ;\n", 0},
		"the parser prefers a":    {"grammar G;\ns : x EOF ;\nx : a | b ;\na : ('(' | ')' | 'x')+ ;\nb : '(' b ')' | 'x' ;\n", 8},
	} {
		t.Run(name, func(t *testing.T) {
			g := grammartest.Load(t, c.grammar)
			x, err := generate.New(g, rand.New(rand.NewPCG(1, 0)), generate.Options{MaxNodes: 50})
			if err != nil {
				t.Fatal(err)
			}
			cover, err := generate.NewCover(x, 2, generate.CoverOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for {
				input, err := cover.Next(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if input == nil {
					break
				}
			}
			solver, err := solve.New(g, "")
			if err != nil {
				t.Fatal(err)
			}
			rest, err := solver.Complete(t.Context(), cover, rand.New(rand.NewPCG(1, 0)), func(*generate.Input) error { return nil })
			if err != nil {
				t.Fatal(err)
			}
			covered, all := cover.Covered()
			if rest.NotFound != c.notFound || covered+rest.Impossible+rest.NotFound != all {
				t.Errorf("%d of %d paths are covered, and of the rest %+v; want %d not found", covered, all, rest, c.notFound)
			}
		})
	}
}
