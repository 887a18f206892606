package generate

import (
	"math/bits"
	"slices"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/refine"
)

// hasMode reports whether the lexer's state restricts a node: lexer states are
// refined, and the node is in a parser rule.
func (d *drawing) hasMode(n *grammars.Node) bool {
	return d.stack != "" && n.Rule != nil && n.Rule.Kind == grammars.ParserRule
}

// turn returns the lexer states that a derivation of a node must respect.
func (d *drawing) turn(n *grammars.Node) refine.Turn {
	return refine.Turn{State: d.modes.State(n, d.stack), After: d.after}
}

// unreadable reports whether the lexer's state allows no derivation of a node.
func (d *drawing) unreadable(n *grammars.Node) bool {
	return d.hasMode(n) && !d.modes.Allows(n, d.turn(n))
}

// measure returns the least size and depth of a node's derivations in the lexer's
// state.
func (d *drawing) measure(n *grammars.Node) (size, depth int) {
	if d.hasMode(n) {
		if size, depth = d.modes.Measure(n, d.turn(n)); size != grammars.Unproductive {
			return size, depth
		}
	}
	return n.Size, n.Depth
}

// leastSize and leastDepth return the two results of measure.
func (d *drawing) leastSize(n *grammars.Node) int {
	size, _ := d.measure(n)
	return size
}

func (d *drawing) leastDepth(n *grammars.Node) int {
	_, depth := d.measure(n)
	return depth
}

// readings returns how the lexer can read a token of a type in its state. The caller must
// not change the result.
func (d *drawing) readings(n *grammars.Node, kind int) []refine.Reading {
	return d.modes.ReadingsAs(n, d.turn(n), kind)
}

// shift changes the lexer's state after a token. root is the derived node of the
// token's rule, or nil if it is not known.
func (d *drawing) shift(n *grammars.Node, kind int, root *grammars.Node) {
	d.shiftTo(n, d.reading(n, kind, root))
}

// reading returns how the lexer reads a token that is derived from a node; nil if it cannot.
// root is as in shift.
func (d *drawing) reading(n *grammars.Node, kind int, root *grammars.Node) *refine.Reading {
	if d.stack == "" {
		return nil
	}
	readings := d.readings(n, kind)
	for i := range readings {
		if r := &readings[i]; n.Kind != grammars.Reference || root == nil || d.modes.Inside(n, r.Rule) == root {
			return r
		}
	}
	return nil
}

// shiftTo changes the lexer's state after a token, given how it is read.
func (d *drawing) shiftTo(n *grammars.Node, r *refine.Reading) {
	switch {
	case d.stack == "":
	case r == nil:
		d.failed = true
	default:
		d.stack = d.modes.Shift(d.stack, n, r.After)
	}
}

// endInput changes the lexer's state at the end of the input.
func (d *drawing) endInput() {
	if d.stack != "" {
		d.stack = d.modes.AtEnd(d.stack)
	}
}

// A planned construct is a concatenation or repetition whose parts are drawn so
// that the lexer's modes allow the parts after them. Without refined modes there
// is no restriction.
type planned struct {
	d     *drawing
	plan  *refine.Plan // nil if modes are not refined
	base  int          // the number of modes that the construct cannot change
	after refine.StackSet
	aimed bool // whether the plan leads to a goal
	must  bool // whether a round is added only because the repetition cannot end yet
}

func (d *drawing) plan(n *grammars.Node) planned {
	p := planned{d: d, after: d.after}
	if d.hasMode(n) {
		p.base = d.modes.Below(n, d.stack)
		p.plan = d.modes.Plan(n, d.turn(n))
	}
	return p
}

// carrier returns the part that leads to a goal, -1 if there is none. For the first
// goal, it plans the earlier parts so that the returned part begins in a mode from
// which the goal is nearest.
func (p *planned) carrier(g *goal, n *grammars.Node) int {
	if p.plan == nil || g.cells == nil {
		return slices.Index(n.Children, p.d.towards(g, n.Children))
	}
	best, least, states := -1, 0, uint64(0)
	for i, part := range n.Children {
		for before := p.plan.Before(i); before != 0; before &= before - 1 {
			state := byte(bits.TrailingZeros64(before))
			steps := p.d.steps(g, part, state)
			switch {
			case steps == refine.Unreachable:
			case best < 0 || steps < least:
				best, least, states = i, steps, 1<<state
			case steps == least && i == best:
				states |= 1 << state
			}
		}
	}
	if best >= 0 && !p.aimed { // later goals do not change the plan
		p.aimed = true
		p.plan = p.d.modes.PlanPart(n, refine.Turn{State: p.d.modes.State(n, p.d.stack), After: p.after}, best, states)
	}
	return best
}

// own returns the part of the lexer's stack that belongs to the construct.
func (p *planned) own() refine.Stack { return p.d.modes.Own(p.d.stack, p.base) }

// enter begins a part and reports whether it can be drawn.
func (p *planned) enter(i int, part *grammars.Node) bool {
	if p.plan == nil || p.d.failed {
		return !p.d.failed
	}
	after, ok := p.plan.Part(i, part, p.own())
	if p.d.after = after; !ok {
		p.d.failed = true
	}
	if p.must && ok {
		if last, ends := p.plan.Last(p.own()); ends {
			p.d.after = last
		}
	}
	return ok
}

func (p *planned) leave() { p.d.after = p.after }

// again reports whether to add a round: if the repetition cannot end yet, or if a
// round is wanted and possible.
func (p *planned) again(times int, n *grammars.Node, wanted bool) bool {
	if p.plan == nil {
		return times < n.Min || wanted
	}
	if p.must = !p.plan.Ends(p.own()); times < n.Min || p.must {
		return n.Max < 0 || times < n.Max
	}
	_, ok := p.plan.Part(0, n.Children[0], p.own())
	return wanted && ok
}

// maxDetour limits the rounds that are added on a detour.
const maxDetour = 2

// detour adds rounds without goals before the round of a goal, because the parser may
// read the first round in another way. It returns the number of rounds.
func (p *planned) detour(n *grammars.Node, depth int, draw func()) int {
	d := p.d
	if !d.detours || n.Max >= 0 || d.onTheWay(n.Children) == nil {
		return 0
	}
	times, goals := 0, d.goals
	for most := d.rand.IntN(maxDetour + 1); times < most && !d.failed && d.hasRoom(n.Children[0]) && d.chooser.again(d, n, depth); times++ {
		d.goals = nil
		if p.enter(0, n.Children[0]) {
			draw()
		}
		d.goals = goals
	}
	return times
}

// maxApproach limits the rounds that are added to reach a lexer state.
const maxApproach = 3

// approach adds rounds without goals until the lexer is in a state from which a
// goal is nearest. It returns the number of rounds.
func (p *planned) approach(n *grammars.Node, draw func()) int {
	d, times := p.d, 0
	if p.plan == nil {
		return 0
	}
	goals := d.goals
	best := p.bestStates(goals, n)
	if best == 0 {
		return 0
	}
	away := func() bool { return best&(1<<d.modes.State(n.Children[0], d.stack)) == 0 }
	for ; times < maxApproach && !d.failed && away() && (n.Max < 0 || times+1 < n.Max); times++ {
		d.goals = nil
		if p.enter(0, n.Children[0]) {
			d.after = d.modes.Ending(n.Children[0], p.own(), d.after, best)
			draw()
		}
		d.goals = goals
	}
	d.failed = d.failed || away()
	return times
}

// bestStates returns the lexer states, as bits, from which a round is nearest to the
// first goal that it can reach.
func (p *planned) bestStates(goals []*goal, n *grammars.Node) uint64 {
	for _, g := range goals {
		if g.cells == nil {
			continue
		}
		states, least := uint64(0), 0
		for before := p.plan.Before(0); before != 0; before &= before - 1 {
			state := byte(bits.TrailingZeros64(before))
			switch steps := p.d.steps(g, n.Children[0], state); {
			case steps == refine.Unreachable:
			case states == 0 || steps < least:
				states, least = 1<<state, steps
			case steps == least:
				states |= 1 << state
			}
		}
		if states != 0 {
			return states
		}
	}
	return 0
}
