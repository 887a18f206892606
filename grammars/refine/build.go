package refine

import (
	"slices"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/limit"
)

// maxParts limits the parts of a refined graph.
const maxParts = 1 << 20

// A bodyKey identifies a body.
type bodyKey struct {
	root    grammars.Occurrence
	binding Binding
	lexed   lexed
	place   tokenPlace
	site    grammars.Occurrence // one more than the reference to the body if that excludes choices, or 0
}

// A tokenPlace is a place in a token of a lexer rule; the zero value is any place.
type tokenPlace struct {
	rule    *grammars.Rule
	context int32
}

// A lexed is the lexer state that a part begins in and the stack that it ends with.
type lexed struct {
	refined bool // false where the lexer's state does not matter
	anyEnd  bool // whether it may end with any stack; only of the start rule
	state   byte
	end     Stack
}

// A builder builds a graph.
type builder struct {
	*Refinement
	meter   *limit.Meter
	graph   *Graph
	numbers map[bodyKey]int32
	keys    []bodyKey // by body
	parts   int

	body  *Body
	key   bodyKey
	alt   int // the alternative of a left-recursive rule that is being built; -1 elsewhere
	built map[partKey]int32
}

type partKey struct {
	node  grammars.Occurrence
	lexed lexed
}

// none is the number of a part that has no derivation.
const none = -1

// build builds the refined grammar. It reports whether the graph is within its limit.
func build(m *limit.Meter, r *Refinement) (*Graph, bool) {
	g := r.grammar
	b := &builder{Refinement: r, meter: m, graph: &Graph{}, numbers: map[bodyKey]int32{}}
	trivia := g.Nodes[g.Trivia]
	allTrivia := &grammars.Node{ID: derivation.None, Kind: grammars.Repetition, Max: -1, Children: []*grammars.Node{trivia}}
	b.graph.Start = b.enter(bodyKey{root: r.start.Root, lexed: b.anyEnding()}, g.Nodes[r.start.Root])
	b.graph.AllTrivia = b.enter(bodyKey{root: derivation.None}, allTrivia)
	b.graph.Trivia = b.enter(bodyKey{root: trivia.ID}, trivia)
	for i := 0; i < len(b.graph.Bodies); i++ { // Bodies grows as references are found
		b.fill(i)
		if r.bindings != nil && b.parts > maxParts {
			return nil, false
		}
	}
	if r.bindings != nil {
		b.graph.minimize(m)
	}
	b.graph.mark(m)
	return b.graph, true
}

// anyEnding returns the lexer state at the beginning of the input, for a start rule
// that may end with any stack.
func (b *builder) anyEnding() lexed {
	if b.endings == nil {
		return lexed{}
	}
	return lexed{refined: true, anyEnd: true, state: b.endings.state(b.grammar.Nodes[b.start.Root], begin)}
}

// enter returns the number of a body, and adds the body on first use.
func (b *builder) enter(k bodyKey, root *grammars.Node) int32 {
	i, ok := b.numbers[k]
	if !ok {
		i = int32(len(b.graph.Bodies))
		b.numbers[k] = i
		b.graph.Bodies = append(b.graph.Bodies, Body{root: root})
		b.keys = append(b.keys, k)
	}
	return i
}

// fill builds the parts of a body.
func (b *builder) fill(i int) {
	body := b.graph.Bodies[i]
	b.body, b.key, b.built, b.alt = &body, b.keys[i], map[partKey]int32{}, -1
	whole := b.whole(b.key.lexed)
	if whole == none { // a choice without options has no derivation
		whole = b.either(body.root, nil)
	}
	if int(whole) != len(body.Parts)-1 {
		b.either(nil, []Kid{{Part: whole}})
	}
	b.parts += len(body.Parts)
	b.graph.Bodies[i] = body
}

// whole builds the root of a body.
func (b *builder) whole(l lexed) int32 {
	root := b.body.root
	if l.anyEnd {
		var kids []Kid
		for _, end := range b.endings.of[b.endings.Cell(root, l.state)] {
			if end.stack.ended() {
				continue // the lexer has no mode to return to
			}
			if part := b.whole(lexed{refined: true, state: l.state, end: end.stack}); part != none {
				kids = append(kids, Kid{Part: part})
			}
		}
		if len(kids) == 1 {
			return kids[0].Part
		}
		return b.either(nil, kids)
	}
	rule := root.Rule
	bindings := b.bindings[rule]
	switch {
	case rule != nil && rule.Root == root.ID && bindings != nil:
		return b.operators(rule, bindings, l)
	case l.refined && (rule == nil || rule.Kind != grammars.ParserRule):
		return b.token(root, l)
	default:
		return b.part(root, l)
	}
}

// operators builds the alternatives of a left-recursive rule that a binding allows.
func (b *builder) operators(rule *grammars.Rule, bindings *Bindings, l lexed) int32 {
	var kids []Kid
	for i := range rule.Operators {
		if b.meter.Step(1); !bindings.Allows(b.key.binding, i) || b.never(rule.Root, i) {
			continue
		}
		b.alt = i
		if part := b.part(rule.Operators[i].Alt, l); part != none {
			kids = append(kids, Kid{part, int32(i)})
		}
	}
	b.alt = -1
	return b.either(b.body.root, kids)
}

// token builds the choice between the lexer rules that make a token in a mode. It is
// used for a token that several of its rules, but not all, can make in the mode.
func (b *builder) token(root *grammars.Node, l lexed) int32 {
	var kids []Kid
	for _, r := range b.tokenMakers(root, l) {
		if part := b.part(r, lexed{}); part != none {
			kids = append(kids, Kid{part, int32(slices.Index(root.Children, r))})
		}
	}
	return b.either(root, kids)
}

func (b *builder) add(p Part) int32 {
	b.meter.Step(1)
	b.body.Parts = append(b.body.Parts, p)
	return int32(len(b.body.Parts) - 1)
}

func (b *builder) either(n *grammars.Node, kids []Kid) int32 {
	b.meter.Step(len(kids))
	from := int32(len(b.body.Kids))
	b.body.Kids = append(b.body.Kids, kids...)
	return b.add(Part{Kind: Either, Node: n, A: from, B: int32(len(b.body.Kids)), Below: -1, makers: -1})
}

// part returns the part of a node; none if the node has no derivation. It builds
// the part on first use.
func (b *builder) part(n *grammars.Node, l lexed) int32 {
	if !l.refined {
		return b.plain(n)
	}
	key := partKey{n.ID, l}
	if part, ok := b.built[key]; ok {
		return part
	}
	part := int32(none)
	if b.ends(n, l) {
		part = b.lexed(n, l)
	}
	b.built[key] = part
	return part
}

// ends reports whether a node can begin in a mode and end with a stack.
func (b *builder) ends(n *grammars.Node, l lexed) bool {
	return slices.ContainsFunc(b.endings.of[b.endings.Cell(n, l.state)], func(e ending) bool { return e.stack == l.end })
}

// plain builds a node where modes do not matter; none if the node has no derivation.
func (b *builder) plain(n *grammars.Node) int32 {
	if n.Kind.Symbolic() && b.excludes(n) {
		return none
	}
	switch n.Kind {
	case grammars.Alternation:
		var kids []Kid
		for i, c := range n.Children {
			if b.never(n.ID, i) {
				continue
			}
			if part := b.plain(c); part != none {
				kids = append(kids, Kid{part, int32(i)})
			}
		}
		return b.either(n, kids)
	case grammars.Concatenation:
		left := b.plain(n.Children[0])
		for _, c := range n.Children[1:] {
			right := b.plain(c)
			if left == none || right == none {
				return none
			}
			left = b.add(Part{Kind: Both, Node: n, A: left, B: right, Below: -1, makers: -1})
		}
		return left
	case grammars.Repetition:
		return b.plainRepetition(n)
	case grammars.End:
		return b.add(Part{Kind: End, Node: n, Below: -1, makers: -1})
	case grammars.Reference:
		if len(n.Children) == 0 {
			return b.add(Part{Kind: Reference, Node: n, Below: -1, makers: -1})
		}
		return b.reference(n, n.Children[0], lexed{})
	default:
		return b.add(Part{Kind: Symbol, Node: n, Below: -1, makers: -1})
	}
}

// plainRepetition builds a repetition where modes do not matter.
func (b *builder) plainRepetition(n *grammars.Node) int32 {
	there := int32(none)
	if !b.never(n.ID, 1) {
		there = b.plain(n.Children[0])
	}
	if there != none && (n.Max > 1 || n.Min > 1) {
		there = b.counted(n, there)
	} else if there != none && n.Max != 1 {
		self := int32(len(b.body.Parts))
		from := int32(len(b.body.Rounds))
		b.body.Rounds = append(b.body.Rounds, Round{there, self, true})
		there = b.add(Part{Kind: Many, Node: n, A: from, B: from + 1, Below: -1, makers: -1, States: 1})
	}
	if n.Min > 0 {
		return there
	}
	var kids []Kid
	if !b.never(n.ID, 0) {
		kids = append(kids, Kid{b.absent(n), 0})
	}
	if there != none {
		kids = append(kids, Kid{there, 1})
	}
	return b.either(n, kids)
}

// counted builds the presence of a repetition, at least max(Min, 1) and at most Max
// rounds, given the part of a round.
func (b *builder) counted(n *grammars.Node, round int32) int32 {
	least, rest := max(n.Min, 1), int32(none)
	if n.Max < 0 {
		self := int32(len(b.body.Parts))
		from := int32(len(b.body.Rounds))
		b.body.Rounds = append(b.body.Rounds, Round{round, self, true})
		rest = b.add(Part{Kind: Many, Node: n, A: from, B: from + 1, Below: -1, makers: -1, States: 1})
		least--
	}
	for range n.Max - least {
		here := round
		if rest != none {
			here = b.add(Part{Kind: Both, Node: n, A: round, B: rest, Below: -1, makers: -1})
		}
		rest = b.either(nil, []Kid{{Part: b.add(Part{Kind: End, Node: n, Below: -1, makers: -1})}, {Part: here}})
	}
	for range least {
		if rest == none {
			rest = round
			continue
		}
		rest = b.add(Part{Kind: Both, Node: n, A: round, B: rest, Below: -1, makers: -1})
	}
	return rest
}

// absent builds the absence of an optional part. The repetition of all trivia is no
// node of the grammar, so its absence is no symbol.
func (b *builder) absent(n *grammars.Node) int32 {
	if n.ID == derivation.None {
		return b.add(Part{Kind: End, Node: n, Below: -1, makers: -1})
	}
	return b.add(Part{Kind: Absent, Node: n, Below: -1, makers: -1})
}

// reference builds a reference to a rule's or a token's right-hand side.
func (b *builder) reference(n, root *grammars.Node, l lexed) int32 {
	k := bodyKey{root: root.ID, lexed: l, place: b.below(n, root)}
	if b.preferences.sites[n.ID] {
		k.site = n.ID + 1
	}
	if b.alt >= 0 {
		k.binding = b.bindings[b.body.root.Rule].Operand(b.key.binding, b.alt, n.ID)
	}
	return b.add(Part{Kind: Reference, Node: n, Below: b.enter(k, root), makers: -1})
}

// never reports whether the parser never makes a choice.
func (b *builder) never(node grammars.Occurrence, of int) bool {
	c := choice{node, of}
	return b.preferences.unchosen[c] || b.preferences.at[site{c, b.key.site - 1}]
}

// below returns the place of a right-hand side in a token, given the reference to it.
func (b *builder) below(n, root *grammars.Node) tokenPlace {
	switch rule := root.Rule; {
	case b.bindings == nil || rule == nil || rule.Kind == grammars.ParserRule || rule.Root != root.ID: // a part of a token that several rules make
		return tokenPlace{}
	case n.Rule == nil || n.Rule.Kind == grammars.ParserRule:
		if b.grammar.Inside(rule) == nil {
			return tokenPlace{}
		}
		return tokenPlace{rule: rule}
	case b.key.place.rule == nil:
		return tokenPlace{}
	default:
		in := b.key.place
		return tokenPlace{in.rule, b.grammar.Inside(in.rule).Below(in.context, int32(n.ID))}
	}
}

// excludes reports whether a symbol never occurs in the token that is being built.
func (b *builder) excludes(n *grammars.Node) bool {
	in := b.key.place
	return in.rule != nil && !b.grammar.Inside(in.rule).Uses(in.context, int32(n.ID))
}

// lexed builds the part of a node of a parser rule, given the mode that the node
// begins in and the stack that it ends with.
func (b *builder) lexed(n *grammars.Node, l lexed) int32 {
	switch {
	case n.Kind == grammars.Alternation:
		var kids []Kid
		for i, c := range n.Children {
			if b.never(n.ID, i) {
				continue
			}
			if part := b.from(b.begin(l), c, l.end); part != none {
				kids = append(kids, Kid{part, int32(i)})
			}
		}
		return b.either(n, kids)
	case n.Kind == grammars.Concatenation:
		return b.sequence(n, l)
	case n.Kind == grammars.Repetition:
		return b.repetition(n, l)
	case n.Kind == grammars.End:
		return b.add(Part{Kind: End, Node: n, Below: -1, makers: -1})
	case n.Kind == grammars.Reference && n.Token == 0:
		root := b.grammar.Nodes[n.Target.Root]
		return b.reference(n, root, b.sub(b.begin(l), root, l.end))
	case n.Kind == grammars.Reference:
		return b.tokenReference(n, l)
	case n.Kind == grammars.TokenSet:
		b.body.makers = append(b.body.makers, b.makersOf(n, l))
		return b.add(Part{Kind: Symbol, Node: n, Below: -1, makers: int32(len(b.body.makers) - 1)})
	default:
		return b.add(Part{Kind: Symbol, Node: n, Below: -1, makers: -1})
	}
}

// begin returns the stack that a part begins with.
func (b *builder) begin(l lexed) Stack { return b.endings.states[l.state] }

// makersOf returns the lexer rules that make a symbol's token in a lexer state and
// leave a stack.
func (b *builder) makersOf(n *grammars.Node, l lexed) []*grammars.Rule {
	var out []*grammars.Rule
	for _, r := range b.endings.read(n, b.begin(l)) {
		if r.after == l.end && !slices.Contains(out, r.Rule) {
			out = append(out, r.Rule)
		}
	}
	return out
}

// tokenReference builds a reference to a token, restricted to the lexer rules that
// make it in a mode and leave a stack.
func (b *builder) tokenReference(n *grammars.Node, l lexed) int32 {
	makers := b.makersOf(n, l)
	switch all := b.grammar.TokenRules(n.Token); {
	case len(makers) == len(all):
		return b.reference(n, n.Children[0], lexed{})
	case len(makers) == 1:
		return b.reference(n, inside(b.grammar, n, makers[0]), lexed{})
	default:
		return b.reference(n, n.Children[0], l)
	}
}

// tokenMakers returns the right-hand sides of the lexer rules that make a token in a
// mode and leave a stack, given the alternation of all its rules.
func (b *builder) tokenMakers(root *grammars.Node, l lexed) []*grammars.Node {
	var out []*grammars.Node
	for _, p := range parents(b.grammar)[root.ID] {
		n := b.grammar.Nodes[p]
		if n.Kind != grammars.Reference || n.Token == 0 {
			continue
		}
		for _, r := range b.makersOf(n, l) {
			out = append(out, inside(b.grammar, n, r))
		}
		break
	}
	return out
}

// sequence builds a concatenation: after each part, one part for every stack from
// which the end can still be reached.
func (b *builder) sequence(n *grammars.Node, l lexed) int32 {
	good := b.completable(n, l)
	left := map[Stack]int32{}
	for i, c := range n.Children {
		next := map[Stack][]Kid{}
		if i == 0 {
			for _, end := range b.after(n, l, b.begin(l), c) {
				if part := b.from(b.begin(l), c, end); good[1][end] && part != none {
					next[end] = append(next[end], Kid{Part: part})
				}
			}
		} else {
			for _, s := range sortedStacks(left) {
				for _, end := range b.after(n, l, s, c) {
					if !good[i+1][end] {
						continue
					}
					if right := b.from(s, c, end); right != none {
						next[end] = append(next[end], Kid{Part: b.add(Part{Kind: Both, Node: n, A: left[s], B: right, Below: -1, makers: -1})})
					}
				}
			}
		}
		left = map[Stack]int32{}
		for _, s := range sortedStacks(next) {
			if left[s] = next[s][0].Part; len(next[s]) > 1 {
				left[s] = b.either(nil, next[s])
			}
		}
	}
	if part, ok := left[l.end]; ok {
		return part
	}
	return none
}

// completable returns, for the place before each child of a concatenation and for
// its end, the stacks from which the derivation can end with l.end.
func (b *builder) completable(n *grammars.Node, l lexed) []map[Stack]bool {
	reached := [][]ending{{{stack: b.begin(l)}}}
	for i, c := range n.Children {
		reached = append(reached, b.endings.step(n, b.begin(l), reached[i], c))
	}
	good := make([]map[Stack]bool, len(reached))
	good[len(n.Children)] = map[Stack]bool{l.end: true}
	for i := len(n.Children) - 1; i >= 0; i-- {
		good[i] = map[Stack]bool{}
		for _, e := range reached[i] {
			good[i][e.stack] = b.endings.leads(n, b.begin(l), e.stack, n.Children[i], good[i+1])
		}
	}
	return good
}

// after returns the stacks that a part of a node can end with, given the stack it
// begins with.
func (b *builder) after(n *grammars.Node, l lexed, s Stack, part *grammars.Node) []Stack {
	var out []Stack
	for _, e := range b.endings.next(n, b.begin(l), s, part) {
		out = append(out, e.stack)
	}
	return out
}

// from builds the part for derivations of n that begin with stack s and end with
// stack to.
func (b *builder) from(s Stack, n *grammars.Node, to Stack) int32 {
	if s.empty() { // only parts without tokens follow
		return b.plain(n)
	}
	return b.part(n, b.sub(s, n, to))
}

// sub returns the lexer state and the ending of a part that begins with stack s and
// ends with stack to.
func (b *builder) sub(s Stack, n *grammars.Node, to Stack) lexed {
	return lexed{refined: true, state: b.endings.state(n, s), end: to[len(s)-len(b.endings.window(n, s)):]}
}

// repetition builds a repetition: one [Many] part for every stack that a round can
// begin with.
func (b *builder) repetition(n *grammars.Node, l lexed) int32 {
	there := int32(none)
	switch {
	case b.never(n.ID, 1):
	case n.Max == 1:
		there = b.from(b.begin(l), n.Children[0], l.end)
	case n.Max > 1 || n.Min > 1: // only in scannerless grammars, in which the lexer state never changes
		if there = b.from(b.begin(l), n.Children[0], l.end); there != none {
			there = b.counted(n, there)
		}
	default:
		there = b.many(n, l)
	}
	var kids []Kid
	if n.Min == 0 && l.end == b.begin(l) && !b.never(n.ID, 0) {
		kids = append(kids, Kid{b.absent(n), 0})
	}
	switch {
	case n.Min > 0:
		return there
	case there != none:
		kids = append(kids, Kid{there, 1})
	case kids == nil:
		return none
	}
	return b.either(n, kids)
}

// many builds the rounds of a repetition.
func (b *builder) many(n *grammars.Node, l lexed) int32 {
	body, start := n.Children[0], b.begin(l)
	stacks := b.roundStacks(n, l)
	if !slices.Contains(stacks, start) {
		return none
	}
	stacks = append(slices.DeleteFunc(stacks, func(s Stack) bool { return s == start }), start)
	type step struct {
		part int32
		to   Stack
	}
	steps := make([][]step, len(stacks))
	for i, s := range stacks {
		for _, to := range b.after(n, l, s, body) {
			if to != l.end && !slices.Contains(stacks, to) {
				continue
			}
			if part := b.from(s, body, to); part != none {
				steps[i] = append(steps[i], step{part, to})
			}
		}
	}
	first := int32(len(b.body.Parts))
	for i := range stacks {
		from := int32(len(b.body.Rounds))
		for _, step := range steps[i] {
			round := Round{step.part, -1, step.to == l.end}
			if next := slices.Index(stacks, step.to); next >= 0 {
				round.Next = first + int32(next)
			}
			b.body.Rounds = append(b.body.Rounds, round)
		}
		b.add(Part{Kind: Many, Node: n, A: from, B: int32(len(b.body.Rounds)), Below: -1, makers: -1})
	}
	last := first + int32(len(stacks)) - 1
	b.body.Parts[last].States = int32(len(stacks))
	return last
}

// roundStacks returns the stacks that a round of a repetition can begin with if the
// repetition is to end with a given stack.
func (b *builder) roundStacks(n *grammars.Node, l lexed) []Stack {
	body, start := n.Children[0], b.begin(l)
	reached := []Stack{start}
	for i := 0; i < len(reached); i++ {
		if reached[i].empty() { // no round follows
			continue
		}
		for _, s := range b.after(n, l, reached[i], body) {
			if !slices.Contains(reached, s) {
				reached = append(reached, s)
			}
		}
	}
	good := map[Stack]bool{l.end: true}
	out := map[Stack]bool{}
	for grown := true; grown; {
		grown = false
		for _, s := range reached {
			if !s.empty() && !out[s] && b.endings.leads(n, start, s, body, good) {
				out[s], good[s], grown = true, true, true
			}
		}
	}
	return sortedStacks(out)
}
