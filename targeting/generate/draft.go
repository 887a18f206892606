package generate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
)

// ErrUnwritten says that no text was found that parses back to the tree.
var ErrUnwritten = errors.New("no text was found that parses back to the tree")

// A Draft is a tree before it is written as text: the symbols below its root in
// pre-order, and the texts of its tokens. The children of the root have depth 0.
type Draft struct {
	nodes []drawn
	words []grammars.Word
}

// A drawn is a node of a draft.
type drawn struct {
	depth      int
	occurrence grammars.Occurrence
	word       int // the index of a token's text, or -1
}

// DraftOf returns the draft of a parsed tree.
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

// Trivia adds a token that the parser does not see, such as a comment.
func (t *Draft) Trivia(text []byte) {
	t.words = append(t.words, grammars.Word{Text: text})
}

// Write writes a tree as text and parses the text. The error wraps [ErrUnwritten]
// if the tokens cannot be separated or if the text parses to another tree.
func (x *Generator) Write(ctx context.Context, t *Draft) (*Input, error) {
	text, words, ok := x.writer.Write(t.words, x.writing(len(t.words)))
	if !ok {
		return nil, ErrUnwritten
	}
	t = &Draft{t.nodes, words}
	// The parse is limited by steps and not by time: the result must not depend on the
	// load of the machine.
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

// isOf reports whether the draft equals a parsed tree.
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

// finish writes the tree. The input is nil if it cannot be written or is not
// wanted.
func (d *drawing) finish(ctx context.Context, wanted func(*Input) (bool, error)) (*Input, error) {
	if d.failed {
		return nil, nil
	}
	return d.write(ctx, &d.Draft, wanted)
}
