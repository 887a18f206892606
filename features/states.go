package features

import (
	"encoding/binary"
	"slices"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/refine"
)

// A place is a grammar symbol together with the body below it. In a refined grammar
// the body depends on the symbol's operator binding and lexer modes.
type place struct {
	node  *grammars.Node
	below int32 // a body of the graph, or -1
}

// A mapper finds the places of a grammar and which places can stand right below
// each other.
type mapper struct {
	*Space
	graph  *refine.Graph
	places []place
	below  map[int32][]int32 // by body: the places of its symbols
	number map[place]int32
}

// determine finds the states of the paths. A state is the set of all places that
// a path can end in, so that a path leads to one state.
func (s *Space) determine() {
	m := &mapper{Space: s, graph: refine.Plain(s.grammar, s.start()), below: map[int32][]int32{}, number: map[place]int32{}}
	if s.options.Possible {
		m.graph = refine.Of(s.grammar, s.start()).Graph()
	}
	m.explore()
	numbers := map[string]int32{}
	var sets [][]int32
	add := func(set []int32) int32 {
		key := numberKey(set)
		i, known := numbers[key]
		if !known {
			i = int32(len(sets))
			numbers[key] = i
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
	lists := map[string]int32{} // by the bodies below a state
	for i := 0; i < len(sets); i++ {
		bodies := m.bodies(sets[i])
		key := numberKey(bodies)
		list, known := lists[key]
		if !known {
			var places, next []int32
			for _, body := range bodies {
				places = append(places, m.below[body]...)
			}
			for _, set := range m.bySymbol(places) {
				next = append(next, add(set))
			}
			list = int32(len(s.nexts))
			lists[key] = list
			s.nexts = append(s.nexts, next)
		}
		s.states[i].next = list
	}
}

// bodies returns the bodies below places, in order.
func (m *mapper) bodies(places []int32) []int32 {
	var out []int32
	for _, p := range places {
		if body := m.places[p].below; body >= 0 {
			out = append(out, body)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// numberKey returns numbers as the key of a map.
func numberKey(numbers []int32) string {
	key := make([]byte, 0, 4*len(numbers))
	for _, n := range numbers {
		key = binary.LittleEndian.AppendUint32(key, uint32(n))
	}
	return string(key)
}

// bySymbol groups places by symbol, in the order of the symbols.
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

// explore finds all places below the root.
func (m *mapper) explore() {
	root := m.graph.Start
	if m.options.Trivia {
		root = m.graph.Trivia
	}
	m.collect(root)
	for i := 0; i < len(m.places); i++ {
		if body := m.places[i].below; body >= 0 && m.below[body] == nil {
			m.below[body] = m.collect(body)
		}
	}
}

// collect returns the places of a body's symbols.
func (m *mapper) collect(body int32) []int32 {
	out := []int32{}
	for i := range m.graph.Bodies[body].Parts {
		x := &m.graph.Bodies[body].Parts[i]
		if !m.counts(x) || m.options.Possible && !x.Useful {
			continue
		}
		p := place{x.Node, x.Below}
		i, known := m.number[p]
		if !known {
			i = int32(len(m.places))
			m.number[p] = i
			m.places = append(m.places, p)
		}
		out = append(out, i)
	}
	return out
}

// counts reports whether paths count a part.
func (m *mapper) counts(x *refine.Part) bool {
	switch x.Kind {
	case refine.Symbol, refine.Reference:
		return true
	case refine.Absent:
		return m.options.Absent
	default:
		return false
	}
}
