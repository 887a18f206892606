package generate

import (
	"github.com/inroad/inroad/grammars"
)

// findSeparators returns short texts of the grammar's trivia, beginning with a
// blank and a line end.
func (x *Generator) findSeparators() [][]byte {
	var rest [][]byte
	blank, line := false, false
	for _, n := range x.productive[x.grammar.Trivia] {
		blank = blank || derives(n, ' ')
		line = line || derives(n, '\n')
		if text, ok := x.trivia(n, shortest{}); ok {
			rest = append(rest, text)
		}
	}
	var out [][]byte
	if blank {
		out = append(out, []byte(" "))
	}
	if line {
		out = append(out, []byte("\n"))
	}
	return append(out, rest...)
}

// trivia draws the text of a token that the parser does not see.
func (x *Generator) trivia(n *grammars.Node, by chooser) (text []byte, ok bool) {
	t := &spelling{drawing: x.newDrawing()}
	t.chooser = by
	t.node(n, 0)
	return t.text, !t.failed && len(t.text) > 0
}

// derives reports whether a derivation of a node can contain a character. If so,
// the character alone is probably a derivation, too.
func derives(n *grammars.Node, c rune) bool {
	seen := map[*grammars.Node]bool{}
	for work := []*grammars.Node{n}; len(work) > 0; {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[n] {
			continue
		}
		seen[n] = true
		if n.Kind == grammars.Literal && n.Value == string(c) || n.Kind == grammars.CharSet && len(intersect(n.Chars, c, c)) > 0 {
			return true
		}
		work = append(work, n.Children...)
	}
	return false
}

// wish returns the trivia to write before the i-th of a number of tokens, one text
// per token of trivia.
func (x *Generator) wish(i, words int) [][]byte {
	switch {
	case len(x.separators) == 0:
		return nil
	case x.opt.Spacing == Spaced && i > 0 && i < words:
		return x.separators[:1]
	case x.opt.Spacing == RandomSpacing && x.rand.IntN(3) == 0:
		var out [][]byte
		kinds := x.productive[x.grammar.Trivia]
		last := -1
		for range 1 + x.rand.IntN(3) {
			kind := x.rand.IntN(len(kinds))
			if kind == last { // two of the same kind often merge
				continue
			}
			last = kind
			if text, ok := x.trivia(kinds[kind], uniform{Options{MaxDepth: 30, MaxRepeat: 5, MaxNodes: 100}}); ok {
				out = append(out, text)
			}
		}
		return out
	default:
		return nil
	}
}
