package generate

import (
	"slices"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
)

// A goal is a path that a tree is to have in it. It is walked to by the shortest
// way, then along.
type goal struct {
	path features.Path
	at   int                   // the symbol of the path to come to next
	far  []int                 // steps from every node to the path's first symbol
	way  []grammars.Occurrence // once on the path: the constructs down to the next symbol, innermost first
}

// newGoal returns a goal, given the steps from every node to its first symbol.
func newGoal(p features.Path, far []int) *goal { return &goal{path: p, far: far} }

// reach notes that a node is drawn, which may be the next symbol of the goal.
func (d *drawing) reach(n *grammars.Node) {
	g := d.goal
	if g == nil || n.ID != g.path[g.at] {
		return
	}
	d.goal = nil
	if next := g.at + 1; next < len(g.path) {
		d.goal = &goal{g.path, next, g.far, d.within(g.path[next])}
	}
}

// towards returns a node from which the goal is nearest, nil if it is out of reach.
func (d *drawing) towards(nodes []*grammars.Node) *grammars.Node {
	if d.goal.at > 0 {
		for _, n := range nodes {
			if slices.Contains(d.goal.way, n.ID) {
				return n
			}
		}
		return nil
	}
	var best []*grammars.Node
	for _, n := range nodes {
		steps := d.goal.far[n.ID]
		switch {
		case steps == grammars.Unreachable || unproductive(n):
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
