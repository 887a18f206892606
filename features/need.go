package features

import (
	"slices"

	"github.com/inroad/inroad/grammars"
)

// A Need is a condition on paths that inputs with a feature satisfy: Min or more
// nodes of the input's tree are the end of one of Paths. Targeting generates
// inputs that satisfy it, and keeps those that have the feature.
//
// For the size of a number the condition is sufficient but not necessary: 1e9
// is large and has three characters, but the condition requires ten.
type Need struct {
	Paths  []Path
	Trivia bool // the paths are those of skipped and hidden tokens
	Min    int
	Margin int    // added to Min, because a bound may have been learned from few inputs
	Text   string // name of the nodes at the ends of the paths
	// Negatable is set if exactly the inputs without the feature violate the condition.
	// A condition can exclude only negatable features.
	Negatable bool
}

// maxCharacters limits the paths from a token to its characters.
const maxCharacters = 2000

// siblings returns the occurrences of the symbol in its rule.
func (p phrase) siblings() []Path {
	return p.occurrences(func(n *grammars.Node) bool { return n.Rule == p.node.Rule })
}

// everywhere returns the occurrences of the symbol in the grammar.
func (p phrase) everywhere() []Path {
	return p.occurrences(func(*grammars.Node) bool { return true })
}

func (p phrase) occurrences(in func(*grammars.Node) bool) []Path {
	var out []Path
	for _, n := range p.space.grammar.Nodes {
		if n.Kind.Symbolic() && n.Text == p.node.Text && in(n) {
			out = append(out, Path{n.ID})
		}
	}
	return out
}

// characters returns the paths from the symbol, a token, to its characters.
// Unless there are too many paths, a token of n characters contains n of them.
func (p phrase) characters() []Path {
	var out []Path
	for round := []Path{p.path[:1]}; len(round) > 0; {
		var longer []Path
		for _, path := range round {
			for _, n := range symbolsBelow(p.space.grammar.Nodes[path[len(path)-1]]) {
				q := append(slices.Clip(path), n.ID)
				switch {
				case n.Kind == grammars.CharSet || n.Kind == grammars.Literal:
					out = append(out, q)
				case len(q) < MaxK && len(out)+len(longer) < maxCharacters:
					longer = append(longer, q)
				}
			}
		}
		round = longer
	}
	return out
}

// symbolsBelow returns the symbols that can be children of a symbol.
func symbolsBelow(n *grammars.Node) []*grammars.Node {
	var out []*grammars.Node
	for work := slices.Clone(n.Children); len(work) > 0; {
		c := work[0]
		work = work[1:]
		if c.Kind.Symbolic() {
			out = append(out, c)
		} else {
			work = append(slices.Clone(c.Children), work...)
		}
	}
	return out
}
