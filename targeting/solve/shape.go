package solve

import (
	"context"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/refine"
	"github.com/inroad/inroad/targeting"
)

// A shape is a refined grammar with a cost for each symbol.
type shape struct {
	*refine.Graph
	weights [][]int32 // by body and part: the cost of a symbol; 0 for other parts

	unconstrained []int32 // by body: its least cost without a constraint
	nodes         int     // the number of nodes of the grammar
	parts         int     // the number of parts of all bodies
}

// newShape weighs the symbols of a graph.
func newShape(grammar *grammars.Grammar, g *refine.Graph, weigh func(*refine.Body, *refine.Part) int32) (*shape, error) {
	s := &shape{Graph: g, nodes: len(grammar.Nodes), weights: make([][]int32, len(g.Bodies)), unconstrained: make([]int32, len(g.Bodies))}
	for i := range g.Bodies {
		parts := g.Bodies[i].Parts
		s.weights[i] = make([]int32, len(parts))
		s.parts += len(parts)
		for j := range parts {
			if k := parts[j].Kind; k == refine.Symbol || k == refine.Reference {
				s.weights[i][j] = weigh(&g.Bodies[i], &parts[j])
			}
		}
	}
	return s, s.measure()
}

// measure computes the least cost of each body without a constraint.
func (s *shape) measure() error {
	for _, root := range []int32{s.Start, s.AllTrivia, s.Trivia} {
		p, err := newProblem(context.Background(), s, targeting.Constraint{}, nil, root)
		if err != nil {
			return err
		}
		p.empty = make([]int32, len(p.cells))
		for i := range p.empty {
			p.empty[i] = impossible
		}
		raised := make([]bool, len(p.frames))
		for i := range raised {
			raised[i] = true
		}
		p.measureRaised(raised)
		for _, f := range p.frames {
			s.unconstrained[f.body] = p.empty[f.last]
		}
	}
	return nil
}

// A charCost computes the costs of symbols where characters are limited.
type charCost struct {
	grammar *grammars.Grammar
	least   []int32 // by node: the least number of characters of a derivation
}

func newCharCost(g *grammars.Grammar) *charCost {
	c := &charCost{g, make([]int32, len(g.Nodes))}
	for i := range c.least {
		c.least[i] = impossible
	}
	for changed := true; changed; {
		changed = false
		for i := len(g.Nodes) - 1; i >= 0; i-- {
			if n := c.node(g.Nodes[i]); n < c.least[i] {
				c.least[i], changed = n, true
			}
		}
	}
	return c
}

func (c *charCost) node(n *grammars.Node) int32 {
	least := int32(impossible)
	switch n.Kind {
	case grammars.Alternation:
		for _, child := range n.Children {
			least = min(least, c.least[child.ID])
		}
	case grammars.Concatenation:
		least = 0
		for _, child := range n.Children {
			least = min(impossible, least+c.least[child.ID])
		}
	case grammars.Repetition:
		if least = 0; n.Min > 0 {
			least = c.least[n.Children[0].ID]
		}
	case grammars.Reference:
		if len(n.Children) > 0 {
			least = c.least[n.Children[0].ID]
		}
	case grammars.TokenSet:
		for _, t := range n.Types {
			least = min(least, c.shortest(c.grammar.TokenRules(t)))
		}
	default:
		least = ownChars(n)
	}
	return least
}

// shortest returns the least number of characters of a token that one of the rules
// makes.
func (c *charCost) shortest(rules []*grammars.Rule) int32 {
	least := int32(impossible)
	for _, r := range rules {
		least = min(least, c.least[r.Root])
	}
	return least
}

// ownChars returns the number of characters of a symbol with nothing below.
func ownChars(n *grammars.Node) int32 {
	switch n.Kind {
	case grammars.Literal:
		return int32(len([]rune(n.Value)))
	case grammars.CharSet:
		return 1
	default:
		return 0
	}
}

// weigh returns the cost of a symbol.
func (c *charCost) weigh(b *refine.Body, x *refine.Part) int32 {
	chars := ownChars(x.Node)
	if x.Node.Kind == grammars.TokenSet {
		if chars = c.least[x.Node.ID]; b.MakersOf(x) != nil {
			chars = c.shortest(b.MakersOf(x))
		}
		chars = min(chars, impossible/charWeight-1)
	}
	return 1 + charWeight*chars
}
