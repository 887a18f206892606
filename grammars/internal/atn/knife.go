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
	starts   []int32 // by rule
	nullable []bool  // by rule: it can match nothing
}

type cutState struct {
	stop   bool
	rule   int32
	arcs   []cutArc
	viable atomic.Pointer[[][]uint16] // by class of character
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
	for changed := true; changed; {
		changed = false
		for rule, start := range k.starts {
			if !k.nullable[rule] && k.look(start, nil) {
				k.nullable[rule], changed = true, true
			}
		}
	}
	return k
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

// look visits the arcs that can take the first character from a state on, and
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
		// Called rules are not returned from; one that can match nothing is
		// passed over instead.
		ends = ends || s.stop && s.rule == k.states[from].rule
		for j := range s.arcs {
			a := &s.arcs[j]
			switch {
			case a.takes != nil:
				if visit != nil {
					visit(a.takes)
				}
			case a.edge.kind == ruleCall:
				work = append(work, a.target)
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
func (k *knife) viable(s *cutState, class int, classes *classes) []uint16 {
	table := s.viable.Load()
	if table == nil {
		table = k.viableTable(s, classes)
		s.viable.Store(table)
	}
	return (*table)[class]
}

func (k *knife) viableTable(s *cutState, classes *classes) *[][]uint16 {
	table := make([][]uint16, classes.count+1)
	for i := range s.arcs {
		a := &s.arcs[i]
		leads := make(tokenSet, (classes.count+1)>>6+1)
		mark := func(takes tokenSet) {
			for w, bits := range takes {
				leads[w] |= bits
			}
		}
		open := false // what comes after is not known here
		switch {
		case a.takes != nil:
			mark(a.takes)
		default:
			open = k.look(a.target, mark) || a.edge.kind == ruleCall && k.nullable[a.edge.rule]
		}
		for c := range table {
			if open || leads.has(int32(c)) {
				table[c] = append(table[c], uint16(i))
			}
		}
	}
	share(table)
	return &table
}

// share lets equal lists be one.
func share(table [][]uint16) {
	for i := 1; i < len(table); i++ {
		if slices.Equal(table[i], table[i-1]) {
			table[i] = table[i-1]
		}
	}
}
