package generate

import (
	"bytes"
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
	t := &Draft{nodes: make([]drawn, 0, tree.Len()), words: make([]grammars.Word, 0, len(tree.Tokens()))}
	for depth, n := range tree.All() {
		switch {
		case depth == 0:
		case n.Kind() == derivation.Leaf && n.Token().Type != derivation.EOF:
			token := n.Token()
			t.Word(depth-1, n.Occurrence(), int(token.Type), tree.Input()[token.Start:token.End:token.End])
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
	r, err := x.read(ctx, t, grammars.ParseOptions{})
	switch {
	case err != nil:
		return nil, err
	case r.err != nil:
		return nil, fmt.Errorf("%w: %w", ErrUnwritten, r.err)
	case r.tree == nil || r.draft.firstDifference(r.tree) >= 0:
		return nil, ErrUnwritten
	}
	return &Input{Text: r.text, Tree: r.tree, Draws: 1}, nil
}

// A reading is the text of a draft and the tree that the parser reads.
type reading struct {
	draft *Draft // with the texts that were written
	text  []byte
	tree  *derivation.Tree // nil if the tokens cannot be joined or the text does not parse
	drawn bool             // tree is that of the draft; the text was not parsed
	same  bool             // text is that of the tree to mutate; nothing else is known
	err   error            // why the text does not parse
	word  int              // the first token that cannot be joined or parsed; -1 if it is not known
}

// read writes a draft as text and parses the text, unless the options say otherwise. It
// sets the start rule and the limits of the parse. The error is nil or that of ctx.
func (x *Generator) read(ctx context.Context, t *Draft, parse grammars.ParseOptions) (*reading, error) {
	r := &reading{draft: t, word: -1}
	how := x.writing(len(t.words))
	how.Like = x.likely
	text, words, ok := x.writer.Write(t.words, how)
	if !ok {
		r.word = min(len(words), len(t.words)-1)
		return r, nil
	}
	r.draft, r.text = &Draft{t.nodes, words}, text
	if r.same = how.Like.Is(text); r.same {
		return r, nil
	}
	if x.opt.Unverified || x.opt.Trust.skips() {
		r.word, r.drawn = -1, true
		r.tree, r.err = x.assembled(r.draft, text)
		return r, nil
	}
	// The parse is limited by steps and not by time: the result must not depend on the
	// load of the machine.
	parse.Start, parse.Limits = x.opt.Start, grammars.Limits{Time: time.Hour}
	r.tree, r.err = x.grammar.Parse(ctx, r.text, parse)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	r.word = -1
	if wrong := (*grammars.SyntaxError)(nil); errors.As(r.err, &wrong) && !parse.Unlocated {
		r.word = r.draft.wordAt(r.text, wrong.Offset)
	}
	return r, nil
}

// assembled returns the tree of a draft that is not parsed.
func (x *Generator) assembled(t *Draft, text []byte) (*derivation.Tree, error) {
	symbols := x.assembling[:0]
	for _, n := range t.nodes {
		symbols = append(symbols, grammars.Symbol{Depth: n.depth, Occurrence: n.occurrence, Word: n.word})
	}
	x.assembling = symbols
	return x.grammar.Assemble(x.grammar.Rule(x.opt.Start), symbols, t.words, x.writer.Rules(), text)
}

// wordAt returns the token that contains an offset of the draft's text, or the
// first one after it; the last one at the end of the text.
func (t *Draft) wordAt(text []byte, offset int) int {
	end := 0
	for i, word := range t.words {
		at := bytes.Index(text[end:], word.Text)
		if at < 0 {
			break
		}
		if end += at + len(word.Text); end > offset {
			return i
		}
	}
	return len(t.words) - 1
}

// firstDifference returns the first node of the draft that a parsed tree does not
// have; -1 if they are equal.
func (t *Draft) firstDifference(tree *derivation.Tree) int {
	for depth, n := range tree.All() {
		if depth == 0 {
			continue
		}
		i := n.Index() - 1
		if i == len(t.nodes) {
			return max(i-1, 0)
		}
		want := t.nodes[i]
		if want.depth != depth-1 || want.occurrence != n.Occurrence() {
			return i
		}
		if want.word >= 0 && n.Text() != string(t.words[want.word].Text) {
			return i
		}
	}
	if tree.Len() != len(t.nodes)+1 {
		return tree.Len() - 1
	}
	return -1
}
