package atn

import (
	"strconv"
	"unicode/utf8"

	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/limit"
)

// A dissector derives the text of tokens from their lexer rules. It walks a
// network in which every occurrence still has an edge of its own, and takes the
// first alternative that leads to exactly the token's end.
type dissector struct {
	knife *knife
	names *derivation.Names
	parts map[Part]int32
	short *shortTokens
}

// A Part names a place in the graph of a token: that of a lexer rule in what
// makes a type of token, 0 meaning trivia. Rule is the one that stands there,
// End the one that ends the token; they are the same for the end itself.
type Part struct{ Type, End, Rule int }

// Bounds of taking tokens apart. A rule that does not go back takes a few steps
// for each character.
const (
	maxInside      = 1_000_000  // steps for one token, beside those for each byte
	maxInsides     = 50_000_000 // steps for all tokens that are asked for, beside those for each byte
	stepsPerByte   = 100
	maxInsideNodes = 1 << 23 // of one token, unless twice its bytes are more
	maxLoop        = 1 << 10 // bytes taken between two looks at the bounds
	maxInsideWays  = 1 << 20 // places to go back to, rules entered, or places remembered, in one token
)

func newDissector(spec *Spec) *dissector {
	net := rawLexerNetwork(spec)
	return &dissector{
		knife: newKnife(net, finerClasses(net)),
		names: &derivation.Names{Rules: net.rules, Symbols: spec.Symbols},
		parts: spec.Parts,
		short: &shortTokens{},
	}
}

// part returns the occurrence of a part, none if what is in it stands right
// below the token.
func (d *dissector) part(kind, end, rule int) int32 {
	if len(d.parts) == 0 {
		return none
	}
	if o, ok := d.parts[Part{kind, end, rule}]; ok {
		return o
	}
	return none
}

// dissecting is the tokens of an input being taken apart, one after the other.
// The tree of a token grows as the search goes on, and is cut back where the
// search goes back.
type dissecting struct {
	*dissector
	input []byte
	tree  derivation.Builder
	out   derivation.Tree
	left  int // steps that may be taken for all tokens to come

	steps   int   // taken for the token
	most    int   // that may be taken for it
	nodes   int   // that it may have
	end     int32 // of the piece
	depth   int   // of what stands right below the piece
	cuts    *cutTable
	open    []choice
	calls   []call
	careful bool // places are remembered: there is much going back
	byCall  map[call]int32
	been    map[cutPlace]struct{}
}

func (d *dissector) dissect(input []byte) *dissecting {
	return &dissecting{dissector: d, input: input, left: maxInsides + stepsPerByte*len(input)}
}

// A cutPlace is a place in the network and in the text.
type cutPlace struct{ state, at, call int32 }

// A choice is a place to go back to, and how much there was of the tree and of
// calls.
type choice struct {
	cutPlace
	nodes, calls int32
	arcs         []int32 // those yet to be tried
}

// A call is a rule that is being matched, on top of others.
type call struct {
	up, follow int32
	node       int32 // where each call is another
	depth      int32
}

// inside derives a token. The tree's root stands for the token.
func (c *dissecting) inside(token *derivation.Token, pieces []derivation.Piece) (*derivation.Tree, error) {
	kind := token.Type
	if token.Trivia() {
		kind = 0
	}
	short, ok := newShortToken(c.input, kind, token)
	ok = ok && len(pieces) == 0
	if ok {
		if tree := c.short.get(short); tree != nil {
			return tree, nil
		}
	}
	size := int(token.End - token.Start)
	c.steps, c.most, c.nodes = 0, min(maxInside+stepsPerByte*size, c.left), max(maxInsideNodes, 2*size)
	c.tree.Reset(room(size), c.nodes+maxPassed)
	c.cuts = c.knife.cuts.Load()
	over := c.token(token, int(kind), pieces)
	c.left -= c.steps
	if over != nil {
		return nil, over
	}
	c.tree.Chars(c.input, token.Start, token.End, c.names, &c.out)
	if ok {
		c.short.put(short, &c.out)
	}
	return &c.out, nil
}

// maxPassed is how far the bound of nodes can be passed before that is noticed.
const maxPassed = (maxLoop + 1) * maxCutWay

// room returns how many nodes to make room for at once: in a long token most
// characters have one or two.
func room(bytes int) int {
	if bytes < 1<<20 {
		return 0
	}
	return 2*bytes + maxPassed
}

// token derives a token of one or more pieces.
func (c *dissecting) token(token *derivation.Token, kind int, pieces []derivation.Piece) *limit.Error {
	root := c.tree.Open(0, token.Rule, derivation.None)
	end := int(token.Rule)
	start := token.Start
	for _, p := range pieces {
		part := c.tree.Open(1, p.Rule, derivation.Occurrence(c.part(kind, end, int(p.Rule))))
		if over := c.piece(int(p.Rule), start, p.End, 2); over != nil {
			return over
		}
		c.tree.Close(part)
		start = p.End
	}
	depth, part := 1, root
	if o := c.part(kind, end, end); o != none {
		depth, part = 2, c.tree.Open(1, token.Rule, derivation.Occurrence(o))
	}
	if over := c.piece(end, start, token.End, depth); over != nil {
		return over
	}
	c.tree.Close(part)
	c.tree.Close(root)
	return nil
}

// piece finds the way through a lexer rule from start to exactly end. The lexer
// matched the text, so there is one.
func (c *dissecting) piece(rule int, start, end int32, depth int) *limit.Error {
	c.end, c.depth = end, depth
	from := cutPlace{c.knife.starts[rule], start, -1}
	nodes := c.tree.Len()
	found, over := c.search(from, false)
	if found || over != nil {
		return over
	}
	c.tree.Truncate(nodes)
	if _, over = c.search(from, true); over != nil {
		return over
	}
	c.tree.CloseFrom(nodes)
	return nil
}

// What a search may take, in all and for each byte, before it takes care not to
// go twice from the same place.
const (
	maxCareless   = 256
	stepsCareless = 16
)

// search tries the arcs in order, going back to the last choice where there is
// no way on, and reports whether it came to the end. Unless it is careful it
// gives up when it goes back too often.
func (c *dissecting) search(p cutPlace, careful bool) (found bool, over *limit.Error) {
	c.open, c.calls, c.careful = c.open[:0], c.calls[:0], careful
	c.byCall, c.been = nil, nil
	if careful {
		c.byCall, c.been = map[call]int32{}, map[cutPlace]struct{}{}
	}
	most := c.steps + maxCareless + stepsCareless*int(c.end-p.at)
	found, over = c.run(p)
	for !found && over == nil && len(c.open) > 0 && (careful || c.steps <= most) {
		top := &c.open[len(c.open)-1]
		p, arc := top.cutPlace, top.arcs[0]
		c.tree.Truncate(int(top.nodes))
		if !careful {
			c.calls = c.calls[:top.calls]
		}
		if top.arcs = top.arcs[1:]; len(top.arcs) == 0 {
			c.open = c.open[:len(c.open)-1]
		}
		if p, ok := c.follow(p, arc); ok {
			found, over = c.run(p)
		}
	}
	return found, over
}

// run goes on from a place as long as it can, and reports whether it came to the
// end.
func (c *dissecting) run(p cutPlace) (found bool, over *limit.Error) {
	class, width := c.char(p.at)
	depth := c.below(p.call)
	row := c.knife.row(c.cuts, p.state)
	for {
		if c.steps++; c.steps > c.most || c.tree.Len() > c.nodes {
			return false, c.exceeded()
		}
		if row.stop {
			if p.call < 0 {
				return p.at == c.end, nil
			}
			row = c.knife.row(c.cuts, c.calls[p.call].follow)
			p.call = c.leave(p.call)
			depth--
			continue
		}
		way := row.cuts[class].Load()
		if way == nil {
			row, way = c.extend(row, class)
		}
		if way.kind == oneWay && !c.careful {
			for _, to := range way.calls {
				p.call = c.enter(call{p.call, to.follow, int32(c.tree.Len()) + to.node, int32(depth + 1)})
				depth++
			}
			c.tree.Put(way.pattern, depth-len(way.calls), p.at)
			row = way.to
			if way.takes {
				p.at += width
				if loop := row.loop.Load(); loop != nil {
					text := c.input[p.at:min(c.end, p.at+maxLoop)]
					n := c.tree.PutLoop(loop, depth, p.at, text)
					p.at += n
					c.steps += int(n)
				}
				class, width = c.char(p.at)
			}
			continue
		}
		next, ok := c.choose(cutPlace{row.state, p.at, p.call}, way)
		if !ok {
			return false, nil
		}
		p = next
		if len(c.open)+len(c.calls)+len(c.been) > maxInsideWays {
			return false, &limit.Error{What: "ways to take a token apart", Value: strconv.Itoa(maxInsideWays)}
		}
		class, width = c.char(p.at)
		depth = c.below(p.call)
		row = c.knife.row(c.cuts, p.state)
	}
}

// exceeded returns the error of the limit that the search reached.
func (c *dissecting) exceeded() *limit.Error {
	switch {
	case c.steps <= c.most:
		return &limit.Error{What: "nodes inside a token", Value: strconv.Itoa(c.nodes)}
	case c.most == c.left:
		return &limit.Error{What: "steps to take tokens apart", Value: strconv.Itoa(maxInsides + stepsPerByte*len(c.input))}
	default:
		return &limit.Error{What: "steps to take a token apart", Value: strconv.Itoa(c.most)}
	}
}

// extend makes a cut that is not there yet.
func (c *dissecting) extend(row *cutRow, class int) (*cutRow, *cut) {
	c.cuts = c.knife.bounded(c.cuts)
	row = c.knife.row(c.cuts, row.state)
	return row, c.knife.cut(c.cuts, row, class)
}

// choose follows the first arc that can lead on, and keeps the others for later.
func (c *dissecting) choose(p cutPlace, way *cut) (cutPlace, bool) {
	if way.kind == deadEnd || c.careful && len(c.knife.states[p.state].arcs) > 1 && !c.first(p) {
		return p, false
	}
	if len(way.arcs) > 1 {
		c.open = append(c.open, choice{p, int32(c.tree.Len()), int32(len(c.calls)), way.arcs[1:]})
	}
	return c.follow(p, way.arcs[0])
}

// follow takes an arc, and reports whether it can.
func (c *dissecting) follow(p cutPlace, arc int32) (cutPlace, bool) {
	a := &c.knife.states[p.state].arcs[arc]
	depth := c.below(p.call)
	p.state = a.target
	switch {
	case a.takes != nil:
		class, width := c.char(p.at)
		if !a.takes.has(int32(class)) || class == c.knife.classes.count && int(c.end) < len(c.input) {
			return p, false
		}
		if !a.edge.continues { // the rest of a literal is in its leaf
			c.tree.Leaf(depth, p.at, derivation.Occurrence(c.occurrence(a, p.at)))
		}
		p.at += width
	case a.edge.kind == ruleCall:
		node := c.tree.Open(depth, int32(a.edge.rule), derivation.Occurrence(a.edge.occurrence))
		p.call = c.enter(call{p.call, a.follow, node, int32(depth + 1)})
	case a.edge.occurrence != none:
		c.tree.Empty(depth, derivation.Occurrence(a.edge.occurrence))
	}
	return p, true
}

// char returns the class and width of the next character.
func (c *dissecting) char(at int32) (class int, width int32) {
	if at >= c.end {
		return c.knife.classes.count, 0
	}
	if b := c.input[at]; b < utf8.RuneSelf {
		return int(c.knife.classes.ascii[b]), 1
	}
	of, w := c.knife.classes.decode(c.input[at:c.end])
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

// enter puts a call on top of others. Where places are remembered, calls from
// equal places to go on to are one, whatever nodes they have in this attempt or
// others: these are closed in the end.
func (c *dissecting) enter(to call) int32 {
	if c.careful {
		key := call{up: to.up, follow: to.follow}
		if i, ok := c.byCall[key]; ok {
			return i
		}
		c.byCall[key] = int32(len(c.calls))
	}
	c.calls = append(c.calls, to)
	return int32(len(c.calls) - 1)
}

// leave takes a call off and returns the one below.
func (c *dissecting) leave(top int32) int32 {
	up := c.calls[top].up
	if !c.careful {
		c.tree.Close(c.calls[top].node)
		if len(c.open) == 0 { // nothing goes back to it
			c.calls = c.calls[:top]
		}
	}
	return up
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
