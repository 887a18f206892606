package generate

import (
	"slices"

	"github.com/inroad/inroad/grammars"
)

// Limits on the separators that are drawn from a grammar's trivia, which can have
// thousands of kinds.
const (
	maxSeparators    = 20
	maxSeparatorSize = 100 // symbols of a separator

	maxSeparatorRepeats = 5 // rounds of a repetition in trivia
)

// findSeparators returns short texts of the grammar's trivia, beginning with a
// blank and a line end.
func (x *Generator) findSeparators() [][]byte {
	var out, rest [][]byte
	kinds := x.productive[x.grammar.Trivia]
	small := without(kinds, func(n *grammars.Node) bool { return n.Size > maxSeparatorSize })
	for _, n := range small[:min(len(small), maxSeparators)] {
		if text, ok := x.trivia(n, shortest{}); ok {
			rest = append(rest, text)
		}
	}
	for _, c := range " \n" {
		if derives(kinds, c) {
			out = append(out, []byte(string(c)))
		}
	}
	return append(out, rest...)
}

// trivia draws the text of a token that the parser does not see, given its symbol.
func (x *Generator) trivia(n *grammars.Node, by chooser) (text []byte, ok bool) {
	scan := x.writer.Scan(0, grammars.AnyMode, n.Target)
	t := &spelling{drawing: x.newDrawing(), scan: &scan, left: maxTurnsBack}
	t.chooser, t.limit = by, size{nodes: maxSeparatorSize, repeats: maxSeparatorRepeats}
	if t.node(n, 0); t.failed || !scan.Done() {
		t.text = x.writer.Spell(x.rand, 0, grammars.AnyMode, n.Target)
	}
	return t.text, len(t.text) > 0
}

// derives reports whether a derivation of one of the nodes can contain a character.
// If so, the character alone is probably a derivation, too.
func derives(nodes []*grammars.Node, c rune) bool {
	seen := map[*grammars.Node]bool{}
	for work := slices.Clone(nodes); len(work) > 0; {
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

// writing returns how to write a number of words. It allows other texts for tokens only
// if the grammar has no agreements.
func (x *Generator) writing(words int) grammars.Writing {
	out := grammars.Writing{Separators: x.separators}
	if x.opt.Spacing != Compact {
		out.Trivia = func(i int) [][]byte { return x.wish(i, words) }
	}
	if len(x.grammar.Agreements) == 0 {
		out.Respell = x.rand
	}
	return out
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
			if text, ok := x.trivia(kinds[kind], uniform{Options{MaxDepth: 30}}); ok {
				out = append(out, text)
			}
		}
		return out
	default:
		return nil
	}
}
