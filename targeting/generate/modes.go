package generate

import (
	"math/bits"
	"slices"

	"github.com/inroad/inroad/grammars"
)

// heeds reports whether it is known in which mode the lexer would read what a node
// derives.
func (d *drawing) heeds(n *grammars.Node) bool {
	return d.stack != "" && n.Rule != nil && n.Rule.Kind == grammars.ParserRule
}

// unreadable reports whether the lexer would be in a mode that does not allow what
// a node derives, or what has to follow it.
func (d *drawing) unreadable(n *grammars.Node) bool {
	return d.heeds(n) && !d.modes.Allows(n, d.stack.Mode(), d.after)
}

// measure returns the least size and depth of what a node can derive where the
// lexer is.
func (d *drawing) measure(n *grammars.Node) (size, depth int) {
	if d.heeds(n) {
		if size, depth = d.modes.Measure(n, d.stack.Mode(), d.after); size != grammars.Unproductive {
			return size, depth
		}
	}
	return n.Size, n.Depth
}

// leastSize and leastDepth are what measure returns.
func (d *drawing) leastSize(n *grammars.Node) int {
	size, _ := d.measure(n)
	return size
}

func (d *drawing) leastDepth(n *grammars.Node) int {
	_, depth := d.measure(n)
	return depth
}

// makers returns the lexer rules that can make a token of a type where the lexer
// is.
func (d *drawing) makers(n *grammars.Node, kind int) []*grammars.Rule {
	makers := d.modes.Makers(n, grammars.Turn{Mode: d.stack.Mode(), After: d.after})
	return slices.DeleteFunc(makers, func(r *grammars.Rule) bool { return !slices.Contains(d.grammar.TokenRules(kind), r) })
}

// shift notes that a token was drawn, given what it was made of if that is known.
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

// A planned construct is one whose parts are drawn so that the lexer is in modes
// that allow what follows. Without modes it allows anything.
type planned struct {
	d     *drawing
	plan  *grammars.Plan // nil if modes do not matter
	base  int            // how much of the stack is none of the construct's
	after grammars.StackSet
	aimed bool // whether the plan is for a goal
	must  bool // whether a repetition goes on only because it cannot end yet
}

func (d *drawing) plan(n *grammars.Node) *planned {
	p := &planned{d: d, after: d.after}
	if d.heeds(n) {
		p.base = len(d.stack) - 1
		p.plan = d.modes.Plan(n, d.stack.Mode(), d.after)
	}
	return p
}

// carrier returns the part that is drawn for a goal, -1 if there is none. From
// then on the parts before it are drawn so that it begins in a mode that suits.
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
			case steps == grammars.Unreachable:
			case best < 0 || steps < least:
				best, least, modes = i, steps, 1<<mode
			case steps == least && i == best:
				modes |= 1 << mode
			}
		}
	}
	if best >= 0 && !p.aimed { // the first goal counts most
		p.aimed = true
		p.plan = p.d.modes.PlanPart(n, p.d.stack.Mode(), p.after, best, modes)
	}
	return best
}

// own returns the part of the stack that is the construct's.
func (p *planned) own() grammars.Stack { return p.d.stack[min(p.base, len(p.d.stack)):] }

// enter begins with a part, and reports whether it can be drawn.
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

// again reports whether something is repeated once more: if it must, or if it is
// wanted and can.
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

// maxApproach is how often something is repeated to come to a mode.
const maxApproach = 3

// approach repeats something without the goals until it is in a mode from which a
// goal is nearest, and returns how often it did.
func (p *planned) approach(n *grammars.Node, draw func()) int {
	d, times := p.d, 0
	if p.plan == nil {
		return 0
	}
	goals := d.goals
	suiting := p.suiting(goals, n)
	if suiting == 0 {
		return 0
	}
	away := func() bool { return len(d.stack) <= p.base || suiting&(1<<d.stack.Mode()) == 0 }
	for ; times < maxApproach && !d.failed && away() && (n.Max < 0 || times+1 < n.Max); times++ {
		d.goals = nil
		if p.enter(0, n.Children[0]) {
			d.after = d.modes.Ending(d.after, suiting)
			draw()
		}
		d.goals = goals
	}
	d.failed = d.failed || away()
	return times
}

// suiting returns the modes in which what is repeated comes to the first goal
// soonest that it can come to at all.
func (p *planned) suiting(goals []*goal, n *grammars.Node) uint64 {
	for _, g := range goals {
		if g.cells == nil {
			continue
		}
		modes, least := uint64(0), 0
		for before := p.plan.Before(0); before != 0; before &= before - 1 {
			mode := byte(bits.TrailingZeros64(before))
			switch steps := p.d.steps(g, n.Children[0], mode); {
			case steps == grammars.Unreachable:
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
