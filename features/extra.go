package features

import (
	"slices"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
)

// An Extra is a feature beyond paths, such as "an object has the same member
// twice". It packs the feature's kind, its bound and one or two occurrences, so
// it is its own ID.
type Extra uint64

const (
	occurrenceBits = 22
	occurrenceMask = 1<<occurrenceBits - 1
	boundBits      = 12
)

// newExtra packs a feature. Features of one occurrence have None for b.
func newExtra(k Kind, bound int, a, b grammars.Occurrence) Extra {
	return Extra(k)<<(boundBits+2*occurrenceBits) | Extra(bound)<<(2*occurrenceBits) |
		Extra(a+1)<<occurrenceBits | Extra(b+1)
}

// Kind returns the feature's kind.
func (e Extra) Kind() Kind { return Kind(e >> (boundBits + 2*occurrenceBits)) }

// Bound returns the number that the feature compares with.
func (e Extra) Bound() int { return int(e >> (2 * occurrenceBits) & (1<<boundBits - 1)) }

// Path returns the one or two occurrences of the feature.
func (e Extra) Path() Path {
	a := grammars.Occurrence(e>>occurrenceBits&occurrenceMask) - 1
	b := grammars.Occurrence(e&occurrenceMask) - 1
	if b == derivation.None || e.Kind() == Value {
		return Path{a}
	}
	return Path{a, b}
}

// Valid reports whether e is a feature of a grammar with the given number of nodes.
func (e Extra) Valid(nodes int) bool {
	row, ok := e.Kind().row()
	if !ok || row.two && len(e.Path()) < 2 {
		return false
	}
	if _, ok := e.Text(); e.Kind() == Value && !ok {
		return false
	}
	return !slices.ContainsFunc(e.Path(), func(o grammars.Occurrence) bool { return o < 0 || int(o) >= nodes })
}

// Describe returns the feature as a noun phrase: "an array with three or more
// value".
func (e Extra) Describe(s *Space) string {
	row, ok := e.Kind().row()
	if !ok {
		return ""
	}
	return row.describe(newPhrase(s, e))
}

// Need returns a condition on paths that targeting uses to get the feature. If
// ok is false, no condition expresses the feature: targeting generates inputs
// and keeps those that have it.
func (e Extra) Need(s *Space) (need Need, ok bool) {
	row, ok := e.Kind().row()
	if !ok || row.need == nil {
		return Need{}, false
	}
	need = row.need(newPhrase(s, e))
	return need, len(need.Paths) > 0
}
