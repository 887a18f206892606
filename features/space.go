// Package features turns derivation trees into the features that models learn
// from.
//
// Most features are k-paths: chains of k symbols of the grammar, each a child of
// the one before it. A [Space] counts and lists the k-paths of a grammar; an
// [Extractor] finds those of a tree, of all lengths from 1 to k in one pass.
//
// Features beyond paths, such as the length of a token, are of type [Extra]. An
// [ExtraExtractor] finds those of a tree. [Families] lists their kinds.
//
// The same tree has the same features on every run and every machine: symbols
// are identified by their numbers in the grammar graph, and the ID of a path is
// a hash of these numbers.
package features

import (
	"cmp"
	"fmt"
	"iter"
	"math/big"
	"math/bits"
	"slices"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/refine"
)

// MaxK is the length of the longest paths that are counted, listed or extracted.
const MaxK = 8

// Options select the paths of a [Space].
type Options struct {
	Start  string // the rule that inputs are derived from; the grammar's start rule if empty
	Trivia bool   // paths in skipped and hidden tokens, instead of paths in the tree of the parser
	Names  bool   // symbols of the same name are equal, wherever they occur in the grammar
	Absent bool   // the absence of an optional part is a symbol too
	// Possible leaves out the paths of the grammar graph that no tree has: a symbol
	// on the path or required beside it has no finite derivation, an operator
	// would be an operand of one with higher precedence, the parser or the derivation
	// of a token always prefers another alternative, or the lexer cannot be in a mode
	// that makes the token.
	Possible bool
}

// A Space is the set of k-paths of a grammar.
type Space struct {
	grammar *grammars.Grammar
	options Options
	states  []state
	nexts   [][]int32 // lists of successors, in the order of their symbols; states share them
	first   []int32   // the states of paths of length 1, in the order of their symbols
}

// A state is the last symbol of a path together with its possible successors. A
// symbol whose successors depend on the path before it has several states.
type state struct {
	node *grammars.Node // with [Options.Names], the first of its name
	next int32          // the list of possible successors
}

// NewSpace returns the k-paths of a grammar that the options select.
func NewSpace(g *grammars.Grammar, opt Options) *Space {
	start := cmp.Or(opt.Start, g.Start)
	if opt.Possible {
		return newSpace(g, opt, refine.Of(g, start).Graph())
	}
	return newSpace(g, opt, refine.Plain(g, start))
}

// newSpace returns the k-paths of a graph of the grammar.
func newSpace(g *grammars.Grammar, opt Options, graph *refine.Graph) *Space {
	s := &Space{grammar: g, options: opt}
	s.determine(graph)
	return s
}

// start returns the name of the rule that inputs are derived from.
func (s *Space) start() string { return cmp.Or(s.options.Start, s.grammar.Start) }

// isSymbol reports whether a node is a symbol of paths.
func (s *Space) isSymbol(n *grammars.Node) bool {
	return n.Kind.Symbolic() || s.options.Absent && n.Kind == grammars.Repetition && n.Min == 0
}

// Count returns the number of paths of length k, which is at most [MaxK].
func (s *Space) Count(k int) *big.Int {
	counts := make([]uint256, len(s.states)) // number of paths that start with each state
	for i := range counts {
		counts[i][0] = 1
	}
	sums := make([]uint256, len(s.nexts))
	for range k - 1 {
		for i, list := range s.nexts {
			sums[i] = uint256{}
			for _, next := range list {
				sums[i].add(&counts[next])
			}
		}
		for i := range s.states {
			counts[i] = sums[s.states[i].next]
		}
	}
	var total uint256
	for _, i := range s.first {
		total.add(&counts[i])
	}
	return total.big()
}

// A uint256 is a number in four words, the least significant first. It holds the
// number of paths of any grammar: a path has at most [MaxK] symbols of 31 bits.
type uint256 [4]uint64

func (a *uint256) add(b *uint256) {
	carry := uint64(0)
	for i := range a {
		a[i], carry = bits.Add64(a[i], b[i], carry)
	}
}

func (a *uint256) big() *big.Int {
	out := new(big.Int)
	for _, word := range slices.Backward(a[:]) {
		out.Lsh(out, 64).Or(out, new(big.Int).SetUint64(word))
	}
	return out
}

// All yields the paths of length k, ordered by the numbers of their symbols. The
// yielded path is overwritten by the next one; clone it to keep it.
func (s *Space) All(k int) iter.Seq[Path] {
	return func(yield func(Path) bool) {
		path := make(Path, k)
		next := make([]int, k) // for each place of the path, the index of its next candidate
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
				candidates[at] = s.nexts[state.next]
				continue
			}
			if !yield(path) {
				return
			}
		}
	}
}

// Node returns the node of an occurrence. With [Options.Names], paths have the
// first occurrence of each name.
func (s *Space) Node(o grammars.Occurrence) *grammars.Node { return s.grammar.Nodes[o] }

// Symbols returns the symbols of a path as text and number: value#4.
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

// ID returns the ID under which an [Extractor] of the space reports a path.
func (s *Space) ID(p Path) uint64 {
	h := uint64(0)
	for _, o := range p {
		h = mix(h, s.key(o))
	}
	return h
}

// key returns the number that represents an occurrence in the IDs of paths.
func (s *Space) key(o grammars.Occurrence) uint64 {
	if s.options.Names {
		return hashText(s.grammar.Nodes[o].Text)
	}
	return uint64(o) + 1
}
