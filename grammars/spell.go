package grammars

import (
	"bytes"

	"github.com/inroad/inroad/grammars/internal/atn"
)

// A Word is a token to be written.
type Word struct {
	Type int
	Text []byte
}

// A Writer writes tokens as a text that the lexer reads as the same tokens. It
// is not safe for concurrent use.
type Writer struct {
	grammar *Grammar
	speller *atn.Speller
}

// Writer returns a writer of the grammar's tokens.
func (g *Grammar) Writer() *Writer { return &Writer{g, g.machine.Speller()} }

// Reads reports whether a text alone is read as a token of a type, in a mode of
// one of the rules that make it.
func (w *Writer) Reads(token int, text []byte) bool {
	for _, r := range w.grammar.TokenRules(token) {
		if w.speller.Reads(w.grammar.modes[r.Mode], int32(token), text) {
			return true
		}
	}
	return false
}

// Write returns the words as a text. Before the i-th word, and after the last,
// stands the trivia that wish returns for i, a token each, if it can stand there.
// Where it cannot, and two words would be read otherwise, stands the first of the
// separators that keeps them apart. Write reports whether there was one wherever
// it was needed.
func (w *Writer) Write(words []Word, separators [][]byte, wish func(i int) [][]byte) (text []byte, ok bool) {
	w.speller.Reset()
	if len(words) == 0 {
		return nil, true
	}
	if before := wish(0); w.speller.Tried(func() bool { return w.fit(before, words[0].Text) }) {
		text = join(text, before)
	}
	for i, word := range words {
		var next []byte
		if i+1 < len(words) {
			next = words[i+1].Text
		}
		text = append(text, word.Text...)
		switch between, ok := w.between(word, next, separators, wish(i+1)); {
		case ok:
			text = join(text, between)
		default:
			return nil, false
		}
	}
	return text, true
}

func join(text []byte, tokens [][]byte) []byte { return append(text, bytes.Join(tokens, nil)...) }

// between finds what stands between a word and the next.
func (w *Writer) between(word Word, next []byte, separators, wished [][]byte) ([][]byte, bool) {
	if len(wished) > 0 && w.apart(word, next, wished) {
		return wished, true
	}
	if w.speller.Fits(int32(word.Type), word.Text, next) {
		return nil, true
	}
	for _, s := range separators {
		if one := [][]byte{s}; w.apart(word, next, one) {
			return one, true
		}
	}
	return nil, false
}

// apart reports whether trivia between a word and the next has both read as
// they are.
func (w *Writer) apart(word Word, next []byte, trivia [][]byte) bool {
	return w.speller.Tried(func() bool {
		return w.speller.Fits(int32(word.Type), word.Text, append(join(nil, trivia), next...)) && w.fit(trivia, next)
	})
}

// fit reports whether some trivia is read as it is before the next word.
func (w *Writer) fit(trivia [][]byte, next []byte) bool {
	for i, text := range trivia {
		if !w.speller.Fits(0, text, append(join(nil, trivia[i+1:]), next...)) {
			return false
		}
	}
	return true
}
