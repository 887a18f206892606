package grammars_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inroad/inroad/grammars"
)

// A randomLexer writes small lexers with overlapping tokens over the characters
// a, b and c.
type randomLexer struct {
	*rand.Rand
	modes int
	rules int
}

const lexerAlphabet = "abc"

// text returns the text of a lexer grammar, which may be invalid.
func (l *randomLexer) text() string {
	l.modes, l.rules = 1+l.IntN(3), 0
	var b strings.Builder
	b.WriteString("lexer grammar L;\n")
	for mode := range l.modes {
		if mode > 0 {
			fmt.Fprintf(&b, "mode M%d;\n", mode)
		}
		for range 1 + l.IntN(4) {
			fmt.Fprintf(&b, "T%d : %s%s ;\n", l.rules, l.alternatives(), l.commands())
			l.rules++
		}
	}
	return b.String()
}

func (l *randomLexer) of(options ...string) string { return options[l.IntN(len(options))] }

func (l *randomLexer) alternatives() string {
	if l.IntN(4) > 0 {
		return l.elements()
	}
	return "(" + l.elements() + " | " + l.elements() + ")"
}

func (l *randomLexer) elements() string {
	var out []string
	for range 1 + l.IntN(3) {
		element := l.of("'a'", "'a'", "'b'", "'b'", "'c'", "'ab'", "'ba'", "[ab]", "[bc]", "~[a]", "~[bc]", ".")
		out = append(out, element+l.of("", "", "", "", "?", "*", "+", "*?", "+?"))
	}
	return strings.Join(out, " ")
}

func (l *randomLexer) commands() string {
	mode := "DEFAULT_MODE"
	if i := l.IntN(l.modes); i > 0 {
		mode = fmt.Sprintf("M%d", i)
	}
	var out []string
	if l.IntN(3) == 0 {
		out = append(out, l.of("skip", "channel(HIDDEN)", "more", "type(T0)"))
	}
	if l.modes > 1 && l.IntN(2) == 0 {
		out = append(out, l.of("mode("+mode+")", "pushMode("+mode+")", "popMode"))
	}
	if out == nil {
		return ""
	}
	return " -> " + strings.Join(out, ", ")
}

// eachLexer calls check with many random lexers, each with a parser that accepts all
// tokens.
func eachLexer(t *testing.T, check func(lexer string, g *grammars.Grammar, r *rand.Rand)) {
	t.Helper()
	count := 300
	if *long {
		count = 30_000
	}
	loaded := 0
	for seed := range uint64(count) {
		l := &randomLexer{Rand: rand.New(rand.NewPCG(seed, 0))}
		lexer := l.text()
		g, err := grammars.Load(t.Context(), grammars.Source{Name: "L.g4", Text: lexer},
			grammars.Source{Name: "P.g4", Text: "parser grammar P; options { tokenVocab = L; } s : .* EOF ;"})
		if err != nil {
			continue // for example, popMode in a lexer without pushMode
		}
		loaded++
		if check(lexer, g, l.Rand); t.Failed() {
			return
		}
	}
	if loaded < count/3 {
		t.Fatalf("only %d of %d lexers are valid", loaded, count)
	}
}

// lexes returns the tokens of a text, trivia as type 0; false if the text is not a
// sequence of tokens.
func lexes(t *testing.T, g *grammars.Grammar, text string) ([]grammars.Word, bool) {
	t.Helper()
	tree, err := g.Parse(t.Context(), []byte(text), grammars.ParseOptions{})
	if err != nil {
		return nil, false
	}
	var out []grammars.Word
	for _, token := range tree.Tokens() {
		switch {
		case token.Type < 0 && token.Start < token.End: // a `more` at the end of the input
			return nil, false
		case token.Type < 0:
		case token.Trivia():
			out = append(out, grammars.Word{Text: []byte(text[token.Start:token.End])})
		default:
			out = append(out, grammars.Word{Type: int(token.Type), Text: []byte(text[token.Start:token.End])})
		}
	}
	return out, true
}

// shortTexts returns all texts of up to n characters.
func shortTexts(n int) []string {
	out := []string{""}
	for from := 0; n > 0; n-- {
		to := len(out)
		for ; from < to; from++ {
			for _, c := range lexerAlphabet {
				out = append(out, out[from]+string(c))
			}
		}
	}
	return out
}

func sameWords(a, b []grammars.Word) bool {
	return slices.EqualFunc(a, b, func(v, w grammars.Word) bool { return v.Type == w.Type && string(v.Text) == string(w.Text) })
}

func joined(words []grammars.Word) string {
	var out []byte
	for _, w := range words {
		out = append(out, w.Text...)
	}
	return string(out)
}

// The writer accepts a sequence of tokens exactly if the lexer reads the joined
// texts as these tokens.
func TestWriterIsTheLexersInverse(t *testing.T) {
	t.Parallel()
	texts := shortTexts(5)[1:] // an empty input can be one empty token
	eachLexer(t, func(lexer string, g *grammars.Grammar, r *rand.Rand) {
		w := g.Writer()
		var pool []grammars.Word
		for _, text := range texts {
			words, ok := lexes(t, g, text)
			if !ok {
				continue
			}
			pool = append(pool, words...)
			if got, _, ok := w.Write(words, grammars.Writing{}); !ok || string(got) != text {
				t.Fatalf("%s%q lexes as %v, but they are written as %q, %v", lexer, text, words, got, ok)
			}
		}
		for range 200 {
			if len(pool) == 0 {
				break
			}
			words := []grammars.Word{}
			for range 1 + r.IntN(3) {
				words = append(words, pool[r.IntN(len(pool))])
			}
			read, ok := lexes(t, g, joined(words))
			want := ok && sameWords(read, words)
			if got, _, ok := w.Write(words, grammars.Writing{}); ok != want {
				t.Fatalf("%s%v are written as %q, %v, but lex as %v", lexer, words, got, ok, read)
			}
		}
	})
}

// New texts of tokens keep the types of the tokens.
func TestWriterRespells(t *testing.T) {
	t.Parallel()
	changed := 0
	eachLexer(t, func(lexer string, g *grammars.Grammar, r *rand.Rand) {
		w := g.Writer()
		var words []grammars.Word
		if len(g.Tokens()) == 1 { // all trivia
			return
		}
		for range 3 {
			token := 1 + r.IntN(len(g.Tokens())-1)
			if text := w.Spell(r, token); text != nil {
				if !w.IsToken(token, text) {
					t.Fatalf("%s%q is not a %s", lexer, text, g.Tokens()[token])
				}
				words = append(words, grammars.Word{Type: token, Text: text})
			}
		}
		text, written, ok := w.Write(words, grammars.Writing{Respell: r})
		if !ok || len(words) == 0 {
			return
		}
		if !sameWords(words, written) {
			changed++
		}
		if read, ok := lexes(t, g, string(text)); !ok || !sameWords(read, written) {
			t.Fatalf("%s%v are written as %q, which lexes as %v", lexer, written, text, read)
		}
	})
	if changed == 0 {
		t.Error("no text was replaced")
	}
}
