package generate

import (
	"slices"

	"github.com/inroad/inroad/grammars"
)

// A drawing is a tree while it is drawn.
type drawing struct {
	*Generator
	Draft
	chooser chooser
	failed  bool

	size       int    // symbols drawn, those in tokens too
	owed       int    // symbols at least that parts still to be drawn will have
	expansions int    // rules and tokens expanded
	there      uint64 // which of the symbols that something needs were drawn
	chances    map[choice]float64

	goals []*goal  // what the tree is to have in it
	rows  []uint64 // hashes of paths, as an extractor has them
	rest  []rest   // of the constructs that are being drawn, what is still to come

	stack grammars.Stack    // of the lexer's modes; empty if it is not known
	after grammars.StackSet // what may be in place of the last of them when what is being drawn is

	found int  // paths to be covered, so far
	vain  bool // whether none was found in what was drawn last of what is being repeated
}

// A rest is what is still to be drawn of a construct.
type rest struct {
	depth int
	nodes []*grammars.Node
}

// awaits reports whether a symbol still to be drawn at a depth, below what is
// being drawn above it, is as asked for.
func (d *drawing) awaits(depth int, asked func(*grammars.Node) bool) bool {
	for _, r := range d.rest {
		if r.depth != depth {
			continue
		}
		for _, n := range r.nodes {
			if slices.ContainsFunc(d.symbols(n), asked) {
				return true
			}
		}
	}
	return false
}

func (x *Generator) newDrawing() *drawing { return &drawing{Generator: x, chooser: x.chooser} }

// maxTreeNodes bounds a tree while it is drawn; a larger one is drawn again.
const maxTreeNodes = 100_000

// least returns the size that the tree will have at least.
func (d *drawing) least() int { return d.size + d.owed }

// enter notes that a node is drawn: goals may be a step nearer, or reached,
// and there may be paths that end here.
func (d *drawing) enter(n *grammars.Node, depth int) {
	d.reach(n)
	if n.Kind.Symbolic() {
		d.size++
		d.there |= d.met(n)
		d.chooser.drawn(d, n, depth)
		if n.Kind == grammars.Reference {
			d.expansions++
		}
	}
	if d.size > maxTreeNodes {
		d.failed = true
	}
}

// start draws a whole input.
func (d *drawing) start() {
	if d.modes != nil {
		d.stack = "\x00"
	}
	d.rule(d.grammar.Rule(d.opt.Start), 0, grammars.Loose())
}

// rule draws a rule's right-hand side.
func (d *drawing) rule(r *grammars.Rule, depth int, b grammars.Binding) {
	root := d.grammar.Nodes[r.Root]
	if r.Operators == nil {
		d.node(root, depth, nil)
		return
	}
	var fits []*grammars.Node
	for i := range r.Operators {
		if op := &r.Operators[i]; b.Allows(op) && !unproductive(op.Alt) {
			fits = append(fits, op.Alt)
		}
	}
	if len(fits) == 0 {
		d.failed = true
		return
	}
	alt := d.pick(root, fits, depth)
	for i := range r.Operators {
		if op := &r.Operators[i]; op.Alt == alt {
			d.node(alt, depth, b.Operands(op))
		}
	}
}

// node draws what a node of a parser rule derives.
func (d *drawing) node(n *grammars.Node, depth int, operands map[grammars.Occurrence]grammars.Binding) {
	d.enter(n, depth)
	if d.failed {
		return
	}
	switch n.Kind {
	case grammars.Alternation:
		d.node(d.pick(n, d.open[n.ID], depth), depth, operands)
	case grammars.Concatenation:
		d.sequence(n, depth, func(c *grammars.Node) { d.node(c, depth, operands) })
	case grammars.Repetition:
		d.repeat(n, depth, func() { d.node(n.Children[0], depth, operands) })
	case grammars.Reference:
		if n.Token > 0 {
			d.token(n, n.Token, depth)
			return
		}
		d.Symbol(depth, n.ID)
		b, ok := operands[n.ID]
		if !ok {
			b = grammars.Loose()
		}
		d.rule(n.Target, depth+1, b)
	case grammars.Literal:
		d.Word(depth, n.ID, n.Token, []byte(n.Value))
		d.shift(n, n.Token, nil)
	case grammars.TokenSet:
		d.token(n, n.Types[d.rand.IntN(len(n.Types))], depth)
	case grammars.Empty, grammars.End:
		d.Symbol(depth, n.ID)
	}
}

// pick chooses one of the alternatives of a node: one on the way to a goal, if
// there is one, or else the chooser's.
func (d *drawing) pick(n *grammars.Node, alts []*grammars.Node, depth int) *grammars.Node {
	if d.stack != "" {
		some := without(alts, d.unreadable)
		if len(some) == 0 {
			d.failed = true
			return alts[0]
		}
		alts = some
	}
	if n := d.onTheWay(alts); n != nil {
		return n
	}
	if some := without(alts, d.misplaced); len(some) > 0 {
		alts = some
	}
	return d.chooser.pick(d, n, alts, depth)
}

// misplaced reports whether something needs a symbol that is not there.
func (d *drawing) misplaced(n *grammars.Node) bool { return d.lacks(n, d.there) }

// sequence draws the parts of a concatenation. A goal goes to the part from which
// it is nearest.
func (d *drawing) sequence(n *grammars.Node, depth int, draw func(*grammars.Node)) {
	goals := d.goals
	planned := d.plan(n)
	carriers := make([]int, len(goals))
	for i, g := range goals {
		carriers[i] = planned.carrier(g, n)
	}
	owed := d.owed
	for _, c := range n.Children {
		d.owed += c.Size
	}
	d.rest = append(d.rest, rest{depth, n.Children})
	top := len(d.rest) - 1
	for i, c := range n.Children {
		d.owed -= c.Size
		d.rest[top].nodes = n.Children[i+1:]
		d.goals = nil
		for j, g := range goals {
			if carriers[j] == i {
				d.goals = append(d.goals, g)
			}
		}
		if planned.enter(i, c) {
			draw(c)
		}
		if slices.ContainsFunc(d.goals, func(g *goal) bool { return slices.Contains(goals, g) }) { // not on the way after all
			d.failed = true
		}
		if d.failed {
			break
		}
	}
	planned.leave()
	d.owed, d.rest = owed, d.rest[:top]
}

// repeat draws a repetition. One time is needed for goals to go through.
func (d *drawing) repeat(n *grammars.Node, depth int, draw func()) {
	body := n.Children[0]
	owed := d.owed
	planned := d.plan(n)
	d.rest = append(d.rest, rest{depth, n.Children})
	top := len(d.rest) - 1
	most := d.chooser.times(d, n, depth)
	times := planned.approach(n, draw)
	if !d.failed && d.onTheWay(n.Children) != nil {
		d.owed = owed + max(n.Min-times-1, 0)*max(body.Size, 0)
		if planned.enter(0, body) {
			draw()
		}
		times++
	}
	d.vain = false
	for ; !d.failed && planned.again(times, n, times < most && !d.misplaced(body) && d.chooser.again(d, n, depth)); times++ {
		d.owed = owed + max(n.Min-times-1, 0)*max(body.Size, 0)
		found := d.found
		if planned.enter(0, body) {
			draw()
		}
		d.vain = d.found == found
	}
	d.vain = false
	planned.leave()
	d.owed, d.rest = owed, d.rest[:top]
}
