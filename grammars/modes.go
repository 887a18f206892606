package grammars

import (
	"maps"
	"slices"
	"strings"

	"github.com/inroad/inroad/grammars/g4"
)

// Modes tell which parts of a grammar can be derived in which modes of its lexer,
// and what that does to the stack of modes. They are not safe for concurrent use;
// having another is cheap.
type Modes struct {
	*lexing
	sets    [][]Stack
	numbers map[string]StackSet
	plans   map[goal]*Plan
	above   [][]int32 // by cell: those it stands right below; once asked for
}

// A lexing is what is known of how parts of a grammar change modes.
type lexing struct {
	grammar *Grammar
	count   int
	null    []bool
	known   map[cell][]ending
	asked   []cell // the keys of known, in order
	changed bool
	failed  bool
	done    bool // from now on many may read it
}

// An ending is a stack that a part can end with, and the least size and depth of
// what does.
type ending struct {
	stack       Stack
	size, depth int
}

// A Stack is the part of the lexer's stack of modes that a part of an input puts
// in place of the mode that it begins in: a byte each, the mode in force last.
type Stack string

// Mode returns the mode in force.
func (s Stack) Mode() byte { return s[len(s)-1] }

// A StackSet is a set of stacks. [AnyStack] has all.
type StackSet int

// AnyStack is the set of all stacks.
const AnyStack StackSet = 0

// A cell is a node in a mode.
type cell struct {
	node Occurrence
	mode byte
}

// A goal is a node in a mode that is to end with one of some stacks, and one part
// of which is to begin in one of some modes.
type goal struct {
	cell
	after StackSet
	part  int
	modes uint64
}

// Bounds of what is told apart. A grammar with more is taken as if any token could
// stand anywhere.
const (
	maxStack  = 8
	maxStacks = 64
	maxCells  = 200_000
)

// Modes returns what the modes of the grammar's lexer allow in derivations from a
// parser rule. It is nil if there is only one mode, or if it depends on more than
// the tokens what they do to modes.
func (g *Grammar) Modes(start string) *Modes {
	g.lexingsLock.Lock()
	defer g.lexingsLock.Unlock()
	l, ok := g.lexings[start]
	if !ok {
		l = g.findLexing(start)
		if g.lexings == nil {
			g.lexings = map[string]*lexing{}
		}
		g.lexings[start] = l
	}
	if l == nil {
		return nil
	}
	return &Modes{lexing: l, sets: [][]Stack{nil}, numbers: map[string]StackSet{}, plans: map[goal]*Plan{}}
}

// findLexing finds how parts of a grammar change modes; nil if that is not to be
// known.
func (g *Grammar) findLexing(start string) *lexing {
	if len(g.modes) < 2 || len(g.modes) > 64 || !g.Exact() {
		return nil
	}
	for _, r := range g.Rules {
		if r.Kind == TokenRule && (hasCommand(r.source, "more") || g.isTriviaOfModes(r)) {
			return nil
		}
	}
	m := &lexing{grammar: g, count: len(g.modes), null: nullable(g), known: map[cell][]ending{}}
	root := g.Nodes[g.Rule(start).Root]
	m.after(root, 0)
	for m.changed && !m.failed {
		m.changed = false
		for i := len(m.asked) - 1; i >= 0 && !m.failed; i-- { // those asked for later are mostly below
			m.improve(m.asked[i])
		}
	}
	if m.failed || len(m.known[cell{root.ID, 0}]) == 0 {
		return nil
	}
	m.done = true
	return m
}

// isTriviaOfModes reports whether a rule makes trivia and changes the mode.
func (g *Grammar) isTriviaOfModes(r *Rule) bool {
	trivia := slices.ContainsFunc(g.Nodes[g.Trivia].Children, func(n *Node) bool { return n.Target == r })
	if n := g.Nodes[g.Trivia]; n.Kind == Reference {
		trivia = n.Target == r
	}
	return trivia && slices.ContainsFunc([]string{"mode", "pushMode", "popMode"}, func(c string) bool { return hasCommand(r.source, c) })
}

// after returns what a node in a mode can end with, as far as known.
func (m *lexing) after(n *Node, mode byte) []ending {
	c := cell{n.ID, mode}
	out, ok := m.known[c]
	if !ok && !m.done {
		m.known[c] = nil
		m.asked = append(m.asked, c)
		m.changed = true
		if len(m.asked) > maxCells {
			m.failed = true
		}
	}
	return out
}

// improve finds more that a node in a mode can end with, or smaller.
func (m *lexing) improve(c cell) {
	n := m.grammar.Nodes[c.node]
	here := []ending{{stack: top(c.mode)}}
	var out []ending
	switch {
	case n.Kind == Alternation:
		for _, alt := range n.Children {
			out = append(out, m.after(alt, c.mode)...)
		}
	case n.Kind == Concatenation:
		out = here
		for _, part := range n.Children {
			out = m.step(out, part)
		}
	case n.Kind == Repetition:
		out = m.rounds(here, n)
	case n.Kind == Reference && n.Token == 0 && n.Target != nil:
		for _, e := range m.after(m.grammar.Nodes[n.Target.Root], c.mode) {
			out = append(out, ending{e.stack, e.size + 1, e.depth + 1})
		}
	case n.Kind == Empty:
		out = []ending{{top(c.mode), 1, 1}}
	case n.Kind == End:
		out = here
	case n.Size != Unproductive:
		for _, r := range m.rules(n, int(c.mode)) {
			out = append(out, ending{m.Effect(r), n.Size, n.Depth})
		}
	}
	out = m.united(out)
	if !slices.Equal(out, m.known[c]) {
		m.known[c], m.changed = out, true
	}
}

func top(mode byte) Stack { return Stack([]byte{mode}) }

// united has one of each stack, the least.
func (m *lexing) united(all []ending) []ending {
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b ending) int { return strings.Compare(string(a.stack), string(b.stack)) })
	out := all[:0]
	for _, e := range all {
		if last := len(out) - 1; last >= 0 && out[last].stack == e.stack {
			out[last].size, out[last].depth = min(out[last].size, e.size), min(out[last].depth, e.depth)
		} else {
			out = append(out, e)
		}
	}
	if len(out) > maxStacks {
		m.failed = true
	}
	return out
}

// step returns what there can be after a part.
func (m *lexing) step(from []ending, part *Node) []ending {
	var out []ending
	for _, e := range from {
		for _, then := range m.next(e.stack, part) {
			out = append(out, ending{then.stack, min(e.size+then.size, maxMeasure), max(e.depth, then.depth)})
		}
	}
	return m.united(out)
}

// maxMeasure bounds sizes while they are found.
const maxMeasure = 1 << 30

// next returns what there can be after a part that begins with a stack.
func (m *lexing) next(s Stack, part *Node) []ending {
	if s == "" { // what is below is for others to know
		if m.null[part.ID] {
			return []ending{{stack: s}}
		}
		m.failed = true
		return nil
	}
	var out []ending
	for _, e := range m.after(part, s.Mode()) {
		if len(s)+len(e.stack)-1 > maxStack {
			m.failed = true
			return nil
		}
		out = append(out, ending{s[:len(s)-1] + e.stack, e.size, e.depth})
	}
	return out
}

// leads reports whether a part can lead from a stack to a good one.
func (m *lexing) leads(s Stack, part *Node, good map[Stack]bool) bool {
	return slices.ContainsFunc(m.next(s, part), func(e ending) bool { return good[e.stack] })
}

// rounds returns what there can be after a repetition.
func (m *lexing) rounds(from []ending, n *Node) []ending {
	body := n.Children[0]
	once := m.step(from, body)
	out := once
	if n.Min == 0 {
		out = m.united(slices.Concat(from, once))
	}
	for n.Max < 0 || n.Max > 1 {
		more := m.united(slices.Concat(out, m.step(once, body)))
		if slices.Equal(more, out) || m.failed {
			break
		}
		out, once = more, more
	}
	return out
}

// rules returns the lexer rules that can make the token that a symbol of a parser
// rule is, in a mode.
func (m *lexing) rules(n *Node, mode int) []*Rule {
	types := n.Types
	if n.Kind != TokenSet {
		types = []int{n.Token}
	}
	var out []*Rule
	for _, t := range types {
		for _, r := range m.grammar.makers[t] {
			if m.grammar.modes[r.Mode] == mode {
				out = append(out, r)
			}
		}
	}
	return out
}

// Effect returns what a token that a rule makes puts in place of the mode it is in.
func (m *lexing) Effect(r *Rule) Stack {
	stack := []byte{byte(m.grammar.modes[r.Mode])}
	for _, alt := range r.source.Body.Alts {
		for _, c := range alt.Commands {
			arg := c.Arg
			if arg == "0" {
				arg = g4.DefaultMode
			}
			switch c.Name {
			case "mode":
				if len(stack) > 0 {
					stack[len(stack)-1] = byte(m.grammar.modes[arg])
				}
			case "pushMode":
				stack = append(stack, byte(m.grammar.modes[arg]))
			case "popMode":
				stack = stack[:max(len(stack)-1, 0)]
			}
		}
	}
	return Stack(stack)
}

// set numbers a set of stacks.
func (m *Modes) set(stacks []Stack) StackSet {
	var key strings.Builder
	for _, s := range stacks {
		key.WriteByte(byte(len(s)))
		key.WriteString(string(s))
	}
	i, ok := m.numbers[key.String()]
	if !ok {
		i = StackSet(len(m.sets))
		m.sets = append(m.sets, stacks)
		m.numbers[key.String()] = i
	}
	return i
}

// Has reports whether a set has a stack.
func (m *Modes) Has(set StackSet, s Stack) bool {
	return set == AnyStack || slices.Contains(m.sets[set], s)
}

// Ending returns the stacks of a set that end in one of some modes, given as bits;
// the set itself if there is none.
func (m *Modes) Ending(set StackSet, modes uint64) StackSet {
	some := slices.DeleteFunc(slices.Clone(m.sets[set]), func(s Stack) bool { return s == "" || modes&(1<<s.Mode()) == 0 })
	if len(some) == 0 {
		return set
	}
	return m.set(some)
}

// Allows reports whether a node that begins in a mode can end with one of some
// stacks.
func (m *Modes) Allows(n *Node, mode byte, after StackSet) bool {
	return slices.ContainsFunc(m.known[cell{n.ID, mode}], func(e ending) bool { return m.Has(after, e.stack) })
}

// Measure returns the least size and depth of what a node derives, in symbols, that
// begins in a mode and ends with one of some stacks; [Unproductive] if nothing does.
func (m *Modes) Measure(n *Node, mode byte, after StackSet) (size, depth int) {
	size, depth = Unproductive, Unproductive
	for _, e := range m.known[cell{n.ID, mode}] {
		switch {
		case !m.Has(after, e.stack):
		case size == Unproductive:
			size, depth = e.size, e.depth
		default:
			size, depth = min(size, e.size), min(depth, e.depth)
		}
	}
	return size, depth
}

// A Plan tells how the parts of a construct are to be derived so that all of it
// ends with one of some stacks.
type Plan struct {
	modes *Modes
	body  *Node            // of a repetition
	once  bool             // whether there is one time of it at most
	good  []map[Stack]bool // by part, and after the last: the stacks there may be before it
}

// Plan returns a plan for a concatenation or a repetition. The plan of a
// repetition has the same stacks before each time.
func (m *Modes) Plan(n *Node, mode byte, after StackSet) *Plan {
	return m.PlanPart(n, mode, after, -1, 0)
}

// PlanPart returns a plan for a concatenation in which a part begins in one of
// some modes, given as bits.
func (m *Modes) PlanPart(n *Node, mode byte, after StackSet, part int, modes uint64) *Plan {
	key := goal{cell{n.ID, mode}, after, part, modes}
	if p, ok := m.plans[key]; ok {
		return p
	}
	p := &Plan{modes: m}
	if n.Kind == Repetition {
		p.repeat(n, mode, after)
	} else {
		p.sequence(n, mode, after, part, modes)
	}
	m.plans[key] = p
	return p
}

func (p *Plan) sequence(n *Node, mode byte, after StackSet, part int, modes uint64) {
	m := p.modes
	reached := [][]ending{{{stack: top(mode)}}}
	for i, part := range n.Children {
		reached = append(reached, m.step(reached[i], part))
	}
	p.good = make([]map[Stack]bool, len(reached))
	for i := len(reached) - 1; i >= 0; i-- {
		p.good[i] = map[Stack]bool{}
		for _, e := range reached[i] {
			s := e.stack
			switch {
			case i == len(n.Children):
				p.good[i][s] = m.Has(after, s)
			case i == part && (s == "" || modes&(1<<s.Mode()) == 0):
			default:
				p.good[i][s] = m.leads(s, n.Children[i], p.good[i+1])
			}
		}
	}
}

// repeat finds the stacks from which a repetition can come to an end, and those
// with which it can end.
func (p *Plan) repeat(n *Node, mode byte, after StackSet) {
	m := p.modes
	p.body = n.Children[0]
	here := []ending{{stack: top(mode)}}
	all := m.united(slices.Concat(here, m.rounds(here, n)))
	good, ends := map[Stack]bool{}, map[Stack]bool{}
	for _, e := range all {
		ends[e.stack] = m.Has(after, e.stack)
		good[e.stack] = ends[e.stack]
	}
	for grown := true; grown; {
		grown = false
		for _, e := range all {
			if !good[e.stack] && m.leads(e.stack, p.body, good) {
				good[e.stack], grown = true, true
			}
		}
	}
	p.good = []map[Stack]bool{good, ends}
	if p.once = n.Max == 1; p.once {
		p.good[0] = map[Stack]bool{top(mode): ends[top(mode)] || m.leads(top(mode), p.body, ends)}
	}
}

// Before returns the modes, as bits, that a part can begin in.
func (p *Plan) Before(i int) uint64 {
	modes := uint64(0)
	for s, ok := range p.good[i] {
		if ok && s != "" {
			modes |= 1 << s.Mode()
		}
	}
	return modes
}

// Ends reports whether a repetition may end with a stack.
func (p *Plan) Ends(s Stack) bool { return p.good[1][s] }

// Part returns with which stacks a part may end that begins with a stack, in
// place of its last mode, and whether there is any. All times of a repetition are
// part 0.
func (p *Plan) Part(i int, part *Node, s Stack) (StackSet, bool) {
	m := p.modes
	if s == "" {
		return AnyStack, m.null[part.ID]
	}
	if p.body != nil && p.once {
		return p.into(p.good[1], part, s)
	}
	if p.body != nil {
		return p.into(p.good[0], part, s)
	}
	return p.into(p.good[i+1], part, s)
}

// Last returns with which stacks a time of a repetition may end that begins with a
// stack, so that it can be the last.
func (p *Plan) Last(s Stack) (StackSet, bool) {
	if s == "" {
		return AnyStack, true
	}
	return p.into(p.good[1], p.body, s)
}

// into returns with which stacks a part may end to come to good ones.
func (p *Plan) into(good map[Stack]bool, part *Node, s Stack) (StackSet, bool) {
	m := p.modes
	var out []Stack
	for _, e := range m.known[cell{part.ID, s.Mode()}] {
		if good[s[:len(s)-1]+e.stack] {
			out = append(out, e.stack)
		}
	}
	return m.set(out), len(out) > 0
}

// A Turn is where a lexer is in a derivation: the mode that a part begins in, and
// the stacks that it may end with.
type Turn struct {
	Mode  byte
	After StackSet
}

// Each visits a construct and the nodes in it, within its rule, that a derivation
// can have which takes a turn, with the turns that they take.
func (m *Modes) Each(n *Node, t Turn, visit func(*Node, Turn)) {
	if !m.Allows(n, t.Mode, t.After) {
		return
	}
	visit(n, t)
	switch n.Kind {
	case Alternation:
		for _, alt := range n.Children {
			m.Each(alt, t, visit)
		}
	case Concatenation, Repetition:
		p := m.Plan(n, t.Mode, t.After)
		for i, part := range n.Children {
			for _, s := range slices.Sorted(maps.Keys(p.good[i])) {
				if after, ok := p.Part(i, part, s); ok && s != "" && p.good[i][s] {
					m.Each(part, Turn{s.Mode(), after}, visit)
				}
			}
		}
	}
}

// Makers returns the lexer rules that can make the token of a symbol which takes a
// turn.
func (m *Modes) Makers(n *Node, t Turn) []*Rule {
	return slices.DeleteFunc(m.rules(n, int(t.Mode)), func(r *Rule) bool { return !m.Has(t.After, m.Effect(r)) })
}

// Distances returns how many steps down from each node in each mode something is
// that some modes allow: at a cell's number, see [Modes.Cell]. It is given how far
// it is where modes do not matter, in tokens, and which symbols of parser rules it
// is right there, in which modes.
func (m *Modes) Distances(to []int, is func(n *Node, mode byte) bool) []int {
	m.link()
	out := make([]int, len(m.grammar.Nodes)*m.count)
	for i := range out {
		out[i] = Unreachable
	}
	var buckets [][]int
	put := func(at, steps int) {
		for len(buckets) <= steps {
			buckets = append(buckets, nil)
		}
		buckets[steps] = append(buckets[steps], at)
	}
	for _, c := range m.asked {
		n := m.grammar.Nodes[c.node]
		switch {
		case len(m.known[c]) == 0:
		case to[n.ID] == 0 && n.Kind.Symbolic() && is(n, c.mode):
			put(m.Cell(n, c.mode), 0)
		case n.Token > 0 && to[n.ID] > 0:
			if steps := m.within(n, c.mode, to); steps != Unreachable {
				put(m.Cell(n, c.mode), steps)
			}
		}
	}
	for steps := 0; steps < len(buckets); steps++ {
		for i := 0; i < len(buckets[steps]); i++ {
			at := buckets[steps][i]
			if out[at] != Unreachable {
				continue
			}
			out[at] = steps
			for _, above := range m.above[at] {
				put(int(above), steps+1)
			}
		}
	}
	return out
}

// within returns how far something is in a token, as the rules of a mode make it.
func (m *Modes) within(n *Node, mode byte, to []int) int {
	if n.Kind != Reference || len(n.Children) == 0 {
		return Unreachable
	}
	best := Unreachable
	for _, r := range m.rules(n, int(mode)) {
		if part := m.Inside(n, r); to[part.ID] != Unreachable && (best == Unreachable || to[part.ID]+1 < best) {
			best = to[part.ID] + 1
		}
	}
	return best
}

// Inside returns what a token is made of if a rule makes it.
func (m *Modes) Inside(n *Node, r *Rule) *Node {
	rules := m.grammar.makers[n.Token]
	if len(rules) < 2 {
		return n.Children[0]
	}
	return n.Children[0].Children[slices.Index(rules, r)]
}

// Cell returns the number of a node in a mode.
func (m *Modes) Cell(n *Node, mode byte) int { return int(n.ID)*m.count + int(mode) }

// link finds what each node in a mode can stand right below.
func (m *Modes) link() {
	if m.above != nil {
		return
	}
	m.above = make([][]int32, len(m.grammar.Nodes)*m.count)
	for _, c := range m.asked {
		n := m.grammar.Nodes[c.node]
		at := int32(m.Cell(n, c.mode))
		below := func(part *Node, mode byte) {
			if m.Allows(part, mode, AnyStack) {
				i := m.Cell(part, mode)
				m.above[i] = append(m.above[i], at)
			}
		}
		switch {
		case n.Kind == Alternation:
			for _, alt := range n.Children {
				below(alt, c.mode)
			}
		case n.Kind == Concatenation || n.Kind == Repetition:
			p := m.Plan(n, c.mode, AnyStack)
			for i, part := range n.Children {
				for mode := range byte(m.count) {
					if p.Before(i)&(1<<mode) != 0 {
						below(part, mode)
					}
				}
			}
		case n.Kind == Reference && n.Token == 0 && n.Target != nil:
			below(m.grammar.Nodes[n.Target.Root], c.mode)
		}
	}
}
