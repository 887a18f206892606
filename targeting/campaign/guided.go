package campaign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/targeting/generate"
)

// GuidedOptions are the parameters of [Guided]. Zero values select the defaults.
type GuidedOptions struct {
	Round int // inputs of a generation; default 50
	// Rows is the maximum number of ordinary observations that the model is trained on;
	// default 2,000. Observations that brought something new may be as many again.
	Rows int
	// Effort is the factor by which covering, choosing, aiming and training may take more
	// time than by default, or less if it is below 1; default 1.
	Effort float64
}

func (o GuidedOptions) withDefaults() GuidedOptions {
	return GuidedOptions{Round: cmp.Or(o.Round, 50), Rows: cmp.Or(o.Rows, 2000), Effort: cmp.Or(o.Effort, 1)}
}

// guided generates inputs in several ways, and prefers the ways that brought something
// new: units, failures, sets of units, hit counts, paths, or mappings and long runs if the
// goals value them. The ways are
//
//   - explore: inputs that cover paths, and random ones;
//   - mutate: mutants of the seeds: inputs that brought something new;
//   - corrupt: seeds with changed bytes or tokens, mostly outside the grammar;
//   - aim: inputs that a model of the observations suggests for rarely reached units.
//     The model knows nothing of units that were never reached; for these, the way aims
//     at the nearest reached unit in the source.
type guided struct {
	grammar *grammars.Grammar
	options Options
	GuidedOptions
	archive *archive
	rand    *rand.Rand
	weights Weights
	ways    []*way
	seeds   []seed
	sums    [2][]float64       // prefix sums of the weights of the seeds with a tree, and of all seeds
	corpus  []*derivation.Tree // not yet run

	explorer *explorer
	mutators []*generate.Generator // the second one lets the texts of the seeds recur
	trust    generate.Trust        // of the mutators
	aimer    *aimer
	effort   *effort
	weighed  int // number of times that seeds were weighed
	weighAll int // the value of weighed at which all seeds are weighed again
	slowest  time.Duration
	mappings mappingSet
}

// A way generates inputs.
type way struct {
	name string
	// make returns an input, or nil if it has none at present.
	make func(ctx context.Context) (*individual, error)
	// candidate returns a candidate; of several candidates, only the most promising are run.
	// It is nil if the way has no candidates.
	candidate func(ctx context.Context) (*individual, error)

	chosen []*individual // to run next

	made, reward float64 // of the last generations, weighted by age
}

// A seed is an input that brought something new.
type seed struct {
	*individual
	inside bool    // it has a tree; kept here because weigh reads it for all seeds
	chosen int     // how often it was changed
	served bool    // it brought something new for the goal of the campaign
	weight float64 // in this generation
}

// Limits on memory.
const (
	maxSeeds    = 2000
	maxMappings = 2_000_000
)

func newGuided(ctx context.Context, grammar *grammars.Grammar, opt Options, a *archive, corpus []*derivation.Tree) (*guided, error) {
	g := &guided{
		options: opt, GuidedOptions: opt.Guided.withDefaults(), archive: a, weighAll: minWeighed,
		rand: rand.New(rand.NewPCG(opt.Seed, 0)),
	}
	if g.Round < 0 || g.Rows < 0 || g.Effort < 0 {
		return nil, fmt.Errorf("parameters of %s %+v: must not be negative", Guided, opt.Guided)
	}
	var err error
	if g.weights, err = weightsOf(opt.Goal, opt.Ignore); err != nil {
		return nil, err
	}
	if g.aimer, err = newAimer(ctx, g, grammar); err != nil {
		return nil, err
	}
	g.grammar, g.corpus = g.aimer.trainer.Grammar(), corpus
	g.effort = newEffort(g.Effort, g.Round, ratesOf(g.grammar, opt.Start))
	if g.grammar != grammar { // the trees are those of another copy
		for i, tree := range corpus {
			if g.corpus[i], err = parse(ctx, g.grammar, opt.Start, tree.Input()); err != nil {
				return nil, err
			}
		}
	}
	if g.explorer, err = newExplorer(g.grammar, opt, g.effort); err != nil { //nolint:contextcheck // the grammar is prepared
		return nil, err
	}
	g.ways = []*way{
		{name: "exploring", make: g.explorer.next, candidate: g.explorer.random}, {name: "mutating", make: g.mutate, candidate: g.mutate}, {name: "corrupting", make: g.corrupt}, {name: "aiming", make: g.aimer.next},
	}
	return g, g.renewMutators() //nolint:contextcheck // the grammar is prepared
}

// renewMutators replaces the generators that mutate trees. In the second one, texts of
// seeds that the program accepted recur, so that names are used after they are declared
// and values are equal.
func (g *guided) renewMutators() error {
	const texts = 20 // of a token type
	names := generate.Texts{}
	for _, s := range slices.Backward(g.seeds) {
		if s.tree != nil && !s.result.failed() {
			names.Mine(g.grammar, s.tree)
		}
	}
	for token, all := range names {
		slices.SortStableFunc(all, func(a, b []byte) int { return cmp.Compare(len(a), len(b)) })
		names[token] = all[:min(len(all), texts)]
	}
	g.mutators = nil
	for _, names := range []generate.Texts{g.options.Names, names} {
		opt := g.options.generate(nil)
		opt.Names, opt.Trust, opt.VaryParts = names, &g.trust, true
		x, err := generate.New(g.grammar, g.rand, opt)
		if err != nil {
			return err
		}
		g.mutators = append(g.mutators, x)
	}
	return nil
}

func (g *guided) next(ctx context.Context, last []*individual) ([]*individual, End, error) {
	if err := g.learn(ctx, last); err != nil {
		return nil, "", err
	}
	var out []*individual
	for ; len(g.corpus) > 0 && len(out) < g.Round; g.corpus = g.corpus[1:] {
		out = append(out, &individual{text: g.corpus[0].Input(), tree: g.corpus[0], aim: "running the corpus"})
	}
	made := map[uint64]bool{}
	for tries := 0; len(out) < g.Round && tries < 20*g.Round; tries++ {
		w := g.pick()
		i, err := g.make(ctx, w)
		if err != nil {
			return nil, "", err
		}
		if i == nil || len(i.text) > observation.MaxInput { // the log would refuse it
			w.made += 0.1 // so that others are tried
			continue
		}
		key := xxhash.Sum64(i.text)
		if made[key] || g.archive.results[key] != nil {
			w.made += 0.1
			continue
		}
		made[key] = true
		i.way, i.aim = w, cmp.Or(i.aim, w.name)
		out = append(out, i)
	}
	return out, "", nil
}

// The numbers of candidates that are generated, and of the most promising ones that are run.
const (
	candidates = 8
	chosen     = 2
)

// make returns an input of a way, or nil if there is none. Three times out of four, it is
// one of the most promising of several candidates, as long as the effort allows choosing.
func (g *guided) make(ctx context.Context, w *way) (*individual, error) {
	if len(w.chosen) > 0 {
		i := w.chosen[0]
		w.chosen = w.chosen[1:]
		return i, nil
	}
	if w.candidate == nil || g.aimer.model == nil || g.rand.IntN(4) == 0 || !g.effort.allows(choosing, 0) {
		i, err := w.make(ctx)
		if errors.Is(err, generate.ErrUnwritten) {
			return nil, nil //nolint:nilnil // another input is tried
		}
		return i, err
	}
	defer func(before time.Duration) { g.effort.generated = before }(g.effort.generated) // candidates count as choosing
	var all []*individual
	for range candidates {
		i, err := w.candidate(ctx)
		if errors.Is(err, generate.ErrUnwritten) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if i == nil || g.wasRun(i) {
			continue
		}
		if i.promise, err = g.aimer.promise(i); err != nil {
			return nil, err
		}
		g.effort.spend(choosing, symbols(i.tree, g.effort.candidate))
		all = append(all, i)
	}
	if len(all) == 0 {
		return nil, nil //nolint:nilnil // there is none
	}
	slices.SortStableFunc(all, func(a, b *individual) int { return cmp.Compare(b.promise, a.promise) })
	w.chosen = all[1:min(len(all), chosen)]
	return all[0], nil
}

// pick draws a way by its reward per input. Every way keeps a minimum share.
func (g *guided) pick() *way {
	const least, prior = 0.04, 20.0
	sum := 0.0
	for _, w := range g.ways {
		sum += (w.reward + 0.5) / (w.made + prior)
	}
	at := g.rand.Float64()
	for _, w := range g.ways {
		share := least + (1-least*float64(len(g.ways)))*(w.reward+0.5)/(w.made+prior)/sum
		if at < share {
			return w
		}
		at -= share
	}
	return g.ways[0]
}

// learn rewards the ways of a generation, keeps the inputs that brought something new,
// and trains the model.
func (g *guided) learn(ctx context.Context, last []*individual) error {
	const memory = 0.97
	for _, w := range g.ways {
		w.made, w.reward = w.made*memory, w.reward*memory
	}
	for _, i := range last {
		if i.same == nil && i.result != nil {
			run := i.result.duration
			if g.weights.RunTime == 0 {
				run = 0
			}
			g.effort.grant(run)
		}
		g.reap(i)
	}
	g.weigh()
	trained, err := g.aimer.learn(ctx, last)
	if err == nil && trained {
		err = g.renewMutators() //nolint:contextcheck // the grammar is prepared
	}
	return err
}

// reap rewards the way of an individual, and keeps the individual as a seed if it brought
// something new.
func (g *guided) reap(i *individual) {
	reward, most := g.reward(i), g.weights.heaviest()
	if i.way != nil {
		i.way.made++
		if reward >= 1 {
			i.way.reward += min(1, reward/most)
		}
	}
	if reward > 0 {
		g.seeds = append(g.seeds, seed{individual: i, inside: i.tree != nil, served: most > 1 && reward >= most})
	}
}

// reward returns how much an individual brought that is new, for the goals. It is
// positive for all inputs that are worth keeping; only units, failures and the goal of the
// campaign count much.
func (g *guided) reward(i *individual) float64 {
	const little = 0.02
	if i.result == nil || i.same != nil {
		return 0
	}
	b, w := i.brought, g.weights
	reward := w.Coverage * float64(len(b.units))
	if b.set || b.paths > 0 || b.hits > 0 {
		reward += little * w.Coverage
	}
	if b.failure {
		reward += w.Failures
	}
	if i.result.duration > g.slowest+g.slowest/4 && w.RunTime > 0 {
		g.slowest = i.result.duration
		if w.RunTime > 1 {
			reward += w.RunTime
		} else {
			reward += little
		}
	}
	if w.Mappings > 1 && g.mappings.count < maxMappings && (len(b.units) > 0 || b.paths > 0 || b.set) {
		before := g.mappings.count
		g.mappings.add(i, 3)
		if g.mappings.count > before {
			reward += w.Mappings
		}
	}
	return reward
}

// minWeighed is the least number of generations after which all seeds are weighed again.
// Later, it is an eighth of the generations so far.
const minWeighed = 4

// usualSymbols is the number of symbols of a seed that is chosen half as often as a tiny one.
const usualSymbols = 50

// weigh sets the weights of seeds. A seed weighs more if it reaches rare units, the program
// accepted it, it is small, and it was seldom chosen. If there are more than maxSeeds
// seeds, weigh keeps the best maxSeeds/2.
//
// The weights change slowly, and the more slowly the longer the campaign lasts: most
// generations weigh new seeds only.
func (g *guided) weigh() {
	g.weighed++
	all := g.weighed >= g.weighAll
	if all {
		g.weighAll = g.weighed + max(minWeighed, g.weighed/8)
	}
	rarity := g.archive.rarity()
	for i := range g.seeds {
		s := &g.seeds[i]
		if s.weight > 0 && !all {
			continue
		}
		s.weight = 0.05
		for _, unit := range s.result.units {
			s.weight += rarity[unit]
		}
		if s.result.failed() {
			s.weight /= 3
		}
		if s.served {
			s.weight *= 3
		}
		s.weight /= float64(2 + s.chosen)
		if s.inside { // small inputs take less time, here and in the program
			s.weight /= 1 + float64(s.tree.Len())/usualSymbols
		}
	}
	if len(g.seeds) > maxSeeds {
		slices.SortStableFunc(g.seeds, func(a, b seed) int { return cmp.Compare(b.weight, a.weight) })
		clear(g.seeds[maxSeeds/2:])
		g.seeds = g.seeds[:maxSeeds/2]
	}
	g.sums[0], g.sums[1] = g.sums[0][:0], g.sums[1][:0]
	inside, sum := 0.0, 0.0
	for i := range g.seeds {
		s := &g.seeds[i]
		if sum += s.weight; s.inside {
			inside += s.weight
		}
		g.sums[0], g.sums[1] = append(g.sums[0], inside), append(g.sums[1], sum)
	}
}

// choose draws a seed by weight, or nil if there is none. If outside is false, the seed has
// a tree.
func (g *guided) choose(outside bool) *seed {
	sums := g.sums[0]
	if outside {
		sums = g.sums[1]
	}
	if len(sums) == 0 || sums[len(sums)-1] == 0 {
		return nil
	}
	at := g.rand.Float64() * sums[len(sums)-1]
	i := sort.Search(len(sums), func(i int) bool { return at < sums[i] })
	return &g.seeds[min(i, len(sums)-1)]
}

// mutate returns a mutant of a seed.
func (g *guided) mutate(ctx context.Context) (*individual, error) {
	s := g.choose(false)
	if s == nil {
		return nil, nil //nolint:nilnil // there is no seed yet
	}
	s.chosen++
	return g.mutant(ctx, s.tree)
}

// maxMutations is the maximum number of mutations of a mutant.
const maxMutations = 4

// mutant returns a mutant of a tree, or nil if none was found. Half of the mutants have
// one mutation, half of the others two, and so on. A mutant that was run before is mutated
// again.
func (g *guided) mutant(ctx context.Context, tree *derivation.Tree) (*individual, error) {
	var out *individual
	for n := 0; n < maxMutations && (n == 0 || g.wasRun(out) || g.rand.IntN(2) == 0 && !g.effort.frugal()); n++ {
		other := tree
		if s := g.choose(false); s != nil {
			other = s.tree
		}
		mutant, err := g.mutators[g.rand.IntN(len(g.mutators))].Mutate(ctx, tree, other, generate.Mutations()...)
		if errors.Is(err, generate.ErrUnwritten) {
			break
		}
		if err != nil {
			return nil, err
		}
		g.effort.generate(mutant, mutant.Draws, g.effort.mutated)
		tree, out = mutant.Tree, newIndividual(mutant)
	}
	return out, nil
}

// wasRun reports whether an earlier generation had an individual's text.
func (g *guided) wasRun(i *individual) bool { return g.archive.results[xxhash.Sum64(i.text)] != nil }

// corrupt returns a seed with changed bytes or tokens.
func (g *guided) corrupt(ctx context.Context) (*individual, error) {
	s := g.choose(true)
	if s == nil {
		return nil, nil //nolint:nilnil // there is no seed yet
	}
	s.chosen++
	text := corrupted(g.rand, s.text, s.tree)
	tree, err := parse(ctx, g.grammar, g.options.Start, text)
	return &individual{text: text, tree: tree}, err
}

// corrupted changes a text: it flips a bit, removes, repeats or exchanges tokens or
// bytes, or cuts the text off.
func corrupted(r *rand.Rand, text []byte, tree *derivation.Tree) []byte {
	var spans [][2]int
	if tree != nil {
		for _, t := range tree.Tokens() {
			if t.Start < t.End {
				spans = append(spans, [2]int{int(t.Start), int(t.End)})
			}
		}
	}
	if len(text) == 0 {
		return []byte{byte(r.IntN(256))}
	}
	span := func() (from, to int) {
		if len(spans) == 0 || r.IntN(2) == 0 {
			at := r.IntN(len(text))
			return at, at + 1
		}
		s := spans[r.IntN(len(spans))]
		return s[0], s[1]
	}
	from, to := span()
	switch r.IntN(6) {
	case 0:
		out := slices.Clone(text)
		out[from+r.IntN(to-from)] ^= 1 << r.IntN(8)
		return out
	case 1:
		return slices.Concat(text[:from], text[to:])
	case 2:
		return slices.Concat(text[:to], text[from:])
	case 3:
		a, b := span()
		return slices.Concat(text[:from], text[a:b], text[to:])
	case 4:
		return slices.Clone(text[:from])
	default:
		return slices.Concat(text[:from], []byte{byte(r.IntN(256))}, text[from:])
	}
}

// An explorer generates inputs that cover paths, and random ones.
type explorer struct {
	grammar *grammars.Grammar
	options Options
	covers  []func() (*generate.Cover, error) // to come
	cover   *generate.Cover                   // nil if the last one is complete
	stream  *generate.Stream
	queue   []*generate.Input
	turn    int
	batches int // of the stream
	effort  *effort
}

func newExplorer(g *grammars.Grammar, opt Options, work *effort) (*explorer, error) {
	e := &explorer{grammar: g, options: opt, effort: work}
	for i, k := range []int{2, 3, 2, 3} {
		e.covers = append(e.covers, func() (*generate.Cover, error) {
			with := opt.generate(nil)
			with.MaxNodes, with.Spacing = []int{30, 60, 100, 200}[i], []generate.Spacing{generate.Compact, generate.RandomSpacing, generate.Spaced, generate.RandomSpacing}[i]
			x, err := generate.New(g, rand.New(rand.NewPCG(opt.Seed, uint64(i)+1)), with)
			if err != nil {
				return nil, err
			}
			return generate.NewCover(x, k, generate.CoverOptions{})
		})
	}
	var err error
	random := opt.generate(nil)
	random.Trust = &generate.Trust{}
	e.stream, err = generate.NewStream(g, random, opt.Seed, 1)
	return e, err
}

// next returns an input that covers a new path every other time, and a random input otherwise
// or if no path is left.
func (e *explorer) next(ctx context.Context) (*individual, error) {
	if e.turn++; e.turn%2 == 0 && e.effort.allows(covering, 0) {
		input, err := e.covering(ctx)
		if input != nil || err != nil {
			return input, err
		}
	}
	return e.random(ctx)
}

// random returns a random input, or nil if there are no more.
func (e *explorer) random(ctx context.Context) (*individual, error) {
	if len(e.queue) == 0 {
		e.stream.Limit(e.maxNodes())
		batch, err := e.stream.Next(ctx, sampled)
		if err != nil || len(batch) == 0 { // there are no more inputs
			return nil, err
		}
		e.queue = batch
	}
	input := e.queue[0]
	e.queue = e.queue[1:]
	e.effort.generate(input, input.Draws+input.Repairs, e.effort.drawn)
	return newIndividual(input), nil
}

// When generating takes too long, most batches of random inputs are small.
const (
	smallNodes = 50 // symbols of a tree
	fullBatch  = 4  // one in so many batches has the usual sizes
)

// maxNodes returns the maximum number of symbols of the next random inputs.
func (e *explorer) maxNodes() int {
	e.batches++
	if !e.effort.frugal() || e.batches%fullBatch == 0 {
		return e.options.MaxNodes
	}
	least := e.grammar.Nodes[e.grammar.Rule(e.options.Start).Root].Size
	return min(e.options.MaxNodes, max(smallNodes, 4*least))
}

// covering returns an input that covers a new path, or nil if all covers are complete.
func (e *explorer) covering(ctx context.Context) (*individual, error) {
	for e.cover != nil || len(e.covers) > 0 {
		if e.cover == nil {
			c, err := e.covers[0]()
			e.covers = e.covers[1:]
			if err != nil { // too many paths
				continue
			}
			e.cover = c
		}
		input, err := e.cover.Next(ctx)
		if err != nil {
			return nil, err
		}
		if input != nil {
			e.effort.spend(covering, symbols(input.Tree, e.effort.covered))
			return &individual{text: input.Text, tree: input.Tree}, nil
		}
		e.cover = nil
	}
	return nil, nil //nolint:nilnil // nothing is left
}
