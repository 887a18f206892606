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
	"cmp"
	"fmt"
	"iter"
	"math/big"

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
	// Possible leaves out the paths of the graph that no tree has: because
	// something on them, or needed beside them, derives nothing, because an
	// operator cannot be an operand of one that binds more tightly, or because the
	// lexer is in no mode there that makes the token.
	Possible bool
}

// A Space is all the paths of a grammar.
type Space struct {
	grammar *grammars.Grammar
	options Options
	states  []state
	first   []int32 // the states that paths begin with, in the order of their symbols
}

// A state is a symbol at the end of a path, and what can follow it: the same
// symbol has several where it depends on the path what can.
type state struct {
	node *grammars.Node // of several with one name the first
	next []int32        // the states that can come right below, in the order of their symbols
}

// NewSpace returns the paths of a grammar.
func NewSpace(g *grammars.Grammar, opt Options) *Space {
	s := &Space{grammar: g, options: opt}
	s.determine()
	return s
}

// root returns the node that all paths are below.
func (s *Space) root() *grammars.Node {
	if s.options.Trivia {
		return s.grammar.Nodes[s.grammar.Trivia]
	}
	return s.grammar.Nodes[s.grammar.Rule(s.start()).Root]
}

// start returns the rule that inputs are derived from.
func (s *Space) start() string { return cmp.Or(s.options.Start, s.grammar.Start) }

// isSymbol reports whether paths count a node.
func (s *Space) isSymbol(n *grammars.Node) bool {
	return n.Kind.Symbolic() || s.options.Absent && n.Kind == grammars.Repetition && n.Min == 0
}

// Count returns the number of paths of length k.
func (s *Space) Count(k int) *big.Int {
	counts := make([]*big.Int, len(s.states)) // of paths that begin with each state
	for i := range counts {
		counts[i] = big.NewInt(1)
	}
	for range k - 1 {
		longer := make([]*big.Int, len(s.states))
		for i := range longer {
			longer[i] = new(big.Int)
			for _, next := range s.states[i].next {
				longer[i].Add(longer[i], counts[next])
			}
		}
		counts = longer
	}
	total := new(big.Int)
	for _, i := range s.first {
		total.Add(total, counts[i])
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
		candidates[0] = s.first
		for at := 0; at >= 0; {
			if next[at] == len(candidates[at]) {
				next[at] = 0
				at--
				continue
			}
			state := &s.states[candidates[at][next[at]]]
			next[at]++
			path[at] = state.node.ID
			if at < k-1 {
				at++
				candidates[at] = state.next
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

// Symbols returns the symbols of a path as people name them: the text of each,
// and its number.
func (s *Space) Symbols(p Path) []string {
	out := make([]string, len(p))
	for i, o := range p {
		text := s.Node(o).Text
		if s.Node(o).Kind == grammars.Repetition {
			text = "absent"
		}
		out[i] = fmt.Sprintf("%s#%d", text, o)
	}
	return out
}

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
