package features

import "github.com/inroad/inroad/grammars/derivation"

// A Position is a place in an input where a feature was found, as a number of
// bytes from the start. The position of a path is the start of the first token
// below its last symbol. The position of a feature that compares the children
// of a node is in the last token of the node.
type Position = int

// A placer returns the positions of the nodes of a tree, in the order of
// [derivation.Tree.All].
type placer struct {
	start int
	valid bool // start is also the position of nodes up to the next token
}

func (p *placer) of(n derivation.Node) Position {
	switch {
	case n.Kind() == derivation.Leaf:
		p.start, p.valid = int(n.Token().Start), false
	case !p.valid:
		p.start, _ = n.Span()
		p.valid = true
	}
	return p.start
}
