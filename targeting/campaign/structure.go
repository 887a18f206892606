package campaign

import (
	"fmt"
	"math"
	"slices"

	"github.com/inroad/inroad/grammars/derivation"
)

// A StructureScore measures how complex the structure of an input is.
type StructureScore string

// The structure scores.
const (
	// ByLength is the length of the input in bytes.
	ByLength StructureScore = "length"
	// ByExpansions is e × e/(λ × length) for e expansions of rules.
	ByExpansions StructureScore = "expansions"
	// ByTree is the sum of degree^level over the rules in the derivation tree. The degree
	// of a node counts the edge to its parent, which the root also has, and the rules
	// below it. The root has level 1.
	ByTree StructureScore = "tree"
)

// StructureScores returns all structure scores, the default first.
func StructureScores() []StructureScore {
	return []StructureScore{ByTree, ByExpansions, ByLength}
}

func (s StructureScore) check() error {
	if slices.Contains(StructureScores(), s) {
		return nil
	}
	return fmt.Errorf("structure score %q: must be one of %q", s, StructureScores())
}

// of returns the score of a tree. It is finite.
func (s StructureScore) of(tree *derivation.Tree, lambda float64) float64 {
	length := float64(len(tree.Input()))
	switch s {
	case ByLength:
		return length
	case ByExpansions:
		expansions := 0.0
		for _, n := range tree.All() {
			if n.Kind() == derivation.Rule {
				expansions++
			}
		}
		return expansions * expansions / (lambda * max(length, 1))
	default:
		return treeScore(tree)
	}
}

// treeScore returns the sum of degree^level over the rules of a tree.
func treeScore(tree *derivation.Tree) float64 {
	sum := 0.0
	var degrees []int // of the nodes above the current one and of the current one
	pop := func(depth int) {
		for len(degrees) > depth {
			sum += math.Pow(float64(degrees[len(degrees)-1]), float64(len(degrees)))
			degrees = degrees[:len(degrees)-1]
		}
	}
	for depth, n := range tree.All() {
		if n.Kind() != derivation.Rule {
			continue
		}
		pop(depth)
		if depth > 0 {
			degrees[depth-1]++
		}
		degrees = append(degrees, 1)
	}
	pop(0)
	return min(sum, math.MaxFloat64)
}
