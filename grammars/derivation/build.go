package derivation

// A Builder makes a [Tree] as a parser goes through its input. Left recursion
// puts a node above one that is already there; everything else is appended.
// The zero Builder is ready for use.
type Builder struct {
	nodes []link
}

// link is a node while the tree grows: children and siblings by index, 0 for none.
type link struct {
	occurrence           Occurrence
	kind                 Kind
	symbol               int32
	first, last, sibling int32
}

// Reset forgets all nodes and makes room for about n.
func (b *Builder) Reset(n int) {
	if cap(b.nodes) < n {
		b.nodes = make([]link, 0, n)
	}
	b.nodes = b.nodes[:0]
}

// Open adds a rule below parent and returns its number; the first rule opened
// is the root, whatever its parent.
func (b *Builder) Open(parent int32, rule int32, o Occurrence) int32 {
	return b.add(parent, link{occurrence: o, kind: Rule, symbol: rule})
}

// Leaf adds a token, given by its index, below parent.
func (b *Builder) Leaf(parent int32, token int32, o Occurrence) {
	b.add(parent, link{occurrence: o, kind: Leaf, symbol: token})
}

// Empty adds an empty alternative below parent.
func (b *Builder) Empty(parent int32, o Occurrence) {
	b.add(parent, link{occurrence: o, kind: Empty})
}

func (b *Builder) add(parent int32, n link) int32 {
	i := int32(len(b.nodes))
	b.nodes = append(b.nodes, n)
	if i == 0 {
		return 0
	}
	p := &b.nodes[parent]
	if p.first == 0 {
		p.first = i
	} else {
		b.nodes[p.last].sibling = i
	}
	p.last = i
	return i
}

// Wrap moves all that is below rule n into a new node of the same rule, which
// becomes n's only child: the left operand of what follows. Its occurrence is
// not known until the operator is; [Builder.Operand] sets it.
func (b *Builder) Wrap(n int32) {
	i := int32(len(b.nodes))
	below := b.nodes[n]
	below.occurrence, below.sibling = None, 0
	b.nodes = append(b.nodes, below)
	b.nodes[n].first, b.nodes[n].last = i, i
}

// Operand tells which occurrence the left operand of rule n is.
func (b *Builder) Operand(n int32, o Occurrence) {
	b.nodes[b.nodes[n].first].occurrence = o
}

// Tree lays the nodes out in pre-order.
func (b *Builder) Tree(input []byte, tokens []Token, names *Names) *Tree {
	t := &Tree{input: input, names: names, tokens: tokens, nodes: make([]node, 0, len(b.nodes))}
	type open struct{ link, node int32 }
	var stack []open
	next := int32(0) // the link to lay out
	for {
		l := &b.nodes[next]
		i := int32(len(t.nodes))
		t.nodes = append(t.nodes, node{l.occurrence, l.kind, l.symbol, int32(len(stack)), i + 1})
		stack = append(stack, open{next, i})
		if l.first != 0 {
			next = l.first
			continue
		}
		for {
			top := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			t.nodes[top.node].next = int32(len(t.nodes))
			if len(stack) == 0 {
				return t
			}
			if next = b.nodes[top.link].sibling; next != 0 {
				break
			}
		}
	}
}
