package atn

import "fmt"

// serialize returns the network in version 4 of the format that the ANTLR tool
// writes and its runtimes read.
func (n *network) serialize() []int32 {
	w := &writer{setAt: map[string]int{}}
	grammarType := 1
	if n.lexer {
		grammarType = 0
	}
	w.put(4, grammarType, n.maxToken)
	w.states(n)
	w.put(len(n.starts))
	for i, s := range n.starts {
		w.put(s.number)
		if n.lexer {
			w.put(n.types[i])
		}
	}
	w.numbers(n.modes)
	w.sets(n)
	w.edges(n)
	w.numbers(n.decisions)
	if n.lexer {
		w.put(len(n.actions))
		for _, a := range n.actions {
			w.put(a.kind, a.a, a.b)
		}
	}
	return w.out
}

type writer struct {
	out   []int32
	setAt map[string]int
}

func (w *writer) put(values ...int) {
	for _, v := range values {
		w.out = append(w.out, int32(v))
	}
}

func (w *writer) numbers(states []*state) {
	w.put(len(states))
	for _, s := range states {
		w.put(s.number)
	}
}

func (w *writer) states(n *network) {
	var nonGreedy, leftRec []*state
	w.put(len(n.states))
	for _, s := range n.states {
		w.put(int(s.kind), s.rule)
		switch {
		case s.kind == loopEnd:
			w.put(s.loopBack.number)
		case s.end != nil:
			w.put(s.end.number)
		}
		if s.nonGreedy {
			nonGreedy = append(nonGreedy, s)
		}
		if s.leftRec {
			leftRec = append(leftRec, s)
		}
	}
	w.numbers(nonGreedy)
	w.numbers(leftRec)
}

// sets writes each distinct set once, with a flag that tells whether it
// contains EOF.
func (w *writer) sets(n *network) {
	var distinct []ranges
	for _, s := range n.states {
		if s.kind == ruleStop {
			continue
		}
		for _, e := range s.edges {
			if e.kind != set && e.kind != notSet {
				continue
			}
			if _, ok := w.setAt[e.set.key()]; !ok {
				w.setAt[e.set.key()] = len(distinct)
				distinct = append(distinct, e.set)
			}
		}
	}
	w.put(len(distinct))
	for _, rs := range distinct {
		hasEOF := 0
		if len(rs) > 0 && rs[0].lo == eof {
			hasEOF = 1
			if rs[0].hi == eof {
				rs = rs[1:]
			} else {
				rs = append(ranges{{0, rs[0].hi}}, rs[1:]...)
			}
		}
		w.put(len(rs), hasEOF)
		for _, r := range rs {
			w.put(int(r.lo), int(r.hi))
		}
	}
}

func (rs ranges) key() string { return fmt.Sprint([]interval(rs)) }

func (w *writer) edges(n *network) {
	count := len(w.out)
	w.put(0)
	for _, s := range n.states {
		if s.kind == ruleStop {
			continue
		}
		for _, e := range s.edges {
			w.edge(s, e)
			w.out[count]++
		}
	}
}

func (w *writer) edge(from *state, e *edge) {
	target, a, b, c := e.target.number, 0, 0, 0
	switch e.kind {
	case ruleCall:
		target, a, b, c = e.follow.number, e.target.number, e.rule, e.precedence
	case precedence:
		a = e.precedence
	case predicate, action:
		a, b = e.rule, e.index
		if e.inContext {
			c = 1
		}
	case charRange:
		a, b = int(e.lo), int(e.hi)
	case atom:
		if a = int(e.lo); e.lo == eof {
			a, c = 0, 1
		}
	case set, notSet:
		a = w.setAt[e.set.key()]
	}
	w.put(from.number, target, int(e.kind), a, b, c)
}
