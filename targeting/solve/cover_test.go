package solve_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/grammars/refine"
	"github.com/inroad/inroad/targeting/generate"
	"github.com/inroad/inroad/targeting/solve"
)

// A path is covered, proved impossible or not found, for a reason. A path that the parser
// never reads is not found if there is no proof: that all of b is derived by a depends on
// unbounded nesting.
func TestComplete(t *testing.T) {
	type reasons map[refine.Reason]int
	for name, c := range map[string]struct {
		grammar string
		want    reasons
	}{
		"every path has an input":               {"grammar G;\ns : x+ EOF ;\nx : a | b ;\na : 'x' ;\nb : 'y' ;\n", reasons{}},
		"a part that is read only in one place": {"grammar G;\ns : (x+ | 'n' x 'm') EOF ;\nx : 'd' ('i' | p)+ ;\np : ('i' 'd')* 'h' ;\n", reasons{}},
		"a token at the end of the input":       {"grammar G;\ns : a 'b' c EOF ;\na : D ;\nc : D ;\nD : 'd' 'c' | 'd' EOF ;\n", reasons{refine.Lexer: 1}},
		"a part that needs a deep part":         {"grammar G;\ns : n33 EOF ;\nw : 'w' L* ('(' n1 ')')? L* ;\nL : '.' ;\n" + deep(33), reasons{}},
		"the parser prefers a":                  {"grammar G;\ns : x EOF ;\nx : a | b ;\na : ('(' 'x'? | ')' 'x'? | 'x')+ ;\nb : '(' b ')' | 'x' ;\n", reasons{solve.Misread: 8}},
	} {
		t.Run(name, func(t *testing.T) {
			g := grammartest.Load(t, c.grammar)
			cover, rest := complete(t, g)
			got := reasons{}
			for _, m := range rest {
				if got[m.Reason]++; m.Reason == solve.Misread && m.Tried == 0 {
					t.Errorf("%+v: tried no tree", m)
				}
			}
			if covered, all := cover.Covered(); !maps.Equal(got, c.want) || covered+len(rest) != all {
				t.Errorf("%d of %d paths are covered, and the rest is missing because of %v; want %v", covered, all, got, c.want)
			}
		})
	}
}

// deep returns rules n0 to n(levels), each of which refers to the one before; n0 is a word.
func deep(levels int) string {
	var out strings.Builder
	for i := range levels {
		fmt.Fprintf(&out, "n%d : n%d ;\n", i+1, i)
	}
	return out.String() + "n0 : 'x' | w ;\n"
}

// complete covers the paths of two symbols.
func complete(t *testing.T, g *grammars.Grammar) (*generate.Cover, []solve.Missing) {
	t.Helper()
	x, err := generate.New(g, rand.New(rand.NewPCG(1, 0)), generate.Options{MaxNodes: 50})
	if err != nil {
		t.Fatal(err)
	}
	cover, err := generate.NewCover(x, 2, generate.CoverOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for {
		input, err := cover.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if input == nil {
			break
		}
	}
	solver, err := solve.New(g, "")
	if err != nil {
		t.Fatal(err)
	}
	rest, err := solver.Complete(t.Context(), cover, rand.New(rand.NewPCG(1, 0)), func(*generate.Input) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return cover, rest
}

// No tree of a short text has a path that is proved impossible, for random grammars.
func TestCompleteProvesNoPathOfATree(t *testing.T) {
	t.Parallel()
	texts := grammartest.ShortTexts(5)
	proved := 0
	for seed := range uint64(40) {
		text := grammartest.RandomParser(rand.New(rand.NewPCG(seed, 9)))
		g, err := grammars.Load(t.Context(), grammars.Source{Name: "G.g4", Text: text})
		if err != nil {
			continue
		}
		if x, err := generate.New(g, rand.New(rand.NewPCG(1, 0)), generate.Options{}); err != nil || x == nil {
			continue
		}
		cover, rest := complete(t, g)
		space := features.NewSpace(g, features.Options{})
		impossible := map[uint64]bool{}
		for _, p := range cover.Unrealised() {
			impossible[space.ID(p)] = true
		}
		for _, m := range rest {
			if !m.Proved() {
				delete(impossible, space.ID(m.Path))
			}
		}
		proved += len(impossible)
		for _, input := range texts {
			tree, err := g.Parse(t.Context(), []byte(input), grammars.ParseOptions{})
			if err != nil {
				continue
			}
			err = space.Locate(tree, 2, func(id uint64, p features.Path) {
				if impossible[id] {
					t.Fatalf("%s%q has %v, which was proved impossible", text, input, space.Symbols(p))
				}
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if proved < 3 {
		t.Errorf("only %d paths were proved impossible", proved)
	}
}
