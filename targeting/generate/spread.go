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

// An experience is what the inputs of all batches so far chose.
type experience struct {
	graph  *graph
	uses   uses
	unused []int // by node: the distance to the nearest alternative that was never taken
}

// uses counts how often each alternative was taken, by its [surroundings].
type uses map[uint64]int

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
	e := &experience{graph: g, uses: uses{}}
	e.learn()
	return e
}

// learn adds the choices of inputs.
func (e *experience) learn(batch ...uses) {
	for _, of := range batch {
		for h, times := range of {
			e.uses[h] += times
		}
	}
	var never []grammars.Occurrence
	for _, n := range e.graph.grammar.Nodes {
		if n.Kind != grammars.Alternation && (n.Kind != grammars.Repetition || n.Min > 0) {
			continue
		}
		for _, alt := range e.graph.productive[n.ID] {
			if e.uses[features.Extend(features.Extend(0, n.ID), alt.ID)] == 0 {
				never = append(never, alt.ID)
			}
		}
	}
	e.unused = refine.Distances(e.graph.grammar, never...)
}

// nearUnused is the weight of an alternative that was never taken, compared with that
// of an alternative whose surroundings are new.
const nearUnused = 0.3

func (s *spread) pick(d *drawing, n *grammars.Node, alts []*grammars.Node, depth int) *grammars.Node {
	return s.choose(d, n, s.fitting(d, alts, depth), depth)
}

// choose chooses one of the nodes at a node.
func (s *spread) choose(d *drawing, n *grammars.Node, nodes []*grammars.Node, depth int) *grammars.Node {
	around := d.surroundings(n, depth)
	chosen := weighted(d.rand, nodes, func(alt *grammars.Node) float64 {
		weight := 0.0
		for _, h := range around {
			h = features.Extend(h, alt.ID)
			rarity := 1 / float64(1+s.uses[h]+d.uses[h])
			weight += rarity * rarity
		}
		if steps := s.unused[alt.ID]; steps != refine.Unreachable && alt != n {
			weight += nearUnused / float64(1+steps)
		}
		return weight
	})
	for _, h := range around {
		d.uses[features.Extend(h, chosen.ID)]++
	}
	return chosen
}

// times chooses first whether to enter a repetition that may be left out. The
// repetition itself stands for leaving it out.
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
