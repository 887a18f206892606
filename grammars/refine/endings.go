package refine

import (
	"slices"
	"strings"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/limit"
)

// A Stack is the part of the lexer's state that a derivation changes: a byte for each
// mode on top of the mode stack, the current mode last, and finally the class of the
// last token, see [grammars.Lexicon.Follows]. It has no modes if the derivation popped
// those in which it began.
type Stack string

func (s Stack) modes() int   { return len(s) - 1 }
func (s Stack) empty() bool  { return len(s) < 2 }
func (s Stack) current() int { return int(s[len(s)-2]) }
func (s Stack) class() int   { return int(s[len(s)-1]) }

// bottom stands for the end of the mode stack.
const bottom = 0xFF

// begin is the stack at the beginning of the input.
const begin = Stack("\xFF\x00\x00")

// ended reports whether the lexer popped a mode that is not there.
func (s Stack) ended() bool { return s.empty() || s.current() == bottom }

func newStack(modes []int, class int) Stack {
	out := make([]byte, 0, len(modes)+1)
	for _, mode := range modes {
		out = append(out, byte(mode))
	}
	return Stack(append(out, byte(class)))
}

// endings holds, for each node and each lexer state to begin in, the stacks that
// derivations can end with. It is immutable once complete.
//
// A lexer state is the top of the lexer's stack when a derivation begins. For most
// nodes that is the current mode. If a derivation pops the mode and continues, the
// state has as many modes as are needed to know the mode afterwards.
type endings struct {
	grammar  *grammars.Grammar
	lexicon  *grammars.Lexicon
	unchosen unchosen
	reads    map[readKey][]*grammars.Reading // by mode and token type
	moving   [][]*grammars.Reading           // by mode: the trivia that changes the mode
	deep     []*grammars.Reading             // the trivia that pops more than one mode
	tokens   []bool                          // by node: whether it derives a token
	needs    []uint8                         // by node: the number of modes in its lexer states
	states   []Stack                         // by number
	numbers  map[Stack]byte

	of      [][]ending     // by cell; the first cell has no endings
	cells   map[cell]int32 // to index
	table   []int32        // the same by node and state, once the analysis is complete
	asked   []cell         // in order, from the second cell on
	stale   []bool         // by cell: whether its endings must be computed again
	users   [][]int32      // by cell: the cells that were computed from it
	current int32          // the cell that is being computed; 0 if none is
	changed bool
	failed  bool
	crowded bool // whether there are too many lexer states
	deeper  bool // whether needs has grown
	done    bool // whether the analysis is complete; the endings are only read afterwards
}

type readKey struct{ mode, token int }

// An ending is a stack that a derivation can end with, and the least size and depth
// of those derivations.
type ending struct {
	stack       Stack
	size, depth int
}

// A cell is a node together with the lexer state that its derivation begins in.
type cell struct {
	node  grammars.Occurrence
	state byte
}

// Limits of the analysis. Lexer states of a grammar that exceeds them are not refined.
const (
	maxModes  = 64      // of the lexer
	maxStates = 64      // of the lexer; first, classes are merged
	maxNeed   = 4       // modes of a lexer state
	maxPasses = 20      // until the modes of lexer states suffice
	maxStack  = 8       // modes of a stack
	maxStacks = 64      // endings of a cell
	maxAsked  = 200_000 // cells that derivations reach
)

// maxMeasure limits sizes while they are computed.
const maxMeasure = 1 << 30

// findEndings returns the endings of derivations from a start rule. It returns nil if
// the lexer's state does not matter, or if a limit is exceeded.
func findEndings(m *limit.Meter, g *grammars.Grammar, start string, adjacent *adjacency, u unchosen) *endings {
	if len(g.Modes()) > maxModes || !g.Exact() {
		return nil
	}
	lexicon := g.Lexicon()
	if lexicon == nil {
		return nil
	}
	lexicon = lexicon.Among(func(before, after int) bool { return adjacent.next[before].has(after) })
	if !matters(g, lexicon) && !adjacent.early() && len(u) == 0 {
		return nil
	}
	for classes := len(lexicon.Follows); ; classes /= 2 {
		lexicon = lexicon.Coarse(classes)
		e := newEndings(g, lexicon, u)
		if e.find(m, start) {
			return e
		}
		if classes <= 1 || !e.crowded {
			return nil
		}
	}
}

// matters reports whether the lexer's state restricts derivations: if there are several
// modes, if some token cannot follow another, or if some token has no text.
func matters(g *grammars.Grammar, x *grammars.Lexicon) bool {
	if len(g.Modes()) > 1 || len(x.Follows) > 1 {
		return true
	}
	read := map[int]bool{}
	for _, r := range x.Readings {
		read[r.Type] = true
	}
	return slices.ContainsFunc(g.Nodes, func(n *grammars.Node) bool { return n.Token > 0 && n.Size != grammars.Unproductive && !read[n.Token] })
}

func newEndings(g *grammars.Grammar, x *grammars.Lexicon, u unchosen) *endings {
	e := &endings{
		grammar: g, lexicon: x, unchosen: u, reads: map[readKey][]*grammars.Reading{}, moving: make([][]*grammars.Reading, len(g.Modes())),
		tokens: derivesToken(g), needs: slices.Repeat([]uint8{1}, len(g.Nodes)),
	}
	for _, r := range x.Readings {
		key := readKey{r.Mode, r.Type}
		e.reads[key] = append(e.reads[key], r)
	}
	useful := usefulModes(g, x)
	for _, r := range x.Trivia {
		pushes := r.Pops == 0 && len(r.After) > 0 && r.After[0] == r.Mode
		if !pushes || slices.ContainsFunc(changed(r), func(mode int) bool { return useful[mode] }) {
			e.moving[r.Mode] = append(e.moving[r.Mode], r)
		}
		if r.Pops > 0 {
			e.deep = append(e.deep, r)
		}
	}
	if e.deep != nil { // most states need the bottom of the stack, too
		e.needs = slices.Repeat([]uint8{2}, len(g.Nodes))
	}
	return e
}

// usefulModes returns, by mode, whether the parser can see a token before the mode is
// popped.
func usefulModes(g *grammars.Grammar, x *grammars.Lexicon) []bool {
	useful := make([]bool, len(g.Modes()))
	for _, r := range x.Readings {
		useful[r.Mode] = true
	}
	for grown := true; grown; {
		grown = false
		for _, r := range x.Trivia {
			if !useful[r.Mode] && slices.ContainsFunc(changed(r), func(mode int) bool { return useful[mode] }) {
				useful[r.Mode], grown = true, true
			}
		}
	}
	return useful
}

// changed returns the modes that a token puts on the mode stack.
func changed(r *grammars.Reading) []int {
	if r.Pops == 0 && len(r.After) > 0 && r.After[0] == r.Mode {
		return r.After[1:]
	}
	return r.After
}

// find finds the endings. It reports false if a limit is exceeded.
func (e *endings) find(m *limit.Meter, start string) bool {
	root := e.grammar.Nodes[e.grammar.Rule(start).Root]
	for range maxPasses {
		e.shareNeeds()
		e.numbers, e.states, e.cells, e.asked = map[Stack]byte{}, nil, map[cell]int32{}, nil
		e.stale, e.users, e.current = make([]bool, 1), make([][]int32, 1), 0
		e.of, e.changed, e.deeper = make([][]ending, 1), true, false
		e.ask(root, begin)
		for e.changed && !e.failed {
			e.changed = false
			for i := len(e.asked) - 1; i >= 0 && !e.failed; i-- { // cells that were asked for later are mostly below
				if e.current = int32(i + 1); e.stale[e.current] {
					m.Step(1 + len(e.grammar.Nodes[e.asked[i].node].Children))
					e.stale[e.current] = false
					e.improve(e.current)
				}
			}
		}
		e.stale, e.users, e.current = nil, nil, 0
		if e.failed {
			return false
		}
		if !e.deeper {
			e.done = true
			e.tabulate()
			return true
		}
	}
	return false
}

// shareNeeds gives the alternatives of an alternation the lexer states of the
// alternation, and a rule those of the references to it, so that a turn means the same
// for both.
func (e *endings) shareNeeds() {
	share := func(from, to *grammars.Node) bool {
		if e.needs[to.ID] >= e.needs[from.ID] {
			return false
		}
		e.needs[to.ID] = e.needs[from.ID]
		return true
	}
	for grown := true; grown; {
		grown = false
		for _, n := range e.grammar.Nodes {
			switch {
			case e.needs[n.ID] == 1:
			case n.Kind == grammars.Alternation:
				for _, alt := range n.Children {
					grown = share(n, alt) || grown
				}
			case n.Kind == grammars.Reference && n.Token == 0 && n.Target != nil:
				grown = share(n, e.grammar.Nodes[n.Target.Root]) || grown
			}
		}
	}
}

// failIf gives up the analysis if a limit is exceeded.
func (e *endings) failIf(exceeded bool) {
	if exceeded && !e.done {
		e.failed = true
	}
}

// window returns the part of a stack that derivations of a node depend on.
func (e *endings) window(n *grammars.Node, s Stack) Stack {
	return s[max(s.modes()-int(e.needs[n.ID]), 0):]
}

// then returns a stack after a derivation of a node, given its ending.
func (e *endings) then(s Stack, n *grammars.Node, end Stack) Stack {
	return s[:len(s)-len(e.window(n, s))] + end
}

// state returns the number of the lexer state in which a derivation of a node begins,
// given the stack. Once the analysis is complete, it returns [noState] for a state that
// the analysis did not find.
func (e *endings) state(n *grammars.Node, s Stack) byte {
	w := e.window(n, s)
	i, ok := e.numbers[w]
	switch {
	case ok:
		return i
	case e.done:
		return noState
	}
	e.crowded = len(e.states) == maxStates
	e.failIf(e.crowded)
	e.states = append(e.states, w)
	e.numbers[w] = byte(len(e.states) - 1)
	return e.numbers[w]
}

// noState is the number of a lexer state that no derivation begins in.
const noState = 0xFF

// deepen adds a mode to the lexer states of a node, unless the whole mode stack is
// known.
func (e *endings) deepen(n *grammars.Node, start Stack) {
	if start[0] == bottom || e.done {
		return
	}
	e.failIf(e.needs[n.ID] >= maxNeed)
	e.needs[n.ID], e.deeper = max(e.needs[n.ID], uint8(min(start.modes()+1, maxNeed))), true
}

// derivesToken finds the nodes of parser rules from which some derivation has a token.
func derivesToken(g *grammars.Grammar) []bool {
	out := make([]bool, len(g.Nodes))
	for changed := true; changed; {
		changed = false
		for _, n := range slices.Backward(g.Nodes) { // children mostly come later
			if !out[n.ID] && (n.Token > 0 || n.Kind == grammars.TokenSet || slices.ContainsFunc(n.Children, func(c *grammars.Node) bool { return out[c.ID] })) {
				out[n.ID], changed = true, true
			}
		}
	}
	return out
}

// Cell returns the number of the pair of a node and a lexer state. It is 0 if no
// derivation of the node begins in the state.
func (e *endings) Cell(n *grammars.Node, state byte) int {
	if int(state) >= len(e.states) {
		return 0
	}
	return int(e.table[int(n.ID)*len(e.states)+int(state)])
}

// tabulate writes the cells into a table, because they are looked up for each symbol of an
// input.
func (e *endings) tabulate() {
	e.table = make([]int32, len(e.grammar.Nodes)*len(e.states))
	for c, i := range e.cells {
		e.table[int(c.node)*len(e.states)+int(c.state)] = i
	}
}

// ask returns the endings found so far of a node that begins with a stack, and adds the
// node's cell to the analysis.
func (e *endings) ask(n *grammars.Node, s Stack) []ending {
	c := cell{n.ID, e.state(n, s)}
	i, ok := e.cells[c]
	if !ok && !e.done && !e.failed {
		i, e.changed = int32(len(e.of)), true
		e.cells[c] = i
		e.of = append(e.of, nil)
		e.asked = append(e.asked, c)
		e.stale, e.users = append(e.stale, true), append(e.users, nil)
		e.failIf(len(e.asked) > maxAsked)
	}
	if e.current > 0 && i > 0 && (len(e.users[i]) == 0 || e.users[i][len(e.users[i])-1] != e.current) {
		e.users[i] = append(e.users[i], e.current)
	}
	return e.of[i]
}

// improve computes the endings of a cell from those of the cells below it.
func (e *endings) improve(i int32) {
	c := e.asked[i-1]
	n, start := e.grammar.Nodes[c.node], e.states[c.state]
	here := []ending{{stack: start}}
	var out []ending
	switch {
	case n.Kind == grammars.Alternation:
		for i, alt := range n.Children {
			if !e.unchosen[choice{n.ID, i}] {
				out = append(out, e.next(n, start, start, alt)...)
			}
		}
	case n.Kind == grammars.Concatenation:
		out = here
		for _, part := range n.Children {
			out = e.step(n, start, out, part)
		}
	case n.Kind == grammars.Repetition:
		out = e.repeat(here, n)
	case n.Kind == grammars.Reference && n.Token == 0 && n.Target != nil:
		for _, end := range e.next(n, start, start, e.grammar.Nodes[n.Target.Root]) {
			out = append(out, ending{end.stack, end.size + 1, end.depth + 1})
		}
	case n.Kind == grammars.Empty:
		out = []ending{{start, 1, 1}}
	case n.Kind == grammars.End:
		out = []ending{{stack: e.atEnd(start)}}
	case n.Size != grammars.Unproductive:
		for _, r := range e.read(n, start) {
			out = append(out, ending{r.after, n.Size, n.Depth})
		}
	}
	out = e.merge(out)
	if !slices.Equal(out, e.of[i]) {
		e.of[i], e.changed = out, true
		for _, user := range e.users[i] {
			e.stale[user] = true
		}
		e.users[i] = nil // they ask again
	}
}

// merge returns one ending per stack, with the least size and depth.
func (e *endings) merge(all []ending) []ending {
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b ending) int { return strings.Compare(string(a.stack), string(b.stack)) })
	out := all[:0]
	for _, end := range all {
		if last := len(out) - 1; last >= 0 && out[last].stack == end.stack {
			out[last].size, out[last].depth = min(out[last].size, end.size), min(out[last].depth, end.depth)
		} else {
			out = append(out, end)
		}
	}
	e.failIf(len(out) > maxStacks)
	return out
}

// step returns the endings of a sequence with one more part. The sequence is part of a
// node that begins with a stack.
func (e *endings) step(n *grammars.Node, start Stack, from []ending, part *grammars.Node) []ending {
	var out []ending
	for _, before := range from {
		for _, end := range e.next(n, start, before.stack, part) {
			out = append(out, ending{end.stack, min(before.size+end.size, maxMeasure), max(before.depth, end.depth)})
		}
	}
	return e.merge(out)
}

// next returns the endings of a part that begins with a stack. The part belongs to a
// node that begins with the stack start.
func (e *endings) next(n *grammars.Node, start, s Stack, part *grammars.Node) []ending {
	if s.modes() < int(e.needs[part.ID]) && s[0] != bottom && e.tokens[part.ID] {
		e.deepen(n, start)
		return nil
	}
	if s.empty() { // only parts without tokens follow
		if part.Size == grammars.Unproductive {
			return nil
		}
		return []ending{{s, part.Size, part.Depth}}
	}
	var out []ending
	for _, end := range e.ask(part, s) {
		after := e.then(s, part, end.stack)
		if after.modes() > maxStack {
			e.failIf(true)
			return nil
		}
		out = append(out, ending{after, end.size, end.depth})
	}
	return out
}

// repeat returns the endings of a repetition.
func (e *endings) repeat(from []ending, n *grammars.Node) []ending {
	if e.unchosen[choice{n.ID, 1}] {
		return from
	}
	body, start := n.Children[0], from[0].stack
	once := e.step(n, start, from, body)
	for range n.Min - 1 {
		once = e.step(n, start, once, body)
	}
	out := once
	if n.Min == 0 && !e.unchosen[choice{n.ID, 0}] {
		out = e.merge(slices.Concat(from, once))
	}
	for n.Max < 0 || n.Max > 1 {
		more := e.merge(slices.Concat(out, e.step(n, start, once, body)))
		if slices.Equal(more, out) || e.failed {
			break
		}
		out, once = more, more
	}
	return out
}

// A read is a token that the lexer can read, the mode that it begins in, and the stack
// afterwards.
type read struct {
	*grammars.Reading
	after Stack
}

// read returns the ways in which the lexer can read the token of a symbol, given the
// stack.
func (e *endings) read(n *grammars.Node, s Stack) []read {
	types := n.Types
	if len(types) == 0 {
		types = []int{n.Token}
	}
	var out []read
	for _, at := range e.moved(n, s) {
		for _, t := range types {
			for _, r := range e.reads[readKey{at.current(), t}] {
				if at.class() < len(e.lexicon.Follows) && e.lexicon.Follows[at.class()][r.Number] && e.pops(n, s, at, r) {
					out = append(out, read{r, at[:at.modes()-1-r.Pops] + newStack(r.After, r.Class)})
				}
			}
		}
	}
	return out
}

// atEnd returns a stack after the end of the input: no token can follow.
func (e *endings) atEnd(s Stack) Stack { return s[:s.modes()] + newStack(nil, len(e.lexicon.Follows)) }

// pops reports whether a stack has the modes that a token pops. If they are not known, the
// lexer states of the node, which begin with the stack s, get more modes.
func (e *endings) pops(n *grammars.Node, s, at Stack, r *grammars.Reading) bool {
	if at.modes() > r.Pops+1 || at[0] != bottom && at.modes() > r.Pops {
		return true
	}
	if at[0] != bottom {
		e.deepen(n, s)
	}
	return false
}

// moved returns a stack and the stacks that trivia can turn it into. Trivia that pushes
// modes in which the parser sees no token is left out: other trivia pops them again. If
// some trivia pops more than one mode, trivia is assumed to pop any number of modes.
func (e *endings) moved(n *grammars.Node, s Stack) []Stack {
	if s.ended() || s.class() == len(e.lexicon.Follows) {
		return nil
	}
	out := []Stack{s}
	add := func(after Stack) {
		switch {
		case after.empty():
			e.deepen(n, s)
		case after.current() == bottom || slices.Contains(out, after):
		default:
			out = append(out, after)
		}
	}
	for i := 0; i < len(out); i++ {
		at := out[i]
		if at.modes() > maxStack {
			e.failIf(true)
			return out
		}
		for _, r := range e.moving[at.current()] {
			if e.pops(n, s, at, r) {
				add(at[:at.modes()-1-r.Pops] + newStack(r.After, 0))
			}
		}
		if e.deep != nil && at[0] != bottom {
			e.deepen(n, s)
		}
		for _, r := range e.deep {
			for below := 1; below < at.modes(); below++ {
				add(at[:below] + newStack(r.After, 0))
			}
		}
	}
	return out
}

// leads reports whether a part can lead from a stack to one of the good stacks. The
// part belongs to a node that begins with the stack start.
func (e *endings) leads(n *grammars.Node, start, s Stack, part *grammars.Node, good map[Stack]bool) bool {
	return slices.ContainsFunc(e.next(n, start, s, part), func(end ending) bool { return good[end.stack] })
}

// inside returns the node below a token that the given lexer rule makes.
func inside(g *grammars.Grammar, n *grammars.Node, r *grammars.Rule) *grammars.Node {
	rules := g.TokenRules(n.Token)
	if len(rules) < 2 {
		return n.Children[0]
	}
	return n.Children[0].Children[slices.Index(rules, r)]
}
