package solve

import (
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
)

// A shape is a grammar made flat, so that what is below a symbol is computed by
// loops over arrays.
type shape struct {
	weigh  weigh
	bodies []body
	at     map[grammars.Occurrence]int32 // the body whose root a node is
}

// A body is what a reference stands for: the right-hand side of a rule, or the
// alternatives of a token that several rules make. Its parts stand in post-order,
// the whole last.
type body struct {
	root  *grammars.Node
	bound bindings // if the body is that of a left-recursive rule
	parts []part
	kids  []int32 // the parts of alternations
}

// A part is a node of a body. Concatenations are pairs.
type part struct {
	kind   partKind
	node   *grammars.Node
	a, b   int32 // a pair's halves, what is repeated, or where an alternation's kids are
	weight int32 // the cost of a symbol
	below  int32 // the body of a reference
	op     int32 // the alternative of a left-recursive rule that it stands in, or is; -1 for none
	isAlt  bool  // whether it is that alternative
}

type partKind uint8

const (
	never  partKind = iota // what has no derivation
	end                    // the end of the input, or nothing at all
	symbol                 // with nothing below
	absent                 // that an optional part is not there
	reference
	either
	both
	many // at least once
)

// weigh returns the cost of a symbol.
type weigh func(n *grammars.Node) int32

// newShape makes the bodies that are reached from the roots.
func newShape(cost weigh, roots ...*grammars.Node) *shape {
	s := &shape{weigh: cost, at: map[grammars.Occurrence]int32{}}
	for _, r := range roots {
		s.body(r)
	}
	for i := 0; i < len(s.bodies); i++ { // grows as references are met
		f := flattener{shape: s, body: s.bodies[i]}
		f.flatten()
		s.bodies[i] = f.body
	}
	return s
}

// body returns the number of the body with a root.
func (s *shape) body(root *grammars.Node) int32 {
	if i, ok := s.at[root.ID]; ok {
		return i
	}
	b := body{root: root}
	if r := root.Rule; r != nil && r.Root == root.ID && r.Operators != nil {
		b.bound = newBindings(r)
	}
	s.at[root.ID] = int32(len(s.bodies))
	s.bodies = append(s.bodies, b)
	return s.at[root.ID]
}

// A flattener makes the parts of one body.
type flattener struct {
	*shape
	body body
	op   int32
}

func (f *flattener) flatten() {
	f.op = -1
	if f.body.bound == nil {
		f.node(f.body.root)
		return
	}
	var kids []int32
	for i, op := range f.body.root.Rule.Operators {
		f.op = int32(i)
		kid := f.node(op.Alt)
		f.body.parts[kid].isAlt = true
		kids = append(kids, kid)
	}
	f.op = -1
	f.either(f.body.root, kids)
}

func (f *flattener) add(p part) int32 {
	p.op = f.op
	f.body.parts = append(f.body.parts, p)
	return int32(len(f.body.parts) - 1)
}

func (f *flattener) either(n *grammars.Node, kids []int32) int32 {
	from := int32(len(f.body.kids))
	f.body.kids = append(f.body.kids, kids...)
	return f.add(part{kind: either, node: n, a: from, b: int32(len(f.body.kids))})
}

// node adds the parts of a node, and returns the last of them.
func (f *flattener) node(n *grammars.Node) int32 {
	switch n.Kind {
	case grammars.Alternation:
		var kids []int32
		for _, c := range n.Children {
			kids = append(kids, f.node(c))
		}
		return f.either(n, kids)
	case grammars.Concatenation:
		left := f.node(n.Children[0])
		for _, c := range n.Children[1:] {
			right := f.node(c)
			left = f.add(part{kind: both, node: n, a: left, b: right})
		}
		return left
	case grammars.Repetition:
		there := f.node(n.Children[0])
		if n.Max != 1 {
			there = f.add(part{kind: many, node: n, a: there})
		}
		if n.Min > 0 {
			return there
		}
		nothing := part{kind: absent, node: n}
		if n.ID == derivation.None { // all the trivia of an input: the grammar has no such part
			nothing.kind = end
		}
		return f.either(n, []int32{f.add(nothing), there})
	case grammars.End:
		return f.add(part{kind: end, node: n})
	case grammars.Reference:
		if n.Size == grammars.Unproductive {
			return f.add(part{kind: never, node: n})
		}
		return f.add(part{kind: reference, node: n, weight: f.weigh(n), below: f.shape.body(n.Children[0])})
	default:
		return f.add(part{kind: symbol, node: n, weight: f.weigh(n)})
	}
}
