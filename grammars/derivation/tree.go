// Package derivation holds derivation trees: how a grammar derives an input.
//
// A [Tree] knows for each of its nodes which occurrence in the grammar it came
// from, and which bytes of the input it covers. Its tokens, white space and
// comments included, are the input byte for byte.
//
// A tree is flat: its nodes stand in pre-order in one array, each with its
// depth, so that a walk is a loop and no nesting of an input is too deep. Trees
// are immutable and safe for concurrent use.
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

// An Occurrence is the number of a node of the grammar graph.
type Occurrence int32

// None is the occurrence of a tree's root: the start rule is entered from nowhere.
const None Occurrence = -1

// EOF is the type of the token that ends every input.
const EOF = -1

// Names are a grammar's names, shared by all of its trees.
type Names struct {
	Rules   []string // rules by index
	Tokens  []string // tokens by type, as they are shown to people: '+' or ID
	Symbols []string // nodes of the grammar graph by number, as the grammar writes them
	Deep    []bool   // nodes of the graph by number: whether there is something below
}

// A Token is a piece of input as the lexer cut it.
type Token struct {
	Type       int32
	Rule       int32 // the lexer rule that ended the token, by index; -1 for the end of the input
	Start, End int32 // in bytes
	Channel    int16
	Skipped    bool // matched, and thrown away by the grammar
}

// Trivia reports whether the token is one that the parser never saw.
func (t Token) Trivia() bool { return t.Skipped || t.Channel != 0 }

// A Piece is a part of a token that one lexer rule matched and left for others
// to go on with. The token's last part, which ends it, is no piece.
type Piece struct {
	Token int32 // the token, by index
	Rule  int32
	End   int32 // in bytes
}

// A Tree is a derivation of one input.
type Tree struct {
	input  []byte
	names  *Names
	tokens []Token
	nodes  []node
	inside Insider
	pieces []Piece // in the order of the input

	// A tree inside a token has no tokens: its leaves are characters, one after
	// the other from start to end.
	chars      bool
	kept       uint64
	start, end int32
}

// An Insider derives tokens from their lexer rules.
type Insider interface {
	// Dissect returns what derives the tokens of an input, one after the other:
	// it is given a token and the pieces of that token. What it returns is valid
	// until the next call.
	Dissect(input []byte) func(token *Token, pieces []Piece) (*Tree, error)
	// TriviaOccurrence returns the node of the graph that trivia matched by a
	// lexer rule is an instance of.
	TriviaOccurrence(rule int32) Occurrence
}

// WithInside returns the tree with the means to take its tokens apart.
func (t *Tree) WithInside(in Insider, pieces []Piece) *Tree {
	t.inside, t.pieces = in, pieces
	return t
}

// Inside derives a token, given by its index, from its lexer rule. The root of
// that tree stands for the token, its nodes are occurrences below the token's,
// and its leaves are characters. It is nil for the end of the input and where
// the tree does not know its lexer. The error is a *limit.Error.
//
// To look into many tokens, use a [Lens].
func (t *Tree) Inside(token int) (*Tree, error) { return t.Lens().Token(token) }

// A Lens looks into the tokens of a tree one by one, in memory that it uses
// again. It is not safe for concurrent use.
type Lens struct {
	tree   *Tree
	derive func(*Token, []Piece) (*Tree, error)
	pieces []Piece // those from the last token that had any
}

// Lens returns a lens on the tree.
func (t *Tree) Lens() *Lens {
	l := &Lens{tree: t, pieces: t.pieces}
	if t.inside != nil {
		l.derive = t.inside.Dissect(t.input)
	}
	return l
}

// Token derives a token as [Tree.Inside] does. The result is valid until the
// next call.
func (l *Lens) Token(token int) (*Tree, error) {
	of := &l.tree.tokens[token]
	if l.derive == nil || of.Rule < 0 {
		return nil, nil
	}
	var pieces []Piece
	if len(l.tree.pieces) > 0 {
		pieces = l.piecesOf(int32(token))
	}
	return l.derive(of, pieces)
}

// piecesOf returns the pieces of a token. Tokens mostly come in order.
func (l *Lens) piecesOf(token int32) []Piece {
	if len(l.pieces) == 0 || l.pieces[0].Token > token {
		l.pieces = l.tree.pieces
	}
	if l.pieces[0].Token < token {
		first, _ := slices.BinarySearchFunc(l.pieces, token, func(p Piece, token int32) int { return int(p.Token) - int(token) })
		l.pieces = l.pieces[first:]
	}
	last := 0
	for last < len(l.pieces) && l.pieces[last].Token == token {
		last++
	}
	return l.pieces[:last]
}

// Leaf derives the token of a leaf of the tree as [Node.Inside] does. The
// result is valid until the next call.
func (l *Lens) Leaf(n Node) (*Tree, error) {
	if !n.deep() {
		return nil, nil
	}
	return l.Token(int(n.get().symbol()))
}

// Trivia yields the tokens that the parser never saw, by index, each with the
// node of the graph that it is an instance of.
func (t *Tree) Trivia() iter.Seq2[int, Occurrence] {
	return func(yield func(int, Occurrence) bool) {
		for i := range t.tokens {
			token := &t.tokens[i]
			if !token.Trivia() {
				continue
			}
			o := None
			if t.inside != nil && token.Rule >= 0 {
				o = t.inside.TriviaOccurrence(token.Rule)
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
	next       int32 // index of the first node after this one's subtree
}

const symbolBits = 30

func head(kind Kind, symbol int32) uint32 { return uint32(kind)<<symbolBits | uint32(symbol) }

func (n *node) kind() Kind { return Kind(n.head >> symbolBits) }

// symbol returns a rule's index, a token's index or a character's place.
func (n *node) symbol() int32 { return int32(n.head & (1<<symbolBits - 1)) }

// Kind tells what a node stands for.
type Kind uint8

// The kinds of nodes.
const (
	Rule  Kind = iota // a parser rule
	Leaf              // a token
	Empty             // an empty alternative
)

// Kept returns a number that is the same whenever a tree is the same one inside
// a token: short tokens that come often have their trees kept. It is 0 for all
// others, whose memory a [Lens] uses again.
func (t *Tree) Kept() uint64 { return t.kept }

// Input returns the text that places in the tree are places of: what the tree
// derives, and whatever follows it. A tree inside a token may have all of the
// text around the token, or the token alone. The caller must not change it.
func (t *Tree) Input() []byte { return t.input }

// Len returns the number of nodes.
func (t *Tree) Len() int { return len(t.nodes) }

// Tokens returns all tokens in the order of the input, trivia included. The
// caller must not change them.
func (t *Tree) Tokens() []Token { return t.tokens }

// Root returns the node of the start rule.
func (t *Tree) Root() Node { return Node{t, 0} }

// All yields every node in pre-order, with its depth; the root's is 0.
func (t *Tree) All() iter.Seq2[int, Node] {
	return func(yield func(int, Node) bool) {
		for i := range t.nodes {
			if !yield(int(t.nodes[i].depth), Node{t, int32(i)}) {
				return
			}
		}
	}
}

// String returns the text of the tree's tokens in order, trivia included:
// the input as it was.
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

// A Node is a place in a tree.
type Node struct {
	tree  *Tree
	index int32
}

func (n Node) get() *node { return &n.tree.nodes[n.index] }

// Index returns the node's place in pre-order.
func (n Node) Index() int { return int(n.index) }

// Kind tells what the node stands for.
func (n Node) Kind() Kind { return n.get().kind() }

// Occurrence returns the number of the grammar node that this node is an
// instance of, or [None] for the root.
func (n Node) Occurrence() Occurrence { return n.get().occurrence }

// Rule returns the index of the node's parser rule. The node must be a [Rule].
func (n Node) Rule() int { return int(n.get().symbol()) }

// Token returns the token of a node that is a [Leaf]. Inside a token that is the
// character, or the text of a literal, with no type.
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

// Unread returns the first token after the tree's last leaf that the parser
// would have seen, if there is one: where a start rule ended before the input.
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

// Place returns the line and column of an offset in a text, both from 1; columns
// count characters.
func Place(text []byte, offset int) (line, column int) {
	before := text[:offset]
	line = 1 + bytes.Count(before, []byte("\n"))
	column = 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return line, column
}

// Name returns the rule's name, the token's name, inside a token the symbol as
// the grammar writes it, or "" for an empty alternative.
func (n Node) Name() string {
	names := n.tree.names
	switch {
	case n.Kind() == Rule:
		return names.Rules[n.Rule()]
	case n.Kind() == Empty:
		return ""
	case n.tree.chars:
		return names.Symbols[n.Occurrence()]
	default:
		return names.Token(int(n.Token().Type))
	}
}

// Inside derives a leaf's token from its lexer rule, as [Tree.Inside] does. It
// is nil for literals and for tokens of a set: there is nothing below them in
// the grammar.
func (n Node) Inside() (*Tree, error) {
	if !n.deep() {
		return nil, nil
	}
	return n.tree.Inside(int(n.get().symbol()))
}

// deep reports whether the node is a token with something below it in the grammar.
func (n Node) deep() bool {
	deep, o := n.tree.names.Deep, int(n.Occurrence())
	return n.Kind() == Leaf && 0 <= o && o < len(deep) && deep[o]
}

// Token returns the name of a token type, also of those that have none.
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

// Text returns what a leaf matched; the end of the input is "".
func (n Node) Text() string {
	if n.Kind() != Leaf {
		return ""
	}
	token := n.Token()
	return string(n.tree.input[token.Start:token.End])
}

// Span returns the bytes of the input from the node's first token to its last.
// A node without tokens has an empty span where it stands: behind what comes
// before it in the nearest node above it that has tokens, or else before what
// comes after it there.
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

// A gap is what lies between two leaves, around a node without any.
type gap struct {
	last, next    int32 // the leaves, -1 and the number of nodes if there are none
	before, after int32 // the least depths of nodes between the one and the node, and behind the node up to the other
}

// within returns where a gap lies in the input.
func (t *Tree) within(g gap) int {
	none := int(g.next) == len(t.nodes)
	switch {
	case g.last < 0 && none:
		return int(t.start)
	case none || g.last >= 0 && g.before >= g.after: // the leaf before is as near as the one after
		return int(Node{t, g.last}.Token().End)
	default:
		return int(Node{t, g.next}.Token().Start)
	}
}

// Children yields the nodes right below n, in order.
func (n Node) Children() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		for i := n.index + 1; i < n.get().next; i = n.tree.nodes[i].next {
			if !yield(Node{n.tree, i}) {
				return
			}
		}
	}
}
