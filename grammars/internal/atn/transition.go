package atn

import (
	"sync/atomic"
	"unicode/utf8"

	"github.com/inroad/inroad/grammars/derivation"
)

// A transition is the effect of a character class in a state, up to the next
// character or the next choice. If there is only one way, all rules entered and
// left on it are one transition, and their nodes are added at once as a
// pattern.
type transition struct {
	kind    transitionKind
	takes   bool // it consumes the character; otherwise the character is still ahead
	pattern derivation.Pattern
	calls   []pendingCall // rules entered but not left, outermost first
	next    *tokenRow
	arcs    []int32 // the viable arcs of the state, in order
}

type transitionKind uint8

const (
	deterministic transitionKind = iota
	fork                         // several arcs are viable, or the class alone does not decide
	deadEnd                      // no arc is viable
)

// A pendingCall is a rule that a transition enters but does not leave.
type pendingCall struct {
	node   int32 // in the pattern
	follow int32
}

// A tokenRow has the transitions of a state, computed on demand.
type tokenRow struct {
	state       int32
	stop        bool
	transitions []atomic.Pointer[transition]    // by class; empty if stop
	loop        atomic.Pointer[derivation.Loop] // the transitions back to this state, if any
}

// A transitionTable has the rows of all states, computed on demand.
type transitionTable struct {
	rows []atomic.Pointer[tokenRow]
	size atomic.Int64 // approximate size in bytes
}

const (
	maxTransitionSize  = 32 << 20 // bytes of a table
	maxTransitionSteps = 64       // steps of one transition
)

func newTransitionTable(states int) *transitionTable {
	return &transitionTable{rows: make([]atomic.Pointer[tokenRow], states)}
}

// renew returns the current table, which is a new one if t has grown too large.
func (d *tokenDFA) renew(t *transitionTable) *transitionTable {
	if t.size.Load() > d.maxSize {
		d.table.CompareAndSwap(t, newTransitionTable(len(d.states)))
	}
	return d.table.Load()
}

// row returns the row of a state, creating it if needed.
func (d *tokenDFA) row(t *transitionTable, state int32) *tokenRow {
	if row := t.rows[state].Load(); row != nil {
		return row
	}
	row := &tokenRow{state: state, stop: d.states[state].stop}
	if !row.stop {
		row.transitions = make([]atomic.Pointer[transition], d.classes.count+1)
	}
	if !t.rows[state].CompareAndSwap(nil, row) {
		return t.rows[state].Load()
	}
	t.size.Add(int64(64 + 8*len(row.transitions)))
	return row
}

// transition computes and stores the transition of a state for a class.
func (d *tokenDFA) transition(t *transitionTable, row *tokenRow, class int) *transition {
	m := transitionBuilder{dfa: d, class: class, state: row.state}
	tr := &transition{arcs: m.viable()}
	switch steps := m.run(); {
	case m.dead:
		tr.kind = deadEnd
	case steps == 0:
		tr.kind = fork
	default:
		tr.takes, tr.pattern, tr.calls, tr.next = m.taken, m.tree.Pattern(), m.calls, d.row(t, m.state)
		if tr.takes && tr.next == row && len(tr.calls) == 0 {
			d.addLoop(t, row, class, tr)
		}
	}
	row.transitions[class].Store(tr)
	t.size.Add(int64(128 + 20*len(tr.pattern) + 8*len(tr.calls) + 4*len(tr.arcs)))
	return tr
}

// addLoop records a transition from a row to itself.
func (d *tokenDFA) addLoop(t *transitionTable, row *tokenRow, class int, tr *transition) {
	if row.loop.CompareAndSwap(nil, new(derivation.Loop)) {
		t.size.Add(8 * utf8.RuneSelf)
	}
	for char, of := range d.classes.ascii {
		if int(of) == class {
			row.loop.Load()[char].Store(&tr.pattern)
		}
	}
}

// A transitionBuilder follows a character class from a state.
type transitionBuilder struct {
	dfa   *tokenDFA
	class int
	state int32
	tree  derivation.Builder
	calls []pendingCall
	taken bool // the character was consumed
	dead  bool // no arc is viable
}

// viable returns the viable arcs of the current state.
func (m *transitionBuilder) viable() []int32 {
	s := &m.dfa.states[m.state]
	if len(s.arcs) == 1 {
		return []int32{0}
	}
	return m.dfa.viable(s, m.class)
}

// run advances until it has consumed the character and the next one matters, or
// until there is a choice. It returns the number of steps taken.
func (m *transitionBuilder) run() int {
	for step := range maxTransitionSteps {
		if s := &m.dfa.states[m.state]; s.stop {
			if len(m.calls) == 0 { // the caller is unknown here
				return step
			}
			m.leave()
			continue
		} else if m.taken && (len(s.arcs) > 1 || s.arcs[0].takes != nil) {
			return step
		}
		arcs := m.viable()
		if m.dead = len(arcs) == 0; m.dead || len(arcs) > 1 {
			return step
		}
		if !m.follow(&m.dfa.states[m.state].arcs[arcs[0]]) {
			return step
		}
	}
	return maxTransitionSteps
}

func (m *transitionBuilder) leave() {
	top := m.calls[len(m.calls)-1]
	m.tree.Close(top.node)
	m.calls = m.calls[:len(m.calls)-1]
	m.state = top.follow
}

// follow takes an arc and reports whether the arc matches.
func (m *transitionBuilder) follow(a *tokenArc) bool {
	depth := len(m.calls)
	switch {
	case a.takes != nil:
		if m.dead = !a.takes.has(int32(m.class)); m.dead {
			return false
		}
		occurrence, ok := m.occurrence(a)
		if !ok {
			return false
		}
		if !a.edge.continues { // a literal has a single leaf
			m.tree.Leaf(depth, 0, derivation.Occurrence(occurrence))
		}
		m.taken = true
	case a.edge.kind == ruleCall:
		node := m.tree.Open(depth, int32(a.edge.rule), derivation.Occurrence(a.edge.occurrence))
		m.calls = append(m.calls, pendingCall{node, a.follow})
	case a.edge.occurrence != none:
		m.tree.Empty(depth, derivation.Occurrence(a.edge.occurrence))
	}
	m.state = a.target
	return true
}

// occurrence returns the occurrence of the class's characters, if it is the
// same for all of them. At the end of the text the class is not enough: a token
// can end before the input does.
func (m *transitionBuilder) occurrence(a *tokenArc) (occurrence int32, ok bool) {
	if m.class == m.dfa.classes.count {
		return none, false
	}
	lo, hi := m.dfa.classes.span(m.class)
	for _, l := range a.edge.members {
		if lo <= l.hi && l.lo <= hi {
			return l.occurrence, l.lo <= lo && hi <= l.hi
		}
	}
	return a.edge.occurrence, true
}
