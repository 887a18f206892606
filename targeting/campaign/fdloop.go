package campaign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/targeting/generate"
)

// FDLoopOptions are the parameters of [FDLoop]. Zero values select the defaults.
type FDLoopOptions struct {
	Generations int // maximum number of generations; default 50, no limit if negative
	// Inputs is the number of inputs that a generation generates. As many mutants of them
	// are run. The default is 5.
	Inputs int
	// Seeds is the number of random inputs that the first grammar is learned from if
	// there is no corpus; default 500. They are not run.
	Seeds int
	// MaxMappings is the number of mappings that counts as many. By default, it is the
	// number of mappings of Calibration random inputs, which are run first.
	MaxMappings int
	Calibration int           // default 100
	Flipped     float64       // share of an input's tokens in which a bit is flipped; default 0.1
	Depth       int           // of the structures in mappings; default 3
	Timeout     time.Duration // run time that counts as 1; default 2 s

	// Pareto keeps all inputs of a generation that no other input surpasses. An input
	// surpasses another if it is as good for all goals and better for one. The default is
	// to keep the input with the highest sum of the weighted goals.
	Pareto bool
	// Size is the weight of an input's size, which grows from 0 for 0 bytes towards 1. If
	// the weight is negative, small inputs are fitter. The default is 0.
	Size float64
	// Novelty is the weight of the share of an input's structures that no kept input has.
	// The default is 0.
	Novelty float64
}

func (o FDLoopOptions) withDefaults() FDLoopOptions {
	o.Generations, o.Inputs, o.Seeds = cmp.Or(o.Generations, 50), cmp.Or(o.Inputs, 5), cmp.Or(o.Seeds, 500)
	o.Calibration, o.Flipped, o.Depth = cmp.Or(o.Calibration, 100), cmp.Or(o.Flipped, 0.1), cmp.Or(o.Depth, 3)
	o.Timeout = cmp.Or(o.Timeout, 2*time.Second)
	return o
}

// fdLoop keeps the fittest input of each generation: the one that serves the goals best
// together with the inputs kept before. It learns the next grammar from this input alone,
// and makes the choices of one rule equally likely.
type fdLoop struct {
	grammar *grammars.Grammar
	options Options
	FDLoopOptions
	weights Weights
	archive *archive
	rand    *rand.Rand
	rules   []*grammars.Rule // with choices

	generator     *generate.Generator
	probabilities *generate.Probabilities
	kept          suite
	generation    int
	calibrating   bool
	early         []*individual // included while calibrating
}

// A suite sums up the results of the kept inputs.
type suite struct {
	inputs   int
	units    map[int32]bool
	mappings mappingSet
	failing  int
	failures map[observation.Property]bool

	structures map[uint64]bool
}

func newFDLoop(ctx context.Context, g *grammars.Grammar, opt Options, a *archive, corpus []*derivation.Tree) (*fdLoop, error) {
	f := &fdLoop{
		grammar: g, options: opt, FDLoopOptions: opt.FDLoop.withDefaults(), archive: a, rand: rand.New(rand.NewPCG(opt.Seed, 0)), rules: generate.ChoosingRules(g, opt.Start),
		kept: suite{units: map[int32]bool{}, failures: map[observation.Property]bool{}, structures: map[uint64]bool{}},
	}
	if f.Inputs < 0 || f.Seeds < 0 || f.Calibration < 0 || f.MaxMappings < 0 || f.Flipped < 0 || f.Flipped > 1 || f.Depth < 0 || f.Timeout < 0 || f.Novelty < 0 {
		return nil, fmt.Errorf("parameters of %s %+v: must not be negative, except Size, and Flipped at most 1", FDLoop, opt.FDLoop)
	}
	var err error
	if f.weights, err = weightsOf(opt.Goal, opt.Ignore); err != nil {
		return nil, err
	}
	if f.generator, err = generate.New(g, f.rand, opt.generate(nil)); err != nil { //nolint:contextcheck // reading one token back is bounded and takes no context
		return nil, err
	}
	if len(corpus) == 0 {
		seeds, err := f.random(ctx, f.Seeds)
		if err != nil {
			return nil, err
		}
		for _, input := range seeds {
			corpus = append(corpus, input.Tree)
		}
	}
	f.probabilities, err = learn(g, corpus...)
	return f, err
}

// random returns n random inputs.
func (f *fdLoop) random(ctx context.Context, n int) ([]*generate.Input, error) {
	return generateBy(ctx, f.generator, nil, n)
}

func (f *fdLoop) next(ctx context.Context, last []*individual) ([]*individual, End, error) {
	switch {
	case last == nil && f.MaxMappings == 0:
		f.calibrating = true
		inputs, err := f.random(ctx, f.Calibration)
		return aimed("calibrating", individuals(inputs)), "", err
	case f.calibrating:
		f.calibrating = false
		f.early = f.calibrate(last)
	case last != nil:
		if err := f.evolve(slices.Concat(last, f.early)); err != nil {
			return nil, "", err
		}
		f.early = nil
	}
	if f.Generations > 0 && f.generation == f.Generations {
		return nil, EndGenerations, nil
	}
	f.generation++
	inputs, err := generateBy(ctx, f.generator, f.probabilities, f.Inputs)
	if err != nil {
		return nil, "", err
	}
	mutants, err := f.mutants(ctx, inputs)
	return append(individuals(inputs), mutants...), "", err
}

// aimed sets the aim of individuals and returns them.
func aimed(aim string, all []*individual) []*individual {
	for _, i := range all {
		i.aim = aim
	}
	return all
}

// calibrate sets MaxMappings to the number of mappings of the random inputs. It returns
// the included inputs, which are not random.
func (f *fdLoop) calibrate(last []*individual) []*individual {
	var all mappingSet
	at := 0
	for ; at < len(last) && !last[at].included; at++ {
		all.add(last[at], f.Depth)
	}
	f.MaxMappings = max(1, all.count)
	return last[at:]
}

// evolve keeps the fittest individuals and learns the next probabilities from those in the
// grammar.
func (f *fdLoop) evolve(last []*individual) error {
	var trees []*derivation.Tree
	for _, i := range f.fittest(last) {
		f.keep(i)
		if i.tree != nil {
			trees = append(trees, i.tree)
		}
	}
	if len(trees) > 0 {
		p, err := learn(f.grammar, trees...)
		if err != nil {
			return err
		}
		f.probabilities = p
	}
	if len(f.rules) > 0 {
		f.probabilities = f.probabilities.WithUniform(f.rules[f.rand.IntN(len(f.rules))])
	}
	return nil
}

// fittest returns the individual with the highest fitness or, with Pareto, the individuals
// that no other one surpasses.
func (f *fdLoop) fittest(last []*individual) []*individual {
	if f.Pareto {
		values := make([][]float64, len(last))
		for at, i := range last {
			values[at] = f.scores(i).values(f.weights, f.Size, f.Novelty)
		}
		var out []*individual
		for _, at := range paretoFront(values) {
			out = append(out, last[at])
		}
		return out
	}
	best, fitness := last[0], f.fitness(last[0])
	for _, i := range last[1:] {
		if more := f.fitness(i); more > fitness {
			best, fitness = i, more
		}
	}
	return []*individual{best}
}

// paretoFront returns the indexes of the vectors that no other one surpasses: none is at
// least as large in all components and larger in one. Of equal vectors, it returns the
// first.
func paretoFront(values [][]float64) []int {
	surpasses := func(a, b []float64) bool {
		larger := false
		for i := range a {
			if a[i] < b[i] {
				return false
			}
			larger = larger || a[i] > b[i]
		}
		return larger
	}
	var out []int
	for i, v := range values {
		beaten := slices.ContainsFunc(values, func(other []float64) bool { return surpasses(other, v) })
		if !beaten && !slices.ContainsFunc(out, func(j int) bool { return slices.Equal(values[j], v) }) {
			out = append(out, i)
		}
	}
	return out
}

// keep adds an individual to the kept inputs.
func (f *fdLoop) keep(i *individual) {
	f.kept.inputs++
	for _, unit := range i.result.units {
		f.kept.units[unit] = true
	}
	f.kept.mappings.add(i, f.Depth)
	if i.tree != nil && f.Novelty > 0 {
		for _, s := range structures(i.tree, f.Depth) {
			f.kept.structures[s] = true
		}
	}
	if i.result.failed() {
		f.kept.failing++
		f.kept.failures[i.result.failure] = true
	}
}

// fitness returns how well the kept inputs and an individual serve the goals together.
func (f *fdLoop) fitness(i *individual) float64 {
	sum := 0.0
	for _, v := range f.scores(i).values(f.weights, f.Size, f.Novelty) {
		sum += v
	}
	return sum
}

// scores returns the numbers that the fitness of an individual depends on.
func (f *fdLoop) scores(i *individual) scores {
	s := scores{bytes: len(i.text), inputs: f.kept.inputs + 1, units: len(f.kept.units), failing: f.kept.failing, failures: len(f.kept.failures)}
	s.mappings = f.kept.mappings.count + f.kept.mappings.missing(i, f.Depth)
	for _, unit := range i.result.units {
		if !f.kept.units[unit] {
			s.units++
		}
	}
	if i.result.failed() {
		s.failing++
		if !f.kept.failures[i.result.failure] {
			s.failures++
		}
	}
	s.maxMappings, s.allUnits = f.MaxMappings, max(len(f.options.Units), len(f.archive.ids), 1)
	s.time = min(1, float64(i.result.duration)/float64(f.Timeout))
	if i.result.outcome == observation.TimedOut {
		s.time = 1
	}
	if i.tree != nil && f.Novelty > 0 {
		all, novel := structures(i.tree, f.Depth), 0
		for _, structure := range all {
			if !f.kept.structures[structure] {
				novel++
			}
		}
		s.novelty = float64(novel) / float64(max(1, len(all)))
	}
	return s
}

// scores are the numbers that the fitness of inputs depends on.
type scores struct {
	inputs                int
	mappings, maxMappings int
	units, allUnits       int
	time                  float64 // share of the timeout
	failing, failures     int     // inputs that fail, and distinct failures
	bytes                 int     // of the input
	novelty               float64 // share of the input's structures that no kept input has
}

// halfSize is the number of bytes of an input whose size has the value 0.5.
const halfSize = 100

// values returns the values of the goals, of size and of novelty, each between 0 and 1
// times its weight.
func (s scores) values(w Weights, size, novelty float64) []float64 {
	mappings := float64(s.mappings) / float64(s.maxMappings)
	return []float64{
		w.Mappings * mappings / (1 + mappings),
		w.Coverage * float64(s.units) / float64(s.allUnits),
		w.RunTime * s.time,
		w.Failures * (0.1*float64(s.failing) + 0.9*float64(s.failures)) / float64(s.inputs),
		size * float64(s.bytes) / float64(s.bytes+halfSize),
		novelty * s.novelty,
	}
}

// mutants returns a mutant of each input: bits of some tokens are flipped, or two
// subtrees of the same rule are swapped.
func (f *fdLoop) mutants(ctx context.Context, inputs []*generate.Input) ([]*individual, error) {
	x := f.generator
	if err := x.SetProbabilities(nil); err != nil {
		return nil, err
	}
	var out []*individual
	for _, input := range inputs {
		if f.rand.IntN(2) == 0 {
			swapped, err := x.Mutate(ctx, input.Tree, nil, generate.Swap)
			if err == nil {
				out = append(out, &individual{text: swapped.Text, tree: swapped.Tree})
				continue
			}
			if !errors.Is(err, generate.ErrUnwritten) {
				return nil, err
			}
		}
		flipped := flipBits(f.rand, input.Tree, f.Flipped)
		tree, err := parse(ctx, f.grammar, f.options.Start, flipped)
		if err != nil {
			return nil, err
		}
		out = append(out, &individual{text: flipped, tree: tree})
	}
	return out, nil
}

// flipBits flips a random bit in a share of the tokens of a tree, but at least in one.
func flipBits(r *rand.Rand, tree *derivation.Tree, share float64) []byte {
	text := slices.Clone(tree.Input())
	tokens := slices.DeleteFunc(slices.Clone(tree.Tokens()), func(t derivation.Token) bool { return t.Trivia() || t.Start == t.End })
	r.Shuffle(len(tokens), func(i, j int) { tokens[i], tokens[j] = tokens[j], tokens[i] })
	for _, t := range tokens[:min(len(tokens), max(1, int(share*float64(len(tokens))+0.5)))] {
		text[int(t.Start)+r.IntN(int(t.End-t.Start))] ^= 1 << r.IntN(8)
	}
	return text
}
