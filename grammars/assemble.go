package grammars

import (
	"bytes"
	"fmt"

	"github.com/inroad/inroad/grammars/derivation"
)

// A Symbol is a node of a tree to assemble. The children of the root have depth 0.
type Symbol struct {
	Depth      int
	Occurrence Occurrence
	Word       int // the index of a token's text, or -1
}

// Assemble returns the tree of the given symbols, in pre-order, below a root of rule
// start. The words must occur in the text in their order; the text between them is
// trivia. rules[i] is the index of the lexer rule that matches words[i]; -1 or a
// missing entry stands for the first rule that can. The parser may derive another tree
// from the text, or reject it.
func (g *Grammar) Assemble(start *Rule, symbols []Symbol, words []Word, rules []int32, text []byte) (*derivation.Tree, error) {
	tokens := make([]derivation.Token, 0, len(words)+len(words)/4+1)
	index := make([]int32, len(words)) // of the words' tokens
	end := 0
	gap := func(to int) {
		if to > end {
			tokens = append(tokens, derivation.Token{Rule: -1, Start: int32(end), End: int32(to), Skipped: true})
		}
	}
	for i, w := range words {
		at := bytes.Index(text[end:], w.Text)
		if at < 0 {
			return nil, fmt.Errorf("the text does not contain %q after byte %d", w.Text, end)
		}
		gap(end + at)
		index[i] = int32(len(tokens))
		t := derivation.Token{Type: int32(w.Type), Rule: -1, Start: int32(end + at), End: int32(end + at + len(w.Text)), Skipped: w.Type == 0}
		if i < len(rules) && rules[i] >= 0 {
			t.Rule = rules[i]
		} else if makers := g.makers[w.Type]; len(makers) > 0 {
			t.Rule = int32(makers[0].Index)
		}
		tokens = append(tokens, t)
		end += at + len(w.Text)
	}
	gap(len(text))
	tokens = append(tokens, derivation.Token{Type: derivation.EOF, Rule: -1, Start: int32(len(text)), End: int32(len(text))})
	b := &derivation.Builder{}
	b.Reset(len(symbols)+1, len(symbols)+1)
	b.Open(0, int32(start.Index), derivation.None)
	for _, s := range symbols {
		switch n := g.Nodes[s.Occurrence]; {
		case s.Word >= 0:
			b.Leaf(s.Depth+1, index[s.Word], s.Occurrence)
		case n.Kind == End:
			b.Leaf(s.Depth+1, int32(len(tokens)-1), s.Occurrence)
		case n.Kind == Empty:
			b.Empty(s.Depth+1, s.Occurrence)
		default:
			b.Open(s.Depth+1, int32(n.Target.Index), s.Occurrence)
		}
	}
	b.CloseFrom(0)
	tree := b.Tree(text, tokens, g.names)
	if !g.Scannerless {
		tree = tree.WithTokenDeriver(g.machine, nil)
	}
	return tree, nil
}
