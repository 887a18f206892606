package atn

import (
	"math"
	"slices"
)

// A stackID identifies a graph-structured stack within [stacks]: a set of stacks
// of return states that share common parts. Each entry of such a set is a return
// state on top of another set. Equal sets have the same identifier.
type stackID uint32

// emptyStack is the set whose only stack is empty.
const emptyStack stackID = 0

// bottom is the return state that marks the end of a stack.
const bottom = math.MaxInt32

// stacks creates and merges stacks. Their entries are numbers in a few large
// slices, so that stacks cost the garbage collector nothing.
type stacks struct {
	net     *flatNetwork
	nodes   []stackNode
	returns []int32 // of all nodes; those of a node are in increasing order
	below   []stackID
	table   []stackID // a hash table of the nodes; 0 is a free slot
	merges  pairTable
	scratch []stackEntry // of the merges under way
	work    int          // entries merged since the last charge
	// anyContext defines the meaning of the end of a stack: if set, any context
	// may follow, so that the empty stack subsumes every other; otherwise the
	// input ends.
	anyContext bool
}

// A stackNode describes the entries of a stack.
type stackNode struct {
	from  uint32 // of the entries
	count uint32
	hash  uint32
	// finishes: an epsilon path leads from a return state to the bottom.
	finishes bool
	// finishesInput: an epsilon path leads from a return state to the end of a rule
	// without callers.
	finishesInput bool
}

type stackEntry struct {
	state int32
	below stackID
}

func newStacks(net *flatNetwork, anyContext bool) *stacks {
	g := &stacks{net: net, anyContext: anyContext, table: make([]stackID, 64)}
	g.clear()
	return g
}

// clear removes all stacks but the empty one. It keeps the memory.
func (g *stacks) clear() {
	g.nodes = append(g.nodes[:0], stackNode{count: 1, finishes: true})
	g.returns, g.below = append(g.returns[:0], bottom), append(g.below[:0], emptyStack)
	clear(g.table)
	g.merges.clear()
}

// size returns the memory of the stacks and of the remembered merges in words.
func (g *stacks) size() int {
	return 2*len(g.nodes) + len(g.returns) + len(g.table)/2 + 2*len(g.merges.keys)
}

// entries returns the return states of a stack and the stacks below them.
func (g *stacks) entries(s stackID) ([]int32, []stackID) {
	n := &g.nodes[s]
	return g.returns[n.from : n.from+n.count], g.below[n.from : n.from+n.count]
}

// push puts a return state on a stack. It leaves out a state that only returns to
// the state below it.
func (g *stacks) push(below stackID, state int32) stackID {
	if below != emptyStack && g.net.states[state].kind == ruleStop {
		return below
	}
	return g.intern([]stackEntry{{state, below}})
}

// merge returns the union of two stacks.
func (g *stacks) merge(a, b stackID) stackID {
	if a == b {
		return a
	}
	if g.anyContext && (a == emptyStack || b == emptyStack) {
		return emptyStack
	}
	if a > b {
		a, b = b, a
	}
	key := uint64(a)<<32 | uint64(b)
	if s, ok := g.merges.get(key); ok {
		return stackID(s)
	}
	base := len(g.scratch)
	na, nb := g.nodes[a], g.nodes[b]
	i, j := na.from, nb.from
	for i < na.from+na.count && j < nb.from+nb.count {
		switch x, y := g.returns[i], g.returns[j]; {
		case x == y:
			below := g.below[i]
			if other := g.below[j]; other != below {
				below = g.merge(below, other)
			}
			g.scratch = append(g.scratch, stackEntry{x, below})
			i++
			j++
		case x < y:
			g.scratch = append(g.scratch, stackEntry{x, g.below[i]})
			i++
		default:
			g.scratch = append(g.scratch, stackEntry{y, g.below[j]})
			j++
		}
	}
	for ; i < na.from+na.count; i++ {
		g.scratch = append(g.scratch, stackEntry{g.returns[i], g.below[i]})
	}
	for ; j < nb.from+nb.count; j++ {
		g.scratch = append(g.scratch, stackEntry{g.returns[j], g.below[j]})
	}
	s := g.intern(g.scratch[base:])
	g.work += len(g.scratch) - base
	g.scratch = g.scratch[:base]
	g.merges.put(key, uint32(s))
	return s
}

// intern returns the stack with the given entries, in increasing order of their
// states.
func (g *stacks) intern(entries []stackEntry) stackID {
	h := uint64(len(entries))
	for _, e := range entries {
		h = mix(h ^ (uint64(uint32(e.state))<<32 | uint64(e.below)))
	}
	hash := uint32(h)
	mask := uint32(len(g.table) - 1)
	at := hash & mask
	for ; g.table[at] != 0; at = (at + 1) & mask {
		if s := g.table[at]; g.nodes[s].hash == hash && g.equal(s, entries) {
			return s
		}
	}
	s := stackID(len(g.nodes))
	n := stackNode{from: uint32(len(g.returns)), count: uint32(len(entries)), hash: hash}
	for _, e := range entries {
		g.returns, g.below = append(g.returns, e.state), append(g.below, e.below)
		ends, endsInput := g.finish(e)
		n.finishes, n.finishesInput = n.finishes || ends, n.finishesInput || endsInput
	}
	g.nodes = append(g.nodes, n)
	if g.table[at] = s; 4*len(g.nodes) > 3*len(g.table) {
		g.rehash()
	}
	return s
}

// finish reports whether an epsilon path leads from an entry's state to the bottom
// of the stack, and to the end of the input.
func (g *stacks) finish(e stackEntry) (ends, endsInput bool) {
	switch {
	case e.state == bottom:
		return true, true
	case !g.net.ends[e.state]:
		return false, false
	case e.below == emptyStack:
		return true, !g.anyContext || g.net.endsInput(e.state)
	default:
		n := &g.nodes[e.below]
		return n.finishes, n.finishesInput
	}
}

func (g *stacks) equal(s stackID, entries []stackEntry) bool {
	returns, below := g.entries(s)
	if len(returns) != len(entries) {
		return false
	}
	for i, e := range entries {
		if returns[i] != e.state || below[i] != e.below {
			return false
		}
	}
	return true
}

func (g *stacks) rehash() {
	g.table = make([]stackID, 2*len(g.table))
	mask := uint32(len(g.table) - 1)
	for s := 1; s < len(g.nodes); s++ {
		at := g.nodes[s].hash & mask
		for g.table[at] != 0 {
			at = (at + 1) & mask
		}
		g.table[at] = stackID(s)
	}
}

// charge returns the work of merges since the last call, in steps.
func (g *stacks) charge() int {
	steps := g.work / entriesPerStep
	g.work -= steps * entriesPerStep
	return steps
}

// entriesPerStep is the number of entries of stacks or rules that are handled in
// the time of one step.
const entriesPerStep = 8

// forgetMerges drops the remembered merges if they are many.
func (g *stacks) forgetMerges() {
	if g.merges.count > maxMerges {
		g.merges = pairTable{}
	}
}

// maxMerges limits the merges remembered between two steps of a prediction.
const maxMerges = 1 << 15

// all reports whether every return state of a stack is the given one.
func (g *stacks) all(s stackID, state int32) bool {
	returns, _ := g.entries(s)
	return len(returns) == 1 && returns[0] == state
}

// mix returns a hash of x.
func mix(x uint64) uint64 {
	x ^= x >> 32
	x *= 0x9e3779b97f4a7c15
	x ^= x >> 29
	x *= 0xbf58476d1ce4e5b9
	return x ^ x>>32
}

// A pairTable is a hash table with open addressing. Keys are not 0.
type pairTable struct {
	keys   []uint64
	values []uint32
	count  int
}

func (m *pairTable) get(key uint64) (value uint32, ok bool) {
	if m.count == 0 {
		return 0, false
	}
	mask := uint64(len(m.keys) - 1)
	for at := mix(key) & mask; m.keys[at] != 0; at = (at + 1) & mask {
		if m.keys[at] == key {
			return m.values[at], true
		}
	}
	return 0, false
}

// put adds a key that is not in the table.
func (m *pairTable) put(key uint64, value uint32) {
	if 4*(m.count+1) > 3*len(m.keys) {
		keys, values := m.keys, m.values
		n := max(64, 2*len(keys))
		*m = pairTable{keys: make([]uint64, n), values: make([]uint32, n)}
		for i, k := range keys {
			if k != 0 {
				m.put(k, values[i])
			}
		}
	}
	mask := uint64(len(m.keys) - 1)
	at := mix(key) & mask
	for m.keys[at] != 0 {
		at = (at + 1) & mask
	}
	m.keys[at], m.values[at] = key, value
	m.count++
}

// clear removes all keys. It drops large tables, which would stay slow to clear.
func (m *pairTable) clear() {
	if len(m.keys) > 1<<12 {
		*m = pairTable{}
	}
	if m.count > 0 {
		clear(m.keys)
		m.count = 0
	}
}

// copyStack copies a stack from other stacks. The copies made so far are in done.
func (g *stacks) copyStack(from *stacks, s stackID, done []stackID) stackID {
	if s == emptyStack || done[s] != emptyStack {
		return done[s]
	}
	returns, below := from.entries(s)
	entries := make([]stackEntry, len(returns))
	for i, r := range slices.Backward(returns) {
		entries[i] = stackEntry{r, g.copyStack(from, below[i], done)}
	}
	done[s] = g.intern(entries)
	return done[s]
}
