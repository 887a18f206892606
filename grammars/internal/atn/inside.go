package atn

import (
	"slices"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/inroad/inroad/grammars/derivation"
)

// A dissector derives the text of tokens from their lexer rules. It walks a
// network in which every occurrence still has an edge of its own, takes the
// first alternative that leads to exactly the token's end, and remembers what
// it found for short texts.
type dissector struct {
	knife   *knife
	classes *classes
	names   *derivation.Names
	parts   map[Part]int32
	tools   sync.Pool // of *dissecting

	known [maxDissections]atomic.Pointer[dissection] // by hash
}

// A Part names a place in the graph of a token: that of a lexer rule in what
// makes a type of token, 0 meaning trivia. Rule is the one that stands there,
// End the one that ends the token; they are the same for the end itself.
type Part struct{ Type, End, Rule int }

// A dissection is a short token that was taken apart before.
type dissection struct {
	kind int32 // its type, 0 for trivia
	rule int32
	text string
	tree *derivation.Tree
}

const (
	maxDissected   = 12        // bytes of texts that are remembered
	maxDissections = 1 << 12   // texts that are remembered
	maxInside      = 1_000_000 // steps to dissect one token, beside some for each byte
)

// stepsPerByte is what a token of any length may take: a rule that does not go
// back takes a few for each character.
const stepsPerByte = 100

func newDissector(spec *Spec) *dissector {
	net := rawLexerNetwork(spec)
	classes := classesOf(net)
	d := &dissector{
		knife:   newKnife(net, classes),
		classes: classes,
		names:   &derivation.Names{Rules: net.rules, Symbols: spec.Symbols},
		parts:   spec.Parts,
	}
	return d
}

// inside derives a token from its lexer rule. The tree's root stands for the
// token.
func (d *dissector) inside(input []byte, token derivation.Token, pieces []derivation.Piece, buf *derivation.Tree) (tree *derivation.Tree, limit *LimitError) {
	kind := token.Type
	if token.Trivia() {
		kind = 0
	}
	var place *atomic.Pointer[dissection]
	if len(pieces) == 0 && token.End-token.Start <= maxDissected && int(token.End) < len(input) {
		text := input[token.Start:token.End]
		place = &d.known[hash(kind, token.Rule, text)%maxDissections]
		switch k := place.Load(); {
		case k == nil:
			// What is kept must not keep the whole input. The byte more tells
			// that the token is not at its end.
			token.Start, token.End = 0, token.End-token.Start
			input, buf = append(slices.Clip(slices.Clone(text)), 0), nil
		case k.kind == kind && k.rule == token.Rule && k.text == string(text):
			return k.tree, nil
		default: // who came first stays: most texts do not come again
			place = nil
		}
	}
	c, ok := d.tools.Get().(*dissecting)
	if !ok {
		c = &dissecting{d: d}
	}
	defer func() {
		c.reset()
		d.tools.Put(c)
		switch e := recover().(type) {
		case nil:
		case *LimitError:
			tree, limit = nil, e
		default:
			panic(e)
		}
	}()
	c.input, c.most = input, maxInside+stepsPerByte*int(token.End-token.Start)
	c.token(token, int(kind), pieces)
	tree = c.tree.Chars(input[:token.End:token.End], token.Start, token.End, d.names, buf)
	if place != nil {
		place.Store(&dissection{kind, token.Rule, tree.String(), tree})
	}
	return tree, nil
}

// hash is FNV-1a.
func hash(kind, rule int32, text []byte) uint32 {
	h := (uint32(2166136261) ^ uint32(kind)) * 16777619
	h = (h ^ uint32(rule)) * 16777619
	for _, b := range text {
		h = (h ^ uint32(b)) * 16777619
	}
	return h
}

// part returns the occurrence of a part, none if what is in it stands right
// below the token.
func (d *dissector) part(kind, end, rule int) int32 {
	if o, ok := d.parts[Part{kind, end, rule}]; ok {
		return o
	}
	return none
}

// dissecting is one token being taken apart. Its tree grows as the search goes
// on, and is cut back where the search goes back.
type dissecting struct {
	d     *dissector
	input []byte
	tree  derivation.Builder

	steps   int
	most    int   // steps that may be taken
	end     int32 // of the piece
	depth   int   // of what stands right below the piece
	open    []choice
	calls   []call
	careful bool // places are remembered: there is much going back
	byCall  map[call]int32
	been    map[cutPlace]struct{}
}

func (c *dissecting) reset() {
	c.input, c.steps = nil, 0
	c.tree.Reset(0)
}

// A cutPlace is a place in the network and in the text.
type cutPlace struct{ state, at, call int32 }

// A choice is a place to go back to, and how large the tree was there.
type choice struct {
	cutPlace
	nodes int32
	arcs  []int32 // those yet to be tried
}

// A call is a rule that is being matched, on top of others.
type call struct {
	up, follow int32
	node       int32 // where each call is another
	depth      int32
}

// token derives a token of one or more pieces.
func (c *dissecting) token(token derivation.Token, kind int, pieces []derivation.Piece) {
	root := c.tree.Open(0, token.Rule, derivation.None)
	end := int(token.Rule)
	start := token.Start
	for _, p := range pieces {
		part := c.tree.Open(1, p.Rule, derivation.Occurrence(c.d.part(kind, end, int(p.Rule))))
		c.piece(int(p.Rule), start, p.End, 2)
		c.tree.Close(part)
		start = p.End
	}
	if o := c.d.part(kind, end, end); o != none {
		part := c.tree.Open(1, token.Rule, derivation.Occurrence(o))
		c.piece(end, start, token.End, 2)
		c.tree.Close(part)
	} else {
		c.piece(end, start, token.End, 1)
	}
	c.tree.Close(root)
}

// piece finds the way through a lexer rule from start to exactly end. The lexer
// matched the text, so there is one.
func (c *dissecting) piece(rule int, start, end int32, depth int) {
	c.end, c.depth, c.careful = end, depth, false
	from := cutPlace{c.d.knife.starts[rule], start, -1}
	if nodes := c.tree.Len(); !c.search(from) {
		c.tree.Truncate(nodes)
		c.careful = true
		c.search(from)
		c.tree.CloseFrom(nodes)
	}
}

// maxCareless is how often the search goes back before it takes care not to
// search twice from the same place.
const maxCareless = 32

// search tries the arcs in order, going back to the last choice where there is
// no way on, and reports whether it came to the end. Unless it is careful it
// gives up when it goes back too often.
func (c *dissecting) search(p cutPlace) bool {
	c.open, c.calls = c.open[:0], c.calls[:0]
	c.byCall, c.been = nil, nil
	if c.careful {
		c.byCall, c.been = map[call]int32{}, map[cutPlace]struct{}{}
	}
	arc := -1
	for backs := 0; !c.run(p, arc); backs++ {
		if len(c.open) == 0 || !c.careful && backs > maxCareless {
			return false
		}
		top := &c.open[len(c.open)-1]
		p, arc = top.cutPlace, int(top.arcs[0])
		c.tree.Truncate(int(top.nodes))
		if top.arcs = top.arcs[1:]; len(top.arcs) == 0 {
			c.open = c.open[:len(c.open)-1]
		}
	}
	return true
}

// run goes on from a place as long as it can, first by the given arc unless
// that is -1, and reports whether it came to the end.
func (c *dissecting) run(p cutPlace, arc int) bool {
	k := c.d.knife
	class, width := c.char(p.at)
	depth := c.below(p.call)
	for {
		if c.steps++; c.steps > c.most {
			panic(&LimitError{What: "steps to take a token apart", Bound: c.most})
		}
		s := &k.states[p.state]
		if s.stop {
			if p.call < 0 {
				return p.at == c.end
			}
			up := &c.calls[p.call]
			if !c.careful {
				c.tree.Close(up.node)
			}
			p.state, p.call = up.follow, up.up
			depth--
			continue
		}
		if arc < 0 {
			if arc = c.choose(p, s, class); arc < 0 {
				return false
			}
		}
		a := &s.arcs[arc]
		arc = -1
		p.state = a.target
		switch {
		case a.takes != nil:
			if !a.takes.has(int32(class)) || class == c.d.classes.count && int(c.end) < len(c.input) {
				return false
			}
			if !a.edge.continues { // the rest of a literal is in its leaf
				c.tree.Leaf(depth, p.at, derivation.Occurrence(c.occurrence(a, p.at)))
			}
			p.at += width
			class, width = c.char(p.at)
		case a.edge.kind == ruleCall:
			p.call = c.push(a, p.call, depth)
			depth++
		case a.edge.occurrence != none:
			c.tree.Empty(depth, derivation.Occurrence(a.edge.occurrence))
		}
	}
}

// choose returns the first arc that can lead on, and keeps the others for
// later; -1 if there is none.
func (c *dissecting) choose(p cutPlace, s *cutState, class int) int {
	if len(s.arcs) == 1 {
		return 0
	}
	viable := c.d.knife.viable(s, class, c.d.classes)
	if len(viable) == 0 || c.careful && !c.first(p) {
		return -1
	}
	if len(viable) > 1 {
		c.open = append(c.open, choice{p, int32(c.tree.Len()), viable[1:]})
	}
	return int(viable[0])
}

// char returns the class and width of the next character.
func (c *dissecting) char(at int32) (class int, width int32) {
	if at >= c.end {
		return c.d.classes.count, 0
	}
	if b := c.input[at]; b < utf8.RuneSelf {
		return int(c.d.classes.ascii[b]), 1
	}
	of, w := c.d.classes.decode(c.input[at:c.end])
	return int(of), int32(w)
}

// first reports whether the search comes to a place for the first time; what
// it did not find from there it will not find later.
func (c *dissecting) first(p cutPlace) bool {
	if _, ok := c.been[p]; ok {
		return false
	}
	c.been[p] = struct{}{}
	return true
}

// below returns the depth of what stands right below a call.
func (c *dissecting) below(call int32) int {
	if call < 0 {
		return c.depth
	}
	return int(c.calls[call].depth)
}

// push enters a rule. Where places are remembered, calls from equal places to
// go on to are one, whatever nodes they have in this attempt or others: these
// are closed in the end.
func (c *dissecting) push(a *cutArc, up int32, depth int) int32 {
	node := c.tree.Open(depth, int32(a.edge.rule), derivation.Occurrence(a.edge.occurrence))
	to := call{up: up, follow: a.follow}
	if c.careful {
		if i, ok := c.byCall[to]; ok {
			return i
		}
		c.byCall[to] = int32(len(c.calls))
	}
	to.node, to.depth = node, int32(depth+1)
	c.calls = append(c.calls, to)
	return int32(len(c.calls) - 1)
}

// occurrence returns what the next character is an instance of.
func (c *dissecting) occurrence(a *cutArc, at int32) int32 {
	if a.edge.members == nil {
		return a.edge.occurrence
	}
	char := rune(eof)
	if at < c.end {
		char, _ = utf8.DecodeRune(c.input[at:c.end])
	}
	return a.edge.occurrenceOf(char)
}
