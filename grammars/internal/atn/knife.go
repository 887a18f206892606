package atn

import (
	"slices"
	"sync/atomic"
)

// A knife is a lexer's network in the form that tokens are taken apart with:
// steps that do nothing are left out, and at each decision it is known which
// ways a character can go.
type knife struct {
	states   []cutState
	starts   []int32    // by rule
	nullable []bool     // by rule: it can match nothing
	firsts   []tokenSet // by rule: the classes of characters that it can begin with
}

type cutState struct {
	stop   bool
	rule   int32
	arcs   []cutArc
	viable atomic.Pointer[[][]int32] // by class of character
}

type cutArc struct {
	edge   *edge
	takes  tokenSet // the classes of characters that it takes, nil if it takes none
	target int32
	follow int32 // of a rule call
}

func newKnife(net *network, classes *classes) *knife {
	k := &knife{states: make([]cutState, len(net.states)), nullable: make([]bool, len(net.starts))}
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
	k.findFirsts(classes)
	return k
}

// findFirsts finds out how each rule can begin.
func (k *knife) findFirsts(classes *classes) {
	callers := make([][]int32, len(k.starts))
	for i := range k.states {
		for _, a := range k.states[i].arcs {
			if a.edge.kind == ruleCall {
				callers[a.edge.rule] = append(callers[a.edge.rule], k.states[i].rule)
			}
		}
	}
	k.firsts = make([]tokenSet, len(k.starts))
	queue := make([]int32, 0, len(k.starts))
	for rule := range k.starts {
		k.firsts[rule] = make(tokenSet, (classes.count+1)>>6+1)
		queue = append(queue, int32(rule))
	}
	slices.Reverse(queue) // rules mostly call those after them
	queued := make([]bool, len(k.starts))
	for len(queue) > 0 {
		rule := queue[0]
		queue = queue[1:]
		queued[rule] = false
		first := k.firsts[rule]
		grown := false
		ends := k.look(k.starts[rule], func(takes tokenSet) { grown = first.addAll(takes) || grown })
		if !grown && ends == k.nullable[rule] {
			continue
		}
		k.nullable[rule] = ends
		for _, caller := range callers[rule] {
			if !queued[caller] {
				queued[caller] = true
				queue = append(queue, caller)
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

// viable returns the arcs of a decision, in order, that can lead on where the
// next character is of a class.
func (k *knife) viable(s *cutState, class int, classes *classes) []int32 {
	table := s.viable.Load()
	if table == nil {
		table = k.viableTable(s, classes)
		s.viable.Store(table)
	}
	return (*table)[class]
}

func (k *knife) viableTable(s *cutState, classes *classes) *[][]int32 {
	table := make([][]int32, classes.count+1)
	for i := range s.arcs {
		a := &s.arcs[i]
		leads := make(tokenSet, (classes.count+1)>>6+1)
		open := false // what comes after is not known here
		switch {
		case a.takes != nil:
			leads.addAll(a.takes)
		case a.edge.kind == ruleCall:
			leads.addAll(k.firsts[a.edge.rule])
			open = k.nullable[a.edge.rule]
		default:
			open = k.look(a.target, func(takes tokenSet) { leads.addAll(takes) })
		}
		for c := range table {
			if open || leads.has(int32(c)) {
				table[c] = append(table[c], int32(i))
			}
		}
	}
	share(table)
	return &table
}

// share lets equal lists be one.
func share(table [][]int32) {
	for i := 1; i < len(table); i++ {
		if slices.Equal(table[i], table[i-1]) {
			table[i] = table[i-1]
		}
	}
}
