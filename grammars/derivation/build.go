package derivation

import (
	"bytes"
	"slices"
	"sync/atomic"
	"unicode/utf8"
)

// A Builder makes a [Tree] as a parser goes through its input. Nodes come in
// pre-order; only left recursion puts a node above others that are already
// there. The zero Builder is ready for use, and can be used again after
// [Builder.Reset].
type Builder struct {
	nodes []node
	wraps []wrap
	most  int
}

// A wrap is a left operand: a node of the same rule as the one it stands right
// below, above all that was below that so far.
type wrap struct {
	node       int32 // the one it stands below
	end        int32 // the first node that is not in it
	occurrence Occurrence
}

// Reset forgets everything, and makes room for n nodes, in the knowledge that
// there will not be many more than most.
func (b *Builder) Reset(n, most int) {
	b.nodes, b.wraps, b.most = slices.Grow(b.nodes[:0], min(n, most)), b.wraps[:0], most
}

// Len returns the number of nodes so far.
func (b *Builder) Len() int { return len(b.nodes) }

// Size returns the number of nodes that the tree will have if it ends here.
func (b *Builder) Size() int { return len(b.nodes) + len(b.wraps) }

// Truncate forgets all but the first n nodes.
func (b *Builder) Truncate(n int) { b.nodes = b.nodes[:n] }

// Cap returns the number of nodes that there is memory for.
func (b *Builder) Cap() int { return cap(b.nodes) }

func (b *Builder) add(n node) {
	if len(b.nodes) == cap(b.nodes) {
		b.grow(1)
	}
	b.nodes = append(b.nodes, n)
}

// grow makes room for n more nodes, and for as many as there are: what appending
// does to large slices leaves far more behind.
func (b *Builder) grow(n int) {
	b.nodes = slices.Grow(b.nodes, max(n, min(len(b.nodes), b.most-len(b.nodes))))
}

// Open begins a rule's node, at a depth of 0 for the root, and returns its number.
func (b *Builder) Open(depth int, rule int32, o Occurrence) int32 {
	b.add(node{occurrence: o, head: head(Rule, rule), depth: int32(depth)})
	return int32(len(b.nodes) - 1)
}

// Close ends a rule's node: what comes next is not below it.
func (b *Builder) Close(n int32) { b.nodes[n].next = int32(len(b.nodes)) }

// CloseFrom ends all nodes from n on, as their depths tell.
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

// Leaf adds a token, given by its index, or in a tree inside a token the
// character at a place of the input.
func (b *Builder) Leaf(depth int, token int32, o Occurrence) {
	b.add(node{occurrence: o, head: head(Leaf, token), depth: int32(depth), next: int32(len(b.nodes) + 1)})
}

// Empty adds an empty alternative.
func (b *Builder) Empty(depth int, o Occurrence) {
	b.add(node{occurrence: o, head: head(Empty, 0), depth: int32(depth), next: int32(len(b.nodes) + 1)})
}

// Wrap moves all that is below rule n into a new node of the same rule, which
// becomes n's only child so far: the left operand of what follows.
func (b *Builder) Wrap(n int32, o Occurrence) {
	if len(b.wraps) == cap(b.wraps) {
		b.wraps = slices.Grow(b.wraps, max(8, len(b.wraps)))
	}
	b.wraps = append(b.wraps, wrap{n, int32(len(b.nodes)), o})
}

// Tree returns the tree of all nodes, which must have been closed. The Builder
// keeps nothing of it: what is large it gives away, what is small it copies.
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

// maxCopied is how many nodes a Builder copies to keep its memory for later.
const maxCopied = 1 << 20

// A Pattern is nodes that a [Builder] was given, to be put again elsewhere.
type Pattern []patternNode

type patternNode struct {
	node          // with its depth and next counted from where it is put
	places uint32 // all bits of a leaf's place, none of other nodes
}

// Pattern returns a pattern of all nodes so far, which must have been made at
// the depth of 0 and, in a tree inside a token, for the place 0.
func (b *Builder) Pattern() Pattern {
	p := make(Pattern, len(b.nodes))
	for i, n := range b.nodes {
		p[i].node = n
		if n.kind() == Leaf {
			p[i].places = 1<<symbolBits - 1
		}
	}
	return p
}

// Equal reports whether two patterns are the same.
func (p Pattern) Equal(q Pattern) bool { return slices.Equal(p, q) }

// Put adds the nodes of a pattern, the topmost at the given depth, its leaves for
// a place of the input.
func (b *Builder) Put(p Pattern, depth int, at int32) {
	first := len(b.nodes)
	if cap(b.nodes)-first < len(p) {
		b.grow(len(p))
	}
	b.nodes = b.nodes[:first+len(p)]
	put := b.nodes[first:]
	for i := range p {
		n := &p[i]
		put[i] = node{n.occurrence, n.head + uint32(at)&n.places, n.depth + int32(depth), n.next + int32(first)}
	}
}

// A Loop says which pattern each byte of a text calls for, as long as that goes
// on. Bytes for which it has none end it.
type Loop [utf8.RuneSelf]atomic.Pointer[Pattern]

// PutLoop adds the patterns that a text calls for, and returns how many bytes
// that were. The text begins at a place of the input.
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

// Chars makes buf the tree of all nodes, as one inside the token from start to
// end. It is valid until the Builder is used again.
func (b *Builder) Chars(input []byte, start, end int32, names *Names, buf *Tree) {
	buf.input, buf.names, buf.nodes, buf.chars, buf.start, buf.end = input, names, b.nodes, true, start, end
}

// Keep returns a copy of a tree inside a token that stays valid, for [Tree.Kept]
// to return the id. Of the input it keeps no more than the token.
func (t *Tree) Keep(id uint64) *Tree {
	kept := *t
	kept.nodes = slices.Clone(t.nodes)
	kept.input = bytes.Clone(t.input[t.start:t.end])
	for i := range kept.nodes {
		if n := &kept.nodes[i]; n.kind() == Leaf {
			n.head -= uint32(t.start)
		}
	}
	kept.start, kept.end, kept.kept = 0, t.end-t.start, id
	return &kept
}

// unwrapped lays out the nodes with the wraps where they belong.
func (b *Builder) unwrapped() []node {
	// Those of a node go right behind it, the last one made first: it is around
	// the ones before it.
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
	var opened []open // wraps that are open
	var rules []open  // rules, to find their ends
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
	next := 0 // the wrap to lay out
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
