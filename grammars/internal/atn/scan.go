package atn

import (
	"math/rand/v2"
	"slices"
	"unicode/utf8"

	"github.com/inroad/inroad/grammars/g4"
)

// A Scan is the lexer in the middle of a token. It has several states while it is not
// certain how the token is divided into matches. It is immutable.
type Scan struct{ at *threads }

// Scan returns the lexer at the beginning of a token of a goal, in any of the given states.
func (s *Speller) Scan(from []Lexed, goal *Goal) Scan {
	var list []spelling
	for _, f := range from {
		if first, ok := s.enter(f); ok {
			list = append(list, first)
		}
	}
	return Scan{s.share(goal, list)}
}

// Current reports whether a scan is kept on the speller's shelf. A caller that keeps a
// scan should start over when it is no longer current, so that memory is freed.
func (s *Speller) Current(at Scan) bool {
	return at.at == dead || at.at.shelf == s.cache.shelf.Load()
}

// Next returns the lexer after a character. It reports false if no token of the goal's
// type continues with the character. The goal must be that of the scan.
func (s *Speller) Next(at Scan, goal *Goal, char rune) (Scan, bool) {
	if at.at == dead {
		return at, false
	}
	class := s.lexer.classes.class(char)
	to := at.at.edge(class)
	if to == nil {
		to = s.follow(at.at, goal, class, char)
	}
	return Scan{to}, to != dead
}

// follow returns the threads after a character from which a token of a goal follows.
func (s *Speller) follow(at *threads, goal *Goal, class uint16, char rune) *threads {
	var out []spelling
	exact := s.exactly(func() {
		for _, t := range at.list {
			to, ok := s.step(t, int(class), char)
			if !ok {
				continue
			}
			if goal.leads(to) || to.at.makes(goal.kind) {
				out = append(out, to)
			}
			if to.at.rule >= 0 && to.at.kind == continued {
				out = s.more(out, to)
			}
		}
	})
	to := s.share(goal, out)
	if exact {
		at.remember(class, to)
	}
	return to
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
	if known := at.at.done.Load(); known != undecided {
		return known == yes
	}
	done := false
	exact := s.exactly(func() {
		done = slices.ContainsFunc(at.at.list, func(t spelling) bool {
			for _, last := range []bool{false, true} {
				if _, ok := s.finish(t, goal.kind, int(goal.last), last); ok {
					return true
				}
			}
			return false
		})
	})
	if exact && at.at != dead {
		answer := no
		if done {
			answer = yes
		}
		at.at.done.Store(answer)
	}
	return done
}
