package campaign

import (
	"slices"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
)

// structures returns the structures of a tree: the sets of rules on the chains of up to
// depth+1 rules, each directly below the one before, as hashes in order.
func structures(tree *derivation.Tree, depth int) []uint64 {
	var out []uint64
	var above []int // rules from the root to the current node
	found := map[uint64]bool{}
	for level, n := range tree.All() {
		if n.Kind() != derivation.Rule {
			continue
		}
		above = append(above[:level], n.Rule())
		for length := 1; length <= min(depth+1, len(above)); length++ {
			if h := hashOf(above[len(above)-length:]); !found[h] {
				found[h] = true
				out = append(out, h)
			}
		}
	}
	return out
}

// hashOf returns a hash of a set of rules.
func hashOf(rules []int) uint64 {
	set := slices.Clone(rules)
	slices.Sort(set)
	h := uint64(0)
	for _, rule := range slices.Compact(set) {
		h = features.Extend(h, grammars.Occurrence(rule))
	}
	return h
}

// A mapping is a pair of a structure and its effect: a unit that was reached, or two units
// that were called in succession.
type mapping struct {
	structure uint64
	did       int32 // number of the unit, or of the pair of calls, which is below 0
}

// eachMapping calls visit for the mappings of an individual: each structure of its tree with
// each unit that it reached, and with each pair of successive calls if calls are known.
func eachMapping(i *individual, depth int, visit func(mapping)) {
	if i.tree == nil {
		return
	}
	for _, s := range structures(i.tree, depth) {
		for _, unit := range i.result.units {
			visit(mapping{s, unit})
		}
		for _, pair := range i.result.pairs {
			visit(mapping{s, pair})
		}
	}
}
