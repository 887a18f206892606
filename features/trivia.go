package features

import (
	"bytes"
	"fmt"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
)

// The surroundings of a skipped or hidden token are the visible tokens around
// it.
type surroundings struct {
	trivia   grammars.Occurrence
	lines    int                 // 1 if the token contains a line break
	previous grammars.Occurrence // None at the start of the input
	next     grammars.Occurrence // None at the end of the input if no rule matches EOF there
}

// A leafAt is a token visible to the parser, with its offset.
type leafAt struct {
	start      int32
	occurrence grammars.Occurrence
}

// surround calls the function of each trivia feature for each skipped or hidden
// token of the tree, with the surroundings of the token.
func (x *ExtraExtractor) surround(tree *derivation.Tree) {
	tokens := tree.Tokens()
	next := 0 // index of the first leaf after the trivia
	for token, o := range tree.Trivia() {
		if o == derivation.None {
			continue
		}
		start, end := tokens[token].Start, tokens[token].End
		for next < len(x.leaves) && x.leaves[next].start < start {
			next++
		}
		s := &x.trivia
		*s = surroundings{trivia: o, previous: derivation.None, next: derivation.None}
		if bytes.ContainsAny(x.input[start:end], "\n\r") {
			s.lines = 1
		}
		if next > 0 {
			s.previous = x.leaves[next-1].occurrence
		}
		if next < len(x.leaves) {
			s.next = x.leaves[next].occurrence
		}
		x.at = int(start)
		for _, k := range x.ofTrivia {
			k.trivia(x, k.Kind, s)
		}
	}
}

// before finds the trivia right before a token. A feature with bound 1 is about
// trivia with a line break.
func before(x *ExtraExtractor, k Kind, s *surroundings) {
	if s.next == derivation.None {
		return
	}
	for line := range s.lines + 1 {
		x.addOnce(newExtra(k, line, s.trivia, s.next))
	}
}

// after finds the trivia right after a token, or at the start of the input.
func after(x *ExtraExtractor, k Kind, s *surroundings) {
	for line := range s.lines + 1 {
		x.addOnce(newExtra(k, line, s.trivia, s.previous))
	}
}

func describeBefore(p phrase) string { return p.beside("before") }
func describeAfter(p phrase) string  { return p.beside("after") }

// beside returns "WHITESPACE with a line break before ']' in array".
func (p phrase) beside(side string) string {
	text := p.symbol()
	if p.bound == 1 {
		text += " with a line break"
	}
	if len(p.path) == 1 {
		return text + " at the start of the input"
	}
	neighbour := p.space.grammar.Nodes[p.path[1]]
	if neighbour.Kind == grammars.End {
		return fmt.Sprintf("%s %s the end of the input", text, side)
	}
	return fmt.Sprintf("%s %s %s in %s", text, side, symbolName(neighbour), indefinite(ruleName(neighbour)))
}

func needTrivia(p phrase) Need {
	return Need{Paths: []Path{p.path[:1]}, Trivia: true, Min: 1, Text: p.symbol()}
}
