package atn

import (
	"strconv"
	"unicode/utf8"

	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/internal/grow"
	"github.com/inroad/inroad/grammars/limit"
)

// lex fills r.tokens with all tokens of the input and r.visible with the
// indexes of those that the parser sees. Where no token begins, it records the
// error and adds a token of type 0, which no grammar accepts: the parser then
// fails there, unless it fails earlier.
func (r *run) lex() {
	l := r.m.lexer
	r.makeRoom(len(r.input) / 6)
	// A rule can match EOF as a token, but only in an empty input: ANTLR stops
	// lexing after the last character.
	for first := true; first || r.at < len(r.input); first = false {
		if !r.lexToken(l) {
			return
		}
	}
	end := int32(len(r.input))
	r.emit(derivation.EOF, 0, -1, end, end)
}

// lexToken lexes one token and reports whether it succeeded.
func (r *run) lexToken(l *lexer) bool {
	start, channel := int32(r.at), int32(0)
	for {
		s, end := r.match(l)
		empty := end == r.at
		if s.rule < 0 || empty && (r.at < len(r.input) || s.kind == continued) {
			if len(r.input) == 0 && s.rule < 0 {
				return true
			}
			if s.rule < 0 && r.at == len(r.input) && int(start) < r.at {
				// The input ends after a `more`: ANTLR turns the unfinished token
				// into EOF.
				r.emit(derivation.EOF, 0, -1, start, int32(r.at))
				return false
			}
			r.lexFail(start, s.rule)
			return false
		}
		if s.pred != 0 && r.lexFirstPred.predicate == 0 {
			r.lexFirstPred = predicateUse{s.pred, int32(r.at)}
		}
		r.at = end
		if s.channel >= 0 {
			channel = s.channel
		}
		if len(s.modeActions) > 0 && !r.changeMode(s, start) {
			return false
		}
		r.step(1)
		if len(r.tokens)+len(r.pieces) >= r.limits.Tokens {
			panic(&limit.Error{What: "tokens", Value: strconv.Itoa(r.limits.Tokens), Option: "max_tokens"})
		}
		if s.kind != continued {
			r.emit(s.kind, channel, s.rule, start, int32(end))
			return true
		}
		r.pieces = append(r.pieces, derivation.Piece{Token: int32(len(r.tokens)), Rule: s.rule, End: int32(end)})
	}
}

// maxModes limits the depth of the mode stack.
const maxModes = 1 << 20

// changeMode runs the mode commands of a rule and reports whether all of them
// succeeded.
func (r *run) changeMode(s *lexState, start int32) bool {
	r.step(len(s.modeActions))
	for _, a := range s.modeActions {
		switch a.kind {
		case actMode:
			r.mode = a.a
		case actPushMode:
			if len(r.modes) == maxModes {
				panic(&limit.Error{What: "depth of the mode stack", Value: strconv.Itoa(maxModes)})
			}
			r.modes = append(r.modes, r.mode)
			r.mode = a.a
		case actPopMode:
			n := len(r.modes)
			if n == 0 {
				r.lexReject(start, r.at, "popMode in "+r.m.lexer.net.rules[s.rule]+" with an empty mode stack")
				return false
			}
			r.mode, r.modes = r.modes[n-1], r.modes[:n-1]
		}
	}
	return true
}

// makeRoom reserves memory for n more tokens, but no more than the remaining
// bytes plus EOF.
func (r *run) makeRoom(n int) {
	n = min(n, len(r.input)-r.at+1)
	r.tokens, r.visible, r.types = grow.Slice(r.tokens, n), grow.Slice(r.visible, n), grow.Slice(r.types, n)
}

func (r *run) emit(kind, channel, rule, start, end int32) {
	if len(r.tokens) == cap(r.tokens) {
		r.makeRoom(len(r.tokens))
	}
	if kind != skipped && channel == 0 {
		r.visible = append(r.visible, int32(len(r.tokens)))
		r.types = append(r.types, kind)
	}
	t := derivation.Token{Type: kind, Channel: int16(channel), Rule: rule, Start: start, End: end}
	if kind == skipped {
		t.Type, t.Skipped = int32(r.m.lexer.net.types[rule]), true
	}
	r.tokens = append(r.tokens, t)
}

// match finds the longest token at the current offset. It returns the accepting
// state and the token's end, and sets r.reached to the end of the bytes it
// looked at.
func (r *run) match(l *lexer) (accepted *lexState, end int) {
	cache := l.cache.Load()
	s := l.start(r, cache)
	accepted, end = s, r.at
	input, at := r.input, r.at
	for at < len(input) {
		var class uint16
		width := 1
		if b := input[at]; b < utf8.RuneSelf {
			class = l.classes.ascii[b]
		} else {
			class, width = l.classes.decode(input[at:])
		}
		n := s.edges[class].Load()
		if n == nil {
			char, _ := utf8.DecodeRune(input[at:])
			n = l.next(r, cache, s, int(class), char)
			cache, n = l.renew(r, cache, n)
		}
		if len(n.configs) == 0 {
			break
		}
		s = n
		at += width
		if s.rule >= 0 {
			accepted, end = s, at
		}
	}
	r.step((at - r.at) / 8)
	r.reached = min(at+1, len(input))
	if at == len(input) {
		if n := r.matchEnd(l, cache, s); n.rule >= 0 {
			accepted, end = n, at
		}
	}
	return accepted, end
}

// matchEnd returns the state after s at the end of the input, which a rule can
// match as EOF.
func (r *run) matchEnd(l *lexer, cache *lexCache, s *lexState) *lexState {
	n := s.edges[l.classes.count].Load()
	if n == nil {
		n = l.next(r, cache, s, l.classes.count, eof)
	}
	return n
}

// maxErrorText limits the text in an error, in bytes.
const maxErrorText = 24

// lexFail records that no token begins at start.
func (r *run) lexFail(start, rule int32) {
	reason := ""
	if rule >= 0 {
		reason = "rule " + r.m.lexer.net.rules[rule] + " matches the empty string here"
	}
	r.lexReject(start, r.reached, reason)
}

func (r *run) lexReject(start int32, end int, reason string) {
	for end < len(r.input) && !utf8.RuneStart(r.input[end]) {
		end++
	}
	if end > int(start)+maxErrorText {
		end = int(start) + maxErrorText
		for back := range utf8.UTFMax { // do not cut a character, unless the bytes are not UTF-8
			if utf8.RuneStart(r.input[end-back]) {
				end -= back
				break
			}
		}
	}
	r.lexError = &SyntaxError{Offset: int(start), Text: string(r.input[start:end]), Lexical: true, Reason: reason}
	r.emit(0, 0, -1, start, int32(len(r.input)))
}
