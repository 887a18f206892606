package solve

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/g4"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/grammars/refine"
	"github.com/inroad/inroad/targeting"
)

// islands is a lexer with three modes that read the same characters as different
// tokens. FLIP changes the mode, OPEN and CLOSE enclose another one.
const islands = `lexer grammar L;
A : 'a' ;
B : 'b' ;
FLIP : '/' -> mode(ALT) ;
OPEN : '<' -> pushMode(IN) ;
mode ALT;
ALT_A : 'a' -> type(A), mode(DEFAULT_MODE) ;
Y : 'b' ;
BACK : '/' -> type(FLIP), mode(DEFAULT_MODE) ;
ALT_OPEN : '<' -> type(OPEN), mode(DEFAULT_MODE), pushMode(IN) ;
mode IN;
X : 'a' ;
IN_B : 'b' -> type(B) ;
DEEPER : '<' -> type(OPEN), pushMode(IN) ;
CLOSE : '>' -> popMode ;
`

// randomIslands returns a random parser of the tokens of islands.
func randomIslands(r *rand.Rand) string {
	rules := 1 + r.IntN(3)
	var expr func(depth int) string
	expr = func(depth int) string {
		switch x := r.IntN(12); {
		case depth == 0 || x < 3:
			return []string{"A", "B", "X", "Y", "FLIP"}[r.IntN(5)]
		case x < 4:
			return fmt.Sprintf("r%d", r.IntN(rules))
		case x < 6:
			return "(" + expr(depth-1) + " | " + expr(depth-1) + ")"
		case x < 8:
			return expr(depth-1) + " " + expr(depth-1)
		case x < 10:
			return "OPEN " + expr(depth-1) + " CLOSE"
		default:
			return "(" + expr(depth-1) + ")" + []string{"*", "+", "?"}[r.IntN(3)]
		}
	}
	var text strings.Builder
	text.WriteString("parser grammar P;\noptions { tokenVocab = L; }\ns : r0 EOF ;\n")
	for i := range rules {
		fmt.Fprintf(&text, "r%d : %s | %s ;\n", i, expr(3), expr(2))
	}
	return text.String()
}

// Modes are those of the lexer: what is feasible within a length is what the
// parser reads in all texts up to that length.
func TestModesAreThoseOfAnOracle(t *testing.T) {
	const most = 5
	count := 150
	if *long {
		count = 5000
	}
	checked, solved, infeasible, forbidden := 0, 0, 0, 0
	for seed := range uint64(count) {
		r := rand.New(rand.NewPCG(seed, 2))
		text := randomIslands(r)
		g, err := grammars.Load(t.Context(), grammars.Source{Name: "P.g4", Text: text}, grammars.Source{Name: "L.g4", Text: islands})
		if err != nil || slices.ContainsFunc(g.Warnings, func(d g4.Diagnostic) bool { return strings.Contains(d.Message, "alternative") }) {
			continue // the draw repeats an empty part, recurses on the left, or has the same alternative twice
		}
		solver, err := New(g, "")
		if err != nil || refine.Of(g, g.Start).Modes() == nil {
			continue
		}
		all, ambiguous := sentences(t, g, "ab<>/", most)
		if ambiguous {
			continue
		}
		checked++
		space := features.NewSpace(g, features.Options{})
		for range 40 {
			c := targeting.Constraint{MaxChars: most}
			for range 1 + r.IntN(3) {
				path := randomPath(r, g)
				for !g.Nodes[path[len(path)-1]].Kind.Symbolic() {
					path = randomPath(r, g)
				}
				cond := targeting.Require(path)
				if r.IntN(4) == 0 {
					cond.Min, cond.Max = 0, r.IntN(2)
				}
				c.Conditions = append(c.Conditions, cond)
			}
			want := shortest(all, space, c)
			solution, err := solver.Solve(t.Context(), c)
			var bad *InfeasibleError
			switch {
			case errors.As(err, &bad) && want == nil:
				if infeasible++; plainlyFeasible(t, solver, g, c) {
					forbidden++
				}
			case err == nil && want != nil && len(want.text) == solution.Least():
				solved++
				checkInputs(t, g, solution, c, r)
			default:
				t.Fatalf("seed %d: %s%v: %v, want %v", seed, text, c, err, want)
			}
		}
	}
	t.Logf("%d grammars: %d constraints solved, %d infeasible, %d of them only because of modes", checked, solved, infeasible, forbidden)
	if checked < count/10 || min(solved, infeasible, forbidden) < count/2 {
		t.Errorf("the draw is one-sided")
	}
}

// plainlyFeasible reports whether a tree would satisfy a constraint if any token
// could stand anywhere.
func plainlyFeasible(t *testing.T, s *Solver, g *grammars.Grammar, c targeting.Constraint) bool {
	t.Helper()
	plain := *s
	graph := refine.Plain(g, g.Start)
	plain.chars = newShape(g, graph, graph.Start, newCharCost(g).weigh)
	solution, err := plain.Try(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return solution != nil
}

// checkInputs makes inputs in every style: all trees have a text.
func checkInputs(t *testing.T, g *grammars.Grammar, s *Solution, c targeting.Constraint, r *rand.Rand) {
	t.Helper()
	smallest, err := s.Smallest(t.Context(), r, 2)
	if err != nil || len(smallest[0].Text) != s.Least() {
		t.Fatalf("%v: %v, %v", c, smallest, err)
	}
	if varied, err := s.Varied(t.Context(), r, 3); err != nil {
		t.Fatalf("%v: %v, %v", c, varied, err)
	}
	if natural, err := s.Natural(t.Context(), r, nil, 3); err != nil {
		t.Fatalf("%v: %v, %v", c, natural, err)
	}
	checkWitnesses(t, g, s, r)
}

// The paths that are possible are those that some tree has, by operator bindings
// and lexer modes.
func TestPossiblePathsAreFeasible(t *testing.T) {
	for _, name := range []string{"expr", "css", "javascript"} {
		t.Run(name, func(t *testing.T) {
			g := grammartest.Bundled(t, name)
			solver, err := New(g, "")
			if err != nil {
				t.Fatal(err)
			}
			possible := map[uint64]bool{}
			space := features.NewSpace(g, features.Options{Possible: true})
			for p := range space.All(3) {
				possible[space.ID(p)] = true
			}
			r := rand.New(rand.NewPCG(1, 0))
			all := features.NewSpace(g, features.Options{})
			n := int(all.Count(3).Int64())
			impossible, checked := 0, 0
			for p := range all.All(3) {
				is := possible[all.ID(p)]
				of := len(possible)
				if !is {
					of = n - len(possible)
				}
				if r.IntN(of) >= 60 {
					continue
				}
				solution, err := solver.Try(t.Context(), targeting.Constraint{Conditions: []targeting.Condition{targeting.Require(p)}})
				if err != nil || (solution != nil) != is {
					t.Fatalf("%v: %v, want %v", all.Symbols(p), err, is)
				}
				if checked++; !is {
					impossible++
				}
			}
			t.Logf("%d paths, %d of them impossible", checked, impossible)
		})
	}
}
