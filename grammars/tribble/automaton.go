package tribble

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"unicode"
)

// Limits on the automaton of a regular expression.
const (
	maxStates = 10_000
	maxSteps  = 5_000_000 // of all operations
)

var errTooLarge = errors.New("its automaton is too large")

// A network is a nondeterministic automaton while it is built.
type network struct {
	ctx    context.Context //nolint:containedctx // of one construction
	states []netState
	steps  int
}

type netState struct {
	free  []int // the states that are reached without a character
	edges []edge
}

// An edge leads to a state by any character from lo to hi.
type edge struct {
	lo, hi rune
	to     int
}

// A part is a part of a network, with its first and last state.
type part struct{ from, to int }

func (n *network) state() int {
	n.step(1)
	if len(n.states) == maxStates {
		panic(stop{errTooLarge})
	}
	n.states = append(n.states, netState{})
	return len(n.states) - 1
}

// stop is the panic value that ends a construction.
type stop struct{ err error }

func (n *network) step(count int) {
	if n.steps += count; n.steps > maxSteps {
		panic(stop{errTooLarge})
	}
	if err := n.ctx.Err(); err != nil {
		panic(stop{context.Cause(n.ctx)})
	}
}

func (n *network) link(from, to int) {
	n.states[from].free = append(n.states[from].free, to)
}

// empty adds a part that matches the empty text.
func (n *network) empty() part {
	p := part{n.state(), n.state()}
	n.link(p.from, p.to)
	return p
}

// chars adds a part that matches one of some characters.
func (n *network) chars(ranges []edge) part {
	p := part{n.state(), n.state()}
	for _, r := range ranges {
		n.states[p.from].edges = append(n.states[p.from].edges, edge{r.lo, r.hi, p.to})
	}
	return p
}

func (n *network) concat(a, b part) part {
	n.link(a.to, b.from)
	return part{a.from, b.to}
}

func (n *network) union(a, b part) part {
	p := part{n.state(), n.state()}
	for _, x := range []part{a, b} {
		n.link(p.from, x.from)
		n.link(x.to, p.to)
	}
	return p
}

func (n *network) option(a part) part { return n.union(a, n.empty()) }

func (n *network) star(a part) part {
	p := part{n.state(), n.state()}
	n.link(p.from, a.from)
	n.link(p.from, p.to)
	n.link(a.to, a.from)
	n.link(a.to, p.to)
	return p
}

// insert adds the states of an automaton.
func (n *network) insert(a *automaton) part {
	first := len(n.states)
	for range a.states {
		n.state()
	}
	to := n.state()
	for i, s := range a.states {
		for _, e := range s.edges {
			n.states[first+i].edges = append(n.states[first+i].edges, edge{e.lo, e.hi, first + e.to})
		}
		if s.accepts {
			n.link(first+i, to)
		}
	}
	return part{first, to}
}

// An automaton is deterministic. Its first state is the initial one.
type automaton struct{ states []state }

type state struct {
	accepts bool
	edges   []edge // sorted, disjoint
}

// isEmpty reports whether the automaton matches no text.
func (a *automaton) isEmpty() bool {
	return !slices.ContainsFunc(a.states, func(s state) bool { return s.accepts })
}

// rangeAutomaton returns the automaton of one character.
func rangeAutomaton(lo, hi rune) *automaton {
	return &automaton{[]state{{edges: []edge{{lo, hi, 1}}}, {accepts: true}}}
}

// closure returns a set of states and all states that are reached from them without a
// character, sorted.
func (n *network) closure(of []int) []int {
	seen := map[int]bool{}
	var out []int
	for work := of; len(work) > 0; {
		s := work[len(work)-1]
		work = work[:len(work)-1]
		if n.step(1); !seen[s] {
			seen[s] = true
			out = append(out, s)
			work = append(work, n.states[s].free...)
		}
	}
	slices.Sort(out)
	return out
}

// determine returns the automaton of a part.
func (n *network) determine(p part) *automaton {
	a := &automaton{}
	numbers := map[string]int{}
	var sets [][]int
	number := func(set []int) int {
		key := make([]byte, 0, 4*len(set))
		for _, s := range set {
			key = binary.LittleEndian.AppendUint32(key, uint32(s))
		}
		i, ok := numbers[string(key)]
		if !ok {
			if i = len(sets); i == maxStates {
				panic(stop{errTooLarge})
			}
			numbers[string(key)] = i
			sets = append(sets, set)
			a.states = append(a.states, state{accepts: slices.Contains(set, p.to)})
		}
		return i
	}
	number(n.closure([]int{p.from}))
	for i := 0; i < len(sets); i++ {
		var all []edge
		for _, s := range sets[i] {
			all = append(all, n.states[s].edges...)
		}
		n.each(all, func(lo, hi rune, to []int) {
			a.states[i].edges = append(a.states[i].edges, edge{lo, hi, number(n.closure(to))})
		})
	}
	return a
}

// each calls visit with the largest ranges of characters that the same edges take, in
// order, and with the states that these lead to.
func (n *network) each(edges []edge, visit func(lo, hi rune, to []int)) {
	var bounds []rune
	for _, e := range edges {
		bounds = append(bounds, e.lo, e.hi+1)
	}
	slices.Sort(bounds)
	bounds = slices.Compact(bounds)
	for i := 0; i+1 < len(bounds); i++ {
		n.step(1 + len(edges))
		var to []int
		for _, e := range edges {
			if e.lo <= bounds[i] && bounds[i] <= e.hi {
				to = append(to, e.to)
			}
		}
		if to != nil {
			visit(bounds[i], bounds[i+1]-1, to)
		}
	}
}

// complement returns the automaton of all texts that a does not match.
func (n *network) complement(a *automaton) *automaton {
	out := &automaton{}
	sink := len(a.states)
	for _, s := range a.states {
		to := state{accepts: !s.accepts}
		next := rune(0)
		for _, e := range s.edges {
			n.step(1)
			if e.lo > next {
				to.edges = append(to.edges, edge{next, e.lo - 1, sink})
			}
			to.edges = append(to.edges, e)
			next = e.hi + 1
		}
		if next <= unicode.MaxRune {
			to.edges = append(to.edges, edge{next, unicode.MaxRune, sink})
		}
		out.states = append(out.states, to)
	}
	out.states = append(out.states, state{accepts: true, edges: []edge{{0, unicode.MaxRune, sink}}})
	return out
}

// intersect returns the automaton of the texts that both match.
func (n *network) intersect(a, b *automaton) *automaton {
	out := &automaton{}
	numbers := map[[2]int]int{}
	var pairs [][2]int
	number := func(p [2]int) int {
		i, ok := numbers[p]
		if !ok {
			if i = len(pairs); i == maxStates {
				panic(stop{errTooLarge})
			}
			numbers[p] = i
			pairs = append(pairs, p)
			out.states = append(out.states, state{accepts: a.states[p[0]].accepts && b.states[p[1]].accepts})
		}
		return i
	}
	number([2]int{})
	for i := 0; i < len(pairs); i++ {
		for _, x := range a.states[pairs[i][0]].edges {
			for _, y := range b.states[pairs[i][1]].edges {
				n.step(1)
				if lo, hi := max(x.lo, y.lo), min(x.hi, y.hi); lo <= hi {
					out.states[i].edges = append(out.states[i].edges, edge{lo, hi, number([2]int{x.to, y.to})})
				}
			}
		}
	}
	for _, s := range out.states {
		slices.SortFunc(s.edges, func(a, b edge) int { return cmp.Compare(a.lo, b.lo) })
	}
	return out
}

// minimize returns the smallest automaton that matches the same texts. It has no states
// from which no accepting state is reached. Its states are numbered breadth first.
func (n *network) minimize(a *automaton) *automaton {
	live := n.live(a)
	if !live[0] {
		return &automaton{[]state{{}}}
	}
	class := make([]int, len(a.states)) // by state
	for i, s := range a.states {
		if s.accepts {
			class[i] = 1
		}
	}
	for count := 0; ; {
		next, numbers := make([]int, len(a.states)), map[string]int{}
		for i := range a.states {
			key := binary.LittleEndian.AppendUint32(nil, uint32(class[i]))
			for _, e := range a.merged(i, live, class) {
				n.step(1)
				for _, x := range []int{int(e.lo), int(e.hi), e.to} {
					key = binary.LittleEndian.AppendUint32(key, uint32(x))
				}
			}
			number, ok := numbers[string(key)]
			if !ok {
				number = len(numbers)
				numbers[string(key)] = number
			}
			next[i] = number
		}
		if class = next; len(numbers) == count {
			break
		}
		count = len(numbers)
	}
	return a.quotient(live, class)
}

// live finds the states from which an accepting state is reached.
func (n *network) live(a *automaton) []bool {
	out := make([]bool, len(a.states))
	for grown := true; grown; {
		grown = false
		for i, s := range a.states {
			n.step(1 + len(s.edges))
			if !out[i] && (s.accepts || slices.ContainsFunc(s.edges, func(e edge) bool { return out[e.to] })) {
				out[i], grown = true, true
			}
		}
	}
	return out
}

// merged returns the edges of a state to classes of live states. Neighbouring ranges to
// the same class are one.
func (a *automaton) merged(i int, live []bool, class []int) []edge {
	var out []edge
	for _, e := range a.states[i].edges {
		if !live[e.to] {
			continue
		}
		if last := len(out) - 1; last >= 0 && out[last].to == class[e.to] && out[last].hi+1 == e.lo {
			out[last].hi = e.hi
			continue
		}
		out = append(out, edge{e.lo, e.hi, class[e.to]})
	}
	return out
}

// quotient returns the automaton whose states are the classes that the first state
// reaches.
func (a *automaton) quotient(live []bool, class []int) *automaton {
	out := &automaton{}
	numbers := map[int]int{} // by class
	var members []int        // a state of each class
	number := func(state int) int {
		i, ok := numbers[class[state]]
		if !ok {
			i = len(members)
			numbers[class[state]] = i
			members = append(members, state)
		}
		return i
	}
	number(0)
	of := map[int]int{} // a state by class
	for i := range a.states {
		of[class[i]] = i
	}
	for i := 0; i < len(members); i++ {
		s := state{accepts: a.states[members[i]].accepts}
		for _, e := range a.merged(members[i], live, class) {
			s.edges = append(s.edges, edge{e.lo, e.hi, number(of[e.to])})
		}
		out.states = append(out.states, s)
	}
	return out
}
