package grammars

import (
	"bytes"
	"slices"

	"github.com/inroad/inroad/grammars/internal/atn"
)

// A Word is a token for a [Writer]; type 0 is trivia.
type Word struct {
	Type int
	Text []byte
}

// A Writer joins tokens to an input that lexes as the same tokens. It is not
// safe for concurrent use.
type Writer struct {
	grammar *Grammar
	relexer *atn.Relexer
}

// Writer returns a Writer for the grammar's tokens.
func (g *Grammar) Writer() *Writer { return &Writer{g, g.machine.Relexer()} }

// IsToken reports whether text on its own lexes as a token of the given type, in
// the mode of a rule that produces it.
func (w *Writer) IsToken(token int, text []byte) bool {
	for _, r := range w.grammar.TokenRules(token) {
		if w.relexer.IsToken(slices.Index(w.grammar.modes, r.Mode), int32(token), text) {
			return true
		}
	}
	return false
}

// Write returns the words as an input. trivia(i) is the trivia wanted before
// word i, or at the end for i = len(words), one token per element. It is left
// out where the words would lex differently with it. If two words would lex
// differently without trivia, Write puts the first separator between them that
// keeps them apart. It returns false if no separator does.
func (w *Writer) Write(words []Word, separators [][]byte, trivia func(i int) [][]byte) (text []byte, ok bool) {
	w.relexer.Reset()
	if len(words) == 0 {
		return nil, true
	}
	if before := trivia(0); w.relexer.Try(func() bool { return w.fit(before, words[0].Text) }) {
		text = join(text, before)
	}
	for i, word := range words {
		var next []byte
		if i+1 < len(words) {
			next = words[i+1].Text
		}
		text = append(text, word.Text...)
		switch between, ok := w.between(word, next, separators, trivia(i+1)); {
		case ok:
			text = join(text, between)
		default:
			return nil, false
		}
	}
	return text, true
}

func join(text []byte, tokens [][]byte) []byte { return append(text, bytes.Join(tokens, nil)...) }

// between returns the trivia to put between word and next.
func (w *Writer) between(word Word, next []byte, separators, wanted [][]byte) ([][]byte, bool) {
	if len(wanted) > 0 && w.apart(word, next, wanted) {
		return wanted, true
	}
	if w.relexer.Accept(int32(word.Type), word.Text, next) {
		return nil, true
	}
	for _, s := range separators {
		if one := [][]byte{s}; w.apart(word, next, one) {
			return one, true
		}
	}
	return nil, false
}

// apart reports whether word and next lex as intended with trivia between them.
func (w *Writer) apart(word Word, next []byte, trivia [][]byte) bool {
	return w.relexer.Try(func() bool {
		return w.relexer.Accept(int32(word.Type), word.Text, append(join(nil, trivia), next...)) && w.fit(trivia, next)
	})
}

// fit reports whether trivia before next lexes as trivia, token by token.
func (w *Writer) fit(trivia [][]byte, next []byte) bool {
	for i, text := range trivia {
		if !w.relexer.Accept(0, text, append(join(nil, trivia[i+1:]), next...)) {
			return false
		}
	}
	return true
}
