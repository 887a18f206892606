package atn

import (
	"sync/atomic"
	"unicode/utf8"

	"github.com/inroad/inroad/grammars/derivation"
)

// A cut is what a character leads to at a state of a knife, up to the next
// character or the next choice. Where there is but one way, whatever is entered
// and left on it is one cut: the nodes that it makes are put in one go.
type cut struct {
	kind    cutKind
	takes   bool // the character; else it is still to be taken
	pattern derivation.Pattern
	calls   []cutCall // the rules that are entered and not left, outermost first
	to      *cutRow
	arcs    []int32 // those of the state that can lead on, in order
}

type cutKind uint8

const (
	oneWay  cutKind = iota
	fork            // there are several ways, or more than the class decides
	deadEnd         // there is none
)

// A cutCall is a rule that a cut enters.
type cutCall struct {
	node   int32 // in the pattern
	follow int32
}

// A cutRow has the cuts of a state, made when first needed.
type cutRow struct {
	state int32
	stop  bool
	cuts  []atomic.Pointer[cut]           // by class, none if stop
	loop  atomic.Pointer[derivation.Loop] // the cuts that lead back here, if there are any
}

// A cutTable has the rows of all states, made when first needed.
type cutTable struct {
	rows []atomic.Pointer[cutRow]
	size atomic.Int64 // of everything held, roughly in bytes
}

const (
	maxCutSize = 32 << 20 // bytes that a table holds
	maxCutWay  = 64       // steps of one cut
)

func newCutTable(states int) *cutTable {
	return &cutTable{rows: make([]atomic.Pointer[cutRow], states)}
}

// bounded returns the table to use: t, or a fresh one if it has grown too large.
func (k *knife) bounded(t *cutTable) *cutTable {
	if t.size.Load() > k.most {
		k.cuts.CompareAndSwap(t, newCutTable(len(k.states)))
	}
	return k.cuts.Load()
}

// row returns the row of a state.
func (k *knife) row(t *cutTable, state int32) *cutRow {
	if row := t.rows[state].Load(); row != nil {
		return row
	}
	row := &cutRow{state: state, stop: k.states[state].stop}
	if !row.stop {
		row.cuts = make([]atomic.Pointer[cut], k.classes.count+1)
	}
	if !t.rows[state].CompareAndSwap(nil, row) {
		return t.rows[state].Load()
	}
	t.size.Add(int64(64 + 8*len(row.cuts)))
	return row
}

// cut makes the cut of a state for a class.
func (k *knife) cut(t *cutTable, row *cutRow, class int) *cut {
	m := cutMaker{knife: k, class: class, state: row.state}
	c := &cut{arcs: m.viable()}
	switch steps := m.run(); {
	case m.dead:
		c.kind = deadEnd
	case steps == 0:
		c.kind = fork
	default:
		c.takes, c.pattern, c.calls, c.to = m.taken, m.tree.Pattern(), m.calls, k.row(t, m.state)
		if c.takes && c.to == row && len(c.calls) == 0 {
			k.addLoop(t, row, class, c)
		}
	}
	row.cuts[class].Store(c)
	t.size.Add(int64(128 + 20*len(c.pattern) + 8*len(c.calls) + 4*len(c.arcs)))
	return c
}

// addLoop notes that a cut leads back to the row that it is of.
func (k *knife) addLoop(t *cutTable, row *cutRow, class int, c *cut) {
	if row.loop.CompareAndSwap(nil, new(derivation.Loop)) {
		t.size.Add(8 * utf8.RuneSelf)
	}
	for char, of := range k.classes.ascii {
		if int(of) == class {
			row.loop.Load()[char].Store(&c.pattern)
		}
	}
}

// A cutMaker follows a character from a state.
type cutMaker struct {
	knife *knife
	class int
	state int32
	tree  derivation.Builder
	calls []cutCall
	taken bool // the character is
	dead  bool // there is no way on
}

// viable returns the arcs that can lead on.
func (m *cutMaker) viable() []int32 {
	s := &m.knife.states[m.state]
	if len(s.arcs) == 1 {
		return []int32{0}
	}
	return m.knife.viable(s, m.class)
}

// run goes on until it has taken the character and come to where another one
// matters, or until it cannot tell where to go on. It returns the number of
// steps that it took.
func (m *cutMaker) run() int {
	for step := range maxCutWay {
		if s := &m.knife.states[m.state]; s.stop {
			if len(m.calls) == 0 { // who called the rule is not known here
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
		if !m.follow(&m.knife.states[m.state].arcs[arcs[0]]) {
			return step
		}
	}
	return maxCutWay
}

func (m *cutMaker) leave() {
	top := m.calls[len(m.calls)-1]
	m.tree.Close(top.node)
	m.calls = m.calls[:len(m.calls)-1]
	m.state = top.follow
}

// follow takes an arc, and reports whether it could.
func (m *cutMaker) follow(a *cutArc) bool {
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
		if !a.edge.continues { // the rest of a literal is in its leaf
			m.tree.Leaf(depth, 0, derivation.Occurrence(occurrence))
		}
		m.taken = true
	case a.edge.kind == ruleCall:
		node := m.tree.Open(depth, int32(a.edge.rule), derivation.Occurrence(a.edge.occurrence))
		m.calls = append(m.calls, cutCall{node, a.follow})
	case a.edge.occurrence != none:
		m.tree.Empty(depth, derivation.Occurrence(a.edge.occurrence))
	}
	m.state = a.target
	return true
}

// occurrence returns what a character of the class is an instance of, if that
// is the same for all of them. At the end more than the class matters: a token
// can end before the input does.
func (m *cutMaker) occurrence(a *cutArc) (occurrence int32, ok bool) {
	if m.class == m.knife.classes.count {
		return none, false
	}
	lo, hi := m.knife.classes.span(m.class)
	for _, l := range a.edge.members {
		if lo <= l.hi && l.lo <= hi {
			return l.occurrence, l.lo <= lo && hi <= l.hi
		}
	}
	return a.edge.occurrence, true
}
