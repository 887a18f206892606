package atn

import (
	"encoding/binary"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/inroad/inroad/grammars/limit"
)

// A predictor decides which alternative the tokens ahead call for. It looks at
// as many tokens as it takes, without regard to where the rule was called from,
// and keeps what it finds out in an automaton for each decision: shared by all
// who parse, made when first needed, thrown away when it has grown too large.
type predictor struct {
	walk  *walk
	most  int // that a cache holds, in words
	cache atomic.Pointer[predictCache]
}

// A predictCache holds the automata made so far.
type predictCache struct {
	decisions []decisionStart // by number

	held atomic.Int64 // the size of everything held, roughly in words

	gate *gate // guards what follows, and the making of states
	size int   // of everything held but the stacks, roughly in words
	most int   // that should be held at most
	sim  simulator
	// known has the states of each decision by their configs.
	known []map[string]*lookState
}

// A decisionStart is where the automaton of a decision starts: for left-recursive
// rules that may depend on the precedence that the rule was called with.
type decisionStart struct {
	always  atomic.Pointer[lookState]
	byLevel atomic.Pointer[[]atomic.Pointer[lookState]]
}

// A lookState is a state of a decision's automaton.
type lookState struct {
	alt       int32 // the alternative that is decided on, 0 while there is none
	ambiguous bool  // the whole stack could decide otherwise
	finished  int32 // the alternative to take where no token fits, 0 for none
	configs   []config
	next      []atomic.Pointer[lookChunk]
}

// A lookChunk is a part of a state's edges: those for some consecutive types.
type lookChunk [chunkSize]atomic.Pointer[lookState]

const chunkSize = 32

// maxPredictSize bounds what a cache holds, in words.
const maxPredictSize = 8 << 20

func newPredictor(w *walk, most int) *predictor {
	p := &predictor{walk: w, most: most}
	p.cache.Store(newPredictCache(w, p.most))
	return p
}

func newPredictCache(w *walk, most int) *predictCache {
	n := 0
	for i := range w.states {
		n = max(n, int(w.states[i].decision)+1)
	}
	return &predictCache{
		gate:      newGate(),
		most:      most,
		decisions: make([]decisionStart, n),
		sim:       simulator{walk: w, stacks: newStacks(true), seen: map[visited]struct{}{}},
		known:     make([]map[string]*lookState, n),
	}
}

// fresh returns a cache to use instead of one that has grown too large.
func (p *predictor) fresh(old *predictCache) *predictCache {
	p.cache.CompareAndSwap(old, newPredictCache(p.walk, p.most))
	return p.cache.Load()
}

// noState is where no alternative is left.
var noState = &lookState{} //nolint:gochecknoglobals // compared by address, never changed

// predict returns the alternative, from 1, that a decision takes, 0 for none.
// With full it asks the whole stack where the tokens alone are ambiguous.
func (r *run) predict(p *place, full bool) int32 {
	c := r.cache
	precedence := r.stack[len(r.stack)-1].precedence
	s := c.start(r, p, precedence)
	for i := r.pos; ; i++ {
		i = min(i, len(r.types)-1)
		t := r.types[i]
		n := s.edge(t)
		if n == nil {
			n = c.extend(r, p, s, t)
			if r.crowded {
				alone := c != r.cache
				r.crowded, r.cache = false, r.predictor.fresh(r.cache)
				if n != noState && n.alt == 0 { // far from decided: start over, with all the room there is
					if alone {
						panic(&limit.Error{What: "memory to decide at one place", Value: strconv.Itoa(maxPredictSize) + " words"})
					}
					c = newPredictCache(r.predictor.walk, maxPredictSize)
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
				r.examine(p)
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

// start returns the state that a decision starts in.
func (c *predictCache) start(r *run, p *place, precedence int32) *lookState {
	d := &c.decisions[p.decision]
	if s := d.always.Load(); s != nil {
		return s
	}
	if levels := d.byLevel.Load(); levels != nil {
		if s := (*levels)[precedence].Load(); s != nil {
			return s
		}
	}
	c.gate.enter(r)
	defer c.gate.leave()
	sim := &c.sim
	sim.step, sim.precedence, sim.asked, sim.precRule = r.step, precedence, false, -1
	if p.precLoop {
		sim.precRule = p.rule
	}
	s := c.intern(p, sim.start(p, sim.stacks.empty), 0, false)
	if !sim.asked && !p.precLoop {
		d.always.Store(s)
		return s
	}
	if d.byLevel.Load() == nil {
		levels := make([]atomic.Pointer[lookState], sim.walk.levels+1)
		d.byLevel.Store(&levels)
	}
	(*d.byLevel.Load())[precedence].Store(s)
	return s
}

// extend makes the edge of a state for a token.
func (c *predictCache) extend(r *run, p *place, s *lookState, t int32) *lookState {
	c.gate.enter(r)
	defer c.gate.leave()
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
		ambiguous := alt == 0 && sim.walk.ambiguous(list)
		if ambiguous {
			alt = lowestAlt(list)
		}
		n = c.intern(p, list, alt, ambiguous)
	}
	c.size += s.setEdge(t, n)
	held := c.size + 16*sim.stacks.size()
	c.held.Store(int64(held))
	r.crowded = held > c.most
	return n
}

// intern returns the state of the configs, making it if need be.
func (c *predictCache) intern(p *place, list []config, alt int32, ambiguous bool) *lookState {
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
		*known = map[string]*lookState{}
	}
	s := &lookState{alt: alt, ambiguous: ambiguous, finished: c.sim.walk.finishedAlt(list)}
	if alt == 0 {
		s.configs = slices.Clone(list)
		s.next = make([]atomic.Pointer[lookChunk], (c.sim.walk.maxToken+1)/chunkSize+1)
	}
	(*known)[string(key)] = s
	c.size += 16 + len(key)/8 + 3*len(s.configs) + len(s.next)
	return s
}

func (s *lookState) edge(t int32) *lookState {
	i := uint32(t + 1)
	chunk := s.next[i/chunkSize].Load()
	if chunk == nil {
		return nil
	}
	return chunk[i%chunkSize].Load()
}

// setEdge stores an edge and returns how many words that took.
func (s *lookState) setEdge(t int32, n *lookState) (words int) {
	i := uint32(t + 1)
	chunk := s.next[i/chunkSize].Load()
	if chunk == nil {
		chunk = new(lookChunk)
		s.next[i/chunkSize].Store(chunk)
		words = chunkSize
	}
	chunk[i%chunkSize].Store(n)
	return words
}

// startFull returns the simulator that decides with the whole stack of rules, and
// the configs that a decision begins with.
func (r *run) startFull(p *place) (*simulator, []config) {
	if r.full == nil {
		r.full = &simulator{walk: r.predictor.walk, stacks: newStacks(false), full: true, step: r.step, seen: map[visited]struct{}{}}
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

// predictFull decides with the whole stack of rules, and remembers nothing.
func (r *run) predictFull(p *place) int32 {
	sim, list := r.startFull(p)
	for i := r.pos; ; i++ {
		i = min(i, len(r.types)-1)
		t := r.types[i]
		next := sim.reach(list, t)
		if len(next) == 0 {
			return r.predictor.walk.finishedAlt(list)
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
			panic(&limit.Error{What: "stacks to decide with", Value: strconv.Itoa(maxFullStacks)})
		}
		list = append(list[:0], next...)
	}
}

// maxFullSize bounds the stacks that one parse keeps between its decisions, and
// maxFullStacks those that one decision takes.
const (
	maxFullSize   = 1 << 20
	maxFullStacks = 2 << 20
)

// wholes holds the predictors for parses that begin with a rule which other
// rules call and that must derive the whole input: there, too, the end of the
// input follows the rule.
type wholes struct {
	mu     sync.Mutex
	byRule map[int]*predictor
}

// What all these predictors may hold: each alone, how many there are, and all of
// them together where another parse begins.
const (
	maxWhole     = maxPredictSize / 4
	maxWholes    = 16
	maxWholeSize = maxPredictSize
)

// of returns the predictor for a start rule, given the one for any.
func (h *wholes) of(p *predictor, rule int) *predictor {
	if len(p.walk.states[p.walk.stops[rule]].follows) == 0 {
		return p
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	own, ok := h.byRule[rule]
	if !ok {
		own = newPredictor(p.walk.beforeEnd(rule), min(p.most, maxWhole))
	}
	if h.byRule == nil || !ok && len(h.byRule) == maxWholes || h.size() > maxWholeSize {
		h.byRule = map[int]*predictor{}
	}
	h.byRule[rule] = own
	return own
}

// size returns what the predictors hold together, in words.
func (h *wholes) size() int64 {
	size := int64(0)
	for _, p := range h.byRule {
		size += p.cache.Load().held.Load()
	}
	return size
}
