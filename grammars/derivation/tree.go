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
	"fmt"
	"iter"
	"strings"
)

// An Occurrence is the number of a node of the grammar graph.
type Occurrence int32

// None is the occurrence of a tree's root: the start rule is entered from nowhere.
const None Occurrence = -1

// EOF is the type of the token that ends every input.
const EOF = -1

// Names are a grammar's names, shared by all of its trees.
type Names struct {
	Rules  []string // parser rules by index
	Tokens []string // tokens by type, as they are shown to people: '+' or ID
}

// A Token is a piece of input as the lexer cut it.
type Token struct {
	Type       int32
	Channel    int32
	Rule       int32 // the lexer rule that ended the token, by index; -1 for the end of the input
	Skipped    bool  // matched, and thrown away by the grammar
	Start, End int32 // in bytes
}

// Trivia reports whether the token is one that the parser never saw.
func (t Token) Trivia() bool { return t.Skipped || t.Channel != 0 }

// A Tree is a derivation of one input.
type Tree struct {
	input  []byte
	names  *Names
	tokens []Token
	nodes  []node
}

type node struct {
	occurrence Occurrence
	kind       Kind
	symbol     int32 // rule index, or index into tokens
	depth      int32
	next       int32 // index of the first node after this one's subtree
}

// Kind tells what a node stands for.
type Kind uint8

// The kinds of nodes.
const (
	Rule  Kind = iota // a parser rule
	Leaf              // a token
	Empty             // an empty alternative
)

// Input returns the text that the tree derives, and whatever follows it. The
// caller must not change it.
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
func (n Node) Kind() Kind { return n.get().kind }

// Occurrence returns the number of the grammar node that this node is an
// instance of, or [None] for the root.
func (n Node) Occurrence() Occurrence { return n.get().occurrence }

// Rule returns the index of the node's parser rule. The node must be a [Rule].
func (n Node) Rule() int { return int(n.get().symbol) }

// Token returns the token of a node that is a [Leaf].
func (n Node) Token() Token { return n.tree.tokens[n.get().symbol] }

// Name returns the rule's name, the token's name, or "" for an empty alternative.
func (n Node) Name() string {
	switch n.Kind() {
	case Rule:
		return n.tree.names.Rules[n.Rule()]
	case Leaf:
		return n.tree.names.Token(int(n.Token().Type))
	default:
		return ""
	}
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
// A node without tokens has an empty span where it stands.
func (n Node) Span() (start, end int) {
	nodes := n.tree.nodes
	first, last := -1, -1
	for i := n.index; i < n.get().next && first < 0; i++ {
		if nodes[i].kind == Leaf {
			first = int(nodes[i].symbol)
		}
	}
	for i := n.get().next - 1; i >= n.index && last < 0; i-- {
		if nodes[i].kind == Leaf {
			last = int(nodes[i].symbol)
		}
	}
	if first < 0 {
		at := n.tree.before(n.index)
		return at, at
	}
	return int(n.tree.tokens[first].Start), int(n.tree.tokens[last].End)
}

// before returns where the last leaf before node i ends.
func (t *Tree) before(i int32) int {
	for i--; i >= 0; i-- {
		if t.nodes[i].kind == Leaf {
			return int(t.tokens[t.nodes[i].symbol].End)
		}
	}
	return 0
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
