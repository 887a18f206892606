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
	elastic [][]bool  // by body and part: whether its derivations may differ in size

	unconstrained []int32 // by body: its least cost without a constraint
	nodes         int     // the number of nodes of the grammar
	parts         int     // the number of parts of all bodies
}

// newShape weighs the symbols of a graph.
func newShape(grammar *grammars.Grammar, g *refine.Graph, weigh func(*refine.Body, *refine.Part) int32) (*shape, error) {
	s := &shape{Graph: g, nodes: len(grammar.Nodes), weights: make([][]int32, len(g.Bodies)), elastic: findElastic(g), unconstrained: make([]int32, len(g.Bodies))}
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
	above := make([][]grammars.Occurrence, len(g.Nodes))
	missing := make([]int, len(g.Nodes)) // children that a node waits for
	sums := make([]int32, len(g.Nodes))  // the least number of characters of the other children
	var lexer, parser costQueue          // nodes with the characters of a derivation
	push := func(n *grammars.Node, chars int32) {
		if n.Rule != nil && n.Rule.Kind == grammars.ParserRule {
			parser.push(chars, int32(n.ID))
		} else {
			lexer.push(chars, int32(n.ID))
		}
	}
	for i, n := range g.Nodes {
		c.least[i] = impossible
		for _, child := range n.Children {
			above[child.ID] = append(above[child.ID], n.ID)
		}
		switch {
		case n.Kind == grammars.Concatenation && len(n.Children) > 0:
			missing[i] = len(n.Children)
		case n.Kind == grammars.Alternation, n.Kind == grammars.Reference, n.Kind == grammars.Repetition && n.Min > 0:
			missing[i] = 1
		case n.Kind != grammars.TokenSet:
			push(n, ownChars(n))
		}
	}
	// Characters never decrease upwards, so each node is settled once, the least first.
	settle := func(queue *costQueue) {
		for len(*queue) > 0 {
			chars, i := queue.pop()
			if c.least[i] < impossible {
				continue
			}
			c.least[i] = chars
			for _, a := range above[i] {
				if missing[a] == 0 {
					continue
				}
				missing[a]--
				if sums[a] = min(impossible, sums[a]+chars*int32(max(g.Nodes[a].Min, 1))); missing[a] == 0 {
					push(g.Nodes[a], sums[a])
				}
			}
		}
	}
	settle(&lexer) // tokens first, of which sets of tokens are made
	for _, n := range g.Nodes {
		if n.Kind != grammars.TokenSet {
			continue
		}
		chars := int32(impossible)
		for _, t := range n.Types {
			chars = min(chars, c.shortest(g.TokenRules(t)))
		}
		push(n, chars)
	}
	settle(&parser)
	return c
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
