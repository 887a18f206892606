package features

import (
	"iter"
	"maps"

	"github.com/inroad/inroad/grammars/derivation"
)

// A Set is a set of paths of one space, by length. Inputs say the same again and
// again, so it remembers what it was given last before it looks any further.
type Set struct {
	paths  []map[uint64]struct{} // by length
	recent [recentPaths]uint64
	tokens map[seenToken]struct{}
}

const (
	recentPaths = 1 << 10
	maxTokens   = 1 << 16 // tokens remembered
)

// A seenToken is a token whose paths are in a set, at some place.
type seenToken struct {
	inside *derivation.Tree
	above  uint64
}

// NewSet returns an empty set of paths up to length k.
func NewSet(k int) *Set {
	s := &Set{paths: make([]map[uint64]struct{}, k+1), tokens: map[seenToken]struct{}{}}
	for i := range s.paths {
		s.paths[i] = map[uint64]struct{}{}
	}
	return s
}

// Len returns the number of paths of a length.
func (s *Set) Len(length int) int { return len(s.paths[length]) }

// Has reports whether a path is in the set.
func (s *Set) Has(length int, id uint64) bool {
	_, ok := s.paths[length][id]
	return ok
}

// All yields the paths of a length, in no order.
func (s *Set) All(length int) iter.Seq[uint64] { return maps.Keys(s.paths[length]) }

func (s *Set) once() bool { return true }

func (s *Set) take(length int, id uint64) {
	if at := &s.recent[id%recentPaths]; *at != id {
		*at = id
		s.paths[length][id] = struct{}{}
	}
}

// knows tells of trees that are kept for their short tokens: the same text is
// the same tree.
func (s *Set) knows(inside *derivation.Tree, above uint64) bool {
	if !inside.Kept() {
		return false
	}
	key := seenToken{inside, above}
	if _, ok := s.tokens[key]; ok {
		return true
	}
	if len(s.tokens) < maxTokens {
		s.tokens[key] = struct{}{}
	}
	return false
}
