package atn

import (
	"slices"
	"strconv"

	"github.com/inroad/inroad/grammars/limit"
)

// A simulator follows all alternatives of a decision in parallel, as ANTLR's
// adaptive prediction does. Unlike ANTLR, it never follows the same
// configuration twice.
type simulator struct {
	net    *flatNetwork
	stacks *stacks
	full   bool // full-context prediction: stacks start from the parser's
	step   func(n int)

	out  configs
	mid  configs
	work []task
	seen map[visited]struct{}

	// State of the decision.
	precedence     int32 // of the rule call
	usedPrecedence bool  // the precedence made a difference
	precRule       int32 // the left-recursive rule whose operators the decision chooses, or -1
	operands       map[int32]operand
}

// An operand records the operator and the stack by which a state was reached.
type operand struct {
	operator int32
	stack    *stack
}

// A task is a configuration still to be followed.
type task struct {
	config
	depth   int32 // of rules entered since the decision, or outside
	collect bool  // evaluate precedences: no token was consumed yet
	// operator is the precedence of the operator that led here if the decision
	// chooses an operator, else 0.
	operator int32
}

// outside is the depth of tasks that have left the decision's rule.
const outside = -1

// visited is the part of a task that determines where it leads.
type visited struct {
	state, alt, depth, operator int32
	stack                       *stack
	flags                       uint8
}

func (t task) key() visited {
	v := visited{state: t.state, alt: t.alt, operator: t.operator, stack: t.stack}
	if t.collect {
		v.depth = t.depth
		v.flags |= 1
	}
	if t.outer {
		v.flags |= 2
	}
	if t.suppressed {
		v.flags |= 4
	}
	return v
}

// start returns the initial configurations of a decision.
func (s *simulator) start(decision *flatState, base *stack) []config {
	s.out.reset()
	s.resetSeen()
	clear(s.operands)
	for i := range decision.arcs {
		a := &decision.arcs[i]
		s.closure(config{state: a.target, alt: int32(i + 1), stack: base}, true, false)
	}
	if s.precRule >= 0 && !s.full {
		return s.filterPrecedence()
	}
	return s.out.list
}

// filterPrecedence drops configurations that leave a left-recursive rule only
// to reach a state that an operator of the rule also reaches. If several
// operators do, the last one counts, as in ANTLR.
func (s *simulator) filterPrecedence() []config {
	var kept []config
	for _, c := range s.out.list {
		if c.alt == 1 || c.suppressed || s.operands[c.state].stack != c.stack {
			kept = append(kept, c)
		}
	}
	return kept
}

// add adds the configuration of a task to the result.
func (s *simulator) add(t task) {
	s.out.add(s.stacks, t.config)
	if t.operator == 0 || t.alt != 1 {
		return
	}
	if s.operands == nil {
		s.operands = map[int32]operand{}
	}
	o := operand{t.operator, t.stack}
	if known, ok := s.operands[t.state]; ok && known.operator == o.operator {
		o.stack = s.stacks.merge(known.stack, o.stack)
	}
	s.operands[t.state] = o
}

// reach returns the configurations after token t, nil if there are none. The
// result is valid until the next call.
func (s *simulator) reach(from []config, t int32) []config {
	s.mid.reset()
	var ended []config // at the end of the rule or of the input
	for _, c := range from {
		p := &s.net.states[c.state]
		if p.kind == ruleStop {
			if s.full || t == eof {
				ended = append(ended, c)
			}
			continue
		}
		for i := range p.arcs {
			if a := &p.arcs[i]; a.consumes() && a.takes(t) {
				c.state = a.target
				s.mid.add(s.stacks, c)
			}
		}
	}
	s.step(1 + len(from))
	if len(ended) == 0 && t != eof && uniqueAlt(s.mid.list) != 0 {
		return s.mid.list // decided: the closure does not matter
	}
	s.out.reset()
	s.resetSeen()
	for _, c := range s.mid.list {
		s.closure(c, false, t == eof)
	}
	list := s.out.list
	if t == eof {
		list = s.onlyRuleStops(list)
	}
	if len(ended) > 0 && (!s.full || !s.hasRuleStop(list)) {
		s.out.list = list
		s.reindex()
		for _, c := range ended {
			s.out.add(s.stacks, c)
		}
		list = s.out.list
	}
	return list
}

func (s *simulator) onlyRuleStops(list []config) []config {
	kept := list[:0]
	for _, c := range list {
		if s.net.states[c.state].kind == ruleStop {
			kept = append(kept, c)
		}
	}
	return kept
}

func (s *simulator) hasRuleStop(list []config) bool {
	for _, c := range list {
		if s.net.states[c.state].kind == ruleStop {
			return true
		}
	}
	return false
}

func (s *simulator) reindex() {
	clear(s.out.at)
	for i, c := range s.out.list {
		s.out.at[int64(c.state)<<32|int64(c.alt)] = int32(i)
	}
}

// maxClosure limits the configurations of one closure.
const maxClosure = 1 << 20

// resetSeen clears the seen tasks. It replaces a large map, which would stay
// slow to clear.
func (s *simulator) resetSeen() {
	if len(s.seen) > 1<<12 {
		s.seen = map[visited]struct{}{}
	}
	clear(s.seen)
}

// closure adds all configurations reachable from c without a token.
func (s *simulator) closure(c config, collect, endIsNothing bool) {
	s.work = append(s.work[:0], task{config: c, collect: collect})
	for len(s.work) > 0 {
		t := s.work[len(s.work)-1]
		s.work = s.work[:len(s.work)-1]
		key := t.key()
		if _, ok := s.seen[key]; ok {
			continue
		}
		s.seen[key] = struct{}{}
		if len(s.seen) > maxClosure {
			panic(&limit.Error{What: "configurations to predict one token", Value: strconv.Itoa(maxClosure)})
		}
		s.step(1)
		if p := &s.net.states[t.state]; p.kind == ruleStop {
			s.leave(t, p)
		} else {
			s.advance(t, p, endIsNothing)
		}
	}
}

// leave continues at the return states of a rule.
func (s *simulator) leave(t task, p *flatState) {
	if !t.stack.isEmpty() {
		for i, back := range slices.Backward(t.stack.returns) {
			if back == bottom {
				end := t
				end.stack = s.stacks.empty
				s.add(end)
				continue
			}
			up := t
			up.state, up.stack = back, t.stack.below[i]
			up.depth = max(up.depth-1, outside)
			s.work = append(s.work, up)
		}
		return
	}
	if s.full || len(p.follows) == 0 {
		s.add(t)
		return
	}
	for _, f := range slices.Backward(p.follows) { // all possible callers
		up := t
		up.state, up.outer = f.state, true
		up.depth = outside
		up.suppressed = t.suppressed || s.precRule >= 0 && f.outermost == s.precRule
		s.work = append(s.work, up)
	}
}

// advance follows the epsilon arcs of a state, and adds the configuration if
// another arc consumes a token.
func (s *simulator) advance(t task, p *flatState, endIsNothing bool) {
	if !p.epsilonOnly {
		s.add(t)
	}
	for i := len(p.arcs) - 1; i >= 0; i-- {
		if i == 0 && s.loopIsTakenAbove(t, p) {
			continue
		}
		a := &p.arcs[i]
		next := t
		next.state = a.target
		switch a.kind {
		case epsilon, predicate:
		case action:
			next.collect = false
		case precedence:
			if t.collect && t.depth == 0 {
				s.usedPrecedence = true
				if a.precedence < s.precedence {
					continue
				}
				if s.precRule >= 0 {
					next.operator = a.precedence
				}
			}
		case ruleCall:
			next.stack = s.stacks.push(t.stack, a.follow)
			if t.depth >= 0 {
				next.depth++
			}
		default:
			if !endIsNothing || !a.takes(eof) {
				continue
			}
		}
		s.work = append(s.work, next)
	}
}

// loopIsTakenAbove reports whether entering the operator loop of a
// left-recursive rule here is equivalent to leaving the rule and entering the
// loop in its caller. This is so if all callers are the rule itself, for its
// last operand.
func (s *simulator) loopIsTakenAbove(t task, p *flatState) bool {
	if !p.precLoop || t.stack.hasEmpty() {
		return false
	}
	self := t.state
	blockEndState := s.net.states[p.arcs[0].target].blockEnd
	for _, r := range t.stack.returns {
		back := &s.net.states[r]
		if back.rule != p.rule || len(back.arcs) != 1 || !back.epsilonOnly {
			return false
		}
		next := back.arcs[0].target
		if back.kind == blockEnd && next == self || r == blockEndState || next == blockEndState {
			continue
		}
		n := &s.net.states[next]
		if n.kind != blockEnd || len(n.arcs) != 1 || !n.epsilonOnly || n.arcs[0].target != self {
			return false
		}
	}
	return true
}
