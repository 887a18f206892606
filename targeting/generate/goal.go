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

// reach notes that a node is drawn, which may be the next symbol of goals.
func (d *drawing) reach(n *grammars.Node) {
	next := func(g *goal) bool { return g.path[g.at] == n.ID }
	if !slices.ContainsFunc(d.goals, next) {
		return
	}
	var goals []*goal // a new list: others hold on to this one
	for _, g := range d.goals {
		switch {
		case !next(g):
			goals = append(goals, g)
		case g.at+1 < len(g.path):
			goals = append(goals, &goal{g.path, g.at + 1, g.far, d.within(g.path[g.at+1])})
		}
	}
	d.goals = goals
}

// onTheWay returns the node to be drawn next for a goal, of the first that can be
// come to from one of the nodes; nil if none can.
func (d *drawing) onTheWay(nodes []*grammars.Node) *grammars.Node {
	for _, g := range d.goals {
		if n := d.towards(g, nodes); n != nil {
			return n
		}
	}
	return nil
}

// towards returns a node from which a goal is nearest, nil if it is out of reach.
func (d *drawing) towards(g *goal, nodes []*grammars.Node) *grammars.Node {
	if g.at > 0 {
		for _, n := range nodes {
			if slices.Contains(g.way, n.ID) {
				return n
			}
		}
		return nil
	}
	var best []*grammars.Node
	for _, n := range nodes {
		steps := g.far[n.ID]
		switch {
		case steps == grammars.Unreachable || unproductive(n):
		case len(best) == 0 || steps < g.far[best[0].ID]:
			best = append(best[:0], n)
		case steps == g.far[best[0].ID]:
			best = append(best, n)
		}
	}
	if len(best) == 0 {
		return nil
	}
	return best[d.rand.IntN(len(best))]
}
