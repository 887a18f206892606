package features

import (
	"slices"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
)

// An ExtraExtractor finds the features beyond paths of trees of one grammar. It
// is not safe for concurrent use.
//
// It walks a tree once and calls the functions of its kinds. They store the
// features found in most, pairs and once.
type ExtraExtractor struct {
	grammar *grammars.Grammar
	rows    []kind             // of the kinds to extract
	wanted  map[Extra]struct{} // the features to report; nil for all of the kinds
	flags   []Kinds            // by occurrence: the kinds to look for there
	named   Kinds              // the kinds that count tokens of one name together
	inside  []bool             // by occurrence: whether to look inside the token

	// The same rows, grouped by the function that they have.
	ofSymbols, ofTokens, ofTexts, ofNodes, ofTrivia []kind

	lead  []grammars.Occurrence // by occurrence: the first of the same name in its rule
	name  []grammars.Occurrence // by occurrence: the first of the same name in the grammar
	above []grammars.Occurrence // by node: its parent within its rule
	parts [][]optional          // by right-hand side of a rule: its optional parts

	// Found in the current tree.
	most  [maxKinds]tallies // by kind: the greatest number found at an occurrence
	rises []rise            // of the numbers in most, in input order
	pairs map[Extra]*pair   // counts of features of two occurrences, keyed by the feature with bound 0
	once  map[Extra]int     // positions of features without a number
	found func(e Extra, at Position)
	at    Position // position of the current token or node

	input   []byte
	tokens  int // visited so far
	leaves  []leafAt
	node    parent
	token   tokenText
	trivia  surroundings
	texts   []siblingText
	heads   []head
	firsts  []firstToken
	tally   tallies
	present []uint32 // by node: the stamp of the last parent that contains it
	stamp   uint32
}

// maxKinds is the number of bits of [Kinds]. All kinds are below it.
const maxKinds = 32

// A parent is a node of a tree with its children.
type parent struct {
	derivation.Node
	root     grammars.Occurrence // the right-hand side of its rule; None if unknown
	children []child             // without the end of the input
	text     []byte              // the text that spans refer to
	inToken  bool
}

// A child is a child of a node.
type child struct {
	derivation.Node
	grammar *grammars.Node
	lead    grammars.Occurrence // the first occurrence of its name in the rule
}

// tallies holds a number for each occurrence.
type tallies struct {
	of      []int32
	touched []grammars.Occurrence // where the number is not 0
}

func (t *tallies) add(o grammars.Occurrence, n int) {
	if t.of[o] == 0 {
		t.touched = append(t.touched, o)
	}
	t.of[o] += int32(n)
}

// A rise is an increase of a number at an occurrence.
type rise struct {
	kind       Kind
	occurrence grammars.Occurrence
	from, to   int32
	at         int32
}

// raise sets the number of a kind at an occurrence, if it is greater than before.
func (x *ExtraExtractor) raise(k Kind, o grammars.Occurrence, to int) {
	from := x.most[k].of[o]
	if int32(to) <= from {
		return
	}
	x.most[k].add(o, to-int(from))
	x.rises = append(x.rises, rise{k, o, from, int32(to), int32(x.at)})
}

// A pair is the number of times that a path of two symbols occurs, with the
// positions of its first occurrences.
type pair struct {
	n  int
	at [maxCount]int32
}

// maxCount is the greatest bound of [Count].
const maxCount = 3

// addOnce records a feature without a number.
func (x *ExtraExtractor) addOnce(e Extra) {
	if _, ok := x.once[e]; !ok {
		x.once[e] = x.at
	}
}

func (t *tallies) reset() {
	for _, o := range t.touched {
		t.of[o] = 0
	}
	t.touched = t.touched[:0]
}

// NewExtraExtractor returns an extractor of features of the given kinds. If
// wanted is not empty, it reports only wanted features.
func NewExtraExtractor(g *grammars.Grammar, kinds Kinds, wanted ...Extra) *ExtraExtractor {
	x := &ExtraExtractor{
		grammar: g, flags: make([]Kinds, len(g.Nodes)), inside: make([]bool, len(g.Nodes)),
		lead:    make([]grammars.Occurrence, len(g.Nodes)),
		name:    make([]grammars.Occurrence, len(g.Nodes)),
		above:   make([]grammars.Occurrence, len(g.Nodes)),
		parts:   make([][]optional, len(g.Nodes)),
		present: make([]uint32, len(g.Nodes)),
		pairs:   map[Extra]*pair{},
		once:    map[Extra]int{},
		tally:   tallies{of: make([]int32, len(g.Nodes))},
	}
	for _, f := range families() {
		for _, row := range f.kinds {
			if kinds.Has(row.Kind) {
				x.use(row)
			}
		}
	}
	x.nameNodes()
	for _, r := range g.Rules {
		x.findOptional(g.Nodes[r.Root], r.Root, r.Root)
	}
	x.want(kinds, wanted)
	return x
}

// use adds a kind to extract.
func (x *ExtraExtractor) use(row kind) {
	if row.where == 0 {
		row.where = inRules
	}
	if row.named {
		x.named |= Of(row.Kind)
	}
	x.rows = append(x.rows, row)
	x.most[row.Kind].of = make([]int32, len(x.grammar.Nodes))
	switch {
	case row.symbol != nil:
		x.ofSymbols = append(x.ofSymbols, row)
	case row.token != nil:
		x.ofTokens = append(x.ofTokens, row)
	case row.text != nil:
		x.ofTexts = append(x.ofTexts, row)
	case row.node != nil:
		x.ofNodes = append(x.ofNodes, row)
	case row.trivia != nil:
		x.ofTrivia = append(x.ofTrivia, row)
	}
}

// nameNodes finds for each node the first node with the same name.
func (x *ExtraExtractor) nameNodes() {
	type named struct {
		rule *grammars.Rule
		text string
	}
	first := map[named]grammars.Occurrence{}
	for _, n := range x.grammar.Nodes {
		x.above[n.ID] = derivation.None
		here, anywhere := named{n.Rule, n.Text}, named{nil, n.Text}
		for _, key := range []named{here, anywhere} {
			if _, ok := first[key]; !ok {
				first[key] = n.ID
			}
		}
		x.lead[n.ID], x.name[n.ID] = first[here], first[anywhere]
	}
}

// want sets the flags for the wanted features, or for all features if none are
// listed.
func (x *ExtraExtractor) want(kinds Kinds, wanted []Extra) {
	inside := Kinds(0) // of kinds that look inside tokens
	for _, row := range x.rows {
		if row.where&inTokens != 0 {
			inside |= Of(row.Kind)
		}
	}
	if len(wanted) == 0 {
		for o := range x.flags {
			x.flags[o], x.inside[o] = kinds, inside != 0
		}
		return
	}
	x.wanted = map[Extra]struct{}{}
	for _, e := range wanted {
		x.wanted[e] = struct{}{}
		x.flags[x.key(e)] |= Of(e.Kind())
	}
	for _, n := range x.grammar.Nodes {
		x.flags[n.ID] |= x.flags[x.name[n.ID]] & x.named
		if n.Kind == grammars.Reference {
			x.inside[n.ID] = x.wantsBelow(n, inside, make([]bool, len(x.grammar.Nodes)))
		}
	}
}

// row returns the row of a kind, or nil if the kind is not extracted.
func (x *ExtraExtractor) row(k Kind) *kind {
	for i := range x.rows {
		if x.rows[i].Kind == k {
			return &x.rows[i]
		}
	}
	return nil
}

// key returns the occurrence at which a feature is found.
func (x *ExtraExtractor) key(e Extra) grammars.Occurrence {
	path := e.Path()
	row := x.row(e.Kind())
	switch {
	case row == nil || row.keyed == byFirst:
		return path[0]
	case row.keyed == byLast:
		return path[len(path)-1]
	case x.grammar.Nodes[path[0]].Rule == nil:
		return path[0]
	default:
		return x.grammar.Nodes[path[0]].Rule.Root
	}
}

// wantsBelow reports whether features of the given kinds are wanted for the
// parts of a token.
func (x *ExtraExtractor) wantsBelow(n *grammars.Node, kinds Kinds, seen []bool) bool {
	for work := slices.Clone(n.Children); len(work) > 0; {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[n.ID] {
			continue
		}
		seen[n.ID] = true
		if x.flags[n.ID]&kinds != 0 {
			return true
		}
		work = append(work, n.Children...)
	}
	return false
}
