package generate

import "github.com/inroad/inroad/grammars"

// A drawing is a tree while it is drawn.
type drawing struct {
	*Generator
	Draft
	chooser chooser
	failed  bool

	size       int // symbols drawn, those in tokens too
	owed       int // symbols at least that parts still to be drawn will have
	expansions int // rules and tokens expanded
	chances    map[choice]float64

	goal *goal    // what the tree is to have in it; nil for anything
	rows []uint64 // hashes of paths, as an extractor has them
}

func (x *Generator) newDrawing() *drawing { return &drawing{Generator: x, chooser: x.chooser} }

// maxTreeNodes bounds a tree while it is drawn; a larger one is drawn again.
const maxTreeNodes = 100_000

// least returns the size that the tree will have at least.
func (d *drawing) least() int { return d.size + d.owed }

// enter notes that a node is drawn: the goal may be a step nearer, or reached,
// and there may be paths that end here.
func (d *drawing) enter(n *grammars.Node, depth int) {
	d.reach(n)
	if n.Kind.Symbolic() {
		d.size++
		d.chooser.drawn(d, n, depth)
		if n.Kind == grammars.Reference {
			d.expansions++
		}
	}
	if d.size > maxTreeNodes {
		d.failed = true
	}
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
		d.sequence(n, func(c *grammars.Node) { d.node(c, depth, operands) })
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
	case grammars.TokenSet:
		d.token(n, n.Types[d.rand.IntN(len(n.Types))], depth)
	case grammars.Empty, grammars.End:
		d.Symbol(depth, n.ID)
	}
}

// pick chooses one of the alternatives of a node: one on the way to the goal, if
// there is one, or else the chooser's.
func (d *drawing) pick(n *grammars.Node, alts []*grammars.Node, depth int) *grammars.Node {
	if d.goal != nil {
		if n := d.towards(alts); n != nil {
			return n
		}
	}
	return d.chooser.pick(d, n, alts, depth)
}

// sequence draws the parts of a concatenation. The goal goes to the part from
// which it is nearest.
func (d *drawing) sequence(n *grammars.Node, draw func(*grammars.Node)) {
	to := d.goal
	var carrier *grammars.Node
	if to != nil {
		carrier = d.towards(n.Children)
	}
	owed := d.owed
	for _, c := range n.Children {
		d.owed += c.Size
	}
	for _, c := range n.Children {
		d.owed -= c.Size
		if to != nil {
			d.goal = nil
			if c == carrier {
				d.goal = to
			}
		}
		draw(c)
		if d.goal != nil && d.goal == to { // not on the way after all
			d.failed = true
		}
		if d.failed {
			break
		}
	}
	d.owed = owed
}

// repeat draws a repetition. One time is needed for the goal to go through.
func (d *drawing) repeat(n *grammars.Node, depth int, draw func()) {
	body := n.Children[0]
	owed := d.owed
	times, most := 0, d.chooser.times(d, n, depth)
	if d.goal != nil && d.towards(n.Children) != nil {
		d.owed = owed + max(n.Min-1, 0)*max(body.Size, 0)
		draw()
		times = 1
	}
	for ; !d.failed && (times < n.Min || times < most && d.chooser.again(d, n, depth)); times++ {
		d.owed = owed + max(n.Min-times-1, 0)*max(body.Size, 0)
		draw()
	}
	d.owed = owed
}
