package atn

import (
	"cmp"
	"slices"
)

// A config is an ATN configuration: a state, the alternative of the decision that led
// there, and its possible stacks. A state of a prediction is a set of configurations
// right after a token; the epsilon arcs from there are taken when the next token is
// known.
type config struct {
	state, alt int32
	stack      stackID
	outer      bool // the decision's rule was left
}

// configs is a set of configurations. Those with the same state and alternative
// are merged.
type configs struct {
	list []config
	at   stampTable
}

func (s *configs) reset() {
	s.list = s.list[:0]
	s.at.reset()
}

func (s *configs) add(g *stacks, c config) {
	i, known := s.at.add(uint64(uint32(c.state))<<32|uint64(uint32(c.alt)), uint32(len(s.list)))
	if !known {
		s.list = append(s.list, c)
		return
	}
	old := &s.list[i]
	old.stack = g.merge(old.stack, c.stack)
	old.outer = old.outer || c.outer
}

// A stampTable is a hash table with open addressing that is emptied in constant
// time.
type stampTable struct {
	slots []stampSlot
	stamp uint32
	count int
}

type stampSlot struct {
	key          uint64
	value, stamp uint32
}

func (m *stampTable) reset() {
	if m.stamp++; m.stamp == 0 || len(m.slots) > 1<<16 {
		m.slots, m.stamp = nil, 1
	}
	m.count = 0
}

// add adds a key unless it is in the table. It returns the key's value.
func (m *stampTable) add(key uint64, value uint32) (old uint32, known bool) {
	if 2*(m.count+1) > len(m.slots) {
		m.grow()
	}
	mask := uint64(len(m.slots) - 1)
	for at := mix(key) & mask; ; at = (at + 1) & mask {
		switch s := &m.slots[at]; {
		case s.stamp != m.stamp:
			*s = stampSlot{key, value, m.stamp}
			m.count++
			return value, false
		case s.key == key:
			return s.value, true
		}
	}
}

func (m *stampTable) grow() {
	old := m.slots
	m.stamp = max(m.stamp, 1) // 0 is the stamp of free slots
	m.slots = make([]stampSlot, max(32, 2*len(old)))
	m.count = 0
	for _, s := range old {
		if s.stamp == m.stamp {
			m.add(s.key, s.value)
		}
	}
}

// sortConfigs sorts configurations by alternative and state.
func sortConfigs(list []config) {
	slices.SortFunc(list, func(a, b config) int {
		if a.alt != b.alt {
			return cmp.Compare(a.alt, b.alt)
		}
		return cmp.Compare(a.state, b.state)
	})
}

// uniqueAlt returns the alternative of all configurations, or 0 if they have
// several.
func uniqueAlt(list []config) int32 {
	alt := int32(0)
	for _, c := range list {
		switch alt {
		case 0:
			alt = c.alt
		case c.alt:
		default:
			return 0
		}
	}
	return alt
}

func lowestAlt(list []config) int32 {
	alt := list[0].alt
	for _, c := range list {
		alt = min(alt, c.alt)
	}
	return alt
}

// places groups configurations by state and stack, and reuses its memory.
type places struct{ list []config }

// group returns the configurations ordered by state, stack and alternative.
func (p *places) group(list []config) []config {
	p.list = append(p.list[:0], list...)
	slices.SortFunc(p.list, func(a, b config) int {
		switch {
		case a.state != b.state:
			return cmp.Compare(a.state, b.state)
		case a.stack != b.stack:
			return cmp.Compare(a.stack, b.stack)
		default:
			return cmp.Compare(a.alt, b.alt)
		}
	})
	return p.list
}

// ambiguous reports an SLL conflict: some state and stack is reached by several
// alternatives, and no state is reached by just one, so that more lookahead
// without the full context is useless.
func (p *places) ambiguous(list []config) bool {
	list = p.group(list)
	conflict := false
	for i := 0; i < len(list); {
		several, j := false, i+1
		for ; j < len(list) && list[j].state == list[i].state; j++ {
			several = several || list[j].alt != list[i].alt
			conflict = conflict || list[j].stack == list[j-1].stack
		}
		if !several {
			return false
		}
		i = j
	}
	return conflict
}

// soleViableAlt returns the lowest alternative of each (state, stack) pair if it
// is the same for all pairs, and 0 otherwise.
func (p *places) soleViableAlt(list []config) int32 {
	list = p.group(list)
	for i := range list {
		begins := i == 0 || list[i].state != list[i-1].state || list[i].stack != list[i-1].stack
		if begins && list[i].alt != list[0].alt {
			return 0
		}
	}
	return list[0].alt
}

// commonAlts returns the alternatives of each (state, stack) pair if all pairs have the
// same ones, and more than one. It returns nil otherwise.
func (p *places) commonAlts(list []config) []int32 {
	list = p.group(list)
	var all []int32
	for i := 0; i < len(list); {
		var here []int32
		j := i
		for ; j < len(list) && list[j].state == list[i].state && list[j].stack == list[i].stack; j++ {
			here = append(here, list[j].alt)
		}
		if len(here) < 2 || all != nil && !slices.Equal(all, here) {
			return nil
		}
		all, i = here, j
	}
	return all
}
