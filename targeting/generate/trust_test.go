package generate_test

import (
	"errors"
	"testing"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/targeting/generate"
)

// Most texts of a grammar that is read as drawn are not parsed. Their trees are those of
// the parser.
func TestTrust(t *testing.T) {
	for _, name := range []string{"json", "javascript"} {
		g := grammartest.Bundled(t, name)
		x, err := generate.New(g, source(1), generate.Options{MaxNodes: 100, Trust: &generate.Trust{}})
		if err != nil {
			t.Fatal(err)
		}
		drawn, wrong := 0, 0
		for n := range 600 {
			input, err := x.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if !input.Drawn {
				continue
			}
			if drawn++; n < 100 {
				t.Fatalf("%s: input %d is not parsed", name, n)
			}
			parsed, err := g.Parse(t.Context(), input.Text, grammars.ParseOptions{})
			if err != nil || grammartest.Lisp(t, parsed) != grammartest.Lisp(t, input.Tree) {
				wrong++
			}
		}
		if drawn < 300 || drawn > 390 || wrong > 3 {
			t.Errorf("%s: %d of 600 inputs are not parsed, and %d of them have another tree", name, drawn, wrong)
		}
	}
}

// Where texts are often read otherwise, most are parsed: an 'e' belongs to the last
// 'i' before it.
func TestTrustEnds(t *testing.T) {
	g := grammartest.Load(t, "grammar G; s : t EOF ; t : 'i' t ('e' t)? | 'x' ;")
	x, err := generate.New(g, source(1), generate.Options{MaxNodes: 20, Trust: &generate.Trust{}})
	if err != nil {
		t.Fatal(err)
	}
	drawn := 0
	for range 600 {
		input, err := x.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if input.Drawn {
			drawn++
		}
	}
	if drawn > 60 {
		t.Errorf("%d of 600 inputs are not parsed", drawn)
	}
}

// Mutants of mutants are what the parser reads, whether their words are written again or
// not.
func TestMutantsAreRead(t *testing.T) {
	for _, name := range []string{"json", "xml", "sql"} {
		g := grammartest.Bundled(t, name)
		x, err := generate.New(g, source(1), generate.Options{MaxNodes: 100, Trust: &generate.Trust{}})
		if err != nil {
			t.Fatal(err)
		}
		var first, tree *derivation.Tree
		for first == nil || first.Len() < 12 {
			input, err := x.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			first = input.Tree
		}
		misread := 0
		for n := range 500 {
			if n%4 == 0 {
				tree = first
			}
			mutant, err := x.Mutate(t.Context(), tree, first, generate.Mutations()...)
			if errors.Is(err, generate.ErrUnwritten) {
				tree = first // too small
				continue
			}
			if err != nil {
				t.Fatalf("%q: %v", tree, err)
			}
			tree = mutant.Tree
			if parsed, err := g.Parse(t.Context(), mutant.Text, grammars.ParseOptions{}); err != nil || grammartest.Lisp(t, parsed) != grammartest.Lisp(t, tree) {
				misread++
			}
		}
		if misread > 2 {
			t.Errorf("%s: %d of 500 mutants are misread", name, misread)
		}
	}
}
