package grammars

import (
	"slices"

	"github.com/inroad/inroad/grammars/derivation"
)

// Choices finds the choices made in derivations of trees of a grammar. It is not safe
// for concurrent use, but cheap to create.
type Choices struct {
	grammar *Grammar
	symbols *Symbols
	row     []Occurrence // the children of the current node of the tree
	round   func(n *Node, from, to int)
}

// Choices returns a finder of choices in trees of the grammar.
func (g *Grammar) Choices() *Choices {
	return &Choices{grammar: g, symbols: g.Symbols()}
}

// Each calls visit for each choice in a tree: at an [Alternation] with the index
// of the alternative, and at a [Repetition] with the number of rounds. This
// includes the choices inside tokens and trivia. The error is a *limit.Error if a
// token takes too long to parse.
func (c *Choices) Each(tree *derivation.Tree, visit func(n *Node, choice int)) error {
	return c.EachWithin(tree, 0, func(n *Node, choice int, _ []Occurrence) { visit(n, choice) })
}

// EachWithin is like Each, and also passes the symbols that enclose the choice, nearest
// first, at most the given number. The slice is valid only during the call.
func (c *Choices) EachWithin(tree *derivation.Tree, symbols int, each func(n *Node, choice int, within []Occurrence)) error {
	var chain, within []Occurrence // the symbols that enclose the current node, nearest last, and those to pass to each, nearest first
	enter := func(depth int, o Occurrence) {
		if symbols == 0 {
			return
		}
		chain, within = append(chain[:depth], o), within[:0]
		for _, o := range slices.Backward(chain[max(0, len(chain)-symbols):]) {
			within = append(within, o)
		}
	}
	visit := func(n *Node, choice int) { each(n, choice, within) }
	dissector := tree.Dissector()
	for depth, n := range tree.All() {
		if depth > 0 {
			enter(depth-1, n.Occurrence())
		}
		switch n.Kind() {
		case derivation.Rule:
			root := c.grammar.ParserRules()[n.Rule()].Root
			c.node(c.grammar.Nodes[root], n, visit)
		case derivation.Leaf:
			if depth == 0 || len(c.grammar.Nodes[n.Occurrence()].Children) == 0 {
				continue
			}
			inside, err := dissector.Leaf(n)
			if err != nil {
				return err
			}
			c.inside(n.Occurrence(), inside, depth, enter, visit)
		}
	}
	trivia := c.grammar.Nodes[c.grammar.Trivia]
	for token, o := range tree.Trivia() {
		if o == derivation.None {
			continue
		}
		inside, err := dissector.Token(token)
		if err != nil {
			return err
		}
		if within = nil; trivia.Kind == Alternation {
			visit(trivia, slices.IndexFunc(trivia.Children, func(n *Node) bool { return n.ID == o }))
		}
		enter(0, o)
		c.inside(o, inside, 1, enter, visit)
	}
	return nil
}

// Rounds calls visit for each round of the repetitions in a rule's right-hand
// side, with the repetition and the range of the node's children that the round
// derives.
func (c *Choices) Rounds(n derivation.Node, visit func(repetition *Node, from, to int)) {
	c.round = visit
	c.node(c.grammar.Nodes[c.grammar.ParserRules()[n.Rule()].Root], n, func(*Node, int) {})
	c.round = nil
}

// inside visits the choices inside a token. The number of symbols around them, the
// token included, is enclosing. It calls enter for each symbol inside the token.
func (c *Choices) inside(o Occurrence, tree *derivation.Tree, enclosing int, enter func(int, Occurrence), visit func(*Node, int)) {
	if tree == nil {
		return
	}
	for depth, n := range tree.All() {
		if depth > 0 {
			o = n.Occurrence()
			enter(enclosing+depth-1, o)
		}
		if n.Kind() == derivation.Rule && len(c.grammar.Nodes[o].Children) > 0 {
			c.node(c.grammar.Nodes[o].Children[0], n, visit)
		}
	}
}

// node visits the choices by which a right-hand side derives the children of a
// node.
func (c *Choices) node(root *Node, n derivation.Node, visit func(*Node, int)) {
	c.row = c.row[:0]
	for child := range n.Children() {
		c.row = append(c.row, child.Occurrence())
	}
	c.match(root, 0, visit)
}

// match finds how a construct derives the symbols of the row from an index on, and
// returns the index after them. A symbol occurs once in its rule, so no
// backtracking is needed.
func (c *Choices) match(n *Node, at int, visit func(*Node, int)) int {
	switch n.Kind {
	case Alternation:
		i := slices.IndexFunc(n.Children, func(alt *Node) bool { return c.next(alt, at) })
		if i < 0 { // an alternative of optional parts that are all absent
			i = slices.IndexFunc(n.Children, c.vanishes)
		}
		if i < 0 {
			return at
		}
		visit(n, i)
		return c.match(n.Children[i], at, visit)
	case Concatenation:
		for _, part := range n.Children {
			at = c.match(part, at, visit)
		}
		return at
	case Repetition:
		times := 0
		for (n.Max < 0 || times < n.Max) && c.next(n.Children[0], at) {
			from := at
			at = c.match(n.Children[0], at, visit)
			times++
			if c.round != nil {
				c.round(n, from, at)
			}
		}
		visit(n, max(times, n.Min))
		return at
	default:
		if c.next(n, at) {
			at++
		}
		return at
	}
}

// next reports whether a construct contains the symbol at an index of the row.
func (c *Choices) next(n *Node, at int) bool {
	return at < len(c.row) && slices.ContainsFunc(c.symbols.In(n), func(n *Node) bool { return n.ID == c.row[at] })
}

// vanishes reports whether a construct can derive no symbol at all, not even an
// empty alternative.
func (c *Choices) vanishes(n *Node) bool {
	switch n.Kind {
	case Alternation:
		return slices.ContainsFunc(n.Children, c.vanishes)
	case Concatenation:
		return !slices.ContainsFunc(n.Children, func(part *Node) bool { return !c.vanishes(part) })
	case Repetition:
		return n.Min == 0 || c.vanishes(n.Children[0])
	default:
		return false
	}
}
