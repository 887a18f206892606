package atn

import (
	"slices"
	"strconv"

	"github.com/inroad/inroad/grammars/limit"
)

// A simulator follows all alternatives of a decision at once, as ANTLR's
// adaptive prediction does, but remembers where it has been: what is reached
// twice is followed once.
type simulator struct {
	walk   *walk
	stacks *stacks
	full   bool // stacks are those of the parser, to their end
	step   func(n int)

	out  configs
	mid  configs
	work []task
	seen map[visited]struct{}

	// Of the decision's start.
	precedence int32 // that the rule was called with
	asked      bool  // whether the precedence made a difference
	precRule   int32 // the rule, if the decision is about its operators, else -1
	operands   map[int32]operand
}

// An operand is how a place is come by from an operator.
type operand struct {
	operator int32
	stack    *stack
}

// A task is a config yet to be followed.
type task struct {
	config
	depth   int32 // of rules entered since the decision, or outside
	collect bool  // precedences count: nothing has been taken yet
	// operator is the precedence of the operator that led here, where the
	// decision is about operators, else 0.
	operator int32
}

// outside is the depth of what has left the decision's rule; it stays there.
const outside = -1

// visited is all of a task that makes a difference to where it leads.
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

// start returns the configs that a decision begins with.
func (s *simulator) start(decision *place, base *stack) []config {
	s.out.reset()
	s.forget()
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

// filterPrecedence drops what leaves a left-recursive rule only to come to the
// same place where an operator of the rule comes to. Of several operators the
// last one counts: that is how ANTLR does it.
func (s *simulator) filterPrecedence() []config {
	var kept []config
	for _, c := range s.out.list {
		if c.alt == 1 || c.suppressed || s.operands[c.state].stack != c.stack {
			kept = append(kept, c)
		}
	}
	return kept
}

// keep adds the config of a task to those that are reached.
func (s *simulator) keep(t task) {
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

// reach returns the configs after token t, nil if there are none. The result
// is valid until the next call.
func (s *simulator) reach(from []config, t int32) []config {
	s.mid.reset()
	var ended []config // at the end of the rule, or of the input
	for _, c := range from {
		p := &s.walk.states[c.state]
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
		return s.mid.list // decided: where it leads is of no interest
	}
	s.out.reset()
	s.forget()
	for _, c := range s.mid.list {
		s.closure(c, false, t == eof)
	}
	list := s.out.list
	if t == eof {
		list = s.onlyEnds(list)
	}
	if len(ended) > 0 && (!s.full || !s.anyEnds(list)) {
		s.out.list = list
		s.reindex()
		for _, c := range ended {
			s.out.add(s.stacks, c)
		}
		list = s.out.list
	}
	return list
}

func (s *simulator) onlyEnds(list []config) []config {
	kept := list[:0]
	for _, c := range list {
		if s.walk.states[c.state].kind == ruleStop {
			kept = append(kept, c)
		}
	}
	return kept
}

func (s *simulator) anyEnds(list []config) bool {
	for _, c := range list {
		if s.walk.states[c.state].kind == ruleStop {
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

// maxClosure bounds what is reached without a token.
const maxClosure = 1 << 20

// forget begins anew with where the simulator has been. A map that was large
// once would take long to clear ever after.
func (s *simulator) forget() {
	if len(s.seen) > 1<<12 {
		s.seen = map[visited]struct{}{}
	}
	clear(s.seen)
}

// closure adds all that is reached from c without a token.
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
			panic(&limit.Error{What: "ways to read one token", Value: strconv.Itoa(maxClosure)})
		}
		s.step(1)
		if p := &s.walk.states[t.state]; p.kind == ruleStop {
			s.leave(t, p)
		} else {
			s.advance(t, p, endIsNothing)
		}
	}
}

// leave goes on where the rule was called from.
func (s *simulator) leave(t task, p *place) {
	if !t.stack.isEmpty() {
		for i, back := range slices.Backward(t.stack.returns) {
			if back == bottom {
				end := t
				end.stack = s.stacks.empty
				s.keep(end)
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
		s.keep(t)
		return
	}
	for _, f := range slices.Backward(p.follows) { // whoever may have called it
		up := t
		up.state, up.outer = f.state, true
		up.depth = outside
		up.suppressed = t.suppressed || s.precRule >= 0 && f.outermost == s.precRule
		s.work = append(s.work, up)
	}
}

// advance follows the arcs of a place that take no token, and keeps the config
// if one takes one.
func (s *simulator) advance(t task, p *place, endIsNothing bool) {
	if !p.epsilonOnly {
		s.keep(t)
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
				s.asked = true
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

// loopIsTakenAbove reports whether entering the operators of a left-recursive
// rule here is no different from leaving the rule and entering them there: all
// that called the rule is the rule itself, for its last operand.
func (s *simulator) loopIsTakenAbove(t task, p *place) bool {
	if !p.precLoop || t.stack.hasEmpty() {
		return false
	}
	self := t.state
	blockEndState := s.walk.states[p.arcs[0].target].blockEnd
	for _, r := range t.stack.returns {
		back := &s.walk.states[r]
		if back.rule != p.rule || len(back.arcs) != 1 || !back.epsilonOnly {
			return false
		}
		next := back.arcs[0].target
		if back.kind == blockEnd && next == self || r == blockEndState || next == blockEndState {
			continue
		}
		n := &s.walk.states[next]
		if n.kind != blockEnd || len(n.arcs) != 1 || !n.epsilonOnly || n.arcs[0].target != self {
			return false
		}
	}
	return true
}
