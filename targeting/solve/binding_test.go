package solve

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/targeting"
)

// A sentence is a text and how often its tree has each path.
type sentence struct {
	text   string
	counts map[uint64]int
}

// sentences returns the texts of a grammar over an alphabet, up to a length, as the
// parser reads them, and reports whether it could have read one otherwise.
func sentences(t *testing.T, g *grammars.Grammar, alphabet string, most int) (all []sentence, ambiguous bool) {
	t.Helper()
	extract := features.NewExtractor(features.NewSpace(g, features.Options{Absent: true}), 4)
	opt := grammars.ParseOptions{Ambiguous: func(grammars.Ambiguity) { ambiguous = true }}
	for texts := []string{""}; len(texts[0]) <= most; {
		var longer []string
		for _, text := range texts {
			for _, c := range alphabet {
				longer = append(longer, text+string(c))
			}
			tree, err := g.Parse(t.Context(), []byte(text), opt)
			if err != nil {
				continue
			}
			s := sentence{text, map[uint64]int{}}
			if err := extract.Each(tree, func(_ int, id uint64, _ features.Position) { s.counts[id]++ }); err != nil {
				t.Fatal(err)
			}
			all = append(all, s)
		}
		texts = longer
	}
	return all, ambiguous
}

// Operands are bound as the parser binds them: what it reads in all texts up to a
// length is what is feasible within that length.
func TestOperatorsBindAsParsed(t *testing.T) {
	for _, c := range []struct{ name, rule string }{
		{"every kind", "e : e '!' | <assoc=right> e '^' e | '-' e | e '+' e | 'x'"},
		{"a loose prefix", "e : e '^' e | e '!' | e '+' e | '-' e | 'x'"},
		{"a loose suffix", "e : '-' e | e '^' e | e '+' e | e '!' | 'x'"},
		{"right associative prefix and two in one", "e : <assoc=right> e ('^' | '-') e | '!' e | <assoc=right> e '+' e | 'x'"},
		{"three operands", "e : e '!' | e '^' e '-' e | e '+' e | 'x'"},
	} {
		t.Run(c.name, func(t *testing.T) {
			const most = 6
			g := grammartest.Load(t, "grammar G;\ns : e EOF ;\n"+c.rule+" ;\n")
			all, _ := sentences(t, g, "!^-+x", most)
			space := features.NewSpace(g, features.Options{})
			solver, err := New(g, "")
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(1, 0))
			solved := 0
			for range 500 {
				constraint := targeting.Constraint{MaxChars: most}
				for range 1 + r.IntN(3) {
					cond := targeting.Require(randomPath(r, g))
					if r.IntN(4) == 0 {
						cond.Min, cond.Max = 0, r.IntN(2)
					}
					constraint.Conditions = append(constraint.Conditions, cond)
				}
				want := shortest(all, space, constraint)
				solution, err := solver.Solve(t.Context(), constraint)
				var bad *InfeasibleError
				switch {
				case errors.As(err, &bad) && want == nil:
				case err == nil && want != nil && len(want.text) == solution.Least():
					solved++
				default:
					t.Fatalf("%v: %v, want %v", constraint, err, want)
				}
			}
			t.Logf("%d texts; %d constraints solved", len(all), solved)
			if solved < 50 {
				t.Errorf("%d constraints were solved", solved)
			}
		})
	}
}

// shortest returns the first of the sentences, which are in order of length,
// that satisfies a constraint.
func shortest(all []sentence, space *features.Space, c targeting.Constraint) *sentence {
	for i, s := range all {
		ok := true
		for _, cond := range c.Conditions {
			count := 0
			for _, p := range cond.Paths {
				count += s.counts[space.ID(p)]
			}
			ok = ok && count >= cond.Min && (cond.Max == targeting.Unbounded || count <= cond.Max)
		}
		if ok {
			return &all[i]
		}
	}
	return nil
}
