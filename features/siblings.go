package features

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
)

// Limits on the bytes of compared texts and on the depth of the search for first
// tokens. Without them, deeply nested inputs would take too long.
const (
	maxSiblingText = 256
	maxFirstToken  = 16
)

// repeated finds children of a node with the same name and the same text.
func repeated(x *ExtraExtractor, k Kind, p *parent) {
	for _, c := range p.children {
		if !x.flags[c.lead].Has(k) || c.grammar.Kind == grammars.Literal {
			continue
		}
		if _, ok := firstLeaf(c.Node); !ok {
			continue
		}
		if start, end := c.Span(); end-start <= maxSiblingText {
			x.texts = append(x.texts, siblingText{c.lead, hashText(string(p.text[start:end]))})
		}
	}
	x.raiseEqual(k)
}

// sameStart finds children of a node with the same name and the same first
// token.
func sameStart(x *ExtraExtractor, k Kind, p *parent) {
	for _, c := range p.children {
		if !x.flags[c.lead].Has(k) {
			continue
		}
		if text, ok := x.firstToken(c, p.text); ok {
			x.texts = append(x.texts, siblingText{c.lead, hashText(string(text))})
		}
	}
	x.raiseEqual(k)
}

// unsorted finds a child whose first token is less than the first token of the
// previous child with the same name.
func unsorted(x *ExtraExtractor, k Kind, p *parent) {
	for _, c := range p.children {
		if !x.flags[c.lead].Has(k) {
			continue
		}
		text, ok := x.firstToken(c, p.text)
		if !ok {
			continue
		}
		i := slices.IndexFunc(x.firsts, func(f firstToken) bool { return f.lead == c.lead })
		if i < 0 {
			x.firsts = append(x.firsts, firstToken{c.lead, text})
			continue
		}
		if bytes.Compare(x.firsts[i].text, text) > 0 {
			x.raise(k, c.lead, 1)
		}
		x.firsts[i].text = text
	}
	x.firsts = x.firsts[:0]
}

// A siblingText is the text of a child, or of its first token.
type siblingText struct {
	lead grammars.Occurrence // stands for the child's name
	hash uint64
}

// A firstToken is the first token of the latest child with a name.
type firstToken struct {
	lead grammars.Occurrence
	text []byte
}

// raiseEqual records the names of children with equal texts, and clears the
// texts.
func (x *ExtraExtractor) raiseEqual(k Kind) {
	slices.SortFunc(x.texts, func(a, b siblingText) int {
		return cmp.Or(cmp.Compare(a.lead, b.lead), cmp.Compare(a.hash, b.hash))
	})
	for i := 1; i < len(x.texts); i++ {
		if x.texts[i] == x.texts[i-1] {
			x.raise(k, x.texts[i].lead, 1)
		}
	}
	x.texts = x.texts[:0]
}

// firstToken returns the text of the first token of a rule, unless the token is
// a literal, long or too far down.
func (x *ExtraExtractor) firstToken(c child, text []byte) ([]byte, bool) {
	if c.Kind() != derivation.Rule || c.grammar.Kind == grammars.Literal {
		return nil, false
	}
	first, ok := firstLeaf(c.Node)
	if !ok || x.grammarKind(first) != grammars.Reference {
		return nil, false
	}
	start, end := first.Span()
	return text[start:end], end-start <= maxSiblingText
}

func (x *ExtraExtractor) grammarKind(n derivation.Node) grammars.NodeKind {
	if o := n.Occurrence(); o != derivation.None {
		return x.grammar.Nodes[o].Kind
	}
	return grammars.Reference
}

// firstLeaf returns the first token of a node, unless the token is too far down.
func firstLeaf(n derivation.Node) (derivation.Node, bool) {
	for range maxFirstToken {
		if n.Kind() == derivation.Leaf {
			return n, true
		}
		child, ok := firstChild(n)
		if !ok {
			break
		}
		n = child
	}
	return derivation.Node{}, false
}

func firstChild(n derivation.Node) (derivation.Node, bool) {
	for c := range n.Children() {
		return c, true
	}
	return derivation.Node{}, false
}

func describeRepeated(p phrase) string {
	if p.symbol() != p.node.Text { // all such tokens are equal
		return fmt.Sprintf("%s with two or more %s", indefinite(p.rule()), p.symbol())
	}
	return fmt.Sprintf("%s with the same %s twice", indefinite(p.rule()), p.symbol())
}

func describeSameStart(p phrase) string {
	return fmt.Sprintf("%s where one %s starts with the same token as another", indefinite(p.rule()), p.symbol())
}

func describeUnsorted(p phrase) string {
	return fmt.Sprintf("%s where the first token of one %s sorts before that of the previous one", indefinite(p.rule()), p.symbol())
}

func needSiblings(p phrase) Need {
	return Need{Paths: p.siblings(), Min: 2, Text: p.symbol() + " in " + p.rule()}
}
