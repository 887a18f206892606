package campaign

import (
	"math/bits"
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

// A mappingSet is a set of mappings: pairs of a structure and its effect, a unit that was
// reached or two units that were called in succession. An input has a mapping for each
// structure of its tree and each of its effects. The zero value is empty.
type mappingSet struct {
	effects map[uint64]effects // by structure
	count   int
}

// effects are sets of units and of pairs of calls, by number. Numbers of pairs are below 0,
// and stored as their complements.
type effects struct{ units, pairs bitSet }

func effectsOf(r *result) (e effects) {
	for _, unit := range r.units {
		e.units.add(unit)
	}
	for _, pair := range r.pairs {
		e.pairs.add(^pair)
	}
	return e
}

// add adds the mappings of an individual. The pairs of calls are part of them if calls are
// known, and an individual outside the grammar has none.
func (m *mappingSet) add(i *individual, depth int) {
	if i.tree == nil {
		return
	}
	if m.effects == nil {
		m.effects = map[uint64]effects{}
	}
	of := effectsOf(i.result)
	for _, s := range structures(i.tree, depth) {
		known := m.effects[s]
		m.count += of.units.without(known.units) + of.pairs.without(known.pairs)
		known.units.union(of.units)
		known.pairs.union(of.pairs)
		m.effects[s] = known
	}
}

// missing returns the number of mappings of an individual that are not in the set.
func (m *mappingSet) missing(i *individual, depth int) int {
	if i.tree == nil {
		return 0
	}
	n, of := 0, effectsOf(i.result)
	for _, s := range structures(i.tree, depth) {
		known := m.effects[s]
		n += of.units.without(known.units) + of.pairs.without(known.pairs)
	}
	return n
}

// A bitSet is a set of small numbers.
type bitSet []uint64

func (b *bitSet) add(n int32) {
	if missing := int(n)/64 + 1 - len(*b); missing > 0 {
		*b = append(*b, make(bitSet, missing)...)
	}
	(*b)[n/64] |= 1 << (n % 64)
}

// union adds the numbers of another set.
func (b *bitSet) union(other bitSet) {
	if missing := len(other) - len(*b); missing > 0 {
		*b = append(*b, make(bitSet, missing)...)
	}
	for i, word := range other {
		(*b)[i] |= word
	}
}

// without returns how many numbers of the set are not in another one.
func (b bitSet) without(other bitSet) int {
	n := 0
	for i, word := range b {
		if i < len(other) {
			word &^= other[i]
		}
		n += bits.OnesCount64(word)
	}
	return n
}
