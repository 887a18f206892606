package atn

import (
	"slices"
	"sync/atomic"
)

// This file computes the facts about a network that prediction uses and that do not
// depend on an input.

// maxFirstWords limits the memory of the sets of first tokens of all rules. Without
// these sets, prediction enters rules that cannot begin with the next token.
const maxFirstWords = 1 << 20

// prepare computes the static facts that prediction uses.
func (w *flatNetwork) prepare(spec *Spec) {
	spec.take(16 * len(w.states))
	if words := len(w.starts) * w.setWords(); words <= maxFirstWords {
		spec.take(8 * words)
		w.first = make([]tokenSet, len(w.starts))
	}
	w.computeOnward(spec.step)
	w.computeEnds(spec.step)
	w.computeFirst(spec.step)
	w.computeEndsInput()
}

// computeOnward sets onward: by state, the first state from there on that
// consumes a token, calls a rule, chooses, tests a precedence or ends the rule.
func (w *flatNetwork) computeOnward(step func(n int)) {
	w.onward = make([]int32, len(w.states))
	for i := range w.onward {
		w.onward[i] = -1
	}
	var chain []int32
	for i := range w.states {
		step(1)
		s := int32(i)
		chain = chain[:0]
		for w.onward[s] < 0 && w.passes(s) {
			chain = append(chain, s)
			s = w.states[s].arcs[0].target
		}
		if w.onward[s] < 0 {
			w.onward[s] = s
		}
		for _, c := range chain {
			w.onward[c] = w.onward[s]
		}
	}
}

// passes reports whether prediction can skip a state.
func (w *flatNetwork) passes(s int32) bool {
	arcs := w.states[s].arcs
	if len(arcs) != 1 {
		return false
	}
	switch arcs[0].kind {
	case predicate, epsilon, action:
		return true
	default:
		return false
	}
}

// computeEnds sets ends: by state, whether an epsilon path leads to the end of its
// rule.
func (w *flatNetwork) computeEnds(step func(n int)) {
	w.ends = make([]bool, len(w.states))
	before := make([][]int32, len(w.states)) // states with an arc to this one, or a call that returns here
	calls := make([][]int32, len(w.starts))  // by rule
	for i := range w.states {
		for j := range w.states[i].arcs {
			switch a := &w.states[i].arcs[j]; {
			case a.consumes():
			case a.kind == ruleCall:
				before[a.follow] = append(before[a.follow], int32(i))
				calls[a.rule] = append(calls[a.rule], int32(i))
			default:
				before[a.target] = append(before[a.target], int32(i))
			}
		}
	}
	var work []int32
	mark := func(s int32) {
		if !w.ends[s] {
			w.ends[s] = true
			work = append(work, s)
		}
	}
	for _, s := range w.stops {
		mark(s)
	}
	ruleOf := map[int32]int{}
	for rule, s := range w.starts {
		ruleOf[s] = rule
	}
	for len(work) > 0 {
		s := work[len(work)-1]
		work = work[:len(work)-1]
		step(1 + len(before[s]))
		for _, p := range before[s] {
			if w.endsFrom(p) {
				mark(p)
			}
		}
		if rule, ok := ruleOf[s]; ok {
			step(len(calls[rule]))
			for _, p := range calls[rule] {
				if w.endsFrom(p) {
					mark(p)
				}
			}
		}
	}
}

func (w *flatNetwork) endsFrom(s int32) bool {
	for i := range w.states[s].arcs {
		switch a := &w.states[s].arcs[i]; {
		case a.consumes():
		case a.kind == ruleCall:
			if w.ends[a.target] && w.ends[a.follow] {
				return true
			}
		case w.ends[a.target]:
			return true
		}
	}
	return false
}

// computeFirst sets order, in which rules come before the rules that they can begin
// with, except in cycles, and fills first: by rule, the tokens that it can begin with.
func (w *flatNetwork) computeFirst(step func(n int)) {
	w.order = make([]int32, len(w.starts))
	type visit struct {
		rule  int32
		takes []take
		calls []localCall
		next  int
	}
	done := make([]bool, len(w.starts))
	last := int32(len(w.starts))
	var stack []visit
	enter := func(rule int32) {
		if !done[rule] {
			done[rule] = true
			local := w.localClosure(w.starts[rule])
			step(local.size())
			stack = append(stack, visit{
				rule: rule, takes: append(local.takes, local.loopTakes...), calls: append(local.calls, local.loopCalls...),
			})
		}
	}
	for rule := range w.starts {
		enter(int32(rule))
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if calls := top.calls; top.next < len(calls) {
				top.next++
				enter(calls[top.next-1].rule)
				continue
			}
			last--
			w.order[top.rule] = last
			if w.first != nil {
				w.first[top.rule] = w.firstOf(top.takes, top.calls)
				step(w.setWords())
			}
			stack = stack[:len(stack)-1]
		}
	}
	w.byOrder = make([]int32, len(w.order))
	for rule, at := range w.order {
		w.byOrder[at] = int32(rule)
	}
}

func (w *flatNetwork) firstOf(takes []take, calls []localCall) tokenSet {
	out := make(tokenSet, w.setWords())
	for _, t := range takes {
		if t.arc.kind == atom {
			out.add(t.arc.symbol)
		} else {
			out.addAll(t.arc.set)
		}
	}
	for _, c := range calls {
		out.addAll(w.first[c.rule])
	}
	return out
}

// canBegin reports whether a rule can begin with a token.
func (w *flatNetwork) canBegin(rule, t int32) bool { return w.first == nil || w.first[rule].has(t) }

// computeEndsInput sets rulesEndInput: by rule, whether an epsilon path leads from
// its end to the end of a rule without callers, through any callers.
func (w *flatNetwork) computeEndsInput() {
	w.rulesEndInput = make([]bool, len(w.stops))
	callers := make([][]int32, len(w.stops)) // by rule: the rules whose call can end it
	var work []int32
	for rule, s := range w.stops {
		follows := w.states[s].follows
		if len(follows) == 0 {
			work = append(work, int32(rule))
		}
		for _, f := range follows {
			if above := w.states[f.state].rule; above >= 0 && w.ends[f.state] {
				callers[above] = append(callers[above], int32(rule))
			}
		}
	}
	for len(work) > 0 {
		rule := work[len(work)-1]
		work = work[:len(work)-1]
		if !w.rulesEndInput[rule] {
			w.rulesEndInput[rule] = true
			work = append(work, callers[rule]...)
		}
	}
}

// endsInput reports whether an epsilon path leads from the end of a state's rule
// to the end of a rule without callers.
func (w *flatNetwork) endsInput(s int32) bool {
	rule := w.states[s].rule
	return rule < 0 || w.rulesEndInput[rule]
}

// A localClosure has the arcs and calls that epsilon paths within a rule lead to from a
// state. Paths go past calls of rules that can be empty, but not into rules or out of
// them.
type localClosure struct {
	takes []take
	calls []localCall
	// The operator loop of a left-recursive rule, if a path leads to it, and the arcs
	// and calls that are reached only through the loop's entry.
	loop      int32 // its state, or -1
	loopTakes []take
	loopCalls []localCall
}

// A take is an arc that consumes a token.
type take struct {
	arc    *arc
	state  int32 // that the arc starts from
	target int32
}

// A localCall is a call of a rule.
type localCall struct {
	rule   int32
	follow int32
}

// localClosure computes the local closure of a state.
func (w *flatNetwork) localClosure(from int32) *localClosure {
	n := &localClosure{loop: -1}
	seen := map[int32]bool{from: true}
	work := []int32{from}
	visit := func(s int32) {
		if s = w.onward[s]; !seen[s] {
			seen[s] = true
			work = append(work, s)
		}
	}
	collect := func(takes *[]take, calls *[]localCall) {
		for len(work) > 0 {
			s := work[len(work)-1]
			work = work[:len(work)-1]
			p := &w.states[s]
			for i := range p.arcs {
				switch a := &p.arcs[i]; {
				case i == 0 && p.precLoop:
					n.loop = s
				case a.consumes():
					*takes = append(*takes, take{a, s, w.onward[a.target]})
				case a.kind == ruleCall:
					*calls = append(*calls, localCall{a.rule, w.onward[a.follow]})
					if w.ends[a.target] {
						visit(a.follow)
					}
				default:
					visit(a.target)
				}
			}
		}
	}
	collect(&n.takes, &n.calls)
	if n.loop >= 0 {
		visit(w.states[n.loop].arcs[0].target)
		collect(&n.loopTakes, &n.loopCalls)
	}
	n.calls, n.loopCalls = uniqueCalls(n.calls), uniqueCalls(n.loopCalls)
	return n
}

func uniqueCalls(calls []localCall) []localCall {
	slices.SortFunc(calls, func(a, b localCall) int {
		if a.rule != b.rule {
			return int(a.rule) - int(b.rule)
		}
		return int(a.follow) - int(b.follow)
	})
	return slices.Compact(calls)
}

// size returns the size of a local closure in words.
func (n *localClosure) size() int {
	return 16 + 2*(len(n.takes)+len(n.loopTakes)) + len(n.calls) + len(n.loopCalls)
}

// A localTable holds the local closures computed so far, for all predictions.
type localTable struct {
	net  *flatNetwork
	all  []atomic.Pointer[localClosure]
	size atomic.Int64 // in words
}

// maxLocals limits the size of the local closures that are held, in words.
const maxLocals = 4 << 20

func newLocalTable(w *flatNetwork) *localTable {
	return &localTable{net: w, all: make([]atomic.Pointer[localClosure], len(w.states))}
}

// of returns the local closure of a state.
func (t *localTable) of(s int32, step func(n int)) *localClosure {
	if n := t.all[s].Load(); n != nil {
		return n
	}
	n := t.net.localClosure(s)
	step(n.size())
	if t.size.Load() < maxLocals && t.all[s].CompareAndSwap(nil, n) {
		t.size.Add(int64(n.size()))
	}
	return n
}

// A root is where the alternative of a decision begins: at a state or a call.
type root struct {
	state    int32
	call     *arc  // the call that begins here; nil if all arcs of the state do
	operator int32 // precedence of the operator that begins here, or 0
}

// roots follows the epsilon paths from the beginning of an alternative within a
// left-recursive rule that was called with a precedence. It stops at operators that
// the precedence admits. With inLoop, the operator loop of the rule is entered.
func (w *flatNetwork) roots(from, level int32, inLoop bool) (out []root, usesLevel bool) {
	seen := map[int32]bool{from: true}
	work := []int32{from}
	visit := func(s int32) {
		if !seen[s] {
			seen[s] = true
			work = append(work, s)
		}
	}
	for len(work) > 0 {
		s := work[len(work)-1]
		work = work[:len(work)-1]
		p := &w.states[s]
		if p.kind == ruleStop {
			out = append(out, root{state: s})
		}
		for i := len(p.arcs) - 1; i >= 0; i-- {
			switch a := &p.arcs[i]; {
			case i == 0 && p.precLoop && !inLoop:
			case a.consumes():
				out = append(out, root{state: s})
			case a.kind == ruleCall:
				out = append(out, root{state: s, call: a})
				if w.ends[a.target] {
					visit(a.follow)
				}
			case a.kind == precedence:
				if usesLevel = true; a.precedence >= level {
					out = append(out, root{state: a.target, operator: a.precedence})
				}
			default:
				visit(a.target)
			}
		}
	}
	return out, usesLevel
}
