// Package generate generates inputs of a grammar.
//
// A [Generator] draws a derivation tree from left to right, writes it as text and
// parses the text. Where the text is misread, it redraws a part of the tree. An input
// comes with the tree that the parser reads. The generator has one source of
// randomness: the same seed gives the same inputs.
// [Each] generates many inputs on several cores; the inputs do not depend on their number.
//
// [Options] say how choices are made: uniformly among the alternatives that fit,
// always the smallest, or by [Probabilities] that were learned from a corpus. A
// [Cover] chooses paths that no input covers yet.
package generate

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
)

// Options configure a [Generator]. Zero fields mean the default.
type Options struct {
	Start     string // the rule to derive from; the grammar's start rule if empty
	MaxDepth  int    // the depth in symbols, unless the grammar needs more; default 30
	MaxRepeat int    // rounds of a repetition; default 10
	MaxNodes  int    // symbols of a tree, including those inside tokens, unless the grammar needs more; default 3,000
	MaxTokens int    // tokens of an input, unless the grammar needs more; default 1 million

	Shortest bool // always one of the smallest derivations
	// Cooldown is the factor by which an alternative's chance shrinks each time that
	// an input takes it. The default is 1: chances stay the same.
	Cooldown float64
	// Probabilities replace the uniform choice. MaxDepth has no effect then.
	Probabilities *Probabilities
	// Expansions is the number of rules and tokens that are expanded by probability;
	// then the smallest derivations are taken. The default is 200.
	Expansions int

	// AllowDuplicates lets [Each] and [Stream] return an input more than once. By
	// probability, inputs are then as frequent as the probabilities say.
	AllowDuplicates bool

	// Unverified leaves out parsing: an input comes with the tree that was drawn, although
	// the parser may read its text as another tree, or not at all.
	Unverified bool
	// Trust, if not nil, decides which texts are parsed; the others are treated as
	// Unverified. Generators may share a Trust.
	Trust *Trust

	// VaryParts lets the size limit of a subtree that [Regenerate] draws vary widely up to
	// MaxNodes, so that most mutants are small.
	VaryParts bool

	Spacing Spacing
	// Separators are the texts of trivia between tokens; the first that fits is taken.
	// By default they are short texts of the grammar's trivia.
	Separators [][]byte
	Tokens     Texts // token texts to choose from, instead of drawing them
	Names      Texts // token texts to choose from three times out of four, so that names recur
}

// Spacing says where to write trivia between tokens.
type Spacing int

// The kinds of spacing.
const (
	Compact       Spacing = iota // only where tokens would merge
	Spaced                       // between all tokens
	RandomSpacing                // anywhere, including comments
)

func (o Options) withDefaults() Options {
	for _, d := range []struct {
		value *int
		usual int
	}{{&o.MaxDepth, 30}, {&o.MaxRepeat, 10}, {&o.MaxNodes, 3_000}, {&o.MaxTokens, 1_000_000}, {&o.Expansions, 200}} {
		if *d.value == 0 {
			*d.value = d.usual
		}
	}
	if o.Cooldown == 0 {
		o.Cooldown = 1
	}
	return o
}

// unparsed reports whether inputs may have any derivation of the grammar, and not only
// those that the parser returns: in scannerless grammars without verification.
func (o Options) unparsed(g *grammars.Grammar) bool { return o.Unverified && g.Scannerless }

// An Input is a text and its derivation tree.
type Input struct {
	Text  []byte
	Tree  *derivation.Tree
	Drawn bool // Tree is the tree that was drawn; the text was not parsed
	Draws int  // the number of trees drawn until one could be written and parsed
	// Repairs is the number of subtrees that were drawn again because their text was
	// misread.
	Repairs int
	// ReadOtherwise reports whether the parser reads the text as another tree than the
	// one that was drawn. Tree is the parser's.
	ReadOtherwise bool
}

// maxTried limits the texts that are tried for an input.
const maxTried = 200

// A Generator generates inputs of one grammar. It is not safe for concurrent use.
type Generator struct {
	*graph
	opt        Options
	chooser    chooser
	rand       *rand.Rand
	writer     *grammars.Writer
	separators [][]byte
	lastGoal   *goal // the last one that was made
	limit      size  // of the next input
	uses       *uses // the alternatives that the current input takes
	scratch    scratch
	plans      plans
	tokens     map[tokenKey]*tokenPlan
	assembling []grammars.Symbol // scratch
	same       []int             // scratch

	sources     map[*derivation.Tree]*source // of trees that were mutated recently
	sourceNodes int                          // of all of them
	latest      *source                      // the last mutant
	likely      *grammars.Written            // similar to the next text; may be nil
	accepted    *Draft                       // of the last input
}

// New returns a generator with r as its source of randomness.
func New(g *grammars.Grammar, r *rand.Rand, opt Options) (*Generator, error) {
	if opt.Start == "" {
		opt.Start = g.Start
	}
	rule := g.Rule(opt.Start)
	switch {
	case rule == nil || rule.Kind != grammars.ParserRule:
		return nil, fmt.Errorf("grammar %s has no parser rule %q", g.Name, opt.Start)
	case g.Nodes[rule.Root].Size == grammars.Unproductive:
		return nil, fmt.Errorf("rule %s of grammar %s has no finite derivation", opt.Start, g.Name)
	}
	if err := opt.Probabilities.fits(g); err != nil {
		return nil, err
	}
	opt = opt.withDefaults()
	if g.Scannerless || g.HasMore() { // the tokens of a draft are not those of the parser
		opt.Trust = nil
	}
	x := &Generator{graph: graphOf(g, opt), opt: opt, chooser: newChooser(g, opt), rand: r, writer: g.Writer(), tokens: map[tokenKey]*tokenPlan{}}
	x.limit = size{opt.MaxNodes, opt.MaxTokens, opt.MaxRepeat}
	if x.separators = opt.Separators; x.separators == nil {
		x.separators = x.findSeparators()
	}
	return x, nil
}

// SetProbabilities replaces the probabilities of a generator's choices.
func (x *Generator) SetProbabilities(p *Probabilities) error {
	if err := p.fits(x.grammar); err != nil {
		return err
	}
	x.opt.Probabilities = p
	x.chooser = newChooser(x.grammar, x.opt)
	return nil
}

// Next generates an input. The error wraps [ErrUnwritten] if no tree could be
// written. After several failures the trees become smaller.
func (x *Generator) Next(ctx context.Context) (*Input, error) {
	repairs := 0
	x.uses = &uses{}
	for draws, texts := 1, 0; texts < maxTried; draws++ {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		d := x.newDrawing()
		d.reuse(&x.scratch)
		d.limit.shrink((draws - 1) / 2)
		d.start()
		// Operators and lexer states can require more tokens than estimated. The smallest
		// tree is returned in any case.
		fits := func(*Input) (bool, error) { return len(d.words) <= x.opt.MaxTokens || d.limit.tokens == 0, nil }
		input, tried, err := d.finish(ctx, fits, min(maxTried/2, maxTried-texts))
		d.release(&x.scratch)
		if err != nil {
			return nil, err
		}
		texts += tried
		if repairs += tried - 1; input != nil {
			input.Draws, input.Repairs = draws, repairs
			return input, nil
		}
	}
	return nil, fmt.Errorf("grammar %s: %w in %d tries", x.grammar.Name, ErrUnwritten, maxTried)
}
