package atn

import "slices"

// A flatNetwork is a parser's network prepared for parsing and prediction:
// states by number, edges with sets of token types, and rule ends with the
// return states of all callers.
type flatNetwork struct {
	maxToken  int32
	states    []flatState
	starts    []int32 // by rule
	stops     []int32
	recursive []bool // by rule: left-recursive
	decisions int    // their number
	levels    int    // one more than the highest precedence of a rule call

	// Facts that prediction uses, see lookahead.go.
	onward        []int32    // by state
	ends          []bool     // by state
	first         []tokenSet // by rule, or nil
	order         []int32    // by rule
	byOrder       []int32    // rules
	rulesEndInput []bool     // by rule
}

// A flatState is a state of a flatNetwork.
type flatState struct {
	kind        stateKind
	precLoop    bool
	epsilonOnly bool // there are arcs, and none consumes a token
	rule        int32
	decision    int32
	blockEnd    int32 // of a block start
	arcs        []arc
	follows     []follow // of a rule's end
}

// An arc is an edge of a flatNetwork.
type arc struct {
	kind       edgeKind
	target     int32
	skip       int32 // the first state from target on that does more than move on
	pred       int32 // number of the first predicate on it or on the way to skip, from 1; 0 for none
	follow     int32 // of a rule call
	rule       int32 // of a rule call
	precedence int32 // of a rule call or precedence edge
	symbol     int32 // the token type, if it consumes just one
	set        tokenSet
	occurrence int32
	operand    int32
	members    []label
	continues  bool // it consumes a character of a literal other than the first
}

// A follow is a return state of a rule.
type follow struct {
	state int32
	// outermost is the called rule if it is left-recursive and was called with
	// precedence 0, else -1.
	outermost int32
}

// A tokenSet is a bit set of token types, starting at EOF (-1).
type tokenSet []uint64

func (s tokenSet) has(t int32) bool {
	i := uint32(t + 1)
	return int(i>>6) < len(s) && s[i>>6]&(1<<(i&63)) != 0
}

func (s tokenSet) add(t int32) { s[uint32(t+1)>>6] |= 1 << (uint32(t+1) & 63) }

// addAll adds the members of another set and reports whether any was new.
func (s tokenSet) addAll(more tokenSet) bool {
	grown := false
	for i, word := range more {
		grown = grown || word&^s[i] != 0
		s[i] |= word
	}
	return grown
}

// takes reports whether an arc consumes token type t.
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

// flatten returns the flat form of a parser's network.
func flatten(spec *Spec, net *network) *flatNetwork {
	w := &flatNetwork{maxToken: int32(net.maxToken), states: make([]flatState, len(net.states))}
	for i, s := range net.states {
		p := flatState{kind: s.kind, precLoop: s.precLoop, rule: int32(s.rule), decision: int32(s.decision)}
		if s.end != nil {
			p.blockEnd = int32(s.end.number)
		}
		p.epsilonOnly = len(s.edges) > 0 && !slices.ContainsFunc(s.edges, (*edge).consumes)
		if s.kind != ruleStop {
			p.arcs = make([]arc, 0, len(s.edges))
			for _, e := range s.edges {
				spec.step(1)
				if e.consumes() && e.kind != atom {
					spec.take(8 * w.setWords())
				}
				p.arcs = append(p.arcs, w.arc(e))
			}
		}
		w.states[i] = p
		w.decisions = max(w.decisions, int(p.decision)+1)
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
	known := make([]skip, len(w.states))
	for i := range w.states {
		spec.step(1 + len(w.states[i].arcs))
		for j := range w.states[i].arcs {
			a := &w.states[i].arcs[j]
			to := w.skipEpsilons(a.target, known)
			if a.skip = to.state; a.pred == 0 {
				a.pred = to.pred
			}
		}
	}
	w.prepare(spec)
	return w
}

// withEOFAfter returns a copy of the network in which EOF can also follow a rule,
// as if another rule called the rule before EOF. A rule without callers does not
// need the copy.
func (w *flatNetwork) withEOFAfter(rule int) *flatNetwork {
	out := *w
	out.states = slices.Clone(w.states)
	n := int32(len(w.states))
	out.states = append(out.states,
		flatState{kind: basic, rule: -1, decision: -1, arcs: []arc{{kind: atom, symbol: eof, target: n + 1, skip: n + 1, occurrence: none}}},
		flatState{kind: ruleStop, rule: -1, decision: -1})
	stop := &out.states[w.stops[rule]]
	f := follow{state: n, outermost: -1}
	if w.recursive[rule] {
		f.outermost = int32(rule)
	}
	stop.follows = append(slices.Clone(stop.follows), f)
	out.onward = append(slices.Clone(w.onward), n, n+1)
	out.ends = append(slices.Clone(w.ends), false, true)
	out.computeEndsInput()
	return &out
}

// A skip is the end of a chain of arcs that consume and decide nothing.
type skip struct {
	state int32 // the first state that does more than move to the next one
	pred  int32 // the first predicate on the way, or 0
	known bool
}

// skipEpsilons returns the end of the chain from a state on. It remembers the
// results for all states of the chain.
func (w *flatNetwork) skipEpsilons(from int32, known []skip) skip {
	var chain []int32
	for !known[from].known && w.movesOn(from) {
		chain = append(chain, from)
		from = w.states[from].arcs[0].target
	}
	if !known[from].known {
		known[from] = skip{state: from, known: true}
	}
	out := known[from]
	for _, s := range slices.Backward(chain) {
		if a := &w.states[s].arcs[0]; a.kind == predicate {
			out.pred = a.pred
		}
		known[s] = out
	}
	return out
}

// movesOn reports whether a state only moves to the next one.
func (w *flatNetwork) movesOn(s int32) bool {
	arcs := w.states[s].arcs
	if len(arcs) != 1 || arcs[0].occurrence != none {
		return false
	}
	switch arcs[0].kind {
	case predicate, epsilon, action:
		return true
	default:
		return false
	}
}

func (w *flatNetwork) addFollow(net *network, e *edge) {
	f := follow{state: int32(e.follow.number), outermost: -1}
	if net.starts[e.rule].leftRec && e.precedence == 0 {
		f.outermost = int32(e.rule)
	}
	stop := &w.states[net.stops[e.rule].number]
	stop.follows = append(stop.follows, f)
	stop.epsilonOnly = true
	w.levels = max(w.levels, e.precedence+1)
}

func (w *flatNetwork) arc(e *edge) arc {
	a := arc{
		kind: e.kind, target: int32(e.target.number), rule: int32(e.rule), precedence: int32(e.precedence),
		occurrence: e.occurrence, operand: e.operand, members: e.members, pred: e.pred, continues: e.continues,
	}
	if e.follow != nil {
		a.follow = int32(e.follow.number)
	}
	switch {
	case e.kind == atom:
		a.symbol = e.lo
	case e.consumes():
		a.kind = set
		a.set = w.tokens(e)
	}
	return a
}

// setWords returns the number of words of a set of tokens.
func (w *flatNetwork) setWords() int { return int(w.maxToken+1)>>6 + 1 }

// tokens returns the tokens that an edge consumes.
func (w *flatNetwork) tokens(e *edge) tokenSet {
	out := make(tokenSet, w.setWords())
	if e.kind != set {
		for t := int32(1); t <= w.maxToken; t++ {
			if e.matches(t, w.maxToken) {
				out.add(t)
			}
		}
		return out
	}
	for _, r := range e.set {
		for t := r.lo; t <= min(r.hi, w.maxToken); t++ {
			if t != 0 {
				out.add(t)
			}
		}
	}
	return out
}
