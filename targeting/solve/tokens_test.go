package solve_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/targeting"
	"github.com/inroad/inroad/targeting/solve"
)

// Tokens have required texts, lack forbidden ones, and have optional ones in some
// inputs. A text that is not one of the token is left out.
func TestWithTexts(t *testing.T) {
	g := grammartest.Load(t, "grammar G; s : NAME ('+' DIGIT)+ EOF ; NAME : [a-z]+ ; DIGIT : [0-3] ;")
	at := func(name string) grammars.Occurrence {
		i := slices.IndexFunc(g.Nodes, func(n *grammars.Node) bool { return n.Kind == grammars.Reference && n.Text == name })
		return g.Nodes[i].ID
	}
	solution, err := newSolver(t, g).Solve(t.Context(), targeting.Constraint{})
	if err != nil {
		t.Fatal(err)
	}
	solution = solution.WithTexts([]solve.TokenText{
		{Occurrence: at("NAME"), Text: "select"},
		{Occurrence: at("DIGIT"), Text: "select"},
		{Occurrence: at("DIGIT"), Text: "2"},
		{Occurrence: at("DIGIT"), Text: "3", Use: solve.Optional},
		{Occurrence: at("DIGIT"), Text: "1", Use: solve.Forbidden},
	})
	inputs, err := solution.Varied(t.Context(), source(1), 50)
	if err != nil || len(inputs) < 50 {
		t.Fatalf("%d inputs, %v", len(inputs), err)
	}
	optional := 0
	for _, input := range inputs {
		text := string(input.Text)
		name, digits, _ := strings.Cut(text, "+")
		if name != "select" || strings.Contains(digits, "1") || len(digits) > 4 && !strings.Contains(digits, "2") {
			t.Errorf("got %s", text)
		}
		if strings.Contains(digits, "3") {
			optional++
		}
	}
	if optional == 0 || optional == len(inputs) {
		t.Errorf("the optional text is in %d of %d inputs", optional, len(inputs))
	}
}
