package atn

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/inroad/inroad/grammars/g4"
)

// A Goal is a kind of token to spell: a token type, or 0 for trivia.
type Goal struct {
	kind  int32
	last  int32      // the rule of the last match, or -1 for any
	rules []tokenSet // by mode: the rules, by their number in the mode, that can begin or end the token
}

// Goal returns the goal to spell a token of a type, or trivia if kind is 0. By lexer
// rule, rules tells whether the rule can match the token or a part of it. The rule last
// must match the end of the token; any rule can if last is -1.
func (m *Machine) Goal(kind int32, last int, rules []bool) *Goal {
	g := &Goal{kind: kind, last: int32(last)}
	for _, mode := range m.lexer.net.modes {
		set := make(tokenSet, len(mode.edges)/64+1)
		for i, e := range mode.edges {
			if rules[e.target.rule] {
				set.add(int32(i))
			}
		}
		g.rules = append(g.rules, set)
	}
	return g
}

// leads reports whether a match of one of the goal's rules can continue.
func (g *Goal) leads(at spelling) bool {
	mode, _ := utf8.DecodeLastRuneInString(at.modes)
	set := g.rules[mode]
	return slices.ContainsFunc(at.at.configs, func(c lexConfig) bool { return set.has(c.alt - 1) })
}

// A Search limits the texts that [Speller.Spell] returns.
type Search struct {
	Rand   *rand.Rand       // of the choices; nil for the same text on every call
	Wander int              // the maximum number of random characters before the shortest completion
	Last   bool             // whether the token ends the input
	Most   int              // the maximum number of spellings to look at
	Accept func(Lexed) bool // whether the lexer's state after the token is acceptable
	First  []g4.RuneRange   // the characters that the text may begin with; nil for any
}

// Spell finds a text that the lexer reads as a token, and that turns no earlier token
// into a longer one. The text is nil if it finds none. In that case, complete reports
// whether no such text exists.
func (s *Speller) Spell(from Lexed, goal *Goal, search Search) (text []byte, after Lexed, complete bool) {
	first, ok := s.enter(from)
	if !ok {
		return nil, after, false
	}
	x := &spellSearch{Speller: s, goal: goal, Search: search}
	if search.Wander > 0 {
		if text, after, _ = x.complete([]spelt{x.wander(first)}); text != nil {
			return text, after, false
		}
	}
	return x.complete([]spelt{{spelling: first}})
}

// Follows looks for a text of a token that can follow one of the matches, in a mode. It
// reports whether it found such a text, and whether none exists. It knows neither if it
// gives up after most spellings. It also returns the number of spellings that it looked
// at.
func (s *Speller) Follows(matches []Match, mode int, goal *Goal, most int) (found, none bool, looked int) {
	var all []spelt
	for _, m := range matches {
		first, ok := s.enter(s.After(m, mode))
		if !ok {
			return false, false, looked
		}
		all = append(all, spelt{spelling: first})
	}
	none = true
	for _, last := range []bool{false, true} {
		x := &spellSearch{Speller: s, goal: goal, Search: Search{Most: most, Last: last}}
		text, _, complete := x.complete(all)
		if looked += x.looked; text != nil {
			return true, false, looked
		}
		none = none && complete
	}
	return false, none, looked
}

type spellSearch struct {
	*Speller
	goal *Goal
	Search
	looked int // spellings so far
}

// A spelt is a spelling with its text.
type spelt struct {
	spelling
	text []byte
}

// wander spells some characters at random.
func (x *spellSearch) wander(first spelling) spelt {
	at := spelt{spelling: first}
	for range x.Rand.IntN(x.Wander + 1) {
		moved := false
		for _, i := range x.order(at.spelling) {
			class, char := x.symbols[i].draw(x.lexer.classes, x.Rand)
			if to, ok := x.step(at.spelling, class, char); ok && x.goal.leads(to) {
				at, moved = spelt{to, utf8.AppendRune(at.text, char)}, true
				break
			}
		}
		if !moved {
			break
		}
		if at.at.rule >= 0 && at.at.kind == continued && x.Rand.IntN(2) == 0 {
			if after, ok := x.cut(at.spelling); ok {
				if next, ok := x.enter(after); ok {
					at.spelling = next
				}
			}
		}
	}
	return at
}

// Limits for recursive rules, as of nested comments, whose states have ever more
// configurations.
const (
	fewConfigs      = 40      // configurations of a state that do not count
	maxSpellWork    = 500_000 // configurations that a search continues from, times the symbols that it tries
	workPerSpelling = 400     // the work that counts as a spelling
)

// complete finds a shortest continuation of one of the spellings that ends the token.
func (x *spellSearch) complete(from []spelt) (text []byte, after Lexed, complete bool) {
	x.over = false
	keys := &spellKeys{ids: map[*lexState]uint32{}}
	seen := map[string]bool{}
	queue := slices.Clone(from)
	for _, at := range from {
		seen[keys.of(at.spelling)] = true
		if after, ok := x.ends(at); ok {
			return at.text, after, false
		}
	}
	add := func(to spelt) {
		if key := keys.of(to.spelling); !seen[key] && x.goal.leads(to.spelling) {
			seen[key] = true
			queue = append(queue, to)
		}
	}
	work := 0
	defer func() { x.looked += len(seen) + work/workPerSpelling }()
	maxSteps := x.steps + maxMatchSteps
	for len(queue) > 0 && len(seen) <= x.Most && work <= maxSpellWork && x.steps <= maxSteps {
		at := queue[0]
		queue = queue[1:]
		symbols := x.order(at.spelling)
		work += max(len(at.at.configs)-fewConfigs, 0) * len(symbols)
		for _, i := range symbols {
			class, char := x.symbols[i].draw(x.lexer.classes, x.Rand)
			if x.First != nil && len(at.text) == 0 && !x.mayBeginWith(i) {
				continue
			}
			next, ok := x.step(at.spelling, class, char)
			if !ok || !x.goal.leads(next) && next.at.rule < 0 {
				continue
			}
			to := spelt{next, utf8.AppendRune(slices.Clip(at.text), char)}
			if after, ok := x.ends(to); ok {
				return to.text, after, false
			}
			add(to)
			if to.at.rule >= 0 && to.at.kind == continued {
				if after, ok := x.cut(to.spelling); ok {
					if next, ok := x.enter(after); ok {
						fresh := spelt{next, to.text}
						if after, ok := x.ends(fresh); ok {
							return to.text, after, false
						}
						add(fresh)
					}
				}
			}
		}
	}
	return nil, after, len(queue) == 0 && !x.over
}

// mayBeginWith reports whether the text may begin with a character of a symbol.
func (x *spellSearch) mayBeginWith(symbol int) bool {
	return slices.ContainsFunc(x.symbols[symbol].classes, func(class int32) bool {
		lo, hi := x.lexer.classes.span(int(class))
		return slices.ContainsFunc(x.First, func(r g4.RuneRange) bool { return r.Lo <= hi && lo <= r.Hi })
	})
}

// order returns the symbols that can continue a spelling, in random order.
func (x *spellSearch) order(at spelling) []int {
	mode, _ := utf8.DecodeLastRuneInString(at.modes)
	out := x.taken(at.at, x.goal.rules[mode])
	if x.Rand != nil {
		x.Rand.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	}
	return out
}

// taken returns the symbols that matches of some rules can continue with. The rules
// are given by their number in the mode.
func (s *Speller) taken(at *lexState, rules tokenSet) []int {
	var out []int
	seen := map[*edge]bool{}
	for _, c := range at.configs {
		if !rules.has(c.alt - 1) {
			continue
		}
		for _, e := range c.state.edges {
			if !e.consumes() || seen[e] {
				continue
			}
			seen[e] = true
			for i := range s.symbols {
				if lo, _ := s.lexer.classes.span(int(s.symbols[i].classes[0])); e.matches(lo, unicode.MaxRune) && !slices.Contains(out, i) {
					out = append(out, i)
				}
			}
		}
	}
	return out
}

// ends returns the state of the lexer after the token, if the token can end here.
func (x *spellSearch) ends(at spelt) (Lexed, bool) {
	if len(at.text) == 0 {
		return Lexed{}, false
	}
	after, ok := x.finish(at.spelling, x.goal.kind, int(x.goal.last), x.Last)
	return after, ok && (x.Accept == nil || x.Accept(after))
}

// Key returns a key that identifies a state of the lexer among those of the speller.
func (s *Speller) Key(at Lexed) string { return s.keys.of(spelling{Lexed: at}) }

// spellKeys identify spellings.
type spellKeys struct{ ids map[*lexState]uint32 }

func (k *spellKeys) id(s *lexState) uint32 {
	id, ok := k.ids[s]
	if !ok {
		id = uint32(len(k.ids))
		k.ids[s] = id
	}
	return id
}

func (k *spellKeys) of(at spelling) string {
	key := binary.LittleEndian.AppendUint32(nil, k.id(at.at))
	for _, g := range at.guards {
		key = binary.LittleEndian.AppendUint32(key, k.id(g))
	}
	if at.fresh {
		key = append(key, 1)
	}
	return string(append(append(key, 0xFF), at.modes...))
}

// Past returns all states of the lexer after a token that follows one of the given
// states. A state keeps at most two guards, the first and the last. Past reports false
// if it looked at too many spellings, or if a text leaves no guard but that of the
// token itself. It also returns the number of spellings that it looked at. Unless first
// is nil, it limits the first character of the token.
func (s *Speller) Past(from []Lexed, goal *Goal, first []g4.RuneRange, last bool, most int) (after []Lexed, looked int, ok bool) {
	var all []spelt
	for _, at := range from {
		first, ok := s.enter(at)
		if !ok {
			return nil, looked, false
		}
		all = append(all, spelt{spelling: first})
	}
	seen := map[string]bool{}
	guarded := len(from) > 0 && len(from[0].guards) > 0
	x := &spellSearch{Speller: s, goal: goal, Search: Search{Most: most, Last: last, First: first, Accept: func(at Lexed) bool {
		// A guard of an earlier token is in no state that ends a match.
		if len(at.guards) == 0 || guarded && at.guards[0].rule >= 0 {
			return true // the search ends
		}
		if n := len(at.guards); n > 2 {
			at.guards, at.first = []*lexState{at.guards[0], at.guards[n-1]}, nil
		}
		if key := s.Key(at); !seen[key] {
			seen[key] = true
			after = append(after, at)
		}
		return false
	}}}
	text, _, complete := x.complete(all)
	return after, x.looked, complete && text == nil
}
