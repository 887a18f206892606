package atn

import (
	"context"
	"slices"

	"github.com/inroad/inroad/grammars/limit"
)

// A Speller writes tokens one after the other and sees to it that the lexer
// reads them as they are meant. It is not safe for concurrent use.
type Speller struct {
	run   *run
	mode  int
	modes []int
}

// Speller returns a speller at the start of an input.
func (m *Machine) Speller() *Speller {
	return &Speller{run: m.run(context.Background(), nil, m.predictor, Limits{Steps: maxSpelling - 1, Tokens: maxSpelling})}
}

// maxSpelling bounds the steps to read one token back.
const maxSpelling = 1 << 22

// Reset goes back to the start of an input.
func (s *Speller) Reset() { s.mode, s.modes = 0, s.modes[:0] }

// Fits reports whether a text is read as a token of a type, 0 meaning trivia,
// where the text after it begins as given. If it is, the speller moves on.
func (s *Speller) Fits(kind int32, text, after []byte) (ok bool) {
	r := s.run
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *limit.Error: // too much to ask of one token
			ok = false
		default:
			panic(e)
		}
	}()
	r.input = append(append(r.input[:0], text...), after...)
	r.at, r.mode, r.modes = 0, s.mode, append(r.modes[:0], s.modes...)
	r.tokens, r.visible, r.types, r.pieces, r.lexError = r.tokens[:0], r.visible[:0], r.types[:0], r.pieces[:0], nil
	r.steps, r.glance = 0, maxSpelling
	if len(text) == 0 || !r.lexToken(r.m.lexer) {
		return false
	}
	t := r.tokens[0]
	is := t.Type
	if t.Trivia() {
		is = 0
	}
	if is != kind || int(t.End) != len(text) {
		return false
	}
	s.mode, s.modes = r.mode, append(s.modes[:0], r.modes...)
	return true
}

// Reads reports whether in a mode a text alone is read as a token of a type.
func (s *Speller) Reads(mode int, kind int32, text []byte) bool {
	before, modes := s.mode, s.modes
	defer func() { s.mode, s.modes = before, modes }()
	s.mode, s.modes = mode, []int{0} // somewhere to return to
	return s.Fits(kind, text, nil)
}

// Tried calls try and undoes what it did if it fails.
func (s *Speller) Tried(try func() bool) bool {
	mode, modes := s.mode, slices.Clone(s.modes)
	if try() {
		return true
	}
	s.mode, s.modes = mode, modes
	return false
}
