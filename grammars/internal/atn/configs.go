package atn

// A config is one way of reading what lies ahead: a place, the alternative of
// the decision that led there, and the stacks that it may have.
type config struct {
	state, alt int32
	stack      *stack
	outer      bool // the rule of the decision was left on the way
	suppressed bool // not to be dropped for an equal config of the first alternative
}

// configs is a set of configs in which those of the same place and alternative
// are merged.
type configs struct {
	list []config
	at   map[int64]int32
}

func (s *configs) reset() {
	s.list = s.list[:0]
	if s.at == nil {
		s.at = map[int64]int32{}
	}
	clear(s.at)
}

func (s *configs) add(g *stacks, c config) {
	key := int64(c.state)<<32 | int64(c.alt)
	i, ok := s.at[key]
	if !ok {
		s.at[key] = int32(len(s.list))
		s.list = append(s.list, c)
		return
	}
	old := &s.list[i]
	old.stack = g.merge(old.stack, c.stack)
	old.outer = old.outer || c.outer
	old.suppressed = old.suppressed || c.suppressed
}

// uniqueAlt returns the alternative that all configs are of, 0 if there are several.
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

// finishedAlt returns the lowest alternative that reached the end of the
// decision's rule, 0 for none. It is what to take where no token fits: the
// error, if it is one, is then met outside.
func (w *walk) finishedAlt(list []config) int32 {
	alt := int32(0)
	for _, c := range list {
		if c.outer || w.states[c.state].kind == ruleStop && c.stack.hasEmpty() {
			if alt == 0 || c.alt < alt {
				alt = c.alt
			}
		}
	}
	return alt
}

// tally is a set of alternatives, of which it matters only whether there are
// several.
type tally struct {
	low     int32
	several bool
}

func (t tally) with(alt int32) tally {
	switch {
	case t.low == 0:
		t.low = alt
	case t.low != alt:
		t.low, t.several = min(t.low, alt), true
	}
	return t
}

type readPlace struct {
	state int32
	stack *stack
}

// ambiguous reports whether looking further ahead is of no use without the
// whole stack: some place with the same stacks is reached by several
// alternatives, and none is reached by just one.
func (w *walk) ambiguous(list []config) bool {
	all := true
	for _, c := range list {
		all = all && w.states[c.state].kind == ruleStop
	}
	if all {
		return true
	}
	byState := make(map[int32]tally, len(list))
	byPlace := make(map[readPlace]tally, len(list))
	conflict := false
	for _, c := range list {
		byState[c.state] = byState[c.state].with(c.alt)
		p := readPlace{c.state, c.stack}
		t := byPlace[p].with(c.alt)
		byPlace[p] = t
		conflict = conflict || t.several
	}
	if !conflict {
		return false
	}
	for _, t := range byState {
		if !t.several {
			return false
		}
	}
	return true
}

// soleViableAlt returns the alternative that wins at every place, 0 if
// different ones win at different places.
func soleViableAlt(list []config) int32 {
	byPlace := make(map[readPlace]tally, len(list))
	for _, c := range list {
		p := readPlace{c.state, c.stack}
		byPlace[p] = byPlace[p].with(c.alt)
	}
	alt := int32(0)
	for _, t := range byPlace {
		if alt != 0 && t.low != alt {
			return 0
		}
		alt = t.low
	}
	return alt
}
