package generate

import (
	"maps"
	"slices"

	"github.com/inroad/inroad/grammars"
)

// likely chooses by probability until the limit on expansions is reached. Then it
// chooses the smallest derivation that has a probability, or else the smallest. The
// choices of a whole tree are made in advance: see [outline].
type likely struct {
	uniform
	p     *Probabilities
	sizes []int // by node: the least size of a derivation whose choices all have a probability
	// counts has the numbers of rounds that have a probability, in order, by repetition.
	counts  map[grammars.Occurrence][]int
	context int // see Probabilities.Context
	// grows says to prefer choices with large derivations, up to a limit on expansions
	// that is drawn for each input.
	grows bool
}

func newLikely(g *grammars.Grammar, opt Options) *likely {
	l := &likely{uniform: uniform{opt}, p: opt.Probabilities, sizes: make([]int, len(g.Nodes)), context: opt.Probabilities.Context()}
	l.counts = map[grammars.Occurrence][]int{}
	for id, ps := range opt.Probabilities.repetitions {
		for _, times := range slices.Sorted(maps.Keys(ps)) {
			if ps[times] > 0 {
				l.counts[id] = append(l.counts[id], times)
			}
		}
	}
	for i := range l.sizes {
		l.sizes[i] = grammars.Unproductive
	}
	for changed := true; changed; {
		changed = false
		for _, n := range slices.Backward(g.Nodes) { // children mostly come later
			if size := l.measure(n); size != l.sizes[n.ID] {
				l.sizes[n.ID], changed = size, true
			}
		}
	}
	return l
}

// measure returns the least size of a node's derivations that have a probability,
// given the sizes so far.
func (l *likely) measure(n *grammars.Node) int {
	size := 0
	if n.Kind.Symbolic() {
		size = 1
	}
	switch n.Kind {
	case grammars.Alternation:
		best := grammars.Unproductive
		for i, alt := range n.Children {
			if s := l.sizes[alt.ID]; s != grammars.Unproductive && l.chance(n, i) > 0 && (best < 0 || s < best) {
				best = s
			}
		}
		return best
	case grammars.Repetition:
		times := l.fewest(n)
		if times > 0 && l.sizes[n.Children[0].ID] == grammars.Unproductive {
			return grammars.Unproductive
		}
		return times * max(l.sizes[n.Children[0].ID], 0)
	case grammars.TokenSet:
		return n.Size
	}
	for _, child := range n.Children {
		if l.sizes[child.ID] == grammars.Unproductive {
			return grammars.Unproductive
		}
		size += l.sizes[child.ID]
	}
	if len(n.Children) == 0 {
		return n.Size
	}
	return size
}

// chance returns the probability of an alternative, given its index.
func (l *likely) chance(n *grammars.Node, alt int) float64 {
	if ps := l.p.alternatives[n.ID]; ps != nil {
		return ps[alt]
	}
	return 1
}

// fewest returns the least number of rounds that has a probability.
func (l *likely) fewest(n *grammars.Node) int {
	if counts := l.counts[n.ID]; len(counts) > 0 {
		return max(counts[0], n.Min)
	}
	return n.Min
}

// ends reports whether a limit is reached.
func (l *likely) ends(d *drawing) bool {
	return d.expansions > l.opt.Expansions || d.least() > d.limit.nodes || len(d.words)+d.owedTokens > d.limit.tokens
}

// endsAt reports whether a limit is reached at a depth. Inside a planned token, the
// expansions of the token alone count.
func (l *likely) endsAt(d *drawing, depth int) bool {
	b := d.bodyAt(depth)
	if b == nil || b.rule != nil {
		return l.ends(d)
	}
	return b.closed || d.expansions-b.began > b.limit || d.least() > d.limit.nodes
}

// bodyAt returns the planned body of the choices at a depth; nil if there is none.
func (d *drawing) bodyAt(depth int) *body {
	if depth >= len(d.bodies) {
		return nil
	}
	return d.bodies[depth]
}

func (l *likely) pick(d *drawing, n *grammars.Node, alts []*grammars.Node, depth int) *grammars.Node {
	if b := d.bodyAt(depth); b != nil {
		if c := b.next(n); c != nil && slices.Contains(alts, c.alt) {
			return c.alt
		}
		b.left = b.rule != nil
	}
	return l.choose(d, n, alts, l.within(d, n, depth), l.endsAt(d, depth), d.leastSize)
}

// within returns the probabilities of a choice at a depth, given the symbols drawn above
// it; nil if they do not depend on these.
func (l *likely) within(d *drawing, n *grammars.Node, depth int) *distribution {
	if l.context == 1 {
		return nil
	}
	var room [MaxContext]grammars.Occurrence
	above := room[:0]
	for i := depth - 1; i >= 0 && len(above) < l.context-1; i-- {
		above = append(above, d.chain[i])
	}
	return l.p.within(n, above)
}

// choose chooses an alternative by probability, or one of the smallest if ends is true;
// size measures the alternatives if none of them has a probability. in has the
// probabilities in the context, or is nil if they do not depend on it.
func (l *likely) choose(d *drawing, n *grammars.Node, alts []*grammars.Node, in *distribution, ends bool, size func(*grammars.Node) int) *grammars.Node {
	ps := l.p.alternatives[n.ID]
	if in != nil {
		ps = in.alternatives
	}
	chance := func(alt *grammars.Node) float64 { return ps[slices.Index(n.Children, alt)] }
	if ps == nil {
		chance = func(*grammars.Node) float64 { return 1 }
	}
	// Operators that the binding excludes may have all the probability.
	var room [16]*grammars.Node // enough for most choices
	some := room[:0]
	for _, alt := range alts {
		if chance(alt) != 0 {
			some = append(some, alt)
		}
	}
	if !ends {
		if len(some) == 0 {
			return anyOf(d.rand, alts)
		}
		if l.grows {
			chance = l.growth
		}
		return weighted(d.rand, some, chance)
	}
	some = slices.DeleteFunc(some, func(alt *grammars.Node) bool { return l.sizes[alt.ID] == grammars.Unproductive })
	if len(some) == 0 {
		return anySmallest(d.rand, alts, size)
	}
	return anySmallest(d.rand, some, func(alt *grammars.Node) int { return l.sizes[alt.ID] })
}

// growth returns the weight of an alternative in inputs that grow.
func (l *likely) growth(alt *grammars.Node) float64 {
	size := float64(1 + max(l.sizes[alt.ID], alt.Size, 0))
	return size * size * size
}

func (l *likely) times(d *drawing, n *grammars.Node, depth int) int {
	if c := d.bodyAt(depth).next(n); c != nil {
		return c.times
	}
	return l.rounds(d, n, l.within(d, n, depth), l.endsAt(d, depth))
}

// rounds draws the number of rounds of a repetition by probability, or returns the least
// number if ends is true. in is as in choose.
func (l *likely) rounds(d *drawing, n *grammars.Node, in *distribution, ends bool) int {
	ps, counts := l.p.repetitions[n.ID], l.counts[n.ID]
	if in != nil {
		ps, counts = in.rounds, in.times
	}
	switch {
	case unproductive(n.Children[0]):
		return n.Min
	case ends && l.sizes[n.ID] == grammars.Unproductive:
		return n.Min
	case ends:
		return l.fewest(n)
	case ps == nil:
		return l.uniform.times(d, n, 0)
	}
	at, times := d.rand.Float64(), n.Min
	for _, t := range counts {
		if times = t; at < ps[t] {
			break
		}
		at -= ps[t]
	}
	return times
}

// again returns true: times alone decides the number of rounds.
func (*likely) again(*drawing, *grammars.Node, int) bool { return true }

// drawn follows the outline, if there is one.
func (*likely) drawn(d *drawing, n *grammars.Node, depth int) {
	if len(d.bodies) == 0 || depth >= len(d.bodies) {
		return
	}
	b := d.bodies[depth].enter(n)
	if b != nil && b.rule == nil && b.of == n {
		b.began = d.expansions
	}
	d.bodies = append(d.bodies[:depth+1], b)
}
