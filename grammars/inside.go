package grammars

import (
	"slices"

	"github.com/inroad/inroad/grammars/internal/atn"
)

// An Inside tells which symbols occur in derivations of a lexer rule's tokens. Some
// symbols of a rule may never occur: the lexer can read a text as a token of an earlier
// rule, and only the first of several derivations of a text counts.
//
// A context is a place in a derivation: 0 is the rule itself, and each reference in a
// context has a context of its own, see [Inside.Below].
type Inside = atn.Inside

type insidesKey struct{}

// Limits on the work to find the symbols inside all tokens. Beyond maxInside, the
// analysis of each rule is faster and less precise; after fastInside more, it stops.
const (
	maxInside  = 600_000
	fastInside = 200_000
)

// Inside returns the symbols inside the tokens that a lexer rule makes, or inside the
// parts of tokens that it matches. It returns nil if all symbols of the rule may occur, or
// if that cannot be determined.
func (g *Grammar) Inside(r *Rule) *Inside {
	return g.Memo(insidesKey{}, g.findInsides).(map[*Rule]*Inside)[r]
}

func (g *Grammar) findInsides() any {
	speller, left := g.machine.Speller(), maxInside+fastInside
	out := map[*Rule]*Inside{}
	if !g.Exact() || g.Scannerless {
		return out
	}
	for _, r := range g.Rules {
		if r.Kind != TokenRule || !g.chooses(g.Nodes[r.Root], 0) {
			continue
		}
		x, work := g.machine.Inside(speller, slices.Index(g.modes, r.Mode), r.Index, left < fastInside)
		if x != nil && !g.usesAll(x, g.Nodes[r.Root], 0, map[insidePlace]bool{}) {
			out[r] = x
		}
		if left -= work; left < 0 {
			break
		}
	}
	return out
}

// maxInsideDepth limits the depth to which chooses looks for a choice.
const maxInsideDepth = 20

// chooses reports whether a construct inside a token, or a rule that it refers to, has a
// choice.
func (g *Grammar) chooses(n *Node, depth int) bool {
	return n.Kind == Alternation || n.Kind == Repetition ||
		depth < maxInsideDepth && slices.ContainsFunc(n.Children, func(c *Node) bool { return g.chooses(c, depth+1) })
}

// An insidePlace is a node in a context.
type insidePlace struct {
	node    Occurrence
	context int32
}

// usesAll reports whether all symbols of a construct in a context occur. The places
// visited before are in seen.
func (g *Grammar) usesAll(x *Inside, n *Node, context int32, seen map[insidePlace]bool) bool {
	at := insidePlace{n.ID, context}
	if n.Kind == End || context == atn.AnyContext || seen[at] {
		return true
	}
	seen[at] = true
	if n.Kind.Symbolic() {
		if !x.Uses(context, int32(n.ID)) {
			return false
		}
		context = x.Below(context, int32(n.ID))
	}
	return !slices.ContainsFunc(n.Children, func(c *Node) bool { return !g.usesAll(x, c, context, seen) })
}
