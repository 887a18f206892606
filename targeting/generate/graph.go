package generate

import (
	"slices"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/g4"
	"github.com/inroad/inroad/grammars/refine"
)

// A graph is a grammar together with the lookups that drawing repeats most often.
type graph struct {
	grammar    *grammars.Grammar
	refinement *refine.Refinement
	modes      *refine.Modes // nil if lexer modes are not refined
	needs      *refine.Needs
	productive [][]*grammars.Node            // by node: the children that have a finite derivation
	readable   map[grammars.Occurrence][]int // by token set: the types of tokens that have a text
	above      []grammars.Occurrence         // by node: the construct that it stands in, within its rule
	symbols    *grammars.Symbols
	chars      []charset               // by node: the characters of a set
	repeating  map[*grammars.Rule]bool // rules with a repetition
}

// A charset is a set of characters to draw from.
type charset struct {
	all   []g4.RuneRange // that UTF-8 text can contain, if there are any
	plain []g4.RuneRange // the printable ASCII characters; nil if there are none
}

func newCharset(set []g4.RuneRange) charset {
	c := charset{all: set, plain: intersect(set, ' ', '~')}
	if valid := withoutSurrogates(set); len(valid) > 0 {
		c.all = valid
	}
	return c
}

type graphKey struct {
	start    string
	unparsed bool
}

// graphOf returns the graph of the derivations that options allow. The grammar caches all
// of it except the needs and the modes, which are not safe for concurrent use.
func graphOf(g *grammars.Grammar, opt Options) *graph {
	key := graphKey{opt.Start, opt.unparsed(g)}
	t := *g.Memo(key, func() any { return newGraph(g, key) }).(*graph)
	t.needs, t.modes = refine.NewNeeds(g), t.refinement.Modes()
	return &t
}

func newGraph(g *grammars.Grammar, key graphKey) *graph {
	refinement := refine.Of
	if key.unparsed {
		refinement = refine.Unrefined
	}
	t := &graph{
		grammar: g, refinement: refinement(g, key.start), symbols: g.Symbols(),
		productive: make([][]*grammars.Node, len(g.Nodes)), above: make([]grammars.Occurrence, len(g.Nodes)),
		chars: make([]charset, len(g.Nodes)), repeating: map[*grammars.Rule]bool{},
	}
	t.readable = readable(g)
	roots := map[grammars.Occurrence]bool{}
	for _, r := range g.Rules {
		roots[r.Root] = true
	}
	for i := range t.above {
		t.above[i] = derivation.None
	}
	for _, n := range g.Nodes {
		t.productive[n.ID] = without(n.Children, unproductive)
		if n.Kind == grammars.Repetition && n.Rule != nil {
			t.repeating[n.Rule] = true
		}
		if n.Kind == grammars.CharSet {
			t.chars[n.ID] = newCharset(n.Chars)
		}
		if n.Kind.Symbolic() {
			continue
		}
		for _, child := range n.Children {
			if !roots[child.ID] {
				t.above[child.ID] = n.ID
			}
		}
	}
	return t
}

// readable returns, by token set, the types of tokens that the lexer can read.
func readable(g *grammars.Grammar) map[grammars.Occurrence][]int {
	out := map[grammars.Occurrence][]int{}
	x := g.Lexicon()
	if x == nil {
		return out
	}
	read := map[int]bool{}
	for _, r := range x.Readings {
		read[r.Type] = true
	}
	for _, n := range g.Nodes {
		for _, t := range n.Types {
			if read[t] {
				out[n.ID] = append(out[n.ID], t)
			}
		}
	}
	return out
}

// without returns the nodes for which excluded is false.
func without(nodes []*grammars.Node, excluded func(*grammars.Node) bool) []*grammars.Node {
	if !slices.ContainsFunc(nodes, excluded) {
		return nodes
	}
	return slices.DeleteFunc(slices.Clone(nodes), excluded)
}

func unproductive(n *grammars.Node) bool { return n.Size == grammars.Unproductive }

// within returns a node and the constructs that it stands in, up to the right-hand
// side of its rule.
func (t *graph) within(o grammars.Occurrence) []grammars.Occurrence {
	var out []grammars.Occurrence
	for ; o != derivation.None; o = t.above[o] {
		out = append(out, o)
	}
	return out
}
