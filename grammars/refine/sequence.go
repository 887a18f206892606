package refine

import (
	"fmt"
	"slices"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/limit"
)

// merges reports whether a concatenation around a node of a parser rule has tokens that the
// lexer always reads as one longer token, such as a quote, a name and a quote where there
// is also a token for quoted names. If symbol is not nil, the node is a token, and only its
// texts with this symbol of the lexer rule count.
func (p *Prover) merges(n, symbol *grammars.Node) bool {
	for up := p.search.above[n.ID]; up != nil; up = p.search.above[up.ID] {
		if up.Kind != grammars.Concatenation {
			continue
		}
		key := seam{concatenation: up.ID, token: derivation.None}
		if symbol != nil && p.search.above[n.ID] == up {
			key.token, key.first = n.ID, fmt.Sprint(p.search.grammar.FirstChars(symbol))
		}
		known, ok := p.merged[key]
		if !ok {
			known = p.merge(up, n, symbol)
			p.merged[key] = known
		}
		if known {
			return true
		}
	}
	return false
}

// A seam is a concatenation in which one token may begin only with some characters.
type seam struct {
	concatenation, token grammars.Occurrence
	first                string
}

// merge reports whether the lexer always reads tokens of a concatenation as one. If symbol
// is not nil, only the texts of token with this symbol count.
func (p *Prover) merge(n, token, symbol *grammars.Node) bool {
	var parts []grammars.Part
	for _, c := range n.Children {
		part := grammars.Part{Repeated: c.Token == 0 || !c.Kind.Symbolic(), Optional: p.search.adjacent.nullable[c.ID]}
		for t := range p.search.grammar.Tokens() {
			if p.search.adjacent.all[c.ID].has(t) && t > 0 {
				part.Types = append(part.Types, t)
			}
		}
		if c.Kind == grammars.End {
			break
		}
		if c == token && symbol != nil {
			part.First = p.search.grammar.FirstChars(symbol)
		}
		parts = append(parts, part)
	}
	for i := range parts {
		p.search.meter.Poll()
		if p.writer.Merges(parts[i:]) {
			return true
		}
	}
	return false
}

// endsEarly reports whether a symbol of a lexer rule is only in tokens at the end of the
// input, and a token of a parser rule cannot be there.
func (p *Prover) endsEarly(token, symbol *grammars.Node) bool {
	return !p.ends[token.ID] && symbol.Rule != nil && needsEnd(p.search.grammar.Nodes[symbol.Rule.Root], symbol)
}

// needsEnd reports whether a construct of a lexer rule has a symbol in a concatenation with
// the end of the input.
func needsEnd(n, symbol *grammars.Node) bool {
	for _, c := range n.Children {
		if !holds(c, symbol) {
			continue
		}
		return n.Kind == grammars.Concatenation && slices.ContainsFunc(n.Children, func(c *grammars.Node) bool { return c.Kind == grammars.End }) || needsEnd(c, symbol)
	}
	return false
}

// holds reports whether a construct has a symbol.
func holds(n, symbol *grammars.Node) bool {
	return n == symbol || slices.ContainsFunc(n.Children, func(c *grammars.Node) bool { return holds(c, symbol) })
}

// canEnd returns, by node, whether no token must come after it in derivations from a rule.
func canEnd(m *limit.Meter, g *grammars.Grammar, start *grammars.Rule, a *adjacency) []bool {
	out := make([]bool, len(g.Nodes))
	work := []*grammars.Node{g.Nodes[start.Root]}
	visit := func(n *grammars.Node) {
		if !out[n.ID] {
			out[n.ID] = true
			work = append(work, n)
		}
	}
	out[start.Root] = true
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		m.Step(1 + len(n.Children))
		switch {
		case n.Kind == grammars.Concatenation:
			for _, c := range slices.Backward(n.Children) {
				if visit(c); !a.nullable[c.ID] && c.Kind != grammars.End {
					break
				}
			}
		case n.Kind == grammars.Reference && n.Token == 0 && n.Target != nil:
			visit(g.Nodes[n.Target.Root])
		case n.Kind == grammars.Alternation || n.Kind == grammars.Repetition:
			for _, c := range n.Children {
				visit(c)
			}
		}
	}
	return out
}
