package atn

import (
	"slices"
	"strconv"

	"github.com/inroad/inroad/grammars/limit"
)

// A simulator follows all alternatives of a decision in parallel, as ANTLR's
// adaptive prediction does. Unlike ANTLR, it takes epsilon arcs only when the next
// token is known, and only those that lead to this token. Each rule that begins
// with the token is entered once, for all its callers together.
type simulator struct {
	net    *flatNetwork
	locals *localTable
	stacks *stacks
	full   bool // full-context prediction: stacks start from the parser's
	step   func(n int)

	out     configs
	main    sweep
	side    sweep // for the tokens that follow a rule anywhere in the grammar
	sideOut configs
	places  places

	expanded configs

	// The configurations after a rule's end and a token, with any caller: by rule
	// and token, the number of a list.
	after      pairTable
	afterLists [][]config
	afterSize  int // in words, with callersOf
	callersOf  map[int32][2][]int32
}

func newSimulator(locals *localTable, full bool) *simulator {
	w := locals.net
	return &simulator{net: w, locals: locals, full: full, stacks: newStacks(w, !full)}
}

// size returns the approximate memory of the simulator's caches, in words.
func (s *simulator) size() int { return s.stacks.size() + 2*len(s.after.keys) + s.afterSize }

// A start is the beginning of a decision, with the precedence of the rule call. The
// precedence matters only to the first token.
type start struct {
	decision *flatState
	level    int32 // the precedence, or noLevel if it does not matter
}

// noLevel is the precedence of a rule call where the precedence does not matter.
const noLevel = -1

// startConfigs returns the configurations at the beginning of a decision.
func (s *simulator) startConfigs(decision *flatState, base stackID) []config {
	s.out.reset()
	for i := range decision.arcs {
		s.out.list = append(s.out.list, config{state: decision.arcs[i].target, alt: int32(i + 1), stack: base})
	}
	return s.out.list
}

// usesLevel reports whether the precedence of the rule call matters to a decision.
func (w *flatNetwork) usesLevel(decision *flatState) bool {
	if decision.precLoop {
		return true
	}
	if !w.recursive[decision.rule] {
		return false
	}
	for i := range decision.arcs {
		if _, uses := w.roots(decision.arcs[i].target, 0, true); uses {
			return true
		}
	}
	return false
}

// reach returns the configurations after token t, none if the token matches
// nothing. The result is valid until the next call. The token is not EOF in
// full-context prediction; see endAlts.
func (s *simulator) reach(from []config, t int32, begin start) []config {
	s.main.states, s.side.states = false, false // a panic may have left them set
	s.main.inside, s.side.inside = false, false
	s.step(1 + len(from))
	s.stacks.forgetMerges()
	s.out.reset()
	switch {
	case begin.level == noLevel:
		s.advance(from, t)
	case begin.decision.precLoop && !s.full:
		s.chooseOperator(from, t, begin)
	default:
		s.advanceRoots(from, t, begin)
	}
	if s.full && t != eof {
		s.keepEnded(from)
	}
	sortConfigs(s.out.list)
	return s.out.list
}

// advance adds the configurations after token t.
func (s *simulator) advance(from []config, t int32) {
	for i := 0; i < len(from); {
		m := &s.main
		m.begin(s, t, from[i].alt)
		for alt := from[i].alt; i < len(from) && from[i].alt == alt; i++ {
			m.visit(from[i].state, from[i].stack, from[i].outer)
		}
		m.run(s)
	}
}

// advanceRoots is like advance, at the beginning of a decision that depends on the
// precedence of the rule call.
func (s *simulator) advanceRoots(from []config, t int32, begin start) {
	for _, c := range from {
		s.main.begin(s, t, c.alt)
		inLoop := c.stack == emptyStack || !s.leadsToLoop(begin.decision.rule, c.stack)
		roots, _ := s.net.roots(c.state, begin.level, inLoop)
		for _, r := range roots {
			s.main.visitRoot(s, r, c.stack)
		}
		s.main.run(s)
	}
}

// leadsToLoop reports whether a stack of a left-recursive rule only returns to the
// operator loop of the same rule.
func (s *simulator) leadsToLoop(rule int32, stack stackID) bool {
	returns, _ := s.stacks.entries(stack)
	return len(returns) == 1 && returns[0] != bottom && s.net.states[returns[0]].precLoop && s.net.states[returns[0]].rule == rule
}

// keepEnded adds the configurations that have reached the end of the start rule,
// if none does so after another token: the rest of the input is then ignored.
func (s *simulator) keepEnded(from []config) {
	if slices.ContainsFunc(s.out.list, s.endsInput) {
		return
	}
	for _, c := range from {
		if s.endsInput(c) {
			s.out.add(s.stacks, config{state: s.net.stops[0], alt: c.alt, stack: emptyStack})
		}
	}
}

// endsInput reports whether an epsilon path leads from a configuration to the end
// of the input.
func (s *simulator) endsInput(c config) bool {
	if !s.net.ends[c.state] {
		return false
	}
	if c.stack == emptyStack {
		return s.full || s.net.endsInput(c.state)
	}
	return s.stacks.nodes[c.stack].finishesInput
}

// endAlts returns the configurations after EOF, all at the end of the input. There,
// EOF can be matched any number of times.
func (s *simulator) endAlts(from []config, begin start) []config {
	var before, after []config
	add := func(to *[]config, list []config) {
		for _, c := range list {
			end := config{state: s.net.stops[0], alt: c.alt}
			if s.endsInput(c) && !slices.Contains(*to, end) {
				*to = append(*to, end)
			}
		}
	}
	add(&before, from)
	var seen [][]config
	list := slices.Clone(s.reach(from, eof, begin))
	for len(list) > 0 && !slices.ContainsFunc(seen, func(old []config) bool { return slices.Equal(old, list) }) {
		add(&after, list)
		seen = append(seen, list)
		list = slices.Clone(s.reach(list, eof, start{level: noLevel}))
	}
	if !s.full || len(after) == 0 {
		add(&after, from)
	}
	sortConfigs(after)
	return after
}

// finishedAlt returns the lowest alternative that reached the end of the
// decision's rule, or 0. It is the choice if no token matches: a syntax error
// then surfaces outside the rule.
func (s *simulator) finishedAlt(list []config) int32 {
	alt := int32(0)
	for _, c := range list {
		if c.outer || s.net.ends[c.state] && (c.stack == emptyStack || s.stacks.nodes[c.stack].finishes) {
			if alt == 0 || c.alt < alt {
				alt = c.alt
			}
		}
	}
	return alt
}

// afterRule returns the configurations after the end of a rule and token t, if any
// caller may follow.
func (s *simulator) afterRule(rule, t int32) []config {
	key := uint64(rule+1)<<32 | uint64(uint32(t+1))
	if i, ok := s.after.get(key); ok {
		return s.afterLists[i]
	}
	s.out, s.sideOut = s.sideOut, s.out
	s.out.reset()
	s.side.begin(s, t, 0)
	s.side.follow(s, s.net.stops[rule])
	s.side.run(s)
	list := slices.Clone(s.out.list)
	s.out, s.sideOut = s.sideOut, s.out
	s.after.put(key, uint32(len(s.afterLists)))
	s.afterLists = append(s.afterLists, list)
	s.afterSize += 4 + 2*len(list)
	return list
}

// maxClosure limits the configurations of one closure.
const maxClosure = 1 << 20

// A sweep takes the epsilon paths of one alternative that lead to a token.
type sweep struct {
	token int32 // or anyToken
	alt   int32
	// With states set, the sweep adds configurations before the token instead of
	// after it.
	states bool
	side   bool // it follows all callers itself
	inside bool // it does not leave the rules where it begins

	seen     stampTable
	followed stampTable // rules
	work     []visit

	rules []enteredRule // by rule
	stamp uint32
	heap  []int32 // rules still to be followed, by their order
}

// anyToken stands for all tokens.
const anyToken = -2

// A visit is a configuration still to be followed.
type visit struct {
	state int32
	stack stackID
	outer bool
}

// An enteredRule is a rule that was entered, with the stacks of all its callers.
type enteredRule struct {
	stack stackID
	stamp uint32
	outer bool
}

func (m *sweep) begin(s *simulator, t, alt int32) {
	m.token, m.alt, m.side = t, alt, m == &s.side
	m.seen.reset()
	m.followed.reset()
	if m.rules == nil {
		m.rules = make([]enteredRule, len(s.net.starts))
	}
	if m.stamp++; m.stamp == 0 {
		clear(m.rules)
		m.stamp = 1
	}
	m.work, m.heap = m.work[:0], m.heap[:0]
}

func (m *sweep) visit(state int32, stack stackID, outer bool) {
	key := uint64(uint32(state))<<33 | uint64(stack)<<1
	if outer {
		key |= 1
	}
	if _, known := m.seen.add(key, 0); !known {
		m.work = append(m.work, visit{state, stack, outer})
	}
}

func (m *sweep) visitRoot(s *simulator, r root, stack stackID) {
	if r.call == nil {
		m.visit(r.state, stack, false)
	} else {
		m.call(s, localCall{r.call.rule, s.net.onward[r.call.follow]}, stack, false)
	}
}

// run follows all visits, then the rules that they enter.
func (m *sweep) run(s *simulator) {
	for len(m.work) > 0 {
		v := m.work[len(m.work)-1]
		m.work = m.work[:len(m.work)-1]
		if s.step(1 + s.stacks.charge()); m.seen.count > maxClosure {
			panic(&limit.Error{What: "configurations to predict one token", Value: strconv.Itoa(maxClosure)})
		}
		if s.net.states[v.state].kind != ruleStop {
			m.within(s, v)
		}
		if s.net.ends[v.state] && !m.inside {
			m.leave(s, v)
		}
	}
	for len(m.heap) > 0 {
		rule := s.net.byOrder[m.pop()]
		in := m.rules[rule]
		s.step(1 + s.stacks.charge())
		m.within(s, visit{s.net.starts[rule], in.stack, in.outer})
	}
}

// within follows the epsilon paths within a rule.
func (m *sweep) within(s *simulator, v visit) {
	n := s.locals.of(v.state, s.step)
	s.step((len(n.takes) + len(n.calls)) / entriesPerStep)
	m.take(s, n.takes, v)
	for _, c := range n.calls {
		m.call(s, c, v.stack, v.outer)
	}
	// The operator loop need not be entered if leaving the rule leads to the same
	// loop.
	if n.loop >= 0 && !s.stacks.all(v.stack, n.loop) {
		m.take(s, n.loopTakes, v)
		for _, c := range n.loopCalls {
			m.call(s, c, v.stack, v.outer)
		}
	}
}

func (m *sweep) take(s *simulator, takes []take, v visit) {
	for i := range takes {
		t := &takes[i]
		if m.token != anyToken && !t.arc.takes(m.token) {
			continue
		}
		if m.states {
			s.out.add(s.stacks, config{t.state, m.alt, v.stack, v.outer})
		} else {
			m.add(s, t.target, v.stack, v.outer)
		}
	}
}

// add adds a configuration. It leaves rules where nothing else is possible.
func (m *sweep) add(s *simulator, state int32, stack stackID, outer bool) {
	for s.net.states[state].kind == ruleStop && stack != emptyStack {
		returns, below := s.stacks.entries(stack)
		if len(returns) != 1 {
			break
		}
		state, stack = returns[0], below[0]
	}
	s.out.add(s.stacks, config{state, m.alt, stack, outer})
}

// call enters a rule if it can begin with the token.
func (m *sweep) call(s *simulator, c localCall, stack stackID, outer bool) {
	if m.token != anyToken && !s.net.canBegin(c.rule, m.token) {
		return
	}
	stack = s.stacks.push(stack, c.follow)
	in := &m.rules[c.rule]
	if in.stamp == m.stamp {
		in.stack = s.stacks.merge(in.stack, stack)
		in.outer = in.outer || outer
		return
	}
	*in = enteredRule{stack, m.stamp, outer}
	m.push(s.net.order[c.rule])
}

// leave continues at the return states of a rule that ends.
func (m *sweep) leave(s *simulator, v visit) {
	if v.stack != emptyStack {
		returns, below := s.stacks.entries(v.stack)
		for i, back := range returns {
			if back != bottom {
				m.visit(back, below[i], v.outer)
			} else if m.token == anyToken {
				s.out.add(s.stacks, config{s.net.stops[0], m.alt, emptyStack, v.outer})
			}
		}
		return
	}
	p := &s.net.states[v.state]
	switch {
	case s.full || p.rule < 0:
		if m.token == anyToken {
			s.out.add(s.stacks, config{s.net.stops[0], m.alt, emptyStack, v.outer})
		}
	case m.side:
		m.follow(s, s.net.stops[p.rule])
	default:
		if _, known := m.followed.add(uint64(p.rule), 0); known {
			return
		}
		list := s.afterRule(p.rule, m.token)
		s.step(len(list))
		for _, c := range list {
			s.out.add(s.stacks, config{c.state, m.alt, c.stack, true})
		}
	}
}

// follow visits all callers of a rule.
func (m *sweep) follow(s *simulator, stop int32) {
	if _, known := m.followed.add(uint64(stop), 0); known {
		return
	}
	follows := s.net.states[stop].follows
	if len(follows) == 0 && m.token == anyToken {
		s.out.add(s.stacks, config{stop, m.alt, emptyStack, true})
	}
	for _, f := range follows {
		m.visit(s.net.onward[f.state], emptyStack, true)
	}
}

// push and pop maintain a heap of the rules that were entered, in their order.
func (m *sweep) push(at int32) {
	m.heap = append(m.heap, at)
	for i := len(m.heap) - 1; i > 0; {
		up := (i - 1) / 2
		if m.heap[up] <= m.heap[i] {
			break
		}
		m.heap[up], m.heap[i] = m.heap[i], m.heap[up]
		i = up
	}
}

func (m *sweep) pop() int32 {
	top, last := m.heap[0], len(m.heap)-1
	m.heap[0] = m.heap[last]
	m.heap = m.heap[:last]
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < last; child++ {
			if m.heap[child] < m.heap[least] {
				least = child
			}
		}
		if least == i {
			return top
		}
		m.heap[i], m.heap[least] = m.heap[least], m.heap[i]
		i = least
	}
}

// expand returns the configurations right before a token that epsilon paths from the
// given ones lead to. The result is valid until the next call.
func (s *simulator) expand(from []config) []config {
	s.out, s.expanded = s.expanded, s.out
	s.out.reset()
	s.main.states, s.side.states = true, true
	s.advance(from, anyToken)
	s.main.states, s.side.states = false, false
	s.out, s.expanded = s.expanded, s.out
	return s.expanded.list
}

// conflict reports whether sorted configurations of SLL prediction have a conflict. It
// expands only configurations whose alternatives converge when rules are left: others
// cannot have a conflict.
func (s *simulator) conflict(list []config) bool {
	if s.places.ambiguous(list) {
		return true
	}
	return s.converge(list) && s.places.ambiguous(s.expand(list))
}

// converge reports whether several alternatives reach a state and stack when rules
// are left.
func (s *simulator) converge(list []config) bool {
	m := &s.main
	m.seen.reset()
	for _, c := range list {
		m.work = append(m.work[:0], visit{c.state, c.stack, false})
		for len(m.work) > 0 {
			v := m.work[len(m.work)-1]
			m.work = m.work[:len(m.work)-1]
			alt, known := m.seen.add(uint64(uint32(v.state))<<32|uint64(v.stack), uint32(c.alt))
			switch {
			case known && alt != uint32(c.alt):
				return true
			case known || !s.net.ends[v.state]:
			case v.stack != emptyStack:
				returns, below := s.stacks.entries(v.stack)
				for i, back := range returns {
					m.work = append(m.work, visit{back, below[i], false})
				}
			case s.net.states[v.state].kind != ruleStop:
				m.work = append(m.work, visit{s.net.stops[s.net.states[v.state].rule], emptyStack, false})
			}
			s.step(1)
		}
	}
	return false
}
