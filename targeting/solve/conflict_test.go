package solve_test

import (
	"testing"

	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/targeting"
)

// A constraint is infeasible even if it exceeds a limit without one of its conditions.
func TestConflictOverLimit(t *testing.T) {
	g := grammartest.Load(t, "grammar G;\ns : a EOF ;\na : '(' a ')' | 'x' | 'y' ;\n")
	reader := targeting.NewReader(g, "")
	path := func(text string, least, most int) targeting.Condition {
		c, err := reader.Read(text)
		if err != nil {
			t.Fatal(err)
		}
		c.Min, c.Max = least, most
		return c
	}
	for _, c := range []struct {
		name  string
		depth int
		want  string
	}{
		{"within the limits", 30, "infeasible: no input with a depth of at most 30 has a at least 1000 times"},
		{"over a limit without a > a", 5000, "infeasible: no input with a depth of at most 5000 has a at least 1000 times and 'y' and no a > a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := newSolver(t, g).Solve(t.Context(), targeting.Constraint{
				Conditions: []targeting.Condition{path("a", 1000, targeting.Unbounded), path("'y'", 1, targeting.Unbounded), path("a > a", 0, 0)},
				MaxDepth:   c.depth,
			})
			if err == nil || err.Error() != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}
