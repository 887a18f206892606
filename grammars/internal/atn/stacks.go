package atn

import (
	"encoding/binary"
	"math"
	"slices"
)

// A stack is a graph-structured stack: a set of stacks of return states that
// share common parts. Each entry is a return state on top of another such set.
// Within one [stacks], equal stacks are the same pointer.
type stack struct {
	id      uint32
	returns []int32 // in increasing order
	below   []*stack
}

// bottom is the return state that marks the end of a stack.
const bottom = math.MaxInt32

func (s *stack) isEmpty() bool { return s.returns[0] == bottom }

func (s *stack) hasEmpty() bool { return s.returns[len(s.returns)-1] == bottom }

// stacks creates and merges stacks.
type stacks struct {
	empty   *stack
	singles map[single]*stack
	others  map[string]*stack
	merges  map[[2]uint32]*stack
	// anyContext defines the meaning of the end of a stack: if set, any context
	// may follow, so that the empty stack subsumes every other; otherwise the
	// input ends.
	anyContext bool
}

type single struct {
	below *stack
	state int32
}

func newStacks(anyContext bool) *stacks {
	return &stacks{
		empty:      &stack{returns: []int32{bottom}, below: []*stack{nil}},
		singles:    map[single]*stack{},
		others:     map[string]*stack{},
		merges:     map[[2]uint32]*stack{},
		anyContext: anyContext,
	}
}

// size returns the number of stacks and merges held.
func (g *stacks) size() int { return len(g.singles) + len(g.others) + len(g.merges) }

func (g *stacks) push(below *stack, state int32) *stack {
	key := single{below, state}
	s, ok := g.singles[key]
	if !ok {
		s = &stack{id: g.nextID(), returns: []int32{state}, below: []*stack{below}}
		g.singles[key] = s
	}
	return s
}

func (g *stacks) nextID() uint32 { return uint32(1 + len(g.singles) + len(g.others)) }

// merge returns the union of two stacks.
func (g *stacks) merge(a, b *stack) *stack {
	if a == b {
		return a
	}
	if g.anyContext && (a == g.empty || b == g.empty) {
		return g.empty
	}
	key := [2]uint32{min(a.id, b.id), max(a.id, b.id)}
	if s, ok := g.merges[key]; ok {
		return s
	}
	var returns []int32
	var below []*stack
	i, j := 0, 0
	for i < len(a.returns) && j < len(b.returns) {
		switch {
		case a.returns[i] == b.returns[j]:
			returns = append(returns, a.returns[i])
			if a.below[i] == b.below[j] { // both are nil at the bottom
				below = append(below, a.below[i])
			} else {
				below = append(below, g.merge(a.below[i], b.below[j]))
			}
			i++
			j++
		case a.returns[i] < b.returns[j]:
			returns, below = append(returns, a.returns[i]), append(below, a.below[i])
			i++
		default:
			returns, below = append(returns, b.returns[j]), append(below, b.below[j])
			j++
		}
	}
	returns = append(append(returns, a.returns[i:]...), b.returns[j:]...)
	below = append(append(below, a.below[i:]...), b.below[j:]...)
	s := g.intern(returns, below)
	g.merges[key] = s
	return s
}

func (g *stacks) intern(returns []int32, below []*stack) *stack {
	if len(returns) == 1 && returns[0] != bottom {
		return g.push(below[0], returns[0])
	}
	key := make([]byte, 0, 8*len(returns))
	for i, r := range returns {
		key = binary.LittleEndian.AppendUint32(key, uint32(r))
		if below[i] != nil {
			key = binary.LittleEndian.AppendUint32(key, below[i].id)
		}
	}
	s, ok := g.others[string(key)]
	if !ok {
		s = &stack{id: g.nextID(), returns: slices.Clip(returns), below: slices.Clip(below)}
		g.others[string(key)] = s
	}
	return s
}
