package solve_test

import (
	"slices"
	"testing"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/targeting"
)

// All lists every input of a finite solution, and does not claim to otherwise.
func TestAll(t *testing.T) {
	for _, test := range []struct {
		name, grammar string
		forbid        string
		want          []string // nil if the inputs cannot be listed
	}{
		{"finite", "grammar G; s : a 'x' a? EOF ; a : 'a' | 'b' ;", "", []string{"ax", "axa", "axb", "bx", "bxa", "bxb"}},
		{"finite by a condition", "grammar G; s : a EOF ; a : 'a' | 'b' | '(' a ')' ;", "'('", []string{"a", "b"}},
		{"recursive", "grammar G; s : a EOF ; a : 'a' | '(' a ')' ;", "", nil},
		{"repeated", "grammar G; s : 'a'+ EOF ;", "", nil},
		{"a choice of characters", "grammar G; s : A EOF ; A : [ab] ;", "", nil},
		{"too many", "grammar G; s : a a a a a a a a EOF ; a : 'a' | 'b' ;", "", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := grammartest.Load(t, test.grammar)
			var c targeting.Constraint
			for _, n := range g.Nodes {
				if test.forbid != "" && n.Text == test.forbid && n.Kind.Symbolic() {
					c.Conditions = append(c.Conditions, targeting.Forbid(features.Path{n.ID}))
				}
			}
			s, err := newSolver(t, g).Solve(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			inputs, complete, err := s.All(t.Context(), source(1))
			if err != nil || complete != (test.want != nil) {
				t.Fatalf("complete %v, %v", complete, err)
			}
			var got []string
			for _, input := range inputs {
				got = append(got, string(input.Text))
			}
			if slices.Sort(got); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
