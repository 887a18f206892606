package features

import (
	"encoding/binary"
	"slices"

	"github.com/inroad/inroad/grammars"
)

// A place is a symbol where it is bound in a way, and read in modes of the lexer.
type place struct {
	node    *grammars.Node
	binding grammars.Binding
	turn    grammars.Turn
}

// maxPlaces bounds the places that operators are told apart by. Where a grammar
// has more, it is as if all operators bound alike.
const maxPlaces = 200_000

// A mapper finds the places of a grammar that can follow each other.
type mapper struct {
	*Space
	bound  bool            // whether operators are told apart
	modes  *grammars.Modes // nil if modes are not
	places []place
	next   [][]int32
	number map[place]int32
}

// determine finds the states of the paths. A state is the set of all places that
// a path can end in, so that a path leads to one state.
func (s *Space) determine() {
	m := &mapper{Space: s, bound: s.options.Possible}
	if s.options.Possible && !s.options.Trivia {
		m.modes = s.grammar.Modes(s.start())
	}
	if !m.explore() {
		m.bound, m.modes = false, nil
		m.explore()
	}
	numbers := map[string]int32{}
	var sets [][]int32
	add := func(set []int32) int32 {
		key := make([]byte, 0, 4*len(set))
		for _, p := range set {
			key = binary.LittleEndian.AppendUint32(key, uint32(p))
		}
		i, known := numbers[string(key)]
		if !known {
			i = int32(len(sets))
			numbers[string(key)] = i
			sets = append(sets, set)
			s.states = append(s.states, state{node: m.places[set[0]].node})
		}
		return i
	}
	all := make([]int32, len(m.places))
	for i := range all {
		all[i] = int32(i)
	}
	for _, set := range m.bySymbol(all) {
		s.first = append(s.first, add(set))
	}
	for i := 0; i < len(sets); i++ {
		var next []int32
		for _, p := range sets[i] {
			next = append(next, m.next[p]...)
		}
		for _, set := range m.bySymbol(next) {
			s.states[i].next = append(s.states[i].next, add(set))
		}
	}
}

// bySymbol returns the places of each symbol, in the order of the symbols.
func (m *mapper) bySymbol(places []int32) [][]int32 {
	slices.SortFunc(places, func(a, b int32) int {
		if by := int(m.places[a].node.ID) - int(m.places[b].node.ID); by != 0 {
			return by
		}
		return int(a - b)
	})
	places = slices.Compact(places)
	var out [][]int32
	at := map[uint64]int{}
	for _, p := range places {
		key := m.key(m.places[p].node.ID)
		i, known := at[key]
		if !known {
			i = len(out)
			at[key] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], p)
	}
	return out
}

// explore finds all places, and reports whether there are few enough.
func (m *mapper) explore() bool {
	m.places, m.next, m.number = nil, nil, map[place]int32{}
	root := m.root()
	if rule := root.Rule; m.bound && rule != nil && rule.Root == root.ID && rule.Operators != nil {
		m.operators(rule, grammars.Loose(), grammars.Turn{})
	} else {
		m.collect(root, nil, grammars.Turn{})
	}
	for i := 0; i < len(m.places); i++ {
		if m.bound && len(m.places) > maxPlaces {
			return false
		}
		m.next = append(m.next, m.below(m.places[i]))
	}
	return true
}

// below returns the places right below one.
func (m *mapper) below(p place) []int32 {
	switch {
	case p.node.Kind == grammars.Repetition: // its absence has nothing below
		return nil
	case m.bound && p.node.Target != nil && p.node.Target.Operators != nil:
		return m.operators(p.node.Target, p.binding, p.turn)
	}
	if m.modes != nil && p.node.Token > 0 {
		return m.inside(p)
	}
	var out []int32
	for _, child := range m.parts(p.node) {
		out = append(out, m.collect(child, nil, p.turn)...)
	}
	return out
}

// inside returns the places in a token, of the rules that can make it there.
func (m *mapper) inside(p place) []int32 {
	if len(m.parts(p.node)) == 0 {
		return nil
	}
	var out []int32
	for _, r := range m.modes.Makers(p.node, p.turn) {
		out = append(out, m.collect(m.modes.Inside(p.node, r), nil, grammars.Turn{})...)
	}
	return out
}

// operators returns the places in the alternatives of a left-recursive rule that
// a binding allows.
func (m *mapper) operators(rule *grammars.Rule, b grammars.Binding, t grammars.Turn) []int32 {
	var out []int32
	for i := range rule.Operators {
		if op := &rule.Operators[i]; b.Allows(op) && op.Alt.Size != grammars.Unproductive {
			out = append(out, m.collect(op.Alt, b.Operands(op), t)...)
		}
	}
	return out
}

// collect returns the places in a construct, within its rule.
func (m *mapper) collect(n *grammars.Node, operands map[grammars.Occurrence]grammars.Binding, t grammars.Turn) []int32 {
	var out []int32
	add := func(n *grammars.Node, t grammars.Turn) {
		if !m.isSymbol(n) {
			return
		}
		p := place{n, grammars.Loose(), t}
		if b, ok := operands[n.ID]; ok {
			p.binding = b
		}
		i, known := m.number[p]
		if !known {
			i = int32(len(m.places))
			m.number[p] = i
			m.places = append(m.places, p)
		}
		out = append(out, i)
	}
	if m.modes != nil && n.Rule != nil && n.Rule.Kind == grammars.ParserRule {
		m.modes.Each(n, t, add)
	} else {
		m.walk(n, add)
	}
	return out
}

// walk visits a construct and the nodes in it, within its rule.
func (m *mapper) walk(n *grammars.Node, visit func(*grammars.Node, grammars.Turn)) {
	visit(n, grammars.Turn{})
	if !n.Kind.Symbolic() {
		for _, child := range m.parts(n) {
			m.walk(child, visit)
		}
	}
}

// parts returns the children that a derivation can go on with.
func (m *mapper) parts(n *grammars.Node) []*grammars.Node {
	if !m.options.Possible {
		return n.Children
	}
	empty := func(c *grammars.Node) bool { return c.Size == grammars.Unproductive }
	if n.Kind == grammars.Concatenation && slices.ContainsFunc(n.Children, empty) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(n.Children), empty)
}
