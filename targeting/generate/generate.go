// Package generate makes inputs of a grammar.
//
// A [Generator] derives a tree from the grammar graph, one choice after the
// other, writes it as text, and parses the text back. Only a text that parses
// back to the tree it was written from is returned. All choices are drawn from
// the one source of randomness that the generator was given: the same seed
// gives the same inputs. [Each] makes many on all cores, the same as on one.
//
// How choices are made is said by [Options]: any alternative that fits, always
// the smallest, or by the [Probabilities] of a corpus. A [Cover] chooses what no
// input before had.
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
	MaxNodes  int    // symbols of a tree, those in tokens too, if the grammar can do with so few; 3,000

	Shortest bool // always the smallest derivation, of several any
	// Cooldown is what an alternative's chance is multiplied by each time that an
	// input takes it; 1, so that chances stay the same.
	Cooldown float64
	// Probabilities are those that choices are made by, instead of any being as
	// likely as another. Depth does not matter then.
	Probabilities *Probabilities
	// Expansions are how many rules and tokens are expanded by probability; from
	// then on the smallest derivations are taken. 200
	Expansions int

	Spacing Spacing
	// Separators are the texts of trivia that may stand between tokens, the first
	// that fits first; short ones of the grammar's own if nil.
	Separators [][]byte
	Tokens     Texts // texts to take tokens from, instead of making them up
	Names      Texts // texts to take tokens from three times out of four, so that the same come again
}

// Spacing says where trivia stands between tokens.
type Spacing int

// The kinds of spacing.
const (
	Compact       Spacing = iota // only where tokens would run together
	Spaced                       // between all tokens
	RandomSpacing                // anywhere, comments too
)

func (o Options) withDefaults() Options {
	for _, d := range []struct {
		value *int
		usual int
	}{{&o.MaxDepth, 30}, {&o.MaxRepeat, 10}, {&o.MaxNodes, 3_000}, {&o.Expansions, 200}} {
		if *d.value == 0 {
			*d.value = d.usual
		}
	}
	if o.Cooldown == 0 {
		o.Cooldown = 1
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

// A Generator makes inputs of one grammar. It is not safe for concurrent use.
type Generator struct {
	*graph
	opt        Options
	chooser    chooser
	rand       *rand.Rand
	writer     *grammars.Writer
	separators [][]byte
	lastGoal   *goal // that was made
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
	if err := opt.Probabilities.fits(g); err != nil {
		return nil, err
	}
	opt = opt.withDefaults()
	x := &Generator{graph: newGraph(g), opt: opt, chooser: newChooser(g, opt), rand: r, writer: g.Writer()}
	x.modes = g.Modes(opt.Start)
	if x.separators = opt.Separators; x.separators == nil {
		x.separators = x.findSeparators()
	}
	return x, nil
}

// Next makes an input.
func (x *Generator) Next(ctx context.Context) (*Input, error) {
	for draws := 1; draws <= maxDraws; draws++ {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		d := x.newDrawing()
		d.start()
		input, err := d.finish(ctx, anyInput)
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
