package atn

// An operand is the operator and the stack by which a state was reached.
type operand struct {
	operator int32
	stack    stackID
}

// chooseOperator adds the configurations after token t of a decision between the
// operators of a left-recursive rule (alternative 1) and leaving the rule (alternative
// 2).
func (s *simulator) chooseOperator(from []config, t int32, begin start) {
	for _, c := range s.beforeOperator(from, t, begin) {
		s.main.alt = c.alt
		arcs := s.net.states[c.state].arcs
		for i := range arcs {
			if a := &arcs[i]; a.consumes() && a.takes(t) {
				s.main.add(s, s.net.onward[a.target], c.stack, c.outer)
			}
		}
	}
}

// beforeOperator returns the configurations before token t, or before any token,
// of a decision that chooses an operator. It drops configurations that leave the
// rule only to reach a state that an operator of the rule also reaches. If several
// operators do, the last one counts, as in ANTLR.
func (s *simulator) beforeOperator(from []config, t int32, begin start) []config {
	saved, out := s.out, configs{}
	s.main.states, s.side.states = true, true
	s.main.inside, s.side.inside = true, true
	operands := map[int32]operand{}
	roots, _ := s.net.roots(from[0].state, begin.level, true)
	for _, r := range roots {
		s.out = configs{}
		s.main.begin(s, t, 1)
		s.main.visitRoot(s, r, emptyStack)
		s.main.run(s)
		for _, c := range s.out.list {
			out.add(s.stacks, c)
			o := operand{r.operator, c.stack}
			if known, ok := operands[c.state]; ok && known.operator == o.operator {
				o.stack = s.stacks.merge(known.stack, o.stack)
			}
			operands[c.state] = o
		}
	}
	var leaving configs
	exempted := map[int32]bool{}
	for i, states := range s.callers(begin.decision.rule) {
		s.out = configs{}
		s.side.begin(s, t, 2)
		for _, state := range states {
			s.side.visit(state, emptyStack, true)
		}
		s.side.run(s)
		for _, c := range s.out.list {
			leaving.add(s.stacks, c)
			exempted[c.state] = exempted[c.state] || i == 1
		}
	}
	for _, c := range leaving.list {
		if o, ok := operands[c.state]; !ok || o.stack != c.stack || exempted[c.state] {
			out.add(s.stacks, c)
		}
	}
	s.main.states, s.side.states = false, false
	s.main.inside, s.side.inside = false, false
	s.out = saved
	return out.list
}

// finishedAtOperator is like finishedAlt at the beginning of a decision that
// chooses an operator.
func (s *simulator) finishedAtOperator(from []config, begin start) int32 {
	if s.net.rulesEndInput[begin.decision.rule] {
		return 2
	}
	alt := int32(0)
	for _, c := range s.beforeOperator(from, anyToken, begin) {
		alt = max(alt, c.alt)
	}
	if alt == 1 { // operators do not finish the rule
		return 0
	}
	return alt
}

// callers returns the states after the calls of a left-recursive rule, after calls
// of rules that it ends, and so on. The second list has those that are reached by
// leaving an outermost call of the rule.
func (s *simulator) callers(rule int32) [2][]int32 {
	if known, ok := s.callersOf[rule]; ok {
		return known
	}
	type place struct {
		state     int32
		outermost bool
	}
	var out [2][]int32
	seen, left := map[place]bool{}, map[place]bool{}
	work := []place{{s.net.stops[rule], false}}
	for len(work) > 0 {
		p := work[len(work)-1]
		work = work[:len(work)-1]
		for _, f := range s.net.states[p.state].follows {
			next := place{s.net.onward[f.state], p.outermost || f.outermost == rule}
			if seen[next] {
				continue
			}
			seen[next] = true
			s.step(1)
			if next.outermost {
				out[1] = append(out[1], next.state)
			} else {
				out[0] = append(out[0], next.state)
			}
			above := s.net.states[next.state].rule
			if !s.net.ends[next.state] || above < 0 {
				continue
			}
			if end := (place{s.net.stops[above], next.outermost}); !left[end] {
				left[end] = true
				work = append(work, end)
			}
		}
	}
	if s.callersOf == nil {
		s.callersOf = map[int32][2][]int32{}
	}
	s.callersOf[rule] = out
	s.afterSize += 16 + len(out[0]) + len(out[1])
	return out
}
