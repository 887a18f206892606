package atn

import (
	"strconv"
	"unicode/utf8"

	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/limit"
)

// A dissector derives tokens from their lexer rules. It uses a network in which
// every occurrence has its own edge, and takes the first alternative that leads
// to exactly the token's end.
type dissector struct {
	dfa   *tokenDFA
	names *derivation.Names
	parts map[Part]int32
	cache *tokenCache
	samplesOnce
}

// A Part identifies a lexer rule in the graph of a token. Type is the token
// type, 0 for trivia; Rule is the rule, and End the rule that ends the token.
// Rule equals End for the last part.
type Part struct{ Type, End, Rule int }

// Limits on deriving tokens. Without backtracking, a rule takes a few steps per
// character.
const (
	maxTokenSteps  = 1_000_000  // steps for one token, in addition to stepsPerByte
	maxInputSteps  = 50_000_000 // steps for all tokens of an input, in addition to stepsPerByte
	stepsPerByte   = 100
	maxTokenNodes  = 1 << 23 // nodes of one token, or twice its bytes if that is more
	maxLoop        = 1 << 10 // bytes consumed between two checks of the limits
	maxTokenStates = 1 << 20 // choices, calls and visited positions of one token
)

func newDissector(spec *Spec) *dissector {
	net := rawLexerNetwork(spec)
	return &dissector{
		dfa:   newTokenDFA(net, finerClasses(net)),
		names: &derivation.Names{Rules: net.rules, Symbols: spec.Symbols},
		parts: spec.Parts,
		cache: &tokenCache{},
	}
}

// part returns the occurrence of a part, or none if its nodes are directly
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

// A dissection derives the tokens of one input, one at a time. The tree of a
// token grows during the search and is truncated on backtracking.
type dissection struct {
	*dissector
	input     []byte
	tree      derivation.Builder
	out       derivation.Tree
	stepsLeft int // for all remaining tokens

	steps    int   // for the current token
	maxSteps int   // for the current token
	maxNodes int   // of the current token
	end      int32 // of the current piece
	depth    int   // of the nodes directly below the piece
	table    *transitionTable
	choices  []choice
	calls    []call
	memoize  bool // remember visited positions, because there is much backtracking
	byCall   map[call]int32
	visited  map[position]struct{}
}

func (d *dissector) dissect(input []byte) *dissection {
	return &dissection{dissector: d, input: input, stepsLeft: maxInputSteps + stepsPerByte*len(input)}
}

// A position is a state and its call stack at an offset of the text.
type position struct{ state, at, call int32 }

// A choice is a position to backtrack to, with the sizes of the tree and of the
// call stack there.
type choice struct {
	position
	nodes, calls int32
	arcs         []int32 // arcs not yet tried
}

// A call is an active rule call, linked to its caller.
type call struct {
	up, follow int32
	node       int32 // unused with memoize, which shares calls
	depth      int32
}

// derive returns the tree of a token. Its root stands for the token.
func (c *dissection) derive(token *derivation.Token, pieces []derivation.Piece) (*derivation.Tree, error) {
	kind := token.Type
	if token.Trivia() {
		kind = 0
	}
	key, ok := newTokenKey(c.input, kind, token)
	ok = ok && len(pieces) == 0
	if ok {
		if tree := c.cache.get(key); tree != nil {
			return tree, nil
		}
	}
	size := int(token.End - token.Start)
	c.steps, c.maxSteps, c.maxNodes = 0, min(maxTokenSteps+stepsPerByte*size, c.stepsLeft), max(maxTokenNodes, 2*size)
	c.tree.Reset(reserve(size), c.maxNodes+maxOvershoot)
	c.table = c.dfa.table.Load()
	over := c.token(token, int(kind), pieces)
	c.stepsLeft -= c.steps
	if over != nil {
		return nil, over
	}
	c.tree.TokenTree(c.input, token.Start, token.End, c.names, &c.out)
	if ok {
		c.cache.put(key, &c.out)
	}
	return &c.out, nil
}

// maxOvershoot is the number of nodes by which maxNodes can be exceeded before
// that is noticed.
const maxOvershoot = (maxLoop + 1) * maxTransitionSteps

// reserve returns the number of nodes to reserve memory for: in a long token,
// most characters have one or two.
func reserve(bytes int) int {
	if bytes < 1<<20 {
		return 0
	}
	return 2*bytes + maxOvershoot
}

// token derives a token of one or more pieces.
func (c *dissection) token(token *derivation.Token, kind int, pieces []derivation.Piece) *limit.Error {
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

// piece derives the text from start to end from a lexer rule. The lexer matched the
// text, so a derivation exists.
func (c *dissection) piece(rule int, start, end int32, depth int) *limit.Error {
	c.end, c.depth = end, depth
	from := position{c.dfa.starts[rule], start, -1}
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

// A search without memoize may take maxBacktrackSteps, and backtrackStepsPerByte more
// for each byte. Then it starts over with memoize.
const (
	maxBacktrackSteps     = 256
	backtrackStepsPerByte = 16
)

// search tries the arcs in order, backtracks at dead ends, and reports whether
// it reached the end. Without memoize it gives up after too many steps.
func (c *dissection) search(p position, memoize bool) (found bool, over *limit.Error) {
	c.choices, c.calls, c.memoize = c.choices[:0], c.calls[:0], memoize
	c.byCall, c.visited = nil, nil
	if memoize {
		c.byCall, c.visited = map[call]int32{}, map[position]struct{}{}
	}
	maxSteps := c.steps + maxBacktrackSteps + backtrackStepsPerByte*int(c.end-p.at)
	found, over = c.run(p)
	for !found && over == nil && len(c.choices) > 0 && (memoize || c.steps <= maxSteps) {
		top := &c.choices[len(c.choices)-1]
		p, arc := top.position, top.arcs[0]
		c.tree.Truncate(int(top.nodes))
		if !memoize {
			c.calls = c.calls[:top.calls]
		}
		if top.arcs = top.arcs[1:]; len(top.arcs) == 0 {
			c.choices = c.choices[:len(c.choices)-1]
		}
		if p, ok := c.follow(p, arc); ok {
			found, over = c.run(p)
		}
	}
	return found, over
}

// run advances from a position until it reaches the end or a dead end, and
// reports whether it reached the end.
func (c *dissection) run(p position) (found bool, over *limit.Error) {
	class, width := c.char(p.at)
	depth := c.depthBelow(p.call)
	row := c.dfa.row(c.table, p.state)
	for {
		if c.steps++; c.steps > c.maxSteps || c.tree.Len() > c.maxNodes {
			return false, c.exceeded()
		}
		if row.stop {
			if p.call < 0 {
				return p.at == c.end, nil
			}
			row = c.dfa.row(c.table, c.calls[p.call].follow)
			p.call = c.leave(p.call)
			depth--
			continue
		}
		tr := row.transitions[class].Load()
		if tr == nil {
			row, tr = c.addTransition(row, class)
		}
		if tr.kind == deterministic && !c.memoize {
			for _, to := range tr.calls {
				p.call = c.enter(call{p.call, to.follow, int32(c.tree.Len()) + to.node, int32(depth + 1)})
				depth++
			}
			c.tree.Put(tr.pattern, depth-len(tr.calls), p.at)
			row = tr.next
			if tr.takes {
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
		next, ok := c.choose(position{row.state, p.at, p.call}, tr)
		if !ok {
			return false, nil
		}
		p = next
		if len(c.choices)+len(c.calls)+len(c.visited) > maxTokenStates {
			return false, &limit.Error{What: "search states inside a token", Value: strconv.Itoa(maxTokenStates)}
		}
		class, width = c.char(p.at)
		depth = c.depthBelow(p.call)
		row = c.dfa.row(c.table, p.state)
	}
}

// exceeded returns the error of the limit that the search reached.
func (c *dissection) exceeded() *limit.Error {
	switch {
	case c.steps <= c.maxSteps:
		return &limit.Error{What: "nodes inside a token", Value: strconv.Itoa(c.maxNodes)}
	case c.maxSteps == c.stepsLeft:
		return &limit.Error{What: "steps to derive tokens", Value: strconv.Itoa(maxInputSteps + stepsPerByte*len(c.input))}
	default:
		return &limit.Error{What: "steps to derive a token", Value: strconv.Itoa(c.maxSteps)}
	}
}

// addTransition computes a missing transition. The row changes if the table was
// renewed.
func (c *dissection) addTransition(row *tokenRow, class int) (*tokenRow, *transition) {
	c.table = c.dfa.renew(c.table)
	row = c.dfa.row(c.table, row.state)
	return row, c.dfa.transition(c.table, row, class)
}

// choose takes the first viable arc and saves the others as a choice.
func (c *dissection) choose(p position, tr *transition) (position, bool) {
	if tr.kind == deadEnd || c.memoize && len(c.dfa.states[p.state].arcs) > 1 && !c.firstVisit(p) {
		return p, false
	}
	if len(tr.arcs) > 1 {
		c.choices = append(c.choices, choice{p, int32(c.tree.Len()), int32(len(c.calls)), tr.arcs[1:]})
	}
	return c.follow(p, tr.arcs[0])
}

// follow takes an arc and reports whether the arc matches.
func (c *dissection) follow(p position, arc int32) (position, bool) {
	a := &c.dfa.states[p.state].arcs[arc]
	depth := c.depthBelow(p.call)
	p.state = a.target
	switch {
	case a.takes != nil:
		class, width := c.char(p.at)
		if !a.takes.has(int32(class)) || class == c.dfa.classes.count && int(c.end) < len(c.input) {
			return p, false
		}
		if !a.edge.continues { // a literal has a single leaf
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

// char returns the class and width of the character at an offset.
func (c *dissection) char(at int32) (class int, width int32) {
	if at >= c.end {
		return c.dfa.classes.count, 0
	}
	if b := c.input[at]; b < utf8.RuneSelf {
		return int(c.dfa.classes.ascii[b]), 1
	}
	of, w := c.dfa.classes.decode(c.input[at:c.end])
	return int(of), int32(w)
}

// firstVisit reports whether the search reaches a position for the first time.
// Searching from a position again would fail again.
func (c *dissection) firstVisit(p position) bool {
	if _, ok := c.visited[p]; ok {
		return false
	}
	c.visited[p] = struct{}{}
	return true
}

// depthBelow returns the depth of the nodes directly below a call.
func (c *dissection) depthBelow(call int32) int {
	if call < 0 {
		return c.depth
	}
	return int(c.calls[call].depth)
}

// enter pushes a call. With memoize, calls with the same caller and return
// state are shared, whatever their nodes; piece closes those nodes in the end.
func (c *dissection) enter(to call) int32 {
	if c.memoize {
		key := call{up: to.up, follow: to.follow}
		if i, ok := c.byCall[key]; ok {
			return i
		}
		c.byCall[key] = int32(len(c.calls))
	}
	c.calls = append(c.calls, to)
	return int32(len(c.calls) - 1)
}

// leave pops a call and returns its caller.
func (c *dissection) leave(top int32) int32 {
	up := c.calls[top].up
	if !c.memoize {
		c.tree.Close(c.calls[top].node)
		if len(c.choices) == 0 { // no choice needs it
			c.calls = c.calls[:top]
		}
	}
	return up
}

// occurrence returns the occurrence of the character at an offset.
func (c *dissection) occurrence(a *tokenArc, at int32) int32 {
	if a.edge.members == nil {
		return a.edge.occurrence
	}
	char := rune(eof)
	if at < c.end {
		char, _ = utf8.DecodeRune(c.input[at:c.end])
	}
	return a.edge.occurrenceOf(char)
}
