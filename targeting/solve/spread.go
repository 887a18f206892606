package solve

import (
	"math/rand/v2"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/refine"
)

// A spreadChooser prefers alternatives that the witnesses so far seldom took in the same
// surroundings, so that a few inputs contain many paths.
type spreadChooser struct {
	randomChooser
	uses    map[uint64]int // of alternatives, by their surroundings: see [spreadChooser.around]
	weights []float64
}

func newSpread(r *rand.Rand) *spreadChooser {
	return &spreadChooser{randomChooser: randomChooser{r}, uses: map[uint64]int{}}
}

// share leaves the whole budget to a part if the other one cannot use any of it.
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

// alternative draws an alternative by the sum of its rarities. The rarity in some
// surroundings falls with the square of its uses there.
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

// findElastic returns, by body and part, whether the derivations of a part may differ in
// size.
func findElastic(g *refine.Graph) [][]bool {
	out := make([][]bool, len(g.Bodies))
	for i := range out {
		out[i] = make([]bool, len(g.Bodies[i].Parts))
	}
	for changed := true; changed; {
		changed = false
		for i := range g.Bodies {
			b := &g.Bodies[i]
			for j := range b.Parts {
				if !out[i][j] && isElastic(b, &b.Parts[j], out[i], out) {
					out[i][j], changed = true, true
				}
			}
		}
	}
	return out
}

// isElastic reports whether the derivations of a part of a body may differ in size, given
// those of the other parts and bodies.
func isElastic(b *refine.Body, x *refine.Part, parts []bool, bodies [][]bool) bool {
	switch x.Kind {
	case refine.Many:
		return true
	case refine.Both:
		return parts[x.A] || parts[x.B]
	case refine.Reference:
		return x.Below >= 0 && bodies[x.Below][len(bodies[x.Below])-1]
	case refine.Either:
		kids := b.Kids[x.A:x.B]
		symbols := 0
		for _, kid := range kids {
			if parts[kid.Part] {
				return true
			}
			if b.Parts[kid.Part].Kind == refine.Symbol {
				symbols++
			}
		}
		return len(kids) > 1 && symbols < len(kids)
	default:
		return false
	}
}
