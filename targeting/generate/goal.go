package generate

import (
	"slices"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/refine"
)

// A goal is a path that a tree must have. Drawing takes the shortest way to the
// path's first symbol, then follows the path.
type goal struct {
	path features.Path
	at   int                   // the index of the next symbol of the path
	far  []int                 // by node: the distance to the path's first symbol
	way  []grammars.Occurrence // on the path: the next symbol and the constructs around it, innermost first

	cells  []int    // by [refine.Modes.Cell]: far for each lexer state; nil if modes are not refined
	states []uint64 // by symbol of the path: the lexer states, as bits, in which it can begin
}

// newGoal returns a goal, given the distance from every node to its first symbol.
func (x *Generator) newGoal(p features.Path, far []int) *goal {
	g := &goal{path: p, far: far}
	if x.modes == nil {
		return g
	}
	g.states = make([]uint64, len(p))
	for i := len(p) - 1; i >= 0; i-- {
		g.states[i] = x.statesOf(g, i)
	}
	// Consecutive goals often begin with the same symbol.
	if last := x.lastGoal; last != nil && last.path[0] == p[0] && last.states[0] == g.states[0] {
		g.cells = last.cells
	} else {
		g.cells = x.modes.Distances(far, func(_ *grammars.Node, state byte) bool { return g.states[0]&(1<<state) != 0 })
	}
	x.lastGoal = g
	return g
}

// statesOf returns the lexer states, as bits, in which a symbol of a path can have the
// next symbol below it.
func (x *Generator) statesOf(g *goal, i int) uint64 {
	n := x.grammar.Nodes[g.path[i]]
	if i == len(g.path)-1 || n.Rule == nil || n.Rule.Kind != grammars.ParserRule {
		return ^uint64(0)
	}
	next := g.path[i+1]
	states := uint64(0)
	for state := range x.modes.States() {
		switch {
		case !x.modes.Allows(n, refine.Turn{State: state}):
		case n.Token > 0:
			for _, r := range x.modes.Readings(n, refine.Turn{State: state}) {
				if slices.ContainsFunc(x.modes.Symbols(n, r), func(s *grammars.Node) bool { return s.ID == next }) {
					states |= 1 << state
				}
			}
		case n.Target != nil && x.comesBy(x.grammar.Nodes[n.Target.Root], state, next, g.states[i+1]):
			states |= 1 << state
		}
	}
	return states
}

// comesBy reports whether a construct that begins in a lexer state can contain, within
// its rule, a symbol that begins in one of states. The states are given as bits.
func (x *Generator) comesBy(n *grammars.Node, state byte, symbol grammars.Occurrence, states uint64) bool {
	found := false
	x.modes.Each(n, refine.Turn{State: state}, func(n *grammars.Node, t refine.Turn) {
		found = found || n.ID == symbol && states&(1<<t.State) != 0
	})
	return found
}

// steps returns the distance from a node in a lexer state to the next symbol of a
// goal.
func (x *Generator) steps(g *goal, n *grammars.Node, state byte) int {
	switch {
	case g.at == 0:
		return g.cells[x.modes.Cell(n, state)]
	case slices.Contains(g.way, n.ID) && x.comesBy(n, state, g.path[g.at], g.states[g.at]):
		return 0
	default:
		return refine.Unreachable
	}
}

// reach advances the goals whose next symbol is drawn.
func (d *drawing) reach(n *grammars.Node) {
	next := func(g *goal) bool { return g.path[g.at] == n.ID }
	if !slices.ContainsFunc(d.goals, next) {
		return
	}
	var goals []*goal // a new list: callers keep the old one
	for _, g := range d.goals {
		switch {
		case !next(g):
			goals = append(goals, g)
		case g.at+1 < len(g.path):
			next := *g
			next.at, next.way = g.at+1, d.within(g.path[g.at+1])
			goals = append(goals, &next)
		}
	}
	d.goals = goals
}

// onTheWay returns one of the nodes that leads to a goal, earlier goals first; nil if
// no node does.
func (d *drawing) onTheWay(nodes []*grammars.Node) *grammars.Node {
	for _, g := range d.goals {
		if n := d.towards(g, nodes); n != nil {
			return n
		}
	}
	return nil
}

// detourChance is the inverse of the probability that, with detours, a choice on the way
// to a goal need not take the shortest way.
const detourChance = 4

// towards returns one of the nodes nearest to a goal; nil if none leads to it.
func (d *drawing) towards(g *goal, nodes []*grammars.Node) *grammars.Node {
	var best []*grammars.Node
	least := 0
	anyWay := d.detours && d.rand.IntN(detourChance) == 0
	for _, n := range nodes {
		steps := refine.Unreachable
		switch {
		case unproductive(n):
		case g.cells != nil && d.hasMode(n):
			steps = d.steps(g, n, d.modes.State(n, d.stack))
		case g.at == 0:
			steps = g.far[n.ID]
		case slices.Contains(g.way, n.ID):
			return n
		}
		switch {
		case steps == refine.Unreachable:
		case anyWay && d.hasRoomFor(n, steps):
			best = append(best, n)
		case len(best) == 0 || steps < least:
			best, least = append(best[:0], n), steps
		case steps == least:
			best = append(best, n)
		}
	}
	if len(best) == 0 {
		return nil
	}
	return best[d.rand.IntN(len(best))]
}
