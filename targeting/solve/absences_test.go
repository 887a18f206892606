package solve_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/targeting/generate"
	"github.com/inroad/inroad/targeting/solve"
)

const optional = `grammar Optional;
list : '[' (item (',' item)*)? ']' EOF ;
item : NAME ('=' NUM)? ('!' NAME)? ;
NAME : [a-z] [a-z0-9]* ;
NUM : '-'? [0-9]+ ('.' [0-9]+)? ;
`

// Inputs for absences cover all of them, after a fresh parse.
func TestAbsences(t *testing.T) {
	for _, c := range []struct {
		name    string
		grammar *grammars.Grammar
		k, all  int
	}{
		{"each optional part", grammartest.Load(t, optional), 1, 7},
		{"below the rule or token", grammartest.Load(t, optional), 2, 8}, // NAME stands in two places
		{"JSON", grammartest.Bundled(t, "json"), 2, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := solve.New(c.grammar, "")
			if err != nil {
				t.Fatal(err)
			}
			a, err := s.NewAbsences(c.k)
			if err != nil {
				t.Fatal(err)
			}
			if covered, all := a.Covered(); covered != 0 || c.all > 0 && all != c.all {
				t.Errorf("%d of %d absences before the first input, want 0 of %d", covered, all, c.all)
			}
			space := features.NewSpace(c.grammar, features.Options{Absent: true, Possible: true})
			extract, seen := features.NewExtractor(space, c.k), features.NewSet(c.k)
			inputs := 0
			err = a.Cover(t.Context(), rand.New(rand.NewPCG(1, 0)), func(input *generate.Input) error {
				inputs++
				return extract.Add(seen, grammartest.Parse(t, c.grammar, string(input.Text)))
			})
			if err != nil {
				t.Fatal(err)
			}
			covered, all := a.Covered()
			found := !slices.ContainsFunc(a.Missing, func(m solve.Missing) bool { return !m.Proved() })
			if covered+len(a.Missing) != all || !found || inputs == 0 || inputs > covered {
				t.Errorf("%d inputs cover %d of %d absences, missing: %+v", inputs, covered, all, a.Missing)
			}
			fresh := 0
			for p := range space.All(c.k) {
				if c.grammar.Nodes[p[len(p)-1]].Kind == grammars.Repetition && seen.Has(c.k, space.ID(p)) {
					fresh++
				}
			}
			if fresh != covered {
				t.Errorf("the inputs have %d absences, want %d", fresh, covered)
			}
		})
	}
}
