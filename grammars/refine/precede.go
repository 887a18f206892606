package refine

import (
	"slices"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/limit"
)

// A precedence tells in which modes a token of the grammar can begin, given the tokens
// that can come right before it. It is less precise than lexer states, but works for
// any number of modes.
type precedence struct {
	adjacent *adjacency
	lexicon  *grammars.Lexicon
	symbols  *grammars.Symbols
	before   []typeSet // by node: the tokens that can come right before it; 0 is the beginning of the input
}

// findPrecedence finds the tokens that can come before each node in derivations from a
// rule. It returns nil if the lexer has only one mode or is not known.
func findPrecedence(m *limit.Meter, g *grammars.Grammar, start *grammars.Rule, a *adjacency) *precedence {
	x := g.Lexicon()
	if x == nil || !g.Exact() || len(g.Modes()) == 1 || a.early() {
		return nil
	}
	p := &precedence{a, x, g.Symbols(), make([]typeSet, len(g.Nodes))}
	for i := range p.before {
		p.before[i] = make(typeSet, len(g.Tokens())/64+1)
	}
	p.before[start.Root].add(0)
	seen := make([]bool, len(g.Nodes))
	for work := []*grammars.Node{g.Nodes[start.Root]}; len(work) > 0; {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		m.Step(1 + len(n.Children))
		visit := func(c *grammars.Node, before typeSet) {
			if p.before[c.ID].addAll(before) || !seen[c.ID] {
				seen[c.ID] = true
				work = append(work, c)
			}
		}
		before := slices.Clone(p.before[n.ID])
		switch {
		case n.Kind == grammars.Concatenation:
			for _, c := range n.Children {
				visit(c, before)
				last := slices.Clone(a.last[c.ID])
				if a.nullable[c.ID] {
					last.addAll(before)
				}
				before = last
			}
		case n.Kind == grammars.Repetition:
			if n.Max != 1 {
				before.addAll(a.last[n.Children[0].ID])
			}
			visit(n.Children[0], before)
		case n.Kind == grammars.Alternation:
			for _, c := range n.Children {
				visit(c, before)
			}
		case n.Kind == grammars.Reference && n.Token == 0 && n.Target != nil:
			visit(g.Nodes[n.Target.Root], before)
		}
	}
	return p
}

// modes returns the modes in which a token of the grammar can begin. It reports false if
// they are not known.
func (p *precedence) modes(n *grammars.Node) (modes []int, known bool) {
	add := func(r *grammars.Reading) bool {
		if r.Pops > 0 || len(r.After) == 0 {
			return false
		}
		if mode := r.After[len(r.After)-1]; !slices.Contains(modes, mode) {
			modes = append(modes, mode)
		}
		return true
	}
	if p.before[n.ID].has(0) {
		modes = append(modes, 0)
	}
	for _, r := range p.lexicon.Readings {
		if p.before[n.ID].has(r.Type) && !add(r) {
			return nil, false
		}
	}
	for i := 0; i < len(modes); i++ {
		for _, r := range p.lexicon.Trivia {
			if r.Mode == modes[i] && !add(r) {
				return nil, false
			}
		}
	}
	return modes, true
}

// excludes reports whether a symbol is never right below a token of a parser rule's
// node: in the modes in which the token can begin, no rule with the symbol makes it.
func (p *precedence) excludes(g *grammars.Grammar, n *grammars.Node, symbol grammars.Occurrence) bool {
	modes, known := p.modes(n)
	if !known || n.Kind != grammars.Reference || n.Token == 0 {
		return false
	}
	for _, r := range p.lexicon.Readings {
		if r.Type != n.Token || !slices.Contains(modes, r.Mode) {
			continue
		}
		if len(r.Pieces) > 0 || slices.ContainsFunc(p.symbols.In(inside(g, n, r.Rule)), func(s *grammars.Node) bool { return s.ID == symbol }) {
			return false
		}
	}
	return true
}
