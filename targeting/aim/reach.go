package aim

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"slices"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/targeting/generate"
	"github.com/inroad/inroad/targeting/solve"
)

// A Runner runs a program on an input. If the program crashes or exceeds a limit,
// the next run takes place in a new process.
type Runner interface {
	Run(ctx context.Context, input []byte) (observation.Observation, error)
}

// A warmRunner runs some inputs in each process before its first observation, and
// repeats the first run, because a process may do one-time work.
type warmRunner struct {
	Runner
	first [][]byte // inputs that each process runs first
	warm  bool     // the process has run an input
}

func (r *warmRunner) Run(ctx context.Context, input []byte) (observation.Observation, error) {
	if !r.warm {
		for _, text := range r.first {
			if _, err := r.Runner.Run(ctx, text); err != nil {
				return observation.Observation{}, err
			}
		}
	}
	o, err := r.Runner.Run(ctx, input)
	if err == nil && !r.warm && !ended(o) {
		o, err = r.Runner.Run(ctx, input)
	}
	o.Input = input
	r.warm = err == nil && !ended(o)
	return o, err
}

// ended reports whether a run ended its process.
func ended(o observation.Observation) bool {
	return o.Outcome == observation.Crashed || o.Outcome == observation.TimedOut
}

// ReachOptions are the options of a [Reacher]. Zero numbers select the defaults.
type ReachOptions struct {
	N          int   // inputs that reach each unit; default 1
	MaxRuns    int   // runs for each unit; default 200
	Avoid      []int // units that inputs must not reach
	MaxNodes   int   // symbols per tree of a generated input; no limit if 0
	AnyOutcome bool  // see [Options]
	// Outcome is the outcome that runs must have, or its kind, such as crash; any if
	// empty. The model must predict it.
	Outcome string
}

// An Origin says where an input of [Reacher.Reach] comes from.
type Origin string

// The origins of inputs.
const (
	Targeted Origin = "targeted" // generated for a leaf of the model
	Observed Origin = "observed" // from known observations
	Sampled  Origin = "sampled"  // kept in the model as a sample of its training inputs
	Mutated  Origin = "mutated"  // a mutant of an input that reaches the unit or may do so
)

// A Reaching is an input that reaches a unit, or has an outcome.
type Reaching struct {
	Text    []byte
	Origin  Origin
	Outcome string // of its run, as [model.OutcomeName] returns it; empty if Unconfirmed
	Runs    int    // runs for the unit up to and including this one; 0 if the input was run for another unit
	// Unconfirmed is set if a known observation of the input reached the unit, but no
	// run of the input did.
	Unconfirmed bool
}

// An Attempt is the result of [Reacher.Reach].
type Attempt struct {
	Inputs []Reaching
	Runs   int // for the unit
}

// Reached reports whether a run reached the unit, with the outcome if one is given.
func (a *Attempt) Reached() bool {
	return slices.ContainsFunc(a.Inputs, func(i Reaching) bool { return !i.Unconfirmed })
}

// A Reacher runs a program until its inputs reach units of a model. It is not safe
// for concurrent use.
type Reacher struct {
	targeter *Targeter
	runner   *warmRunner
	known    []observation.Observation
	opt      ReachOptions

	ran    []observation.Observation
	origin []Origin       // parallel to ran
	index  map[string]int // of inputs in ran
}

// NewReacher returns a reacher. The observations in known help to find inputs.
func NewReacher(t *Targeter, runner Runner, known []observation.Observation, opt ReachOptions) *Reacher {
	opt.N, opt.MaxRuns = max(opt.N, 1), cmp.Or(opt.MaxRuns, 200)
	return &Reacher{targeter: t, runner: &warmRunner{Runner: runner}, known: known, opt: opt, index: map[string]int{}}
}

// Observations returns an observation of every input that was run, in order.
func (r *Reacher) Observations() []observation.Observation { return r.ran }

// Numbers of inputs of each origin that are run before the next origin's turn.
const (
	runSmallest = 5
	runVaried   = 25
	runObserved = 20
	runSampled  = 30
)

// Reach runs inputs until enough of them reach a unit and none of the units to avoid,
// with the outcome of the options, or the maximum number of runs is reached. For
// [NoUnit], it runs inputs until enough of them have the outcome. It runs the model's
// smallest inputs first, then varied ones, known inputs that reached the unit, the
// model's sample, and mutants. If no run reaches the unit, but a known observation did,
// Reach returns the input of that observation as unconfirmed.
func (r *Reacher) Reach(ctx context.Context, source *rand.Rand, unit int) (*Attempt, error) {
	known := r.knownFor(unit)
	wanted := func(o observation.Observation) bool { return r.reaches(o, unit) }
	out, err := r.until(ctx, r.candidates(ctx, source, unit, known), len(known) > 0, wanted)
	if err == nil && len(out.Inputs) == 0 && len(known) > 0 {
		out.Inputs = append(out.Inputs, Reaching{Text: known[0], Origin: Observed, Runs: out.Runs, Unconfirmed: true})
	}
	return out, err
}

// Explore runs inputs until wanted is true for enough of them, or the maximum number of
// runs is reached. It can search for a method that is no unit of the model. It runs
// inputs for the units in near, then the model's sample, and mutants of both.
func (r *Reacher) Explore(ctx context.Context, source *rand.Rand, near []int, wanted func(observation.Observation) bool) (*Attempt, error) {
	return r.until(ctx, r.around(ctx, source, near), false, func(o observation.Observation) bool { return r.reaches(o, NoUnit) && wanted(o) })
}

// until runs candidates until wanted is true for enough of them, or the maximum number of
// runs is reached. If half is set, at most half of the runs are for targeted inputs.
func (r *Reacher) until(ctx context.Context, candidates iter.Seq2[candidate, error], half bool, wanted func(observation.Observation) bool) (*Attempt, error) {
	out := &Attempt{}
	for i, o := range r.ran {
		if len(out.Inputs) < r.opt.N && wanted(o) {
			out.Inputs = append(out.Inputs, Reaching{Text: o.Input, Origin: r.origin[i], Outcome: model.OutcomeName(o)})
		}
	}
	for input, err := range candidates {
		if err != nil {
			return nil, err
		}
		if len(out.Inputs) >= r.opt.N || out.Runs >= r.opt.MaxRuns {
			break
		}
		if input.origin == Targeted && half && 2*(out.Runs+1) > r.opt.MaxRuns {
			continue // half of the runs are for known inputs
		}
		if _, ok := r.index[string(input.text)]; ok {
			continue
		}
		o, err := r.run(ctx, input)
		if err != nil {
			return nil, err
		}
		if out.Runs++; wanted(o) {
			out.Inputs = append(out.Inputs, Reaching{Text: o.Input, Origin: input.origin, Outcome: model.OutcomeName(o), Runs: out.Runs})
		}
	}
	return out, nil
}

// run runs an input and records its observation and origin.
func (r *Reacher) run(ctx context.Context, input candidate) (observation.Observation, error) {
	o, err := r.runner.Run(ctx, input.text)
	if err != nil {
		return o, err
	}
	r.index[string(input.text)] = len(r.ran)
	r.ran, r.origin = append(r.ran, o), append(r.origin, input.origin)
	return o, nil
}

// reaches reports whether an observation reached a unit and no unit to avoid, with
// the outcome of the options.
func (r *Reacher) reaches(o observation.Observation, unit int) bool {
	id := func(u int) string { return r.targeter.model.Units[u].ID }
	return (unit == NoUnit || slices.Contains(o.Methods, id(unit))) &&
		(r.opt.Outcome == "" || model.IsOutcome(model.OutcomeName(o), r.opt.Outcome)) &&
		!slices.ContainsFunc(r.opt.Avoid, func(u int) bool { return slices.Contains(o.Methods, id(u)) })
}

// knownFor returns the inputs of known observations that reached a unit, smallest
// first.
func (r *Reacher) knownFor(unit int) [][]byte {
	var out [][]byte
	for _, o := range r.known {
		if r.reaches(o, unit) {
			out = append(out, o.Input)
		}
	}
	slices.SortStableFunc(out, func(a, b []byte) int { return len(a) - len(b) })
	return out
}

// A candidate is an input to run.
type candidate struct {
	text   []byte
	origin Origin
}

// candidates yields inputs that may reach a unit. known holds inputs that reached it. An
// input may be yielded several times. Mutants come last; they end when new ones become
// too hard to find.
func (r *Reacher) candidates(ctx context.Context, source *rand.Rand, unit int, known [][]byte) iter.Seq2[candidate, error] {
	return func(yield func(candidate, error) bool) {
		var near [][]byte // inputs that reached the unit or may do so
		each := func(origin Origin, texts [][]byte) bool {
			for _, text := range texts {
				if !yield(candidate{text, origin}, nil) {
					return false
				}
			}
			return true
		}
		for _, f := range []struct {
			n    int
			draw Draw
		}{{runSmallest, nil}, {runVaried, variedInputs}} {
			texts, err := r.targeted(ctx, source, unit, max(f.n, r.opt.N), f.draw)
			if err != nil {
				yield(candidate{}, err)
				return
			}
			near = append(near, texts...)
			if !each(Targeted, texts) {
				return
			}
		}
		if !each(Observed, known[:min(len(known), runObserved)]) {
			return
		}
		sampled, err := r.sampled(ctx, unit)
		if err != nil {
			yield(candidate{}, err)
			return
		}
		if !each(Sampled, sampled) {
			return
		}
		if near = append(near, sampled...); len(known) > 0 {
			near = known
		}
		for input, err := range mutants(ctx, r.targeter.model.Grammar, source, near, r.opt.MaxNodes) {
			if !yield(candidate{input, Mutated}, err) || err != nil {
				return
			}
		}
	}
}

// maxNear limits the units that [Reacher.Explore] generates inputs for.
const maxNear = 5

// around yields inputs for units, the model's sample, and mutants of both.
func (r *Reacher) around(ctx context.Context, source *rand.Rand, near []int) iter.Seq2[candidate, error] {
	return func(yield func(candidate, error) bool) {
		var texts [][]byte
		each := func(origin Origin, found [][]byte, err error) bool {
			if err != nil {
				yield(candidate{}, err)
				return false
			}
			for _, text := range found {
				if !yield(candidate{text, origin}, nil) {
					return false
				}
			}
			texts = append(texts, found...)
			return true
		}
		for _, unit := range near[:min(len(near), maxNear)] {
			found, err := r.targeted(ctx, source, unit, runSmallest, variedInputs)
			if !each(Targeted, found, err) {
				return
			}
		}
		likeliest := NoUnit
		if len(near) > 0 {
			likeliest = near[0]
		}
		found, err := r.sampled(ctx, likeliest)
		if !each(Sampled, found, err) {
			return
		}
		for input, err := range mutants(ctx, r.targeter.model.Grammar, source, texts, r.opt.MaxNodes) {
			if !yield(candidate{input, Mutated}, err) || err != nil {
				return
			}
		}
	}
}

func variedInputs(ctx context.Context, s *solve.Solution, r *rand.Rand, n int) ([]*generate.Input, error) {
	return s.Varied(ctx, r, n)
}

// targeted returns up to n inputs that the model suggests for a unit, including unlikely
// ones.
func (r *Reacher) targeted(ctx context.Context, source *rand.Rand, unit, n int, draw Draw) ([][]byte, error) {
	var want []int
	if unit != NoUnit {
		want = []int{unit}
	}
	found, err := r.targeter.Find(ctx, source, want, r.opt.Avoid, Options{
		N: n, Draw: draw, MaxNodes: r.opt.MaxNodes, Outcome: r.opt.Outcome, AnyOutcome: r.opt.AnyOutcome, AllowUnlikely: true,
	})
	if err != nil {
		return nil, err
	}
	var out [][]byte
	for _, input := range found.Inputs {
		out = append(out, input.Text)
	}
	return out, nil
}

// sampled returns the inputs kept in the model that are most likely to reach a unit.
func (r *Reacher) sampled(ctx context.Context, unit int) ([][]byte, error) {
	type scored struct {
		text        []byte
		probability float64
	}
	var all []scored
	for _, text := range r.targeter.model.Inputs() {
		answer, err := r.targeter.model.Predict(ctx, text, grammars.Limits{})
		if err != nil {
			return nil, err
		}
		if answer.Syntax == nil {
			all = append(all, scored{text, r.probability(answer, unit)})
		}
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(b.probability, a.probability) })
	var out [][]byte
	for _, s := range all[:min(len(all), runSampled)] {
		out = append(out, s.text)
	}
	return out, nil
}

// probability returns the lower one of the probabilities that an input reaches a unit
// and that it has the outcome of the options.
func (r *Reacher) probability(answer *model.Answer, unit int) float64 {
	p := 1.0
	if unit != NoUnit {
		p = answer.Methods[unit].Probability
	}
	_, likely := forecastOf(answer).outcome(r.targeter.model.OutcomesOf(r.opt.Outcome))
	return min(p, likely)
}

// mutants yields mutants of the first inputs. It skips inputs that are outside the
// grammar or exceed a limit.
func mutants(ctx context.Context, g *grammars.Grammar, source *rand.Rand, inputs [][]byte, maxNodes int) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		var trees []*derivation.Tree
		for _, input := range inputs[:min(len(inputs), runVaried)] {
			tree, err := g.Parse(ctx, input, grammars.ParseOptions{})
			if _, ok := errors.AsType[*grammars.SyntaxError](err); ok {
				continue
			}
			if _, ok := errors.AsType[*limit.Error](err); ok {
				continue
			}
			if err != nil {
				yield(nil, err)
				return
			}
			trees = append(trees, tree)
		}
		x, err := generate.New(g, source, generate.Options{MaxNodes: maxNodes}) //nolint:contextcheck // reading one token back is bounded and takes no context
		if err != nil {
			yield(nil, err)
			return
		}
		for input, err := range x.Mutants(ctx, trees, generate.Mutations()...) {
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(input.Text, nil) {
				return
			}
		}
	}
}
