package atn

// A config is an ATN configuration: a state, the alternative of the decision
// that led there, and its possible stacks.
type config struct {
	state, alt int32
	stack      *stack
	outer      bool // the decision's rule was left
	suppressed bool // exempt from filterPrecedence
}

// configs is a set of configurations. Those with the same state and alternative
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

// finishedAlt returns the lowest alternative that reached the end of the
// decision's rule, or 0. It is the choice if no token matches: a syntax error
// then surfaces outside the rule.
func (w *flatNetwork) finishedAlt(list []config) int32 {
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

// A tally is a set of alternatives that records only the lowest one and whether
// there are several.
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

type stateStack struct {
	state int32
	stack *stack
}

// ambiguous reports an SLL conflict: some state and stack is reached by several
// alternatives, and no state is reached by just one, so that more lookahead
// without the full context is useless.
func (w *flatNetwork) ambiguous(list []config) bool {
	all := true
	for _, c := range list {
		all = all && w.states[c.state].kind == ruleStop
	}
	if all {
		return true
	}
	byState := make(map[int32]tally, len(list))
	byPlace := make(map[stateStack]tally, len(list))
	conflict := false
	for _, c := range list {
		byState[c.state] = byState[c.state].with(c.alt)
		p := stateStack{c.state, c.stack}
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

// soleViableAlt returns the lowest alternative of each (state, stack) pair if it
// is the same for all pairs, and 0 otherwise.
func soleViableAlt(list []config) int32 {
	byPlace := make(map[stateStack]tally, len(list))
	for _, c := range list {
		p := stateStack{c.state, c.stack}
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
