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
	below  int32 // the frame below a reference
	v      int32 // the vector that the frame contributes at least
	cost   int32
	makers []*grammars.Rule // of a token set: the lexer rules that can make the token; nil for any
}

// A chooser makes the choices while a witness is drawn.
type chooser interface {
	// pick returns a choice from 0 to n-1.
	pick(n int) int
	// share returns the share of the spare budget that the first of two parts may use.
	share(left int32) int32
	// again reports whether to add a round to a repetition that could end.
	again() bool
}

// A drawer draws witnesses from the top down. Every choice fits the budget, so it
// never has to go back.
type drawer struct {
	*problem
	choose  chooser
	tree    witness
	options []int32
}

// draw returns a witness within a budget, which must be at least the least cost.
func (p *problem) draw(budget int32, choose chooser) witness {
	d := &drawer{problem: p, choose: choose}
	var fit []int32
	for _, v := range p.wanted {
		if p.root(0, v) <= budget {
			fit = append(fit, v)
		}
	}
	v := fit[0]
	if len(fit) > 1 {
		v = fit[choose.pick(len(fit))]
	}
	d.cell(0, p.frames[0].last, v, budget, 0)
	return d.tree
}

// redraw returns a witness with another derivation below one of its references.
// Its cost exceeds that of the present derivation by at most more, unless the least
// cost is higher.
func (p *problem) redraw(tree witness, at int, more int32, choose chooser) witness {
	to := tree.end(at)
	d := &drawer{problem: p, choose: choose}
	d.redraw(tree[at:to], more)
	return slices.Concat(tree[:at], d.tree, tree[to:])
}

// redraw draws another derivation of a subtree whose root is a reference. The derivation
// replaces the last one that was drawn.
func (d *drawer) redraw(tree witness, more int32) {
	from := tree[0]
	d.tree = append(d.tree[:0], from)
	budget := max(tree[1:].cost()+more, d.root(from.below, from.v))
	d.cell(from.below, d.frames[from.below].last, from.v, budget, from.depth+1)
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
func (d *drawer) cell(frame, at, v, budget, depth int32) int32 {
	f := &d.frames[frame]
	b := &d.Bodies[f.body]
	x := &b.Parts[at-f.first]
	weight := d.weights[f.body][at-f.first]
	switch x.Kind {
	case refine.End, refine.Absent, refine.Symbol:
		d.tree = append(d.tree, place{depth: depth, node: x.Node, cost: weight, makers: b.MakersOf(x)})
		return weight
	case refine.Reference:
		c := &d.cells[at]
		v = d.rest(c.outcome, v)
		d.tree = append(d.tree, place{depth: depth, node: x.Node, below: c.below, v: v, cost: weight})
		return weight + d.cell(c.below, d.frames[c.below].last, v, budget-weight, depth+1)
	case refine.Either:
		d.options = d.options[:0]
		for _, kid := range b.Kids[x.A:x.B] {
			if d.cost(f.first+kid.Part, v) <= budget {
				d.options = append(d.options, kid.Part)
			}
		}
		return d.cell(frame, f.first+d.option(), v, budget, depth)
	case refine.Both:
		left, right := f.first+x.A, f.first+x.B
		first := d.split(left, right, v, budget)
		spare := budget - d.cost(left, first) - d.cost(right, v-first)
		used := d.cell(frame, left, first, d.cost(left, first)+d.choose.share(spare), depth)
		return used + d.cell(frame, right, v-first, budget-used, depth)
	default: // Many
		if b.Loops(at - f.first) {
			return d.times(frame, at, f.first+b.Rounds[x.A].Part, v, budget, depth)
		}
		return d.rounds(frame, at, v, budget, depth)
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

// times draws a repetition.
func (d *drawer) times(frame, at, child, v, budget, depth int32) int32 {
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
		if d.cost(child, 0) > 0 || v == 0 && first { // or the repetition could go on for ever
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
		used += d.cell(frame, child, part, d.cost(child, part)+d.choose.share(spare), depth)
		v -= part
	}
}

// A round is an option for the next round of a repetition.
type round struct {
	part  int32 // the part of the body that is repeated
	next  int32 // the cell to go on with, or -1 to end
	first int32 // the vector that the round contributes
	cost  int32 // the least cost of the round and the rounds after it
}

// rounds draws a repetition whose rounds change the lexer mode.
func (d *drawer) rounds(frame, at, v, budget, depth int32) int32 {
	used := int32(0)
	for at >= 0 {
		last, more := d.roundOptions(frame, at, v, budget-used)
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
		child := d.frames[frame].first + r.part
		spare := budget - used - r.cost
		used += d.cell(frame, child, r.first, d.cost(child, r.first)+d.choose.share(spare), depth)
		at, v = r.next, v-r.first
	}
	return used
}

// roundOptions returns the options for a round within a budget: the options that
// end the repetition, and the options that do not.
func (d *drawer) roundOptions(frame, at, v, budget int32) (last, more []round) {
	f := &d.frames[frame]
	b := &d.Bodies[f.body]
	x := &b.Parts[at-f.first]
	for _, r := range b.Rounds[x.A:x.B] {
		child := f.first + r.Part
		if cost := d.cost(child, v); r.Ends && cost <= budget {
			last = append(last, round{r.Part, -1, v, cost})
		}
		if r.Next < 0 {
			continue
		}
		next := f.first + r.Next
		try := func(part int32) {
			if sum := d.cost(child, part) + d.cost(next, v-part); sum <= budget {
				more = append(more, round{r.Part, next, part, sum})
			}
		}
		if d.cost(child, 0) > 0 { // or the repetition could go on for ever
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

func (l randomChooser) pick(n int) int         { return l.IntN(n) }
func (l randomChooser) share(left int32) int32 { return l.Int32N(left + 1) }
func (l randomChooser) again() bool            { return l.IntN(5) < 3 }

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

// share grants the whole budget; the second part gets the remainder.
func (o *enumerator) share(left int32) int32 { return left }
func (o *enumerator) again() bool            { return o.pick(2) == 1 }

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
