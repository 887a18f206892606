package atn

import (
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/g4"
	"github.com/inroad/inroad/grammars/limit"
)

// This file has the scannerless parser. Characters that all edges of the network treat
// alike form a class, and each class is a token type. So the parser's network, its
// prediction and its error messages work on characters as they do on tokens. A literal
// is a chain of edges, of which only the first adds a leaf to the tree.

// classify replaces the characters on the edges of a scannerless parser's network by
// the token types of their classes.
func (b *builder) classify() {
	bounds := classBounds(b.network, true)
	if len(bounds) > maxCharClasses {
		limit.Stop(&limit.Error{What: "character classes of a scannerless grammar", Value: strconv.Itoa(maxCharClasses), Advice: "write sets of characters as ranges"})
	}
	c := newClasses(bounds)
	b.classes, b.maxToken = c, c.count
	for _, s := range b.states {
		for _, e := range s.edges {
			if b.spec.step(1); !e.consumes() || e.kind == atom && e.lo == eof {
				continue
			}
			b.spec.step(c.count / 8)
			types := c.typesOf(e)
			if e.members = slices.Clone(e.members); len(e.members) > 0 {
				for i, l := range e.members {
					e.members[i].lo, e.members[i].hi = c.typeOf(l.lo), c.typeOf(l.hi)
				}
			}
			if len(types) == 1 && types[0].lo == types[0].hi {
				e.kind, e.lo, e.hi, e.set = atom, types[0].lo, types[0].lo, nil
			} else {
				e.kind, e.set = set, types
			}
		}
	}
}

// maxCharClasses limits the classes of characters, each of which is a token type.
const maxCharClasses = 0xFFFF

// typeOf returns the token type of a character.
func (c *classes) typeOf(char rune) int32 { return int32(c.pages[char/pageSize][char%pageSize]) + 1 }

// typesOf returns the token types of the characters that an edge matches.
func (c *classes) typesOf(e *edge) ranges {
	var out []interval
	classes := c.of(e)
	for class := range int32(c.count) {
		if classes.has(class) {
			out = append(out, interval{class + 1, class + 1})
		}
	}
	return normal(out)
}

// lexChars fills r.tokens with the characters of the input, for a scannerless parser.
func (r *run) lexChars() {
	c := r.m.chars
	r.makeRoom(len(r.input) + 1)
	for at := 0; at < len(r.input); {
		var class uint16
		width := 1
		if b := r.input[at]; b < utf8.RuneSelf {
			class = c.ascii[b]
		} else {
			class, width = c.decode(r.input[at:])
		}
		if r.step(1); len(r.tokens) >= r.limits.Tokens {
			panic(&limit.Error{What: "tokens", Value: strconv.Itoa(r.limits.Tokens), Option: "max_tokens"})
		}
		r.emit(int32(class)+1, 0, -1, int32(at), int32(at+width))
		at += width
	}
	end := int32(len(r.input))
	r.emit(derivation.EOF, 0, -1, end, end)
}

// CharTypes returns the number of token types of a scannerless grammar, or 0 for other
// grammars. The types count from 1, in the order of their characters.
func (m *Machine) CharTypes() int {
	if m.chars == nil {
		return 0
	}
	return m.chars.count
}

// CharType returns the token type of a character in a scannerless grammar.
func (m *Machine) CharType(char rune) int { return int(m.chars.typeOf(char)) }

// CharsOf returns the characters of a token type in a scannerless grammar.
func (m *Machine) CharsOf(token int) g4.RuneRange {
	lo, hi := m.chars.span(token - 1)
	return g4.RuneRange{Lo: lo, Hi: hi}
}

// A loop is a repetition that is being parsed.
type loop struct {
	state int32
	node  int32 // of its rule in the tree
	depth int   // of the stack
	pos   int   // where the last round began
}

// leaveLoop returns the alternative that leaves a repetition if its last round was
// empty. It returns 0 elsewhere. Without it, a repetition whose rounds can be empty
// would never end, because another round comes before the exit.
func (r *run) leaveLoop(s int32, p *flatState) int32 {
	if !r.m.emptyRounds || p.kind != starLoopEntry && p.kind != plusLoopBack {
		return 0
	}
	depth := len(r.stack)
	node := r.stack[depth-1].node
	for n := len(r.loops); n > 0 && (r.loops[n-1].depth > depth || r.loops[n-1].depth == depth && r.loops[n-1].node != node); n-- {
		r.loops = r.loops[:n-1]
	}
	at := slices.IndexFunc(r.loops, func(l loop) bool { return l.state == s && l.depth == depth && l.node == node })
	if at < 0 {
		r.loops = append(r.loops, loop{s, node, depth, r.pos})
		return 0
	}
	if r.loops[at].pos < r.pos {
		r.loops[at].pos = r.pos
		r.loops = r.loops[:at+1] // repetitions inside the round begin again
		return 0
	}
	r.loops = r.loops[:at]
	out := slices.IndexFunc(p.arcs, func(a arc) bool { return r.predictor.net.states[a.target].kind == loopEnd })
	return int32(out) + 1
}
