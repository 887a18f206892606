package generate

import (
	"math/rand/v2"
	"slices"

	"github.com/inroad/inroad/grammars"
)

// A chooser makes the choices of a drawing.
type chooser interface {
	// pick chooses one of the alternatives of a node, at a depth.
	pick(d *drawing, n *grammars.Node, alts []*grammars.Node, depth int) *grammars.Node
	// times returns the highest number of rounds of a repetition; again reports whether
	// to add a round.
	times(d *drawing, n *grammars.Node, depth int) int
	again(d *drawing, n *grammars.Node, depth int) bool
	// drawn is called for each symbol that is drawn, in pre-order.
	drawn(d *drawing, n *grammars.Node, depth int)
}

func newChooser(g *grammars.Grammar, opt Options) chooser {
	switch {
	case opt.Shortest:
		return shortest{}
	case opt.Probabilities != nil:
		return newLikely(g, opt)
	case opt.Cooldown != 1:
		return cooling{uniform{opt}}
	default:
		return uniform{opt}
	}
}

// shortest always chooses one of the smallest derivations.
type shortest struct{}

func (shortest) pick(d *drawing, _ *grammars.Node, alts []*grammars.Node, _ int) *grammars.Node {
	return anySmallest(d.rand, alts, d.leastSize)
}

func (shortest) times(_ *drawing, n *grammars.Node, _ int) int  { return n.Min }
func (shortest) again(*drawing, *grammars.Node, int) bool       { return true }
func (shortest) drawn(_ *drawing, _ *grammars.Node, _ int)      {}
func anyOf(r *rand.Rand, nodes []*grammars.Node) *grammars.Node { return nodes[r.IntN(len(nodes))] }

// anySmallest draws one of the nodes with the least size.
func anySmallest(r *rand.Rand, nodes []*grammars.Node, size func(*grammars.Node) int) *grammars.Node {
	var room [16]int // enough for most choices
	sizes := room[:0]
	least, count := 0, 0
	for i, n := range nodes {
		s := size(n)
		sizes = append(sizes, s)
		switch {
		case i == 0 || s < least:
			least, count = s, 1
		case s == least:
			count++
		}
	}
	at := r.IntN(count)
	for i, n := range nodes {
		if sizes[i] == least {
			if at == 0 {
				return n
			}
			at--
		}
	}
	panic("unreachable")
}

// smallest returns the nodes with the least size.
func smallest(nodes []*grammars.Node, size func(*grammars.Node) int) []*grammars.Node {
	var out []*grammars.Node
	for _, n := range nodes {
		switch {
		case len(out) == 0 || size(n) < size(out[0]):
			out = append(out[:0], n)
		case size(n) == size(out[0]):
			out = append(out, n)
		}
	}
	return out
}

// uniform chooses among the alternatives that fit into the limits on depth and
// size, or else among the smallest or least deep.
type uniform struct{ opt Options }

func (u uniform) pick(d *drawing, _ *grammars.Node, alts []*grammars.Node, depth int) *grammars.Node {
	return anyOf(d.rand, u.fitting(d, alts, depth))
}

// fitting returns the alternatives that fit into the limits.
func (u uniform) fitting(d *drawing, alts []*grammars.Node, depth int) []*grammars.Node {
	if !slices.ContainsFunc(alts, func(n *grammars.Node) bool { return !u.fits(d, n, depth) }) {
		return alts
	}
	out := slices.DeleteFunc(slices.Clone(alts), func(n *grammars.Node) bool { return !u.fits(d, n, depth) })
	if len(out) > 0 {
		return out
	}
	if some := without(alts, func(n *grammars.Node) bool { return !d.hasRoom(n) }); len(some) > 0 {
		return smallest(some, d.leastDepth)
	}
	return smallest(smallest(alts, func(n *grammars.Node) int { return n.Tokens }), d.leastSize)
}

func (u uniform) fits(d *drawing, n *grammars.Node, depth int) bool {
	return depth+d.leastDepth(n) <= u.opt.MaxDepth && d.hasRoom(n)
}

func (u uniform) times(d *drawing, n *grammars.Node, _ int) int {
	return n.Min + d.rand.IntN(u.most(d, n)-n.Min+1)
}

// most returns the highest number of rounds of a repetition.
func (uniform) most(d *drawing, n *grammars.Node) int {
	most := d.limit.repeats
	if n.Max >= 0 {
		most = min(most, n.Max)
	}
	return max(most, n.Min)
}

func (u uniform) again(d *drawing, n *grammars.Node, depth int) bool {
	return !unproductive(n.Children[0]) && u.fits(d, n.Children[0], depth)
}

func (uniform) drawn(_ *drawing, _ *grammars.Node, _ int) {}

// sparse chooses like uniform at one in so many choices, and takes one of the smallest
// derivations at the others. Its trees are small and still differ in every part, whereas
// uniform leaves no room for the last parts.
type sparse struct {
	uniform
	of int
}

func (s sparse) pick(d *drawing, n *grammars.Node, alts []*grammars.Node, depth int) *grammars.Node {
	if d.rand.IntN(s.of) > 0 {
		return shortest{}.pick(d, n, alts, depth)
	}
	return s.uniform.pick(d, n, alts, depth)
}

func (s sparse) times(d *drawing, n *grammars.Node, _ int) int {
	times := n.Min
	for times < s.most(d, n) && d.rand.IntN(s.of) == 0 {
		times++
	}
	return times
}

// local chooses like uniform in some rules, without a limit on depth, and takes one of the
// smallest derivations elsewhere. So trees differ next to a path even where derivations
// are large or deep.
type local struct {
	uniform
	rules []*grammars.Rule
	least bool // whether repetitions have as few rounds as possible everywhere
}

func newLocal(opt Options, rules []*grammars.Rule, least bool) local {
	opt.MaxDepth = maxTreeNodes
	return local{uniform{opt}, rules, least}
}

func (l local) pick(d *drawing, n *grammars.Node, alts []*grammars.Node, depth int) *grammars.Node {
	if slices.Contains(l.rules, n.Rule) {
		return l.uniform.pick(d, n, alts, depth)
	}
	return shortest{}.pick(d, n, alts, depth)
}

func (l local) times(d *drawing, n *grammars.Node, depth int) int {
	if !l.least && slices.Contains(l.rules, n.Rule) {
		return l.uniform.times(d, n, depth)
	}
	return n.Min
}

// cooling makes an alternative less likely each time that the input takes it.
type cooling struct{ uniform }

// A choice is an alternative of a node.
type choice struct{ node, alt grammars.Occurrence }

func (c cooling) pick(d *drawing, n *grammars.Node, alts []*grammars.Node, depth int) *grammars.Node {
	if d.chances == nil {
		d.chances = map[choice]float64{}
	}
	alt := weighted(d.rand, c.fitting(d, alts, depth), func(alt *grammars.Node) float64 {
		if chance, ok := d.chances[choice{n.ID, alt.ID}]; ok {
			return chance
		}
		return 1
	})
	chance, ok := d.chances[choice{n.ID, alt.ID}]
	if !ok {
		chance = 1
	}
	// If one chance could underflow to 0, all chances could.
	d.chances[choice{n.ID, alt.ID}] = max(chance*c.opt.Cooldown, 1e-100)
	return alt
}

// weighted draws one of the nodes by weight. At least one weight must not be zero.
func weighted(r *rand.Rand, nodes []*grammars.Node, weight func(*grammars.Node) float64) *grammars.Node {
	sum := 0.0
	var room [16]float64 // enough for most choices
	weights := room[:0]
	for _, n := range nodes {
		weights = append(weights, weight(n))
		sum += weights[len(weights)-1]
	}
	at := r.Float64() * sum
	var last *grammars.Node
	for i, n := range nodes {
		w := weights[i]
		if w == 0 {
			continue
		}
		if last = n; at < w {
			break
		}
		at -= w
	}
	return last
}

// leastUsed chooses, of the alternatives that fit, the one that all inputs so far
// took least often.
type leastUsed struct {
	uniform
	uses map[choice]int
}

func (l leastUsed) pick(d *drawing, n *grammars.Node, alts []*grammars.Node, depth int) *grammars.Node {
	uses := func(alt *grammars.Node) int { return l.uses[choice{n.ID, alt.ID}] }
	alt := anyOf(d.rand, smallest(l.fitting(d, alts, depth), uses))
	l.uses[choice{n.ID, alt.ID}]++
	return alt
}
