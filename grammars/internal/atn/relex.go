package atn

import (
	"context"
	"slices"

	"github.com/inroad/inroad/grammars/limit"
)

// A Relexer checks that tokens written one after the other lex as intended. It
// is not safe for concurrent use.
type Relexer struct {
	run   *run
	mode  int
	modes []int
}

// Relexer returns a Relexer at the start of an input.
func (m *Machine) Relexer() *Relexer {
	return &Relexer{run: m.run(context.Background(), nil, m.predictor, Limits{Steps: maxRelexSteps - 1, Tokens: maxRelexSteps})}
}

// maxRelexSteps limits the steps to lex one token.
const maxRelexSteps = 1 << 22

// Reset returns to the start of an input.
func (s *Relexer) Reset() { s.mode, s.modes = 0, s.modes[:0] }

// Accept reports whether text, followed by after, lexes as a token of the given
// type, 0 meaning trivia. If so, the Relexer advances past the token.
func (s *Relexer) Accept(kind int32, text, after []byte) (ok bool) {
	r := s.run
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *limit.Error: // the token takes too many steps
			ok = false
		default:
			panic(e)
		}
	}()
	r.input = append(append(r.input[:0], text...), after...)
	r.at, r.mode, r.modes = 0, s.mode, append(r.modes[:0], s.modes...)
	r.tokens, r.visible, r.types, r.pieces, r.lexError = r.tokens[:0], r.visible[:0], r.types[:0], r.pieces[:0], nil
	r.steps, r.nextCheck = 0, maxRelexSteps
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

// IsToken reports whether text on its own lexes as a token of the given type in
// a mode.
func (s *Relexer) IsToken(mode int, kind int32, text []byte) bool {
	before, modes := s.mode, s.modes
	defer func() { s.mode, s.modes = before, modes }()
	s.mode, s.modes = mode, []int{0} // a mode to pop
	return s.Accept(kind, text, nil)
}

// Try calls try and restores the state if it returns false.
func (s *Relexer) Try(try func() bool) bool {
	mode, modes := s.mode, slices.Clone(s.modes)
	if try() {
		return true
	}
	s.mode, s.modes = mode, modes
	return false
}
