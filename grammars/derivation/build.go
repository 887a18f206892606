package derivation

import (
	"bytes"
	"slices"
	"sync/atomic"
	"unicode/utf8"

	"github.com/inroad/inroad/grammars/internal/grow"
)

// A Builder builds a [Tree] during a parse. Nodes are added in pre-order; only
// left recursion inserts a node above existing ones. The zero Builder is ready
// to use, and [Builder.Reset] makes it reusable.
type Builder struct {
	nodes []node
	wraps []wrap
	most  int
}

// A wrap is a left operand: a node inserted between a node of the same rule and
// all nodes added below that node so far.
type wrap struct {
	node       int32 // the node it was inserted below
	end        int32 // the first node after its subtree
	occurrence Occurrence
}

// Reset discards all nodes and reserves memory for n nodes. The tree is
// expected to have at most about most nodes.
func (b *Builder) Reset(n, most int) {
	b.nodes, b.wraps, b.most = grow.Slice(b.nodes[:0], min(n, most)), b.wraps[:0], most
}

// Len returns the number of nodes so far.
func (b *Builder) Len() int { return len(b.nodes) }

// Size returns the number of nodes of the finished tree if no more are added.
func (b *Builder) Size() int { return len(b.nodes) + len(b.wraps) }

// Truncate discards all but the first n nodes.
func (b *Builder) Truncate(n int) { b.nodes = b.nodes[:n] }

// Cap returns the number of nodes that memory is allocated for.
func (b *Builder) Cap() int { return cap(b.nodes) }

func (b *Builder) add(n node) {
	if len(b.nodes) == cap(b.nodes) {
		b.grow(1)
	}
	b.nodes = append(b.nodes, n)
}

// grow reserves memory for n more nodes, and doubles the capacity up to about
// b.most nodes. append grows large slices by a quarter, which leaves more
// garbage.
func (b *Builder) grow(n int) {
	b.nodes = grow.Slice(b.nodes, max(n, min(len(b.nodes), b.most-len(b.nodes))))
}

// Open begins the node of a rule and returns its index. The root has depth 0.
func (b *Builder) Open(depth int, rule int32, o Occurrence) int32 {
	b.add(node{occurrence: o, head: head(Rule, rule), depth: int32(depth)})
	return int32(len(b.nodes) - 1)
}

// Close ends the subtree of a rule's node.
func (b *Builder) Close(n int32) { b.nodes[n].next = int32(len(b.nodes)) }

// CloseFrom ends the subtrees of all nodes from n on, as their depths imply.
func (b *Builder) CloseFrom(n int) {
	var open []int32
	for i := n; i <= len(b.nodes); i++ {
		for len(open) > 0 && (i == len(b.nodes) || b.nodes[open[len(open)-1]].depth >= b.nodes[i].depth) {
			b.nodes[open[len(open)-1]].next = int32(i)
			open = open[:len(open)-1]
		}
		open = append(open, int32(i))
	}
}

// Leaf adds a token, given by its index. In the tree of a token, it adds the
// character at an offset.
func (b *Builder) Leaf(depth int, token int32, o Occurrence) {
	b.add(node{occurrence: o, head: head(Leaf, token), depth: int32(depth), next: int32(len(b.nodes) + 1)})
}

// Empty adds an empty alternative.
func (b *Builder) Empty(depth int, o Occurrence) {
	b.add(node{occurrence: o, head: head(Empty, 0), depth: int32(depth), next: int32(len(b.nodes) + 1)})
}

// Wrap moves everything below node n into a new node of the same rule, which
// becomes the only child of n: the left operand of the nodes added next.
func (b *Builder) Wrap(n int32, o Occurrence) {
	b.wraps = grow.Append(b.wraps, wrap{n, int32(len(b.nodes)), o})
}

// JoinTokens returns the tokens of a scannerless parse, in which each character was a
// token: a leaf's token now extends to the next leaf. The first token that the parser
// did not consume is tokens[unread]; the result ends with the tokens from there on.
func (b *Builder) JoinTokens(tokens []Token, unread int) []Token {
	var out []Token
	var ends []int // the leaves that are the end of the input
	for i := range b.nodes {
		n := &b.nodes[i]
		switch {
		case n.kind() != Leaf:
		case tokens[n.symbol()].Type == EOF:
			ends = append(ends, i)
		default:
			t := tokens[n.symbol()]
			if len(out) > 0 {
				out[len(out)-1].End = t.Start
			}
			n.head = head(Leaf, int32(len(out)))
			out = append(out, t)
		}
	}
	if len(out) > 0 {
		out[len(out)-1].End = tokens[unread].Start
	}
	out = append(out, tokens[unread:]...)
	for _, i := range ends {
		b.nodes[i].head = head(Leaf, int32(len(out)-1))
	}
	return out
}

// Tree returns the tree of all nodes, which must be closed. The tree does not
// share memory with the Builder: a large node array is handed over, a small one
// copied.
func (b *Builder) Tree(input []byte, tokens []Token, names *Names) *Tree {
	t := &Tree{input: input, names: names, tokens: tokens}
	switch {
	case len(b.wraps) > 0:
		t.nodes = b.unwrapped()
	case len(b.nodes) > maxCopied:
		t.nodes, b.nodes = b.nodes, nil
	default:
		t.nodes = slices.Clone(b.nodes)
	}
	return t
}

// maxCopied is the largest number of nodes that a Builder copies to keep its
// memory.
const maxCopied = 1 << 20

// A Pattern is a sequence of nodes that a [Builder] can add repeatedly.
type Pattern []patternNode

type patternNode struct {
	node          // depth and next are relative to the insertion point
	offset uint32 // mask of the offset bits: all for a leaf, none for other nodes
}

// Pattern returns all nodes so far as a pattern. They must start at depth 0
// and, in the tree of a token, at offset 0.
func (b *Builder) Pattern() Pattern {
	p := make(Pattern, len(b.nodes))
	for i, n := range b.nodes {
		p[i].node = n
		if n.kind() == Leaf {
			p[i].offset = 1<<symbolBits - 1
		}
	}
	return p
}

// Equal reports whether p and q have the same nodes.
func (p Pattern) Equal(q Pattern) bool { return slices.Equal(p, q) }

// Put adds the nodes of a pattern, the topmost at the given depth and the
// leaves at the given offset of the input.
func (b *Builder) Put(p Pattern, depth int, at int32) {
	first := len(b.nodes)
	if cap(b.nodes)-first < len(p) {
		b.grow(len(p))
	}
	b.nodes = b.nodes[:first+len(p)]
	put := b.nodes[first:]
	for i := range p {
		n := &p[i]
		put[i] = node{n.occurrence, n.head + uint32(at)&n.offset, n.depth + int32(depth), n.next + int32(first)}
	}
}

// A Loop maps each ASCII byte to the pattern that it adds. A byte without a
// pattern ends the loop.
type Loop [utf8.RuneSelf]atomic.Pointer[Pattern]

// PutLoop adds the patterns for the bytes of text, which starts at the given
// offset of the input, until the loop ends. It returns the number of bytes
// consumed.
func (b *Builder) PutLoop(loop *Loop, depth int, at int32, text []byte) int32 {
	for i, c := range text {
		if c >= utf8.RuneSelf {
			return int32(i)
		}
		p := loop[c].Load()
		if p == nil {
			return int32(i)
		}
		b.Put(*p, depth, at+int32(i))
	}
	return int32(len(text))
}

// TokenTree sets buf to the tree of the token input[start:end], which consists of
// all nodes of the Builder. The tree is valid until the Builder is used again.
func (b *Builder) TokenTree(input []byte, start, end int32, names *Names, buf *Tree) {
	buf.input, buf.names, buf.nodes, buf.chars, buf.start, buf.end = input, names, b.nodes, true, start, end
}

// CacheCopy returns a lasting copy of a token's tree, for which [Tree.CacheID] returns
// id. The copy retains only the token of the input.
func (t *Tree) CacheCopy(id uint64) *Tree {
	cached := *t
	cached.nodes = slices.Clone(t.nodes)
	cached.input = bytes.Clone(t.input[t.start:t.end])
	for i := range cached.nodes {
		if n := &cached.nodes[i]; n.kind() == Leaf {
			n.head -= uint32(t.start)
		}
	}
	cached.start, cached.end, cached.cacheID = 0, t.end-t.start, id
	return &cached
}

// unwrapped returns the nodes with the wraps inserted.
func (b *Builder) unwrapped() []node {
	// The wraps of a node directly follow it, the latest first: it encloses the
	// earlier ones.
	slices.SortStableFunc(b.wraps, func(x, y wrap) int {
		if x.node != y.node {
			return int(x.node) - int(y.node)
		}
		return int(y.end) - int(x.end)
	})
	out := make([]node, 0, len(b.nodes)+len(b.wraps))
	type open struct {
		end int32 // in b.nodes
		at  int32 // in out
	}
	var opened []open // open wraps
	var rules []open  // open nodes of b.nodes
	closeUntil := func(i int32) {
		for n := len(opened); n > 0 && opened[n-1].end <= i; n-- {
			out[opened[n-1].at].next = int32(len(out))
			opened = opened[:n-1]
		}
		for n := len(rules); n > 0 && rules[n-1].end <= i; n-- {
			out[rules[n-1].at].next = int32(len(out))
			rules = rules[:n-1]
		}
	}
	next := 0 // the next wrap to insert
	for i, n := range b.nodes {
		closeUntil(int32(i))
		rules = append(rules, open{n.next, int32(len(out))})
		n.depth += int32(len(opened))
		out = append(out, n)
		for ; next < len(b.wraps) && b.wraps[next].node == int32(i); next++ {
			w := b.wraps[next]
			opened = append(opened, open{w.end, int32(len(out))})
			out = append(out, node{occurrence: w.occurrence, head: n.head, depth: n.depth + 1})
			n.depth++
		}
	}
	closeUntil(int32(len(b.nodes)))
	return out
}
