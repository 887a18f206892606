// Package features turns derivation trees into what models learn from.
//
// A feature is a k-path: a chain of k symbols of the grammar, each below the
// one before it. A [Space] knows all the paths that a grammar has, and counts
// or lists them; an [Extractor] finds those of a tree, of every length up to k
// in one pass.
//
// The same tree has the same paths on every run and every machine: paths are
// named by the numbers of the grammar graph, and their IDs are hashes of these.
package features

import (
	"iter"
	"math/big"
	"slices"

	"github.com/inroad/inroad/grammars"
)

// MaxK is the longest path that is counted, listed or extracted.
const MaxK = 8

// Options say which paths are meant.
type Options struct {
	Start  string // the rule that inputs are derived from; the grammar's start rule if empty
	Trivia bool   // the paths of white space and comments, instead of those of what the parser sees
	Names  bool   // the same symbol anywhere is one: paths of names, not of occurrences
	Absent bool   // that an optional part is not there is a symbol as well, named by the part's number
	// Possible leaves out the paths of the graph that no finite derivation has,
	// because something on them, or needed beside them, derives nothing.
	Possible bool
}

// A Space is all the paths of a grammar.
type Space struct {
	grammar *grammars.Grammar
	options Options
	symbols []symbol // in the order of their first occurrence
	of      []int32  // occurrence to symbol, -1 for none
}

// A symbol is what paths are made of: an occurrence, or all those of one name.
type symbol struct {
	node *grammars.Node // the first
	next []int32        // the symbols that can stand right below, in order
}

// NewSpace returns the paths of a grammar.
func NewSpace(g *grammars.Grammar, opt Options) *Space {
	s := &Space{grammar: g, options: opt, of: make([]int32, len(g.Nodes))}
	for i := range s.of {
		s.of[i] = -1
	}
	nodes := s.reachable()
	byName := map[string]int32{}
	for _, n := range nodes {
		i, known := byName[n.Text]
		if !opt.Names || !known {
			i = int32(len(s.symbols))
			s.symbols = append(s.symbols, symbol{node: n})
			byName[n.Text] = i
		}
		s.of[n.ID] = i
	}
	for i := range s.symbols {
		s.symbols[i].next = s.below(s.symbols[i].node)
	}
	return s
}

// root returns the node that all paths are below.
func (s *Space) root() *grammars.Node {
	if s.options.Trivia {
		return s.grammar.Nodes[s.grammar.Trivia]
	}
	start := s.options.Start
	if start == "" {
		start = s.grammar.Start
	}
	return s.grammar.Nodes[s.grammar.Rule(start).Root]
}

// isSymbol reports whether paths count a node.
func (s *Space) isSymbol(n *grammars.Node) bool {
	return n.Kind.Symbolic() || s.options.Absent && n.Kind == grammars.Repetition && n.Min == 0
}

// reachable returns the symbols below the root, itself included, by number.
func (s *Space) reachable() []*grammars.Node {
	seen := make([]bool, len(s.grammar.Nodes))
	var out []*grammars.Node
	for work := []*grammars.Node{s.root()}; len(work) > 0; {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[n.ID] {
			continue
		}
		seen[n.ID] = true
		if s.isSymbol(n) {
			out = append(out, n)
		}
		work = append(work, s.parts(n)...)
	}
	slices.SortFunc(out, func(a, b *grammars.Node) int { return int(a.ID) - int(b.ID) })
	return out
}

// below returns the symbols that can stand right below a node's.
func (s *Space) below(n *grammars.Node) []int32 {
	if n.Kind == grammars.Repetition { // its absence has nothing below
		return nil
	}
	var out []int32
	for work := slices.Clone(s.parts(n)); len(work) > 0; {
		c := work[len(work)-1]
		work = work[:len(work)-1]
		if s.isSymbol(c) {
			out = append(out, s.of[c.ID])
		}
		if !c.Kind.Symbolic() {
			work = append(work, s.parts(c)...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// parts returns the children that a derivation can go on with.
func (s *Space) parts(n *grammars.Node) []*grammars.Node {
	if !s.options.Possible {
		return n.Children
	}
	empty := func(c *grammars.Node) bool { return c.Size == grammars.Unproductive }
	if n.Kind == grammars.Concatenation && slices.ContainsFunc(n.Children, empty) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(n.Children), empty)
}

// Count returns the number of paths of length k.
func (s *Space) Count(k int) *big.Int {
	counts := make([]*big.Int, len(s.symbols)) // of paths that begin with each symbol
	for i := range counts {
		counts[i] = big.NewInt(1)
	}
	for range k - 1 {
		longer := make([]*big.Int, len(s.symbols))
		for i := range longer {
			longer[i] = new(big.Int)
			for _, next := range s.symbols[i].next {
				longer[i].Add(longer[i], counts[next])
			}
		}
		counts = longer
	}
	total := new(big.Int)
	for _, c := range counts {
		total.Add(total, c)
	}
	return total
}

// All yields the paths of length k, in the order of their symbols' numbers. The
// path is valid until the next one; clone it to keep it.
func (s *Space) All(k int) iter.Seq[Path] {
	return func(yield func(Path) bool) {
		path := make(Path, k)
		next := make([]int, k) // at each place, which of the candidates comes next
		candidates := make([][]int32, k)
		for i := range s.symbols {
			candidates[0] = append(candidates[0], int32(i))
		}
		for at := 0; at >= 0; {
			if next[at] == len(candidates[at]) {
				next[at] = 0
				at--
				continue
			}
			symbol := candidates[at][next[at]]
			next[at]++
			path[at] = s.symbols[symbol].node.ID
			if at < k-1 {
				at++
				candidates[at] = s.symbols[symbol].next
				continue
			}
			if !yield(path) {
				return
			}
		}
	}
}

// Node returns the node of the graph that a path's occurrence is; of several
// with one name it is the first.
func (s *Space) Node(o grammars.Occurrence) *grammars.Node { return s.grammar.Nodes[o] }

// ID returns the ID of a path of this space, which is that of the same path in
// a tree.
func (s *Space) ID(p Path) uint64 {
	h := uint64(0)
	for _, o := range p {
		h = mix(h, s.key(o))
	}
	return h
}

// key returns what stands for an occurrence in hashes.
func (s *Space) key(o grammars.Occurrence) uint64 {
	if s.options.Names {
		return hashText(s.grammar.Nodes[o].Text)
	}
	return uint64(o) + 1
}
