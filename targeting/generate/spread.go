package generate

import (
	"math"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/refine"
)

// spread prefers alternatives that the inputs so far seldom took in the same
// surroundings, and alternatives that lead to others which no input took yet. So
// inputs cover more paths than with uniform choices.
//
// Inputs are drawn in batches. A choice depends on the batches before and on the
// input itself, so that the inputs of a batch can be drawn in any order.
type spread struct {
	uniform
	*experience
}

// An experience holds the choices of the inputs of all earlier batches.
type experience struct {
	graph  *graph
	uses   uses
	unused []int // by node: the distance to the nearest alternative that was never taken
}

// uses counts how often each alternative was taken, by its [surroundings]. The zero value
// is empty.
type uses struct {
	slots []use // an open-addressing hash table whose length is a power of two, at most three quarters full
	count int   // slots in use
}

// A use is the number of times that an alternative was taken; 0 if the slot is not in use.
type use struct {
	hash  uint64
	times int
}

// of returns how often an alternative was taken.
func (u *uses) of(h uint64) int {
	if len(u.slots) == 0 {
		return 0
	}
	return u.slots[u.find(h)].times
}

// find returns the slot of an alternative, or a free one if it was not taken.
func (u *uses) find(h uint64) int {
	last := len(u.slots) - 1
	i := int(h) & last
	for u.slots[i].times > 0 && u.slots[i].hash != h {
		i = (i + 1) & last
	}
	return i
}

// add counts that an alternative was taken a number of times, at least once.
func (u *uses) add(h uint64, times int) {
	if 4*u.count >= 3*len(u.slots) {
		old := u.slots
		u.slots = make([]use, max(64, 2*len(old)))
		for _, s := range old {
			if s.times > 0 {
				u.slots[u.find(s.hash)] = s
			}
		}
	}
	s := &u.slots[u.find(h)]
	if s.times == 0 {
		u.count++
	}
	s.hash, s.times = h, s.times+times
}

// surroundings are hashes of a choice: alone, together with the symbol above it, and
// with the two symbols above it.
type surroundings [3]uint64

func (d *drawing) surroundings(n *grammars.Node, depth int) (out surroundings) {
	h := features.Extend(0, n.ID)
	for i := range out {
		out[i] = h
		if above := depth - 1 - i; above >= 0 {
			h = features.Extend(h, d.chain[above])
		}
		h = features.Extend(h, grammars.Occurrence(i)) // different lengths must not collide
	}
	return out
}

func newExperience(g *graph) *experience {
	e := &experience{graph: g}
	e.learn()
	return e
}

// learn adds the choices of inputs.
func (e *experience) learn(batch ...*uses) {
	for _, of := range batch {
		if of == nil {
			continue
		}
		for _, s := range of.slots {
			if s.times > 0 {
				e.uses.add(s.hash, s.times)
			}
		}
	}
	var never []grammars.Occurrence
	for _, n := range e.graph.grammar.Nodes {
		if n.Kind != grammars.Alternation && (n.Kind != grammars.Repetition || n.Min > 0) {
			continue
		}
		for _, alt := range e.graph.productive[n.ID] {
			if e.uses.of(features.Extend(features.Extend(0, n.ID), alt.ID)) == 0 {
				never = append(never, alt.ID)
			}
		}
	}
	e.unused = refine.Distances(e.graph.grammar, never...)
}

// nearUnused is the extra weight of an alternative that was never taken; new surroundings
// weigh 1. An alternative that leads to an untaken one gets less.
const nearUnused = 0.3

func (s *spread) pick(d *drawing, n *grammars.Node, alts []*grammars.Node, depth int) *grammars.Node {
	return s.choose(d, n, s.fitting(d, alts, depth), depth)
}

// choose chooses one of nodes, the options of n, and records the choice.
func (s *spread) choose(d *drawing, n *grammars.Node, nodes []*grammars.Node, depth int) *grammars.Node {
	around := d.surroundings(n, depth)
	chosen := weighted(d.rand, nodes, func(alt *grammars.Node) float64 {
		weight := 0.0
		for _, h := range around {
			h = features.Extend(h, alt.ID)
			rarity := 1 / float64(1+s.uses.of(h)+d.uses.of(h))
			weight += rarity * rarity
		}
		if steps := s.unused[alt.ID]; steps != refine.Unreachable && alt != n {
			weight += nearUnused / float64(1+steps)
		}
		return weight
	})
	for _, h := range around {
		d.uses.add(features.Extend(h, chosen.ID), 1)
	}
	return chosen
}

// times first chooses whether an optional repetition is present. Among the options, the
// repetition itself stands for its absence.
func (s *spread) times(d *drawing, n *grammars.Node, depth int) int {
	most := s.most(d, n)
	if n.Min > 0 || most == 0 || !s.again(d, n, depth) {
		return n.Min + d.rand.IntN(most-n.Min+1)
	}
	if s.choose(d, n, []*grammars.Node{n, n.Children[0]}, depth) == n {
		return 0
	}
	return 1 + d.rand.IntN(most)
}

// minNodes is the smallest size limit that an input is given.
const minNodes = 10

// anySize draws the size limit of an input. In later rounds the limits are higher.
func (x *Generator) anySize(round int) size {
	round = min(round/4, 2)
	least := max(minNodes, x.grammar.Nodes[x.grammar.Rule(x.opt.Start).Root].Size) << (2 * round)
	return size{x.logUniform(least, x.opt.MaxNodes), x.opt.MaxTokens, x.logUniform(1<<round, x.opt.MaxRepeat)}
}

// logUniform draws a number between two others so that each order of magnitude is
// equally likely.
func (x *Generator) logUniform(least, most int) int {
	if most <= least {
		return most
	}
	lo, hi := math.Log(float64(least)), math.Log(float64(most)+1)
	return min(int(math.Exp(lo+(hi-lo)*x.rand.Float64())), most)
}
