// Package derivation represents derivation trees: how a grammar derives an
// input.
//
// Each node of a [Tree] refers to the occurrence in the grammar that it is an
// instance of, and to its bytes of the input. The tokens of a tree, including
// white space and comments, concatenate to the input.
//
// A tree stores its nodes in pre-order in one array, each with its depth.
// Walking a tree is a loop, so that deeply nested inputs do not exhaust the
// call stack. Trees are immutable and safe for concurrent use.
package derivation

import (
	"bytes"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// An Occurrence is the number of a node in the grammar graph.
type Occurrence int32

// None is the occurrence of a tree's root, which no rule refers to.
const None Occurrence = -1

// EOF is the type of the last token of every input.
const EOF = -1

// Names are the names of a grammar's rules, tokens and symbols. All trees of
// the grammar share them.
type Names struct {
	Rules   []string // parser rules by index
	Tokens  []string // display names of tokens by type: '+' or ID
	Symbols []string // texts of graph nodes by number, as written in the grammar
	Deep    []bool   // by graph node: whether the node is a reference with children
	// Chars reports whether the leaves of trees are characters and literals, not
	// tokens: their names are those of symbols.
	Chars bool
}

// A Token is a token of the input.
type Token struct {
	Type       int32
	Rule       int32 // index of the lexer rule that ended the token; -1 for EOF
	Start, End int32 // byte offsets
	Channel    int16
	Skipped    bool // discarded by the skip command
}

// Trivia reports whether the token is hidden from the parser.
func (t Token) Trivia() bool { return t.Skipped || t.Channel != 0 }

// A Piece is a part of a token that one lexer rule matched and, by `more`, left
// to other rules to continue. The last part, which ends the token, is not a
// Piece.
type Piece struct {
	Token int32 // index of the token
	Rule  int32
	End   int32 // byte offset
}

// A Tree is the derivation of one input.
type Tree struct {
	input   []byte
	names   *Names
	tokens  []Token
	nodes   []node
	deriver TokenDeriver
	pieces  []Piece // in input order
	decoded []int32 // for text that was decoded: the characters before each multiple of stride

	// The tree of a token has no tokens itself: its leaves are the characters
	// from start to end.
	chars      bool
	cacheID    uint64
	start, end int32
}

// A TokenDeriver derives tokens from their lexer rules.
type TokenDeriver interface {
	// Dissect returns a function that derives a token of the input, given with
	// its pieces. The function's result is valid until its next call.
	Dissect(input []byte) func(token *Token, pieces []Piece) (*Tree, error)
	// TriviaOccurrence returns the occurrence of trivia that a lexer rule
	// matched.
	TriviaOccurrence(rule int32) Occurrence
}

// WithTokenDeriver sets how t derives its tokens, and returns t.
func (t *Tree) WithTokenDeriver(in TokenDeriver, pieces []Piece) *Tree {
	t.deriver, t.pieces = in, pieces
	return t
}

// Dissect derives the token with the given index from its lexer rule. The root
// of the returned tree stands for the token, its other nodes are instances of
// occurrences below the token's, and its leaves are characters. The tree is nil
// for EOF and if t cannot derive its tokens. The error is a *limit.Error.
//
// Use a [Dissector] to derive many tokens.
func (t *Tree) Dissect(token int) (*Tree, error) { return t.Dissector().Token(token) }

// A Dissector derives the tokens of a tree one at a time and reuses its memory. It
// is not safe for concurrent use.
type Dissector struct {
	tree   *Tree
	derive func(*Token, []Piece) (*Tree, error)
	pieces []Piece // the pieces from the token asked for last on
}

// Dissector returns a Dissector for the tree.
func (t *Tree) Dissector() *Dissector {
	d := &Dissector{tree: t, pieces: t.pieces}
	if t.deriver != nil {
		d.derive = t.deriver.Dissect(t.input)
	}
	return d
}

// Token derives a token like [Tree.Dissect]. The result is valid until the next
// call.
func (d *Dissector) Token(token int) (*Tree, error) {
	of := &d.tree.tokens[token]
	if d.derive == nil || of.Rule < 0 {
		return nil, nil
	}
	var pieces []Piece
	if len(d.tree.pieces) > 0 {
		pieces = d.piecesOf(int32(token))
	}
	return d.derive(of, pieces)
}

// piecesOf returns the pieces of a token. It is fast if tokens are passed in
// order.
func (d *Dissector) piecesOf(token int32) []Piece {
	if len(d.pieces) == 0 || d.pieces[0].Token > token {
		d.pieces = d.tree.pieces
	}
	if d.pieces[0].Token < token {
		first, _ := slices.BinarySearchFunc(d.pieces, token, func(p Piece, token int32) int { return int(p.Token) - int(token) })
		d.pieces = d.pieces[first:]
	}
	last := 0
	for last < len(d.pieces) && d.pieces[last].Token == token {
		last++
	}
	return d.pieces[:last]
}

// Leaf derives the token of a leaf like [Node.Dissect]. The result is valid
// until the next call.
func (d *Dissector) Leaf(n Node) (*Tree, error) {
	if !n.deep() {
		return nil, nil
	}
	return d.Token(int(n.get().symbol()))
}

// Trivia yields the index and the occurrence of each token that is hidden from
// the parser.
func (t *Tree) Trivia() iter.Seq2[int, Occurrence] {
	return func(yield func(int, Occurrence) bool) {
		for i := range t.tokens {
			token := &t.tokens[i]
			if !token.Trivia() {
				continue
			}
			o := None
			if t.deriver != nil && token.Rule >= 0 {
				o = t.deriver.TriviaOccurrence(token.Rule)
			}
			if !yield(i, o) {
				return
			}
		}
	}
}

type node struct {
	occurrence Occurrence
	head       uint32 // kind and symbol
	depth      int32
	next       int32 // index of the first node after the subtree
}

const symbolBits = 30

func head(kind Kind, symbol int32) uint32 { return uint32(kind)<<symbolBits | uint32(symbol) }

func (n *node) kind() Kind { return Kind(n.head >> symbolBits) }

// symbol returns the index of a rule, the index of a token, or the offset of a
// character.
func (n *node) symbol() int32 { return int32(n.head & (1<<symbolBits - 1)) }

// Kind is the kind of a tree node.
type Kind uint8

// The kinds of nodes.
const (
	Rule  Kind = iota // a parser rule
	Leaf              // a token
	Empty             // an empty alternative
)

// CacheID identifies the tree of a token that is cached because the token is short
// and frequent: equal IDs mean the same tree. It is 0 for all other trees, whose
// memory a [Dissector] reuses.
func (t *Tree) CacheID() uint64 { return t.cacheID }

// Input returns the text that the tree's offsets refer to: the parsed input, or its
// decoded text (see [Tree.Offset]). It may continue after the derived part. For the
// tree of a token, it is the whole input or the token alone. The caller must not change
// it.
func (t *Tree) Input() []byte { return t.input }

// Len returns the number of nodes.
func (t *Tree) Len() int { return len(t.nodes) }

// Tokens returns all tokens in input order, including trivia. The caller must
// not change them.
func (t *Tree) Tokens() []Token { return t.tokens }

// Root returns the node of the start rule.
func (t *Tree) Root() Node { return Node{t, 0} }

// All yields every node in pre-order with its depth. The root has depth 0.
func (t *Tree) All() iter.Seq2[int, Node] {
	return func(yield func(int, Node) bool) {
		for i := range t.nodes {
			if !yield(int(t.nodes[i].depth), Node{t, int32(i)}) {
				return
			}
		}
	}
}

// String returns the text of all tokens, including trivia: the input.
func (t *Tree) String() string {
	if t.chars {
		return string(t.input[t.start:t.end])
	}
	var b strings.Builder
	b.Grow(len(t.input))
	for _, token := range t.tokens {
		b.Write(t.input[token.Start:token.End])
	}
	return b.String()
}

// A Node is a node of a tree.
type Node struct {
	tree  *Tree
	index int32
}

func (n Node) get() *node { return &n.tree.nodes[n.index] }

// Index returns the pre-order index of the node.
func (n Node) Index() int { return int(n.index) }

// Kind returns the kind of the node.
func (n Node) Kind() Kind { return n.get().kind() }

// Occurrence returns the grammar node that n is an instance of, or [None] for
// the root.
func (n Node) Occurrence() Occurrence { return n.get().occurrence }

// Rule returns the index of the parser rule of a [Rule] node.
func (n Node) Rule() int { return int(n.get().symbol()) }

// Token returns the token of a [Leaf] node. In the tree of a token, it is a
// character or the text of a literal, without a type.
func (n Node) Token() Token {
	symbol := n.get().symbol()
	if !n.tree.chars {
		return n.tree.tokens[symbol]
	}
	end := n.tree.end
	for _, next := range n.tree.nodes[n.index+1:] {
		if next.kind() == Leaf {
			end = next.symbol()
			break
		}
	}
	return Token{Rule: -1, Start: symbol, End: end}
}

// Unread returns the first token after the tree's last leaf that is visible to
// the parser, unless it is EOF. It exists if the start rule ended before the
// input.
func (t *Tree) Unread() (token Token, ok bool) {
	next := 0
	for i := len(t.nodes) - 1; i >= 0; i-- {
		if t.nodes[i].kind() == Leaf {
			next = int(t.nodes[i].symbol()) + 1
			break
		}
	}
	for _, token := range t.tokens[min(next, len(t.tokens)):] {
		if !token.Trivia() {
			return token, token.Type != EOF
		}
	}
	return Token{}, false
}

// LineColumn returns the line and column of a byte offset in a text, both from 1.
// Columns count characters.
func LineColumn(text []byte, offset int) (line, column int) {
	before := text[:offset]
	line = 1 + bytes.Count(before, []byte("\n"))
	column = 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return line, column
}

// Name returns the name of the rule or token, the symbol as written in the
// grammar for a leaf in the tree of a token, or "" for an empty alternative.
func (n Node) Name() string {
	names := n.tree.names
	switch {
	case n.Kind() == Rule:
		return names.Rules[n.Rule()]
	case n.Kind() == Empty:
		return ""
	case n.tree.chars || names.Chars && n.Occurrence() >= 0 && n.Token().Type != EOF:
		return names.Symbols[n.Occurrence()]
	default:
		return names.Token(int(n.Token().Type))
	}
}

// Dissect derives a leaf's token from its lexer rule, like [Tree.Dissect]. The
// tree is nil for literals and token sets, which have nothing below them in the
// grammar.
func (n Node) Dissect() (*Tree, error) {
	if !n.deep() {
		return nil, nil
	}
	return n.tree.Dissect(int(n.get().symbol()))
}

// deep reports whether the node is a token whose occurrence has children in the
// grammar.
func (n Node) deep() bool {
	deep, o := n.tree.names.Deep, int(n.Occurrence())
	return n.Kind() == Leaf && 0 <= o && o < len(deep) && deep[o]
}

// Token returns the name of a token type. Unnamed types get a name such as <7>.
func (n *Names) Token(t int) string {
	switch {
	case t == EOF:
		return "EOF"
	case t > 0 && t < len(n.Tokens) && n.Tokens[t] != "":
		return n.Tokens[t]
	default:
		return fmt.Sprintf("<%d>", t)
	}
}

// Text returns the text of a leaf. It is "" for EOF and for other nodes.
func (n Node) Text() string {
	if n.Kind() != Leaf {
		return ""
	}
	token := n.Token()
	return string(n.tree.input[token.Start:token.End])
}

// Span returns the byte range from the node's first token to its last. A node
// without tokens has an empty span at its position in the nearest ancestor with
// tokens: after the preceding token there, or else before the following one.
func (n Node) Span() (start, end int) {
	nodes := n.tree.nodes
	after := n.get().next
	for first := n.index; first < after; first++ {
		if nodes[first].kind() != Leaf {
			continue
		}
		last := after - 1
		for nodes[last].kind() != Leaf {
			last--
		}
		return int(Node{n.tree, first}.Token().Start), int(Node{n.tree, last}.Token().End)
	}
	g := gap{last: n.index, next: after, before: n.get().depth, after: math.MaxInt32}
	for g.last--; g.last >= 0 && nodes[g.last].kind() != Leaf; g.last-- {
		g.before = min(g.before, nodes[g.last].depth)
	}
	for ; int(g.next) < len(nodes); g.next++ {
		if g.after = min(g.after, nodes[g.next].depth); nodes[g.next].kind() == Leaf {
			break
		}
	}
	at := n.tree.within(g)
	return at, at
}

// End returns the end of the node's span.
func (n Node) End() int {
	for last := n.get().next - 1; last >= n.index; last-- {
		if n.tree.nodes[last].kind() == Leaf {
			return int(Node{n.tree, last}.Token().End)
		}
	}
	_, end := n.Span()
	return end
}

// A gap is the space between two leaves around a node without leaves.
type gap struct {
	last, next    int32 // the leaves before and after; -1 and the number of nodes if there are none
	before, after int32 // least depth of the nodes from last to the node, and from the end of the node to next
}

// within returns the offset of a gap in the input.
func (t *Tree) within(g gap) int {
	none := int(g.next) == len(t.nodes)
	switch {
	case g.last < 0 && none:
		return int(t.start)
	case none || g.last >= 0 && g.before >= g.after: // the leaf before is at least as near as the one after
		return int(Node{t, g.last}.Token().End)
	default:
		return int(Node{t, g.next}.Token().Start)
	}
}

// Children yields the children of n in order.
func (n Node) Children() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		for i := n.index + 1; i < n.get().next; i = n.tree.nodes[i].next {
			if !yield(Node{n.tree, i}) {
				return
			}
		}
	}
}
