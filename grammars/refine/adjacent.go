package refine

import (
	"iter"
	"math/bits"
	"slices"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/limit"
)

// A typeSet is a set of token types; 0 is the end of the input.
type typeSet []uint64

func (s typeSet) has(t int) bool { return s[t>>6]&(1<<(t&63)) != 0 }
func (s typeSet) add(t int)      { s[t>>6] |= 1 << (t & 63) }

// len returns the number of members.
func (s typeSet) len() int {
	n := 0
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// all yields the members.
func (s typeSet) all() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, word := range s {
			for ; word != 0; word &= word - 1 {
				if !yield(i<<6 + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}

// addAll adds the members of another set and reports whether any was new.
func (s typeSet) addAll(more typeSet) bool {
	grown := false
	for i, word := range more {
		grown = grown || word&^s[i] != 0
		s[i] |= word
	}
	return grown
}

// An adjacency tells which tokens can be neighbours in a derivation of the grammar. It
// ignores the lexer, except that tokens that the lexer never reads do not occur.
type adjacency struct {
	grammar     *grammars.Grammar
	nullable    []bool    // by node
	first, last []typeSet // by node: the tokens that derivations begin and end with
	all         []typeSet // by node: the tokens that derivations contain
	next        []typeSet // by token: the tokens that can be right after it
	read        typeSet   // the tokens that the lexer can read; nil if that is not known
}

// findAdjacent finds the tokens that can be neighbours.
func findAdjacent(m *limit.Meter, g *grammars.Grammar) *adjacency {
	words := len(g.Tokens())/64 + 1
	sets := func(n int) []typeSet {
		out := make([]typeSet, n)
		for i := range out {
			out[i] = make(typeSet, words)
		}
		return out
	}
	a := &adjacency{g, make([]bool, len(g.Nodes)), sets(len(g.Nodes)), sets(len(g.Nodes)), sets(len(g.Nodes)), sets(len(g.Tokens())), nil}
	if lexicon := g.Lexicon(); lexicon != nil && g.Exact() {
		a.read = make(typeSet, words)
		for _, r := range lexicon.Readings {
			a.read.add(r.Type)
		}
	}
	for changed := true; changed; {
		changed = false
		for _, n := range slices.Backward(g.Nodes) { // children mostly come later
			if n.Rule == nil || n.Rule.Kind != grammars.ParserRule {
				continue
			}
			m.Step(1 + len(n.Children))
			changed = a.improve(n) || changed
		}
	}
	for _, n := range g.Nodes {
		switch {
		case n.Rule == nil || n.Rule.Kind != grammars.ParserRule:
		case n.Kind == grammars.Concatenation:
			a.join(m, n)
		case n.Kind == grammars.Repetition && n.Max != 1:
			a.addPairs(m, n.Children[0], n.Children[0])
		}
	}
	return a
}

// improve computes the first and last tokens of a node from those below it. It reports
// whether any was new.
func (a *adjacency) improve(n *grammars.Node) bool {
	first, last, all := a.first[n.ID], a.last[n.ID], a.all[n.ID]
	nullable, grown := false, false
	for _, c := range n.Children {
		if n.Token == 0 {
			grown = all.addAll(a.all[c.ID]) || grown
		}
	}
	take := func(c *grammars.Node) {
		grown = all.addAll(a.all[c.ID]) || grown
		grown = first.addAll(a.first[c.ID]) || grown
		grown = last.addAll(a.last[c.ID]) || grown
	}
	switch {
	case n.Kind == grammars.Alternation:
		for _, c := range n.Children {
			take(c)
			nullable = nullable || a.nullable[c.ID]
		}
	case n.Kind == grammars.Repetition:
		take(n.Children[0])
		nullable = n.Min == 0 || a.nullable[n.Children[0].ID]
	case n.Kind == grammars.Concatenation:
		nullable = true
		for _, c := range n.Children {
			if nullable {
				grown = first.addAll(a.first[c.ID]) || grown
			}
			nullable = nullable && a.nullable[c.ID]
		}
		for _, c := range slices.Backward(n.Children) {
			if grown = last.addAll(a.last[c.ID]) || grown; !a.nullable[c.ID] {
				break
			}
		}
	case n.Kind == grammars.Reference && n.Token == 0 && n.Target != nil:
		root := a.grammar.Nodes[n.Target.Root]
		take(root)
		nullable = a.nullable[root.ID]
	case n.Kind == grammars.Empty:
		nullable = true
	default:
		grown = a.token(n)
	}
	if nullable && !a.nullable[n.ID] {
		a.nullable[n.ID], grown = true, true
	}
	return grown
}

// token adds the types of a token.
func (a *adjacency) token(n *grammars.Node) bool {
	own := make(typeSet, len(a.first[n.ID]))
	switch {
	case n.Kind == grammars.End:
		own.add(0)
	case n.Kind == grammars.Literal && a.grammar.Scannerless:
		return a.text(n)
	case len(n.Types) > 0:
		for _, t := range n.Types {
			if a.read == nil || a.read.has(t) {
				own.add(t)
			}
		}
	case n.Token > 0 && (a.read == nil || a.read.has(n.Token)):
		own.add(n.Token)
	}
	grown := a.first[n.ID].addAll(own)
	a.all[n.ID].addAll(own)
	return a.last[n.ID].addAll(own) || grown
}

// text adds the types of the characters of a literal in a scannerless grammar.
func (a *adjacency) text(n *grammars.Node) bool {
	chars := a.grammar.LiteralTypes(n)
	grown := false
	for i, types := range chars {
		for _, t := range types {
			a.all[n.ID].add(t)
			if i == 0 {
				grown = grown || !a.first[n.ID].has(t)
				a.first[n.ID].add(t)
			}
			if i == len(chars)-1 {
				grown = grown || !a.last[n.ID].has(t)
				a.last[n.ID].add(t)
			}
		}
	}
	return grown
}

// join finds the neighbours in a concatenation.
func (a *adjacency) join(m *limit.Meter, n *grammars.Node) {
	for i, c := range n.Children {
		for _, next := range n.Children[i+1:] {
			if a.addPairs(m, c, next); !a.nullable[next.ID] {
				break
			}
		}
	}
}

// addPairs adds the neighbours where one node follows another.
func (a *adjacency) addPairs(m *limit.Meter, before, after *grammars.Node) {
	for t := range a.next {
		if a.last[before.ID].has(t) {
			m.Step(1)
			a.next[t].addAll(a.first[after.ID])
		}
	}
}

// early reports whether a token can follow the end of the input.
func (a *adjacency) early() bool {
	for i, word := range a.next[0] {
		if i == 0 {
			word &^= 1 // the end itself
		}
		if word != 0 {
			return true
		}
	}
	return false
}
