package atn

import (
	"iter"
	"sync/atomic"
)

// A tokenDFA is a lexer's network prepared for deriving tokens: states with a
// single epsilon edge are skipped, and the effect of each character is cached
// as a [transition].
type tokenDFA struct {
	classes  *classes
	states   []tokenState
	starts   []int32    // by rule
	nullable []bool     // by rule: it can match the empty string
	firsts   []tokenSet // by rule: the character classes it can begin with
	follows  []tokenSet // by rule: the character classes that can follow it

	maxSize int64 // of the table, in bytes
	table   atomic.Pointer[transitionTable]
}

type tokenState struct {
	stop bool
	rule int32
	arcs []tokenArc
}

type tokenArc struct {
	edge   *edge
	takes  tokenSet // the character classes it consumes; nil if it consumes nothing
	target int32
	follow int32 // of a rule call
}

func newTokenDFA(net *network, classes *classes) *tokenDFA {
	d := &tokenDFA{classes: classes, states: make([]tokenState, len(net.states)), nullable: make([]bool, len(net.starts)), maxSize: maxTransitionSize}
	known := make([]*state, len(net.states))
	skipEpsilons := func(s *state) *state { return skipEpsilons(s, known) }
	for i, s := range net.states {
		d.states[i].stop, d.states[i].rule = s.kind == ruleStop, int32(s.rule)
		if s.kind == ruleStop {
			continue
		}
		for _, e := range s.edges {
			a := tokenArc{edge: e, target: int32(skipEpsilons(e.target).number)}
			switch {
			case e.kind == ruleCall:
				a.follow = int32(skipEpsilons(e.follow).number)
			case e.consumes():
				a.takes = classes.of(e)
			}
			d.states[i].arcs = append(d.states[i].arcs, a)
		}
	}
	for _, s := range net.starts {
		d.starts = append(d.starts, int32(skipEpsilons(s).number))
	}
	d.findFirsts()
	d.findFollows(net)
	d.table.Store(newTransitionTable(len(d.states)))
	return d
}

// findFirsts computes the FIRST set of each rule.
func (d *tokenDFA) findFirsts() {
	callers := make([][]int32, len(d.starts))
	for call := range d.calls() {
		callers[call.edge.rule] = append(callers[call.edge.rule], d.states[call.follow].rule)
	}
	d.firsts = d.emptyClassSets()
	d.untilStable(callers, func(rule int32) bool {
		grown := false
		ends := d.look(d.starts[rule], func(takes tokenSet) { grown = d.firsts[rule].addAll(takes) || grown })
		grown = grown || ends != d.nullable[rule]
		d.nullable[rule] = ends
		return grown
	})
}

// findFollows computes the FOLLOW set of each rule. The set of a token rule
// contains the end of the text.
func (d *tokenDFA) findFollows(net *network) {
	d.follows = d.emptyClassSets()
	for _, mode := range net.modes {
		for _, e := range mode.edges {
			d.follows[e.target.rule].add(int32(d.classes.count))
		}
	}
	ended := make([][]int32, len(d.starts)) // by rule: the rules it can end with
	for call := range d.calls() {
		rule := call.edge.rule
		if d.look(call.follow, func(takes tokenSet) { d.follows[rule].addAll(takes) }) {
			caller := d.states[call.follow].rule
			ended[caller] = append(ended[caller], int32(rule))
		}
	}
	d.untilStable(ended, func(rule int32) bool {
		grown := false
		for _, last := range ended[rule] {
			grown = d.follows[last].addAll(d.follows[rule]) || grown
		}
		return grown
	})
}

// calls yields the arcs that call a rule.
func (d *tokenDFA) calls() iter.Seq[*tokenArc] {
	return func(yield func(*tokenArc) bool) {
		for i := range d.states {
			for j := range d.states[i].arcs {
				if a := &d.states[i].arcs[j]; a.edge.kind == ruleCall && !yield(a) {
					return
				}
			}
		}
	}
}

// emptyClassSets returns an empty set of classes for each rule.
func (d *tokenDFA) emptyClassSets() []tokenSet {
	out := make([]tokenSet, len(d.starts))
	for rule := range out {
		out[rule] = make(tokenSet, (d.classes.count+1)>>6+1)
	}
	return out
}

// untilStable calls grow for each rule, and again for the dependents of each
// rule for which grow returned true.
func (d *tokenDFA) untilStable(dependents [][]int32, grow func(rule int32) bool) {
	queue := make([]int32, 0, len(d.starts))
	queued := make([]bool, len(d.starts))
	for rule := len(d.starts) - 1; rule >= 0; rule-- { // rules mostly call later rules
		queue, queued[rule] = append(queue, int32(rule)), true
	}
	for len(queue) > 0 {
		rule := queue[0]
		queue = queue[1:]
		queued[rule] = false
		if !grow(rule) {
			continue
		}
		for _, next := range dependents[rule] {
			if !queued[next] {
				queue, queued[next] = append(queue, next), true
			}
		}
	}
}

// skipEpsilons returns the first state from s on that does more than move to
// the next one. It remembers the result for all states on the way.
func skipEpsilons(s *state, known []*state) *state {
	var chain []*state
	for known[s.number] == nil && movesOn(s) {
		chain = append(chain, s)
		s = s.edges[0].target
	}
	if known[s.number] == nil {
		known[s.number] = s
	}
	for _, before := range chain {
		known[before.number] = known[s.number]
	}
	return known[s.number]
}

// movesOn reports whether a state only moves to the next one.
func movesOn(s *state) bool {
	if s.kind == ruleStop || len(s.edges) != 1 || s.edges[0].occurrence != none {
		return false
	}
	switch s.edges[0].kind {
	case epsilon, action, predicate:
		return true
	default:
		return false
	}
}

// look visits the sets of character classes that can come first from a state
// on. It reports whether the end of the rule is reachable without a character.
func (d *tokenDFA) look(from int32, visit func(tokenSet)) (ends bool) {
	seen := map[int32]bool{}
	work := []int32{from}
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[i] {
			continue
		}
		seen[i] = true
		s := &d.states[i]
		ends = ends || s.stop
		for j := range s.arcs {
			a := &s.arcs[j]
			switch {
			case a.takes != nil:
				visit(a.takes)
			case a.edge.kind == ruleCall:
				visit(d.firsts[a.edge.rule])
				if d.nullable[a.edge.rule] {
					work = append(work, a.follow)
				}
			default:
				work = append(work, a.target)
			}
		}
	}
	return ends
}

// viable returns the indexes of a state's arcs that a character of the class
// can take.
func (d *tokenDFA) viable(s *tokenState, class int) []int32 {
	var out []int32
	for i := range s.arcs {
		if d.canTake(&s.arcs[i], int32(class)) {
			out = append(out, int32(i))
		}
	}
	return out
}

// canTake reports whether a character of the class can take an arc.
func (d *tokenDFA) canTake(a *tokenArc, class int32) bool {
	switch {
	case a.takes != nil:
		return a.takes.has(class)
	case a.edge.kind == ruleCall:
		rule := a.edge.rule
		return d.firsts[rule].has(class) || d.nullable[rule] && d.canFollow(a.follow, class)
	default:
		return d.canFollow(a.target, class)
	}
}

// canFollow reports whether a character of the class can come first from a
// state on, possibly after the end of the rule.
func (d *tokenDFA) canFollow(from, class int32) bool {
	s := &d.states[from]
	if len(s.arcs) == 1 && s.arcs[0].takes != nil { // the common case
		return s.arcs[0].takes.has(class)
	}
	found := false
	ends := d.look(from, func(takes tokenSet) { found = found || takes.has(class) })
	return found || ends && d.follows[s.rule].has(class)
}
