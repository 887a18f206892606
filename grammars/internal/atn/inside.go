package atn

import (
	"slices"
	"sync"
	"unicode"
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

	mu    sync.Mutex
	known map[dissection]*derivation.Tree
	size  int // nodes in known
}

// A Part names a place in the graph of a token: that of a lexer rule in what
// makes a type of token, 0 meaning trivia. Rule is the one that stands there,
// End the one that ends the token; they are the same for the end itself.
type Part struct{ Type, End, Rule int }

// A dissection is what a short token is remembered by.
type dissection struct {
	token int32 // its type, 0 for trivia
	rule  int32
	text  string
}

const (
	maxDissected  = 12        // bytes of texts that are remembered
	maxDissection = 1 << 20   // nodes that are remembered
	maxInside     = 5_000_000 // steps to dissect one token
)

func newDissector(spec *Spec) *dissector {
	net := rawLexerNetwork(spec)
	d := &dissector{
		knife:   newKnife(net),
		classes: classesOf(net),
		names:   &derivation.Names{Rules: net.rules, Symbols: spec.Symbols},
		parts:   spec.Parts,
		known:   map[dissection]*derivation.Tree{},
	}
	return d
}

// inside derives a token from its lexer rule. The tree's root stands for the
// token; the error is a [*LimitError].
func (d *dissector) inside(input []byte, token derivation.Token, pieces []derivation.Piece) (tree *derivation.Tree, err error) {
	key := dissection{token.Type, token.Rule, ""}
	if token.Trivia() {
		key.token = 0
	}
	short := len(pieces) == 0 && token.End-token.Start <= maxDissected && int(token.End) < len(input)
	if short {
		key.text = string(input[token.Start:token.End])
		if tree := d.recall(key); tree != nil {
			return tree, nil
		}
		// What is kept must not keep the whole input.
		token.Start, token.End = 0, token.End-token.Start
		input = append([]byte(key.text), 0)
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
			tree, err = nil, e
		default:
			panic(e)
		}
	}()
	c.input = input
	tree = c.token(token, int(key.token), pieces)
	if short {
		d.remember(key, tree)
	}
	return tree, nil
}

func (d *dissector) recall(key dissection) *derivation.Tree {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.known[key]
}

func (d *dissector) remember(key dissection, tree *derivation.Tree) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.size += tree.Len(); d.size > maxDissection {
		clear(d.known)
		d.size = tree.Len()
	}
	d.known[key] = tree
}

// part returns the occurrence of a part, none if what is in it stands right
// below the token.
func (d *dissector) part(kind, end, rule int) int32 {
	if o, ok := d.parts[Part{kind, end, rule}]; ok {
		return o
	}
	return none
}

// dissecting is one token being taken apart.
type dissecting struct {
	d     *dissector
	input []byte
	tree  derivation.Builder
	spans []derivation.Token // what the leaves match
	way   []int32
	rules []int32

	steps   int
	end     int32 // of the piece
	trail   []taken
	open    []choice
	calls   []call
	careful bool // places are remembered: there is much going back
	byCall  map[call]int32
	been    map[cutPlace]struct{}
}

func (c *dissecting) reset() {
	c.input, c.steps, c.spans = nil, 0, c.spans[:0]
	c.tree.Reset()
}

// taken is an arc on the way so far; nil for the end of a rule.
type taken struct {
	arc    *cutArc
	before int32
	at     int32
}

// A choice is a place to go back to.
type choice struct {
	cutPlace
	trail int32
	arcs  []uint16 // those yet to be tried
}

type cutPlace struct{ state, at, call int32 }

// A call is a rule that is being matched, on top of others.
type call struct{ up, follow int32 }

// token derives a token of one or more pieces.
func (c *dissecting) token(token derivation.Token, kind int, pieces []derivation.Piece) *derivation.Tree {
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
	return c.tree.Tree(c.input[:token.End:token.End], slices.Clone(c.spans), c.d.names)
}

// piece finds the way through a lexer rule from start to exactly end, and adds
// what is on it. The lexer matched the text, so there is a way.
func (c *dissecting) piece(rule int, start, end int32, depth int) {
	c.end, c.careful = end, false
	last, ok := c.search(cutPlace{c.d.knife.starts[rule], start, -1})
	if !ok {
		c.careful = true
		last, _ = c.search(cutPlace{c.d.knife.starts[rule], start, -1})
	}
	c.way = c.way[:0]
	for i := last; i > 0; i = c.trail[i].before {
		c.way = append(c.way, i)
	}
	c.add(depth)
}

// maxCareless is how often the search goes back before it takes care not to
// search twice from the same place.
const maxCareless = 32

// search tries the arcs in order, going back to the last choice where there is
// no way on. It returns where on the trail it ended, and whether it got there
// without much going back.
func (c *dissecting) search(p cutPlace) (last int32, ok bool) {
	c.trail, c.open, c.calls = append(c.trail[:0], taken{before: -1}), c.open[:0], c.calls[:0]
	c.byCall, c.been = map[call]int32(nil), nil
	if c.careful {
		c.byCall, c.been = map[call]int32{}, map[cutPlace]struct{}{}
	}
	trail := int32(0)
	for backs := 0; ; backs++ {
		if !c.careful && backs > maxCareless {
			return 0, false
		}
		var found bool
		if trail, found = c.run(p, trail); found {
			return trail, true
		}
		for {
			if len(c.open) == 0 {
				return 0, c.careful
			}
			top := &c.open[len(c.open)-1]
			var arc uint16
			p, trail, arc = top.cutPlace, top.trail, top.arcs[0]
			if top.arcs = top.arcs[1:]; len(top.arcs) == 0 {
				c.open = c.open[:len(c.open)-1]
			}
			if trail, found = c.cross(&p, &c.d.knife.states[p.state].arcs[arc], trail); found {
				break
			}
		}
	}
}

// run goes on from a place as long as it can, and reports whether it came to
// the end.
func (c *dissecting) run(p cutPlace, trail int32) (int32, bool) {
	k := c.d.knife
	for {
		if c.steps++; c.steps > maxInside {
			panic(&LimitError{What: "steps to take a token apart", Bound: maxInside})
		}
		s := &k.states[p.state]
		if s.stop {
			if p.call < 0 {
				return trail, p.at == c.end
			}
			trail = c.take(trail, p.at, nil)
			up := c.calls[p.call]
			p.state, p.call = up.follow, up.up
			continue
		}
		arc := uint16(0)
		if len(s.arcs) > 1 {
			viable := k.viable(p.state, c.class(p.at), c.d.classes)
			if len(viable) == 0 || c.careful && !c.first(p) {
				return trail, false
			}
			if arc = viable[0]; len(viable) > 1 {
				c.open = append(c.open, choice{p, trail, viable[1:]})
			}
		}
		var ok bool
		if trail, ok = c.cross(&p, &s.arcs[arc], trail); !ok {
			return trail, false
		}
	}
}

// class returns the class of the next character.
func (c *dissecting) class(at int32) int {
	if at >= c.end {
		return c.d.classes.count
	}
	if b := c.input[at]; b < utf8.RuneSelf {
		return int(c.d.classes.ascii[b])
	}
	class, _ := c.d.classes.decode(c.input[at:c.end])
	return int(class)
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

func (c *dissecting) take(before, at int32, a *cutArc) int32 {
	c.trail = append(c.trail, taken{a, before, at})
	return int32(len(c.trail) - 1)
}

// cross moves p over an arc, if it can.
func (c *dissecting) cross(p *cutPlace, a *cutArc, trail int32) (int32, bool) {
	switch {
	case a.consumes:
		char, width := rune(eof), int32(0)
		if p.at < c.end {
			char, width = rune(c.input[p.at]), 1
			if char >= utf8.RuneSelf {
				r, w := utf8.DecodeRune(c.input[p.at:c.end])
				char, width = r, int32(w)
			}
		} else if int(p.at) < len(c.input) {
			return trail, false
		}
		if !a.edge.matches(char, unicode.MaxRune) {
			return trail, false
		}
		trail = c.take(trail, p.at, a)
		p.at += width
	case a.edge.kind == ruleCall:
		trail = c.take(trail, p.at, a)
		p.call = c.push(call{p.call, a.follow})
	case a.edge.occurrence != none:
		trail = c.take(trail, p.at, a)
	}
	p.state = a.target
	return trail, true
}

func (c *dissecting) push(to call) int32 {
	if i, ok := c.byCall[to]; ok {
		return i
	}
	i := int32(len(c.calls))
	c.calls = append(c.calls, to)
	if c.careful {
		c.byCall[to] = i
	}
	return i
}

// add puts what is on the way, which is given from its end, into the tree.
func (c *dissecting) add(depth int) {
	rules := c.rules[:0]
	for i := len(c.way) - 1; i >= 0; i-- {
		t := c.trail[c.way[i]]
		at := depth + len(rules)
		if t.arc == nil {
			c.tree.Close(rules[len(rules)-1])
			rules = rules[:len(rules)-1]
			continue
		}
		switch e := t.arc.edge; {
		case e.kind == ruleCall:
			rules = append(rules, c.tree.Open(at, int32(e.rule), derivation.Occurrence(e.occurrence)))
		case !t.arc.consumes:
			c.tree.Empty(at, derivation.Occurrence(e.occurrence))
		default:
			c.leaf(t, i, at)
		}
	}
	c.rules = rules
}

// leaf adds a character, which the i-th thing from the end of the way takes.
func (c *dissecting) leaf(t taken, i, depth int) {
	to := c.end
	if i > 0 {
		to = c.trail[c.way[i-1]].at
	}
	if t.arc.edge.continues {
		c.spans[len(c.spans)-1].End = to
		return
	}
	char := rune(eof)
	if t.at < c.end {
		char, _ = utf8.DecodeRune(c.input[t.at:c.end])
	}
	c.tree.Leaf(depth, int32(len(c.spans)), derivation.Occurrence(t.arc.edge.occurrenceOf(char)))
	c.spans = append(c.spans, derivation.Token{Rule: -1, Start: t.at, End: to})
}
