package solve

import (
	"math/rand/v2"
	"slices"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/refine"
)

// A spreadChooser prefers alternatives that earlier witnesses seldom took in the same
// surroundings, so that a few inputs contain many paths.
type spreadChooser struct {
	randomChooser
	uses    map[uint64]int // of alternatives, by their surroundings: see [spreadChooser.around]
	weights []float64
}

func newSpread(r *rand.Rand) *spreadChooser {
	return &spreadChooser{randomChooser: randomChooser{r}, uses: map[uint64]int{}}
}

// share grants the first part the whole budget if the second part cannot use any of it.
func (l *spreadChooser) share(left int32, elastic bool) int32 {
	if !elastic {
		return left
	}
	return l.randomChooser.share(left, elastic)
}

// around returns hashes of a choice: alone, together with the symbol above it, and with the
// two symbols above it.
func (*spreadChooser) around(d *drawer, n *grammars.Node, depth int32) (out [3]uint64) {
	h := features.Extend(0, n.ID)
	for i := range out {
		out[i] = features.Extend(h, grammars.Occurrence(i)) // different lengths must not collide
		if above := int(depth) - 1 - i; above >= 0 {
			h = features.Extend(h, d.chain[above])
		}
	}
	return out
}

// alternative draws an alternative with a weight that is the sum of its rarities in all
// its surroundings. A rarity falls with the square of the uses there.
func (l *spreadChooser) alternative(d *drawer, n *grammars.Node, depth int32, alternatives []int32) int {
	around := l.around(d, n, depth)
	l.weights = l.weights[:0]
	sum := 0.0
	for _, alt := range alternatives {
		weight := 0.0
		for _, h := range around {
			rarity := 1 / float64(1+l.uses[features.Extend(h, grammars.Occurrence(alt))])
			weight += rarity * rarity
		}
		l.weights = append(l.weights, weight)
		sum += weight
	}
	chosen, at := 0, l.Float64()*sum
	for i, weight := range l.weights {
		if chosen = i; at < weight {
			break
		}
		at -= weight
	}
	for _, h := range around {
		l.uses[features.Extend(h, grammars.Occurrence(alternatives[chosen]))]++
	}
	return chosen
}

// findElastic finds the cells whose derivations may differ in cost.
func (s *shape) findElastic() {
	s.elastic = make([]bool, len(s.free))
	for changed := true; changed; {
		changed = false
		for at := range s.free {
			if !s.elastic[at] && s.mayDiffer(int32(at)) {
				s.elastic[at], changed = true, true
			}
		}
	}
}

// mayDiffer reports whether the derivations of a cell may differ in cost, given the elastic
// cells found so far.
func (s *shape) mayDiffer(at int32) bool {
	c := &s.free[at]
	switch c.kind {
	case refine.Many:
		return true
	case refine.Both:
		return s.elastic[c.a] || s.elastic[c.b]
	case refine.Reference:
		return !c.dead && s.elastic[c.below]
	case refine.Either:
		kids := s.kids[c.a:c.b]
		return slices.ContainsFunc(kids, func(k refine.Kid) bool {
			return s.elastic[k.Part] || s.freeCost[k.Part] != s.freeCost[kids[0].Part]
		})
	default:
		return false
	}
}
