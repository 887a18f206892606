package generate

import (
	"math/bits"
	"slices"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/refine"
)

// hasMode reports whether lexer modes restrict a node: modes are refined, and the
// node is in a parser rule.
func (d *drawing) hasMode(n *grammars.Node) bool {
	return d.stack != "" && n.Rule != nil && n.Rule.Kind == grammars.ParserRule
}

// turn returns the lexer modes that the next derivation must respect.
func (d *drawing) turn() refine.Turn { return refine.Turn{Mode: d.stack.Mode(), After: d.after} }

// unreadable reports whether the lexer's mode allows no derivation of a node.
func (d *drawing) unreadable(n *grammars.Node) bool {
	return d.hasMode(n) && !d.modes.Allows(n, d.turn())
}

// measure returns the least size and depth of a node's derivations in the lexer's
// mode.
func (d *drawing) measure(n *grammars.Node) (size, depth int) {
	if d.hasMode(n) {
		if size, depth = d.modes.Measure(n, d.turn()); size != grammars.Unproductive {
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

// makers returns the lexer rules that can make a token of a type in the lexer's
// mode.
func (d *drawing) makers(n *grammars.Node, kind int) []*grammars.Rule {
	makers := d.modes.Makers(n, d.turn())
	return slices.DeleteFunc(makers, func(r *grammars.Rule) bool { return !slices.Contains(d.grammar.TokenRules(kind), r) })
}

// shift changes the mode stack after a token. Root is the derived node of the
// token's rule, or nil if it is not known.
func (d *drawing) shift(n *grammars.Node, kind int, root *grammars.Node) {
	if d.stack == "" {
		return
	}
	makers := d.makers(n, kind)
	if n.Kind == grammars.Reference && root != nil {
		makers = slices.DeleteFunc(makers, func(r *grammars.Rule) bool { return d.modes.Inside(n, r) != root })
	}
	if len(makers) == 0 {
		d.failed = true
		return
	}
	d.stack = d.stack[:len(d.stack)-1] + d.modes.Effect(makers[0])
}

// A planned construct is a concatenation or repetition whose parts are drawn so
// that the lexer's modes allow the parts after them. Without refined modes there
// is no restriction.
type planned struct {
	d     *drawing
	plan  *refine.Plan // nil if modes are not refined
	base  int          // the length of the mode stack below the construct
	after refine.StackSet
	aimed bool // whether the plan leads to a goal
	must  bool // whether a round is added only because the repetition cannot end yet
}

func (d *drawing) plan(n *grammars.Node) *planned {
	p := &planned{d: d, after: d.after}
	if d.hasMode(n) {
		p.base = len(d.stack) - 1
		p.plan = d.modes.Plan(n, d.turn())
	}
	return p
}

// carrier returns the part that leads to a goal, -1 if there is none. For the
// first goal, the parts before it are then planned so that it begins in a mode
// from which the goal is nearest.
func (p *planned) carrier(g *goal, n *grammars.Node) int {
	if p.plan == nil || g.cells == nil {
		return slices.Index(n.Children, p.d.towards(g, n.Children))
	}
	best, least, modes := -1, 0, uint64(0)
	for i, part := range n.Children {
		for before := p.plan.Before(i); before != 0; before &= before - 1 {
			mode := byte(bits.TrailingZeros64(before))
			steps := p.d.steps(g, part, mode)
			switch {
			case steps == refine.Unreachable:
			case best < 0 || steps < least:
				best, least, modes = i, steps, 1<<mode
			case steps == least && i == best:
				modes |= 1 << mode
			}
		}
	}
	if best >= 0 && !p.aimed { // later goals do not change the plan
		p.aimed = true
		p.plan = p.d.modes.PlanPart(n, refine.Turn{Mode: p.d.stack.Mode(), After: p.after}, best, modes)
	}
	return best
}

// own returns the part of the mode stack that belongs to the construct.
func (p *planned) own() refine.Stack { return p.d.stack[min(p.base, len(p.d.stack)):] }

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

// maxApproach limits the rounds that are added to reach a mode.
const maxApproach = 3

// approach adds rounds without goals until the lexer is in a mode from which a
// goal is nearest. It returns the number of rounds.
func (p *planned) approach(n *grammars.Node, draw func()) int {
	d, times := p.d, 0
	if p.plan == nil {
		return 0
	}
	goals := d.goals
	bestModes := p.bestModes(goals, n)
	if bestModes == 0 {
		return 0
	}
	away := func() bool { return len(d.stack) <= p.base || bestModes&(1<<d.stack.Mode()) == 0 }
	for ; times < maxApproach && !d.failed && away() && (n.Max < 0 || times+1 < n.Max); times++ {
		d.goals = nil
		if p.enter(0, n.Children[0]) {
			d.after = d.modes.Ending(d.after, bestModes)
			draw()
		}
		d.goals = goals
	}
	d.failed = d.failed || away()
	return times
}

// bestModes returns the modes, as bits, from which a round is nearest to the first
// goal that it can reach.
func (p *planned) bestModes(goals []*goal, n *grammars.Node) uint64 {
	for _, g := range goals {
		if g.cells == nil {
			continue
		}
		modes, least := uint64(0), 0
		for before := p.plan.Before(0); before != 0; before &= before - 1 {
			mode := byte(bits.TrailingZeros64(before))
			switch steps := p.d.steps(g, n.Children[0], mode); {
			case steps == refine.Unreachable:
			case modes == 0 || steps < least:
				modes, least = 1<<mode, steps
			case steps == least:
				modes |= 1 << mode
			}
		}
		if modes != 0 {
			return modes
		}
	}
	return 0
}
