package refine

import (
	"maps"
	"slices"
	"strings"

	"github.com/inroad/inroad/grammars"
)

// Modes determine, while a tree is drawn from left to right, which derivations the
// lexer's current mode allows. They are not safe for concurrent use; each goroutine
// calls [Refinement.Modes], which is cheap.
type Modes struct {
	*endings
	sets    [][]Stack
	numbers map[string]StackSet
	plans   map[planKey]*Plan
	above   [][]int32 // by cell: the cells right above it; computed on demand
}

// Modes returns the lexer modes of the derivations. It returns nil if modes are not
// refined: because the lexer has only one mode, or because its modes depend on more
// than the preceding tokens.
func (r *Refinement) Modes() *Modes {
	if r.endings == nil {
		return nil
	}
	return &Modes{endings: r.endings, sets: [][]Stack{nil}, numbers: map[string]StackSet{}, plans: map[planKey]*Plan{}}
}

// A StackSet is the number of a set of stacks.
type StackSet int

// AnyStack is the set of all stacks.
const AnyStack StackSet = 0

// A Turn is a restriction on a derivation: the mode that it begins in, and the
// stacks that it may end with.
type Turn struct {
	Mode  byte
	After StackSet
}

// set returns the number of a set of stacks.
func (m *Modes) set(stacks []Stack) StackSet {
	var key strings.Builder
	for _, s := range stacks {
		key.WriteByte(byte(len(s)))
		key.WriteString(string(s))
	}
	i, ok := m.numbers[key.String()]
	if !ok {
		i = StackSet(len(m.sets))
		m.sets = append(m.sets, stacks)
		m.numbers[key.String()] = i
	}
	return i
}

// has reports whether a set contains a stack.
func (m *Modes) has(set StackSet, s Stack) bool {
	return set == AnyStack || slices.Contains(m.sets[set], s)
}

// Ending returns the stacks of a set whose current mode is one of the modes, which
// are given as bits. If no stack has such a mode, it returns the whole set.
func (m *Modes) Ending(set StackSet, modes uint64) StackSet {
	some := slices.DeleteFunc(slices.Clone(m.sets[set]), func(s Stack) bool { return s == "" || modes&(1<<s.Mode()) == 0 })
	if len(some) == 0 {
		return set
	}
	return m.set(some)
}

// Effect returns the stack that a token leaves in place of the mode it is read in,
// given the lexer rule that makes the token.
func (m *Modes) Effect(r *grammars.Rule) Stack { return m.effects[r] }

// Allows reports whether a node has a derivation that satisfies a turn.
func (m *Modes) Allows(n *grammars.Node, t Turn) bool {
	for i := range m.of[m.Cell(n, t.Mode)] {
		if t.After == AnyStack || m.has(t.After, m.of[m.Cell(n, t.Mode)][i].stack) {
			return true
		}
	}
	return false
}

// Measure returns the least size and depth, in symbols, of the derivations from a
// node that satisfy a turn; [grammars.Unproductive] if there are none.
func (m *Modes) Measure(n *grammars.Node, t Turn) (size, depth int) {
	size, depth = grammars.Unproductive, grammars.Unproductive
	for _, e := range m.of[m.Cell(n, t.Mode)] {
		switch {
		case !m.has(t.After, e.stack):
		case size == grammars.Unproductive:
			size, depth = e.size, e.depth
		default:
			size, depth = min(size, e.size), min(depth, e.depth)
		}
	}
	return size, depth
}

// Makers returns the lexer rules that can make the token of a symbol in a turn.
func (m *Modes) Makers(n *grammars.Node, t Turn) []*grammars.Rule {
	return slices.DeleteFunc(m.makers(n, t.Mode), func(r *grammars.Rule) bool { return !m.has(t.After, m.effects[r]) })
}

// Inside returns the node below a token if a lexer rule makes it: the rule's
// right-hand side.
func (m *Modes) Inside(n *grammars.Node, r *grammars.Rule) *grammars.Node {
	return inside(m.grammar, n, r)
}

// Each visits a node and the nodes below it in the same rule, if they are part of a
// derivation that satisfies a turn. It passes each node with the turns that it can
// satisfy.
func (m *Modes) Each(n *grammars.Node, t Turn, visit func(*grammars.Node, Turn)) {
	if !m.Allows(n, t) {
		return
	}
	visit(n, t)
	switch n.Kind {
	case grammars.Alternation:
		for _, alt := range n.Children {
			m.Each(alt, t, visit)
		}
	case grammars.Concatenation, grammars.Repetition:
		p := m.Plan(n, t)
		for i, part := range n.Children {
			for _, s := range slices.Sorted(maps.Keys(p.good[i])) {
				if after, ok := p.Part(i, part, s); ok && s != "" && p.good[i][s] {
					m.Each(part, Turn{s.Mode(), after}, visit)
				}
			}
		}
	}
}

// Cell returns the number of the pair of a node and a mode.
func (m *Modes) Cell(n *grammars.Node, mode byte) int { return int(n.ID)*len(m.modes) + int(mode) }

// Distances returns the shortest distance from each (node, mode) pair to a target,
// by [Modes.Cell]. The distances without modes are given, and isTarget tells which
// pairs at distance 0 are targets.
func (m *Modes) Distances(plain []int, isTarget func(n *grammars.Node, mode byte) bool) []int {
	m.link()
	out := make([]int, len(m.of))
	for i := range out {
		out[i] = Unreachable
	}
	var buckets [][]int
	put := func(at, steps int) {
		for len(buckets) <= steps {
			buckets = append(buckets, nil)
		}
		buckets[steps] = append(buckets[steps], at)
	}
	for _, c := range m.asked {
		n := m.grammar.Nodes[c.node]
		switch {
		case len(m.of[m.index(c)]) == 0:
		case plain[n.ID] == 0 && n.Kind.Symbolic() && isTarget(n, c.mode):
			put(m.index(c), 0)
		case n.Token > 0 && plain[n.ID] > 0:
			if steps := m.within(n, c.mode, plain); steps != Unreachable {
				put(m.index(c), steps)
			}
		}
	}
	for steps := 0; steps < len(buckets); steps++ {
		for i := 0; i < len(buckets[steps]); i++ {
			at := buckets[steps][i]
			if out[at] != Unreachable {
				continue
			}
			out[at] = steps
			for _, above := range m.above[at] {
				put(int(above), steps+1)
			}
		}
	}
	return out
}

// within returns the distance from a token to a target inside it, by the rules that
// make the token in a mode.
func (m *Modes) within(n *grammars.Node, mode byte, plain []int) int {
	if n.Kind != grammars.Reference || len(n.Children) == 0 {
		return Unreachable
	}
	best := Unreachable
	for _, r := range m.makers(n, mode) {
		if part := m.Inside(n, r); plain[part.ID] != Unreachable && (best == Unreachable || plain[part.ID]+1 < best) {
			best = plain[part.ID] + 1
		}
	}
	return best
}

// link finds the cells right above each cell.
func (m *Modes) link() {
	if m.above != nil {
		return
	}
	m.above = make([][]int32, len(m.of))
	for _, c := range m.asked {
		n := m.grammar.Nodes[c.node]
		at := int32(m.index(c))
		below := func(part *grammars.Node, mode byte) {
			if i := m.Cell(part, mode); len(m.of[i]) > 0 {
				m.above[i] = append(m.above[i], at)
			}
		}
		switch {
		case n.Kind == grammars.Alternation:
			for _, alt := range n.Children {
				below(alt, c.mode)
			}
		case n.Kind == grammars.Concatenation || n.Kind == grammars.Repetition:
			p := m.Plan(n, Turn{Mode: c.mode})
			for i, part := range n.Children {
				for mode := range byte(len(m.modes)) {
					if p.Before(i)&(1<<mode) != 0 {
						below(part, mode)
					}
				}
			}
		case n.Kind == grammars.Reference && n.Token == 0 && n.Target != nil:
			below(m.grammar.Nodes[n.Target.Root], c.mode)
		}
	}
}
