package grammars

import "github.com/inroad/inroad/grammars/internal/atn"

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

// Write returns the words as a text. Between two words that would be read
// otherwise, and between all of them if they are to be spaced, stands the first
// of the separators that keeps them apart; separators are texts of trivia. It
// reports whether there was one wherever it was needed.
func (w *Writer) Write(words []Word, separators [][]byte, spaced bool) (text []byte, ok bool) {
	w.speller.Reset()
	for i, word := range words {
		text = append(text, word.Text...)
		if i == len(words)-1 {
			return text, w.speller.Fits(int32(word.Type), word.Text, nil)
		}
		next := words[i+1].Text
		if !spaced && w.speller.Fits(int32(word.Type), word.Text, next) {
			continue
		}
		s, ok := w.separator(word, next, separators)
		switch {
		case ok:
			text = append(text, s...)
		case !spaced || !w.speller.Fits(int32(word.Type), word.Text, next):
			return nil, false
		}
	}
	return text, true
}

// separator finds what keeps a word apart from the next.
func (w *Writer) separator(word Word, next []byte, separators [][]byte) ([]byte, bool) {
	for _, s := range separators {
		if w.speller.Tried(func() bool {
			return w.speller.Fits(int32(word.Type), word.Text, append(append([]byte{}, s...), next...)) && w.speller.Fits(0, s, next)
		}) {
			return s, true
		}
	}
	return nil, false
}
