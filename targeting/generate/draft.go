package generate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
)

// ErrUnwritten tells that no text parsed back to the tree it was written from.
var ErrUnwritten = errors.New("no text parsed back to the tree it was written from")

// A Draft is a tree before it is written: the symbols below its root in
// pre-order, tokens with their texts. The symbols right below the root have
// depth 0.
type Draft struct {
	nodes []drawn
	words []grammars.Word
}

// A drawn is a node of a draft.
type drawn struct {
	depth      int
	occurrence grammars.Occurrence
	word       int // of a token, else -1
}

// DraftOf returns a parsed tree as a draft.
func DraftOf(tree *derivation.Tree) *Draft {
	t := &Draft{}
	for depth, n := range tree.All() {
		switch {
		case depth == 0:
		case n.Kind() == derivation.Leaf && n.Token().Type != derivation.EOF:
			t.Word(depth-1, n.Occurrence(), int(n.Token().Type), []byte(n.Text()))
		default:
			t.Symbol(depth-1, n.Occurrence())
		}
	}
	return t
}

// Symbol adds a rule, an empty alternative or the end of the input.
func (t *Draft) Symbol(depth int, o grammars.Occurrence) {
	t.nodes = append(t.nodes, drawn{depth, o, -1})
}

// Word adds a token of a type.
func (t *Draft) Word(depth int, o grammars.Occurrence, token int, text []byte) {
	t.nodes = append(t.nodes, drawn{depth, o, len(t.words)})
	t.words = append(t.words, grammars.Word{Type: token, Text: text})
}

// Trivia adds a token that the parser never sees, such as a comment.
func (t *Draft) Trivia(text []byte) {
	t.words = append(t.words, grammars.Word{Text: text})
}

// Write writes a tree and parses it back. The error wraps [ErrUnwritten] if its
// tokens cannot be written, or if the text is read as another tree.
func (x *Generator) Write(ctx context.Context, t *Draft) (*Input, error) {
	text, ok := x.writer.Write(t.words, x.separators, func(i int) [][]byte { return x.wish(i, len(t.words)) })
	if !ok {
		return nil, ErrUnwritten
	}
	// Steps bound the parse, and not the clock: what is made must not depend on
	// how busy the machine is.
	tree, err := x.grammar.Parse(ctx, text, grammars.ParseOptions{Start: x.opt.Start, Limits: grammars.Limits{Time: time.Hour}})
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrUnwritten, err)
	case !t.isOf(tree):
		return nil, ErrUnwritten
	}
	return &Input{Text: text, Tree: tree, Draws: 1}, nil
}

// isOf reports whether the draft is one of a tree.
func (t *Draft) isOf(tree *derivation.Tree) bool {
	if tree.Len() != len(t.nodes)+1 {
		return false
	}
	for depth, n := range tree.All() {
		if depth == 0 {
			continue
		}
		want := t.nodes[n.Index()-1]
		if want.depth != depth-1 || want.occurrence != n.Occurrence() {
			return false
		}
		if want.word >= 0 && n.Text() != string(t.words[want.word].Text) {
			return false
		}
	}
	return true
}

// finish writes what was drawn, if it is wanted; the input is nil if that fails.
func (d *drawing) finish(ctx context.Context, wanted func(*Input) (bool, error)) (*Input, error) {
	if d.failed {
		return nil, nil
	}
	return d.write(ctx, &d.Draft, wanted)
}
