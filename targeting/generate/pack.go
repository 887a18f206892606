package generate

import (
	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/refine"
)

// drawn records the paths that end in a new symbol.
func (c *Cover) drawn(d *drawing, n *grammars.Node, depth int) {
	for len(d.rows) < (depth+1)*c.k {
		d.rows = append(d.rows, make([]uint64, c.k)...)
	}
	c.fill(d, n, depth)
	if depth+1 >= c.k {
		if i := c.take(d.rows[depth*c.k+c.k-1]); i >= 0 {
			c.undo = append(c.undo, i)
			d.found++
		}
	}
}

// fill computes the hashes of the paths that end in a symbol at a depth.
func (c *Cover) fill(d *drawing, n *grammars.Node, depth int) []uint64 {
	row := d.rows[depth*c.k : (depth+1)*c.k]
	row[0] = features.Extend(0, n.ID)
	for i := 1; i < min(c.k, depth+1); i++ {
		row[i] = features.Extend(d.rows[(depth-1)*c.k+i-1], n.ID)
	}
	return row[:min(c.k, depth+1)]
}

// gain rates the uncovered paths that run through the symbols of a construct. A
// path counts more the more of its symbols are drawn already: paths that end here
// count most, paths that begin here least.
func (c *Cover) gain(d *drawing, n *grammars.Node, depth int) float64 {
	for len(d.rows) < (depth+1)*c.k {
		d.rows = append(d.rows, make([]uint64, c.k)...)
	}
	sum := 0.0
	for _, s := range c.x.symbols.In(n) {
		weight := 1.0
		for i, h := range c.fill(d, s, depth) {
			if c.prefixes[h] > 0 && (i == c.k-1 || !c.begun(d, i, h, depth)) {
				sum += weight
			}
			weight *= 16
		}
	}
	return sum
}

// begun reports whether the tree above a depth already has the prefix of a path and
// can still continue it there. Without this check, recursion would begin the same
// path again until there is no room left.
func (c *Cover) begun(d *drawing, i int, h uint64, depth int) bool {
	for above := i; above < depth && c.frugal; above++ {
		if d.rows[above*c.k+i] == h && d.awaits(above+1, func(s *grammars.Node) bool { return c.prefixes[features.Extend(h, s.ID)] > 0 }) {
			return true
		}
	}
	return false
}

// leads reports whether an uncovered path is reachable from a symbol of a node. A
// symbol does not count if it repeats a symbol above, below which an uncovered path
// can still be drawn.
func (c *Cover) leads(d *drawing, n *grammars.Node, depth int) bool {
	reached := func(s *grammars.Node) bool { return c.distance(s) != refine.Unreachable }
	for _, s := range c.x.symbols.In(n) {
		if !reached(s) {
			continue
		}
		again := false
		for above := 0; above < depth && c.frugal && !again; above++ {
			again = d.rows[above*c.k] == features.Extend(0, s.ID) && d.awaits(above+1, reached)
		}
		if !again {
			return true
		}
	}
	return false
}

// pick chooses, of the nodes that fit, the one with the highest gain, else the one
// nearest to an uncovered path, else one of the smallest.
func (c *Cover) pick(d *drawing, _ *grammars.Node, nodes []*grammars.Node, depth int) *grammars.Node {
	var best, near *grammars.Node
	most, ties := 0.0, 0
	for _, n := range nodes {
		if !c.fits(d, n, depth, 0) {
			continue
		}
		switch gain := c.gain(d, n, depth); {
		case gain > most:
			best, most, ties = n, gain, 1
		case gain == most && gain > 0:
			if ties++; d.rand.IntN(ties) == 0 {
				best = n
			}
		}
		if steps := c.distance(n); c.leads(d, n, depth) && c.fits(d, n, depth, steps) && (near == nil || steps < c.distance(near)) {
			near = n
		}
	}
	if best != nil {
		return best
	}
	if near != nil {
		return near
	}
	return shortest{}.pick(d, nil, nodes, depth)
}

// fits reports whether a node and some steps below it fit into the limits.
func (c *Cover) fits(d *drawing, n *grammars.Node, depth, steps int) bool {
	return d.hasRoomFor(n, steps) && depth+d.leastDepth(n)+steps <= c.x.opt.MaxDepth
}

func (c *Cover) times(_ *drawing, n *grammars.Node, _ int) int {
	if n.Max >= 0 {
		return min(c.x.opt.MaxRepeat, n.Max)
	}
	return c.x.opt.MaxRepeat
}

// again reports whether one more round can cover a new path.
func (c *Cover) again(d *drawing, n *grammars.Node, depth int) bool {
	body := n.Children[0]
	if unproductive(body) || !c.fits(d, body, depth, 0) {
		return false
	}
	if c.gain(d, body, depth) > 0 {
		return true
	}
	return (!c.frugal || !d.lastRoundUseless) && c.leads(d, body, depth) && c.fits(d, body, depth, c.distance(body))
}
