package generate

import (
	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
)

// A goal is a path that a tree is to have in it. It is walked to by the shortest
// way, then along.
type goal struct {
	path features.Path
	at   int   // the symbol of the path to come to next
	far  []int // steps to it from every node
}

func (x *Generator) newGoal(p features.Path) *goal {
	return &goal{path: p, far: x.grammar.Distances(p[0])}
}

// enter notes that a node is drawn: the goal may be a step nearer, or reached,
// and there are paths that end here.
func (d *drawing) enter(n *grammars.Node, depth int) {
	if g := d.goal; g != nil && n.ID == g.path[g.at] {
		d.goal = nil
		if g.at+1 < len(g.path) {
			d.goal = &goal{g.path, g.at + 1, d.grammar.Distances(g.path[g.at+1])}
		}
	}
	if n.Kind.Symbolic() {
		d.size++
		if d.cover != nil {
			d.cover.draw(d, n, depth)
		}
	}
}

// pick chooses one of the nodes: the one nearest to the goal, if there is one,
// then one that covers something, then any that the options allow.
func (d *drawing) pick(nodes []*grammars.Node, depth int) *grammars.Node {
	if d.goal != nil {
		if n := d.nearest(nodes); n != nil {
			return n
		}
	}
	if d.cover != nil {
		return d.cover.pick(d, nodes, depth)
	}
	return d.choose(nodes, depth)
}

// nearest returns a node from which the goal is nearest, nil if it is out of reach.
func (d *drawing) nearest(nodes []*grammars.Node) *grammars.Node {
	var best []*grammars.Node
	for _, n := range nodes {
		steps := d.goal.far[n.ID]
		switch {
		case steps == grammars.Unreachable:
		case len(best) == 0 || steps < d.goal.far[best[0].ID]:
			best = append(best[:0], n)
		case steps == d.goal.far[best[0].ID]:
			best = append(best, n)
		}
	}
	if len(best) == 0 {
		return nil
	}
	return best[d.rand.IntN(len(best))]
}

// sequence draws the parts of a concatenation. The goal goes to the part from
// which it is nearest.
func (d *drawing) sequence(n *grammars.Node, draw func(*grammars.Node)) {
	to := d.goal
	if to == nil {
		for _, c := range n.Children {
			draw(c)
		}
		return
	}
	carrier := d.nearest(n.Children)
	for _, c := range n.Children {
		d.goal = nil
		if c == carrier {
			d.goal = to
			carrier = nil
		}
		draw(c)
		if c != nil && d.goal != nil && d.goal.at == to.at { // not on the way after all
			d.failed = true
			return
		}
	}
}

// repeat draws a repetition. One time is needed for the goal to go through.
func (d *drawing) repeat(n *grammars.Node, depth int, draw func()) {
	times := 0
	if d.goal != nil && d.goal.far[n.Children[0].ID] != grammars.Unreachable {
		draw()
		times = 1
	}
	if d.cover != nil {
		for ; !d.failed && (times < n.Min || d.cover.wants(d, n, times, depth)); times++ {
			draw()
		}
		return
	}
	for total := d.times(n, depth); times < total && !d.failed; times++ {
		draw()
	}
}
