package atn

import (
	"strings"
	"unicode/utf8"
)

// threads are the states of the lexer in the middle of a token: several while it is not
// certain how the token is divided into matches. A [Speller] keeps each list of states
// once and remembers what follows it, so that most characters take one lookup.
type threads struct {
	list  []spelling
	edges []*threads // by class: the threads after a character; nil if they are not known, or if all are not
	ends  []tokenEnd
	done  tristate // of [Speller.Done]
}

// A tokenEnd remembers a result of [Speller.endings].
type tokenEnd struct {
	kind  int32
	rule  int
	last  bool
	after []Lexed
}

type tristate int8

const (
	undecided tristate = iota
	yes
	no
)

// Threads without an edge to follow.
//
//nolint:gochecknoglobals // never changed
var (
	dead    = &threads{} // no token continues with the character
	divided = &threads{} // a match may end that is only a part of a token: see [Speller.Place]
)

// maxShared limits the memory of the threads that a speller keeps, in edges.
const maxShared = 1 << 18

// A shelf keeps threads by their states. Threads of different goals differ.
type shelf struct {
	keys  spellKeys
	of    map[*Goal]map[string]*threads
	edges int
}

func newShelf() *shelf {
	return &shelf{keys: spellKeys{ids: map[*lexState]uint32{}}, of: map[*Goal]map[string]*threads{}}
}

// share returns the threads with a list of states.
func (s *Speller) share(goal *Goal, list []spelling) *threads {
	if len(list) == 0 {
		return dead
	}
	if s.shelf == nil || s.shelf.edges > maxShared {
		s.shelf = newShelf() // threads in use remain valid
		s.generation++
	}
	var states strings.Builder
	for _, t := range list {
		states.WriteRune(rune(len(t.guards)))
		states.WriteString(s.shelf.keys.of(t))
	}
	key := states.String()
	of := s.shelf.of[goal]
	if of == nil {
		of = map[string]*threads{}
		s.shelf.of[goal] = of
	}
	t := of[key]
	if t == nil {
		t = &threads{list: list}
		of[key] = t
	}
	return t
}

// edge returns the threads after a character of a class; nil if they are not known.
func (t *threads) edge(class uint16) *threads {
	if t.edges == nil {
		return nil
	}
	return t.edges[class]
}

// remember sets the threads after a character of a class.
func (s *Speller) remember(at *threads, class uint16, to *threads) {
	if at.edges == nil {
		at.edges = make([]*threads, s.lexer.classes.count)
		s.shelf.edges += len(at.edges)
	}
	at.edges[class] = to
}

// Generation counts how often the speller forgot what it remembers for scans. A caller that
// keeps a [Scan] begins anew when the number changes, so that memory is freed.
func (s *Speller) Generation() int { return s.generation }

// exactly calls a function and reports whether no limit was exceeded.
func (s *Speller) exactly(do func()) bool {
	over := s.over
	s.over = false
	do()
	exact := !s.over
	s.over = s.over || over
	return exact
}

// after returns the threads after a character of a class. It returns divided if a match
// may end there that is only a part of a token.
func (s *Speller) after(at *threads, class uint16, char rune) *threads {
	if to := at.edge(class); to != nil {
		return to
	}
	var next []spelling
	divides := false
	exact := s.exactly(func() {
		for _, t := range at.list {
			if to, ok := s.step(t, int(class), char); ok {
				next = append(next, to)
				divides = divides || to.at.rule >= 0 && to.at.kind == continued
			}
		}
	})
	to := divided
	if !divides {
		to = s.share(nil, next)
	}
	if exact {
		s.remember(at, class, to)
	}
	return to
}

// endings returns the states of the lexer after a token that ends here: see [Speller.Place].
func (s *Speller) endings(at *threads, kind int32, rule int, last bool) []Lexed {
	for i := range at.ends {
		if e := &at.ends[i]; e.kind == kind && e.rule == rule && e.last == last {
			return e.after
		}
	}
	var out []Lexed
	exact := s.exactly(func() {
		for _, t := range at.list {
			if after, ok := s.finish(t, kind, rule, last); ok {
				after.first = s.first(after)
				out = append(out, after)
			}
		}
	})
	if exact {
		at.ends = append(at.ends, tokenEnd{kind, rule, last, out})
	}
	return out
}

// first returns the threads at the beginning of a token.
func (s *Speller) first(from Lexed) *threads {
	if from.first != nil {
		return from.first
	}
	first, ok := s.enter(from)
	if !ok {
		return dead
	}
	return s.share(nil, []spelling{first})
}

// first returns the first character of a text, its class and its width.
func (c *classes) first(text []byte) (char rune, class uint16, width int) {
	if b := text[0]; b < utf8.RuneSelf {
		return rune(b), c.ascii[b], 1
	}
	char, width = utf8.DecodeRune(text)
	return char, c.class(char), width
}

// class returns the class of a character.
func (c *classes) class(char rune) uint16 { return c.pages[char/pageSize][char%pageSize] }
