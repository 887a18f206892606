package refine

import (
	"encoding/binary"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/limit"
)

// A continuation is the number of a sequence of items that remain to be derived. It
// ends with the end of a rule, whose context is not known.
type continuation int32

// bottomOf is the continuation at the end of a rule.
const bottomOf continuation = 0

// An item is the first part of a continuation.
type item struct {
	kind itemKind
	id   int32 // a node, or the index of a rule; -1-i for the character of a literal at index i of chars
}

type itemKind uint8

const (
	tokenItem     itemKind = iota // a token of a node
	ruleItem                      // a rule
	choiceItem                    // an alternation
	optionItem                    // an optional part
	loopItem                      // any number of rounds of a repetition
	operatorsItem                 // any number of operators of a left-recursive rule, with their operands
)

// A link is an item followed by a continuation.
type link struct {
	item item
	next continuation
}

// An inclusion decides whether all token sequences of a continuation are among those of
// other continuations. It ignores operator precedence. Where it cannot tell, it reports
// false.
//
// It searches for a sequence that only the first continuation derives. It derives both
// sides step by step, and keeps the set of all continuations that the other side can be
// at. It visits each pair of a continuation and a set once. Where the same symbol comes
// next on both sides, it is enough that the remainder after the symbol is included.
type inclusion struct {
	grammar  *grammars.Grammar
	meter    *limit.Meter
	adjacent *adjacency
	unchosen unchosen // choices that need not be considered on the included side
	nowhere  typeSet
	chars    []typeSet        // characters of literals in a scannerless grammar
	charOf   map[string]int32 // to index in chars

	links   []link // by continuation
	numbers map[link]continuation
	nexts   map[continuation][]continuation // the results of unfold
	firsts  []typeSet                       // by continuation; nil if unknown

	sets      [][]continuation // closed under unfold, sorted
	begins    []typeSet        // by set: the tokens that come first; nil if unknown
	setOf     map[string]int32
	steps     map[setStep]int32
	included  map[inclusionKey]bool // known or assumed answers
	assumed   []inclusionKey        // in order of assumption
	open      bool                  // whether the current question depends on what follows the rule
	work      int                   // left for the current question
	mostWork  int                   // for a question
	mostOpen  int                   // continuations of a set
	mostSkips int                   // continuations that are looked at to skip an item, see decideBySkip
	totalWork int                   // left for all questions
}

type inclusionKey struct {
	of continuation
	in int32 // a set
}

type setStep struct {
	set  int32
	by   item // the item that is passed; for a token type t, a tokenItem with id -1-t
	next continuation
}

// Limits of an inclusion, in units of one continuation that is looked at.
const (
	maxDominatedWork = 3_000   // for an alternative and the earlier ones
	maxPrecededWork  = 1_000   // for a choice and a decision before it
	maxTotalWork     = 400_000 // for all questions of a kind
	maxOpenSet       = 1_000   // continuations of a set
)

// noSet is the number of a set that is empty or too large.
const noSet = -1

func newInclusion(m *limit.Meter, g *grammars.Grammar, a *adjacency, u unchosen) *inclusion {
	return &inclusion{
		grammar: g, meter: m, adjacent: a, unchosen: u, nowhere: make(typeSet, len(g.Tokens())/64+1),
		links: []link{{}}, firsts: []typeSet{nil}, numbers: map[link]continuation{}, nexts: map[continuation][]continuation{},
		charOf: map[string]int32{}, setOf: map[string]int32{}, steps: map[setStep]int32{}, included: map[inclusionKey]bool{}, mostWork: maxDominatedWork, mostOpen: maxOpenSet, totalWork: maxTotalWork,
	}
}

// push puts an item in front of a continuation.
func (x *inclusion) push(i item, next continuation) continuation {
	if repeats := i.kind == loopItem || i.kind == operatorsItem; repeats && next != bottomOf && x.links[next].item == i {
		return next // two repetitions of the same are one
	}
	key := link{i, next}
	c, ok := x.numbers[key]
	if !ok {
		c = continuation(len(x.links))
		x.links = append(x.links, key)
		x.firsts = append(x.firsts, nil)
		x.numbers[key] = c
	}
	return c
}

// node puts a node of a parser rule in front of a continuation.
func (x *inclusion) node(n *grammars.Node, next continuation) continuation {
	switch {
	case n.Kind == grammars.Concatenation:
		return x.nodes(n.Children, next)
	case n.Kind == grammars.Alternation:
		return x.push(item{choiceItem, int32(n.ID)}, next)
	case n.Kind == grammars.Repetition && n.Max == 1:
		return x.push(item{optionItem, int32(n.ID)}, next)
	case n.Kind == grammars.Repetition:
		if next = x.loop(n, next); n.Max == n.Min {
			next = x.links[next].next
		}
		for range n.Min {
			next = x.node(n.Children[0], next)
		}
		return next
	case n.Kind == grammars.Literal && x.grammar.Scannerless:
		return x.text(n, next)
	case n.Kind == grammars.Reference && n.Token == 0 && n.Target != nil:
		return x.push(item{ruleItem, int32(n.Target.Index)}, next)
	case n.Kind == grammars.Empty:
		return next
	default:
		return x.push(item{tokenItem, int32(n.ID)}, next)
	}
}

// text puts the characters of a literal in front of a continuation.
func (x *inclusion) text(n *grammars.Node, next continuation) continuation {
	for _, types := range slices.Backward(x.grammar.LiteralTypes(n)) {
		key := fmt.Sprint(types)
		i, ok := x.charOf[key]
		if !ok {
			i = int32(len(x.chars))
			set := slices.Clone(x.nowhere)
			for _, t := range types {
				set.add(t)
			}
			x.chars, x.charOf[key] = append(x.chars, set), i
		}
		next = x.push(item{tokenItem, -1 - i}, next)
	}
	return next
}

// types returns the types of a token item.
func (x *inclusion) types(i item) typeSet {
	if i.id < 0 {
		return x.chars[-1-i.id]
	}
	return x.adjacent.first[i.id]
}

// isBounded reports whether a loop item stands for a repetition with an upper bound. It
// may have only some rounds left, so it is not unfolded on the including side.
func (x *inclusion) isBounded(i item) bool {
	return i.kind == loopItem && x.grammar.Nodes[i.id].Max > 1
}

// nodes puts nodes in front of a continuation.
func (x *inclusion) nodes(all []*grammars.Node, next continuation) continuation {
	for _, n := range slices.Backward(all) {
		next = x.node(n, next)
	}
	return next
}

// loop puts any number of rounds of a repetition in front of a continuation.
func (x *inclusion) loop(n *grammars.Node, next continuation) continuation {
	return x.push(item{loopItem, int32(n.ID)}, next)
}

// round puts at least one round of a repetition in front of a continuation.
func (x *inclusion) round(n *grammars.Node, next continuation) continuation {
	if n.Max != 1 {
		next = x.loop(n, next)
	}
	return x.node(n.Children[0], next)
}

// operators puts any number of operators of a rule in front of a continuation.
func (x *inclusion) operators(r *grammars.Rule, next continuation) continuation {
	return x.push(item{operatorsItem, int32(r.Index)}, next)
}

// operator puts an alternative of a left-recursive rule, and any number of operators, in
// front of a continuation. The left operand is left out.
func (x *inclusion) operator(r *grammars.Rule, i int, next continuation) continuation {
	next = x.operators(r, next)
	if op := &r.Operators[i]; op.Left != derivation.None {
		return x.nodes(op.Alt.Children[1:], next)
	}
	return x.node(r.Operators[i].Alt, next)
}

// replace returns a continuation followed by another one.
func (x *inclusion) replace(c, end continuation) continuation {
	if c == bottomOf {
		return end
	}
	at := x.links[c]
	return x.push(at.item, x.replace(at.next, end))
}

// unfold returns the continuations that one step of derivation leads to; nil before a
// token.
func (x *inclusion) unfold(c continuation) []continuation {
	if out, ok := x.nexts[c]; ok {
		return out
	}
	var out []continuation
	if c != bottomOf && x.isBounded(x.links[c].item) {
		x.nexts[c] = nil
		return nil
	}
	for _, o := range x.options(c) {
		out = append(out, o.after)
	}
	x.nexts[c] = out
	return out
}

// An option is a continuation that a step of derivation leads to, and the choice that
// the step makes.
type option struct {
	after  continuation
	choice choice
}

// options returns the steps of derivation from a continuation; nil before a token.
func (x *inclusion) options(c continuation) []option {
	at := x.links[c]
	if c == bottomOf || at.item.kind == tokenItem {
		return nil
	}
	switch at.item.kind {
	case ruleItem:
		r := x.grammar.ParserRules()[at.item.id]
		if r.Operators == nil {
			return []option{{after: x.node(x.grammar.Nodes[r.Root], at.next), choice: noChoice}}
		}
		var out []option
		for i, op := range r.Operators {
			if op.Left == derivation.None {
				out = append(out, option{x.operator(r, i, at.next), choice{r.Root, i}})
			}
		}
		return out
	case operatorsItem:
		r := x.grammar.ParserRules()[at.item.id]
		out := []option{{after: at.next, choice: noChoice}}
		for i, op := range r.Operators {
			if op.Left != derivation.None {
				out = append(out, option{x.operator(r, i, at.next), choice{r.Root, i}})
			}
		}
		return out
	case choiceItem:
		n := x.grammar.Nodes[at.item.id]
		var out []option
		for i, alt := range n.Children {
			out = append(out, option{x.node(alt, at.next), choice{n.ID, i}})
		}
		return out
	default:
		n := x.grammar.Nodes[at.item.id]
		present := choice{n.ID, 1}
		if n.Kind == grammars.Repetition && n.Min > 0 {
			present = noChoice // a further round
		}
		return []option{{after: at.next, choice: noChoice}, {x.round(n, at.next), present}}
	}
}

// first returns the tokens that a continuation can begin with.
func (x *inclusion) first(c continuation) typeSet {
	if x.firsts[c] == nil && c != bottomOf {
		set := slices.Clone(x.nowhere)
		x.firsts[c] = set
		at := x.links[c]
		nullable := true
		switch at.item.kind {
		case tokenItem:
			set.addAll(x.types(at.item))
			nullable = false
		case choiceItem, optionItem, loopItem:
			set.addAll(x.adjacent.first[at.item.id])
			nullable = at.item.kind != choiceItem || x.adjacent.nullable[at.item.id]
		case ruleItem:
			root := x.grammar.ParserRules()[at.item.id].Root
			set.addAll(x.adjacent.first[root])
			nullable = x.adjacent.nullable[root]
		case operatorsItem:
			r := x.grammar.ParserRules()[at.item.id]
			for i, op := range r.Operators {
				if op.Left != derivation.None {
					set.addAll(x.first(x.operator(r, i, bottomOf)))
				}
			}
		}
		if nullable {
			set.addAll(x.first(at.next))
		}
	}
	if c == bottomOf {
		return x.nowhere
	}
	return x.firsts[c]
}

// empty reports whether a continuation can derive the empty sequence.
func (x *inclusion) empty(c continuation) bool {
	for ; c != bottomOf; c = x.links[c].next {
		switch at := x.links[c].item; at.kind {
		case tokenItem:
			return false
		case choiceItem:
			if !x.adjacent.nullable[at.id] {
				return false
			}
		case ruleItem:
			if !x.adjacent.nullable[x.grammar.ParserRules()[at.id].Root] {
				return false
			}
		}
	}
	return true
}

// dead reports whether a continuation derives nothing, because the lexer reads none of the
// tokens that it begins with.
func (x *inclusion) dead(c continuation) bool { return !x.empty(c) && !x.first(c).meets(x.first(c)) }

// meets reports whether two sets have a common member.
func (s typeSet) meets(other typeSet) bool {
	for i, word := range other {
		if word&s[i] != 0 {
			return true
		}
	}
	return false
}

// contains reports whether a set has all members of another.
func (s typeSet) contains(all typeSet) bool {
	for i, word := range all {
		if word&^s[i] != 0 {
			return false
		}
	}
	return true
}

// set returns the number of the set of continuations that some continuations lead to
// before the next token; noSet if there are none or too many. It leaves out
// continuations that share no first token with the continuation that the set is
// compared with.
func (x *inclusion) set(from []continuation, of continuation) int32 {
	var all []continuation
	types := x.first(of)
	seen := make(map[continuation]struct{}, len(from))
	visit := func(c continuation) {
		if c != bottomOf && !x.empty(c) && !x.first(c).meets(types) {
			return
		}
		if _, ok := seen[c]; !ok {
			seen[c] = struct{}{}
			all = append(all, c)
		}
	}
	for _, c := range from {
		visit(c)
	}
	for i := 0; i < len(all); i++ {
		if x.spend(1); len(all) > x.mostOpen || x.work < 0 {
			return noSet
		}
		for _, c := range x.unfold(all[i]) {
			visit(c)
		}
	}
	if len(all) == 0 {
		return noSet
	}
	slices.Sort(all)
	key := make([]byte, 0, 4*len(all))
	for _, c := range all {
		key = binary.LittleEndian.AppendUint32(key, uint32(c))
	}
	i, ok := x.setOf[string(key)]
	if !ok {
		i = int32(len(x.sets))
		x.sets = append(x.sets, all)
		x.begins = append(x.begins, nil)
		x.setOf[string(key)] = i
	}
	return i
}

func (x *inclusion) spend(work int) {
	x.meter.Step(work)
	x.work -= work
	x.totalWork -= work
}

// begin returns the tokens that the continuations of a set can begin with.
func (x *inclusion) begin(set int32) typeSet {
	if x.begins[set] == nil {
		x.begins[set] = slices.Clone(x.nowhere)
		for _, c := range x.sets[set] {
			if c != bottomOf && x.links[c].item.kind == tokenItem {
				x.begins[set].addAll(x.types(x.links[c].item))
			}
		}
	}
	return x.begins[set]
}

// token returns the set after a token, to be compared with a continuation.
func (x *inclusion) token(set int32, t int, next continuation) int32 {
	return x.step(set, item{tokenItem, -1 - int32(t)}, next, func(i item) bool { return i.kind == tokenItem && x.types(i).has(t) })
}

// after returns the set after an item, to be compared with a continuation.
func (x *inclusion) after(set int32, by item, next continuation) int32 {
	return x.step(set, by, next, func(i item) bool { return i == by })
}

func (x *inclusion) step(set int32, by item, next continuation, matches func(item) bool) int32 {
	key := setStep{set, by, next}
	if to, ok := x.steps[key]; ok {
		return to
	}
	var from []continuation
	x.spend(len(x.sets[set]) / 8)
	for _, c := range x.sets[set] {
		if c != bottomOf && matches(x.links[c].item) {
			from = append(from, x.pass(c))
		}
	}
	to := x.set(from, next)
	if to != noSet || len(from) == 0 {
		x.steps[key] = to
	}
	return to
}

// pass returns the continuation after the first item of another. More operators can come
// after a left-recursive rule: together, they are the rule again.
func (x *inclusion) pass(c continuation) continuation {
	at := x.links[c]
	if at.item.kind == ruleItem {
		if r := x.grammar.ParserRules()[at.item.id]; r.Operators != nil {
			return x.operators(r, at.next)
		}
	}
	return at.next
}

// includes reports whether all token sequences of a continuation are among those of
// others. It reports false if it cannot tell.
func (x *inclusion) includes(of continuation, in []continuation) bool {
	if x.open = false; x.totalWork < 0 {
		return false
	}
	for _, c := range in {
		x.open = x.open || x.empty(c)
	}
	if x.spend(1); !x.beginsWithin(of, in) {
		return false
	}
	if slices.Contains(in, of) || x.dead(of) {
		return true
	}
	alone := 0
	for _, c := range in {
		if alone == maxAlone || len(in) == 1 {
			break
		}
		if x.first(c).contains(x.first(of)) {
			if alone++; x.decide(of, []continuation{c}, x.mostWork/maxAlone) {
				return true
			}
		}
	}
	return x.decide(of, in, x.mostWork)
}

// beginsWithin reports whether all tokens that a continuation can begin with are among those of
// others.
func (x *inclusion) beginsWithin(of continuation, in []continuation) bool {
	first := x.first(of)
	if first.len() > len(first) {
		begin := slices.Clone(x.nowhere)
		for _, c := range in {
			begin.addAll(x.first(c))
		}
		return begin.contains(first)
	}
	// A rule may have thousands of alternatives, most of which begin with one token.
	for t := range first.all() {
		if !slices.ContainsFunc(in, func(c continuation) bool { return x.first(c).has(t) }) {
			return false
		}
	}
	return true
}

// maxAlone limits the continuations that are tried alone, before all together. A single
// continuation has smaller sets.
const maxAlone = 4

// decide is like includes, within a limit on the work.
func (x *inclusion) decide(of continuation, in []continuation, work int) bool {
	x.work = min(work, x.totalWork)
	set := x.set(in, of)
	before := len(x.assumed)
	if set != noSet && x.holds(of, set) {
		x.assumed = x.assumed[:0] // all of them hold
		return true
	}
	x.forget(before)
	if set != noSet && x.work >= 0 { // it is decided
		return false
	}
	x.work = min(work, x.totalWork)
	if x.decideBySkip(of, in) {
		x.assumed = x.assumed[:0]
		return true
	}
	x.forget(before)
	return false
}

// decideBySkip reports whether a continuation is included in others because these lead
// to its first item, and the remainder after the item is included. It avoids the set of
// all continuations that the item leads to, which can be too large.
func (x *inclusion) decideBySkip(of continuation, in []continuation) bool {
	if of == bottomOf || x.links[of].item.kind == tokenItem {
		return false
	}
	at, types := x.links[of], x.first(of)
	seen := map[continuation]struct{}{}
	var rest []continuation
	for work := slices.Clone(in); len(work) > 0 && len(seen) < x.mostSkips; work = work[1:] {
		c := work[0]
		if _, ok := seen[c]; ok || c == bottomOf || !x.empty(c) && !x.first(c).meets(types) {
			continue
		}
		seen[c] = struct{}{}
		if x.spend(1); x.work < 0 {
			return false
		}
		if x.links[c].item == at.item {
			rest = append(rest, x.pass(c))
		} else {
			work = append(work, x.unfold(c)...)
		}
	}
	if len(rest) == 0 {
		return false
	}
	to := x.set(rest, at.next)
	return to != noSet && x.holds(at.next, to)
}

// forget takes back the assumptions from an index on.
func (x *inclusion) forget(from int) {
	for _, key := range x.assumed[from:] {
		delete(x.included, key)
	}
	x.assumed = x.assumed[:from]
}

// holds reports whether a continuation is included in a set, under the assumptions made.
func (x *inclusion) holds(c continuation, set int32) bool {
	if _, ok := slices.BinarySearch(x.sets[set], c); ok {
		return true
	}
	x.open = x.open || c == bottomOf || x.sets[set][0] == bottomOf
	if c == bottomOf {
		return false
	}
	key := inclusionKey{c, set}
	if known, ok := x.included[key]; ok {
		x.open = x.open || !known // it may have been open then
		return known
	}
	if x.spend(1); x.work < 0 {
		return false
	}
	if !x.begin(set).contains(x.first(c)) {
		x.included[key] = false
		return false
	}
	before := len(x.assumed)
	x.included[key] = true
	x.assumed = append(x.assumed, key)
	if x.holdsAfter(c, set) {
		return true
	}
	x.forget(before)
	if x.work >= 0 {
		x.included[key] = false
	}
	return false
}

// holdsAfter is holds after one more step of derivation.
func (x *inclusion) holdsAfter(c continuation, set int32) bool {
	at := x.links[c]
	if at.item.kind == tokenItem {
		return x.holdsAfterToken(at, set)
	}
	if skipped := x.after(set, at.item, at.next); skipped != noSet && x.holds(at.next, skipped) {
		return true
	}
	if x.holdsByLoop(at, set) || x.holdsByRule(at, set) {
		return true
	}
	for _, o := range x.options(c) {
		if !x.unchosen[o.choice] && !x.holds(o.after, set) {
			return false
		}
	}
	return true
}

// holdsByLoop reports whether a continuation is included because a loop of the set can
// take all tokens of its first item one by one, and the remainder is included after the
// loop.
func (x *inclusion) holdsByLoop(at link, set int32) bool {
	var tokens typeSet
	switch at.item.kind {
	case tokenItem:
		return false
	case ruleItem, operatorsItem:
		tokens = x.adjacent.all[x.grammar.ParserRules()[at.item.id].Root]
	default:
		tokens = x.adjacent.all[at.item.id]
	}
	for _, c := range x.sets[set] {
		if c == bottomOf || x.links[c].item.kind != loopItem || x.links[c].item == at.item || x.isBounded(x.links[c].item) {
			continue
		}
		body := x.grammar.Nodes[x.links[c].item.id].Children[0]
		if !x.first(c).contains(tokens) || !x.single(body).contains(tokens) {
			continue
		}
		if rest := x.set([]continuation{c}, at.next); rest != noSet && x.holds(at.next, rest) {
			return true
		}
	}
	return false
}

// single returns the tokens that a node of a parser rule derives alone.
func (x *inclusion) single(n *grammars.Node) typeSet {
	switch {
	case n.Kind == grammars.Alternation:
		out := slices.Clone(x.nowhere)
		for _, alt := range n.Children {
			out.addAll(x.single(alt))
		}
		return out
	case n.Kind == grammars.Literal && x.grammar.Scannerless && utf8.RuneCountInString(n.Value) > 1:
		return x.nowhere
	case n.Kind == grammars.Reference && n.Token > 0 || n.Kind == grammars.Literal || len(n.Types) > 0:
		return x.adjacent.first[n.ID]
	default:
		return x.nowhere
	}
}

// maxOtherRules limits the rules that a rule is compared with in one place.
const maxOtherRules = 4

// holdsByRule reports whether a continuation is included because its first rule is
// included in another rule, and the remainder after its rule in the remainder after the
// other. The remainder must not be empty, so that the question about the rules is
// smaller.
func (x *inclusion) holdsByRule(at link, set int32) bool {
	if at.item.kind != ruleItem || at.next == bottomOf {
		return false
	}
	own := x.push(at.item, bottomOf)
	first := x.first(own)
	var others []item
	for _, c := range x.sets[set] {
		other := x.links[c].item
		if c == bottomOf || other.kind != ruleItem || other == at.item || slices.Contains(others, other) {
			continue
		}
		whole := x.push(other, bottomOf)
		if !x.first(whole).contains(first) {
			continue
		}
		if others = append(others, other); len(others) > maxOtherRules {
			return false
		}
		in, rest := x.set([]continuation{whole}, own), x.after(set, other, at.next)
		if in != noSet && rest != noSet && x.holds(own, in) && x.holds(at.next, rest) {
			return true
		}
	}
	return false
}

// holdsBySkip reports whether a continuation is included in the continuations after a
// token in a set, because the same item comes next and the remainder after the item is
// included. It avoids the set of all continuations that the items lead to, which can be
// too large.
func (x *inclusion) holdsBySkip(c continuation, set int32, t int) bool {
	if c == bottomOf || x.links[c].item.kind == tokenItem {
		return false
	}
	at := x.links[c]
	var rest []continuation
	for _, from := range x.sets[set] {
		if from == bottomOf || x.links[from].item.kind != tokenItem || !x.types(x.links[from].item).has(t) {
			continue
		}
		if next := x.links[from].next; next != bottomOf && x.links[next].item == at.item {
			rest = append(rest, x.pass(next))
		}
	}
	if len(rest) == 0 {
		return false
	}
	x.spend(1 + len(x.sets[set])/8)
	to := x.set(rest, at.next)
	return to != noSet && x.holds(at.next, to)
}

func (x *inclusion) holdsAfterToken(at link, set int32) bool {
	types := x.types(at.item)
	for t := range len(types) * 64 {
		if !types.has(t) {
			continue
		}
		if x.dead(at.next) || x.holdsBySkip(at.next, set, t) {
			continue
		}
		if to := x.token(set, t, at.next); to == noSet || !x.holds(at.next, to) {
			return false
		}
	}
	return true
}
