package atn

import (
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/inroad/inroad/grammars/limit"
)

// A predictor performs SLL prediction: it chooses an alternative by as many
// tokens of lookahead as needed, independent of the calling context. It caches
// the results in one DFA per decision. The DFAs are shared by all runs and grow on
// demand. When they exceed maxSize, the states that were not used lately are
// discarded.
type predictor struct {
	net     *flatNetwork
	locals  *localTable
	maxSize int // of the cache, in words
	cache   atomic.Pointer[predictCache]
}

// A predictCache holds the DFAs built so far.
type predictCache struct {
	decisions []decisionStart    // by decision number
	decided   [2][]*predictState // by whether there is an SLL conflict, and alternative

	held       atomic.Int64  // approximate size in words, for other goroutines
	generation atomic.Uint32 // see evict.go

	lock     *lock // guards the fields below and the creation of states
	size     int   // approximate size in words, without the simulator's
	maxSize  int   // in words
	nextTick int   // the size at which the next generation begins
	sim      *simulator
	states   []*predictState
	table    []int32 // a hash table of the states; 0 is a free slot, otherwise one more than the index
}

// A decisionStart has the start states of a decision's DFA. In a left-recursive
// rule, the start state can depend on the precedence of the rule call.
type decisionStart struct {
	always  atomic.Pointer[predictState]
	byLevel atomic.Pointer[[]atomic.Pointer[predictState]]
}

// A predictState is a state of a decision's DFA.
type predictState struct {
	alt       int32        // the predicted alternative, or 0 if undecided
	ambiguous bool         // an SLL conflict: full-context prediction could choose another alternative
	finished  atomic.Int32 // the alternative to take if no token matches, or 0, or unknown
	decision  int32
	level     int32 // of a start state: see start
	hash      uint32
	used      atomic.Uint32 // the generation that used it last
	configs   []config
	edges     atomic.Pointer[edgeTable]
}

func newPredictState(decision, level int32, configs []config) *predictState {
	s := &predictState{decision: decision, level: level, configs: configs}
	s.edges.Store(noEdges)
	return s
}

// maxPredictSize is the default maximum size of a cache, in words.
const maxPredictSize = 8 << 20

func newPredictor(w *flatNetwork, most int) *predictor {
	p := &predictor{net: w, locals: newLocalTable(w), maxSize: most}
	p.cache.Store(newPredictCache(p.locals, p.maxSize))
	return p
}

func newPredictCache(locals *localTable, most int) *predictCache {
	return &predictCache{
		lock:      newLock(),
		maxSize:   most,
		nextTick:  most / generations,
		decisions: make([]decisionStart, locals.net.decisions),
		sim:       newSimulator(locals, false),
		table:     make([]int32, 64),
	}
}

// renew replaces a cache that has grown too large.
func (p *predictor) renew(r *run, old *predictCache) *predictCache {
	if now := p.cache.Load(); now != old {
		return now // another run has replaced it
	}
	p.cache.CompareAndSwap(old, old.renewed(r))
	return p.cache.Load()
}

// noState is the state without viable alternatives.
var noState = &predictState{} //nolint:gochecknoglobals // compared by address, never changed

// predict returns the alternative to take at a decision, from 1, or 0 for none.
// With full, it uses full-context prediction on an SLL conflict.
func (r *run) predict(p *flatState, full bool) int32 {
	c := r.cache
	precedence := r.stack[len(r.stack)-1].precedence
	s := c.start(r, p, precedence)
	for i := r.pos; ; i++ {
		i = min(i, len(r.types)-1)
		t := r.types[i]
		n := s.edge(t)
		if n == nil {
			n = c.extend(r, p, s, t)
			if r.cacheFull {
				alone := c != r.cache
				if r.cacheFull = false; !alone {
					r.cache = r.predictor.renew(r, c)
				}
				if n != noState && n.alt == 0 { // undecided: start over with an empty cache of maximum size
					if alone {
						panic(&limit.Error{What: "memory of one prediction", Value: strconv.Itoa(maxPredictSize) + " words"})
					}
					c = newPredictCache(r.predictor.locals, max(r.predictor.maxSize, maxPredictSize))
					s, i = c.start(r, p, precedence), r.pos-1
					continue
				}
			}
		}
		if n == noState {
			return c.finished(r, p, s)
		}
		if n.alt > 0 {
			if n.ambiguous && r.ambiguous != nil {
				r.checkAmbiguity(p)
			}
			if n.ambiguous && full {
				return r.predictFull(p)
			}
			return n.alt
		}
		r.step(1)
		c.use(n)
		s = n
	}
}

// start returns the start state of a decision.
func (c *predictCache) start(r *run, p *flatState, precedence int32) *predictState {
	d := &c.decisions[p.decision]
	if s := d.always.Load(); s != nil {
		return s
	}
	if levels := d.byLevel.Load(); levels != nil {
		if s := (*levels)[precedence].Load(); s != nil {
			return s
		}
	}
	c.lock.acquire(r)
	defer c.lock.release()
	sim := c.sim
	sim.step = r.step
	list := sim.startConfigs(p, emptyStack)
	s := newPredictState(p.decision, noLevel, slices.Clone(list))
	s.finished.Store(sim.finishedAlt(list))
	c.size += stateWords + 2*len(list)
	if !sim.net.usesLevel(p) {
		d.always.Store(s)
		return s
	}
	if s.level = precedence; p.precLoop {
		s.finished.Store(unknown)
	}
	if d.byLevel.Load() == nil {
		levels := make([]atomic.Pointer[predictState], sim.net.levels+1)
		c.size += len(levels)
		d.byLevel.Store(&levels)
	}
	(*d.byLevel.Load())[precedence].Store(s)
	return s
}

// unknown marks an alternative that was not computed yet.
const unknown = -1

// finished returns the alternative to take where no token matches, or 0.
func (c *predictCache) finished(r *run, p *flatState, s *predictState) int32 {
	if alt := s.finished.Load(); alt != unknown {
		return alt
	}
	c.lock.acquire(r)
	defer c.lock.release()
	c.sim.step = r.step
	alt := c.sim.finishedAtOperator(s.configs, start{p, s.level})
	s.finished.Store(alt)
	return alt
}

// extend computes the edge of a state for a token.
func (c *predictCache) extend(r *run, p *flatState, s *predictState, t int32) *predictState {
	c.lock.acquire(r)
	defer c.lock.release()
	if n := s.edge(t); n != nil {
		return n
	}
	sim := c.sim
	sim.step = r.step
	begin := start{p, s.level}
	var list []config
	if t == eof {
		list = sim.endAlts(s.configs, begin)
	} else {
		list = sim.reach(s.configs, t, begin)
	}
	n := noState
	if len(list) > 0 {
		switch alt := uniqueAlt(list); {
		case alt != 0:
			n = c.decide(alt, false)
		case t == eof || sim.conflict(list):
			n = c.decide(lowestAlt(list), true)
		default:
			n = c.intern(p.decision, list)
		}
	}
	c.size += s.setEdge(t, n)
	held := c.size + sim.size()
	c.held.Store(int64(held))
	c.tick(held)
	r.cacheFull = held > c.maxSize
	return n
}

// decide returns the state that decides for an alternative.
func (c *predictCache) decide(alt int32, ambiguous bool) *predictState {
	of := &c.decided[0]
	if ambiguous {
		of = &c.decided[1]
	}
	for int(alt) >= len(*of) {
		*of = append(*of, &predictState{alt: int32(len(*of)), ambiguous: ambiguous})
		c.size += stateWords
	}
	return (*of)[alt]
}

// stateWords is the size of a state without its configurations and edges, in words.
const stateWords = 12

// intern returns the undecided state of the configurations, creating it if needed.
func (c *predictCache) intern(decision int32, list []config) *predictState {
	h := uint64(uint32(decision))
	for _, g := range list {
		h = mix(h ^ (uint64(uint32(g.state))<<32 | uint64(g.stack)))
		flags := uint64(uint32(g.alt)) << 1
		if g.outer {
			flags |= 1
		}
		h = mix(h ^ flags)
	}
	hash := uint32(h)
	mask := uint32(len(c.table) - 1)
	at := hash & mask
	for ; c.table[at] != 0; at = (at + 1) & mask {
		s := c.states[c.table[at]-1]
		if s.hash == hash && s.decision == decision && slices.Equal(s.configs, list) {
			return s
		}
	}
	s := newPredictState(decision, noLevel, slices.Clone(list))
	s.hash = hash
	s.finished.Store(c.sim.finishedAlt(list))
	c.states = append(c.states, s)
	c.table[at] = int32(len(c.states))
	if 4*len(c.states) > 3*len(c.table) {
		c.rehash()
	}
	c.size += stateWords + 3 + 2*len(list)
	return s
}

func (c *predictCache) rehash() {
	c.table = make([]int32, 2*len(c.table))
	mask := uint32(len(c.table) - 1)
	for i, s := range c.states {
		at := s.hash & mask
		for c.table[at] != 0 {
			at = (at + 1) & mask
		}
		c.table[at] = int32(i + 1)
	}
}

// An edgeTable is a hash table with open addressing of a state's edges by token.
// One goroutine adds edges while others read.
type edgeTable struct {
	slots []edgeSlot
	mask  uint32
	count int
}

// An edgeSlot is an edge. Its token is set last.
type edgeSlot struct {
	token atomic.Int32 // two more than the token type; 0 in a free slot
	state atomic.Pointer[predictState]
}

// noEdges is the table of a state without edges.
var noEdges = &edgeTable{slots: make([]edgeSlot, 1)} //nolint:gochecknoglobals // never changed

// edge returns the state after token t, or nil if it was not computed yet.
func (s *predictState) edge(t int32) *predictState {
	e := s.edges.Load()
	if slot := &e.slots[uint32(t+1)&e.mask]; slot.token.Load() == t+2 {
		return slot.state.Load()
	}
	return e.find(t)
}

func (e *edgeTable) find(t int32) *predictState {
	for at := uint32(t+1) & e.mask; ; at = (at + 1) & e.mask {
		slot := &e.slots[at]
		switch slot.token.Load() {
		case t + 2:
			return slot.state.Load()
		case 0:
			return nil
		}
	}
}

// setEdge stores an edge and returns the memory it took, in words.
func (s *predictState) setEdge(t int32, n *predictState) (words int) {
	e := s.edges.Load()
	if 4*(e.count+1) <= 3*len(e.slots) {
		e.add(t, n)
		return 0
	}
	size := 2 * len(e.slots)
	next := &edgeTable{slots: make([]edgeSlot, size), mask: uint32(size - 1)}
	for i := range e.slots {
		if token := e.slots[i].token.Load(); token != 0 {
			next.add(token-2, e.slots[i].state.Load())
		}
	}
	next.add(t, n)
	s.edges.Store(next)
	if e == noEdges {
		return next.words()
	}
	return next.words() - e.words()
}

// words returns the size of the table in words.
func (e *edgeTable) words() int { return 5 + 2*len(e.slots) }

func (e *edgeTable) add(t int32, n *predictState) {
	at := uint32(t+1) & e.mask
	for e.slots[at].token.Load() != 0 {
		at = (at + 1) & e.mask
	}
	e.slots[at].state.Store(n)
	e.slots[at].token.Store(t + 2)
	e.count++
}

// startFull returns the simulator for full-context prediction, the initial
// configurations of a decision, and its beginning.
func (r *run) startFull(p *flatState) (*simulator, []config, start) {
	if r.full == nil {
		r.full = newSimulator(r.predictor.locals, true)
		r.full.step = r.step
	}
	sim := r.full
	if sim.stacks.size() > maxFullSize {
		sim.stacks.clear()
	}
	base := emptyStack
	for i := 1; i < len(r.stack); i++ {
		base = sim.stacks.push(base, sim.net.onward[r.stack[i].follow])
	}
	r.step(len(r.stack))
	begin := start{p, noLevel}
	if r.cache.decisions[p.decision].always.Load() == nil && sim.net.usesLevel(p) {
		begin.level = r.stack[len(r.stack)-1].precedence
	}
	return sim, slices.Clone(sim.startConfigs(p, base)), begin
}

// predictFull performs full-context prediction, without a cache.
func (r *run) predictFull(p *flatState) int32 {
	sim, list, begin := r.startFull(p)
	for i := r.pos; ; i++ {
		t := r.types[i]
		if t == eof {
			if ends := sim.endAlts(list, begin); len(ends) > 0 {
				return lowestAlt(ends)
			}
			return sim.finishedAlt(list)
		}
		next := sim.reach(list, t, begin)
		begin.level = noLevel
		if len(next) == 0 {
			return sim.finishedAlt(list)
		}
		if alt := uniqueAlt(next); alt != 0 {
			return alt
		}
		if alt := sim.places.soleViableAlt(next); alt != 0 {
			return alt
		}
		if len(sim.stacks.nodes) > maxFullStacks {
			panic(&limit.Error{What: "stacks of one prediction", Value: strconv.Itoa(maxFullStacks)})
		}
		list = append(list[:0], next...)
	}
}

// maxFullSize limits the memory of the stacks that a parse keeps between
// decisions, in words, and maxFullStacks the number of stacks of one decision.
const (
	maxFullSize   = 1 << 20
	maxFullStacks = 2 << 20
)

// startPredictors holds the predictors for start rules that other rules call
// and that must derive the whole input. In these predictors, EOF also follows
// the start rule.
type startPredictors struct {
	mu     sync.Mutex
	byRule map[int]*predictor
}

// Limits on these predictors: the size of each, their number, and their total
// size at the start of a parse.
const (
	maxStartPredictorSize  = maxPredictSize / 4
	maxStartPredictors     = 16
	maxStartPredictorsSize = maxPredictSize
)

// of returns the predictor for a start rule, given the general one.
func (h *startPredictors) of(p *predictor, rule int) *predictor {
	if len(p.net.states[p.net.stops[rule]].follows) == 0 {
		return p
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	own, ok := h.byRule[rule]
	if !ok {
		own = newPredictor(p.net.withEOFAfter(rule), min(p.maxSize, maxStartPredictorSize))
	}
	if h.byRule == nil || !ok && len(h.byRule) == maxStartPredictors || h.size() > maxStartPredictorsSize {
		h.byRule = map[int]*predictor{}
	}
	h.byRule[rule] = own
	return own
}

// size returns the total size of the predictors, in words.
func (h *startPredictors) size() int64 {
	size := int64(0)
	for _, p := range h.byRule {
		size += p.cache.Load().held.Load()
	}
	return size
}
