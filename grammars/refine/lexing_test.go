package refine_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/grammars/refine"
)

var long = flag.Bool("long", false, "check many more random lexers")

// Sequences of tokens are impossible only if no short text is read as them, for random
// lexers with overlapping tokens, several modes, `more` and trivia. Most of the
// sequences that are not impossible have a text.
func TestImpossibleSequences(t *testing.T) {
	t.Parallel()
	count := 300
	if *long {
		count = 20_000
	}
	texts := grammartest.ShortTexts(6)
	var possible, impossible, found, missed, prevented int
	for seed := range uint64(count) {
		r := rand.New(rand.NewPCG(seed, 1))
		lexer := grammartest.RandomLexer(r)
		tokens := strings.Count(lexer, " : ")
		parser := randomSequences(r, tokens)
		g, err := grammars.Load(t.Context(), grammars.Source{Name: "L.g4", Text: lexer}, grammars.Source{Name: "P.g4", Text: parser})
		if err != nil {
			continue
		}
		read := readSequences(t, g, texts)
		prevented += checkPrevented(t, g, read, lexer)
		for _, rule := range g.ParserRules()[1:] {
			sequence := ""
			for _, n := range g.Nodes[rule.Root].Children {
				if n.Token > 0 {
					sequence += fmt.Sprint(n.Token, " ")
				}
			}
			graph := refine.Of(g, rule.Name).Graph()
			body := &graph.Bodies[graph.Start]
			switch is := body.Parts[len(body.Parts)-1].Useful; {
			case is:
				possible++
				if read[sequence] {
					found++
				} else {
					missed++
				}
			case read[sequence]:
				t.Fatalf("%s%s%s is impossible, but some text is read as it", lexer, parser, rule.Name)
			default:
				impossible++
			}
		}
	}
	t.Logf("%d impossible, %d possible, of which %d have a short text; %d prevented anywhere after another token", impossible, possible, found, prevented)
	if impossible < count || found < count || missed > found/2 || prevented < count/10 {
		t.Errorf("%d impossible; %d possible, %d of them without a short text; %d prevented", impossible, possible, missed, prevented)
	}
}

// checkPrevented checks that no text is read as a token and, anywhere after it, a token
// that it prevents. It returns the number of such pairs of tokens.
func checkPrevented(t *testing.T, g *grammars.Grammar, read map[string]bool, lexer string) int {
	t.Helper()
	pairs := 0
	x := g.Lexicon()
	if x == nil {
		return 0
	}
	for _, all := range x.Prevented {
		pairs += len(all)
	}
	for sequence := range read {
		if pairs == 0 {
			break
		}
		var before []int
		for field := range strings.FieldsSeq(sequence) {
			after, err := strconv.Atoi(field)
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range before {
				if slices.Contains(x.Prevented[b], after) {
					t.Fatalf("%stoken %d comes after %d in %s, though %d prevents it", lexer, after, b, sequence, b)
				}
			}
			before = append(before, after)
		}
	}
	return pairs
}

// randomSequences returns a parser grammar with a rule that accepts all tokens, and rules
// that accept one sequence of tokens each.
func randomSequences(r *rand.Rand, tokens int) string {
	var b strings.Builder
	b.WriteString("parser grammar P; options { tokenVocab = L; }\nall : .* EOF ;\n")
	for i := range 12 {
		fmt.Fprintf(&b, "s%d :", i)
		for range 1 + r.IntN(3) {
			fmt.Fprintf(&b, " T%d", r.IntN(tokens))
		}
		b.WriteString(" EOF ;\n")
	}
	return b.String()
}

// readSequences returns the sequences of token types that texts are read as.
func readSequences(t *testing.T, g *grammars.Grammar, texts []string) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	for _, text := range texts {
		tree, err := g.Parse(t.Context(), []byte(text), grammars.ParseOptions{Start: "all"})
		if err != nil {
			continue
		}
		sequence := ""
		for _, token := range tree.Tokens() {
			if !token.Trivia() && token.Type > 0 {
				sequence += fmt.Sprint(token.Type, " ")
			}
		}
		out[sequence] = true
	}
	return out
}

// A rule that also matches the empty text has tokens before the end of the input: after
// `b`, the lexer is where it was before.
func TestRepeatedText(t *testing.T) {
	t.Parallel()
	g, err := grammars.Load(t.Context(), grammars.Source{Name: "L.g4", Text: `lexer grammar L;
		A : 'a' -> skip, mode(M) ;
		mode M;
		B : 'b'* -> mode(DEFAULT_MODE) ;`},
		grammars.Source{Name: "P.g4", Text: "parser grammar P; options { tokenVocab = L; }\ntwo : B B EOF ;"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Parse(t.Context(), []byte("abbab"), grammars.ParseOptions{}); err != nil {
		t.Fatal(err)
	}
	if all := g.Lexicon().Prevented; len(all) > 0 {
		t.Errorf("prevented: %v", all)
	}
	graph := refine.Of(g, "two").Graph()
	body := &graph.Bodies[graph.Start]
	if !body.Parts[len(body.Parts)-1].Useful {
		t.Error("B B is impossible")
	}
}
