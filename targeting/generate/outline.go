package generate

import (
	"math/rand/v2"
	"slices"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/refine"
)

// An outline makes the choices of a tree by probability before the tree is drawn. A tree
// is drawn from left to right, so a recursive rule on the left would use up the limit on
// expansions. An outline expands open slots in random order, as PTC2 does, and so spreads
// the limit over all of them.
//
// An outline ignores lexer modes and needed symbols. Where these exclude a choice, the
// drawing chooses for itself in the rest of the rule.
type outline struct {
	*drawing
	by         *likely
	open       []*body // slots
	leaves     []*body // tokens
	expansions int
	least      int // a lower bound of the symbols of the finished tree
	tokens     int // a lower bound of the tokens of the finished tree
}

// A body is the planned derivation of a rule or a token.
type body struct {
	of      *grammars.Node // the reference or token set; nil for the start rule
	above   *body          // nil for the start rule
	rule    *grammars.Rule // nil for a token, whose inside is not planned
	binding refine.Binding

	closed  bool // whether the slot was expanded after the limit
	choices []decision
	parts   []*body // rules and tokens of the derivation, in order

	began, limit int // of a token: expansions of the drawing when it began, and how many more it may take
	choice, part int // the next ones in the drawing
	left         bool
}

// A decision is an alternative or a number of rounds.
type decision struct {
	at    *grammars.Node
	alt   *grammars.Node // nil at a repetition
	times int
}

// outlined returns the planned body of a start rule.
func (l *likely) outlined(d *drawing, start *grammars.Rule) *body {
	d.plans.reset()
	root := d.plans.next()
	root.rule, root.binding = start, refine.Loose
	o := &outline{drawing: d, by: l, open: append(d.plans.open[:0], root), leaves: d.plans.leaves[:0], least: max(d.grammar.Nodes[start.Root].Size, 0), tokens: d.grammar.Nodes[start.Root].Tokens}
	limit := l.opt.Expansions
	if l.grows {
		limit = d.logUniform(1, limit)
	}
	for len(o.open) > 0 {
		b := o.take(d.rand)
		if b.of != nil {
			o.expansions++
		}
		b.closed = o.expansions > limit || o.least > d.limit.nodes || o.tokens > d.limit.tokens
		if b.rule != nil {
			o.expand(b)
		} else {
			o.leaves = append(o.leaves, b)
		}
	}
	for _, b := range o.leaves {
		b.limit = max(minTokenExpansions, l.opt.Expansions/len(o.leaves))
	}
	d.plans.open, d.plans.leaves = o.open, o.leaves
	return root
}

// plans keeps the memory of bodies for the next outline.
type plans struct {
	blocks       [][]body
	block, used  int // the body that comes next
	open, leaves []*body
}

// bodyBlock is the number of bodies that are allocated together.
const bodyBlock = 64

// maxBlocks is the number of blocks that are kept for the next outline.
const maxBlocks = 50

// reset makes all bodies available again.
func (p *plans) reset() {
	p.block, p.used = 0, 0
	p.blocks = slices.Delete(p.blocks, min(len(p.blocks), maxBlocks), len(p.blocks))
}

// next returns an empty body.
func (p *plans) next() *body {
	if p.used == bodyBlock {
		p.block, p.used = p.block+1, 0
	}
	if p.block == len(p.blocks) {
		p.blocks = append(p.blocks, make([]body, bodyBlock))
	}
	b := &p.blocks[p.block][p.used]
	p.used++
	*b = body{choices: b.choices[:0], parts: b.parts[:0]}
	return b
}

// minTokenExpansions is the least limit on the expansions of a token. The tokens of an
// input share the input's limit.
const minTokenExpansions = 5

// take removes a random slot.
func (o *outline) take(r *rand.Rand) *body {
	i, last := r.IntN(len(o.open)), len(o.open)-1
	b := o.open[i]
	o.open[i] = o.open[last]
	o.open = o.open[:last]
	return b
}

// expand chooses the derivation of a rule. It opens a slot for each rule and token.
func (o *outline) expand(b *body) {
	root := o.grammar.Nodes[b.rule.Root]
	o.least -= max(root.Size, 0)
	o.tokens -= root.Tokens
	bindings := o.refinement.Bindings(b.rule)
	if bindings == nil {
		o.node(b, root, operands{})
		return
	}
	var allowed []*grammars.Node
	for i := range b.rule.Operators {
		if alt := b.rule.Operators[i].Alt; bindings.Allows(b.binding, i) && !unproductive(alt) {
			allowed = append(allowed, alt)
		}
	}
	if len(allowed) == 0 {
		return
	}
	alt := o.choose(b, root, allowed)
	o.node(b, alt, operands{bindings, b.binding, slices.IndexFunc(b.rule.Operators, func(op grammars.Operator) bool { return op.Alt == alt })})
}

func (o *outline) choose(b *body, n *grammars.Node, alts []*grammars.Node) *grammars.Node {
	alt := o.by.choose(o.drawing, n, alts, o.within(b, n), b.closed, func(n *grammars.Node) int { return n.Size })
	b.choices = append(b.choices, decision{at: n, alt: alt})
	return alt
}

// within returns the probabilities of a choice in a body, given the symbols above it; nil if
// they do not depend on these.
func (o *outline) within(b *body, n *grammars.Node) *distribution {
	if o.by.context == 1 {
		return nil
	}
	var room [MaxContext]grammars.Occurrence
	above := room[:0]
	for ; b.of != nil && len(above) < o.by.context-1; b = b.above {
		above = append(above, b.of.ID)
	}
	return o.by.p.within(n, above)
}

func (o *outline) node(b *body, n *grammars.Node, operands operands) {
	switch n.Kind {
	case grammars.Alternation:
		o.node(b, o.choose(b, n, o.productive[n.ID]), operands)
	case grammars.Concatenation:
		for _, c := range n.Children {
			o.node(b, c, operands)
		}
	case grammars.Repetition:
		times := o.by.rounds(o.drawing, n, o.within(b, n), b.closed)
		b.choices = append(b.choices, decision{at: n, times: times})
		for range times {
			if o.least > maxTreeNodes {
				return
			}
			o.node(b, n.Children[0], operands)
		}
	case grammars.Reference, grammars.TokenSet:
		part := o.plans.next()
		part.of, part.above = n, b
		if n.Kind == grammars.Reference && n.Token == 0 {
			part.rule, part.binding = n.Target, operands.of(n)
		}
		b.parts = append(b.parts, part)
		o.open = append(o.open, part)
		o.least += max(n.Size, 0)
		o.tokens += n.Tokens
	default:
		o.least++
		o.tokens += n.Tokens
	}
}

// next returns the planned choice at a node; nil if there is none.
func (b *body) next(n *grammars.Node) *decision {
	if b == nil || b.left || b.rule == nil {
		return nil
	}
	if b.choice == len(b.choices) || b.choices[b.choice].at != n {
		b.left = true
		return nil
	}
	b.choice++
	return &b.choices[b.choice-1]
}

// enter returns the planned body of a symbol; nil if there is none. All symbols inside a
// token have the token's body.
func (b *body) enter(n *grammars.Node) *body {
	switch {
	case b == nil || b.left:
		return nil
	case b.rule == nil:
		return b
	case n.Kind != grammars.Reference && n.Kind != grammars.TokenSet:
		return nil
	case b.part == len(b.parts) || b.parts[b.part].of != n:
		b.left = true
		return nil
	}
	b.part++
	return b.parts[b.part-1]
}
