// Package generate makes inputs of a grammar.
//
// A [Generator] derives a tree from the grammar graph, one choice after the
// other, writes it as text, and parses the text back. Only a text that parses
// back to the tree it was written from is returned. All choices are drawn from
// the one source of randomness that the generator was given: the same seed
// gives the same inputs.
package generate

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
)

// Options say what inputs are made. Fields that are zero mean the default.
type Options struct {
	Start     string // the rule to derive from; the grammar's start rule if empty
	MaxDepth  int    // symbols below each other, if the grammar can do with so few; 30
	MaxRepeat int    // repetitions of what can be repeated; 10
	Shortest  bool   // always the smallest derivation, of several any
	Spaced    bool   // trivia between all tokens, not only where they would run together
}

func (o Options) withDefaults() Options {
	if o.MaxDepth == 0 {
		o.MaxDepth = 30
	}
	if o.MaxRepeat == 0 {
		o.MaxRepeat = 10
	}
	return o
}

// An Input is a text that parses, and its derivation.
type Input struct {
	Text  []byte
	Tree  *derivation.Tree
	Draws int // how many trees were drawn until one could be written and read back
}

// maxDraws is how many trees are drawn for an input before giving up.
const maxDraws = 200

// maxTreeNodes bounds a tree while it is drawn; a larger one is drawn again.
const maxTreeNodes = 100_000

// A Generator makes inputs of one grammar. It is not safe for concurrent use.
type Generator struct {
	grammar    *grammars.Grammar
	opt        Options
	rand       *rand.Rand
	writer     *grammars.Writer
	separators [][]byte
}

// New returns a generator that draws from r.
func New(g *grammars.Grammar, r *rand.Rand, opt Options) (*Generator, error) {
	if opt.Start == "" {
		opt.Start = g.Start
	}
	rule := g.Rule(opt.Start)
	switch {
	case rule == nil || rule.Kind != grammars.ParserRule:
		return nil, fmt.Errorf("grammar %s has no parser rule %q", g.Name, opt.Start)
	case g.Nodes[rule.Root].Size == grammars.Unproductive:
		return nil, fmt.Errorf("rule %s of grammar %s derives nothing", opt.Start, g.Name)
	}
	x := &Generator{grammar: g, opt: opt.withDefaults(), rand: r, writer: g.Writer()}
	x.separators = x.findSeparators()
	return x, nil
}

// Next makes an input.
func (x *Generator) Next(ctx context.Context) (*Input, error) {
	for draws := 1; draws <= maxDraws; draws++ {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		d := &drawing{Generator: x}
		d.rule(x.grammar.Rule(x.opt.Start), 0, grammars.Loose())
		input, err := d.finish(ctx)
		if err != nil {
			return nil, err
		}
		if input != nil {
			input.Draws = draws
			return input, nil
		}
	}
	return nil, fmt.Errorf("grammar %s: %w in %d draws", x.grammar.Name, ErrUnwritten, maxDraws)
}

// A drawing is a tree while it is drawn.
type drawing struct {
	*Generator
	Draft
	failed bool

	goal  *goal    // what the tree is to have in it; nil for anything
	cover *Cover   // what is wanted of all trees; nil for nothing
	size  int      // symbols drawn, those in tokens too
	rows  []uint64 // hashes of paths, as an extractor has them
}

// rule draws a rule's right-hand side.
func (d *drawing) rule(r *grammars.Rule, depth int, b grammars.Binding) {
	if r.Operators == nil {
		d.node(d.grammar.Nodes[r.Root], depth, nil)
		return
	}
	var fits []*grammars.Node
	for i := range r.Operators {
		if op := &r.Operators[i]; b.Allows(op) && op.Alt.Size != grammars.Unproductive {
			fits = append(fits, op.Alt)
		}
	}
	if len(fits) == 0 {
		d.failed = true
		return
	}
	alt := d.pick(fits, depth)
	for i := range r.Operators {
		if op := &r.Operators[i]; op.Alt == alt {
			d.node(alt, depth, b.Operands(op))
		}
	}
}

// node draws what a node of a parser rule derives.
func (d *drawing) node(n *grammars.Node, depth int, operands map[grammars.Occurrence]grammars.Binding) {
	if len(d.nodes) > maxTreeNodes || d.failed {
		d.failed = true
		return
	}
	d.enter(n, depth)
	switch n.Kind {
	case grammars.Alternation:
		d.node(d.pick(productive(n.Children), depth), depth, operands)
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

func productive(nodes []*grammars.Node) []*grammars.Node {
	var out []*grammars.Node
	for _, n := range nodes {
		if n.Size != grammars.Unproductive {
			out = append(out, n)
		}
	}
	return out
}

// choose draws one of the nodes: any of those that can end within the depth, or
// of those that end soonest.
func (x *Generator) choose(nodes []*grammars.Node, depth int) *grammars.Node {
	least := func(n *grammars.Node) int { return n.Depth }
	bound := x.opt.MaxDepth - depth
	if x.opt.Shortest {
		least, bound = func(n *grammars.Node) int { return n.Size }, -1
	}
	low := least(nodes[0])
	for _, n := range nodes {
		low = min(low, least(n))
	}
	var fits []*grammars.Node
	for _, n := range nodes {
		if least(n) <= max(bound, low) {
			fits = append(fits, n)
		}
	}
	return fits[x.rand.IntN(len(fits))]
}

// times draws how often something is repeated.
func (x *Generator) times(n *grammars.Node, depth int) int {
	body := n.Children[0]
	if x.opt.Shortest || body.Size == grammars.Unproductive || body.Depth > x.opt.MaxDepth-depth {
		return n.Min
	}
	most := x.opt.MaxRepeat
	if n.Max >= 0 {
		most = min(most, n.Max)
	}
	return n.Min + x.rand.IntN(max(most, n.Min)-n.Min+1)
}

// token draws the text of a token.
func (d *drawing) token(n *grammars.Node, kind, depth int) {
	roots := n.Children
	if n.Kind == grammars.TokenSet {
		for _, r := range d.grammar.TokenRules(kind) {
			roots = append(roots, d.grammar.Nodes[r.Root])
		}
	}
	roots = productive(roots)
	for range maxTokenDraws {
		if len(roots) == 0 {
			break
		}
		t := &spelling{drawing: d}
		before := *d
		t.node(d.pick(roots, depth+1), depth+1)
		if !d.failed && d.writer.Reads(kind, t.text) {
			d.Word(depth, n.ID, kind, t.text)
			return
		}
		d.goal, d.size, d.failed = before.goal, before.size, false
	}
	d.failed = true
}

// maxTokenDraws is how many texts are drawn for a token until one is read as
// that token, and not as a keyword or a longer one.
const maxTokenDraws = 20
