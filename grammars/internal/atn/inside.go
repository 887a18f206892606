package atn

import (
	"encoding/binary"
	"math"
	"slices"
	"sync"
)

// An Inside tells which symbols occur in derivations of the pieces of tokens that a
// lexer rule matches. A context is a place in such a derivation: 0 is the rule itself,
// the others are rules that it refers to, directly or indirectly. An Inside is
// immutable.
type Inside struct {
	contexts map[insideKey]int32
	used     map[insideKey]bool
}

// An insideKey is an occurrence directly below a context.
type insideKey struct{ context, occurrence int32 }

// Uses reports whether an occurrence directly below a context occurs in a derivation.
func (x *Inside) Uses(context, occurrence int32) bool {
	return context == AnyContext || x.used[insideKey{context, occurrence}]
}

// Below returns the context of a rule that an occurrence refers to.
func (x *Inside) Below(context, occurrence int32) int32 {
	if context == AnyContext {
		return AnyContext
	}
	return x.contexts[insideKey{context, occurrence}]
}

// AnyContext is the context of nested rules that are not analysed: all their symbols may
// occur.
const AnyContext = -1

// Limits of an analysis of a lexer rule.
const (
	maxInsideStates  = 10_000 // places in texts
	maxInsideThreads = 50_000 // ways to derive these texts
	maxInsideDepth   = 16     // nested rules; those below are not analysed
	maxInsideAgain   = 2      // nested calls of the same rule; those below are not analysed

	maxInsidePreferred = 4 // in the last attempt: preferred derivations of a place

	fastInsideThreads = 15_000 // of a fast analysis
)

// Inside analyses the matches of a lexer rule in a mode: the texts that the lexer reads
// as a match of this rule and no other, each derived by the first alternatives that
// lead to its end. It returns nil if the analysis takes too long, or if the rule
// matches the end of the input. It also returns the number of steps taken.
//
// It follows each derivation together with all derivations that are preferred to it. If
// one of these is at the same place, or also ends, the derivation is not chosen. After
// a rule that is not analysed, the lexer may be in any state, and no derivation is
// preferred.
//
// If the analysis takes too long, it is repeated with less precision: first it ignores
// rules for words, such as keywords, then all other rules, and then most preferences
// where there are many. A fast analysis begins with the least precision.
func (m *Machine) Inside(s *Speller, mode, rule int, fast bool) (out *Inside, work int) {
	first := s.start(string(rune(mode)))
	if first == nil || m.dissector().samples() == nil {
		return nil, 1
	}
	attempts := []*lexState{first, s.withoutWords(first, mode, rule), nil, nil}
	for i, lexer := range attempts {
		last := i == len(attempts)-1
		if fast && !last {
			continue
		}
		x := m.newInsideSearch(s, mode, rule)
		if x.most, x.threads = math.MaxInt, maxInsideThreads; last {
			x.most = maxInsidePreferred
		}
		if fast {
			x.threads = fastInsideThreads
		}
		s.over = false
		x.follow(-1, lexer, x.dfa.starts[rule], 0, map[thread]bool{}, nil, nil)
		for i := 0; i < len(x.all) && !x.failed; i++ {
			x.extend(int32(i))
			x.failed = x.failed || len(x.all) > maxInsideStates || x.work > x.threads
		}
		if work += x.work; !x.failed && !s.over {
			return x.inside(), work
		}
	}
	return nil, work
}

// withoutWords returns the first state of a mode without the rules that match only
// texts of limited length, such as keywords. It keeps the given rule.
func (s *Speller) withoutWords(first *lexState, mode, rule int) *lexState {
	edges, loops := s.lexer.net.modes[mode].edges, map[int]bool{}
	return s.without(first, func(g lexConfig) bool {
		r := edges[g.alt-1].target.rule
		return r != rule && !s.lexer.net.loops(r, loops)
	})
}

// loops reports whether a rule matches texts of unlimited length. The results for other
// rules are in known.
func (net *network) loops(rule int, known map[int]bool) bool {
	if out, ok := known[rule]; ok {
		return out
	}
	known[rule] = true // if it refers to itself
	const begun, done = 1, 2
	at := map[*state]int{}
	var visit func(s *state) bool
	visit = func(s *state) bool {
		if at[s] != 0 || s.kind == ruleStop {
			return at[s] == begun
		}
		at[s] = begun
		for _, e := range s.edges {
			next := e.target
			if e.kind == ruleCall {
				if net.loops(e.rule, known) {
					return true
				}
				next = e.follow
			}
			if visit(next) {
				return true
			}
		}
		at[s] = done
		return false
	}
	known[rule] = visit(net.starts[rule])
	return known[rule]
}

func (m *Machine) newInsideSearch(s *Speller, mode, rule int) *insideSearch {
	x := &insideSearch{
		Speller: s, dfa: m.dissector().dfa, samples: m.dissector().samples(), rule: int32(rule),
		calls: []insideCall{{}}, stacks: map[insideCall]int32{}, places: map[string]int32{}, lexers: map[*lexState]int32{},
		out:  &Inside{contexts: map[insideKey]int32{}, used: map[insideKey]bool{}},
		only: make(tokenSet, len(s.lexer.net.modes[mode].edges)/64+1),
	}
	for i, e := range s.lexer.net.modes[mode].edges {
		if e.target.rule == rule {
			x.only.add(int32(i))
		}
	}
	return x
}

// newSamples returns one character of each set of characters that all lexer rules treat
// alike. It returns nil if the classes of characters are too coarse to tell the parts
// of a set apart.
func (d *dissector) newSamples() []rune {
	classes := d.dfa.classes
	alike := make([]int32, classes.count) // by class: the number of its set so far
	count := int32(1)
	done := map[string]bool{}
	var key []byte
	for i := range d.dfa.states {
		for j := range d.dfa.states[i].arcs {
			a := &d.dfa.states[i].arcs[j]
			if a.takes == nil {
				continue
			}
			occurrences, ok := classes.occurrences(a)
			if !ok {
				return nil
			}
			key = key[:0]
			for _, o := range occurrences {
				key = binary.LittleEndian.AppendUint32(key, uint32(o))
			}
			if done[string(key)] {
				continue
			}
			done[string(key)] = true
			split := map[[2]int32]int32{}
			for class, o := range occurrences {
				if o == notTaken {
					continue
				}
				part := [2]int32{alike[class], o}
				if _, ok := split[part]; !ok {
					split[part] = count
					count++
				}
				alike[class] = split[part]
			}
		}
	}
	var out []rune
	seen := map[int32]bool{}
	for class, kind := range alike {
		lo, hi := classes.span(class)
		if seen[kind] || lo >= surrogateMin && hi <= surrogateMax {
			continue
		}
		seen[kind] = true
		if lo >= surrogateMin && lo <= surrogateMax {
			lo = hi
		}
		out = append(out, lo)
	}
	return out
}

// notTaken stands for the occurrence of characters that an arc does not take.
const notTaken = -2

// occurrences returns, by class, the occurrence of the characters that an arc takes:
// none if the arc is not a merged set, and notTaken for other characters. It reports
// false if a class has characters of several occurrences.
func (c *classes) occurrences(a *tokenArc) ([]int32, bool) {
	out := make([]int32, c.count)
	for class := range out {
		if out[class] = notTaken; a.takes.has(int32(class)) {
			out[class] = none
		}
	}
	for _, l := range slices.Backward(a.edge.members) { // the first one counts
		if l.lo < 0 {
			return nil, false
		}
		from, to := int(c.pages[l.lo/pageSize][l.lo%pageSize]), int(c.pages[l.hi/pageSize][l.hi%pageSize])
		lo, _ := c.span(from)
		_, hi := c.span(to)
		if lo != l.lo || hi != l.hi {
			return nil, false
		}
		for class := from; class <= to; class++ {
			out[class] = l.occurrence
		}
	}
	return out, true
}

// samples returns the result of newSamples, which is computed once.
func (d *dissector) samples() []rune {
	d.once.Do(func() { d.sampled = d.newSamples() })
	return d.sampled
}

// samplesOnce holds the samples of a dissector.
type samplesOnce struct {
	once    sync.Once
	sampled []rune
}

// A thread is a place in a lexer rule: before an arc that consumes a character, or at the
// end.
type thread struct {
	state, arc int32 // the arc is -1 before all arcs of the state
	calls      int32
}

// behindRule is the arc of a thread behind a rule that is not analysed.
const behindRule = -2

// An insideCall is an active call of a rule.
type insideCall struct {
	up, follow int32
	target     int32 // the first state of the rule
	context    int32
	depth      int32
}

// A place is a derivation of a text: its thread, the lexer after the text, and the threads
// of the derivations that are preferred to it.
type place struct {
	at        thread
	lexer     *lexState // nil if it is not known
	preferred []thread  // sorted
}

// An insideStep leads from one place to another and derives symbols.
type insideStep struct {
	from, to int32
	symbols  []insideKey
}

type insideSearch struct {
	*Speller
	dfa     *tokenDFA
	samples []rune
	rule    int32
	only    tokenSet

	calls  []insideCall
	stacks map[insideCall]int32
	places map[string]int32
	lexers map[*lexState]int32
	all    []place // by number
	steps  []insideStep
	out    *Inside
	last   int32 // the last context
	most   int   // preferred derivations of a place, at most

	threads int // limit on work
	work    int
	failed  bool
}

// follow adds the places that a derivation reaches from a state without consuming a
// character. The threads of preferred derivations are in visited.
func (x *insideSearch) follow(from int32, lexer *lexState, state, calls int32, visited map[thread]bool, preferred []thread, symbols []insideKey) {
	path := map[thread]bool{}
	x.advance(thread{state, -1, calls}, visited, path, symbols, func(t thread, symbols []insideKey) {
		to := x.place(place{t, lexer, preferred})
		x.steps = append(x.steps, insideStep{from, to, slices.Clone(symbols)})
		preferred = insert(preferred, t)
	}, func(t thread, symbols []insideKey) {
		to := x.place(place{at: t})
		x.steps = append(x.steps, insideStep{from, to, slices.Clone(symbols)})
	})
}

// insert adds a thread to a sorted list, which it does not change.
func insert(list []thread, t thread) []thread {
	i, ok := slices.BinarySearchFunc(list, t, compareThreads)
	if ok {
		return list
	}
	return slices.Insert(slices.Clone(list), i, t)
}

func compareThreads(a, b thread) int {
	switch {
	case a.state != b.state:
		return int(a.state - b.state)
	case a.arc != b.arc:
		return int(a.arc - b.arc)
	default:
		return int(a.calls - b.calls)
	}
}

// advance visits the threads that can be reached without a character, in the order of
// preference, except those that were visited before. It calls skip with the threads
// behind rules that are not analysed.
func (x *insideSearch) advance(t thread, visited, path map[thread]bool, symbols []insideKey, visit, skip func(thread, []insideKey)) {
	if x.work++; x.failed || x.work > x.threads {
		x.failed = true
		return
	}
	if path[t] { // a loop without a character
		x.failed = true
		return
	}
	if visited[t] {
		return
	}
	visited[t], path[t] = true, true
	defer delete(path, t)
	s := &x.dfa.states[t.state]
	if s.stop {
		if t.calls == 0 {
			visit(t, symbols)
			return
		}
		call := x.calls[t.calls]
		x.advance(thread{call.follow, -1, call.up}, visited, path, symbols, visit, skip)
		return
	}
	for i := range s.arcs {
		a := &s.arcs[i]
		switch {
		case a.takes != nil:
			if a.takes.has(int32(x.dfa.classes.count)) {
				x.failed = true
			}
			if next := (thread{t.state, int32(i), t.calls}); !visited[next] {
				visited[next] = true
				visit(next, symbols)
			}
		case a.edge.kind == ruleCall:
			symbol := insideKey{x.calls[t.calls].context, a.edge.occurrence}
			if !x.isLastCall(t.calls, a.follow, a.target) && x.isDeep(t.calls, a.target) {
				x.out.contexts[symbol] = AnyContext
				skip(thread{a.follow, behindRule, t.calls}, append(symbols, symbol))
				continue
			}
			x.advance(thread{a.target, -1, x.call(t.calls, a.follow, a.target, symbol)}, visited, path, append(symbols, symbol), visit, skip)
		case a.edge.occurrence != none:
			symbol := insideKey{x.calls[t.calls].context, a.edge.occurrence}
			x.advance(thread{a.target, -1, t.calls}, visited, path, append(symbols, symbol), visit, skip)
		default:
			x.advance(thread{a.target, -1, t.calls}, visited, path, symbols, visit, skip)
		}
	}
}

// isDeep reports whether a call is nested too deeply for the called rule to be
// analysed.
func (x *insideSearch) isDeep(calls, target int32) bool {
	if x.calls[calls].depth == maxInsideDepth {
		return true
	}
	again := 0
	for ; calls != 0; calls = x.calls[calls].up {
		if x.calls[calls].target == target {
			again++
		}
	}
	return again >= maxInsideAgain
}

// isLastCall reports whether a call is the end of the rule that it calls: a tail call.
// A text can have as many tail calls as characters, but only one of them matters.
func (x *insideSearch) isLastCall(up, follow, target int32) bool {
	own := x.dfa.starts[x.rule]
	if up != 0 {
		own = x.calls[up].target
	}
	return x.dfa.states[follow].stop && own == target
}

// call returns the number of a call of a rule, and adds the call on first use.
func (x *insideSearch) call(up, follow, target int32, symbol insideKey) int32 {
	if x.isLastCall(up, follow, target) {
		x.out.contexts[symbol] = x.calls[up].context
		return up
	}
	context, ok := x.out.contexts[symbol]
	if !ok {
		x.last++
		context = x.last
		x.out.contexts[symbol] = context
	}
	c := insideCall{up, follow, target, context, x.calls[up].depth + 1}
	i, ok := x.stacks[c]
	if !ok {
		i = int32(len(x.calls))
		x.calls = append(x.calls, c)
		x.stacks[c] = i
	}
	return i
}

// place returns the number of a place, and adds the place on first use.
func (x *insideSearch) place(p place) int32 {
	if len(p.preferred) > x.most {
		p.preferred = x.outermost(p.preferred)
	}
	lexer, ok := x.lexers[p.lexer]
	if !ok {
		lexer = int32(len(x.lexers))
		x.lexers[p.lexer] = lexer
	}
	key := binary.LittleEndian.AppendUint32(nil, uint32(lexer))
	for _, t := range append([]thread{p.at}, p.preferred...) {
		key = binary.LittleEndian.AppendUint32(key, uint32(t.state))
		key = binary.LittleEndian.AppendUint32(key, uint32(t.arc))
		key = binary.LittleEndian.AppendUint32(key, uint32(t.calls))
	}
	i, ok := x.places[string(key)]
	if !ok {
		i = int32(len(x.all))
		x.all = append(x.all, p)
		x.places[string(key)] = i
	}
	return i
}

// outermost returns as many threads as a place may have: those in the fewest nested rules.
func (x *insideSearch) outermost(list []thread) []thread {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b thread) int { return int(x.calls[a.calls].depth - x.calls[b.calls].depth) })
	list = list[:x.most]
	slices.SortFunc(list, compareThreads)
	return list
}

// arc returns the arc of a thread; nil at the end.
func (x *insideSearch) arc(t thread) *tokenArc {
	if t.arc < 0 {
		return nil
	}
	return &x.dfa.states[t.state].arcs[t.arc]
}

// extend adds the places that a derivation reaches with one more character.
func (x *insideSearch) extend(i int32) {
	p := x.all[i]
	if p.at.arc == behindRule {
		x.follow(i, nil, p.at.state, p.at.calls, map[thread]bool{}, nil, nil)
		return
	}
	a := x.arc(p.at)
	if a == nil {
		return
	}
	type group struct {
		lexer *lexState
		takes string // for each preferred derivation, whether it takes the character
	}
	known := map[group][2]int{} // the steps of a group
	takes := make([]byte, len(p.preferred))
	for _, char := range x.samples {
		class := int32(x.dfa.classes.pages[char/pageSize][char%pageSize])
		if !a.takes.has(class) {
			continue
		}
		lexer := p.lexer
		if lexer != nil {
			lexer = x.next(lexer, int(x.lexer.classes.pages[char/pageSize][char%pageSize]), char)
			if lexer == nil || x.lost(lexer) {
				continue
			}
		}
		x.work++
		var symbols []insideKey
		if !a.edge.continues { // a literal has a single leaf
			symbols = append(symbols, insideKey{x.calls[p.at.calls].context, a.edge.occurrenceOf(char)})
		}
		for j, t := range p.preferred {
			takes[j] = 0
			if b := x.arc(t); b != nil && b.takes.has(class) {
				takes[j] = 1
			}
		}
		key := group{lexer, string(takes)}
		if from, ok := known[key]; ok {
			x.repeat(from, symbols)
			continue
		}
		from := len(x.steps)
		visited := map[thread]bool{}
		var preferred []thread
		for j, t := range p.preferred {
			if takes[j] == 1 {
				x.advance(thread{x.arc(t).target, -1, t.calls}, visited, map[thread]bool{}, nil,
					func(t thread, _ []insideKey) { preferred = insert(preferred, t) }, func(thread, []insideKey) {})
			}
		}
		if x.follow(i, lexer, a.target, p.at.calls, visited, preferred, symbols); x.failed {
			return
		}
		known[key] = [2]int{from, len(x.steps)}
	}
}

// repeat adds the given range of steps again, with other first symbols.
func (x *insideSearch) repeat(steps [2]int, symbols []insideKey) {
	if len(symbols) == 0 {
		return
	}
	for _, s := range x.steps[steps[0]:steps[1]] {
		if s.symbols[0] != symbols[0] {
			x.steps = append(x.steps, insideStep{s.from, s.to, symbols}) // the other symbols are in the first step
		}
	}
}

// lost reports whether no continuation of the text can be a match of the rule.
func (x *insideSearch) lost(at *lexState) bool {
	return at.rule != x.rule && !slices.ContainsFunc(at.configs, func(c lexConfig) bool { return x.only.has(c.alt - 1) })
}

// accepts reports whether the rule matches at a place.
func (x *insideSearch) accepts(p *place) bool {
	if x.arc(p.at) != nil || p.at.arc == behindRule {
		return false
	}
	if p.lexer == nil || p.lexer.rule == x.rule {
		return true
	}
	end := x.atEnd(p.lexer)
	return end != nil && end.rule == x.rule
}

// inside returns the symbols of all steps that lead to places where the rule matches.
func (x *insideSearch) inside() *Inside {
	before := make([][]int32, len(x.all)) // by place: the steps to it
	for i, s := range x.steps {
		before[s.to] = append(before[s.to], int32(i))
	}
	seen := make([]bool, len(x.all))
	var work []int32
	for i := range x.all {
		if x.accepts(&x.all[i]) {
			work, seen[i] = append(work, int32(i)), true
		}
	}
	for len(work) > 0 {
		to := work[len(work)-1]
		work = work[:len(work)-1]
		for _, i := range before[to] {
			s := &x.steps[i]
			for _, key := range s.symbols {
				x.out.used[key] = true
			}
			if s.from >= 0 && !seen[s.from] {
				work, seen[s.from] = append(work, s.from), true
			}
		}
	}
	return x.out
}
