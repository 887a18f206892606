package refine

import (
	"maps"
	"slices"
	"strings"

	"github.com/inroad/inroad/grammars"
)

// Modes determine, while a tree is drawn from left to right, which derivations the
// lexer's state allows: its modes and the last token. They are not safe for concurrent
// use; each goroutine calls [Refinement.Modes], which is cheap.
type Modes struct {
	*endings
	sets    [][]Stack
	numbers map[string]StackSet
	plans   map[planKey]*Plan
	read    map[readingKey][]Reading // the results of Readings
	readAs  map[typeKey][]Reading    // the results of ReadingsAs
	types   map[readingKey][]int     // the results of Types
	above   [][]int32                // by cell: the cells right above it; computed on demand

	last   Stack                   // the last argument of State
	memo   [maxNeed + 1]knownState // by number of modes: the results of State for last
	recent []recentPlan            // by node
}

type knownState struct {
	known bool
	state byte
}

// A recentPlan is the last plan of a node.
type recentPlan struct {
	key  planKey
	plan *Plan
}

// Modes returns the lexer states of the derivations. It returns nil if they are not
// refined: because they do not matter, or because there are too many.
func (r *Refinement) Modes() *Modes {
	if r.endings == nil {
		return nil
	}
	return &Modes{
		endings: r.endings, recent: make([]recentPlan, len(r.grammar.Nodes)), sets: [][]Stack{nil}, numbers: map[string]StackSet{}, plans: map[planKey]*Plan{},
		read: map[readingKey][]Reading{}, readAs: map[typeKey][]Reading{}, types: map[readingKey][]int{},
	}
}

// A StackSet is the number of a set of stacks.
type StackSet int

// AnyStack is the set of all stacks.
const AnyStack StackSet = 0

// A Turn is a restriction on a derivation: the lexer state that it begins in, and the
// stacks that it may end with.
type Turn struct {
	State byte
	After StackSet
}

// Begin returns the stack at the beginning of an input.
func (m *Modes) Begin() Stack { return begin }

// States returns the number of lexer states.
func (m *Modes) States() byte { return byte(len(m.states)) }

// stack returns the stack of a lexer state.
func (m *Modes) stack(state byte) Stack {
	if int(state) >= len(m.states) {
		return begin[len(begin)-1:] // no derivation begins here
	}
	return m.states[state]
}

// State returns the lexer state in which a derivation of a node begins, given the
// stack.
func (m *Modes) State(n *grammars.Node, s Stack) byte {
	need := m.needs[n.ID]
	if int(need) >= len(m.memo) {
		return m.state(n, s)
	}
	if s != m.last {
		m.last, m.memo = s, [len(m.memo)]knownState{}
	}
	if k := &m.memo[need]; !k.known {
		*k = knownState{true, m.state(n, s)}
	}
	return m.memo[need].state
}

// Own returns the part of a stack that derivations of a node can change, given the
// number of modes that they cannot.
func (m *Modes) Own(s Stack, below int) Stack { return s[min(below, s.modes()):] }

// Below returns the number of modes of a stack that derivations of a node cannot
// change.
func (m *Modes) Below(n *grammars.Node, s Stack) int { return len(s) - len(m.window(n, s)) }

// Shift returns a stack after a token, given the stack that the token's reading leaves.
func (m *Modes) Shift(s Stack, n *grammars.Node, after Stack) Stack { return m.then(s, n, after) }

// AtEnd returns the stack after the end of the input.
func (m *Modes) AtEnd(s Stack) Stack { return m.atEnd(s) }

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

// Ending returns the stacks of a set after which the node can begin again in one of the
// given lexer states, a bit set. If there are none, it returns the whole set.
func (m *Modes) Ending(n *grammars.Node, s Stack, set StackSet, states uint64) StackSet {
	some := slices.DeleteFunc(slices.Clone(m.sets[set]), func(end Stack) bool {
		after := m.then(s, n, end)
		return after.empty() || states&(1<<m.state(n, after)) == 0
	})
	if len(some) == 0 {
		return set
	}
	return m.set(some)
}

// Allows reports whether a node has a derivation that satisfies a turn.
func (m *Modes) Allows(n *grammars.Node, t Turn) bool {
	return slices.ContainsFunc(m.of[m.Cell(n, t.State)], func(e ending) bool { return m.has(t.After, e.stack) })
}

// Measure returns the least size and depth, in symbols, of the derivations from a
// node that satisfy a turn; [grammars.Unproductive] if there are none.
func (m *Modes) Measure(n *grammars.Node, t Turn) (size, depth int) {
	size, depth = grammars.Unproductive, grammars.Unproductive
	for _, e := range m.of[m.Cell(n, t.State)] {
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

// A Reading is a lexer rule that can make a token, the mode that the token begins in,
// and the stack that it leaves in place of the lexer state it is read in.
type Reading struct {
	Rule  *grammars.Rule
	Mode  int
	After Stack

	pieces []*grammars.Rule
}

// A readingKey identifies the arguments of [Modes.Readings].
type readingKey struct {
	node grammars.Occurrence
	turn Turn
}

// Readings returns how the lexer can read the token of a symbol in a turn. The caller must
// not change the result.
func (m *Modes) Readings(n *grammars.Node, t Turn) []Reading {
	return remember(m.read, readingKey{n.ID, t}, func() (out []Reading) {
		for _, r := range m.endings.read(n, m.stack(t.State)) {
			if m.has(t.After, r.after) {
				out = append(out, Reading{r.Rule, r.Mode, r.after, r.Pieces})
			}
		}
		return out
	})
}

// remember returns the value of a key, and computes it the first time.
func remember[K comparable, V any](values map[K]V, key K, compute func() V) V {
	value, ok := values[key]
	if !ok {
		value = compute()
		values[key] = value
	}
	return value
}

// A typeKey identifies a token of a type.
type typeKey struct {
	readingKey
	kind int
}

// ReadingsAs returns how the lexer can read the token of a symbol in a turn as a token of a
// type. The caller must not change the result.
func (m *Modes) ReadingsAs(n *grammars.Node, t Turn, kind int) []Reading {
	if m.grammar.Scannerless {
		return m.Readings(n, t)
	}
	return remember(m.readAs, typeKey{readingKey{n.ID, t}, kind}, func() (out []Reading) {
		rules := m.grammar.TokenRules(kind)
		for _, r := range m.Readings(n, t) {
			if slices.Contains(rules, r.Rule) {
				out = append(out, r)
			}
		}
		return out
	})
}

// Types returns the types of a token set that the lexer can read in a turn. The caller must
// not change the result.
func (m *Modes) Types(n *grammars.Node, t Turn) []int {
	return remember(m.types, readingKey{n.ID, t}, func() (out []int) {
		rules := map[*grammars.Rule]bool{}
		for _, r := range m.Readings(n, t) {
			rules[r.Rule] = true
		}
		for _, kind := range n.Types {
			if m.grammar.Scannerless && len(rules) > 0 || slices.ContainsFunc(m.grammar.TokenRules(kind), func(r *grammars.Rule) bool { return rules[r] }) {
				out = append(out, kind)
			}
		}
		return out
	})
}

// Symbols returns the symbols right below a token that has the given reading.
func (m *Modes) Symbols(n *grammars.Node, r Reading) []*grammars.Node {
	return slices.DeleteFunc(slices.Clone(m.grammar.Symbols().In(m.Inside(n, r.Rule))), func(s *grammars.Node) bool {
		isPiece := s.Rule == nil && s.Target != nil && s.Target != r.Rule
		return isPiece && !slices.Contains(r.pieces, s.Target)
	})
}

// Inside returns the node below a token that the given lexer rule makes: the rule's
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
				if after, ok := p.Part(i, part, s); ok && !s.empty() && p.good[i][s] {
					m.Each(part, Turn{m.state(part, s), after}, visit)
				}
			}
		}
	}
}

// Distances returns the shortest distance from each (node, lexer state) pair to a
// target, by [Modes.Cell]. The distances without lexer states are in plain, and
// isTarget tells which pairs at distance 0 are targets.
func (m *Modes) Distances(plain []int, isTarget func(n *grammars.Node, state byte) bool) []int {
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
	for i, c := range m.asked {
		n, at := m.grammar.Nodes[c.node], i+1
		switch {
		case len(m.of[at]) == 0:
		case plain[n.ID] == 0 && n.Kind.Symbolic() && isTarget(n, c.state):
			put(at, 0)
		case n.Token > 0 && plain[n.ID] > 0:
			if steps := m.within(n, c.state, plain); steps != Unreachable {
				put(at, steps)
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
// make the token in a lexer state.
func (m *Modes) within(n *grammars.Node, state byte, plain []int) int {
	if n.Kind != grammars.Reference || len(n.Children) == 0 {
		return Unreachable
	}
	best := Unreachable
	for _, r := range m.Readings(n, Turn{State: state}) {
		for _, s := range m.Symbols(n, r) {
			if steps := plain[s.ID]; steps != Unreachable && (best == Unreachable || steps+1 < best) {
				best = steps + 1
			}
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
	for i, c := range m.asked {
		n, start, at := m.grammar.Nodes[c.node], m.states[c.state], int32(i+1)
		below := func(part *grammars.Node, state byte) {
			if i := m.Cell(part, state); len(m.of[i]) > 0 {
				m.above[i] = append(m.above[i], at)
			}
		}
		switch {
		case n.Kind == grammars.Alternation:
			for _, alt := range n.Children {
				below(alt, m.state(alt, start))
			}
		case n.Kind == grammars.Concatenation || n.Kind == grammars.Repetition:
			p := m.Plan(n, Turn{State: c.state})
			for i, part := range n.Children {
				for state := range m.States() {
					if p.Before(i)&(1<<state) != 0 {
						below(part, state)
					}
				}
			}
		case n.Kind == grammars.Reference && n.Token == 0 && n.Target != nil:
			root := m.grammar.Nodes[n.Target.Root]
			below(root, m.state(root, start))
		}
	}
}
