package refine

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/limit"
)

// A Prover proves that the parser never returns trees with some paths. It does more
// work for a path than a [Refinement] does for a choice: it also considers the parts of
// a rule before the choice, and the rules around it. So it is meant for the few paths
// for which no input was found. A Prover is not safe for concurrent use.
type Prover struct {
	search *preference
	known  map[site]bool
	modes  *precedence // nil if it is not known
	writer *grammars.Writer
	merged map[seam]bool // see merges
	ends   []bool        // by node: see canEnd
}

// Limits of a prover.
const (
	maxProofWork   = 20_000     // for an inclusion
	maxPathWork    = 200_000    // for a choice
	maxProofOpen   = 10_000     // continuations of a set
	maxProofSkips  = 5_000      // continuations that are looked at to skip an item
	maxProverWork  = 20_000_000 // for all choices
	maxProofVisits = 20_000     // nodes of a search
	maxSkips       = 30         // symbols that a search passes over as a whole
)

// NewProver returns a prover for the trees of a refinement. The error is a
// [*limit.Error], or the cause of ctx's cancellation.
func (r *Refinement) NewProver(ctx context.Context) (_ *Prover, err error) {
	defer limit.Catch(&err)
	if !r.grammar.ExactRules() {
		return &Prover{}, nil
	}
	m := limit.NewMeter(ctx, maxSteps, &limit.Error{What: "steps to prove paths impossible", Value: strconv.Itoa(maxSteps)})
	known := r.preferences
	known.unchosen = maps.Clone(known.unchosen) // more are found
	adjacent := findAdjacent(m, r.grammar)
	p := newPreference(m, r.grammar, r.start.Name, adjacent, known)
	p.mostOpen, p.mostSkips = maxProofOpen, maxProofSkips
	p.mostWork, p.mostVisits, p.totalWork, p.skips = maxProofWork, maxProofVisits, maxProverWork, maxSkips
	//nolint:contextcheck // a writer does not wait
	return &Prover{
		search: p, known: map[site]bool{}, modes: findPrecedence(m, r.grammar, r.start, adjacent),
		writer: r.grammar.Writer(), merged: map[seam]bool{}, ends: canEnd(m, r.grammar, r.start, adjacent),
	}, nil
}

// Never returns the reason why no tree of the parser has a path, or "" if that is not
// proved. The error is a [*limit.Error], or the cause of ctx's cancellation.
func (p *Prover) Never(ctx context.Context, path []grammars.Occurrence) (why Reason, err error) {
	if p.search == nil {
		return "", nil
	}
	defer limit.Catch(&err)
	p.search.meter = limit.NewMeter(ctx, maxSteps, &limit.Error{What: "steps to prove a path impossible", Value: strconv.Itoa(maxSteps)})
	above := derivation.None
	for _, o := range path {
		n := p.search.grammar.Nodes[o]
		if !p.search.isUsed(n) { // inside a token
			up := p.search.grammar.Nodes[max(above, 0)]
			if above == derivation.None || !p.search.isUsed(up) {
				return "", nil
			}
			if p.modes != nil && p.modes.excludes(p.search.grammar, up, o) || p.endsEarly(up, n) || p.merges(up, n) {
				return Lexer, nil
			}
			return "", nil
		}
		switch {
		case p.merges(n, nil):
			return Lexer, nil
		case p.never(n, derivation.None) || above != derivation.None && p.never(n, above):
			return Preferred, nil
		}
		above = o
	}
	return "", nil
}

// never reports whether the parser never makes one of the choices that lead to a symbol
// of a rule, if a reference calls the rule.
func (p *Prover) never(n *grammars.Node, call grammars.Occurrence) bool {
	for up := p.search.above[n.ID]; up != nil; n, up = up, p.search.above[up.ID] {
		c := choice{up.ID, 1}
		switch {
		case up.Kind == grammars.Alternation:
			c.of = slices.Index(up.Children, n)
		case up.Kind != grammars.Repetition || up.Min > 0:
			continue
		}
		at := site{c, call}
		known, ok := p.known[at]
		if !ok {
			known = p.search.excludes(c, n, call)
			p.known[at] = known
		}
		if known {
			return true
		}
	}
	return false
}

// excludes reports whether the parser never makes a choice in a rule that a reference
// calls, or in any call. The node is the alternative, or the body of the repetition.
func (p *preference) excludes(c choice, n *grammars.Node, call grammars.Occurrence) bool {
	all := p.totalWork
	p.totalWork = min(all, maxPathWork)
	before := p.totalWork
	defer func() { p.totalWork = all - (before - max(p.totalWork, 0)) }()
	p.reset()
	p.only = nil
	if call != derivation.None {
		p.only = p.grammar.Nodes[call]
	}
	up := p.above[n.ID]
	var with continuation
	at := n
	switch {
	case p.preferences.unchosen[c] || call != derivation.None && p.at[site{c, call}]:
		return true
	case p.only != nil && p.isLeft(p.only):
		return p.excludesOperand(n, call)
	case up.Kind == grammars.Alternation:
		with = p.choose(n, call)
	default:
		with, at = p.round(up, p.rest(up, call)), up
	}
	half := p.totalWork / 2
	p.totalWork -= half // for the cases
	never := func(with continuation) bool {
		p.reset()
		return p.before(at, nil, with) && len(p.alive) == 0 && (!p.called || call != derivation.None || n.Rule != p.start)
	}
	whole := never(with)
	p.totalWork = max(p.totalWork, 0) + half
	if !whole {
		cases := p.cases(with)
		if len(cases) == 0 || slices.ContainsFunc(cases, func(with continuation) bool { return !never(with) }) {
			return false
		}
	}
	if call == derivation.None {
		p.preferences.unchosen[c] = true
	}
	return true
}

// maxCases limits the continuations that are considered one by one.
const maxCases = 8

// cases returns continuations that together derive the same token sequences as a
// continuation; nil if there are too many. Different decisions may keep the parser from
// each of them.
func (p *preference) cases(of continuation) []continuation {
	for range 3 {
		var out []continuation
		for _, o := range p.options(of) {
			if !p.preferences.unchosen[o.choice] {
				out = append(out, o.after)
			}
		}
		switch {
		case len(out) == 0 || len(out) > maxCases:
			return nil
		case len(out) > 1:
			return out
		}
		of = out[0]
	}
	return nil
}

// choose returns the continuation from an alternative on.
func (p *preference) choose(alt *grammars.Node, call grammars.Occurrence) continuation {
	if p.isOperator(alt) {
		return p.nodes(alt.Children[1:], p.rest(alt, call))
	}
	return p.node(alt, p.rest(alt, call))
}

// rest returns the continuation after a node of a rule. If a reference to the rule is
// given, the node is directly below it in the tree: in a left-recursive rule, no operator
// follows the node's alternative.
func (p *preference) rest(n *grammars.Node, call grammars.Occurrence) continuation {
	up := p.above[n.ID]
	switch {
	case call == derivation.None || up == nil:
		return p.follow(n, bottomOf)
	case p.roots[up.ID]:
		return bottomOf
	case up.Kind == grammars.Concatenation:
		return p.nodes(up.Children[slices.Index(up.Children, n)+1:], p.rest(up, call))
	case up.Kind == grammars.Repetition && up.Max != 1:
		return p.loop(up, p.rest(up, call))
	default:
		return p.rest(up, call)
	}
}

// excludesOperand reports whether the parser never takes a node of an alternative of a
// left-recursive rule for the left operand of an operator: the end of the alternative
// would take the operator, or another alternative would take both.
func (p *preference) excludesOperand(n *grammars.Node, left grammars.Occurrence) bool {
	p.calling = true
	r := n.Rule
	op := slices.IndexFunc(r.Operators, func(op grammars.Operator) bool { return op.Left == left })
	with := p.operator(r, op, bottomOf)
	if p.endsWith(n) && p.behind(n, nil, with) {
		return true
	}
	i := slices.IndexFunc(r.Operators, func(op grammars.Operator) bool { return op.Alt == n })
	switch {
	case i < 0:
		return false
	case r.Operators[i].Left != derivation.None:
		return p.before(n, nil, p.nodes(n.Children[1:], with))
	default:
		return p.before(n, nil, p.node(n, with))
	}
}

// endsWith reports whether a node ends its alternative of a left-recursive rule.
func (p *preference) endsWith(n *grammars.Node) bool {
	for up := p.above[n.ID]; !p.roots[up.ID]; n, up = up, p.above[up.ID] {
		if up.Kind == grammars.Concatenation && n != up.Children[len(up.Children)-1] || up.Kind == grammars.Repetition && up.Max != 1 {
			return false
		}
	}
	return true
}
