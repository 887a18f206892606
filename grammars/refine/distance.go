package refine

import (
	"slices"

	"github.com/inroad/inroad/grammars"
)

// Unreachable is the distance to a node that cannot be reached.
const Unreachable = -1

type parentsKey struct{}

// parents returns the nodes right above each node.
func parents(g *grammars.Grammar) [][]grammars.Occurrence {
	return g.Memo(parentsKey{}, func() any {
		out := make([][]grammars.Occurrence, len(g.Nodes))
		for _, n := range g.Nodes {
			for _, child := range n.Children {
				out[child.ID] = append(out[child.ID], n.ID)
			}
		}
		return out
	}).([][]grammars.Occurrence)
}

// Distances returns, for each node of a grammar, the number of steps down the graph
// to the nearest target, or [Unreachable].
func Distances(g *grammars.Grammar, targets ...grammars.Occurrence) []int {
	above := parents(g)
	distances := make([]int, len(g.Nodes))
	for i := range distances {
		distances[i] = Unreachable
	}
	for _, t := range targets {
		distances[t] = 0
	}
	queue := slices.Clone(targets)
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		for _, p := range above[n] {
			if distances[p] == Unreachable {
				distances[p] = distances[n] + 1
				queue = append(queue, p)
			}
		}
	}
	return distances
}

// A Nearest maintains the distances of [Distances] while targets change. A change costs
// time in proportion to the nodes whose distances change.
type Nearest struct {
	grammar   *grammars.Grammar
	above     [][]grammars.Occurrence
	distances []int  // for the targets before the pending changes
	targets   []bool // by node
	pending   []grammars.Occurrence
	waiting   [][]grammars.Occurrence // by distance: the nodes that may have it
}

// NewNearest returns the distances of a grammar without targets.
func NewNearest(g *grammars.Grammar) *Nearest {
	return &Nearest{grammar: g, above: parents(g), distances: Distances(g), targets: make([]bool, len(g.Nodes))}
}

// SetTarget sets whether a node is a target.
func (d *Nearest) SetTarget(o grammars.Occurrence, target bool) {
	if d.targets[o] != target {
		d.targets[o] = target
		d.pending = append(d.pending, o)
	}
}

// Distance returns the number of steps from a node to the nearest target, or [Unreachable].
func (d *Nearest) Distance(o grammars.Occurrence) int {
	if len(d.pending) > 0 {
		d.update()
	}
	return d.distances[o]
}

// update applies the pending changes.
func (d *Nearest) update() {
	var removed []grammars.Occurrence
	for _, o := range d.pending {
		switch {
		case d.targets[o]:
			d.wait(o, 0)
		case d.distances[o] == 0:
			removed = append(removed, o)
		}
	}
	d.pending = d.pending[:0]
	for _, o := range d.detach(removed) {
		if least := d.leastBelow(o); least != Unreachable {
			d.wait(o, least+1)
		}
	}
	for distance := 0; distance < len(d.waiting); distance++ {
		for _, o := range d.waiting[distance] {
			if known := d.distances[o]; known != Unreachable && known <= distance {
				continue
			}
			d.distances[o] = distance
			for _, p := range d.above[o] {
				if known := d.distances[p]; known == Unreachable || known > distance+1 {
					d.wait(p, distance+1)
				}
			}
		}
		d.waiting[distance] = d.waiting[distance][:0]
	}
}

// wait queues a node whose distance may be the given one.
func (d *Nearest) wait(o grammars.Occurrence, distance int) {
	for len(d.waiting) <= distance {
		d.waiting = append(d.waiting, nil)
	}
	d.waiting[distance] = append(d.waiting[distance], o)
}

// detach makes nodes unreachable whose nearest targets have all been removed, and
// returns them. It visits nodes in the order of their distance, so that the nodes right
// below a node are decided before it.
func (d *Nearest) detach(removed []grammars.Occurrence) []grammars.Occurrence {
	var out []grammars.Occurrence
	type place struct {
		node     grammars.Occurrence
		distance int
	}
	var queue []place
	for _, o := range removed {
		queue = append(queue, place{o, 0})
	}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		if d.distances[at.node] != at.distance || at.distance > 0 && d.leastBelow(at.node) == at.distance-1 {
			continue
		}
		d.distances[at.node] = Unreachable
		out = append(out, at.node)
		for _, p := range d.above[at.node] {
			if d.distances[p] == at.distance+1 {
				queue = append(queue, place{p, at.distance + 1})
			}
		}
	}
	return out
}

// leastBelow returns the least distance of the nodes right below a node.
func (d *Nearest) leastBelow(o grammars.Occurrence) int {
	least := Unreachable
	for _, c := range d.grammar.Nodes[o].Children {
		if known := d.distances[c.ID]; known != Unreachable && (least == Unreachable || known < least) {
			least = known
		}
	}
	return least
}
