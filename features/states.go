package features

import (
	"cmp"
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

// A mapper finds the places of a grammar and, for each place, the places that can be
// its children. Most symbols have one place, and most states one place and one body:
// slices hold these by index, and maps hold the others.
type mapper struct {
	*Space
	graph  *refine.Graph
	places []place
	below  [][]int32       // by body: the places of its symbols; nil if none refers to it
	usual  []int32         // by node: 1 + its first place, or 0
	others map[place]int32 // the further places of nodes
	names  []int32         // by node: the number of its name, with [Options.Names]
	groups []int32         // by name: see bySymbol

	sets    [][]int32        // by state: its places
	single  []int32          // by place: 1 + the state of this place alone, or 0
	several map[string]int32 // the states of sets of places
	listOf  []int32          // by body: 1 + the list of the successors in this body alone, or 0
	listsOf map[string]int32 // the lists of the successors in sets of bodies
}

// determine finds the states of the paths of a graph. A state is the set of all places
// that a path can end in, so that each path leads to exactly one state.
func (s *Space) determine(graph *refine.Graph) {
	m := &mapper{
		Space: s, graph: graph, below: make([][]int32, len(graph.Bodies)),
		usual: make([]int32, len(s.grammar.Nodes)), others: map[place]int32{},
		several: map[string]int32{}, listOf: make([]int32, len(graph.Bodies)), listsOf: map[string]int32{},
	}
	if s.options.Names {
		m.number()
	}
	m.explore()
	m.single = make([]int32, len(m.places))
	all := make([]int32, len(m.places))
	for i := range all {
		all[i] = int32(i)
	}
	s.first = m.enter(all)
	for i := 0; i < len(m.sets); i++ { // m.sets grows as states are found
		s.states[i].next = m.list(m.bodies(m.sets[i]))
	}
}

// number numbers the names of the grammar's nodes.
func (m *mapper) number() {
	numbers := map[string]int32{}
	for _, n := range m.grammar.Nodes {
		i, known := numbers[n.Text]
		if !known {
			i = int32(len(numbers))
			numbers[n.Text] = i
		}
		m.names = append(m.names, i)
	}
	m.groups = make([]int32, len(numbers))
}

// enter returns the states of places, one for each symbol, in the order of the
// symbols.
func (m *mapper) enter(places []int32) []int32 {
	var out []int32
	for _, set := range m.bySymbol(places) {
		out = append(out, m.state(set))
	}
	return out
}

// state returns the index of the state of a set of places, and adds the state on first
// use.
func (m *mapper) state(set []int32) int32 {
	next := int32(len(m.sets))
	if len(set) == 1 {
		if m.single[set[0]] > 0 {
			return m.single[set[0]] - 1
		}
		m.single[set[0]] = next + 1
	} else {
		key := numberKey(set)
		if i, known := m.several[key]; known {
			return i
		}
		m.several[key] = next
	}
	m.sets = append(m.sets, set)
	m.states = append(m.states, state{node: m.places[set[0]].node})
	return next
}

// list returns the index of the list of successors in the given bodies, and adds the
// list on first use.
func (m *mapper) list(bodies []int32) int32 {
	next := int32(len(m.nexts))
	if len(bodies) == 1 {
		if m.listOf[bodies[0]] > 0 {
			return m.listOf[bodies[0]] - 1
		}
		m.listOf[bodies[0]] = next + 1
	} else {
		key := numberKey(bodies)
		if i, known := m.listsOf[key]; known {
			return i
		}
		m.listsOf[key] = next
	}
	var places []int32
	for _, body := range bodies {
		places = append(places, m.below[body]...)
	}
	m.nexts = append(m.nexts, m.enter(places))
	return next
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
		return cmp.Or(cmp.Compare(m.places[a].node.ID, m.places[b].node.ID), cmp.Compare(a, b))
	})
	places = slices.Compact(places)
	var out [][]int32
	if m.names == nil { // the places of a symbol are neighbours
		for from := 0; from < len(places); {
			to := from + 1
			for to < len(places) && m.places[places[to]].node == m.places[places[from]].node {
				to++
			}
			out = append(out, places[from:to:to])
			from = to
		}
		return out
	}
	for _, p := range places {
		name := m.names[m.places[p].node.ID]
		if m.groups[name] == 0 {
			out = append(out, nil)
			m.groups[name] = int32(len(out))
		}
		group := &out[m.groups[name]-1]
		*group = append(*group, p)
	}
	for _, group := range out {
		m.groups[m.names[m.places[group[0]].node.ID]] = 0
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
		out = append(out, m.place(place{x.Node, x.Below}))
	}
	return out
}

// place returns the number of a place, and adds the place on first use.
func (m *mapper) place(p place) int32 {
	next := int32(len(m.places))
	if usual := &m.usual[p.node.ID]; *usual == 0 {
		*usual = next + 1
	} else if m.places[*usual-1] == p {
		return *usual - 1
	} else if i, known := m.others[p]; known {
		return i
	} else {
		m.others[p] = next
	}
	m.places = append(m.places, p)
	return next
}

// counts reports whether a part is a symbol of paths.
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
