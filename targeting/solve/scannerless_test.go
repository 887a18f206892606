package solve_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/targeting"
)

// scannerless returns grammars whose tokens are characters: with words that another rule
// can read as well, with nesting and bounded repetitions, with operators, and in TRIBBLE's
// notation with regular expressions.
func scannerless(t *testing.T) map[string]*grammars.Grammar {
	t.Helper()
	const head = "grammar g; options { scannerless = true; } "
	table, err := grammars.Load(t.Context(), grammars.Source{Name: "g.scala", Text: `Grammar(
  'table := 'line.rep(1, 3),
  'line := 'cell ~ (";" ~ 'cell).rep ~ "\n",
  'cell := "[a-z]+&~(.*zz.*)".regex | "<" ~ "[^<>\n]".regex.rep ~ ">" | "-".? ~ "0|[1-9][0-9]{0,2}".regex
)`})
	if err != nil {
		t.Fatal(err)
	}
	return map[string]*grammars.Grammar{
		"words":     grammartest.Load(t, head+"s : WORD (' ' WORD)* NUM{2,3} '!' ; WORD : 'ab' | [a-z]+ ; NUM : '-'? [0-9] ;"),
		"nested":    grammartest.Load(t, head+"s : '(' s{1,2} ')' | 'x' | '[' (s ',')* ']' ;"),
		"operators": grammartest.Load(t, head+"s : s '*' s | s '+' s | [0-9]+ | '(' s ')' ;"),
		"table":     table,
	}
}

// TestScannerless checks that a constraint which some input of a scannerless grammar
// satisfies is solved, and that every solution parses back to a tree that satisfies it.
func TestScannerless(t *testing.T) {
	for name, g := range scannerless(t) {
		t.Run(name, func(t *testing.T) {
			solver := newSolver(t, g)
			rapid.Check(t, func(r *rapid.T) {
				seed := rapid.Uint64Max(1<<20).Draw(r, "seed")
				c := newTask(t, g, seed).constraint(t, rapid.IntRange(1, 3).Draw(r, "required"), rapid.IntRange(0, 2).Draw(r, "forbidden"))
				solution, err := solver.Solve(t.Context(), c)
				if err != nil {
					r.Fatalf("%v: %v", c, err)
				}
				inputs, err := solution.Smallest(t.Context(), source(seed), 1)
				if err != nil {
					r.Fatalf("%v: %v", c, err)
				}
				varied, err := solution.Varied(t.Context(), source(seed), 2)
				if err != nil {
					r.Fatalf("%v: %v", c, err)
				}
				for _, input := range append(inputs, varied...) {
					if !holds(t, g, input.Text, c) {
						r.Fatalf("%v does not hold for %q", c, input.Text)
					}
				}
			})
		})
	}
}

// TestScannerlessPaths checks that each path of a scannerless grammar that the parser can
// read is solved on its own, and that its smallest input parses back to a tree with the path.
func TestScannerlessPaths(t *testing.T) {
	for name, g := range scannerless(t) {
		t.Run(name, func(t *testing.T) {
			solver, space := newSolver(t, g), features.NewSpace(g, features.Options{Possible: true})
			for k := 1; k <= 3; k++ {
				for p := range space.All(k) {
					c := targeting.Constraint{Conditions: []targeting.Condition{targeting.Require(slices.Clone(p))}}
					solution, err := solver.Solve(t.Context(), c)
					if err != nil {
						t.Fatalf("%v: %v", c, err)
					}
					inputs, err := solution.Smallest(t.Context(), source(1), 1)
					if err != nil {
						t.Fatalf("%v: %v", c, err)
					}
					if len(inputs) != 1 || !holds(t, g, inputs[0].Text, c) {
						t.Errorf("%v does not hold for %v", c, inputs)
					}
				}
			}
		})
	}
}
