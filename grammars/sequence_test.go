package grammars_test

import (
	"math/rand/v2"
	"testing"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/g4"
	"github.com/inroad/inroad/grammars/grammartest"
)

// No short text has three tokens in a row of which it is proved that the lexer reads them
// as one, for random lexers.
func TestMerges(t *testing.T) {
	t.Parallel()
	type row struct {
		types [3]int
		first rune // of the token in the middle
	}
	texts := grammartest.ShortTexts(5)[1:]
	proved, refuted := 0, 0
	eachLexer(t, func(lexer string, g *grammars.Grammar, _ *rand.Rand) {
		if len(g.Modes()) > 1 || len(g.Tokens()) > 8 {
			return
		}
		seen := map[row]string{}
		for _, text := range texts {
			words, ok := lexes(t, g, text)
			if !ok {
				continue
			}
			var tokens []grammars.Word
			for _, w := range words {
				if w.Type > 0 {
					tokens = append(tokens, w)
				}
			}
			for i := 2; i < len(tokens); i++ {
				for _, first := range []rune{0, []rune(string(tokens[i-1].Text) + "\x00")[0]} {
					seen[row{[3]int{tokens[i-2].Type, tokens[i-1].Type, tokens[i].Type}, first}] = text
				}
			}
		}
		w := g.Writer()
		for a := 1; a < len(g.Tokens()); a++ {
			for b := 1; b < len(g.Tokens()); b++ {
				for c := 1; c < len(g.Tokens()); c++ {
					for _, first := range []rune{0, 'a', 'b'} {
						middle := grammars.Part{Types: []int{b}}
						if first != 0 {
							middle.First = []g4.RuneRange{{Lo: first, Hi: first}}
						}
						text, found := seen[row{[3]int{a, b, c}, first}]
						if found {
							refuted++
						}
						if !w.Merges([]grammars.Part{{Types: []int{a}}, middle, {Types: []int{c}}}) {
							continue
						}
						if proved++; found {
							t.Fatalf("%s%q has tokens %d, %d, %d, which were proved to be read as one", lexer, text, a, b, c)
						}
					}
				}
			}
		}
	})
	if proved < 20 || refuted < 20 {
		t.Errorf("only %d sequences were proved to be read as one token, and %d were read", proved, refuted)
	}
}

func TestFirstChars(t *testing.T) {
	g := grammartest.Load(t, "grammar G;\ns : T+ EOF ;\nT : N 'x' | '+'? [a-c] 'y' | 'k'* | F 'z' ;\nfragment N : [0-9]+ ;\nfragment F options { caseInsensitive = true; } : 'ı' ;\n")
	for text, want := range map[string]string{"'x'": "0-9", "'y'": "+-+a-c", "'k'": "", "'z'": "ı-ıI-I"} {
		got := ""
		for _, n := range g.Nodes {
			if n.Kind == grammars.Literal && n.Text == text && n.Rule != nil && n.Rule.Name == "T" {
				for _, r := range g.FirstChars(n) {
					got += string(r.Lo) + "-" + string(r.Hi)
				}
			}
		}
		if got != want {
			t.Errorf("with %s, tokens begin with %q, want %q", text, got, want)
		}
	}
}
