package atn

import "slices"

// A walk is a parser's network in the form that parsing and prediction go
// through: states by number, what an edge takes as a set of token types, and
// behind each rule's end where its callers go on.
type walk struct {
	maxToken  int32
	states    []place
	starts    []int32 // by rule
	stops     []int32
	recursive []bool // by rule: it is left-recursive
	levels    int    // one more than the highest precedence that a rule is called with
}

// A place is a state of a walk.
type place struct {
	kind        stateKind
	precLoop    bool
	epsilonOnly bool // no arc takes a token, and there is one
	rule        int32
	decision    int32
	blockEnd    int32 // of a block start
	arcs        []arc
	follows     []follow // of a rule's end
}

// An arc is an edge of a walk.
type arc struct {
	kind       edgeKind
	target     int32
	skip       int32 // the first place from target on where there is something to do
	asks       int32 // the first predicate that it is or skips, from 1; 0 for none
	follow     int32 // of a rule call
	rule       int32 // of a rule call
	precedence int32 // of a rule call or precedence edge
	symbol     int32 // the token type it takes, if it takes just one
	set        tokenSet
	occurrence int32
	operand    int32
	members    []label
}

// A follow is where a rule's caller goes on.
type follow struct {
	state int32
	// outermost is the rule if it is left-recursive and was called for an
	// operand of any precedence, else -1.
	outermost int32
}

// A tokenSet is a set of token types, from the end of the input up.
type tokenSet []uint64

func (s tokenSet) has(t int32) bool {
	i := uint32(t + 1)
	return int(i>>6) < len(s) && s[i>>6]&(1<<(i&63)) != 0
}

func (s tokenSet) add(t int32) { s[uint32(t+1)>>6] |= 1 << (uint32(t+1) & 63) }

// addAll adds the members of another set, and reports whether any was new.
func (s tokenSet) addAll(more tokenSet) bool {
	grown := false
	for i, word := range more {
		grown = grown || word&^s[i] != 0
		s[i] |= word
	}
	return grown
}

// takes reports whether an arc takes a token.
func (a *arc) takes(t int32) bool {
	if a.kind == atom {
		return a.symbol == t
	}
	return a.set.has(t)
}

func (a *arc) consumes() bool {
	switch a.kind {
	case atom, set:
		return true
	default:
		return false
	}
}

func (a *arc) occurrenceOf(t int32) int32 {
	for _, l := range a.members {
		if l.lo <= t && t <= l.hi {
			return l.occurrence
		}
	}
	return a.occurrence
}

// newWalk flattens a parser's network.
func newWalk(net *network) *walk {
	w := &walk{maxToken: int32(net.maxToken), states: make([]place, len(net.states))}
	for i, s := range net.states {
		p := place{kind: s.kind, precLoop: s.precLoop, rule: int32(s.rule), decision: int32(s.decision)}
		if s.end != nil {
			p.blockEnd = int32(s.end.number)
		}
		p.epsilonOnly = len(s.edges) > 0 && !slices.ContainsFunc(s.edges, (*edge).consumes)
		if s.kind != ruleStop {
			for _, e := range s.edges {
				p.arcs = append(p.arcs, w.arc(e))
			}
		}
		w.states[i] = p
	}
	for _, s := range net.starts {
		w.starts = append(w.starts, int32(s.number))
	}
	for _, s := range net.starts {
		w.recursive = append(w.recursive, s.leftRec)
	}
	for _, s := range net.stops {
		w.stops = append(w.stops, int32(s.number))
	}
	for _, s := range net.states {
		for _, e := range s.edges {
			if e.kind == ruleCall {
				w.addFollow(net, e)
			}
		}
	}
	for i := range w.states {
		for j := range w.states[i].arcs {
			a := &w.states[i].arcs[j]
			asks := a.asks
			if a.skip, a.asks = w.skip(a.target); asks != 0 {
				a.asks = asks
			}
		}
	}
	return w
}

// beforeEnd returns a walk in which the end of the input follows a rule, as if
// another rule said so. A rule that no rule calls needs none: whatever follows
// it is the end.
func (w *walk) beforeEnd(rule int) *walk {
	out := *w
	out.states = slices.Clone(w.states)
	n := int32(len(w.states))
	out.states = append(out.states,
		place{kind: basic, rule: -1, decision: -1, arcs: []arc{{kind: atom, symbol: eof, target: n + 1, skip: n + 1, occurrence: none}}},
		place{kind: ruleStop, rule: -1, decision: -1})
	stop := &out.states[w.stops[rule]]
	f := follow{state: n, outermost: -1}
	if w.recursive[rule] {
		f.outermost = int32(rule)
	}
	stop.follows = append(slices.Clone(stop.follows), f)
	return &out
}

// skip returns the first place from s on that is more than a step to the next,
// and the first predicate on the way.
func (w *walk) skip(s int32) (place, asks int32) {
	for {
		p := &w.states[s]
		if len(p.arcs) != 1 || p.arcs[0].occurrence != none {
			return s, asks
		}
		switch a := &p.arcs[0]; a.kind {
		case predicate:
			if asks == 0 {
				asks = a.asks
			}
			s = a.target
		case epsilon, action:
			s = a.target
		default:
			return s, asks
		}
	}
}

func (w *walk) addFollow(net *network, e *edge) {
	f := follow{state: int32(e.follow.number), outermost: -1}
	if net.starts[e.rule].leftRec && e.precedence == 0 {
		f.outermost = int32(e.rule)
	}
	stop := &w.states[net.stops[e.rule].number]
	stop.follows = append(stop.follows, f)
	stop.epsilonOnly = true
	w.levels = max(w.levels, e.precedence+1)
}

func (w *walk) arc(e *edge) arc {
	a := arc{
		kind: e.kind, target: int32(e.target.number), rule: int32(e.rule), precedence: int32(e.precedence),
		occurrence: e.occurrence, operand: e.operand, members: e.members, asks: e.asks,
	}
	if e.follow != nil {
		a.follow = int32(e.follow.number)
	}
	switch {
	case e.kind == atom:
		a.symbol = e.lo
	case e.consumes():
		a.kind = set
		a.set = make(tokenSet, (w.maxToken+1)>>6+1)
		for t := int32(eof); t <= w.maxToken; t++ {
			if t != 0 && e.matches(t, w.maxToken) {
				a.set.add(t)
			}
		}
	}
	return a
}
