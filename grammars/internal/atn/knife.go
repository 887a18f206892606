package atn

import (
	"iter"
	"sync/atomic"
)

// A knife is a lexer's network in the form that tokens are taken apart with:
// steps that do nothing are left out, and what a character leads to is found
// out once, see [cut].
type knife struct {
	classes  *classes
	states   []cutState
	starts   []int32    // by rule
	nullable []bool     // by rule: it can match nothing
	firsts   []tokenSet // by rule: the classes of characters that it can begin with
	follows  []tokenSet // by rule: the classes of characters that can come after it

	most int64 // that a table holds, in bytes
	cuts atomic.Pointer[cutTable]
}

type cutState struct {
	stop bool
	rule int32
	arcs []cutArc
}

type cutArc struct {
	edge   *edge
	takes  tokenSet // the classes of characters that it takes, nil if it takes none
	target int32
	follow int32 // of a rule call
}

func newKnife(net *network, classes *classes) *knife {
	k := &knife{classes: classes, states: make([]cutState, len(net.states)), nullable: make([]bool, len(net.starts)), most: maxCutSize}
	for i, s := range net.states {
		k.states[i].stop, k.states[i].rule = s.kind == ruleStop, int32(s.rule)
		if s.kind == ruleStop {
			continue
		}
		for _, e := range s.edges {
			a := cutArc{edge: e, target: int32(skipSteps(e.target).number)}
			switch {
			case e.kind == ruleCall:
				a.follow = int32(skipSteps(e.follow).number)
			case e.consumes():
				a.takes = classes.of(e)
			}
			k.states[i].arcs = append(k.states[i].arcs, a)
		}
	}
	for _, s := range net.starts {
		k.starts = append(k.starts, int32(skipSteps(s).number))
	}
	k.findFirsts()
	k.findFollows(net)
	k.cuts.Store(newCutTable(len(k.states)))
	return k
}

// findFirsts finds out how each rule can begin.
func (k *knife) findFirsts() {
	callers := make([][]int32, len(k.starts))
	for call := range k.calls() {
		callers[call.edge.rule] = append(callers[call.edge.rule], k.states[call.follow].rule)
	}
	k.firsts = k.noClasses()
	k.untilSettled(callers, func(rule int32) bool {
		grown := false
		ends := k.look(k.starts[rule], func(takes tokenSet) { grown = k.firsts[rule].addAll(takes) || grown })
		grown = grown || ends != k.nullable[rule]
		k.nullable[rule] = ends
		return grown
	})
}

// findFollows finds out what can come after each rule. After a token the text
// ends.
func (k *knife) findFollows(net *network) {
	k.follows = k.noClasses()
	for _, mode := range net.modes {
		for _, e := range mode.edges {
			k.follows[e.target.rule].add(int32(k.classes.count))
		}
	}
	ended := make([][]int32, len(k.starts)) // by rule: those that it can end in
	for call := range k.calls() {
		rule := call.edge.rule
		if k.look(call.follow, func(takes tokenSet) { k.follows[rule].addAll(takes) }) {
			caller := k.states[call.follow].rule
			ended[caller] = append(ended[caller], int32(rule))
		}
	}
	k.untilSettled(ended, func(rule int32) bool {
		grown := false
		for _, last := range ended[rule] {
			grown = k.follows[last].addAll(k.follows[rule]) || grown
		}
		return grown
	})
}

// calls yields the arcs that enter a rule.
func (k *knife) calls() iter.Seq[*cutArc] {
	return func(yield func(*cutArc) bool) {
		for i := range k.states {
			for j := range k.states[i].arcs {
				if a := &k.states[i].arcs[j]; a.edge.kind == ruleCall && !yield(a) {
					return
				}
			}
		}
	}
}

// noClasses returns an empty set for each rule.
func (k *knife) noClasses() []tokenSet {
	out := make([]tokenSet, len(k.starts))
	for rule := range out {
		out[rule] = make(tokenSet, (k.classes.count+1)>>6+1)
	}
	return out
}

// untilSettled calls grow for each rule, and again for the dependents of those
// that it reports to have changed something.
func (k *knife) untilSettled(dependents [][]int32, grow func(rule int32) bool) {
	queue := make([]int32, 0, len(k.starts))
	queued := make([]bool, len(k.starts))
	for rule := len(k.starts) - 1; rule >= 0; rule-- { // rules mostly call those after them
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

// skipSteps returns the first state from s on that is more than a step to the next.
func skipSteps(s *state) *state {
	for s.kind != ruleStop && len(s.edges) == 1 && s.edges[0].occurrence == none {
		switch e := s.edges[0]; e.kind {
		case epsilon, action, predicate:
			s = e.target
		default:
			return s
		}
	}
	return s
}

// look visits the classes of characters that can come first from a state on, and
// reports whether the end of the rule can be reached without any.
func (k *knife) look(from int32, visit func(tokenSet)) (ends bool) {
	seen := map[int32]bool{}
	work := []int32{from}
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[i] {
			continue
		}
		seen[i] = true
		s := &k.states[i]
		ends = ends || s.stop
		for j := range s.arcs {
			a := &s.arcs[j]
			switch {
			case a.takes != nil:
				visit(a.takes)
			case a.edge.kind == ruleCall:
				visit(k.firsts[a.edge.rule])
				if k.nullable[a.edge.rule] {
					work = append(work, a.follow)
				}
			default:
				work = append(work, a.target)
			}
		}
	}
	return ends
}

// viable returns the arcs of a state, in order, that can lead on where the next
// character is of a class.
func (k *knife) viable(s *cutState, class int) []int32 {
	var out []int32
	for i := range s.arcs {
		if k.leadsOn(&s.arcs[i], int32(class)) {
			out = append(out, int32(i))
		}
	}
	return out
}

// leadsOn reports whether an arc can lead on where the next character is of a
// class.
func (k *knife) leadsOn(a *cutArc, class int32) bool {
	switch {
	case a.takes != nil:
		return a.takes.has(class)
	case a.edge.kind == ruleCall:
		rule := a.edge.rule
		return k.firsts[rule].has(class) || k.nullable[rule] && k.canFollow(a.follow, class)
	default:
		return k.canFollow(a.target, class)
	}
}

// canFollow reports whether a character of a class can come first from a state
// on, after the end of the rule if need be.
func (k *knife) canFollow(from, class int32) bool {
	s := &k.states[from]
	if len(s.arcs) == 1 && s.arcs[0].takes != nil { // as in most cases
		return s.arcs[0].takes.has(class)
	}
	found := false
	ends := k.look(from, func(takes tokenSet) { found = found || takes.has(class) })
	return found || ends && k.follows[s.rule].has(class)
}
