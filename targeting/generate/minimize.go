package generate

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/inroad/inroad/grammars/derivation"
)

// maxMinimizing bounds the inputs that are tried to make one smaller.
const maxMinimizing = 100_000

// A Predicate tells whether an input is wanted.
type Predicate func(context.Context, *Input) (bool, error)

// Minimize makes an input smaller as long as it is wanted: parts are put in place
// of what they are parts of, derived by the smallest way, or left out. No single
// step makes the result smaller. The input that tree is of must be wanted itself.
func (x *Generator) Minimize(ctx context.Context, tree *derivation.Tree, wanted Predicate) (*Input, error) {
	best := &Input{Text: tree.Input(), Tree: tree, Draws: 1}
	switch ok, err := wanted(ctx, best); {
	case err != nil:
		return nil, err
	case !ok:
		return nil, errors.New("the input to make smaller is not wanted itself")
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

// smaller finds a smaller input that is wanted; nil if there is none.
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

// less reports whether an input has fewer nodes, or as many and fewer letters.
func less(a, b *Input) bool {
	if a.Tree.Len() != b.Tree.Len() {
		return a.Tree.Len() < b.Tree.Len()
	}
	return len(a.Text) < len(b.Text)
}

// reductions yields trees that may be smaller than one, the smallest mostly first.
func (x *Generator) reductions(tree *derivation.Tree) iter.Seq[*Draft] {
	return func(yield func(*Draft) bool) {
		t := DraftOf(tree)
		if !yield(t) { // without the white space that it can do without
			return
		}
		for i := range t.nodes {
			if shorter, ok := x.redrawn(t, i, shortest{}); ok && !yield(shorter) {
				return
			}
		}
		for i := range t.nodes { // what derives a part of itself can be that part
			kind := x.kind(t, i)
			if kind == nil || t.nodes[i].word >= 0 {
				continue
			}
			for j := i + 1; j < t.end(i); j++ {
				if x.kind(t, j) == kind && !yield(t.with(i, t, j)) {
					return
				}
			}
		}
		for _, r := range x.allRounds(tree, func(r round, times int) bool { return times > r.of.Min }) {
			if !yield(t.without(r)) {
				return
			}
			if shifted, ok := x.shifted(t, r); ok && !yield(shifted) {
				return
			}
		}
	}
}

// shifted leaves out a round, but for a part that takes the place of one like it
// right before: of a list the first goes, and not one that follows.
func (x *Generator) shifted(t *Draft, r round) (*Draft, bool) {
	depth := t.nodes[r.from].depth
	for j := r.from; j < r.to; j++ {
		kind := x.kind(t, j)
		if t.nodes[j].depth != depth || kind == nil {
			continue
		}
		for i := r.from - 1; i >= 0 && t.nodes[i].depth >= depth; i-- {
			if t.nodes[i].depth == depth && x.kind(t, i) == kind {
				moved := t.with(i, t, j)
				by := len(moved.nodes) - len(t.nodes)
				return moved.without(round{r.of, r.from + by, r.to + by}), true
			}
		}
	}
	return nil, false
}
