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

// A lexer cuts text into tokens with an automaton over classes of characters
// that the grammar does not tell apart. Its states are made when they are first
// needed, shared by all who lex, and thrown away together when they are too many.
type lexer struct {
	net     *network
	classes *classes
	most    int64 // that a cache holds, in bytes
	cache   atomic.Pointer[lexCache]
}

// A lexCache holds the automaton's states made so far.
type lexCache struct {
	modes []atomic.Pointer[lexState] // where each mode starts
	size  atomic.Int64               // of everything held, roughly in bytes

	gate     *gate // guards what follows, and the making of states
	contexts map[lexContext]*lexContext
	lists    map[actionList]*actionList
	ids      map[lexConfig]uint32
	states   map[string]*lexState
}

// A lexConfig is a place in the lexer's network, and how it was come by.
type lexConfig struct {
	state     *state
	alt       int32 // which rule of the mode, from 1
	nonGreedy bool  // a non-greedy decision was passed on the way
	asks      int32 // the first predicate that was passed, from 1; 0 for none
	context   *lexContext
	actions   *actionList
}

// A lexContext is a stack of states to return to.
type lexContext struct {
	up     *lexContext
	follow *state
	depth  int
}

// An actionList is the lexer actions met so far, the last one first.
type actionList struct {
	before *actionList
	index  int
}

// A lexState is a state of the automaton.
type lexState struct {
	configs []lexConfig
	edges   []atomic.Pointer[lexState] // by class

	// What is done if the token ends here.
	rule    int32         // the rule that ends, -1 for none
	kind    int32         // the token's type, or skipped or goesOn
	channel int32         // -1: as it is
	asks    int32         // the first predicate that this depends on, from 1; 0 for none
	moves   []lexerAction // between modes
}

// Kinds of what a rule makes that is not a token, or not yet.
const (
	skipped = -3
	goesOn  = -2
)

const (
	maxLexerSize  = 96 << 20 // bytes that a cache holds
	maxLexerDepth = 10_000   // rules inside each other within one token
	maxLexerWays  = 1 << 18  // places reached without a character
)

func newLexer(net *network) *lexer {
	l := &lexer{net: net, classes: classesOf(net), most: maxLexerSize}
	l.cache.Store(l.newCache())
	return l
}

func (l *lexer) newCache() *lexCache {
	return &lexCache{
		gate:     newGate(),
		modes:    make([]atomic.Pointer[lexState], len(l.net.modes)),
		contexts: map[lexContext]*lexContext{},
		lists:    map[actionList]*actionList{},
		ids:      map[lexConfig]uint32{},
		states:   map[string]*lexState{},
	}
}

// bounded returns where to go on from a state: there, or in the like state of a
// fresh cache if this one has grown too large, in the middle of a token or not.
func (l *lexer) bounded(r *run, c *lexCache, s *lexState) (*lexCache, *lexState) {
	if c.size.Load() <= l.most {
		return c, s
	}
	l.cache.CompareAndSwap(c, l.newCache())
	c = l.cache.Load()
	c.gate.enter(r)
	defer c.gate.leave()
	moved := map[*lexContext]*lexContext{}
	configs := slices.Clone(s.configs)
	for i := range configs {
		configs[i].context = c.move(configs[i].context, moved)
		configs[i].actions = c.copied(configs[i].actions)
	}
	return c, l.intern(c, configs)
}

// move returns the like of another cache's context.
func (c *lexCache) move(x *lexContext, moved map[*lexContext]*lexContext) *lexContext {
	if x == nil {
		return nil
	}
	to, ok := moved[x]
	if !ok {
		to = c.push(c.move(x.up, moved), x.follow)
		moved[x] = to
	}
	return to
}

// copied returns the like of another cache's list.
func (c *lexCache) copied(list *actionList) *actionList {
	if list == nil {
		return nil
	}
	return c.append(c.copied(list.before), list.index)
}

// start returns the state in which the run's mode begins.
func (l *lexer) start(r *run, c *lexCache) *lexState {
	mode := r.mode
	if s := c.modes[mode].Load(); s != nil {
		return s
	}
	c.gate.enter(r)
	defer c.gate.leave()
	cl := closure{cache: c, step: r.step, seen: map[lexConfig]bool{}}
	for i, e := range l.net.modes[mode].edges {
		cl.add(lexConfig{state: e.target, alt: int32(i + 1)}, false)
	}
	s := l.intern(c, cl.out)
	c.modes[mode].Store(s)
	return s
}

// next returns the state after s on a character, or on the end of the input; a
// state without configurations is a dead end.
func (l *lexer) next(r *run, c *lexCache, s *lexState, class int, char rune) *lexState {
	c.gate.enter(r)
	defer c.gate.leave()
	if n := s.edges[class].Load(); n != nil {
		return n
	}
	r.step(1 + len(s.configs))
	cl := closure{cache: c, step: r.step, seen: map[lexConfig]bool{}, atEnd: char == eof}
	skip := int32(0) // the rule that has reached its end: the rest of it has lower priority
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

// intern returns the state of the configurations, making it if need be.
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

// accept notes in a state what the rule that ends there does.
func (l *lexer) accept(s *lexState, g lexConfig) {
	s.rule, s.kind, s.channel, s.asks = int32(g.state.rule), int32(l.net.types[g.state.rule]), -1, g.asks
	var actions []lexerAction
	for list := g.actions; list != nil; list = list.before {
		actions = append(actions, l.net.actions[list.index])
	}
	for _, a := range slices.Backward(actions) {
		switch a.kind {
		case actSkip:
			s.kind = skipped
		case actMore:
			s.kind = goesOn
		case actType:
			s.kind = int32(a.a)
		case actChannel:
			s.channel = int32(a.a)
		case actMode, actPushMode, actPopMode:
			s.moves = append(s.moves, a)
		}
	}
}

func (g lexConfig) to(s *state) lexConfig {
	g.state = s
	g.nonGreedy = g.nonGreedy || s.decision >= 0 && s.nonGreedy
	return g
}

// A closure collects the configurations that are reached without a character,
// in order of preference, as ANTLR's lexers do.
type closure struct {
	cache *lexCache
	step  func(n int)
	atEnd bool
	seen  map[lexConfig]bool // and whether the end of the rule was reached from there
	out   []lexConfig
}

// add follows g; accepted tells that the rule has reached its end already by a
// preferred way. It reports whether the end is reached now.
func (c *closure) add(g lexConfig, accepted bool) bool {
	if reached, ok := c.seen[g]; ok {
		return accepted || reached
	}
	c.seen[g] = false
	if c.step(1); len(c.seen) > maxLexerWays {
		panic(&limit.Error{What: "ways to read one character", Value: strconv.Itoa(maxLexerWays)})
	}
	if g.state.kind == ruleStop {
		if g.context == nil {
			c.seen[g] = true
			c.out = append(c.out, g)
			return true
		}
		up := g.to(g.context.follow)
		up.context = g.context.up
		accepted = c.add(up, accepted)
		c.seen[g] = accepted
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
			if n.asks == 0 {
				n.asks = e.asks
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
	c.seen[g] = accepted
	return accepted
}

func (c *lexCache) push(up *lexContext, follow *state) *lexContext {
	key := lexContext{up: up, follow: follow, depth: 1}
	if up != nil {
		key.depth = up.depth + 1
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
	key := actionList{before, index}
	x, ok := c.lists[key]
	if !ok {
		x = &key
		c.lists[key] = x
	}
	return x
}

// classes maps characters to classes. Characters of one class are on the same
// edges everywhere; the class after the last is the end of the input.
type classes struct {
	ascii  [utf8.RuneSelf]uint16
	pages  [(unicode.MaxRune + 1) / pageSize]*page
	bounds []rune // the first character of each class
	count  int
}

// A page has the classes of some consecutive characters. Pages of one class are
// one.
type page [pageSize]uint16

const pageSize = 256

// decode returns the class of the character that text begins with, and its width.
func (c *classes) decode(text []byte) (class uint16, width int) {
	char, width := utf8.DecodeRune(text)
	return c.pages[char/pageSize][char%pageSize], width
}

func classesOf(net *network) *classes { return newClasses(classBounds(net, false)) }

// finerClasses is like [classesOf], but the parts of a set, too, are on a class
// as a whole or not at all, unless there are too many.
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

// of returns the classes of the characters that an edge takes.
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
	cuts := map[rune]bool{0: true, utf8.RuneSelf: true}
	cut := func(r interval) {
		if r.lo >= 0 {
			cuts[r.lo] = true
		}
		if r.hi < unicode.MaxRune {
			cuts[r.hi+1] = true
		}
	}
	for _, s := range net.states {
		for _, e := range s.edges {
			switch e.kind {
			case atom, charRange:
				cut(interval{e.lo, e.hi})
			case set, notSet:
				for _, r := range e.set {
					cut(r)
				}
			}
			for _, l := range e.members {
				if members {
					cut(interval{l.lo, l.hi})
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(cuts))
}
