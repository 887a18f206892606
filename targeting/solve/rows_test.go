package solve

import (
	"testing"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/targeting"
)

// Tokens that contribute nothing and parts with equal costs need no rows of their
// own.
func TestRowsAreShared(t *testing.T) {
	for _, test := range []struct {
		name, grammar string
		want          int // rows, including row 0
	}{
		{"one goal", "grammar G;\ns : x EOF ;\nx : 'a' ;\n", 2},
		{"tokens around it", "grammar G;\ns : '(' '(' x ')' ')' EOF ;\nx : 'a' ;\n", 2},
		{"a choice of texts", "grammar G;\ns : x ';' | '(' x ')' EOF ;\nx : 'a' ;\n", 2},
		{"a choice without it", "grammar G;\ns : x? EOF ;\nx : 'a' ;\n", 3},
		{"two in sequence", "grammar G;\ns : x ',' x EOF ;\nx : 'a' ;\n", 3},
		{"a repetition", "grammar G;\ns : (x ',')+ EOF ;\nx : 'a' ;\n", 3},
		{"two equal repetitions", "grammar G;\ns : (x ',')+ | (x ';')+ EOF ;\nx : 'a' ;\n", 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := grammartest.Load(t, test.grammar)
			solver, err := New(g, "")
			if err != nil {
				t.Fatal(err)
			}
			var paths []features.Path
			for _, n := range g.Nodes {
				if n.Value == "a" {
					paths = append(paths, features.Path{n.ID})
				}
			}
			p, err := newProblem(t.Context(), solver.nodes, targeting.Constraint{}, []targeting.Condition{{Paths: paths, Min: 1, Max: targeting.Unbounded}})
			if err != nil {
				t.Fatal(err)
			}
			if rows := len(p.least) / int(p.vectors); rows != test.want {
				t.Errorf("got %d rows for %d cells, want %d rows", rows, len(p.cells), test.want)
			}
		})
	}
}
