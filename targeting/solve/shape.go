package solve

import (
	"encoding/binary"
	"iter"
	"slices"
	"strconv"
	"sync"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/refine"
)

// A shape is the refined grammar below one body, with a cost for each symbol. Parts of
// bodies that have the same derivations are one cell.
type shape struct {
	free   []cell         // without a constraint: each after the cells that it consists of
	kids   []refine.Kid   // of all cells
	rounds []refine.Round // of all cells
	whole  int32          // the cell of the whole tree

	symbols  []symbolInfo                    // see symbolOf
	places   map[grammars.Occurrence][]int32 // the cells of each symbol
	within   map[int32][]int32               // by last cell of a body: its cells; only the last cell of a repetition
	freeCost []int32                         // by cell: its least cost without a constraint
	elastic  []bool                          // by cell: whether its derivations may differ in cost
	nodes    int                             // the number of nodes of the grammar

	users, usersFrom []int32 // see usersOf; by cell: where its range of users begins

	workspaces sync.Pool
}

// A cell stands for equal parts of bodies of the refined grammar in one context.
type cell struct {
	kind refine.PartKind
	dead bool // whether no solution has it
	own  bool // whether its kids or rounds are in ownKids or ownRounds
	// a and b are the halves of a [refine.Both] cell, or a range of kids or rounds.
	a, b    int32
	below   int32 // of a reference: the cell of the body that it stands for
	states  int32 // see [refine.Part]
	outcome int32 // which goals the symbol contributes to
	weight  int32 // the cost of a symbol
	free    int32 // the cell of the shape
}

// A symbolInfo is a grammar symbol with the lexer rules that can make the token; nil
// for any.
type symbolInfo struct {
	node   *grammars.Node
	makers []*grammars.Rule
}

// symbolOf returns the symbol of a cell. The node of a choice or a repetition is that
// of the grammar, or nil.
func (s *shape) symbolOf(c *cell) *symbolInfo { return &s.symbols[c.free] }

// newShape returns the shape of a graph below the body root. weigh returns the cost of
// a symbol.
func newShape(grammar *grammars.Grammar, g *refine.Graph, root int32, weigh func(*refine.Body, *refine.Part) int32) *shape {
	s := &shape{nodes: len(grammar.Nodes), places: map[grammars.Occurrence][]int32{}, within: map[int32][]int32{}}
	b := &shapeBuilder{shape: s, graph: g, weigh: weigh, numbers: map[string]int32{}, tops: make([]int32, len(g.Bodies))}
	bodies := bottomUp(g, root)
	for _, i := range bodies {
		b.body(i)
	}
	for i := range s.free {
		if c := &s.free[i]; c.kind == refine.Reference && !c.dead {
			c.below = b.tops[c.below]
		}
	}
	s.whole = b.tops[root]
	s.findUsers()
	s.measure()
	s.findElastic()
	return s
}

// bottomUp returns the bodies that are reachable from root in an order in which each
// follows the bodies below it, except where they are recursive.
func bottomUp(g *refine.Graph, root int32) []int32 {
	var out []int32
	seen := make([]bool, len(g.Bodies))
	next := make([]int, len(g.Bodies)) // by body: the part to go on with
	seen[root] = true
	for stack := []int32{root}; len(stack) > 0; {
		i := stack[len(stack)-1]
		parts := g.Bodies[i].Parts
		if next[i] == len(parts) {
			out = append(out, i)
			stack = stack[:len(stack)-1]
			continue
		}
		x := &parts[next[i]]
		if next[i]++; x.Kind == refine.Reference && x.Useful && !seen[x.Below] {
			seen[x.Below] = true
			stack = append(stack, x.Below)
		}
	}
	return out
}

// A shapeBuilder finds the cells of a shape.
type shapeBuilder struct {
	*shape
	graph   *refine.Graph
	weigh   func(*refine.Body, *refine.Part) int32
	numbers map[string]int32 // of cells, by their definition
	tops    []int32          // by body: its cell
	last    []int32          // by cell: the last body that has it, counted from 1
}

// body adds the cells of a body, unless there are equal cells.
func (b *shapeBuilder) body(i int32) {
	body := &b.graph.Bodies[i]
	at := make([]int32, len(body.Parts)) // by part: its cell
	var within []int32
	for j := range body.Parts {
		x := &body.Parts[j]
		if x.Kind == refine.Many && x.States == 0 {
			continue // the last part of a repetition adds the others
		}
		key := b.key(body, int32(j), at)
		number, ok := b.numbers[key]
		if !ok {
			number = b.add(body, int32(j), at)
			b.numbers[key] = number
		}
		if at[j] = number; b.last[number] != i+1 {
			b.last[number] = i + 1
			within = append(within, number)
		}
	}
	b.tops[i] = at[len(at)-1]
	b.within[b.tops[i]] = within
}

// key encodes the definition of a part, given the cells of the parts before it.
func (b *shapeBuilder) key(body *refine.Body, part int32, at []int32) string {
	x := &body.Parts[part]
	key := b.partKey(nil, x)
	switch x.Kind {
	case refine.Reference:
		key = binary.AppendVarint(key, int64(x.Below))
	case refine.Symbol:
		for _, r := range body.MakersOf(x) {
			key = append(append(key, r.Name...), 0)
		}
		if body.MakersOf(x) == nil {
			key = append(key, 1)
		}
	case refine.Either:
		for _, kid := range body.Kids[x.A:x.B] {
			key = binary.AppendVarint(binary.AppendVarint(key, int64(at[kid.Part])), int64(kid.Choice))
		}
	case refine.Both:
		key = binary.AppendVarint(binary.AppendVarint(key, int64(at[x.A])), int64(at[x.B]))
	case refine.Many:
		first := part - x.States + 1
		for i := first; i <= part; i++ {
			y := &body.Parts[i]
			key = binary.AppendVarint(b.partKey(key, y), int64(y.B-y.A))
			for _, r := range body.Rounds[y.A:y.B] {
				key = binary.AppendVarint(binary.AppendVarint(key, int64(at[r.Part])), int64(r.Next-first))
				key = strconv.AppendBool(key, r.Ends)
			}
		}
	}
	return string(key)
}

// partKey appends the kind and the symbol of a part.
func (b *shapeBuilder) partKey(key []byte, x *refine.Part) []byte {
	key = strconv.AppendBool(append(key, byte(x.Kind)), x.Useful)
	if x.Node == nil {
		return binary.AppendVarint(key, -1)
	}
	return binary.AppendVarint(key, int64(x.Node.ID))
}

// add adds the cell of a part, given the cells of the parts before it, and returns its
// number. For the last part of a repetition, it adds the cells of the other parts first.
func (b *shapeBuilder) add(body *refine.Body, part int32, at []int32) int32 {
	x := &body.Parts[part]
	number := int32(len(b.free))
	c := cell{kind: x.Kind, dead: !x.Useful, states: x.States, below: -1, free: number}
	switch x.Kind {
	case refine.Symbol, refine.Absent, refine.Reference:
		if x.Kind != refine.Absent {
			c.weight = b.weigh(body, x)
		}
		c.below = x.Below
		b.places[x.Node.ID] = append(b.places[x.Node.ID], number)
	case refine.Either:
		c.a = int32(len(b.kids))
		for _, kid := range body.Kids[x.A:x.B] {
			b.kids = append(b.kids, refine.Kid{Part: at[kid.Part], Choice: kid.Choice})
		}
		c.b = int32(len(b.kids))
	case refine.Both:
		c.a, c.b = at[x.A], at[x.B]
	case refine.Many:
		return b.addMany(body, part, at)
	}
	b.append(c, symbolInfo{x.Node, body.MakersOf(x)})
	return number
}

// addMany adds the cells of a repetition, given its last part, and returns the number
// of the last cell.
func (b *shapeBuilder) addMany(body *refine.Body, part int32, at []int32) int32 {
	first := part - body.Parts[part].States + 1
	shift := int32(len(b.free)) - first
	for i := first; i <= part; i++ {
		x := &body.Parts[i]
		c := cell{kind: x.Kind, dead: !x.Useful, states: x.States, below: -1, free: i + shift, a: int32(len(b.rounds))}
		for _, r := range body.Rounds[x.A:x.B] {
			r.Part = at[r.Part]
			if r.Next >= 0 {
				r.Next += shift
			}
			b.rounds = append(b.rounds, r)
		}
		c.b = int32(len(b.rounds))
		b.append(c, symbolInfo{x.Node, nil})
	}
	return part + shift
}

func (b *shapeBuilder) append(c cell, symbol symbolInfo) {
	b.free = append(b.free, c)
	b.symbols = append(b.symbols, symbol)
	b.last = append(b.last, 0)
}

// parts yields the cells that a cell of the shape consists of. For the last cell of a
// repetition, it yields the cells of all rounds.
func (s *shape) parts(at int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		switch c := &s.free[at]; c.kind {
		case refine.Either:
			for _, kid := range s.kids[c.a:c.b] {
				if !yield(kid.Part) {
					return
				}
			}
		case refine.Both:
			_ = yield(c.a) && yield(c.b)
		case refine.Many:
			for i := at - c.states + 1; i <= at; i++ {
				for _, r := range s.rounds[s.free[i].a:s.free[i].b] {
					if !yield(r.Part) {
						return
					}
				}
			}
		}
	}
}

// findUsers finds the users of each cell.
func (s *shape) findUsers() {
	used := make([][]int32, len(s.free))
	for at, c := range s.free {
		if c.kind == refine.Reference && !c.dead {
			used[c.below] = append(used[c.below], int32(at))
		}
		for part := range s.parts(int32(at)) {
			used[part] = append(used[part], int32(at))
		}
	}
	s.usersFrom = make([]int32, len(s.free)+1)
	for at, users := range used {
		s.users = append(s.users, slices.Compact(users)...)
		s.usersFrom[at+1] = int32(len(s.users))
	}
}

// measure computes the least cost of each cell without a constraint.
func (s *shape) measure() {
	p := &problem{shape: s, goals: &goals{}, cells: s.free, workspace: &workspace{empty: make([]int32, len(s.free))}}
	all := make([]int32, len(s.free))
	for i := range all {
		all[i] = int32(i)
		p.empty[i] = impossible
	}
	p.settle(all)
	s.freeCost = p.empty
}

// A charCost computes the costs of symbols where characters are limited.
type charCost struct {
	grammar *grammars.Grammar
	least   []int32 // by node: the least number of characters of a derivation
}

func newCharCost(g *grammars.Grammar) *charCost {
	c := &charCost{g, make([]int32, len(g.Nodes))}
	above := make([][]grammars.Occurrence, len(g.Nodes))
	missing := make([]int, len(g.Nodes)) // children that a node waits for
	sums := make([]int32, len(g.Nodes))  // the least number of characters of the other children
	var lexer, parser costQueue          // nodes with the characters of a derivation
	push := func(n *grammars.Node, chars int32) {
		if n.Rule != nil && n.Rule.Kind == grammars.ParserRule {
			parser.push(chars, int32(n.ID))
		} else {
			lexer.push(chars, int32(n.ID))
		}
	}
	for i, n := range g.Nodes {
		c.least[i] = impossible
		for _, child := range n.Children {
			above[child.ID] = append(above[child.ID], n.ID)
		}
		switch {
		case n.Kind == grammars.Concatenation && len(n.Children) > 0:
			missing[i] = len(n.Children)
		case n.Kind == grammars.Alternation, n.Kind == grammars.Reference, n.Kind == grammars.Repetition && n.Min > 0:
			missing[i] = 1
		case n.Kind != grammars.TokenSet:
			push(n, ownChars(n))
		}
	}
	// Characters never decrease upwards, so each node is settled once, the least first.
	settle := func(queue *costQueue) {
		for len(*queue) > 0 {
			chars, i := queue.pop()
			if c.least[i] < impossible {
				continue
			}
			c.least[i] = chars
			for _, a := range above[i] {
				if missing[a] == 0 {
					continue
				}
				missing[a]--
				if sums[a] = min(impossible, sums[a]+chars*int32(max(g.Nodes[a].Min, 1))); missing[a] == 0 {
					push(g.Nodes[a], sums[a])
				}
			}
		}
	}
	settle(&lexer) // tokens first, of which sets of tokens are made
	for _, n := range g.Nodes {
		if n.Kind != grammars.TokenSet {
			continue
		}
		chars := int32(impossible)
		for _, t := range n.Types {
			chars = min(chars, c.shortest(g.TokenRules(t)))
		}
		push(n, chars)
	}
	settle(&parser)
	return c
}

// shortest returns the least number of characters of a token that one of the rules
// makes.
func (c *charCost) shortest(rules []*grammars.Rule) int32 {
	least := int32(impossible)
	for _, r := range rules {
		least = min(least, c.least[r.Root])
	}
	return least
}

// ownChars returns the number of characters of a symbol itself, without its derivation.
func ownChars(n *grammars.Node) int32 {
	switch n.Kind {
	case grammars.Literal:
		return int32(len([]rune(n.Value)))
	case grammars.CharSet:
		return 1
	default:
		return 0
	}
}

// weigh returns the cost of a symbol.
func (c *charCost) weigh(b *refine.Body, x *refine.Part) int32 {
	return 1 + charWeight*c.chars(b, x)
}

// chars returns the number of characters of a symbol itself; of a set of tokens, those of
// its shortest token.
func (c *charCost) chars(b *refine.Body, x *refine.Part) int32 {
	if x.Node.Kind != grammars.TokenSet {
		return ownChars(x.Node)
	}
	chars := c.least[x.Node.ID]
	if b.MakersOf(x) != nil {
		chars = c.shortest(b.MakersOf(x))
	}
	return min(chars, impossible/charWeight-1)
}
