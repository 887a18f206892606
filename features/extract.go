package features

import (
	"slices"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
)

// An Extractor finds the k-paths of trees of one grammar. It is cheap to create
// and not safe for concurrent use.
type Extractor struct {
	space *Space
	k     int
	keys  []uint64 // by occurrence; 0 if it is not a symbol of paths
	parts *absences

	set   *Set // collects the paths of the tree; if nil, visit is called for each
	visit func(length int, id uint64, at Position)
	at    Position // position of the current symbol

	rows   []uint64 // k for each depth: the hashes of the paths that end there
	last   []uint64 // by depth: the key of the symbol that the row belongs to
	filled int      // rows and last are valid for depths below filled
	ended  ending   // the last symbol without children since the rows changed
}

// An ending is a symbol without children, at a depth.
type ending struct {
	depth int
	key   uint64
}

// NewExtractor returns an extractor of the paths of a space, of all lengths from 1 to k.
func NewExtractor(s *Space, k int) *Extractor {
	x := &Extractor{space: s, k: k, keys: make([]uint64, len(s.grammar.Nodes))}
	for _, n := range s.grammar.Nodes {
		if s.isSymbol(n) {
			x.keys[n.ID] = s.key(n.ID)
		}
	}
	if s.options.Absent {
		x.parts = newAbsences(s.grammar)
	}
	return x
}

// Each calls visit for each occurrence of a path in a tree, with the path's
// length, its ID and its [Position]. It fails if a token takes too long to parse.
func (x *Extractor) Each(tree *derivation.Tree, visit func(length int, id uint64, at Position)) error {
	x.set, x.visit = nil, visit
	return x.walk(tree)
}

// Add adds the paths of a tree to a set. It fails if a token takes too long to parse.
func (x *Extractor) Add(set *Set, tree *derivation.Tree) error {
	x.set, x.visit = set, nil
	return x.walk(tree)
}

func (x *Extractor) walk(tree *derivation.Tree) error {
	dissector := tree.Dissector()
	x.filled, x.ended, x.at = 0, ending{}, 0
	if x.space.options.Trivia {
		tokens := tree.Tokens()
		for token, o := range tree.Trivia() {
			if o == derivation.None {
				continue
			}
			x.at = int(tokens[token].Start)
			x.enter(0, x.keys[o])
			inside, err := dissector.Token(token)
			if err != nil {
				return err
			}
			x.inside(1, inside)
		}
		return nil
	}
	place := placer{}
	for depth, n := range tree.All() {
		key := uint64(0)
		if depth > 0 { // the root is no symbol
			key = x.keys[n.Occurrence()]
		}
		x.at = place.of(n)
		switch n.Kind() {
		case derivation.Rule:
			if depth > 0 {
				x.enter(depth-1, key)
			}
			x.absent(depth, n)
		case derivation.Empty:
			x.end(depth-1, key)
		case derivation.Leaf:
			if key == 0 { // the end of the input
				continue
			}
			inside, err := dissector.Leaf(n)
			if err != nil {
				return err
			}
			if inside == nil {
				x.end(depth-1, key)
			} else {
				x.enter(depth-1, key)
				x.inside(depth, inside)
			}
		}
	}
	return nil
}

// inside visits the paths that end inside a token.
func (x *Extractor) inside(depth int, tree *derivation.Tree) {
	if tree == nil || x.knows(depth, tree) {
		return
	}
	for d, n := range tree.All() {
		if n.Kind() != derivation.Rule {
			if key := x.keys[n.Occurrence()]; key != 0 {
				x.end(depth+d-1, key)
			}
			continue
		}
		if d > 0 {
			x.enter(depth+d-1, x.keys[n.Occurrence()])
		}
		x.absent(depth+d, n)
	}
}

// knows reports whether the set already has all paths that end inside a token,
// because an equal token was added below the same symbols.
func (x *Extractor) knows(depth int, tree *derivation.Tree) bool {
	id := tree.CacheID()
	return x.set != nil && id != 0 && x.set.knows(mix(x.above(depth), id))
}

// above returns a hash of the up to k-1 symbols above a depth.
func (x *Extractor) above(depth int) uint64 {
	length := min(x.k-1, depth)
	if length == 0 {
		return 0
	}
	return mix(x.rows[(depth-1)*x.k+length-1], uint64(length))
}

// enter adds a symbol at a depth and visits the paths that end in it.
func (x *Extractor) enter(depth int, key uint64) {
	for len(x.last) <= depth {
		x.rows = append(x.rows, make([]uint64, x.k)...)
		x.last = append(x.last, 0)
	}
	// A symbol that follows an equal sibling ends the same paths, and the rows
	// below it are still valid.
	if depth < x.filled && x.last[depth] == key && x.set != nil {
		return
	}
	x.last[depth], x.filled, x.ended = key, depth+1, ending{}
	row := x.rows[depth*x.k:][:min(x.k, depth+1)]
	row[0] = mix(0, key)
	if depth > 0 {
		for i, above := range x.rows[(depth-1)*x.k:][:len(row)-1] {
			row[i+1] = mix(above, key)
		}
	}
	if x.set == nil {
		for i, id := range row {
			x.visit(i+1, id, x.at)
		}
		return
	}
	for i := len(row) - 1; i >= 0 && x.set.paths[i+1].add(row[i]); i-- {
	}
}

// end visits the paths that end in a symbol without children. A set that
// contains the longest of these paths contains all of them.
func (x *Extractor) end(depth int, key uint64) {
	if x.set == nil {
		for length := 1; length <= min(x.k, depth+1); length++ {
			x.visit(length, mix(x.aboveEnd(depth, length), key), x.at)
		}
		return
	}
	if x.ended == (ending{depth, key}) {
		return
	}
	x.ended = ending{depth, key}
	for length := min(x.k, depth+1); length > 0; length-- {
		if !x.set.paths[length].add(mix(x.aboveEnd(depth, length), key)) {
			return
		}
	}
}

// aboveEnd returns the hash of the path with the given length that ends at a depth,
// without the path's last symbol.
func (x *Extractor) aboveEnd(depth, length int) uint64 {
	if length == 1 {
		return 0
	}
	return x.rows[(depth-1)*x.k+length-2]
}

// absent visits the paths that end in an optional part that is missing in a
// node.
func (x *Extractor) absent(depth int, n derivation.Node) {
	if x.parts == nil {
		return
	}
	for _, o := range x.parts.of(n) {
		x.end(depth, x.keys[o])
	}
}

// absences finds the optional parts of a rule that are missing in a node of a
// tree.
type absences struct {
	grammar *grammars.Grammar
	symbols *grammars.Symbols
	there   map[grammars.Occurrence]bool
}

func newAbsences(g *grammars.Grammar) *absences {
	return &absences{grammar: g, symbols: g.Symbols(), there: map[grammars.Occurrence]bool{}}
}

// of returns the optional parts that are missing below a node of a tree.
func (a *absences) of(n derivation.Node) []grammars.Occurrence {
	clear(a.there)
	for child := range n.Children() {
		a.there[child.Occurrence()] = true
	}
	var out []grammars.Occurrence
	for work := []*grammars.Node{a.rule(n)}; len(work) > 0; {
		p := work[len(work)-1]
		work = work[:len(work)-1]
		switch p.Kind {
		case grammars.Repetition:
			if a.present(p) {
				work = append(work, p.Children[0])
			} else if p.Min == 0 {
				out = append(out, p.ID)
			}
		case grammars.Concatenation:
			work = append(work, p.Children...)
		case grammars.Alternation:
			if i := slices.IndexFunc(p.Children, a.present); i >= 0 {
				work = append(work, p.Children[i])
			}
		}
	}
	slices.Sort(out)
	return out
}

// rule returns the right-hand side from which a node of a tree was derived.
func (a *absences) rule(n derivation.Node) *grammars.Node {
	return a.grammar.Nodes[a.grammar.Rule(n.Name()).Root]
}

func (a *absences) present(n *grammars.Node) bool {
	return slices.ContainsFunc(a.symbols.In(n), func(n *grammars.Node) bool { return a.there[n.ID] })
}
