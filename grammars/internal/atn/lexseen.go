package atn

import "math/bits"

// lexSeen is the set of configurations that a closure of the lexer has followed. It
// records for each whether the rule's end was reached from it. It is faster than a map,
// because it need not be cleared. The zero value is empty.
type lexSeen struct {
	slots []lexSlot // a power of two in number, at most half in use; the hash is the first slot to look at
	round uint32    // number of the current closure
	count int
}

// A lexSlot is free unless it is of the current round.
type lexSlot struct {
	round   uint32
	reached bool
	config  lexConfig
}

// maxSeen is the number of slots that are kept for the next closure.
const maxSeen = 1 << 15

// reset removes all configurations.
func (s *lexSeen) reset() {
	s.count = 0
	if s.round++; s.round == 0 || len(s.slots) > maxSeen {
		s.slots, s.round = nil, 1
	}
}

// find returns the slot of a configuration, or the free slot to store it in.
func (s *lexSeen) find(g *lexConfig) *lexSlot {
	last := len(s.slots) - 1
	for i := int(g.hash()) & last; ; i = (i + 1) & last {
		if slot := &s.slots[i]; slot.round != s.round || slot.config == *g {
			return slot
		}
	}
}

// add adds a configuration from which the end was not reached. If the set already has
// it, known is true, and reached reports whether the end was reached from it.
func (s *lexSeen) add(g *lexConfig) (reached, known bool) {
	if 2*s.count >= len(s.slots) {
		old := s.slots
		s.slots = make([]lexSlot, max(64, 2*len(old)))
		for i := range old {
			if old[i].round == s.round {
				*s.find(&old[i].config) = old[i]
			}
		}
	}
	slot := s.find(g)
	if slot.round == s.round {
		return slot.reached, true
	}
	*slot = lexSlot{round: s.round, config: *g}
	s.count++
	return false, false
}

// reach records that the end was reached from a configuration that was added.
func (s *lexSeen) reach(g *lexConfig) { s.find(g).reached = true }

// hash returns a hash of the state, rule, context and actions of a configuration.
func (g *lexConfig) hash() uint64 {
	h := mixHash(uint64(g.state.number), uint64(g.alt))
	if g.context != nil {
		h = mixHash(h, g.context.hash)
	}
	if g.actions != nil {
		h = mixHash(h, g.actions.hash)
	}
	return h
}

// mixHash returns a hash of two hashes.
func mixHash(a, b uint64) uint64 { return mix(a ^ bits.RotateLeft64(b, 32)) }
