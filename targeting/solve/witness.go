package solve

import (
	"math/rand/v2"
	"slices"

	"github.com/inroad/inroad/grammars"
)

// A witness is a tree that satisfies a constraint: its symbols in pre-order,
// those in tokens included, and with them the end of the input and the optional
// parts that are not there.
type witness []place

type place struct {
	depth int32
	node  *grammars.Node
	below int32 // of a reference: the frame that it leads to
	v     int32 // and what that contributes at least
}

// A chooser makes the choices that a witness leaves open.
type chooser interface {
	// pick chooses one of n.
	pick(n int) int
	// share tells how much of what is left over the first of two may use.
	share(left int32) int32
	// again tells whether to repeat once more what need not be repeated.
	again() bool
}

// A drawer draws witnesses, top down. Whatever it chooses fits the budget, so it
// never has to go back.
type drawer struct {
	*problem
	choose  chooser
	tree    witness
	options []int32
}

// draw returns a witness that costs no more than the budget, which must be at
// least the least cost.
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

// redraw returns a witness with something else below one of its references, for
// a cost that is no more than so much higher.
func (p *problem) redraw(tree witness, at int, more int32, choose chooser) witness {
	from, to := tree[at], tree.end(at)
	d := &drawer{problem: p, choose: choose, tree: slices.Clone(tree[:at+1])}
	budget := max(p.cost(tree[at+1:to])+more, p.root(from.below, from.v))
	d.cell(from.below, p.frames[from.below].last, from.v, budget, from.depth+1)
	return append(d.tree, tree[to:]...)
}

// end returns where what is below a place ends.
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

// cell draws what a cell derives for at most the budget, contributing at least
// v, and returns what it costs.
func (d *drawer) cell(frame, at, v, budget, depth int32) int32 {
	f := &d.frames[frame]
	b := &d.bodies[f.body]
	x := &b.parts[at-f.first]
	switch x.kind {
	case end, absent, symbol:
		d.tree = append(d.tree, place{depth: depth, node: x.node})
		return x.weight
	case reference:
		c := &d.cells[at]
		v = d.rest(c.outcome, v)
		d.tree = append(d.tree, place{depth, x.node, c.below, v})
		return x.weight + d.cell(c.below, d.frames[c.below].last, v, budget-x.weight, depth+1)
	case either:
		d.options = d.options[:0]
		for _, kid := range b.kids[x.a:x.b] {
			if d.costs(f.first + kid)[v] <= budget {
				d.options = append(d.options, kid)
			}
		}
		return d.cell(frame, f.first+d.option(), v, budget, depth)
	case both:
		left, right := f.first+x.a, f.first+x.b
		first := d.split(d.costs(left), d.costs(right), v, budget)
		spare := budget - d.costs(left)[first] - d.costs(right)[v-first]
		used := d.cell(frame, left, first, d.costs(left)[first]+d.choose.share(spare), depth)
		return used + d.cell(frame, right, v-first, budget-used, depth)
	default: // many
		return d.times(frame, at, f.first+x.a, v, budget, depth)
	}
}

// option chooses one of the options.
func (d *drawer) option() int32 {
	if len(d.options) == 1 {
		return d.options[0]
	}
	return d.options[d.choose.pick(len(d.options))]
}

// split chooses what the first of two contributes.
func (d *drawer) split(first, second []int32, v, budget int32) int32 {
	d.options = d.options[:0]
	try := func(part int32) {
		if first[part]+second[v-part] <= budget {
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
	cost := d.costs(child)
	rest := func(v int32) int32 { // after one time that was there
		if v == 0 {
			return 0
		}
		return d.costs(at)[v]
	}
	used := int32(0)
	for first := true; ; first = false {
		d.options = d.options[:0]
		try := func(part int32) {
			if cost[part]+rest(v-part) <= budget-used {
				d.options = append(d.options, part)
			}
		}
		if cost[0] > 0 || v == 0 && first { // else it could go on like this for ever
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
		spare := budget - used - cost[part] - rest(v-part)
		used += d.cell(frame, child, part, cost[part]+d.choose.share(spare), depth)
		v -= part
	}
}

// cost returns what a witness costs.
func (p *problem) cost(tree witness) int32 {
	cost := int32(0)
	for _, place := range tree {
		if place.node.Kind.Symbolic() {
			cost += p.weigh(place.node)
		}
	}
	return cost
}

// A lottery chooses at random.
type lottery struct{ *rand.Rand }

func (l lottery) pick(n int) int         { return l.IntN(n) }
func (l lottery) share(left int32) int32 { return l.Int32N(left + 1) }
func (l lottery) again() bool            { return l.IntN(5) < 3 }

// An odometer makes one series of choices after the other, until it has made
// all there are.
type odometer struct {
	made []struct{ choice, of int }
	at   int
}

func (o *odometer) pick(n int) int {
	if o.at == len(o.made) {
		o.made = append(o.made, struct{ choice, of int }{0, n})
	}
	o.at++
	return o.made[o.at-1].choice
}

// share gives all: whatever the first leaves is left for the second.
func (o *odometer) share(left int32) int32 { return left }
func (o *odometer) again() bool            { return o.pick(2) == 1 }

// next turns to the next series, and reports whether there is one.
func (o *odometer) next() bool {
	for o.at = 0; len(o.made) > 0; o.made = o.made[:len(o.made)-1] {
		if last := &o.made[len(o.made)-1]; last.choice+1 < last.of {
			last.choice++
			return true
		}
	}
	return false
}
