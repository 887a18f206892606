package atn

import (
	"math/rand/v2"
	"slices"
	"unicode/utf8"

	"github.com/inroad/inroad/grammars/g4"
)

// A Scan is the lexer in the middle of a token. It has several states while it is not
// certain how the token is divided into matches. It is immutable.
type Scan struct{ threads []spelling }

// Scan returns the lexer at the beginning of a token, in any of the given states.
func (s *Speller) Scan(from []Lexed) Scan {
	var out Scan
	for _, f := range from {
		if first, ok := s.enter(f); ok {
			out.threads = append(out.threads, first)
		}
	}
	return out
}

// Next returns the lexer after a character. It reports false if no token of the goal's
// type continues with the character.
func (s *Speller) Next(at Scan, goal *Goal, char rune) (Scan, bool) {
	class, _ := s.lexer.classes.decode(utf8.AppendRune(nil, char))
	var out Scan
	for _, t := range at.threads {
		to, ok := s.step(t, int(class), char)
		if !ok {
			continue
		}
		if goal.leads(to) || to.at.makes(goal.kind) {
			out.threads = append(out.threads, to)
		}
		if to.at.rule >= 0 && to.at.kind == continued {
			out.threads = s.more(out.threads, to)
		}
	}
	return out, len(out.threads) > 0
}

// NextOf is like Next for a random character of a set.
func (s *Speller) NextOf(at Scan, goal *Goal, set []g4.RuneRange, r *rand.Rand) (char rune, next Scan, ok bool) {
	for _, i := range r.Perm(len(s.symbols)) {
		if char, ok = s.charOf(&s.symbols[i], set, r); !ok {
			continue
		}
		if next, ok = s.Next(at, goal, char); ok {
			return char, next, true
		}
	}
	return 0, at, false
}

// charOf returns a random character of a symbol that is in a set.
func (s *Speller) charOf(x *symbol, set []g4.RuneRange, r *rand.Rand) (char rune, ok bool) {
	if _, char = x.draw(s.lexer.classes, r); slices.ContainsFunc(set, func(in g4.RuneRange) bool { return in.Lo <= char && char <= in.Hi }) {
		return char, true
	}
	for _, class := range x.classes {
		lo, hi := s.lexer.classes.span(int(class))
		for _, in := range set {
			if from, to := max(lo, in.Lo), min(hi, in.Hi); from <= to && utf8.ValidRune(from) {
				return from, true
			}
		}
	}
	return 0, false
}

// Done reports whether a token of the goal's type can end here.
func (s *Speller) Done(at Scan, goal *Goal) bool {
	return slices.ContainsFunc(at.threads, func(t spelling) bool {
		for _, last := range []bool{false, true} {
			if _, ok := s.finish(t, goal.kind, int(goal.last), last); ok {
				return true
			}
		}
		return false
	})
}
