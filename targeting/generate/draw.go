package generate

import (
	"slices"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/refine"
)

// A drawing is a tree while it is drawn.
type drawing struct {
	*Generator
	Draft
	chooser chooser
	redraws chooser // makes the choices of redrawn parts; nil for the same chooser
	failed  bool

	limit      size
	size       int    // symbols drawn so far, including those inside tokens
	owed       int    // the least number of symbols still to be drawn
	owedTokens int    // the least number of tokens still to be drawn
	expansions int    // rules and tokens expanded
	available  uint64 // the needed symbols that were drawn, see [refine.Needs]
	chances    map[choice]float64
	uses       *uses                 // of alternatives, see spread
	bodies     []*body               // by depth: the planned body that is drawn, see outline; empty if nothing is planned
	chain      []grammars.Occurrence // by depth: the last symbol that was drawn

	goals   []*goal  // the paths that the tree must have
	detours bool     // whether to leave the shortest way to a goal now and then
	rows    []uint64 // path hashes by depth, as in features.Extractor
	rest    []rest   // of the constructs being drawn
	marks   []mark   // by node of the draft

	stack refine.Stack    // the lexer's mode stack; empty if modes are not refined
	after refine.StackSet // the stacks that the current derivation may leave in place of the current mode

	found            int  // the number of new paths so far
	lastRoundUseless bool // whether the last round of a repetition found no new path
}

// A rest is the nodes of a construct that are still to be drawn.
type rest struct {
	depth int
	nodes []*grammars.Node
}

// awaits reports whether any symbol that is still to be drawn at a depth satisfies
// a condition.
func (d *drawing) awaits(depth int, asked func(*grammars.Node) bool) bool {
	for _, r := range d.rest {
		if r.depth != depth {
			continue
		}
		for _, n := range r.nodes {
			if slices.ContainsFunc(d.symbols.In(n), asked) {
				return true
			}
		}
	}
	return false
}

func (x *Generator) newDrawing() *drawing {
	return &drawing{Generator: x, chooser: x.chooser, limit: x.limit, uses: x.uses}
}

// A scratch is the memory of a finished drawing, kept for the next one.
type scratch struct {
	nodes []drawn
	words []grammars.Word
	marks []mark
	chain []grammars.Occurrence
	rest  []rest

	bodies []*body
}

// reuse uses the memory of an earlier drawing.
func (d *drawing) reuse(s *scratch) {
	d.nodes, d.words, d.marks, d.chain, d.rest, d.bodies = s.nodes[:0], s.words[:0], s.marks[:0], s.chain[:0], s.rest[:0], s.bodies[:0]
	*s = scratch{}
}

// release keeps the memory of a finished drawing in s.
func (d *drawing) release(s *scratch) {
	*s = scratch{d.nodes, d.words, d.marks, d.chain, d.rest, d.bodies}
}

// Limits on a tree while it is drawn. A larger tree is abandoned.
const (
	maxTreeNodes = 100_000
	detourNodes  = 2 // with detours: a factor of Options.MaxNodes
)

// least returns a lower bound of the size of the finished tree.
func (d *drawing) least() int { return d.size + d.owed }

// A size limits an input.
type size struct {
	nodes   int // symbols, including those inside tokens
	tokens  int
	repeats int // rounds of a repetition
}

// shrink halves the limit a number of times.
func (s *size) shrink(times int) {
	s.nodes, s.tokens, s.repeats = s.nodes>>times, s.tokens>>times, s.repeats>>times
}

// hasRoom reports whether a derivation of a node fits into the size limit.
func (d *drawing) hasRoom(n *grammars.Node) bool { return d.hasRoomFor(n, 0) }

// hasRoomFor reports whether a derivation of a node and more symbols fit into the
// size limit.
func (d *drawing) hasRoomFor(n *grammars.Node, more int) bool {
	return d.least()+d.leastSize(n)+more <= d.limit.nodes && len(d.words)+d.owedTokens+n.Tokens <= d.limit.tokens
}

// enter records that a node is drawn: it advances goals and tells the chooser.
func (d *drawing) enter(n *grammars.Node, depth int) {
	d.reach(n)
	if n.Kind.Symbolic() {
		d.size++
		d.available |= d.needs.Provides(n)
		d.chain = append(d.chain[:depth], n.ID)
		d.chooser.drawn(d, n, depth)
		if n.Kind == grammars.Reference {
			d.expansions++
		}
	}
	if d.size > maxTreeNodes || d.detours && d.size > detourNodes*d.opt.MaxNodes {
		d.failed = true
	}
}

// start draws a whole tree.
func (d *drawing) start() {
	if d.modes != nil {
		d.stack = d.modes.Begin()
	}
	start := d.grammar.Rule(d.opt.Start)
	if l, ok := d.chooser.(*likely); ok && len(d.goals) == 0 {
		d.bodies = append(d.bodies, l.outlined(d, start))
	}
	d.rule(start, 0, refine.Loose)
}

// rule draws the right-hand side of a rule under an operator binding.
func (d *drawing) rule(r *grammars.Rule, depth int, b refine.Binding) {
	root := d.grammar.Nodes[r.Root]
	bindings := d.refinement.Bindings(r)
	if bindings == nil {
		d.node(root, depth, operands{})
		return
	}
	var allowed []*grammars.Node
	for i := range r.Operators {
		if alt := r.Operators[i].Alt; bindings.Allows(b, i) && !unproductive(alt) {
			allowed = append(allowed, alt)
		}
	}
	if len(allowed) == 0 {
		d.failed = true
		return
	}
	alt := d.pick(root, allowed, depth)
	for i := range r.Operators {
		if r.Operators[i].Alt == alt {
			d.node(alt, depth, operands{bindings, b, i})
		}
	}
}

// operands holds the operator bindings in an alternative of a left-recursive rule.
type operands struct {
	bindings *refine.Bindings // nil in other rules
	binding  refine.Binding
	alt      int
}

// of returns the binding of a symbol.
func (o operands) of(n *grammars.Node) refine.Binding {
	if o.bindings == nil {
		return refine.Loose
	}
	return o.bindings.Operand(o.binding, o.alt, n.ID)
}

// node draws a derivation of a node of a parser rule.
func (d *drawing) node(n *grammars.Node, depth int, operands operands) {
	d.enter(n, depth)
	if d.failed {
		return
	}
	switch n.Kind {
	case grammars.Alternation:
		d.node(d.pick(n, d.productive[n.ID], depth), depth, operands)
	case grammars.Concatenation:
		d.sequence(n, depth, func(c *grammars.Node) { d.node(c, depth, operands) })
	case grammars.Repetition:
		d.repeat(n, depth, func() { d.node(n.Children[0], depth, operands) })
	case grammars.Reference:
		if n.Token > 0 {
			d.leaf(n, n.Token, depth)
			return
		}
		i := d.mark(operands.of(n))
		d.Symbol(depth, n.ID)
		d.rule(n.Target, depth+1, operands.of(n))
		d.marks[i].goalsLeft = len(d.goals)
	case grammars.Literal:
		d.mark(refine.Loose)
		d.Word(depth, n.ID, n.Token, []byte(d.cased(n)))
		d.shift(n, n.Token, nil)
	case grammars.CharSet:
		d.leaf(n, n.Token, depth)
	case grammars.TokenSet:
		d.leaf(n, d.anyType(n), depth)
	case grammars.Empty:
		d.mark(refine.Loose)
		d.Symbol(depth, n.ID)
	case grammars.End:
		d.mark(refine.Loose)
		d.Symbol(depth, n.ID)
		d.endInput()
	}
}

// leaf draws a token.
func (d *drawing) leaf(n *grammars.Node, kind, depth int) {
	size := d.size
	i := d.mark(refine.Loose)
	d.token(n, kind, depth)
	d.marks[i].size, d.marks[i].goalsLeft = 1+d.size-size, len(d.goals)
}

// pick chooses one of the alternatives of a node: one that leads to a goal, or
// else the chooser's.
func (d *drawing) pick(n *grammars.Node, alts []*grammars.Node, depth int) *grammars.Node {
	if d.stack != "" {
		some := without(alts, d.unreadable)
		if len(some) == 0 {
			d.failed = true
			return alts[0]
		}
		alts = some
	}
	if n := d.onTheWay(alts); n != nil {
		return n
	}
	if some := without(alts, d.misplaced); len(some) > 0 {
		alts = some
	}
	return d.chooser.pick(d, n, alts, depth)
}

// misplaced reports whether every derivation of a node needs a symbol that was not
// drawn yet.
func (d *drawing) misplaced(n *grammars.Node) bool { return d.needs.Missing(n, d.available) }

// sequence draws the parts of a concatenation. Each goal is handed to the part
// that is nearest to it.
func (d *drawing) sequence(n *grammars.Node, depth int, draw func(*grammars.Node)) {
	goals := d.goals
	planned := d.plan(n)
	var carriers []int
	if len(goals) > 0 {
		carriers = make([]int, len(goals))
	}
	for i, g := range goals {
		carriers[i] = planned.carrier(g, n)
	}
	owed, owedTokens := d.owed, d.owedTokens
	for _, c := range n.Children {
		d.owed += c.Size
		d.owedTokens += c.Tokens
	}
	d.rest = append(d.rest, rest{depth, n.Children})
	top := len(d.rest) - 1
	for i, c := range n.Children {
		d.owed -= c.Size
		d.owedTokens -= c.Tokens
		d.rest[top].nodes = n.Children[i+1:]
		d.goals = nil
		for j, g := range goals {
			if carriers[j] == i {
				d.goals = append(d.goals, g)
			}
		}
		if planned.enter(i, c) {
			draw(c)
		}
		if slices.ContainsFunc(d.goals, func(g *goal) bool { return slices.Contains(goals, g) }) { // the part did not reach it
			d.failed = true
		}
		if d.failed {
			break
		}
	}
	planned.leave()
	d.owed, d.owedTokens, d.rest = owed, owedTokens, d.rest[:top]
}

// repeat draws a repetition. It has at least one round if it leads to a goal.
func (d *drawing) repeat(n *grammars.Node, depth int, draw func()) {
	body := n.Children[0]
	owed, owedTokens := d.owed, d.owedTokens
	owe := func(rounds int) {
		d.owed, d.owedTokens = owed+max(rounds, 0)*max(body.Size, 0), owedTokens+max(rounds, 0)*body.Tokens
	}
	planned := d.plan(n)
	d.rest = append(d.rest, rest{depth, n.Children})
	top := len(d.rest) - 1
	most := d.chooser.times(d, n, depth)
	times := planned.detour(n, depth, draw)
	times += planned.approach(n, draw)
	if !d.failed && d.onTheWay(n.Children) != nil {
		owe(n.Min - times - 1)
		if planned.enter(0, body) {
			draw()
		}
		times++
	}
	d.lastRoundUseless = false
	for ; !d.failed && planned.again(times, n, times < most && !d.misplaced(body) && d.chooser.again(d, n, depth)); times++ {
		owe(n.Min - times - 1)
		found := d.found
		if planned.enter(0, body) {
			draw()
		}
		d.lastRoundUseless = d.found == found
	}
	d.lastRoundUseless = false
	planned.leave()
	d.owed, d.owedTokens, d.rest = owed, owedTokens, d.rest[:top]
}
