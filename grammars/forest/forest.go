// Package forest finds all derivations of an input, of which a tree has only one.
//
// [Of] returns a [Forest]: the symbols that occur in some derivation of the tokens of
// an input, with the symbols right below them. A chain of symbols is part of a
// derivation if each is below the one before it in the forest. The derivations ignore
// operator precedence and the order of alternatives. Tokens are those of the lexer,
// each with one derivation.
package forest

import (
	"context"
	"slices"
	"strconv"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/limit"
)

// A Forest has the symbols of all derivations of an input, numbered from 0.
type Forest struct {
	symbols []symbol
	roots   []int32
}

type symbol struct {
	occurrence grammars.Occurrence
	below      []int32
}

// Len returns the number of symbols. A symbol counts once for each part of the input that
// it derives.
func (f *Forest) Len() int { return len(f.symbols) }

// Roots returns the symbols right below the start rule.
func (f *Forest) Roots() []int32 { return f.roots }

// Occurrence returns the grammar node of a symbol.
func (f *Forest) Occurrence(i int32) grammars.Occurrence { return f.symbols[i].occurrence }

// Below returns the symbols that are right below a symbol in some derivation.
func (f *Forest) Below(i int32) []int32 { return f.symbols[i].below }

// maxSteps limits the work for one input. A long input of an ambiguous grammar takes time
// cubic in its length.
const maxSteps = 20_000_000

// pointersPerStep is the number of pointers that are compared in the time of a step.
const pointersPerStep = 16

// Of returns the forest of a parsed input: all derivations of the tree's tokens from
// the start rule. The error is a [*limit.Error], or the cause of ctx's cancellation.
func Of(ctx context.Context, g *grammars.Grammar, start string, tree *derivation.Tree) (f *Forest, err error) {
	return within(ctx, maxSteps, g, start, tree)
}

// within is like [Of], with a given limit on the steps.
func within(ctx context.Context, steps int, g *grammars.Grammar, start string, tree *derivation.Tree) (f *Forest, err error) {
	defer limit.Catch(&err)
	b := &builder{
		grammar: g, dissector: tree.Dissector(), out: &Forest{}, cells: map[place]*cell{}, leaves: map[span]int32{},
		meter: limit.NewMeter(ctx, steps, &limit.Error{What: "steps to find all derivations of an input", Value: strconv.Itoa(steps), Advice: "use shorter inputs, or the one derivation of the parser"}),
	}
	b.read(tree)
	root := g.Nodes[g.Rule(start).Root]
	b.cell(root, 0)
	b.settle()
	b.out.roots = b.body(root, 0, len(b.types))
	for len(b.open) > 0 {
		at := b.open[len(b.open)-1]
		b.open = b.open[:len(b.open)-1]
		b.out.symbols[at.symbol].below = b.body(g.Nodes[at.rule.Root], at.from, at.to)
	}
	return b.out, b.err
}

// A builder finds the derivations of an input in two steps. First it finds, for each
// construct and each position where it may begin, where its derivations end; a cell
// that depends on itself is recomputed until it no longer grows. Then it follows the
// derivations of the whole input from the top.
type builder struct {
	grammar   *grammars.Grammar
	meter     *limit.Meter
	dissector *derivation.Dissector
	out       *Forest
	err       error

	types  []int // of the tokens
	tokens []int // their indexes in the tree

	cells map[place]*cell
	stale []*cell

	leaves map[span]int32 // the symbol that derives a part of the input
	open   []call
}

type place struct {
	node grammars.Occurrence
	at   int
}

// A cell has the ends of the derivations of a construct that begin at a position.
type cell struct {
	node  *grammars.Node
	at    int
	ends  []int // sorted
	users []*cell
	stale bool
}

// A span is a construct that derives the tokens from one position to another.
type span struct {
	node     grammars.Occurrence
	from, to int
}

// A call is a rule whose derivations of a part of the input are to be followed.
type call struct {
	symbol   int32
	rule     *grammars.Rule
	from, to int
}

// read takes the tokens of a tree, or the characters of its input if the grammar is
// scannerless.
func (b *builder) read(tree *derivation.Tree) {
	if b.grammar.Scannerless {
		b.types = b.grammar.CharTypes(string(tree.Input()))
		return
	}
	for i, t := range tree.Tokens() {
		if !t.Trivia() && t.Type != derivation.EOF {
			b.types, b.tokens = append(b.types, int(t.Type)), append(b.tokens, i)
		}
	}
}

// cell returns the cell of a construct at a position. A new cell is computed later.
func (b *builder) cell(n *grammars.Node, at int) *cell {
	key := place{n.ID, at}
	c := b.cells[key]
	if c == nil {
		b.meter.Step(1)
		c = &cell{node: n, at: at, stale: true}
		b.cells[key] = c
		b.stale = append(b.stale, c)
	}
	return c
}

// settle computes cells until none grows.
func (b *builder) settle() {
	for len(b.stale) > 0 {
		c := b.stale[len(b.stale)-1]
		b.stale = b.stale[:len(b.stale)-1]
		c.stale = false
		ends := b.derive(c)
		b.meter.Step(1 + len(ends))
		if len(ends) == len(c.ends) {
			continue
		}
		c.ends = ends
		for _, user := range c.users {
			if !user.stale {
				user.stale = true
				b.stale = append(b.stale, user)
			}
		}
	}
}

// ends returns the known ends of a construct that begins at a position. The user is
// recomputed when more ends are found.
func (b *builder) ends(user *cell, n *grammars.Node, at int) []int {
	c := b.cell(n, at)
	if user == nil {
		return c.ends
	}
	b.meter.Step(len(c.users) / pointersPerStep)
	if !slices.Contains(c.users, user) {
		c.users = append(c.users, user)
	}
	return c.ends
}

// derive computes the ends of a cell.
func (b *builder) derive(c *cell) []int {
	n := c.node
	var out []int
	switch n.Kind {
	case grammars.Alternation:
		for _, alt := range n.Children {
			out = append(out, b.ends(c, alt, c.at)...)
		}
	case grammars.Concatenation:
		steps := b.forward(c, n, c.at)
		out = steps[len(steps)-1]
	case grammars.Repetition:
		out = b.repeated(c, n, c.at)
	case grammars.Reference:
		if n.Token == 0 && n.Target != nil {
			return b.ends(c, b.grammar.Nodes[n.Target.Root], c.at)
		}
		out = b.token(n, c.at)
	case grammars.End:
		if c.at == len(b.types) {
			out = []int{c.at}
		}
	case grammars.Empty:
		out = []int{c.at}
	default:
		out = b.token(n, c.at)
	}
	return sorted(out)
}

func sorted(ends []int) []int {
	ends = slices.Clone(ends)
	slices.Sort(ends)
	return slices.Compact(ends)
}

// token returns the position after a token, or nil if another token comes next.
func (b *builder) token(n *grammars.Node, at int) []int {
	if n.Kind == grammars.Literal && b.grammar.Scannerless {
		for _, types := range b.grammar.LiteralTypes(n) {
			if at == len(b.types) || !slices.Contains(types, b.types[at]) {
				return nil
			}
			at++
		}
		return []int{at}
	}
	types := n.Types
	if len(types) == 0 {
		types = []int{n.Token}
	}
	if at < len(b.types) && slices.Contains(types, b.types[at]) {
		return []int{at + 1}
	}
	return nil
}

// forward returns the positions before each part of a concatenation and at its end.
func (b *builder) forward(user *cell, n *grammars.Node, at int) [][]int {
	out := [][]int{{at}}
	for i, part := range n.Children {
		var next []int
		for _, from := range out[i] {
			next = append(next, b.ends(user, part, from)...)
		}
		b.meter.Step(1 + len(next))
		out = append(out, sorted(next))
	}
	return out
}

// repeated returns the ends of a repetition, in no particular order. It visits each
// position once, after the fewest rounds that lead there.
func (b *builder) repeated(user *cell, n *grammars.Node, at int) []int {
	step := func(from []int) []int {
		var next []int
		for _, s := range from {
			next = append(next, b.ends(user, n.Children[0], s)...)
		}
		b.meter.Step(1 + len(next))
		return sorted(next)
	}
	last := []int{at}
	for range n.Min {
		last = step(last)
	}
	known := map[int]bool{}
	var out []int
	for i := n.Min; ; i++ {
		last = slices.DeleteFunc(last, func(e int) bool { return known[e] })
		for _, e := range last {
			known[e] = true
		}
		out = append(out, last...)
		if len(last) == 0 || i == n.Max {
			return out
		}
		last = step(last)
	}
}

// body returns the symbols right inside a construct that derives a part of the input.
func (b *builder) body(n *grammars.Node, from, to int) []int32 {
	var out []int32
	visited := map[span]bool{}
	b.collect(n, from, to, visited, &out)
	slices.Sort(out)
	return slices.Compact(out)
}

// collect adds the symbols of a construct to out. It descends into constructs that are
// not symbols.
func (b *builder) collect(n *grammars.Node, from, to int, visited map[span]bool, out *[]int32) {
	at := span{n.ID, from, to}
	if b.meter.Step(1); visited[at] {
		return
	}
	visited[at] = true
	has := func(n *grammars.Node, from, to int) bool {
		c := b.cells[place{n.ID, from}]
		if c == nil {
			return false
		}
		_, ok := slices.BinarySearch(c.ends, to)
		return ok
	}
	switch n.Kind {
	case grammars.Alternation:
		for _, alt := range n.Children {
			if has(alt, from, to) {
				b.collect(alt, from, to, visited, out)
			}
		}
	case grammars.Concatenation:
		steps := b.forward(nil, n, from)
		good := []int{to} // positions from which the remaining parts derive the tokens up to to
		for i, part := range slices.Backward(n.Children) {
			var before []int
			for _, s := range steps[i] {
				for _, e := range good {
					if b.meter.Step(1); has(part, s, e) {
						before = append(before, s)
						b.collect(part, s, e, visited, out)
					}
				}
			}
			good = sorted(before)
		}
	case grammars.Repetition:
		b.collectRounds(n, from, to, visited, out)
	case grammars.End:
	default:
		*out = append(*out, b.symbol(n, from, to))
	}
}

// A turn is a position in a repetition after a number of rounds. In an unbounded
// repetition, rounds beyond the minimum are not counted.
type turn struct{ rounds, at int }

// collectRounds adds the symbols of all rounds that are part of a derivation of the
// tokens between from and to.
func (b *builder) collectRounds(n *grammars.Node, from, to int, visited map[span]bool, out *[]int32) {
	body := n.Children[0]
	reached := map[turn]bool{{0, from}: true}
	var rounds [][2]turn
	for work := []turn{{0, from}}; len(work) > 0; {
		s := work[len(work)-1]
		work = work[:len(work)-1]
		if s.rounds == n.Max {
			continue
		}
		next := s.rounds + 1
		if n.Max < 0 {
			next = min(next, n.Min)
		}
		for _, end := range b.ends(nil, body, s.at) {
			e := turn{next, end}
			if b.meter.Step(1); end > to {
				continue
			}
			rounds = append(rounds, [2]turn{s, e})
			if !reached[e] {
				reached[e] = true
				work = append(work, e)
			}
		}
	}
	good := map[turn]bool{}
	for t := range reached {
		good[t] = t.at == to && t.rounds >= n.Min
	}
	for grown := true; grown; {
		grown = false
		for _, r := range slices.Backward(rounds) {
			b.meter.Step(1)
			if good[r[1]] && !good[r[0]] {
				good[r[0]], grown = true, true
			}
		}
	}
	for _, r := range rounds {
		if good[r[1]] {
			b.collect(body, r[0].at, r[1].at, visited, out)
		}
	}
}

// symbol returns the number of a symbol that derives a part of the input.
func (b *builder) symbol(n *grammars.Node, from, to int) int32 {
	key := span{n.ID, from, to}
	i, ok := b.leaves[key]
	if ok {
		return i
	}
	i = b.add(n.ID)
	b.leaves[key] = i
	switch {
	case n.Kind == grammars.Reference && n.Token == 0 && n.Target != nil:
		b.open = append(b.open, call{i, n.Target, from, to})
	case n.Kind == grammars.Reference && len(n.Children) > 0:
		inside, err := b.dissector.Token(b.tokens[from])
		if err != nil {
			b.err = err
		}
		b.inside(i, inside)
	}
	return i
}

func (b *builder) add(o grammars.Occurrence) int32 {
	b.meter.Step(1)
	b.out.symbols = append(b.out.symbols, symbol{occurrence: o})
	return int32(len(b.out.symbols) - 1)
}

// inside adds the symbols inside a token.
func (b *builder) inside(token int32, tree *derivation.Tree) {
	if tree == nil {
		return
	}
	chain := []int32{token} // by depth
	for depth, n := range tree.All() {
		if depth == 0 {
			continue
		}
		i := b.add(n.Occurrence())
		up := chain[depth-1]
		b.out.symbols[up].below = append(b.out.symbols[up].below, i)
		chain = append(chain[:depth], i)
	}
}
