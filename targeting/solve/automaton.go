package solve

import (
	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
)

// An automaton is an Aho-Corasick automaton over the paths of a constraint. It
// reads the symbols from the root down and tells which paths end at each symbol.
// In state 0 it has read no prefix of a path.
type automaton struct {
	next  [][]edge // by state: the edges of the trie
	fail  []int32  // by state: the state of its longest proper suffix in the trie
	ends  []uint64 // by state: the goals whose paths end there
	dead  []bool   // by state: whether a forbidden path ends there
	known []bool   // by occurrence: whether it is on any path
}

type edge struct {
	symbol grammars.Occurrence
	to     int32
}

func newAutomaton(nodes int) *automaton {
	a := &automaton{known: make([]bool, nodes)}
	a.add()
	return a
}

// add adds a state.
func (a *automaton) add() int32 {
	a.next = append(a.next, nil)
	a.fail = append(a.fail, 0)
	a.ends = append(a.ends, 0)
	a.dead = append(a.dead, false)
	return int32(len(a.next) - 1)
}

// learn adds a path and returns the state after reading it.
func (a *automaton) learn(p features.Path) int32 {
	state := int32(0)
	for _, o := range p {
		a.known[o] = true
		to, ok := a.edge(state, o)
		if !ok {
			to = a.add()
			a.next[state] = append(a.next[state], edge{o, to})
		}
		state = to
	}
	return state
}

func (a *automaton) edge(state int32, o grammars.Occurrence) (to int32, ok bool) {
	for _, e := range a.next[state] {
		if e.symbol == o {
			return e.to, true
		}
	}
	return 0, false
}

// link finds the failure links. All paths must have been learned.
func (a *automaton) link() {
	for queue := []int32{0}; len(queue) > 0; queue = queue[1:] {
		state := queue[0]
		for _, e := range a.next[state] {
			if state != 0 {
				a.fail[e.to] = a.step(a.fail[state], e.symbol)
			}
			suffix := a.fail[e.to]
			a.ends[e.to] |= a.ends[suffix]
			a.dead[e.to] = a.dead[e.to] || a.dead[suffix]
			queue = append(queue, e.to)
		}
	}
}

// step returns the state after reading one more symbol.
func (a *automaton) step(state int32, o grammars.Occurrence) int32 {
	if !a.known[o] {
		return 0
	}
	for {
		if to, ok := a.edge(state, o); ok || state == 0 {
			return to
		}
		state = a.fail[state]
	}
}

// relevant returns the state of the longest suffix that a path extends, or 0. It has
// the same transitions as the given state.
func (a *automaton) relevant(state int32) int32 {
	for state != 0 && len(a.next[state]) == 0 {
		state = a.fail[state]
	}
	return state
}
