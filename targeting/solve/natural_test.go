package solve

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/targeting"
	"github.com/inroad/inroad/targeting/generate"
)

// Natural trees under a constraint are as likely as among all natural trees
// those that happen to satisfy it.
func TestNaturalIsConditional(t *testing.T) {
	g := grammartest.Load(t, `grammar G;
s : (a | b)* EOF ;
a : 'x' a | 'y' | 'z' b? ;
b : '(' s2 ')' | T ;
s2 : b+ | a ;
T : 'q' [0-9]* | 'r' ;
`)
	tally := generate.NewTally(g)
	for _, text := range []string{"xxy", "z", "zr", "yy(r)", "(rr)y", "q12r", "", "xzq1"} {
		if err := tally.Add(grammartest.Parse(t, g, text)); err != nil {
			t.Fatal(err)
		}
	}
	reader := targeting.NewReader(g, "")
	path := func(text string, least, most int) targeting.Condition {
		c, err := reader.Read(text)
		if err != nil {
			t.Fatal(err)
		}
		c.Min, c.Max = least, most
		return c
	}
	const n = 10_000
	all := naturalTrees(t, g, tally.Probabilities(), targeting.Constraint{}, 10*n)
	for _, c := range []struct {
		name       string
		conditions []targeting.Condition
	}{
		{"a path", []targeting.Condition{path("a > a", 1, targeting.Unbounded)}},
		{"two paths, one forbidden", []targeting.Condition{path("a > 'z'", 1, targeting.Unbounded), path("'r'", 1, targeting.Unbounded), path("s2", 0, 0)}},
		{"at least two", []targeting.Condition{path("b", 2, targeting.Unbounded)}},
		{"exactly two, at most one", []targeting.Condition{path("a", 2, 2), path("T", 0, 1)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			constraint := targeting.Constraint{Conditions: c.conditions}
			given := naturalTrees(t, g, tally.Probabilities(), constraint, n)
			accepted := map[string]int{}
			total := 0
			for key, drawn := range all {
				if satisfies(drawn.tree, constraint) {
					accepted[key] = drawn.times
					total += drawn.times
				}
			}
			if total < n/10 {
				t.Fatalf("%d of %d satisfy the constraint by chance", total, 10*n)
			}
			keys := slices.SortedFunc(maps.Keys(accepted), func(a, b string) int { return cmp.Or(accepted[b]-accepted[a], cmp.Compare(a, b)) })
			for _, key := range keys[:min(len(keys), 25)] {
				p, q := float64(accepted[key])/float64(total), float64(given[key].times)/n
				noise := math.Sqrt(p * (1 - p) * (1/float64(total) + 1./n))
				if math.Abs(p-q) > 5*noise {
					t.Errorf("%s: %.4f by chance, %.4f drawn, noise %.4f", key, p, q, noise)
				}
			}
			for key, drawn := range given {
				if !satisfies(drawn.tree, constraint) {
					t.Fatalf("%s does not satisfy the constraint", key)
				}
			}
		})
	}
}

type drawnTree struct {
	tree  witness
	times int
}

func naturalTrees(t *testing.T, g *grammars.Grammar, p *generate.Probabilities, c targeting.Constraint, n int) map[string]drawnTree {
	t.Helper()
	solver, err := New(g, "")
	if err != nil {
		t.Fatal(err)
	}
	solution, err := solver.Solve(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	weights, err := solution.main.newWeights(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 0))
	out := map[string]drawnTree{}
	for range n {
		tree := weights.draw(r, maxCost)
		key := ""
		for _, p := range tree {
			if p.node.Kind.Symbolic() {
				key += fmt.Sprintf("%d:%d ", p.depth, p.node.ID)
			}
		}
		out[key] = drawnTree{tree, out[key].times + 1}
	}
	return out
}
