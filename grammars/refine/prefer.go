package refine

import (
	"slices"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/limit"
)

// A choice is a choice of the parser: at an alternation or a left-recursive rule the
// index of an alternative, at a repetition 0 for its absence and 1 for its presence.
type choice struct {
	node grammars.Occurrence
	of   int
}

// noChoice stands for a step of derivation without a choice.
var noChoice = choice{derivation.None, 0} //nolint:gochecknoglobals // never changed

// unchosen has the choices that the parser never makes.
//
// An ALL(*) parser predicts with as much of the input as it needs, and takes the first
// of the alternatives that derive all of it. So it never takes an alternative if
// earlier ones, followed by the rest of the rule, derive everything that it derives.
// For the same reason it never begins a part if the loop before it could have gone on
// instead.
//
// Prediction ignores operator precedence after the first token, so earlier alternatives
// count with all their operators.
type unchosen map[choice]bool

// A site is a choice in a rule that a reference calls.
type site struct {
	choice
	reference grammars.Occurrence
}

// preferences are the choices that the parser never makes: anywhere, or in calls of a
// rule by some references.
type preferences struct {
	unchosen unchosen
	at       map[site]bool
	sites    map[grammars.Occurrence]bool // the references with choices in at
}

// A preference finds the choices that the parser never makes.
type preference struct {
	*inclusion
	preferences
	start   *grammars.Rule
	above   []*grammars.Node   // by node: the construct in its rule; nil for the root of a rule
	callers [][]*grammars.Node // by parser rule: the references to it, without left operands
	used    []bool             // by parser rule: whether derivations from the start rule have it
	roots   []bool             // by node: whether it is the root of a left-recursive rule
	levels  map[grammars.Occurrence]int
	recent  alternation // the result of the last call of alternatives

	visits, mostVisits int
	skips              int            // the symbols that a search may still pass over as a whole
	only               *grammars.Node // the only call of the rule of the choice that matters; nil if all matter

	passed  [][]continuation             // the alternatives of decisions passed by the search, which may yet be preferred if the rule ends
	calling bool                         // whether the search has left the rule of the choice
	alive   map[grammars.Occurrence]bool // the calls of that rule from which the choice may be made
	called  bool                         // whether the search came to these calls
}

// findUnchosen finds choices that the parser never makes in derivations from a start
// rule.
func findUnchosen(m *limit.Meter, g *grammars.Grammar, start string, adjacent *adjacency) preferences {
	out := preferences{unchosen{}, map[site]bool{}, map[grammars.Occurrence]bool{}}
	if !g.ExactRules() {
		return out
	}
	findPrevented(m, g, out.unchosen)
	p := newPreference(m, g, start, adjacent, out)
	for _, n := range g.Nodes {
		if !p.isUsed(n) {
			continue
		}
		m.Step(1)
		p.dominated(n)
	}
	p.mostWork, p.totalWork = maxPrecededWork, maxTotalWork
	for _, n := range g.Nodes {
		if !p.isUsed(n) {
			continue
		}
		m.Step(1)
		p.preceded(n)
	}
	p.totalWork = maxTotalWork
	for _, r := range g.ParserRules() {
		if p.used[r.Index] {
			p.operands(r)
		}
	}
	return out
}

func newPreference(m *limit.Meter, g *grammars.Grammar, start string, adjacent *adjacency, known preferences) *preference {
	p := &preference{
		inclusion: newInclusion(m, g, adjacent, known.unchosen), preferences: known, start: g.Rule(start), above: make([]*grammars.Node, len(g.Nodes)),
		callers: make([][]*grammars.Node, len(g.ParserRules())), used: make([]bool, len(g.ParserRules())),
		roots: make([]bool, len(g.Nodes)), levels: map[grammars.Occurrence]int{}, mostVisits: maxVisits,
	}
	p.use(p.start)
	return p
}

func (p *preference) isUsed(n *grammars.Node) bool {
	return n.Rule != nil && n.Rule.Kind == grammars.ParserRule && p.used[n.Rule.Index]
}

// use finds the rules that derivations from a rule have, and where they are used.
func (p *preference) use(r *grammars.Rule) {
	if p.used[r.Index] {
		return
	}
	p.used[r.Index] = true
	left := map[grammars.Occurrence]bool{}
	for _, op := range r.Operators {
		left[op.Left] = op.Left != derivation.None
		if op.Right != derivation.None {
			p.levels[op.Right] = op.RightPrec
		}
	}
	p.roots[r.Root] = r.Operators != nil
	var below []*grammars.Rule
	for work := []*grammars.Node{p.grammar.Nodes[r.Root]}; len(work) > 0; {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		p.meter.Step(1)
		if n.Kind.Symbolic() {
			if n.Kind == grammars.Reference && n.Token == 0 && n.Target != nil {
				if below = append(below, n.Target); !left[n.ID] {
					p.callers[n.Target.Index] = append(p.callers[n.Target.Index], n)
				}
			}
			continue
		}
		for _, c := range n.Children {
			p.above[c.ID] = n
			work = append(work, c)
		}
	}
	for _, r := range below {
		p.use(r)
	}
}

// follow returns the continuation after a node of a rule, given the continuation after
// the rule.
func (p *preference) follow(n *grammars.Node, end continuation) continuation {
	up := p.above[n.ID]
	switch {
	case up == nil:
		return end
	case p.roots[up.ID]:
		return p.operators(up.Rule, end)
	case up.Kind == grammars.Concatenation:
		i := slices.Index(up.Children, n)
		return p.nodes(up.Children[i+1:], p.follow(up, end))
	case up.Kind == grammars.Repetition && up.Max != 1:
		return p.loop(up, p.follow(up, end))
	default:
		return p.follow(up, end)
	}
}

// An alternation has the continuations of the alternatives of a node, given the
// continuation after its rule.
type alternation struct {
	of           *grammars.Node
	end          continuation
	alternatives []continuation
}

// alternatives returns the continuations of the alternatives of an alternation, given the
// continuation after its rule. The caller must not change the result.
func (p *preference) alternatives(n *grammars.Node, end continuation) []continuation {
	if p.recent.of != n || p.recent.end != end { // each of many alternatives needs all of them
		p.recent = alternation{n, end, p.findAlternatives(n, end)}
	}
	return p.recent.alternatives
}

func (p *preference) findAlternatives(n *grammars.Node, end continuation) []continuation {
	var out []continuation
	if p.roots[n.ID] {
		for i := range n.Rule.Operators {
			out = append(out, p.operator(n.Rule, i, end))
		}
		return out
	}
	after := p.follow(n, end)
	for _, alt := range n.Children {
		out = append(out, p.node(alt, after))
	}
	return out
}

// earlier returns the alternatives of an alternation that the parser tries before one
// of them, which is given by its index; nil for none. In a left-recursive rule, binary
// operators come before suffix operators, and an operator that binds less may not be
// allowed where another is. The caller must not change the result.
func (p *preference) earlier(n *grammars.Node, all []continuation, of int) []continuation {
	if !p.roots[n.ID] {
		if of == 0 {
			return nil
		}
		return all[:of:of]
	}
	var out []continuation
	ops := n.Rule.Operators
	for i := range n.Children {
		switch {
		case ops[of].Left == derivation.None && ops[i].Left == derivation.None:
			if i < of {
				out = append(out, all[i])
			}
		case ops[of].Left == derivation.None || ops[i].Left == derivation.None:
		case ops[i].Precedence > ops[of].Precedence && (isBinary(&ops[i]) || !isBinary(&ops[of])):
			out = append(out, all[i])
		}
	}
	return out
}

// isBinary reports whether an operator ends with an operand.
func isBinary(op *grammars.Operator) bool {
	last := op.Alt.Children[len(op.Alt.Children)-1]
	return last.Kind == grammars.Reference && last.Target == op.Alt.Rule && last.ID != op.Left
}

// dominated finds the alternatives of a decision that derive only token sequences which
// earlier alternatives also derive.
func (p *preference) dominated(n *grammars.Node) {
	switch {
	case n.Kind == grammars.Alternation:
		all := p.alternatives(n, bottomOf)
		for i := range all {
			if p.isDominated(n, all, i) {
				p.preferences.unchosen[choice{n.ID, i}] = true
			}
		}
	case n.Kind == grammars.Repetition && n.Min == 0:
		absent := p.follow(n, bottomOf)
		present := p.round(n, absent)
		switch {
		case n.NonGreedy && p.includes(present, []continuation{absent}):
			p.preferences.unchosen[choice{n.ID, 1}] = true
		case !n.NonGreedy && n.Max == 1 && !vanishes(n.Children[0]) && p.includes(absent, []continuation{present}):
			p.preferences.unchosen[choice{n.ID, 0}] = true
		}
	}
}

// vanishes reports whether a construct can derive no symbol at all, so that its presence
// cannot be told from its absence.
func vanishes(n *grammars.Node) bool {
	switch n.Kind {
	case grammars.Alternation:
		return slices.ContainsFunc(n.Children, vanishes)
	case grammars.Concatenation:
		return !slices.ContainsFunc(n.Children, func(c *grammars.Node) bool { return !vanishes(c) })
	case grammars.Repetition:
		return n.Min == 0 || vanishes(n.Children[0])
	default:
		return false
	}
}

func (p *preference) isDominated(n *grammars.Node, all []continuation, i int) bool {
	before := p.earlier(n, all, i)
	return before != nil && p.includes(all[i], before)
}

// Limits of the search backwards from a choice.
const (
	maxVisits  = 300 // nodes
	maxFrames  = 8   // nested rules
	maxCallers = 24  // of a rule in which others are called
	maxSites   = 500 // calls of the rule of a choice
	maxPassed  = 2   // decisions that are considered again when a rule ends
)

// A frame is a rule that a search entered at its end.
type frame struct {
	reference *grammars.Node
	end       continuation // after the rule
	up        *frame
	depth     int
}

func (f *frame) after() continuation {
	if f == nil {
		return bottomOf
	}
	return f.end
}

// preceded finds choices that the parser never makes because of the decision before.
func (p *preference) preceded(n *grammars.Node) {
	switch {
	case n.Kind == grammars.Alternation:
		for i, c := range p.alternatives(n, bottomOf) {
			p.precede(choice{n.ID, i}, n.Children[i], c)
		}
	case n.Kind == grammars.Repetition && n.Min == 0:
		p.precede(choice{n.ID, 1}, n, p.round(n, p.follow(n, bottomOf)))
	}
}

// precede decides whether the parser never makes a choice, by searching backwards from
// a node with the continuation of the choice.
func (p *preference) precede(c choice, n *grammars.Node, with continuation) {
	if p.preferences.unchosen[c] {
		return
	}
	p.reset()
	if !p.before(n, nil, with) {
		return
	}
	if !p.called || len(p.alive) == 0 && n.Rule != p.start {
		p.preferences.unchosen[c] = true
		return
	}
	for _, call := range p.callers[n.Rule.Index] {
		if !p.alive[call.ID] {
			p.at[site{c, call.ID}], p.sites[call.ID] = true, true
		}
	}
}

// reset begins a search.
func (p *preference) reset() {
	p.visits, p.passed, p.calling, p.called, p.alive = 0, nil, false, false, map[grammars.Occurrence]bool{}
}

// prefers reports whether the parser takes an earlier alternative of a decision for all
// token sequences of a continuation. If not, it continues the search with more. The
// continuations end where rule r ends.
func (p *preference) prefers(r *grammars.Rule, with continuation, earlier []continuation, more func() bool) bool {
	if earlier == nil {
		return more()
	}
	if p.includes(with, earlier) {
		return true
	}
	if p.open {
		if p.skips > 0 && p.prefersInCalls(r, p.callsOf(r), with, earlier, maxForward) {
			return true
		}
		p.passed = append(p.passed, earlier)
		defer func() { p.passed = p.passed[:len(p.passed)-1] }()
	}
	return more()
}

// maxForward limits the nested rules whose ends are considered.
const maxForward = 5

// callsOf returns the references to a rule. Before the search leaves the rule of the choice,
// only some of them matter.
func (p *preference) callsOf(r *grammars.Rule) []*grammars.Node {
	if p.only != nil && !p.calling && r == p.only.Target {
		return []*grammars.Node{p.only}
	}
	return p.callers[r.Index]
}

// prefersInCalls reports whether the parser takes an earlier alternative in every call
// of a rule. The continuations are extended by the part after each call.
func (p *preference) prefersInCalls(r *grammars.Rule, calls []*grammars.Node, with continuation, earlier []continuation, depth int) bool {
	if depth == 0 || r == p.start || len(calls) == 0 || len(calls) > maxCallers {
		return false
	}
	for _, call := range calls {
		if p.visits++; p.visits > p.mostVisits || p.totalWork < 0 {
			return false
		}
		after := p.follow(call, bottomOf)
		var all []continuation
		for _, c := range earlier {
			all = append(all, p.replace(c, after))
		}
		more := p.replace(with, after)
		if !p.includes(more, all) && (!p.open || !p.prefersInCalls(call.Rule, p.callers[call.Rule.Index], more, all, depth-1)) {
			return false
		}
	}
	return true
}

// rule returns the rule at whose end the continuations of a search end.
func (f *frame) rule(n *grammars.Node) *grammars.Rule {
	for f != nil {
		n, f = f.reference, f.up
	}
	return n.Rule
}

// before reports whether the parser never gets to the place before a node when a
// continuation follows there.
func (p *preference) before(n *grammars.Node, f *frame, with continuation) bool {
	if p.visits++; p.visits > p.mostVisits || p.totalWork < 0 {
		return false
	}
	p.spend(1)
	up := p.above[n.ID]
	switch {
	case up == nil && f != nil:
		return p.before(f.reference, f.up, with)
	case up == nil:
		return p.beforeCalls(n.Rule, with)
	case up.Kind == grammars.Alternation:
		i := slices.Index(up.Children, n)
		earlier := p.earlier(up, p.alternatives(up, f.after()), i)
		return p.prefers(f.rule(n), with, earlier, func() bool {
			if p.roots[up.ID] && up.Rule.Operators[i].Left != derivation.None {
				return p.skip(f, func() bool { return p.beforeOperand(up.Rule, with) }) ||
					p.stay(func() bool { return p.behindAll(up.Rule, f, with) })
			}
			return p.before(up, f, with)
		})
	case up.Kind == grammars.Concatenation:
		i := slices.Index(up.Children, n)
		switch {
		case i == 0:
			return p.before(up, f, with)
		case i == 1 && p.isOperator(up):
			return p.before(up, f, with)
		default:
			return p.behind(up.Children[i-1], f, with)
		}
	default: // a repetition
		var exit []continuation
		if up.NonGreedy {
			exit = []continuation{p.follow(up, f.after())}
		}
		first := exit
		if up.Min > 0 { // the first round needs no decision
			first = nil
		}
		rounds := func() bool {
			return p.prefers(f.rule(n), with, first, func() bool { return p.before(up, f, with) }) &&
				(up.Max == 1 || p.prefers(f.rule(n), with, exit, func() bool { return p.stay(func() bool { return p.behind(n, f, with) }) }))
		}
		if up.Max == 1 {
			return rounds()
		}
		return p.orSkip(f, rounds, func() bool { return p.before(up, f, p.loop(up, with)) })
	}
}

// isOperator reports whether a concatenation is an operator of a left-recursive rule.
func (p *preference) isOperator(n *grammars.Node) bool {
	up := p.above[n.ID]
	return up != nil && p.roots[up.ID] && n.Rule.Operators[slices.Index(up.Children, n)].Left != derivation.None
}

// beforeCalls reports whether no call of a rule gets the parser to its beginning when a
// continuation follows there. For the rule of the choice, it marks the calls that may.
func (p *preference) beforeCalls(r *grammars.Rule, with continuation) bool {
	calls := p.callers[r.Index]
	if p.only != nil && !p.calling {
		calls = []*grammars.Node{p.only}
	}
	if p.calling && (r == p.start || len(calls) > maxCallers) || len(calls) > maxSites {
		return false
	}
	own := !p.calling
	p.calling, p.called = true, true
	defer func() { p.calling = !own }()
	passed := p.passed
	defer func() { p.passed = passed }()
	for _, call := range calls {
		after := p.follow(call, bottomOf)
		more := p.replace(with, after)
		if own {
			p.visits = 0
		}
		p.passed = nil
		dead := false
		for _, earlier := range passed[:min(len(passed), maxPassed)] {
			var all []continuation
			for _, c := range earlier {
				all = append(all, p.replace(c, after))
			}
			if dead = p.includes(more, all); dead {
				break
			}
			if p.open {
				p.passed = append(p.passed, all)
			}
		}
		switch dead = dead || p.before(call, nil, more); {
		case dead:
		case own:
			p.alive[call.ID] = true
		default:
			return false
		}
	}
	return true
}

// behind reports whether the parser never gets to the place after a node when a
// continuation follows there.
func (p *preference) behind(n *grammars.Node, f *frame, with continuation) bool {
	if n.Kind == grammars.Alternation || n.Kind == grammars.Concatenation || n.Kind == grammars.Empty {
		return p.enter(n, f, with) // its parts are passed over
	}
	return p.orSkip(f, func() bool { return p.enter(n, f, with) }, func() bool { return p.before(n, f, p.node(n, with)) })
}

// orSkip searches, and if that fails, passes over a symbol or a repetition as a whole. The
// first search leaves the second one half of the nodes that may still be visited.
func (p *preference) orSkip(f *frame, search, skipped func() bool) bool {
	if p.skips == 0 || f != nil {
		return search()
	}
	most := p.mostVisits
	p.mostVisits -= max(most-p.visits, 0) / 2
	found := search()
	p.mostVisits = most
	return found || p.skip(f, skipped)
}

// skip passes over a symbol or a repetition as a whole if a search may do so: it
// continues before the symbol, which becomes part of the continuation.
func (p *preference) skip(f *frame, search func() bool) bool {
	if p.skips == 0 || f != nil {
		return false
	}
	passed := p.passed
	p.passed = nil // these continuations begin behind the symbol
	p.skips--
	defer func() { p.passed, p.skips = passed, p.skips+1 }()
	return search()
}

// stay searches without passing over anything: the rounds of a repetition are passed over
// together.
func (p *preference) stay(search func() bool) bool {
	skips := p.skips
	p.skips = 0
	defer func() { p.skips = skips }()
	return search()
}

// enter is like behind, and enters the node at its end.
func (p *preference) enter(n *grammars.Node, f *frame, with continuation) bool {
	if p.visits++; p.visits > p.mostVisits || p.totalWork < 0 {
		return false
	}
	p.spend(1)
	switch {
	case n.Kind == grammars.Empty:
		return p.before(n, f, with)
	case n.Kind == grammars.Alternation:
		for i, alt := range n.Children {
			if !p.preferences.unchosen[choice{n.ID, i}] && !p.behind(alt, f, with) {
				return false
			}
		}
		return true
	case n.Kind == grammars.Concatenation:
		return p.behind(n.Children[len(n.Children)-1], f, with)
	case n.Kind == grammars.Repetition:
		return p.behindRepetition(n, f, with)
	case n.Kind == grammars.Reference && n.Token == 0 && n.Target != nil:
		return !p.isLeft(n) && p.behindCall(n, f, with)
	default:
		return false
	}
}

// isLeft reports whether a node is the left operand of an operator.
func (p *preference) isLeft(n *grammars.Node) bool {
	return slices.ContainsFunc(n.Rule.Operators, func(op grammars.Operator) bool { return op.Left == n.ID })
}

// behindAll reports whether the parser never gets to the end of an alternative of a
// left-recursive rule when a continuation follows there.
func (p *preference) behindAll(r *grammars.Rule, f *frame, with continuation) bool {
	for i := range r.Operators {
		if !p.preferences.unchosen[choice{r.Root, i}] && !p.behind(r.Operators[i].Alt, f, with) {
			return false
		}
	}
	return true
}

// beforeOperand passes over a left operand with all its operators. It reports whether
// the parser never gets to the place before the operand.
func (p *preference) beforeOperand(r *grammars.Rule, with continuation) bool {
	for i, op := range r.Operators {
		if op.Left == derivation.None && !p.preferences.unchosen[choice{r.Root, i}] && !p.before(op.Alt, nil, p.operator(r, i, with)) {
			return false
		}
	}
	return true
}

// operands finds the alternatives of a left-recursive rule that are never the left
// operand of an operator: the end of the alternative would take the operator.
func (p *preference) operands(r *grammars.Rule) {
	for i, op := range r.Operators {
		if op.Left == derivation.None || p.preferences.unchosen[choice{r.Root, i}] {
			continue
		}
		with := p.operator(r, i, bottomOf)
		for j := range r.Operators {
			p.visits, p.passed, p.calling = 0, nil, true
			if c := (choice{r.Root, j}); !p.preferences.unchosen[c] && p.behind(r.Operators[j].Alt, nil, with) {
				p.at[site{c, op.Left}], p.sites[op.Left] = true, true
			}
		}
	}
}

func (p *preference) behindRepetition(n *grammars.Node, f *frame, with continuation) bool {
	var again []continuation
	if !n.NonGreedy && n.Max <= 1 { // a bounded repetition may have had all its rounds
		again = []continuation{p.round(n, p.follow(n, f.after()))}
	}
	absent := func() bool { return n.Min > 0 || p.preferences.unchosen[choice{n.ID, 0}] || p.before(n, f, with) }
	present := func() bool { return p.preferences.unchosen[choice{n.ID, 1}] || p.behind(n.Children[0], f, with) }
	if n.Max == 1 {
		return p.prefers(f.rule(n), with, again, absent) && present()
	}
	return p.prefers(f.rule(n), with, again, func() bool { return absent() && p.stay(present) })
}

// behindCall enters a rule at its end. A left-recursive rule ends only where no
// operator that the call allows comes next.
//
// A rule that was entered before needs no second visit: only parts that may be empty
// come between the ends of the two calls, so the parser can prefer the same
// alternatives inside the inner call as inside the outer one.
func (p *preference) behindCall(n *grammars.Node, f *frame, with continuation) bool {
	r := n.Target
	in := &frame{reference: n, end: p.follow(n, f.after()), up: f, depth: 1}
	for outer := f; outer != nil; outer = outer.up {
		if outer.reference.Target == r {
			return true
		}
	}
	if f != nil {
		in.depth += f.depth
	}
	if in.depth > maxFrames {
		return false
	}
	if r.Operators == nil {
		return p.behind(p.grammar.Nodes[r.Root], in, with)
	}
	var more []continuation
	for i, op := range r.Operators {
		if op.Left != derivation.None && op.Precedence >= p.levels[n.ID] {
			more = append(more, p.operator(r, i, in.end))
		}
	}
	return p.prefers(f.rule(n), with, more, func() bool { return p.behindAll(r, in, with) })
}
