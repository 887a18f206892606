package grammars_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/grammartest"
)

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
		r := rand.New(rand.NewPCG(seed, 0))
		lexer := grammartest.RandomLexer(r)
		g, err := grammars.Load(t.Context(), grammars.Source{Name: "L.g4", Text: lexer},
			grammars.Source{Name: "P.g4", Text: "parser grammar P; options { tokenVocab = L; } s : .* EOF ;"})
		if err != nil {
			continue // for example, popMode in a lexer without pushMode
		}
		loaded++
		if check(lexer, g, r); t.Failed() {
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
	texts := grammartest.ShortTexts(5)[1:] // an empty input can be one empty token
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
			if text := w.Spell(r, token, grammars.AnyMode, nil); text != nil {
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

// A separator ends the longer matches of tokens that are not its neighbours: two strings
// are kept apart by a comment with a character that strings do not have.
func TestWriterReleases(t *testing.T) {
	g := grammartest.Load(t, "grammar G;\ns : (STRING | A)* EOF ;\nSTRING : '|' [|a ]* '|' ;\nA : 'a' ;\nCOMMENT : '#' ~'\\n'* -> skip ;\nWS : [ \\n] -> skip ;\n")
	token := func(name string) int { return slices.Index(g.Tokens(), name) }
	words := []grammars.Word{{Type: token("STRING"), Text: []byte("||")}, {Type: token("'a'"), Text: []byte("a")}, {Type: token("STRING"), Text: []byte("||")}}
	text, _, ok := g.Writer().Write(words, grammars.Writing{Separators: [][]byte{[]byte(" "), []byte("\n")}})
	read, _ := lexes(t, g, string(text))
	read = slices.DeleteFunc(read, func(w grammars.Word) bool { return w.Type == 0 })
	if !ok || !sameWords(read, words) {
		t.Errorf("%v are written as %q, %v, which lexes as %v", words, text, ok, read)
	}
}

// A rule with too many states to look at is taken to match, so that the other tokens of
// the lexer are known.
func TestLexiconOfManyStates(t *testing.T) {
	late := "[ab]* 'a'" + strings.Repeat(" [ab]", 16)
	g := grammartest.Load(t, "grammar G;\ns : (ANY | LATE | NEVER)* EOF ;\nANY : [ab]+ ;\nLATE : "+late+" ;\nNEVER : 'ab' ;\n")
	x := g.Lexicon()
	if x == nil {
		t.Fatal("the lexer has no lexicon")
	}
	var got []string
	for _, r := range x.Readings {
		got = append(got, r.Rule.Name)
	}
	if want := []string{"ANY", "LATE"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Words that are written like others have the same text as without.
func TestWriterLike(t *testing.T) {
	t.Parallel()
	reused := 0
	eachLexer(t, func(lexer string, g *grammars.Grammar, r *rand.Rand) {
		w, alone := g.Writer(), g.Writer()
		var pool []grammars.Word
		for _, text := range grammartest.ShortTexts(4)[1:] {
			words, _ := lexes(t, g, text)
			pool = append(pool, words...)
		}
		if len(pool) == 0 {
			return
		}
		some := func(most int) (words []grammars.Word) {
			for range r.IntN(most + 1) {
				words = append(words, pool[r.IntN(len(pool))])
			}
			return words
		}
		how := grammars.Writing{Separators: [][]byte{[]byte(" "), []byte("b")}}
		for range 50 {
			first, last := some(3), some(3)
			text, words, ok := w.Write(slices.Concat(first, some(2), last), how)
			if !ok {
				continue
			}
			like := how
			like.Like = w.Written(words, text)
			other := slices.Concat(first, some(2), last)
			got, _, ok := w.Write(other, like)
			rules := slices.Clone(w.Rules())
			want, _, wantOK := alone.Write(other, how)
			if ok != wantOK || ok && string(got) != string(want) || ok && !slices.Equal(rules, alone.Rules()) {
				t.Fatalf("%s%v are written as %q, %v like %q, and as %q, %v alone", lexer, other, got, ok, text, want, wantOK)
			}
			if ok && len(first)+len(last) > 0 {
				reused++
			}
		}
	})
	if reused == 0 {
		t.Error("no words are written like others")
	}
}
