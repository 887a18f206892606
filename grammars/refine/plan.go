package refine

import (
	"slices"

	"github.com/inroad/inroad/grammars"
)

// A Plan restricts the parts of a concatenation or a repetition so that the whole
// satisfies a turn. The plan of a repetition is the same for all rounds.
type Plan struct {
	modes *Modes
	node  *grammars.Node
	start Stack
	body  *grammars.Node        // of a repetition
	once  bool                  // whether a repetition has at most one round
	good  []map[Stack]bool      // by part, and after the last: the stacks from which the plan can be completed
	found map[planPart]StackSet // the results of into
	last  []partSet             // by good: the last result of into
}

// A partSet is a result of [Plan.into].
type partSet struct {
	key   planPart
	set   StackSet
	known bool
}

// A planPart identifies the arguments of [Plan.into].
type planPart struct {
	good  int
	part  grammars.Occurrence
	stack Stack
}

// A planKey identifies a plan.
type planKey struct {
	node   grammars.Occurrence
	turn   Turn
	part   int
	states uint64
}

// Plan returns a plan for a concatenation or a repetition.
func (m *Modes) Plan(n *grammars.Node, t Turn) *Plan { return m.PlanPart(n, t, -1, 0) }

// PlanPart returns a plan for a concatenation in which one part begins in one of the
// lexer states, which are given as bits.
func (m *Modes) PlanPart(n *grammars.Node, t Turn, part int, states uint64) *Plan {
	key := planKey{n.ID, t, part, states}
	recent := &m.recent[n.ID]
	if recent.plan != nil && recent.key == key {
		return recent.plan
	}
	p := m.planPart(key, n, t, part, states)
	*recent = recentPlan{key, p}
	return p
}

func (m *Modes) planPart(key planKey, n *grammars.Node, t Turn, part int, states uint64) *Plan {
	if p, ok := m.plans[key]; ok {
		return p
	}
	p := &Plan{modes: m, node: n, start: m.stack(t.State), found: map[planPart]StackSet{}}
	if n.Kind == grammars.Repetition {
		p.repeat(n, t)
	} else {
		p.sequence(n, t, part, states)
	}
	m.plans[key] = p
	return p
}

// sequence finds the good stacks of a concatenation from the last part to the first.
func (p *Plan) sequence(n *grammars.Node, t Turn, part int, states uint64) {
	m := p.modes
	reached := [][]ending{{{stack: p.start}}}
	for i, part := range n.Children {
		reached = append(reached, m.step(n, p.start, reached[i], part))
	}
	p.good = make([]map[Stack]bool, len(reached))
	for i := len(reached) - 1; i >= 0; i-- {
		p.good[i] = map[Stack]bool{}
		for _, e := range reached[i] {
			s := e.stack
			switch {
			case i == len(n.Children):
				p.good[i][s] = m.has(t.After, s)
			case i == part && (s.empty() || states&(1<<m.state(n.Children[i], s)) == 0):
			default:
				p.good[i][s] = m.leads(n, p.start, s, n.Children[i], p.good[i+1])
			}
		}
	}
}

// repeat finds the stacks from which a repetition can be completed, and the stacks
// that it can end with.
func (p *Plan) repeat(n *grammars.Node, t Turn) {
	m := p.modes
	p.body = n.Children[0]
	here := []ending{{stack: p.start}}
	all := m.merge(slices.Concat(here, m.repeat(here, n)))
	good, ends := map[Stack]bool{}, map[Stack]bool{}
	for _, e := range all {
		ends[e.stack] = m.has(t.After, e.stack)
		good[e.stack] = ends[e.stack]
	}
	for grown := true; grown; {
		grown = false
		for _, e := range all {
			if !good[e.stack] && m.leads(n, p.start, e.stack, p.body, good) {
				good[e.stack], grown = true, true
			}
		}
	}
	p.good = []map[Stack]bool{good, ends}
	if p.once = n.Max == 1; p.once {
		p.good[0] = map[Stack]bool{p.start: ends[p.start] || m.leads(n, p.start, p.start, p.body, ends)}
	}
}

// Before returns the lexer states, as bits, in which a part can begin.
func (p *Plan) Before(i int) uint64 {
	states := uint64(0)
	for s, ok := range p.good[i] {
		if ok && !s.empty() {
			states |= 1 << p.modes.state(p.node.Children[i], s)
		}
	}
	return states
}

// Ends reports whether a repetition can end with a stack.
func (p *Plan) Ends(s Stack) bool { return p.good[1][s] }

// Part returns the stacks that a part may end with, given the stack that it begins
// with, and reports whether there are any. All rounds of a repetition are part 0.
func (p *Plan) Part(i int, part *grammars.Node, s Stack) (StackSet, bool) {
	switch {
	case s.empty(): // only parts without tokens follow
		return AnyStack, true
	case p.body != nil && p.once:
		return p.into(1, part, s)
	case p.body != nil:
		return p.into(0, part, s)
	default:
		return p.into(i+1, part, s)
	}
}

// Last returns the stacks that a round may end with so that it can be the last.
func (p *Plan) Last(s Stack) (StackSet, bool) {
	if s.empty() {
		return AnyStack, true
	}
	return p.into(1, p.body, s)
}

// maxFound limits the answers that a plan remembers.
const maxFound = 10_000

// into returns the stacks that a part may end with so that it leads to a good one, and
// reports whether there are any. The good stacks are given by their index.
func (p *Plan) into(good int, part *grammars.Node, s Stack) (StackSet, bool) {
	m := p.modes
	key := planPart{good, part.ID, s}
	if p.last == nil {
		p.last = make([]partSet, len(p.good))
	}
	last := &p.last[good]
	if last.known && last.key == key {
		return last.set, len(m.sets[last.set]) > 0
	}
	set, ok := p.found[key]
	if !ok {
		var out []Stack
		for _, e := range m.of[m.Cell(part, m.state(part, s))] {
			if p.good[good][m.then(s, part, e.stack)] {
				out = append(out, e.stack)
			}
		}
		if len(p.found) == maxFound {
			clear(p.found)
		}
		set = m.set(out)
		p.found[key] = set
	}
	*last = partSet{key, set, true}
	return set, len(m.sets[set]) > 0
}
