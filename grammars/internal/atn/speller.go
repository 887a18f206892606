package atn

import (
	"context"
	"slices"
	"unicode/utf8"

	"github.com/inroad/inroad/grammars/limit"
)

// A Speller follows the lexer through a text whose tokens are known, and finds
// texts that the lexer reads as given tokens. It is not safe for concurrent use.
type Speller struct {
	run     *run
	lexer   *lexer
	cache   *lexCache
	symbols []symbol
	over    bool // whether a limit was exceeded: results may be incomplete
	steps   int  // taken to extend the lexer's DFA
	keys    *spellKeys
}

// A Lexed is the state of the lexer between two tokens.
//
// The lexer takes the longest match. So a token is read as intended only if no
// longer match follows: the lexer's states at the ends of the tokens so far are
// its guards, and the text to come must not lead any of them to another match.
// A Lexed is immutable.
type Lexed struct {
	modes  string // the mode stack, a rune per mode, the current mode last
	guards []*lexState
	first  *threads // at the beginning of the next token; nil if they are not known
	ended  int32    // one more than the rule of the last match; 0 if it is not known
}

// Speller returns a Speller for the machine's lexer.
func (m *Machine) Speller() *Speller {
	return &Speller{
		run:   m.run(context.Background(), nil, m.predictor, Limits{Steps: maxSpellSteps - 1}),
		lexer: m.lexer, cache: m.lexer.cache.Load(), symbols: m.symbols(),
		keys: &spellKeys{ids: map[*lexState]uint32{}},
	}
}

// maxSpellSteps limits the steps to extend the lexer's DFA by one state.
const maxSpellSteps = 1 << 22

// maxGuards limits the guards of a Lexed. Further guards are forgotten, so that
// tokens may be read as longer ones.
const maxGuards = 16

// Rule returns the index of the lexer rule that matched last, -1 if it is not known.
func (at Lexed) Rule() int { return int(at.ended) - 1 }

// Same reports whether the lexer is certain to read any further text alike from both
// states.
func (at Lexed) Same(other Lexed) bool { return at.first != nil && at.first == other.first }

// Guards returns the number of tokens so far that the text to come can turn into longer
// ones.
func (at Lexed) Guards() int { return len(at.guards) }

// Begin returns the lexer at the beginning of an input, in a mode.
func (s *Speller) Begin(mode int) Lexed { return Lexed{modes: string(rune(mode))} }

// Above returns the lexer in a mode that can be popped.
func (s *Speller) Above(mode int) Lexed { return Lexed{modes: string([]rune{0, rune(mode)})} }

// Over reports whether a limit was exceeded since the last call. If so, the lexer may
// read more texts than the results say.
func (s *Speller) Over() bool {
	over := s.over
	s.over = false
	return over
}

// extend calls a function that extends the lexer's DFA. It returns nil if that
// exceeds a limit.
func (s *Speller) extend(next func() *lexState) (out *lexState) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *limit.Error:
			out, s.over = nil, true
		default:
			panic(e)
		}
	}()
	s.run.steps, s.run.nextCheck = 0, maxSpellSteps
	defer func() { s.steps += s.run.steps }()
	if s.cache.size.Load() > s.lexer.maxSize {
		s.lexer.cache.CompareAndSwap(s.cache, s.lexer.newCache())
		s.cache = s.lexer.cache.Load() // states of the old cache remain valid
	}
	return next()
}

// start returns the state at the beginning of a token, nil if it is not known.
func (s *Speller) start(modes string) *lexState {
	mode, _ := utf8.DecodeLastRuneInString(modes)
	if n := s.cache.modes[mode].Load(); n != nil {
		return n
	}
	return s.extend(func() *lexState {
		s.run.mode = int(mode)
		return s.lexer.start(s.run, s.cache)
	})
}

// next returns the state after a character of a class, nil if there is none.
func (s *Speller) next(from *lexState, class int, char rune) *lexState {
	n := from.edges[class].Load()
	if n == nil {
		n = s.extend(func() *lexState { return s.lexer.next(s.run, s.cache, from, class, char) })
	}
	if n == nil || len(n.configs) == 0 {
		return nil
	}
	return n
}

// atEnd returns the state after the end of the input, nil if there is none.
func (s *Speller) atEnd(from *lexState) *lexState { return s.next(from, s.lexer.classes.count, eof) }

// A spelling is a text inside a token.
type spelling struct {
	Lexed
	at    *lexState
	fresh bool // whether the match has no character yet
}

// enter returns the beginning of a token; false if the DFA cannot be extended.
func (s *Speller) enter(from Lexed) (spelling, bool) {
	at := s.start(from.modes)
	return spelling{from, at, true}, at != nil
}

// step returns the spelling after a character. It reports false if no token
// continues with it, or if it turns an earlier token into a longer one.
func (s *Speller) step(from spelling, class int, char rune) (spelling, bool) {
	to := spelling{Lexed: Lexed{modes: from.modes}, at: s.next(from.at, class, char)}
	if to.at == nil {
		return to, false
	}
	for _, g := range from.guards {
		n := s.next(g, class, char)
		if n == nil {
			continue
		}
		if n.rule >= 0 {
			return to, false
		}
		if !slices.Contains(to.guards, n) {
			to.guards = append(to.guards, n)
		}
	}
	return to, true
}

// cut ends a match of a rule. It reports false if the rule pops the only mode.
func (s *Speller) cut(at spelling) (Lexed, bool) {
	out := Lexed{modes: at.modes, guards: at.guards, ended: at.at.rule + 1}
	for _, a := range at.at.modeActions {
		switch a.kind {
		case actMode:
			out.modes = popped(out.modes) + string(rune(a.a))
		case actPushMode:
			out.modes += string(rune(a.a))
		case actPopMode:
			if out.modes = popped(out.modes); out.modes == "" {
				return out, false
			}
		}
	}
	if !slices.Contains(out.guards, at.at) && len(out.guards) < maxGuards {
		out.guards = append(slices.Clip(out.guards), at.at)
	}
	return out, true
}

func popped(modes string) string {
	_, size := utf8.DecodeLastRuneInString(modes)
	return modes[:len(modes)-size]
}

// makes reports whether a state ends a token of a type, 0 meaning trivia.
func (n *lexState) makes(kind int32) bool {
	switch {
	case n.rule < 0 || n.kind == continued:
		return false
	case n.kind == skipped || n.channel > 0:
		return kind == 0
	default:
		return n.kind == kind
	}
}

// Place returns the states of the lexer after a token of a type, or after trivia if
// kind is 0. There are several if the token can be divided into matches in more than
// one way. There are none if the lexer reads the text as another token, or if the text
// turns an earlier token into a longer one. The last token of an input may match the
// end of the input. The last match must be one of the given rule, unless that is
// negative.
func (s *Speller) Place(from Lexed, kind int32, rule int, text []byte, last bool) []Lexed {
	if len(text) == 0 {
		return nil
	}
	at := s.first(from)
	for rest := text; len(rest) > 0 && at != dead; {
		char, class, width := s.lexer.classes.first(rest)
		rest = rest[width:]
		if at = s.after(at, class, char); at == divided {
			return s.placeParts(from, kind, rule, text, last)
		}
	}
	if at == dead {
		return nil
	}
	return s.endings(at, kind, rule, last)
}

// placeParts is like Place, for a token that may consist of several matches.
func (s *Speller) placeParts(from Lexed, kind int32, rule int, text []byte, last bool) []Lexed {
	first, ok := s.enter(from)
	if !ok {
		return nil
	}
	var rooms [2][4]spelling // enough for most tokens
	threads, next := append(rooms[0][:0], first), rooms[1][:0]
	for len(text) > 0 {
		class, width := s.lexer.classes.decode(text)
		char, _ := utf8.DecodeRune(text)
		text = text[width:]
		next = next[:0]
		for _, t := range threads {
			to, ok := s.step(t, int(class), char)
			if !ok {
				continue
			}
			next = append(next, to)
			if (len(text) > 0 || last) && to.at.rule >= 0 && to.at.kind == continued {
				next = s.more(next, to)
			}
		}
		if threads, next = next, threads; len(threads) == 0 {
			return nil
		}
	}
	var out []Lexed
	for _, t := range threads {
		if after, ok := s.finish(t, kind, rule, last); ok {
			out = append(out, after)
		}
	}
	return out
}

// finish ends a token of a type. It reports false if the token cannot end here. Only
// at the end of the input can a match be empty.
func (s *Speller) finish(at spelling, kind int32, rule int, last bool) (Lexed, bool) {
	if last {
		if end := s.atEnd(at.at); end != nil && end.rule >= 0 {
			at.at = end
		}
		if !s.Ends(at.Lexed) {
			return Lexed{}, false
		}
	}
	if at.fresh && !last || !at.at.makes(kind) || rule >= 0 && int(at.at.rule) != rule {
		return Lexed{}, false
	}
	return s.cut(at)
}

// more adds the beginning of the match after a `more`.
func (s *Speller) more(threads []spelling, at spelling) []spelling {
	after, ok := s.cut(at)
	if !ok || len(threads) > maxGuards {
		return threads
	}
	if next, ok := s.enter(after); ok {
		threads = append(threads, next)
	}
	return threads
}

// Ends reports whether the input can end here: no earlier token becomes another
// token at the end of the input.
func (s *Speller) Ends(at Lexed) bool {
	return !slices.ContainsFunc(at.guards, func(g *lexState) bool {
		n := s.atEnd(g)
		return n != nil && n.rule >= 0
	})
}
