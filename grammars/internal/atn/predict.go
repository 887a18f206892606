package atn

import (
	"encoding/binary"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/inroad/inroad/grammars/limit"
)

// A predictor performs SLL prediction: it chooses an alternative by as many
// tokens of lookahead as needed, independent of the calling context. It caches
// the results in one DFA per decision. The DFAs are shared by all runs, grow on
// demand, and are discarded when they exceed maxSize.
type predictor struct {
	net     *flatNetwork
	maxSize int // of the cache, in words
	cache   atomic.Pointer[predictCache]
}

// A predictCache holds the DFAs built so far.
type predictCache struct {
	decisions []decisionStart // by decision number

	held atomic.Int64 // approximate size in words, for other goroutines

	lock    *lock // guards the fields below and the creation of states
	size    int   // approximate size in words, without the stacks
	maxSize int   // in words
	sim     simulator
	known   []map[string]*predictState // states by decision and configurations
}

// A decisionStart has the start states of a decision's DFA. In a left-recursive
// rule, the start state can depend on the precedence of the rule call.
type decisionStart struct {
	always  atomic.Pointer[predictState]
	byLevel atomic.Pointer[[]atomic.Pointer[predictState]]
}

// A predictState is a state of a decision's DFA.
type predictState struct {
	alt       int32 // the predicted alternative, or 0 if undecided
	ambiguous bool  // an SLL conflict: full-context prediction could choose another alternative
	finished  int32 // the alternative to take if no token matches, or 0
	configs   []config
	next      []atomic.Pointer[predictChunk]
}

// A predictChunk has a state's edges for consecutive token types.
type predictChunk [chunkSize]atomic.Pointer[predictState]

const chunkSize = 32

// maxPredictSize is the maximum size of a cache, in words.
const maxPredictSize = 8 << 20

func newPredictor(w *flatNetwork, most int) *predictor {
	p := &predictor{net: w, maxSize: most}
	p.cache.Store(newPredictCache(w, p.maxSize))
	return p
}

func newPredictCache(w *flatNetwork, most int) *predictCache {
	n := 0
	for i := range w.states {
		n = max(n, int(w.states[i].decision)+1)
	}
	return &predictCache{
		lock:      newLock(),
		maxSize:   most,
		decisions: make([]decisionStart, n),
		sim:       simulator{net: w, stacks: newStacks(true), seen: map[visited]struct{}{}},
		known:     make([]map[string]*predictState, n),
	}
}

// renew replaces a cache that has grown too large.
func (p *predictor) renew(old *predictCache) *predictCache {
	p.cache.CompareAndSwap(old, newPredictCache(p.net, p.maxSize))
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
				r.cacheFull, r.cache = false, r.predictor.renew(r.cache)
				if n != noState && n.alt == 0 { // undecided: start over with an empty cache of maximum size
					if alone {
						panic(&limit.Error{What: "memory of one prediction", Value: strconv.Itoa(maxPredictSize) + " words"})
					}
					c = newPredictCache(r.predictor.net, maxPredictSize)
					s, i = c.start(r, p, precedence), r.pos-1
					continue
				}
			}
		}
		if n == noState {
			return s.finished
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
		if n == s && t == eof {
			return s.finished
		}
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
	sim := &c.sim
	sim.step, sim.precedence, sim.usedPrecedence, sim.precRule = r.step, precedence, false, -1
	if p.precLoop {
		sim.precRule = p.rule
	}
	s := c.intern(p, sim.start(p, sim.stacks.empty), 0, false)
	if !sim.usedPrecedence && !p.precLoop {
		d.always.Store(s)
		return s
	}
	if d.byLevel.Load() == nil {
		levels := make([]atomic.Pointer[predictState], sim.net.levels+1)
		d.byLevel.Store(&levels)
	}
	(*d.byLevel.Load())[precedence].Store(s)
	return s
}

// extend computes the edge of a state for a token.
func (c *predictCache) extend(r *run, p *flatState, s *predictState, t int32) *predictState {
	c.lock.acquire(r)
	defer c.lock.release()
	if n := s.edge(t); n != nil {
		return n
	}
	sim := &c.sim
	sim.step, sim.precRule = r.step, -1
	if p.precLoop {
		sim.precRule = p.rule
	}
	n := noState
	if list := sim.reach(s.configs, t); len(list) > 0 {
		alt := uniqueAlt(list)
		ambiguous := alt == 0 && sim.net.ambiguous(list)
		if ambiguous {
			alt = lowestAlt(list)
		}
		n = c.intern(p, list, alt, ambiguous)
	}
	c.size += s.setEdge(t, n)
	held := c.size + 16*sim.stacks.size()
	c.held.Store(int64(held))
	r.cacheFull = held > c.maxSize
	return n
}

// intern returns the state of the configurations, creating it if needed.
func (c *predictCache) intern(p *flatState, list []config, alt int32, ambiguous bool) *predictState {
	slices.SortFunc(list, func(a, b config) int {
		if a.state != b.state {
			return int(a.state) - int(b.state)
		}
		return int(a.alt) - int(b.alt)
	})
	key := make([]byte, 0, 16*len(list))
	for _, g := range list {
		key = binary.LittleEndian.AppendUint32(key, uint32(g.state))
		key = binary.LittleEndian.AppendUint32(key, g.stack.id)
		flags := uint32(g.alt) << 2
		if g.outer {
			flags |= 1
		}
		if g.suppressed {
			flags |= 2
		}
		key = binary.LittleEndian.AppendUint32(key, flags)
	}
	known := &c.known[p.decision]
	if s, ok := (*known)[string(key)]; ok {
		return s
	}
	if *known == nil {
		*known = map[string]*predictState{}
	}
	s := &predictState{alt: alt, ambiguous: ambiguous, finished: c.sim.net.finishedAlt(list)}
	if alt == 0 {
		s.configs = slices.Clone(list)
		s.next = make([]atomic.Pointer[predictChunk], (c.sim.net.maxToken+1)/chunkSize+1)
	}
	(*known)[string(key)] = s
	c.size += 16 + len(key)/8 + 3*len(s.configs) + len(s.next)
	return s
}

func (s *predictState) edge(t int32) *predictState {
	i := uint32(t + 1)
	chunk := s.next[i/chunkSize].Load()
	if chunk == nil {
		return nil
	}
	return chunk[i%chunkSize].Load()
}

// setEdge stores an edge and returns the memory it took, in words.
func (s *predictState) setEdge(t int32, n *predictState) (words int) {
	i := uint32(t + 1)
	chunk := s.next[i/chunkSize].Load()
	if chunk == nil {
		chunk = new(predictChunk)
		s.next[i/chunkSize].Store(chunk)
		words = chunkSize
	}
	chunk[i%chunkSize].Store(n)
	return words
}

// startFull returns the simulator for full-context prediction and the initial
// configurations of a decision.
func (r *run) startFull(p *flatState) (*simulator, []config) {
	if r.full == nil {
		r.full = &simulator{net: r.predictor.net, stacks: newStacks(false), full: true, step: r.step, seen: map[visited]struct{}{}}
	}
	sim := r.full
	if sim.stacks.size() > maxFullSize {
		sim.stacks = newStacks(false)
	}
	base := sim.stacks.empty
	for i := 1; i < len(r.stack); i++ {
		base = sim.stacks.push(base, r.stack[i].follow)
	}
	r.step(len(r.stack))
	sim.precedence, sim.precRule = r.stack[len(r.stack)-1].precedence, -1
	return sim, slices.Clone(sim.start(p, base))
}

// predictFull performs full-context prediction, without a cache.
func (r *run) predictFull(p *flatState) int32 {
	sim, list := r.startFull(p)
	for i := r.pos; ; i++ {
		i = min(i, len(r.types)-1)
		t := r.types[i]
		next := sim.reach(list, t)
		if len(next) == 0 {
			return r.predictor.net.finishedAlt(list)
		}
		if alt := uniqueAlt(next); alt != 0 {
			return alt
		}
		if alt := soleViableAlt(next); alt != 0 {
			return alt
		}
		if t == eof {
			return lowestAlt(next)
		}
		if sim.stacks.size() > maxFullStacks {
			panic(&limit.Error{What: "stacks of one prediction", Value: strconv.Itoa(maxFullStacks)})
		}
		list = append(list[:0], next...)
	}
}

// maxFullSize limits the stacks that a parse keeps between decisions, and
// maxFullStacks those of one decision.
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
