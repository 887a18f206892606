package atn

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"strconv"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/inroad/inroad/grammars/limit"
)

// A lexer lexes inputs with a DFA over character classes. The DFA's states are
// created on demand, shared by all runs, and discarded together when they
// exceed maxSize.
type lexer struct {
	net     *network
	classes *classes
	maxSize int64 // of the cache, in bytes
	cache   atomic.Pointer[lexCache]
}

// A lexCache holds the DFA states created so far.
type lexCache struct {
	modes []atomic.Pointer[lexState] // start states by mode
	size  atomic.Int64               // approximate size in bytes
	shelf atomic.Pointer[shelf]      // of spellers; nil at the beginning

	lock     *lock // guards the fields below and the creation of states
	contexts map[lexContext]*lexContext
	lists    map[actionList]*actionList
	ids      map[lexConfig]uint32
	states   map[string]*lexState
	seen     lexSeen // of the last closure
}

// A lexConfig is an ATN configuration of the lexer.
type lexConfig struct {
	state     *state
	alt       int32 // the number of the rule in its mode, from 1
	nonGreedy bool  // a non-greedy decision was passed
	pred      int32 // the first predicate passed, from 1; 0 for none
	context   *lexContext
	actions   *actionList
}

// A lexContext is a stack of return states.
type lexContext struct {
	up     *lexContext
	follow *state
	depth  int
	hash   uint64 // of the other fields
}

// An actionList is the list of lexer actions so far, the last one first.
type actionList struct {
	before *actionList
	index  int
	hash   uint64 // of the other fields
}

// A lexState is a state of the lexer's DFA.
type lexState struct {
	configs []lexConfig
	edges   []atomic.Pointer[lexState] // by class

	// The effect of accepting a token in this state.
	rule        int32         // the accepted rule, or -1
	kind        int32         // the token type, skipped or continued
	channel     int32         // -1 to leave it unchanged
	pred        int32         // the first predicate this depends on, from 1; 0 for none
	modeActions []lexerAction // mode commands
}

// Values of lexState.kind besides token types.
const (
	skipped   = -3
	continued = -2
)

const (
	maxLexerSize    = 96 << 20 // bytes of a cache
	maxLexerDepth   = 10_000   // nested rules in one token
	maxLexerConfigs = 1 << 18  // configurations of one closure
)

func newLexer(net *network) *lexer {
	l := &lexer{net: net, classes: classesOf(net), maxSize: maxLexerSize}
	l.cache.Store(l.newCache())
	return l
}

func (l *lexer) newCache() *lexCache {
	return &lexCache{
		lock:     newLock(),
		modes:    make([]atomic.Pointer[lexState], len(l.net.modes)),
		contexts: map[lexContext]*lexContext{},
		lists:    map[actionList]*actionList{},
		ids:      map[lexConfig]uint32{},
		states:   map[string]*lexState{},
	}
}

// renew returns the cache and state to continue with. If the cache has grown
// too large, these are a new cache and the copy of s in it, even in the middle
// of a token.
func (l *lexer) renew(r *run, c *lexCache, s *lexState) (*lexCache, *lexState) {
	if c.size.Load() <= l.maxSize {
		return c, s
	}
	l.cache.CompareAndSwap(c, l.newCache())
	c = l.cache.Load()
	c.lock.acquire(r)
	defer c.lock.release()
	moved := map[*lexContext]*lexContext{}
	configs := slices.Clone(s.configs)
	for i := range configs {
		configs[i].context = c.copyContext(configs[i].context, moved)
		configs[i].actions = c.copyActions(configs[i].actions)
	}
	return c, l.intern(c, configs)
}

// copyContext returns the copy in c of another cache's context.
func (c *lexCache) copyContext(x *lexContext, moved map[*lexContext]*lexContext) *lexContext {
	if x == nil {
		return nil
	}
	to, ok := moved[x]
	if !ok {
		to = c.push(c.copyContext(x.up, moved), x.follow)
		moved[x] = to
	}
	return to
}

// copyActions returns the copy in c of another cache's action list.
func (c *lexCache) copyActions(list *actionList) *actionList {
	if list == nil {
		return nil
	}
	return c.append(c.copyActions(list.before), list.index)
}

// start returns the start state of the run's mode.
func (l *lexer) start(r *run, c *lexCache) *lexState {
	mode := r.mode
	if s := c.modes[mode].Load(); s != nil {
		return s
	}
	c.lock.acquire(r)
	defer c.lock.release()
	cl := c.closure(r, false)
	for i, e := range l.net.modes[mode].edges {
		cl.add(lexConfig{state: e.target, alt: int32(i + 1)}, false)
	}
	s := l.intern(c, cl.out)
	c.modes[mode].Store(s)
	return s
}

// next returns the state after s on a character or on EOF. A state without
// configurations is a dead end.
func (l *lexer) next(r *run, c *lexCache, s *lexState, class int, char rune) *lexState {
	c.lock.acquire(r)
	defer c.lock.release()
	if n := s.edges[class].Load(); n != nil {
		return n
	}
	r.step(1 + len(s.configs))
	cl := c.closure(r, char == eof)
	skip := int32(0) // the rule that reached its end: its remaining configurations have lower priority
	for _, g := range s.configs {
		if g.alt == skip && g.nonGreedy {
			continue
		}
		for _, e := range g.state.edges {
			if !e.consumes() || !e.matches(char, unicode.MaxRune) {
				continue
			}
			if cl.add(g.to(e.target), g.alt == skip) {
				skip = g.alt
				break
			}
		}
	}
	n := l.intern(c, cl.out)
	s.edges[class].Store(n)
	return n
}

// intern returns the state of the configurations, creating it if needed.
func (l *lexer) intern(c *lexCache, configs []lexConfig) *lexState {
	var key []byte
	for _, g := range configs {
		id, ok := c.ids[g]
		if !ok {
			id = uint32(len(c.ids))
			c.ids[g] = id
			c.size.Add(128) // with its context
		}
		key = binary.LittleEndian.AppendUint32(key, id)
	}
	if s, ok := c.states[string(key)]; ok {
		return s
	}
	s := &lexState{configs: configs, rule: -1, edges: make([]atomic.Pointer[lexState], l.classes.count+1)}
	for _, g := range configs {
		if g.state.kind == ruleStop {
			l.accept(s, g)
			break
		}
	}
	c.states[string(key)] = s
	c.size.Add(int64(256 + 8*len(s.edges) + 40*len(configs)))
	return s
}

// accept records the effect of the rule that ends in a state.
func (l *lexer) accept(s *lexState, g lexConfig) {
	s.rule, s.kind, s.channel, s.pred = int32(g.state.rule), int32(l.net.types[g.state.rule]), -1, g.pred
	var actions []lexerAction
	for list := g.actions; list != nil; list = list.before {
		actions = append(actions, l.net.actions[list.index])
	}
	for _, a := range slices.Backward(actions) {
		switch a.kind {
		case actSkip:
			s.kind = skipped
		case actMore:
			s.kind = continued
		case actType:
			s.kind = int32(a.a)
		case actChannel:
			s.channel = int32(a.a)
		case actMode, actPushMode, actPopMode:
			s.modeActions = append(s.modeActions, a)
		}
	}
}

func (g lexConfig) to(s *state) lexConfig {
	g.state = s
	g.nonGreedy = g.nonGreedy || s.decision >= 0 && s.nonGreedy
	return g
}

// A closure collects the configurations reachable without a character, in order
// of preference, as ANTLR's lexers do.
type closure struct {
	cache *lexCache
	step  func(n int)
	atEnd bool
	out   []lexConfig
}

// closure returns an empty closure.
func (c *lexCache) closure(r *run, atEnd bool) closure {
	c.seen.reset()
	return closure{cache: c, step: r.step, atEnd: atEnd}
}

// add follows g. accepted tells whether a preferred path has already reached
// the rule's end; add reports whether the end is reached now.
func (c *closure) add(g lexConfig, accepted bool) bool {
	for g.state.passes() {
		g = g.to(g.state.edges[0].target)
	}
	if reached, known := c.cache.seen.add(&g); known {
		return accepted || reached
	}
	if c.step(1); c.cache.seen.count > maxLexerConfigs {
		panic(&limit.Error{What: "configurations to lex one character", Value: strconv.Itoa(maxLexerConfigs)})
	}
	if g.state.kind == ruleStop {
		if g.context == nil {
			c.cache.seen.reach(&g)
			c.out = append(c.out, g)
			return true
		}
		up := g.to(g.context.follow)
		up.context = g.context.up
		if accepted = c.add(up, accepted); accepted {
			c.cache.seen.reach(&g)
		}
		return accepted
	}
	if slices.ContainsFunc(g.state.edges, (*edge).consumes) && (!accepted || !g.nonGreedy) {
		c.out = append(c.out, g)
	}
	for _, e := range g.state.edges {
		n := g.to(e.target)
		switch e.kind {
		case epsilon:
		case predicate:
			if n.pred == 0 {
				n.pred = e.pred
			}
		case ruleCall:
			n.context = c.cache.push(g.context, e.follow)
		case action:
			if g.context == nil {
				n.actions = c.cache.append(g.actions, e.index)
			}
		default:
			if !c.atEnd || !e.matches(eof, unicode.MaxRune) {
				continue
			}
		}
		accepted = c.add(n, accepted)
	}
	if accepted {
		c.cache.seen.reach(&g)
	}
	return accepted
}

// passes reports whether a state does nothing but lead to another state. Such states form no
// cycle: a repetition has a decision.
func (s *state) passes() bool {
	return s.kind != ruleStop && len(s.edges) == 1 && s.edges[0].kind == epsilon
}

func (c *lexCache) push(up *lexContext, follow *state) *lexContext {
	key := lexContext{up: up, follow: follow, depth: 1, hash: uint64(follow.number)}
	if up != nil {
		key.depth, key.hash = up.depth+1, mixHash(up.hash, key.hash)
	}
	if key.depth > maxLexerDepth {
		panic(&limit.Error{What: "nesting of lexer rules in one token", Value: strconv.Itoa(maxLexerDepth)})
	}
	x, ok := c.contexts[key]
	if !ok {
		x = &key
		c.contexts[key] = x
	}
	return x
}

func (c *lexCache) append(before *actionList, index int) *actionList {
	key := actionList{before: before, index: index, hash: uint64(index)}
	if before != nil {
		key.hash = mixHash(before.hash, key.hash)
	}
	x, ok := c.lists[key]
	if !ok {
		x = &key
		c.lists[key] = x
	}
	return x
}

// classes maps characters to character classes. All characters of a class match
// the same edges. The class after the last is the end of the input.
type classes struct {
	ascii  [utf8.RuneSelf]uint16
	pages  [(unicode.MaxRune + 1) / pageSize]*page
	bounds []rune // the first character of each class
	count  int
}

// A page has the classes of consecutive characters. Pages with a single class
// are shared.
type page [pageSize]uint16

const pageSize = 256

// decode returns the class and the width of the first character of text.
func (c *classes) decode(text []byte) (class uint16, width int) {
	char, width := utf8.DecodeRune(text)
	return c.pages[char/pageSize][char%pageSize], width
}

func classesOf(net *network) *classes { return newClasses(classBounds(net, false)) }

// finerClasses is like [classesOf], but also separates the parts of merged
// sets, unless there are too many.
func finerClasses(net *network) *classes {
	if bounds := classBounds(net, true); len(bounds) <= math.MaxUint16 {
		return newClasses(bounds)
	}
	return classesOf(net)
}

func newClasses(bounds []rune) *classes {
	c := &classes{bounds: bounds, count: len(bounds)}
	uniform := map[int]*page{} // by class
	class := 0
	for i := range c.pages {
		first := rune(i * pageSize)
		last := class
		for last+1 < len(bounds) && bounds[last+1] < first+pageSize {
			last++
		}
		if p := uniform[class]; p != nil && last == class {
			c.pages[i] = p
			continue
		}
		p := new(page)
		whole := last == class
		for j := range p {
			if class < last && bounds[class+1] == first+rune(j) {
				class++
			}
			p[j] = uint16(class)
		}
		if whole {
			uniform[class] = p
		}
		c.pages[i] = p
	}
	copy(c.ascii[:], c.pages[0][:])
	return c
}

// span returns the first and the last character of a class.
func (c *classes) span(class int) (lo, hi rune) {
	if class+1 < len(c.bounds) {
		return c.bounds[class], c.bounds[class+1] - 1
	}
	return c.bounds[class], unicode.MaxRune
}

// of returns the classes of the characters that an edge matches.
func (c *classes) of(e *edge) tokenSet {
	out := make(tokenSet, (c.count+1)>>6+1)
	mark := func(class int) { out[(class+1)>>6] |= 1 << ((class + 1) & 63) }
	for class, char := range c.bounds {
		if e.matches(char, unicode.MaxRune) {
			mark(class)
		}
	}
	if e.matches(eof, unicode.MaxRune) {
		mark(c.count)
	}
	return out
}

// classBounds returns the first character of each class, in order.
func classBounds(net *network, members bool) []rune {
	bounds := map[rune]bool{0: true, utf8.RuneSelf: true}
	addBounds := func(r interval) {
		if r.lo >= 0 {
			bounds[r.lo] = true
		}
		if r.hi < unicode.MaxRune {
			bounds[r.hi+1] = true
		}
	}
	for _, s := range net.states {
		for _, e := range s.edges {
			switch e.kind {
			case atom, charRange:
				addBounds(interval{e.lo, e.hi})
			case set, notSet:
				for _, r := range e.set {
					addBounds(r)
				}
			}
			for _, l := range e.members {
				if members {
					addBounds(interval{l.lo, l.hi})
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(bounds))
}
