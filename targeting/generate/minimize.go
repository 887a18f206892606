package generate

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/inroad/inroad/grammars/derivation"
)

// maxMinimizing limits the inputs that are tried to minimize one.
const maxMinimizing = 100_000

// ErrNotWanted reports that an input to minimize does not have the property to preserve.
var ErrNotWanted = errors.New("minimize: the original input does not have the property to preserve")

// A Predicate reports whether an input has the property to preserve.
type Predicate func(context.Context, *Input) (bool, error)

// Minimize reduces an input while wanted returns true for it: subtrees replace their
// ancestors, are replaced by their smallest derivation, or are removed. It stops when no
// single reduction makes the input smaller, or after 100,000 tries. If wanted is false for
// the input of the tree, the error is [ErrNotWanted].
func (x *Generator) Minimize(ctx context.Context, tree *derivation.Tree, wanted Predicate) (*Input, error) {
	best := &Input{Text: tree.Input(), Tree: tree, Draws: 1}
	switch ok, err := wanted(ctx, best); {
	case err != nil:
		return nil, err
	case !ok:
		return nil, ErrNotWanted
	}
	tries := 0
	for {
		smaller, err := x.smaller(ctx, best, wanted, &tries)
		if err != nil {
			return nil, err
		}
		if smaller == nil {
			return best, nil
		}
		best = smaller
	}
}

// smaller returns a smaller input that is wanted; nil if there is none.
func (x *Generator) smaller(ctx context.Context, best *Input, wanted Predicate, tries *int) (*Input, error) {
	for t := range x.reductions(best.Tree) {
		if *tries++; *tries > maxMinimizing {
			break
		}
		input, err := x.write(ctx, t, func(input *Input) (bool, error) {
			if !less(input, best) {
				return false, nil
			}
			ok, err := wanted(ctx, input)
			if err != nil {
				return false, fmt.Errorf("try %q: %w", input.Text, err)
			}
			return ok, nil
		})
		if input != nil || err != nil {
			return input, err
		}
	}
	return nil, nil
}

// less reports whether an input has fewer nodes, or as many nodes and fewer bytes.
func less(a, b *Input) bool {
	if a.Tree.Len() != b.Tree.Len() {
		return a.Tree.Len() < b.Tree.Len()
	}
	return len(a.Text) < len(b.Text)
}

// reductions yields variants of a tree that may be smaller, roughly the smallest
// first.
func (x *Generator) reductions(tree *derivation.Tree) iter.Seq[*Draft] {
	return func(yield func(*Draft) bool) {
		t := DraftOf(tree)
		if !yield(t) { // without superfluous white space
			return
		}
		for i := range t.nodes {
			if shorter, ok := x.redrawn(t, i, shortest{}); ok && !yield(shorter) {
				return
			}
		}
		for i := range t.nodes { // a recursive subtree can be replaced by one inside it
			kind := x.kind(t, i)
			if kind == noKind || t.nodes[i].word >= 0 {
				continue
			}
			for j := i + 1; j < t.end(i); j++ {
				if x.kind(t, j) == kind && !yield(t.with(i, t, j)) {
					return
				}
			}
		}
		for _, r := range x.rounds(tree, t) {
			if !r.removable() {
				continue
			}
			if !yield(t.without(r)) {
				return
			}
			if shifted, ok := x.shifted(t, r); ok && !yield(shifted) {
				return
			}
		}
	}
}

// shifted removes a round, but keeps one of its subtrees: it replaces the subtree of the
// same kind before the round. So the first element of a list can be removed, and not only
// the following ones.
func (x *Generator) shifted(t *Draft, r round) (*Draft, bool) {
	depth := t.nodes[r.from].depth
	for j := r.from; j < r.to; j++ {
		kind := x.kind(t, j)
		if t.nodes[j].depth != depth || kind == noKind {
			continue
		}
		for i := r.from - 1; i >= 0 && t.nodes[i].depth >= depth; i-- {
			if t.nodes[i].depth == depth && x.kind(t, i) == kind {
				moved := t.with(i, t, j)
				by := len(moved.nodes) - len(t.nodes)
				return moved.without(round{of: r.of, from: r.from + by, to: r.to + by}), true
			}
		}
	}
	return nil, false
}
