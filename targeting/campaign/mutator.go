package campaign

import (
	"context"
	"errors"
	"math/rand/v2"

	"github.com/cespare/xxhash/v2"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/refine"
	"github.com/inroad/inroad/targeting/generate"
)

// A Mutator mutates inputs for external fuzzers. It is not safe for concurrent use.
type Mutator struct {
	grammar   *grammars.Grammar
	start     string
	generator *generate.Generator
	rand      *rand.Rand
	trees     map[uint64]*derivation.Tree // by hash of the input; nil for inputs outside the grammar
	treeBytes int                         // of trees
	known     []*derivation.Tree          // to take parts from

	knownBytes int // of known
}

// NewMutator returns a mutator of inputs that are derived from the start rule of the
// options.
func NewMutator(ctx context.Context, g *grammars.Grammar, r *rand.Rand, opt generate.Options) (*Mutator, error) {
	if opt.Start == "" {
		opt.Start = g.Start
	}
	if err := refine.Prepare(ctx, g, opt.Start); err != nil {
		return nil, err
	}
	opt.Trust, opt.VaryParts = &generate.Trust{}, true
	x, err := generate.New(g, r, opt) //nolint:contextcheck // the grammar is prepared
	return &Mutator{grammar: g, start: opt.Start, generator: x, rand: r, trees: map[uint64]*derivation.Tree{}}, err
}

// Limits of the inputs that a mutator remembers. The trees of large inputs would take
// gigabytes if only their number were limited.
const (
	maxKnownTrees = 1000
	maxKnownBytes = 32 << 20
	maxParsed     = 10_000
	maxTreeBytes  = 128 << 20
)

// bytesOf estimates the memory of a tree; 0 for nil.
func bytesOf(tree *derivation.Tree) int {
	if tree == nil {
		return 0
	}
	const node, token = 16, 20
	return len(tree.Input()) + node*tree.Len() + token*len(tree.Tokens())
}

// Mutants returns up to n different mutants of an input, of at most maxSize bytes each. It
// may splice in parts of more and of inputs of earlier calls. If the input is outside the
// grammar, it mutates inputs of earlier calls instead, or generates new ones.
func (m *Mutator) Mutants(ctx context.Context, input, more []byte, n, maxSize int) ([][]byte, error) {
	tree, err := m.parse(ctx, input)
	if err != nil {
		return nil, err
	}
	other, err := m.parse(ctx, more)
	if err != nil {
		return nil, err
	}
	var out [][]byte
	met := map[string]bool{string(input): true}
	for tries := 0; len(out) < n && tries < 4*n; tries++ {
		texts, err := m.mutate(ctx, tree, other)
		if err != nil && !errors.Is(err, generate.ErrUnwritten) {
			return nil, err
		}
		for _, text := range texts {
			if len(out) < n && len(text) <= maxSize && !met[string(text)] {
				met[string(text)] = true
				out = append(out, text)
			}
		}
	}
	return out, nil
}

// mutate returns up to three mutants of a tree, each a mutant of the one before. Without a
// tree, it returns a generated input or mutants of an earlier tree.
func (m *Mutator) mutate(ctx context.Context, tree, other *derivation.Tree) ([][]byte, error) {
	if tree == nil && len(m.known) > 0 && m.rand.IntN(2) == 0 {
		tree = m.known[m.rand.IntN(len(m.known))]
	}
	if tree == nil {
		input, err := m.generator.Next(ctx)
		if err != nil {
			return nil, err
		}
		return [][]byte{input.Text}, nil
	}
	if other == nil || len(m.known) > 0 && m.rand.IntN(2) == 0 {
		other = tree
		if len(m.known) > 0 {
			other = m.known[m.rand.IntN(len(m.known))]
		}
	}
	var texts [][]byte
	for range 1 + m.rand.IntN(3) {
		input, err := m.generator.Mutate(ctx, tree, other, generate.Mutations()...)
		if err != nil {
			return texts, err
		}
		tree, texts = input.Tree, append(texts, input.Text)
	}
	return texts, nil
}

// parse returns the tree of an input, or nil if the input is outside the grammar, and
// caches it.
func (m *Mutator) parse(ctx context.Context, input []byte) (*derivation.Tree, error) {
	key := xxhash.Sum64(input)
	if tree, ok := m.trees[key]; ok {
		return tree, nil
	}
	tree, err := parse(ctx, m.grammar, m.start, append([]byte(nil), input...)) // the tree keeps it
	if err != nil {
		return nil, err
	}
	size := bytesOf(tree)
	if len(m.trees) >= maxParsed || m.treeBytes+size > maxTreeBytes {
		clear(m.trees)
		m.treeBytes = 0
	}
	m.trees[key] = tree
	m.treeBytes += size
	if tree != nil {
		m.know(tree)
	}
	return tree, nil
}

// know remembers a tree to take parts from, in place of others if there are too many.
func (m *Mutator) know(tree *derivation.Tree) {
	m.knownBytes += bytesOf(tree)
	if len(m.known) < maxKnownTrees {
		m.known = append(m.known, tree)
	} else {
		at := m.rand.IntN(len(m.known))
		m.knownBytes -= bytesOf(m.known[at])
		m.known[at] = tree
	}
	for m.knownBytes > maxKnownBytes && len(m.known) > 1 {
		at, last := m.rand.IntN(len(m.known)), len(m.known)-1
		m.knownBytes -= bytesOf(m.known[at])
		m.known[at], m.known[last] = m.known[last], nil
		m.known = m.known[:last]
	}
}
