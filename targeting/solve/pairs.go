package solve

import (
	"slices"

	"github.com/inroad/inroad/grammars"
)

// A Pair is an ordered pair of children that a node of the tree should have. A child
// stands for the first of its descendants that has several children or none.
type Pair struct {
	First, Second grammars.Occurrence
}

// WithPairs returns the solution with pairs of children for its trees. A tree has a
// pair if one of its nodes can, and if a limited search finds how.
func (s *Solution) WithPairs(pairs []Pair) *Solution {
	out := *s
	out.pairs = pairs
	return &out
}

// Limits on the search for a pair in a tree.
const (
	maxPairChildren = 8   // of a node
	maxPairPlaces   = 6   // pairs of children that are drawn anew
	maxPairRedraws  = 150 // derivations of a child
)

// arrange returns the tree with those of the pairs that a limited search finds.
func (w *writer) arrange(tree witness) witness {
	for _, p := range w.pairs {
		tree = w.pair(tree, p)
	}
	return tree
}

// A pairPlace is a pair of children of a tree.
type pairPlace struct {
	first, second int
	found         int // how many of the two stand for their side of a [Pair]
}

// pair returns a tree with a pair, or the tree itself. It draws children anew until
// they stand for the pair.
func (w *writer) pair(tree witness, p Pair) witness {
	places := tree.pairPlaces(p)
	w.rand.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
	slices.SortStableFunc(places, func(a, b pairPlace) int { return b.found - a.found })
	for _, at := range places[:min(len(places), maxPairPlaces)] {
		// The first child stays where it is if the second is drawn anew.
		if other := w.drawChild(tree, at.second, p.Second); other != nil {
			if other = w.drawChild(other, at.first, p.First); other != nil {
				return other
			}
		}
	}
	return tree
}

// pairPlaces returns the pairs of children that stand for a pair or may be drawn anew.
func (tree witness) pairPlaces(p Pair) []pairPlace {
	var out []pairPlace
	for at := -1; at < len(tree); at++ {
		if at >= 0 && isWord(tree[at].node) {
			at = tree.end(at) - 1 // symbols inside a token are no children
			continue
		}
		children := tree.children(at)
		children = children[:min(len(children), maxPairChildren)]
		for i, first := range children {
			for _, second := range children[i+1:] {
				a, b := tree.standsFor(first, p.First), tree.standsFor(second, p.Second)
				if (a || tree.drawable(first)) && (b || tree.drawable(second)) {
					place := pairPlace{first: first, second: second}
					for _, found := range []bool{a, b} {
						if found {
							place.found++
						}
					}
					out = append(out, place)
				}
			}
		}
	}
	return out
}

// drawChild returns a tree in which a place stands for an occurrence; nil if none is
// found.
func (w *writer) drawChild(tree witness, at int, o grammars.Occurrence) witness {
	if tree.standsFor(at, o) {
		return tree
	}
	if !tree.drawable(at) {
		return nil
	}
	// The paths that the constraint requires below the place may also be elsewhere in the
	// tree by now, so half of the derivations may lack them. The input is checked anyway.
	free := slices.Clone(tree)
	if free[at].v = 0; w.main.cost(free[at].below, 0) >= impossible {
		free = tree
	}
	to := tree.end(at)
	outside := tree[:at].cost() + tree[to:].cost()
	d := &drawer{problem: w.main, choose: randomChooser{w.rand}}
	for i := range maxPairRedraws {
		if i == maxPairRedraws/2 {
			tree = free
		}
		d.redraw(tree[at:to], w.rand.Int32N(w.span(variedSpan)+1))
		if d.tree.standsFor(0, o) && outside+d.tree.cost() <= w.most {
			return slices.Concat(tree[:at], d.tree, tree[to:])
		}
	}
	return nil
}

// drawable reports whether a place can have another derivation.
func (tree witness) drawable(at int) bool {
	return tree[at].node.Kind == grammars.Reference && !isWord(tree[at].node)
}

// standsFor reports whether a place stands for an occurrence.
func (tree witness) standsFor(at int, o grammars.Occurrence) bool {
	return tree[tree.head(at)].node.ID == o
}

// head descends from a place while it has exactly one child, and returns where it stops.
func (tree witness) head(at int) int {
	for !isWord(tree[at].node) {
		child, ok := tree.onlyChild(at)
		if !ok {
			break
		}
		at = child
	}
	return at
}

// onlyChild returns the child of a place; ok is false unless the place has exactly one.
func (tree witness) onlyChild(at int) (child int, ok bool) {
	depth := tree[at].depth + 1
	for i := at + 1; i < len(tree) && tree[i].depth >= depth; i++ {
		if tree[i].depth == depth && tree[i].node.Kind != grammars.Repetition {
			if ok {
				return 0, false
			}
			child, ok = i, true
		}
	}
	return child, ok
}

// children returns the children of a place, or of the root if the place is -1. Absent
// parts are no children.
func (tree witness) children(at int) []int {
	depth, to := int32(0), len(tree)
	if at >= 0 {
		depth, to = tree[at].depth+1, tree.end(at)
	}
	var out []int
	for i := at + 1; i < to; i++ {
		if tree[i].depth == depth && tree[i].node.Kind != grammars.Repetition {
			out = append(out, i)
		}
	}
	return out
}
