package solve_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/targeting"
)

// A limit on characters does not limit symbols, even if there are many for each
// character.
func TestMaxCharsOfDeepTrees(t *testing.T) {
	const depth = 1100
	var text strings.Builder
	text.WriteString("grammar G;\ns : r0+ EOF ;\n")
	for i := range depth {
		fmt.Fprintf(&text, "r%d : r%d ;\n", i, i+1)
	}
	fmt.Fprintf(&text, "r%d : 'x' ;\n", depth)
	g := grammartest.Load(t, text.String())
	solver := newSolver(t, g)
	rounds, err := targeting.NewReader(g, "").Read("r0")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		rounds, chars int
		want          string // the smallest input, or the error
	}{
		{1, 1, "x"},
		{2, 2, "xx"},
		{2, 5000, "xx"},
		{2, 1, "infeasible: an input with r0 at least 2 times has at least 2 characters; the limit is 1"},
	} {
		rounds.Min = c.rounds
		solution, err := solver.Solve(t.Context(), targeting.Constraint{Conditions: []targeting.Condition{rounds}, MaxChars: c.chars})
		if err != nil {
			if err.Error() != c.want {
				t.Errorf("%d rounds of %d characters: %v, want %s", c.rounds, c.chars, err, c.want)
			}
			continue
		}
		inputs, err := solution.Smallest(t.Context(), source(1), 1)
		if err != nil || string(inputs[0].Text) != c.want {
			t.Errorf("%d rounds of %d characters: %v, %v, want %s", c.rounds, c.chars, inputs, err, c.want)
		}
	}
}
