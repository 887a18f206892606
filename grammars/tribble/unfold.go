package tribble

import (
	"fmt"
	"strings"

	"github.com/inroad/inroad/grammars/g4"
)

// Characters of an automaton's edges, as TRIBBLE unfolds them: the characters of a small
// range are alternatives, a large range is divided.
const (
	smallRange = 20 // characters
	subRanges  = 10
)

// unfold adds a rule for each state of an automaton that has edges, and for the first
// state, and returns a reference to the first rule. A state derives, for each of its
// edges, a character and the next state; the character alone if the text can end there.
func (p *parser) unfold(at g4.Pos, a *automaton) g4.Element {
	prefix := "regex"
	for strings.Contains(p.text, "'"+prefix) { // no rule of the file has the name
		prefix += "_"
	}
	p.regexes++
	name := func(state int) string { return fmt.Sprintf("%s%d_%d", prefix, p.regexes, state) }
	for i, s := range a.states {
		if len(s.edges) == 0 && i > 0 {
			continue
		}
		b := p.rule(at, name(i)).Body
		add := func(elements ...g4.Element) {
			p.keep()
			b.Alts = append(b.Alts, &g4.Alt{Pos: at, Elements: elements})
		}
		for _, e := range s.edges {
			next := a.states[e.to]
			if len(next.edges) > 0 {
				add(p.characters(at, e.lo, e.hi), &g4.Ref{Pos: at, Name: name(e.to)})
			}
			if len(next.edges) == 0 || next.accepts {
				add(p.characters(at, e.lo, e.hi))
			}
		}
		if i == 0 && s.accepts {
			add()
		}
		p.flatten(b)
	}
	return &g4.Ref{Pos: at, Name: name(0)}
}

// flatten replaces each alternative that consists of a block by the alternatives of the
// block.
func (p *parser) flatten(b *g4.Block) {
	var alts []*g4.Alt
	for _, alt := range b.Alts {
		if inner := soleBlock(alt); inner != nil {
			alts = append(alts, inner.Alts...)
		} else {
			alts = append(alts, alt)
		}
	}
	b.Alts = alts
}

// characters returns the characters of an edge.
func (p *parser) characters(at g4.Pos, lo, hi rune) g4.Element {
	if lo == hi {
		return literal(at, string(lo))
	}
	size := rune(1)
	if hi-lo >= smallRange {
		size = (hi - lo) / subRanges
	}
	b := &g4.Block{Pos: at}
	for ; lo <= hi; lo += size {
		p.keep()
		b.Alts = append(b.Alts, &g4.Alt{Pos: at, Elements: []g4.Element{charRange(at, lo, min(lo+size-1, hi))}})
	}
	return b
}

// charRange returns a range of characters.
func charRange(at g4.Pos, lo, hi rune) g4.Element {
	if lo == hi {
		return literal(at, string(lo))
	}
	text := fmt.Sprintf("'%s'..'%s'", escapeRune(lo, '\''), escapeRune(hi, '\''))
	return &g4.Range{Pos: at, Text: text, Lo: lo, Hi: hi}
}
