package atn

import (
	"slices"
	"strconv"
)

// This file builds the fragments of a network: chains, choices and loops. States
// are created in the order of the ANTLR tool, because their numbers depend on it.

func (b *builder) newState(kind stateKind) *state {
	b.spec.step(1)
	b.spec.take(stateSize)
	s := &state{number: len(b.states), kind: kind, rule: b.rule, decision: -1}
	b.states = append(b.states, s)
	return s
}

// stateSize is the estimated size of a state in bytes, with its edges and its
// share of the flat network.
const stateSize = 300

func (b *builder) remove(s *state) { s.removed = true }

func (b *builder) decide(s *state) {
	s.decision = len(b.decisions)
	b.decisions = append(b.decisions, s)
}

func link(from, to *state) {
	from.edges = append(from.edges, &edge{kind: epsilon, target: to, occurrence: none})
}

// step builds two states connected by an edge.
func (b *builder) step(e edge) fragment {
	left, right := b.newState(basic), b.newState(basic)
	e.target = right
	if e.kind == ruleCall {
		e.target, e.follow = b.starts[e.rule], right
	}
	if !e.consumes() && e.kind != ruleCall {
		e.occurrence = none
	}
	left.edges = append(left.edges, &e)
	return fragment{left, right}
}

// chain concatenates fragments. It leaves out the states between single edges.
func (b *builder) chain(parts []fragment) fragment {
	for i, part := range parts[:len(parts)-1] {
		next := parts[i+1].left
		if e := part.soleEdge(); e != nil {
			if e.kind == ruleCall {
				e.follow = next
			} else {
				e.target = next
			}
			b.remove(part.right)
			continue
		}
		link(part.right, next)
	}
	return fragment{parts[0].left, parts[len(parts)-1].right}
}

// soleEdge returns the edge of a fragment that is a single edge between two
// basic states, or nil.
func (f fragment) soleEdge() *edge {
	if f.left.kind != basic || f.right.kind != basic || len(f.left.edges) != 1 {
		return nil
	}
	e := f.left.edges[0]
	if e.kind == ruleCall && e.follow == f.right || e.target == f.right {
		return e
	}
	return nil
}

// choice builds a decision between alternatives.
func (b *builder) choice(alts []fragment) fragment {
	if len(alts) == 1 {
		return alts[0]
	}
	start := b.newState(blockStart)
	b.decide(start)
	return b.block(start, alts)
}

func (b *builder) block(start *state, alts []fragment) fragment {
	end := b.newState(blockEnd)
	start.end = end
	for _, alt := range alts {
		link(start, alt.left)
		link(alt.right, end)
		if b.trimTail(alt.left, end) {
			start.through = true
		}
	}
	return fragment{start, end}
}

// trimTail removes basic states whose only edge is an epsilon edge to the end
// of a block or to a loop-back state. Like the ANTLR tool, it does not look
// behind rule calls. It reports whether it reached end.
func (b *builder) trimTail(from, end *state) (reached bool) {
	seen := map[*state]bool{}
	stack := []*state{from}
	for len(stack) > 0 {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if b.spec.step(1); seen[s] {
			continue
		}
		seen[s] = true
		reached = reached || s == end
		if s.end != nil { // a nested block, already trimmed
			if s.through || slices.ContainsFunc(s.edges, func(e *edge) bool { return e.target == s.end }) {
				stack = append(stack, s.end)
			}
			continue
		}
		if s.kind == basic && len(s.edges) == 1 {
			b.skipTail(s.edges[0])
		}
		for _, e := range s.edges {
			if e.kind != ruleCall {
				stack = append(stack, e.target)
			}
		}
	}
	return reached
}

func (b *builder) skipTail(e *edge) {
	to := &e.target
	if e.kind == ruleCall {
		to = &e.follow
	}
	q := *to
	if q.kind != basic || len(q.edges) != 1 || q.edges[0].kind != epsilon || q.edges[0].occurrence != none {
		return
	}
	switch end := q.edges[0].target; end.kind {
	case blockEnd, plusLoopBack, starLoopBack:
		*to = end
		b.remove(q)
	}
}

func (b *builder) optional(alts []fragment, nonGreedy bool) fragment {
	start := b.newState(blockStart)
	b.decide(start)
	block := b.block(start, alts)
	start.nonGreedy = nonGreedy
	link(start, block.right)
	if nonGreedy { // the exit comes first
		n := len(start.edges) - 1
		out := start.edges[n]
		copy(start.edges[1:], start.edges[:n])
		start.edges[0] = out
	}
	return block
}

func (b *builder) star(alts []fragment, nonGreedy bool) fragment {
	start := b.newState(starBlockStart)
	if len(alts) > 1 {
		b.decide(start)
	}
	block := b.block(start, alts)
	entry := b.newState(starLoopEntry)
	entry.nonGreedy = nonGreedy
	b.decide(entry)
	end := b.newState(loopEnd)
	loop := b.newState(starLoopBack)
	end.loopBack = loop
	linkLoop(entry, start, end, nonGreedy)
	link(block.right, loop)
	link(loop, entry)
	return fragment{entry, end}
}

func (b *builder) plus(alts []fragment, nonGreedy bool) fragment {
	start := b.newState(plusBlockStart)
	if len(alts) > 1 {
		b.decide(start)
	}
	block := b.block(start, alts)
	loop := b.newState(plusLoopBack)
	loop.nonGreedy = nonGreedy
	b.decide(loop)
	end := b.newState(loopEnd)
	end.loopBack = loop
	link(block.right, loop)
	linkLoop(loop, start, end, nonGreedy)
	return fragment{start, end}
}

// linkLoop links a loop's decision to another iteration and to the exit, the
// preferred one first.
func linkLoop(from, again, out *state, nonGreedy bool) {
	if nonGreedy {
		again, out = out, again
	}
	link(from, again)
	link(from, out)
}

// compact drops removed states and renumbers the rest.
func (b *builder) compact() {
	kept := b.states[:0]
	for _, s := range b.states {
		if !s.removed {
			s.number = len(kept)
			kept = append(kept, s)
		}
	}
	b.states = kept
	for _, s := range kept {
		if s.kind == starLoopEntry && b.starts[s.rule].leftRec {
			out := s.edges[len(s.edges)-1].target
			s.precLoop = out.kind == loopEnd && len(out.edges) > 0 && out.edges[0].target.kind == ruleStop
		}
	}
}

// mergeSets merges adjacent alternatives that consume a single character, as
// the ANTLR tool does in lexers.
func (b *builder) mergeSets() {
	for _, d := range b.decisions {
		b.spec.step(len(d.edges))
		kept := d.edges[:0]
		for lo := 0; lo < len(d.edges); {
			hi := lo
			for hi < len(d.edges) && singleSymbol(d.edges[hi]) {
				hi++
			}
			hi = max(hi, lo+1)
			if hi > lo+1 {
				b.mergeAlts(d.edges[lo:hi])
			}
			kept = append(kept, d.edges[lo])
			lo = hi
		}
		d.edges = kept
	}
}

func singleSymbol(e *edge) bool {
	if e.kind != epsilon || len(e.target.edges) != 1 {
		return false
	}
	t := e.target.edges[0]
	return t.target.kind == blockEnd && (t.kind == atom || t.kind == charRange || t.kind == set)
}

// mergeAlts merges alternatives into the first.
func (b *builder) mergeAlts(alts []*edge) {
	var all []interval
	for _, e := range alts {
		if t := e.target.edges[0]; t.kind == set {
			all = append(all, t.set...)
		} else {
			all = append(all, interval{t.lo, t.hi})
		}
	}
	first := alts[0].target
	first.edges[0] = b.symbol(normal(all), first.edges[0].target, none)
	for _, e := range alts[1:] {
		b.remove(e.target)
	}
}

// constant returns the value of a lexer command's argument, a name or a number.
func constant(names map[string]int, arg string) int {
	if v, ok := names[arg]; ok {
		return v
	}
	v, err := strconv.Atoi(arg)
	if err != nil {
		panic("atn: unresolved constant " + arg)
	}
	return v
}
