package solve

import (
	"math/rand/v2"
	"slices"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/refine"
)

// A witness is a tree that satisfies a constraint: its symbols in pre-order,
// including those inside tokens, the end of the input, and the optional parts that
// are absent.
type witness []place

// A place is a symbol of a witness.
type place struct {
	depth  int32
	node   *grammars.Node
	below  int32 // the cell below a reference
	v      int32 // the least vector that the cell must contribute
	cost   int32
	makers []*grammars.Rule // of a token set: the lexer rules that can make the token; nil for any
}

// A chooser makes the choices while a witness is drawn.
type chooser interface {
	// pick returns a choice from 0 to n-1.
	pick(n int) int
	// alternative returns an index into alternatives, which lists choices of n: children of
	// an alternation, or the absence (0) and presence (1) of an optional part.
	alternative(d *drawer, n *grammars.Node, depth int32, alternatives []int32) int
	// share returns how much of the spare budget left the first of two parts may use.
	// elastic says whether the derivations of the second part may differ in cost.
	share(left int32, elastic bool) int32
	// again reports whether to add a round to a repetition that could end.
	again() bool
}

// A drawer draws witnesses from the top down. Every choice fits the budget, so the
// drawer never backtracks.
type drawer struct {
	*problem
	choose  chooser
	tree    witness
	chain   []grammars.Occurrence // by depth: the symbols above the next one
	options []int32
	kids    []int32 // the alternatives that the options stand for
}

// draw returns a witness within a budget, which must be at least the least cost.
func (p *problem) draw(budget int32, choose chooser) witness {
	d := &drawer{problem: p, choose: choose}
	var fit []int32
	for _, v := range p.wanted {
		if p.cost(p.top, v) <= budget {
			fit = append(fit, v)
		}
	}
	v := fit[0]
	if len(fit) > 1 {
		v = fit[choose.pick(len(fit))]
	}
	d.cell(p.top, v, budget, 0)
	return d.tree
}

// redraw returns a witness with another derivation below one of its references. The
// derivation costs at most more above the present one, or the least cost if that is
// higher.
func (p *problem) redraw(tree witness, at int, more int32, choose chooser) witness {
	to := tree.end(at)
	d := &drawer{problem: p, choose: choose}
	d.redraw(tree[at:to], more)
	return slices.Concat(tree[:at], d.tree, tree[to:])
}

// redraw draws another derivation of a subtree whose root is a reference, and stores it in
// d.tree. The chooser does not see the symbols above the subtree.
func (d *drawer) redraw(tree witness, more int32) {
	from := tree[0]
	d.tree = append(d.tree[:0], from)
	d.chain = slices.Grow(d.chain[:0], int(from.depth)+1)[:from.depth+1]
	clear(d.chain)
	d.chain[from.depth] = from.node.ID
	budget := max(tree[1:].cost()+more, d.cost(from.below, from.v))
	d.cell(from.below, from.v, budget, from.depth+1)
}

// end returns the index after the subtree of a place.
func (tree witness) end(at int) int {
	to := at + 1
	for to < len(tree) && tree[to].depth > tree[at].depth {
		to++
	}
	return to
}

func (tree witness) equal(other witness) bool {
	return slices.EqualFunc(tree, other, func(a, b place) bool { return a.depth == b.depth && a.node == b.node })
}

// cell draws a derivation of a cell that contributes at least v within a budget,
// and returns its cost.
func (d *drawer) cell(at, v, budget, depth int32) int32 {
	c := &d.cells[at]
	symbol := d.symbolOf(c)
	switch c.kind {
	case refine.End, refine.Absent, refine.Symbol:
		d.tree = append(d.tree, place{depth: depth, node: symbol.node, cost: c.weight, makers: symbol.makers})
		return c.weight
	case refine.Reference:
		v = d.rest(c.outcome, v)
		d.tree = append(d.tree, place{depth: depth, node: symbol.node, below: c.below, v: v, cost: c.weight})
		d.chain = append(d.chain[:depth], symbol.node.ID)
		return c.weight + d.cell(c.below, v, budget-c.weight, depth+1)
	case refine.Either:
		d.options, d.kids = d.options[:0], d.kids[:0]
		for _, kid := range d.kidsOf(c) {
			if d.cost(kid.Part, v) <= budget {
				d.options, d.kids = append(d.options, kid.Part), append(d.kids, kid.Choice)
			}
		}
		chosen := 0
		switch {
		case len(d.options) == 1:
		case symbol.node == nil:
			chosen = d.choose.pick(len(d.options))
		default:
			chosen = d.choose.alternative(d, symbol.node, depth, d.kids)
		}
		return d.cell(d.options[chosen], v, budget, depth)
	case refine.Both:
		first := d.split(c.a, c.b, v, budget)
		spare := budget - d.cost(c.a, first) - d.cost(c.b, v-first)
		used := d.cell(c.a, first, d.cost(c.a, first)+d.choose.share(spare, d.elastic[d.cells[c.b].free]), depth)
		return used + d.cell(c.b, v-first, budget-used, depth)
	default: // Many
		if d.loops(at) {
			return d.times(at, d.roundsOf(c)[0].Part, v, budget, depth)
		}
		return d.many(at, v, budget, depth)
	}
}

// option chooses one of the options.
func (d *drawer) option() int32 {
	if len(d.options) == 1 {
		return d.options[0]
	}
	return d.options[d.choose.pick(len(d.options))]
}

// split chooses the vector that the first of two cells contributes.
func (d *drawer) split(left, right, v, budget int32) int32 {
	d.options = d.options[:0]
	try := func(part int32) {
		if d.cost(left, part)+d.cost(right, v-part) <= budget {
			d.options = append(d.options, part)
		}
	}
	try(0)
	if v != 0 {
		try(v)
		for _, part := range d.splits[v] {
			try(part)
		}
	}
	return d.option()
}

// times draws a repetition of a single cell, and returns its cost.
func (d *drawer) times(at, child, v, budget, depth int32) int32 {
	rest := func(v int32) int32 { // the least cost of the rounds after the first
		if v == 0 {
			return 0
		}
		return d.cost(at, v)
	}
	used := int32(0)
	for first := true; ; first = false {
		d.options = d.options[:0]
		try := func(part int32) {
			if d.cost(child, part)+rest(v-part) <= budget-used {
				d.options = append(d.options, part)
			}
		}
		if d.cost(child, 0) > 0 || v == 0 && first { // else the repetition might never end
			try(0)
		}
		if v != 0 {
			try(v)
			for _, part := range d.splits[v] {
				try(part)
			}
		}
		if v == 0 && !first && (len(d.options) == 0 || !d.choose.again()) {
			return used
		}
		part := d.option()
		spare := budget - used - d.cost(child, part) - rest(v-part)
		used += d.cell(child, part, d.cost(child, part)+d.choose.share(spare, true), depth)
		v -= part
	}
}

// A round is an option for the next round of a repetition.
type round struct {
	part  int32 // the cell that is repeated
	next  int32 // the cell to go on with, or -1 to end
	first int32 // the vector that the round contributes
	cost  int32 // the least cost of the round and the rounds after it
}

// many draws a repetition whose rounds change the lexer mode, and returns its cost.
func (d *drawer) many(at, v, budget, depth int32) int32 {
	used := int32(0)
	for at >= 0 {
		last, more := d.roundOptions(at, v, budget-used)
		options := append(last, more...)
		if len(last) > 0 && len(more) > 0 {
			if options = last; d.choose.again() {
				options = more
			}
		}
		r := options[0]
		if len(options) > 1 {
			r = options[d.choose.pick(len(options))]
		}
		spare := budget - used - r.cost
		used += d.cell(r.part, r.first, d.cost(r.part, r.first)+d.choose.share(spare, true), depth)
		at, v = r.next, v-r.first
	}
	return used
}

// roundOptions returns the options for a round within a budget: the options that
// end the repetition, and the options that do not.
func (d *drawer) roundOptions(at, v, budget int32) (last, more []round) {
	for _, r := range d.roundsOf(&d.cells[at]) {
		child := r.Part
		if cost := d.cost(child, v); r.Ends && cost <= budget {
			last = append(last, round{child, -1, v, cost})
		}
		if r.Next < 0 {
			continue
		}
		try := func(part int32) {
			if sum := d.cost(child, part) + d.cost(r.Next, v-part); sum <= budget {
				more = append(more, round{child, r.Next, part, sum})
			}
		}
		if d.cost(child, 0) > 0 { // else the repetition might never end
			try(0)
		}
		if v != 0 {
			try(v)
			for _, part := range d.splits[v] {
				try(part)
			}
		}
	}
	return last, more
}

// cost returns the cost of a witness.
func (tree witness) cost() int32 {
	cost := int32(0)
	for _, p := range tree {
		cost += p.cost
	}
	return cost
}

// A randomChooser chooses at random.
type randomChooser struct{ *rand.Rand }

func (l randomChooser) pick(n int) int                 { return l.IntN(n) }
func (l randomChooser) share(left int32, _ bool) int32 { return l.Int32N(left + 1) }
func (l randomChooser) again() bool                    { return l.IntN(5) < 3 }

func (l randomChooser) alternative(_ *drawer, _ *grammars.Node, _ int32, alternatives []int32) int {
	return l.pick(len(alternatives))
}

// An enumerator enumerates all sequences of choices.
type enumerator struct {
	made []struct{ choice, of int }
	at   int
}

func (o *enumerator) pick(n int) int {
	if o.at == len(o.made) {
		o.made = append(o.made, struct{ choice, of int }{0, n})
	}
	o.at++
	return o.made[o.at-1].choice
}

func (o *enumerator) alternative(_ *drawer, _ *grammars.Node, _ int32, alternatives []int32) int {
	return o.pick(len(alternatives))
}

// share grants the whole budget; the second part gets the remainder.
func (o *enumerator) share(left int32, _ bool) int32 { return left }
func (o *enumerator) again() bool                    { return o.pick(2) == 1 }

// next moves on to the next sequence and reports whether there is one.
func (o *enumerator) next() bool {
	for o.at = 0; len(o.made) > 0; o.made = o.made[:len(o.made)-1] {
		if last := &o.made[len(o.made)-1]; last.choice+1 < last.of {
			last.choice++
			return true
		}
	}
	return false
}
