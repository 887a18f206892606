// Package campaign decides which inputs to run a program on, one generation after the
// other, based on the observations of earlier inputs.
//
// [Campaign.Ask] returns inputs to run, and [Campaign.Tell] takes their observations. A
// campaign runs nothing and stores nothing. The same options and the same observations
// give the same inputs, in whatever order the observations of a generation are told. So
// an interrupted campaign continues if its observations are told again. [Run] asks, runs
// and tells. [Campaign.Include] adds inputs from elsewhere.
//
// The algorithms differ in how they create the next generation: see [Algorithm].
package campaign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/grammars/refine"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/targeting/generate"
)

// An Algorithm creates the generations of a campaign.
type Algorithm string

// The algorithms.
const (
	// Guided trains a model on the observations, aims at rarely reached units, and mutates
	// inputs that brought something new. It prefers whichever of these succeeds.
	Guided   Algorithm = "guided"
	Random   Algorithm = "random"   // inputs at random, without feedback
	Common   Algorithm = "common"   // inputs like those of the corpus, without feedback
	Uncommon Algorithm = "uncommon" // inputs unlike those of the corpus, without feedback
	EvoGFuzz Algorithm = "evogfuzz" // a probabilistic grammar evolves towards failures and complex inputs
	FDLoop   Algorithm = "fdloop"   // a probabilistic grammar is learned from the input that is best for the goals
)

// Algorithms returns all algorithms.
func Algorithms() []Algorithm { return []Algorithm{Guided, Random, Common, Uncommon, EvoGFuzz, FDLoop} }

// Options configure a [Campaign]. Zero numbers select the defaults.
type Options struct {
	Algorithm Algorithm
	Goal      Goal   // of Guided and FDLoop; default AllGoals
	Ignore    []Goal // goals that do not matter
	Seed      uint64
	Start     string // rule that inputs are derived from; the grammar's start rule if empty
	// Sources are the files of the grammar, which Guided needs.
	Sources []grammars.Source
	// Corpus has inputs to start from. Inputs outside the grammar are left out.
	Corpus [][]byte
	Units  []observation.Unit // of the program, if all are known in advance
	Runs   int                // the maximum number of inputs to ask for; no limit if 0
	K      int                // length of the paths whose coverage is reported; default 3

	MaxNodes   int // symbols of a generated tree; default 1,000
	Expansions int // rules and tokens that are expanded by probability before the smallest are taken; default 200

	Names generate.Texts // token texts that recur; see [generate.Options]

	EvoGFuzz EvoGFuzzOptions
	FDLoop   FDLoopOptions
	Guided   GuidedOptions
}

// An Input is an input to run.
type Input struct {
	Number int // counts the inputs of the campaign
	Text   []byte
	Aim    string // what the input is for; may be empty
}

// An Aim is the purpose of some inputs of a generation.
type Aim struct {
	Text   string
	Inputs int // with this aim
}

// An End says why a campaign ended.
type End string

// The reasons to end.
const (
	EndRuns        End = "runs"        // the maximum number of runs is reached
	EndGenerations End = "generations" // the maximum number of generations is reached
	EndPatience    End = "patience"    // too many generations found no new failure
	EndExhausted   End = "exhausted"   // no new inputs are found
)

var (
	// ErrEnded is returned by [Campaign.Ask] after the end of a campaign.
	ErrEnded = errors.New("the campaign has ended")
	// ErrNoCorpus is returned by [New] if the algorithm learns from the corpus and no
	// input of the corpus is in the grammar.
	ErrNoCorpus = errors.New("needs a corpus with inputs of the grammar")
)

// A Status is the state of a campaign.
type Status struct {
	Runs       int    // inputs that were told or included
	Included   int    // inputs that were included
	Generation int    // number of the current generation, from 1
	Aim        string // what the current generation is for; may be empty
	Reached    int    // units
	Units      int    // known units of the program
	Failures   int    // distinct failures
	Failing    int    // inputs with an outcome other than ok
	K          int    // length of the paths in Paths
	Paths      int    // different paths of the inputs in the grammar; with [Guided], mostly of trees that were drawn and not parsed
	AllPaths   *big.Int
	End        End // "" if the campaign goes on
}

// A Finding is an input that brought something new.
type Finding struct {
	Text     []byte
	Units    []string // IDs of the units that no earlier input reached
	Failure  bool     // a failure that no earlier input had
	Included bool     // the input was included, not asked for
}

// A Campaign decides which inputs to run. It is not safe for concurrent use.
type Campaign struct {
	opt       Options
	grammar   *grammars.Grammar
	algorithm algorithm
	reader    *grammars.Grammar // the copy of the grammar whose trees the algorithm needs
	paths     *features.Extractor
	allPaths  *big.Int

	archive  *archive // of the generations before the current one
	status   Status
	findings []Finding
	reached  map[string]bool // IDs of units
	failures observation.OutcomeGroups

	current []*individual          // the current generation
	asked   int                    // individuals of the current generation that were handed out or repeat others
	waiting int                    // individuals of the current generation without a result
	first   map[uint64]*individual // of the current generation, by hash of the input
	numbers map[int]*individual
	next    int // number of the next input
	idle    int // inputs of the last generations, if none of them was new

	included []observation.Observation // to count from the next generation on
	pending  map[uint64]bool           // hashes of the inputs in included
}

// An algorithm creates generations.
type algorithm interface {
	// next returns the next generation, given the last one, which is nil at the beginning.
	// All individuals of last have results; included inputs come last. The campaign ends
	// if the next generation is empty or the End is not "".
	next(ctx context.Context, last []*individual) ([]*individual, End, error)
}

// generate returns the options to generate inputs by probabilities, or at random if
// they are nil.
func (o Options) generate(p *generate.Probabilities) generate.Options {
	return generate.Options{Start: o.Start, MaxNodes: o.MaxNodes, Expansions: o.Expansions, Names: o.Names, Probabilities: p}
}

// New returns a campaign.
func New(ctx context.Context, g *grammars.Grammar, opt Options) (*Campaign, error) {
	if opt.Start == "" {
		opt.Start = g.Start
	}
	opt.Goal, opt.K, opt.MaxNodes, opt.Expansions = cmp.Or(opt.Goal, AllGoals), cmp.Or(opt.K, 3), cmp.Or(opt.MaxNodes, 1000), cmp.Or(opt.Expansions, 200)
	if err := refine.Prepare(ctx, g, opt.Start); err != nil {
		return nil, err
	}
	space := features.NewSpace(g, features.Options{Start: opt.Start, Possible: true})
	c := &Campaign{
		opt: opt, grammar: g, paths: features.NewExtractor(space, opt.K), allPaths: space.Count(opt.K),
		archive: newArchive(opt), numbers: map[int]*individual{}, reached: map[string]bool{},
		reader: g, pending: map[uint64]bool{},
	}
	corpus, err := c.parse(ctx, opt.Corpus)
	if err != nil {
		return nil, err
	}
	c.algorithm, err = c.newAlgorithm(ctx, corpus)
	return c, err
}

func (c *Campaign) newAlgorithm(ctx context.Context, corpus []*derivation.Tree) (algorithm, error) {
	switch c.opt.Algorithm {
	case Random:
		return newSampling(c.grammar, c.opt, nil) //nolint:contextcheck // the grammar is prepared
	case Common, Uncommon:
		if len(corpus) == 0 {
			return nil, fmt.Errorf("algorithm %s: %w", c.opt.Algorithm, ErrNoCorpus)
		}
		p, err := learn(c.grammar, corpus...)
		if err == nil && c.opt.Algorithm == Uncommon {
			p = p.Invert()
		}
		if err != nil {
			return nil, err
		}
		return newSampling(c.grammar, c.opt, p) //nolint:contextcheck // the grammar is prepared
	case EvoGFuzz:
		return newEvoGFuzz(ctx, c.grammar, c.opt, corpus)
	case Guided:
		a, err := newGuided(ctx, c.grammar, c.opt, c.archive, corpus)
		if err != nil {
			return nil, err
		}
		c.reader = a.grammar
		return a, nil
	case FDLoop:
		return newFDLoop(ctx, c.grammar, c.opt, c.archive, corpus)
	default:
		return nil, fmt.Errorf("algorithm %q: must be one of %q", c.opt.Algorithm, Algorithms())
	}
}

// parse returns the trees of the inputs that are in the grammar.
func (c *Campaign) parse(ctx context.Context, inputs [][]byte) ([]*derivation.Tree, error) {
	var trees []*derivation.Tree
	for _, input := range inputs {
		tree, err := parse(ctx, c.grammar, c.opt.Start, input)
		if err != nil {
			return nil, err
		}
		if tree != nil {
			trees = append(trees, tree)
		}
	}
	return trees, nil
}

// parseLimits returns limits on the steps of a parse and not on its time, because the inputs
// of a campaign must not depend on the load of the machine.
func parseLimits() grammars.Limits { return grammars.Limits{Time: time.Hour} }

// parse returns the tree of an input, or nil if the input is outside the grammar or
// exceeds a limit.
func parse(ctx context.Context, g *grammars.Grammar, start string, input []byte) (*derivation.Tree, error) {
	tree, err := g.Parse(ctx, input, grammars.ParseOptions{Start: start, Unlocated: true, Limits: parseLimits()})
	if _, outside := errors.AsType[*grammars.SyntaxError](err); outside {
		return nil, nil //nolint:nilnil // no tree is an answer
	}
	if _, limited := errors.AsType[*limit.Error](err); limited {
		return nil, nil //nolint:nilnil // no tree is an answer
	}
	return tree, err
}

// maxIdle is the number of successive inputs that are not new after which a campaign ends.
// [FDLoop] has small generations, and learns from one input at a time: hundreds of
// generations may pass before it leaves a small input again.
const maxIdle = 5000

// Ask returns up to n inputs to run. It returns none while observations of the current
// generation are missing, and [ErrEnded] after the end.
func (c *Campaign) Ask(ctx context.Context, n int) ([]Input, error) {
	var out []Input
	for len(out) < n {
		if c.status.End != "" {
			break
		}
		for c.asked < len(c.current) && len(out) < n {
			i := c.current[c.asked]
			if !i.known() && c.opt.Runs > 0 && c.next >= c.opt.Runs {
				c.drop()
				break
			}
			c.asked++
			if i.known() {
				continue
			}
			c.numbers[c.next] = i
			out = append(out, Input{c.next, i.text, i.aim})
			c.next++
		}
		if len(out) == n || c.waiting > 0 {
			break
		}
		if err := c.advance(ctx); err != nil {
			return nil, err
		}
	}
	if len(out) > 0 || c.waiting > 0 || c.status.End == "" {
		return out, nil
	}
	_, err := c.complete(ctx)
	c.current = nil
	return nil, cmp.Or(err, ErrEnded)
}

// drop ends the campaign: individuals of the current generation that were not handed
// out are left out.
func (c *Campaign) drop() {
	c.status.End = EndRuns
	for _, i := range c.current[c.asked:] {
		if !i.known() {
			c.waiting--
		}
	}
	c.current = c.current[:c.asked]
}

// advance completes the current generation and begins the next one.
func (c *Campaign) advance(ctx context.Context) error {
	last, err := c.complete(ctx)
	if err != nil {
		return err
	}
	next, end, err := c.algorithm.next(ctx, last)
	if err != nil {
		return err
	}
	c.current, c.asked, c.waiting = next, 0, 0
	c.status.Generation++
	c.first = map[uint64]*individual{}
	for _, i := range next {
		key := xxhash.Sum64(i.text)
		if i.result = c.archive.results[key]; i.result != nil {
			continue
		}
		if i.same = c.first[key]; i.same == nil {
			c.first[key] = i
			c.waiting++
		}
	}
	c.idle += len(next)
	if c.waiting > 0 {
		c.idle = 0
	}
	switch {
	case end != "":
		c.status.End = end
	case len(next) == 0 || c.idle > maxIdle:
		c.status.End = EndExhausted
	case c.opt.Runs > 0 && c.next >= c.opt.Runs:
		c.status.End = EndRuns
	}
	if c.status.End != "" {
		c.status.Generation--
		c.current, c.waiting = nil, 0
	}
	return nil
}

// complete sets the results of the current generation, then those of the included inputs,
// and returns both. Before the first generation, it returns nil and keeps included inputs.
func (c *Campaign) complete(ctx context.Context) ([]*individual, error) {
	if err := c.settle(ctx, c.current); err != nil || c.status.Generation == 0 {
		return nil, err
	}
	all := slices.Clip(c.current)
	for _, o := range c.included {
		if c.archive.results[xxhash.Sum64(o.Input)] != nil {
			continue // also an input of the generation
		}
		tree, err := parse(ctx, c.reader, c.opt.Start, o.Input)
		if err != nil {
			return nil, err
		}
		i := &individual{text: o.Input, tree: tree, included: true, observation: o}
		if err := c.settle(ctx, []*individual{i}); err != nil {
			return nil, err
		}
		all = append(all, i)
	}
	c.included = nil
	clear(c.pending)
	return all, nil
}

// settle sets the results of individuals, in order. Individuals that reached a new unit or
// had a new failure get the parser's tree.
func (c *Campaign) settle(ctx context.Context, generation []*individual) error {
	for _, i := range generation {
		switch {
		case i.same != nil:
			i.result = i.same.result
		case i.result == nil:
			c.archive.add(i)
			if i.drawn && (len(i.brought.units) > 0 || i.brought.failure) {
				tree, err := parse(ctx, c.reader, c.opt.Start, i.text)
				if err != nil {
					return err
				}
				i.tree, i.drawn = tree, false
			}
			if err := c.archive.addPaths(c.paths, c.opt.K, i); err != nil {
				return err
			}
			c.find(i)
		}
	}
	return nil
}

// find adds an individual to the findings, if it brought something new.
func (c *Campaign) find(i *individual) {
	if f, ok := c.archive.finding(i); ok {
		c.findings = append(c.findings, f)
	}
}

// Findings returns the inputs that [Finder.Add] would report, in order, up to the last
// complete generation, or the last observation after [Campaign.Finish]. The caller must not
// change them.
func (c *Campaign) Findings() []Finding { return c.findings }

// Finish counts the observations of the current generation, even if some are missing, so that
// [Campaign.Findings] and [Campaign.Status] include them. [Campaign.Ask] must not be called
// afterwards.
func (c *Campaign) Finish(ctx context.Context) error {
	c.current = slices.DeleteFunc(slices.Clone(c.current), func(i *individual) bool {
		if i.same != nil {
			i = i.same
		}
		return i.result == nil && i.observation.Outcome == "" // it was not told
	})
	_, err := c.complete(ctx)
	c.current, c.waiting = nil, 0
	return err
}

// Tell takes the observation of an input that Ask returned. It ignores an input that was
// told before.
func (c *Campaign) Tell(number int, o observation.Observation) error {
	i := c.numbers[number]
	switch {
	case i == nil && number >= 0 && number < c.next:
		return nil // again
	case i == nil:
		return fmt.Errorf("input %d: must be one that was asked for", number)
	}
	delete(c.numbers, number)
	c.waiting--
	i.observation = c.count(o)
	return nil
}

// Include takes the observation of an input that the campaign did not ask for, such as an
// input of another fuzzer. The input may be outside the grammar. It counts from the next
// generation on, as if it had been part of the current one. Include ignores an input for
// which [Campaign.Knows] is true.
func (c *Campaign) Include(o observation.Observation) {
	if c.Knows(o.Input) {
		return
	}
	c.included = append(c.included, c.count(o))
	c.pending[xxhash.Sum64(o.Input)] = true
	c.status.Included++
}

// Knows reports whether an input is part of the current or an earlier generation, or was
// included.
func (c *Campaign) Knows(input []byte) bool {
	key := xxhash.Sum64(input)
	return c.archive.results[key] != nil || c.first[key] != nil || c.pending[key]
}

// count counts an observation. It returns the observation as it would be read back from a
// file, so that a continued campaign sees the same.
func (c *Campaign) count(o observation.Observation) observation.Observation {
	o = o.Normalized()
	c.status.Runs++
	for _, id := range o.Methods {
		c.reached[id] = true
	}
	if o.Outcome != observation.OK {
		c.status.Failing++
		c.failures.Add(observation.Observation{Input: o.Input, Outcome: o.Outcome, Failure: o.Failure})
	}
	return o
}

// Status returns the state of the campaign.
func (c *Campaign) Status() Status {
	s := c.status
	s.Reached, s.Units = len(c.reached), max(len(c.opt.Units), len(c.reached))
	s.Failures = c.failures.Len()
	s.K, s.Paths, s.AllPaths = c.opt.K, c.archive.paths.Len(c.opt.K), c.allPaths
	if c.asked > 0 && c.asked <= len(c.current) {
		s.Aim = c.current[c.asked-1].aim
	}
	return s
}

// Aims returns the aims of the inputs of the current generation, the most frequent first.
func (c *Campaign) Aims() []Aim {
	counts := map[string]int{}
	for _, i := range c.current {
		if i.aim != "" {
			counts[i.aim]++
		}
	}
	var out []Aim
	for text, n := range counts {
		out = append(out, Aim{text, n})
	}
	slices.SortFunc(out, func(a, b Aim) int { return cmp.Or(b.Inputs-a.Inputs, strings.Compare(a.Text, b.Text)) })
	return out
}
