package generate_test

import (
	"testing"

	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/targeting/generate"
)

// Where a text is misread, a part of the tree is drawn again and not the whole tree:
// most inputs need one draw, and large inputs are as frequent as they are drawn.
func TestRepairs(t *testing.T) {
	for name, c := range map[string]struct {
		grammar []string
		long    int // inputs of at least 6 bytes, out of 200
	}{
		// Two neighbours of the same kind would merge.
		"seams": {[]string{"grammar G;\ns : x* EOF ;\nx : A | B ;\nA : 'a'+ ;\nB : 'b'+ ;\n"}, 120},
		// Each mode has its own tokens.
		"modes": {[]string{
			"lexer grammar L;\nOPEN : '<' -> pushMode(IN) ;\nA : 'a'+ ;\nB : 'b'+ ;\nmode IN;\nCLOSE : '>' -> popMode ;\nC : 'c'+ ;\nD : 'd'+ ;\n",
			"parser grammar G;\noptions { tokenVocab = L; }\ns : x* EOF ;\nx : A | B | OPEN y* CLOSE ;\ny : C | D ;\n",
		}, 120},
	} {
		t.Run(name, func(t *testing.T) {
			g := grammartest.Load(t, c.grammar...)
			const n = 200
			draws, repairs, long := 0, 0, 0
			for input, err := range generate.Each(t.Context(), g, generate.Options{}, 1, n, 1) {
				if err != nil {
					t.Fatal(err)
				}
				draws, repairs = draws+input.Draws, repairs+input.Repairs
				if len(input.Text) >= 6 {
					long++
				}
				if got := grammartest.Lisp(t, grammartest.Parse(t, g, string(input.Text))); got != grammartest.Lisp(t, input.Tree) {
					t.Errorf("%q is read as %s, and comes with %s", input.Text, got, grammartest.Lisp(t, input.Tree))
				}
			}
			t.Logf("%d draws, %d repairs, %d long inputs", draws, repairs, long)
			if draws > n*13/10 || long < c.long {
				t.Errorf("%d draws for %d inputs, of which %d are long; want at most %d, and %d", draws, n, long, n*13/10, c.long)
			}
		})
	}
}

// If the parser prefers another tree of the same text, the input comes with that
// tree, is counted, and costs no further draw.
func TestReadOtherwise(t *testing.T) {
	g := grammartest.Load(t, "grammar G;\ns : x EOF ;\nx : 'if' x ('else' x)? | 'ok' ;\n")
	x, err := generate.New(g, source(1), generate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	otherwise := 0
	for range 100 {
		input, err := x.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if input.Draws != 1 || input.Repairs != 0 {
			t.Errorf("%q took %d draws and %d repairs", input.Text, input.Draws, input.Repairs)
		}
		if got, want := grammartest.Lisp(t, input.Tree), grammartest.Lisp(t, grammartest.Parse(t, g, string(input.Text))); got != want {
			t.Errorf("%q comes with %s, and is read as %s", input.Text, got, want)
		}
		if input.ReadOtherwise {
			otherwise++
		}
	}
	if otherwise < 20 || otherwise == 100 {
		t.Errorf("%d of 100 inputs were read otherwise", otherwise)
	}
}
