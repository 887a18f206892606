package refine

import (
	"slices"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/limit"
)

// A tokenNeeds finds the nodes without a derivation that the lexer reads: each of their
// derivations has a token that the lexer never reads, or two tokens of which the second
// is never read after the first. See [grammars.Lexicon].
type tokenNeeds struct {
	grammar   *grammars.Grammar
	prevented map[int][]int
	unread    typeSet
	needs     []typeSet // by node: the tokens that all its derivations have; nil if no derivation is known
}

// findPrevented finds choices that the parser never makes, because every derivation has
// a token that the lexer never reads, or two tokens of which the second is never read
// after the first.
func findPrevented(m *limit.Meter, g *grammars.Grammar, u unchosen) {
	if !g.Exact() {
		return
	}
	s := &tokenNeeds{grammar: g, unread: make(typeSet, len(g.Tokens())/64+1), needs: make([]typeSet, len(g.Nodes))}
	if x := g.Lexicon(); x != nil {
		s.prevented = x.Prevented
	}
	some := len(s.prevented) > 0
	for t := range g.Tokens() {
		if t > 0 && !g.Reads(t) {
			s.unread.add(t)
			some = true
		}
	}
	if !some {
		return
	}
	nodes := slices.DeleteFunc(slices.Clone(g.Nodes), func(n *grammars.Node) bool { return n.Rule == nil || n.Rule.Kind != grammars.ParserRule })
	for changed := true; changed; {
		changed = false
		for _, n := range slices.Backward(nodes) { // children mostly come later
			m.Step(1 + len(n.Children))
			if needs := s.of(n); !slices.Equal(needs, s.needs[n.ID]) {
				s.needs[n.ID], changed = needs, true
			}
		}
	}
	for _, n := range nodes {
		switch {
		case n.Kind == grammars.Alternation:
			for i, alt := range n.Children {
				if s.needs[alt.ID] == nil {
					u[choice{n.ID, i}] = true
				}
			}
		case n.Kind == grammars.Repetition && n.Min == 0 && s.needs[n.Children[0].ID] == nil:
			u[choice{n.ID, 1}] = true
		}
	}
}

// of returns the tokens that all derivations of a node have, given those of the nodes
// below it; nil if no derivation is known. As more derivations become known, sets
// shrink and fewer nodes have nil.
func (s *tokenNeeds) of(n *grammars.Node) typeSet {
	none := make(typeSet, len(s.grammar.Tokens())/64+1)
	switch {
	case n.Kind == grammars.Alternation:
		var out typeSet
		for _, alt := range n.Children {
			switch needs := s.needs[alt.ID]; {
			case needs == nil:
			case out == nil:
				out = slices.Clone(needs)
			default:
				for i := range out {
					out[i] &= needs[i]
				}
			}
		}
		return out
	case n.Kind == grammars.Concatenation:
		for _, part := range n.Children {
			if s.needs[part.ID] == nil || s.prevents(none, s.needs[part.ID]) {
				return nil
			}
			none.addAll(s.needs[part.ID])
		}
		return none
	case n.Kind == grammars.Repetition && n.Min > 0:
		return s.needs[n.Children[0].ID]
	case n.Kind == grammars.Reference && n.Token == 0 && n.Target != nil:
		return s.needs[n.Target.Root]
	case n.Kind == grammars.TokenSet && !slices.ContainsFunc(n.Types, func(t int) bool { return !s.unread.has(t) }):
		return nil
	case n.Kind == grammars.TokenSet && len(n.Types) == 1:
		none.add(n.Types[0])
	case n.Kind != grammars.TokenSet && n.Token > 0 && s.unread.has(n.Token):
		return nil
	case n.Kind != grammars.TokenSet && n.Token > 0:
		none.add(n.Token)
	}
	return none
}

// prevents reports whether one of the tokens before keeps one of the tokens after from
// being read.
func (s *tokenNeeds) prevents(before, after typeSet) bool {
	for first, all := range s.prevented {
		if before.has(first) && slices.ContainsFunc(all, after.has) {
			return true
		}
	}
	return false
}
