package atn

import "sync/atomic"

// This file discards the states of a cache that were not used lately.

// generations is the number of generations in which a cache grows from nothing to
// its maximum size.
const generations = 8

// tick begins a new generation if the cache has grown by enough. The use of a state
// is recorded by generation.
func (c *predictCache) tick(held int) {
	if held >= c.nextTick {
		c.generation.Add(1)
		c.nextTick = held + c.maxSize/generations
	}
}

// use records the use of an undecided state.
func (c *predictCache) use(s *predictState) {
	if now := c.generation.Load(); s.used.Load() != now {
		s.used.Store(now)
	}
}

// words returns the approximate size of a state, without its stacks.
func (s *predictState) words() int {
	n := stateWords + 3 + 2*len(s.configs)
	if e := s.edges.Load(); e != noEdges {
		n += e.words()
	}
	return n
}

// survivors returns the first generation whose states are kept, so that the states
// kept take at most half of the maximum size.
func (c *predictCache) survivors() uint32 {
	now := c.generation.Load()
	var byAge [generations]int
	for _, s := range c.states {
		if age := now - s.used.Load(); age < generations {
			byAge[age] += s.words()
		}
	}
	size := c.sim.stacks.size() / 2 // an estimate: the stacks to copy are not known yet
	for age, words := range byAge {
		if size += words; size > c.maxSize/2 {
			return now - uint32(age) + 1
		}
	}
	return now - generations + 1
}

// renewed returns a cache with the states of c that were used lately, and with all
// start states. Edges to other states are computed again when they are needed.
func (c *predictCache) renewed(r *run) *predictCache {
	c.lock.acquire(r)
	defer c.lock.release()
	next := newPredictCache(c.sim.locals, c.maxSize)
	x := copier{
		from: c, to: next, since: c.survivors(),
		stacks: make([]stackID, len(c.sim.stacks.nodes)), states: make(map[*predictState]*predictState, len(c.states)/2),
	}
	next.generation.Store(c.generation.Load())
	for _, s := range c.states {
		if s.used.Load() >= x.since {
			x.states[s] = next.intern(s.decision, x.configs(s.configs))
			x.states[s].used.Store(s.used.Load())
		}
	}
	for i := range c.decisions {
		x.start(&c.decisions[i], &next.decisions[i])
	}
	for old, s := range x.states {
		x.edges(old, s)
	}
	held := next.size + next.sim.size()
	if held > next.maxSize*3/4 { // too many stacks: not worth it
		return newPredictCache(c.sim.locals, c.maxSize)
	}
	next.held.Store(int64(held))
	next.nextTick = held + next.maxSize/generations
	return next
}

// A copier copies states from one cache to another.
type copier struct {
	from, to *predictCache
	since    uint32
	stacks   []stackID // copies by the original
	states   map[*predictState]*predictState
}

// configs returns configurations with copied stacks, valid until the next call.
func (x *copier) configs(list []config) []config {
	out := x.to.sim.out.list[:0]
	for _, c := range list {
		c.stack = x.to.sim.stacks.copyStack(x.from.sim.stacks, c.stack, x.stacks)
		out = append(out, c)
	}
	x.to.sim.out.list = out
	return out
}

// start copies the start states of a decision.
func (x *copier) start(from, to *decisionStart) {
	if s := from.always.Load(); s != nil {
		to.always.Store(x.startState(s))
	}
	levels := from.byLevel.Load()
	if levels == nil {
		return
	}
	copies := make([]atomic.Pointer[predictState], len(*levels))
	x.to.size += len(copies)
	for i := range *levels {
		if s := (*levels)[i].Load(); s != nil {
			copies[i].Store(x.startState(s))
		}
	}
	to.byLevel.Store(&copies)
}

func (x *copier) startState(s *predictState) *predictState {
	out := newPredictState(s.decision, s.level, s.configs) // without stacks
	out.finished.Store(s.finished.Load())
	x.to.size += stateWords + 2*len(s.configs)
	x.states[s] = out
	return out
}

// edges copies the edges of a state to states that are kept.
func (x *copier) edges(from, to *predictState) {
	e := from.edges.Load()
	for i := range e.slots {
		token, n := e.slots[i].token.Load(), e.slots[i].state.Load()
		switch {
		case token == 0:
			continue
		case n == noState:
		case n.alt > 0:
			n = x.to.decide(n.alt, n.ambiguous)
		default:
			if n = x.states[n]; n == nil {
				continue
			}
		}
		x.to.size += to.setEdge(token-2, n)
	}
}
