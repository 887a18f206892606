package features

import (
	"slices"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
)

// An Extractor finds the paths of trees of one grammar. It is not safe for
// concurrent use; making one is cheap.
type Extractor struct {
	space *Space
	k     int
	keys  []uint64 // by occurrence, 0 for what is no symbol
	parts *absences

	rows   []uint64 // by depth, k to each: the hashes of the paths that end there
	last   []uint64 // by depth: the key that the row is of
	filled int      // depths whose rows are of the current path, or were right before
}

// NewExtractor returns an extractor of the paths of a space, of every length up to k.
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

// Each calls visit for each path of a tree, with its length and its ID, as often
// as it is in there. The error tells that a token takes too long to take apart.
func (x *Extractor) Each(tree *derivation.Tree, visit func(length int, id uint64)) error {
	return x.walk(tree, visitor(visit))
}

// Add puts the paths of a tree into a set.
func (x *Extractor) Add(set *Set, tree *derivation.Tree) error { return x.walk(tree, set) }

// A sink takes the paths of a tree.
type sink interface {
	take(length int, id uint64)
	// once reports whether it is enough to take a path once.
	once() bool
	// knows reports whether the paths that end inside a token, given the hash
	// of what is above it, were taken before and need not be again.
	knows(inside *derivation.Tree, above uint64) bool
}

type visitor func(length int, id uint64)

func (v visitor) take(length int, id uint64)          { v(length, id) }
func (v visitor) once() bool                          { return false }
func (v visitor) knows(*derivation.Tree, uint64) bool { return false }

func (x *Extractor) walk(tree *derivation.Tree, to sink) error {
	lens := tree.Lens()
	x.filled = 0
	if x.space.options.Trivia {
		for token, o := range tree.Trivia() {
			if o == derivation.None {
				continue
			}
			x.enter(0, x.keys[o], to)
			inside, err := lens.Token(token)
			if err != nil {
				return err
			}
			x.inside(1, inside, to)
		}
		return nil
	}
	for depth, n := range tree.All() {
		at := depth - 1 // the root is no symbol
		if at >= 0 {
			key := x.keys[n.Occurrence()]
			if key == 0 { // the end of the input
				continue
			}
			x.enter(at, key, to)
		}
		switch n.Kind() {
		case derivation.Leaf:
			inside, err := lens.Leaf(n)
			if err != nil {
				return err
			}
			x.inside(at+1, inside, to)
		case derivation.Rule:
			x.absent(at+1, n, to)
		}
	}
	return nil
}

// inside takes the paths that end inside a token.
func (x *Extractor) inside(depth int, tree *derivation.Tree, to sink) {
	if tree == nil || to.knows(tree, x.above(depth)) {
		return
	}
	for d, n := range tree.All() {
		if d > 0 {
			if key := x.keys[n.Occurrence()]; key != 0 {
				x.enter(depth+d-1, key, to)
			}
		}
		if x.parts != nil && n.Kind() == derivation.Rule {
			x.absent(depth+d, n, to)
		}
	}
}

// above returns a hash of all that paths through a depth can have above it.
func (x *Extractor) above(depth int) uint64 {
	length := min(x.k-1, depth)
	if length == 0 {
		return 0
	}
	return mix(x.rows[(depth-1)*x.k+length-1], uint64(length))
}

// enter takes the paths that end in a symbol at a depth.
func (x *Extractor) enter(depth int, key uint64, to sink) {
	for len(x.last) <= depth {
		x.rows = append(x.rows, make([]uint64, x.k)...)
		x.last = append(x.last, 0)
	}
	// A symbol right after the same one, below the same ones, has the same
	// paths, and the rows of what was below it still hold.
	if depth < x.filled && x.last[depth] == key && to.once() {
		return
	}
	x.last[depth], x.filled = key, depth+1
	row := x.rows[depth*x.k : (depth+1)*x.k]
	row[0] = mix(0, key)
	to.take(1, row[0])
	if depth == 0 {
		return
	}
	above := x.rows[(depth-1)*x.k : depth*x.k]
	for i := 1; i < min(x.k, depth+1); i++ {
		row[i] = mix(above[i-1], key)
		to.take(i+1, row[i])
	}
}

// absent takes the paths that end in an optional part that is not there.
func (x *Extractor) absent(depth int, n derivation.Node, to sink) {
	if x.parts == nil {
		return
	}
	for _, o := range x.parts.of(n) {
		x.enter(depth, x.keys[o], to)
	}
}

// absences tells which optional parts of a rule are missing in a node of a tree.
type absences struct {
	grammar *grammars.Grammar
	holds   [][]grammars.Occurrence // by node: the symbols in it, within its rule, in order
	there   map[grammars.Occurrence]bool
}

func newAbsences(g *grammars.Grammar) *absences {
	a := &absences{grammar: g, holds: make([][]grammars.Occurrence, len(g.Nodes)), there: map[grammars.Occurrence]bool{}}
	for _, r := range g.Rules {
		a.collect(g.Nodes[r.Root])
	}
	return a
}

// collect finds the symbols that a node holds within its rule.
func (a *absences) collect(n *grammars.Node) []grammars.Occurrence {
	if a.holds[n.ID] != nil {
		return a.holds[n.ID]
	}
	var out []grammars.Occurrence
	if n.Kind.Symbolic() || n.Kind == grammars.End {
		out = []grammars.Occurrence{n.ID}
	} else {
		for _, child := range n.Children {
			out = append(out, a.collect(child)...)
		}
	}
	a.holds[n.ID] = out
	return out
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

// rule returns the right-hand side that a node of a tree was derived by.
func (a *absences) rule(n derivation.Node) *grammars.Node {
	return a.grammar.Nodes[a.grammar.Rule(n.Name()).Root]
}

func (a *absences) present(n *grammars.Node) bool {
	return slices.ContainsFunc(a.holds[n.ID], func(o grammars.Occurrence) bool { return a.there[o] })
}
