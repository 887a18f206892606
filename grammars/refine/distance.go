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
