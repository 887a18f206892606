package aim

import (
	"cmp"
	"context"
	"errors"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/grammars/refine"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
)

// RefineOptions are the options of a [Refiner]. Zero numbers select the defaults.
type RefineOptions struct {
	Rounds   int           // maximum number of rounds; default 5
	Runs     int           // runs of the program in a round; default 500
	Budget   time.Duration // time of Begin and Refine together, which the first model and scoring may exceed; no limit if 0
	MaxNodes int           // symbols per tree of a generated input; no limit if 0
	Warmup   int           // known inputs that each process runs before its first observation; default 20, negative for none
	Seed     uint64
	Workers  int             // goroutines that evaluate a model; 0 means 1
	Limits   grammars.Limits // for held-out inputs
	// Header, if not nil, returns the units of the program. Each run may add units.
	Header func() observation.Header
	// Progress, if not nil, is called with the first model, as round 0, and after
	// each round.
	Progress func(Round)
}

// A Round is the result of one round of a [Refiner]. Scores are those on the held-out
// observations. They are means over the same units in all rounds: the units that
// some held-out observations reached, but not all.
type Round struct {
	Number int      // 0 for the first model
	Units  []string // IDs of the units that the round tried to refine, most important first
	Runs   int
	Wrong  int      // wrong predictions of the previous round's model for the inputs that were run
	New    []string // IDs of the units that no observation had reached before, sorted

	Scored, Rares int     // number of units in F1 and in RareF1
	F1            float64 // mean F1
	RareF1        float64 // mean F1 of units that less than 5 % of the held-out observations reached
}

// A Stop says why a [Refiner] ended.
type Stop string

// The reasons to stop.
const (
	StopRounds   Stop = "rounds"   // the maximum number of rounds is reached
	StopBudget   Stop = "budget"   // the budget is used up
	StopNothing  Stop = "nothing"  // the last round found neither a wrong prediction nor a new unit
	StopNoInputs Stop = "noinputs" // the last round found no new input to run
)

// A Refiner improves a model in rounds. Each round picks units whose predictions are
// uncertain, generates inputs for them, runs the program on the inputs, and trains
// the model again. It never trains on held-out inputs. It is not safe for concurrent
// use.
type Refiner struct {
	trainer *model.Trainer
	runner  *warmRunner
	opt     RefineOptions
	model   *model.Model // after the last round
	best    scoredModel  // that Refine returns

	began    time.Time
	training time.Duration // time that the last training took

	pool   *pool                     // nil before the first round
	known  []observation.Observation // in training, with different inputs
	seen   map[string]bool           // inputs in training, held out and run
	units  map[string]bool           // IDs of the units that an observation reached
	picked map[string]int            // by ID of a unit: number of rounds that picked it
	ran    []observation.Observation
	held   []observation.Observation
	scored map[string]bool // by ID of a scored unit: whether it is rare
}

// A scoredModel is the model of a round with its score on the held-out observations.
type scoredModel struct {
	*model.Model
	round int
	f1    map[string]float64 // by ID of a scored unit
	score float64            // mean F1 of the units that are refined
}

// NewRefiner returns a refiner. The trainer must have no observations.
func NewRefiner(t *model.Trainer, runner Runner, opt RefineOptions) *Refiner {
	opt.Rounds, opt.Runs, opt.Workers = cmp.Or(opt.Rounds, 5), cmp.Or(opt.Runs, 500), max(opt.Workers, 1)
	opt.Warmup = max(0, cmp.Or(opt.Warmup, 20))
	return &Refiner{
		trainer: t, runner: &warmRunner{Runner: runner}, opt: opt,
		seen: map[string]bool{}, units: map[string]bool{}, picked: map[string]int{},
	}
}

// Best returns the number of the round whose model [Refiner.Refine] returned, 0 for
// the first model.
func (r *Refiner) Best() int { return r.best.round }

// Observations returns an observation of every input that was run, in order.
func (r *Refiner) Observations() []observation.Observation { return r.ran }

// HoldOut splits observations: a random fifth of the inputs, with all their
// observations, is held out.
func HoldOut(observations []observation.Observation, seed uint64) (train, held []observation.Observation) {
	inputs := map[string]bool{} // whether the input is held out
	source := rand.New(rand.NewPCG(seed, 0))
	for _, o := range observations {
		out, ok := inputs[string(o.Input)]
		if !ok {
			out = source.IntN(5) == 0
			inputs[string(o.Input)] = out
		}
		if out {
			held = append(held, o)
		} else {
			train = append(train, o)
		}
	}
	return train, held
}

// Begin trains the first model on observations and evaluates it on the held-out
// observations. It omits observations of held-out inputs from training. The header
// describes the units of the program.
func (r *Refiner) Begin(ctx context.Context, h observation.Header, train, held []observation.Observation) (*model.Model, error) {
	r.began = time.Now()
	if err := r.addGiven(ctx, h, train, held); err != nil {
		return nil, err
	}
	m, err := r.trainer.Train(ctx, nil)
	if err != nil {
		return nil, err
	}
	r.model = m
	err = r.report(ctx, Round{}, nil)
	r.training = time.Since(r.began)
	return m, err
}

// Refine improves the model of [Refiner.Begin] in rounds, and returns the best model.
// If IDs of units are given, each round refines these units. Otherwise it picks units.
//
// The best model has the highest mean F1 on the held-out observations, over the given
// units or over all; the last of equal models wins. A round that reaches a new unit
// discards the earlier models, which do not know the unit.
//
// A round runs inputs as long as the budget leaves enough time to train again,
// estimated from the last training. If training takes longer and the budget ends,
// Refine returns the best model of the earlier rounds.
func (r *Refiner) Refine(ctx context.Context, units ...string) (*model.Model, Stop, error) {
	r.best.score = meanF1(r.best.f1, units) // Begin does not know the units
	for number := 1; number <= r.opt.Rounds; number++ {
		round := Round{Number: number}
		running, cancel := r.within(ctx, r.training+r.training/4) // more observations take longer
		ran, err := r.runRound(running, units, &round)
		over := err != nil && ctx.Err() == nil && running.Err() != nil
		cancel()
		if err != nil && !over {
			return nil, "", err
		}
		if len(ran) > 0 {
			training, cancel := r.within(ctx, 0)
			err := r.learn(training, ran, &round)
			late := err != nil && ctx.Err() == nil && training.Err() != nil
			cancel()
			switch {
			case late:
				return r.best.Model, StopBudget, nil
			case err != nil:
				return nil, "", err
			}
			if err := r.report(ctx, round, units); err != nil {
				return nil, "", err
			}
		}
		switch {
		case over:
			return r.best.Model, StopBudget, nil
		case len(ran) == 0:
			return r.best.Model, StopNoInputs, nil
		case round.Wrong == 0 && len(round.New) == 0:
			return r.best.Model, StopNothing, nil
		}
	}
	return r.best.Model, StopRounds, nil
}

// within returns a context that ends when rest is left of the budget.
func (r *Refiner) within(ctx context.Context, rest time.Duration) (context.Context, context.CancelFunc) {
	if r.opt.Budget == 0 {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, r.began.Add(r.opt.Budget-rest))
}

// addGiven adds the observations to the trainer, except those of held-out inputs.
func (r *Refiner) addGiven(ctx context.Context, h observation.Header, train, held []observation.Observation) error {
	r.held = held
	var units observation.Header // of the held-out observations, so that the model has them
	reached := map[string]bool{}
	for _, o := range held {
		r.seen[string(o.Input)] = true
		for _, id := range o.Methods {
			if !reached[id] {
				reached[id] = true
				units.Units = append(units.Units, observation.Unit{ID: id, Kind: observation.KindMethod})
			}
		}
	}
	r.trainer.AddHeader(units)
	r.trainer.AddHeader(h)
	train = slices.DeleteFunc(slices.Clone(train), func(o observation.Observation) bool { return r.seen[string(o.Input)] })
	for _, o := range train {
		r.noteUnits(o)
		if !r.seen[string(o.Input)] {
			r.seen[string(o.Input)] = true
			r.known = append(r.known, o)
		}
	}
	for _, o := range r.known[:min(len(r.known), r.opt.Warmup)] {
		r.runner.first = append(r.runner.first, o.Input)
	}
	return r.trainer.Add(ctx, train)
}

// noteUnits records the units that an observation reached. It returns the IDs of
// those that no observation had reached before.
func (r *Refiner) noteUnits(o observation.Observation) (reached []string) {
	for _, id := range o.Methods {
		if !r.units[id] {
			r.units[id] = true
			reached = append(reached, id)
		}
	}
	return reached
}

// learn trains the model again with the observations of a round.
func (r *Refiner) learn(ctx context.Context, ran []observation.Observation, round *Round) error {
	start := time.Now()
	e, err := r.model.Evaluate(ctx, ran, r.opt.Workers, r.opt.Limits)
	if err != nil {
		return err
	}
	round.Runs = len(ran)
	round.Wrong = e.Summarize(model.MethodScore.Trainable).Pooled.Wrong()
	for _, o := range ran {
		round.New = append(round.New, r.noteUnits(o)...)
	}
	slices.Sort(round.New)
	r.known = append(r.known, ran...)
	if r.opt.Header != nil {
		r.trainer.AddHeader(r.opt.Header())
	}
	if err := r.trainer.Add(ctx, ran); err != nil {
		return err
	}
	m, err := r.trainer.Train(ctx, r.model)
	if err != nil {
		return err
	}
	r.model, r.training = m, time.Since(start)
	return nil
}

// rareShare is the share of held-out observations below which a unit is rare.
const rareShare = 0.05

// report scores the model on the held-out observations and reports the round.
// If the model is the best so far for the given units, it keeps the model.
func (r *Refiner) report(ctx context.Context, round Round, units []string) error {
	e, err := r.model.Evaluate(ctx, r.held, r.opt.Workers, r.opt.Limits)
	if err != nil {
		return err
	}
	if r.scored == nil {
		r.scored = map[string]bool{}
		for _, s := range e.Methods {
			if n := s.Positives(); n > 0 && n < s.Total() {
				r.scored[s.Unit.ID] = float64(n) < rareShare*float64(s.Total())
			}
		}
	}
	f1 := map[string]float64{}
	for _, s := range e.Methods {
		rare, ok := r.scored[s.Unit.ID]
		if ok {
			round.Scored++
			round.F1 += s.F1()
			f1[s.Unit.ID] = s.F1()
		}
		if rare {
			round.Rares++
			round.RareF1 += s.F1()
		}
	}
	round.F1 /= max(1, float64(round.Scored))
	round.RareF1 /= max(1, float64(round.Rares))
	if score := meanF1(f1, units); score >= r.best.score || len(round.New) > 0 {
		r.best = scoredModel{r.model, round.Number, f1, score}
	}
	if r.opt.Progress != nil {
		r.opt.Progress(round)
	}
	return nil
}

// meanF1 returns the mean F1 of the given units that are scored, or of all scored units
// if none of the given ones is.
func meanF1(f1 map[string]float64, units []string) float64 {
	sum, n := 0.0, 0
	for _, id := range units {
		if score, ok := f1[id]; ok {
			sum, n = sum+score, n+1
		}
	}
	if n == 0 && len(f1) > 0 {
		return meanF1(f1, slices.Sorted(maps.Keys(f1)))
	}
	return sum / max(1, float64(n))
}

// minUnitRuns is the minimum number of runs for a unit that a round picks.
const minUnitRuns = 20

// runRound runs inputs for the given units, or for units that it picks. It returns the
// observations even if it fails.
func (r *Refiner) runRound(ctx context.Context, given []string, round *Round) (ran []observation.Observation, err error) {
	m := r.model
	if err := refine.Prepare(ctx, m.Grammar, m.Grammar.Start); err != nil {
		return nil, err
	}
	t, err := New(m)
	if err != nil {
		return nil, err
	}
	units := r.pick()
	if len(given) > 0 {
		if units, err = unitsOf(m, given); err != nil {
			return nil, err
		}
	}
	if err := r.drawPool(ctx, units); err != nil {
		return nil, err
	}
	run := func(texts [][]byte, err error) error {
		for _, text := range texts {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			if r.seen[string(text)] {
				continue
			}
			o, err := r.runner.Run(ctx, text)
			if err != nil {
				return err
			}
			r.seen[string(text)] = true
			ran, r.ran = append(ran, o), append(r.ran, o)
		}
		return err
	}
	for i, unit := range units {
		id := m.Units[unit].ID
		round.Units = append(round.Units, id)
		r.picked[id]++
		runs := (r.opt.Runs - len(ran)) / (len(units) - i) // units with few inputs leave their runs to the next
		source := rand.New(rand.NewPCG(r.opt.Seed, stream(round.Number, id)))
		if err := run(r.inputs(ctx, t, source, unit, i, runs)); err != nil {
			return ran, err
		}
	}
	source := rand.New(rand.NewPCG(r.opt.Seed, stream(round.Number, "")))
	return ran, run(r.pool.draw(source, anyUnit, r.opt.Runs-len(ran), r.seen), nil)
}

// drawPool generates the pool in the first round, and predicts the units that its
// inputs reach.
func (r *Refiner) drawPool(ctx context.Context, units []int) error {
	if r.pool == nil {
		p, err := newPool(ctx, r.model.Grammar, r.known, r.opt.Seed, poolSize*r.opt.Runs)
		if err != nil {
			return err
		}
		r.pool = p
	}
	return r.pool.predict(ctx, r.model, units, r.opt.Workers, r.opt.Limits)
}

// stream returns the number of a random stream.
func stream(round int, id string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(id))
	return h.Sum64() + uint64(round)
}

// unitsOf returns the indices of units in a model. They differ between models.
func unitsOf(m *model.Model, ids []string) ([]int, error) {
	var out []int
	for _, id := range ids {
		unit, err := m.Unit(id)
		if err != nil {
			return nil, err
		}
		out = append(out, unit)
	}
	return out, nil
}

// pick returns the units that are predicted worst, worst first. The need of a unit falls
// with each round that picked it. Units with the same number of observations and the
// same score mostly have the same condition, so pick returns only one of them.
func (r *Refiner) pick() []int {
	m := r.model
	type candidate struct {
		unit int
		need float64
	}
	type condition struct {
		reached int
		score   model.Confusion
	}
	var all []candidate
	met := map[condition]bool{}
	for unit, u := range m.Units {
		reached, rows := m.Support(unit)
		same := condition{reached, m.HeldOut(unit)}
		if reached == rows || met[same] {
			continue
		}
		met[same] = true
		all = append(all, candidate{unit, need(reached, same.score) / float64(1+r.picked[u.ID])})
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(b.need, a.need) })
	var out []int
	for _, c := range all[:min(len(all), max(1, r.opt.Runs/minUnitRuns))] {
		out = append(out, c.unit)
	}
	return out
}

// need returns how much a unit needs observations, between 0 and 1: the error of its
// predictions in cross-validation, and more for a unit that few observations reached.
func need(reached int, score model.Confusion) float64 {
	const few = 10
	return 1 - score.F1()*float64(reached)/float64(reached+few)
}

// fewReached is the number of observations below which a unit also gets inputs that
// the pool does not have.
const fewReached = 20

// inputs returns up to n new inputs for a unit; picked is its index among the picked
// units. The inputs come from the pool. If few observations reached the unit, half of
// them do not: a third of this half is targeted, and the rest are mutants of known
// inputs that reach the unit, so that some of them nearly reach it.
func (r *Refiner) inputs(ctx context.Context, t *Targeter, source *rand.Rand, unit, picked, n int) ([][]byte, error) {
	var near [][]byte
	if reached, _ := t.model.Support(unit); reached > 0 && reached < fewReached {
		found, err := t.Find(ctx, source, []int{unit}, nil, Options{N: max(n/6, 1), Draw: variedInputs, MaxNodes: r.opt.MaxNodes, AllowUnlikely: true})
		if err != nil {
			return nil, err
		}
		for _, input := range found.Inputs[:min(len(found.Inputs), n/2)] {
			if !r.seen[string(input.Text)] {
				near = append(near, input.Text)
			}
		}
		mutants, err := r.mutantsFor(ctx, t.model, source, unit, n/2-len(near))
		if err != nil {
			return nil, err
		}
		near = append(near, mutants...)
	}
	return append(near, r.pool.draw(source, picked, n-len(near), r.seen)...), nil
}

// mutantChoice is the number of mutants from which one is chosen.
const mutantChoice = 4

// mutantsFor returns up to n new mutants for a unit. The first half is random; the rest
// are the mutants, among several times as many, that the model is least certain about.
func (r *Refiner) mutantsFor(ctx context.Context, m *model.Model, source *rand.Rand, unit, n int) ([][]byte, error) {
	type mutant struct {
		text      []byte
		certainty float64
	}
	var all []mutant
	for text, err := range mutants(ctx, m.Grammar, source, r.near(source, m.Units[unit].ID), r.opt.MaxNodes) {
		if err != nil {
			return nil, err
		}
		if r.seen[string(text)] {
			continue
		}
		one := mutant{text, 1}
		answer, err := m.Predict(ctx, text, r.opt.Limits)
		if _, limited := errors.AsType[*limit.Error](err); err != nil && !limited {
			return nil, err
		}
		if err == nil && answer.Syntax == nil {
			one.certainty = math.Abs(answer.Methods[unit].Probability - 0.5)
		}
		if all = append(all, one); len(all) >= mutantChoice*n {
			break
		}
	}
	half := min(n/2, len(all))
	slices.SortStableFunc(all[half:], func(a, b mutant) int { return cmp.Compare(a.certainty, b.certainty) })
	var out [][]byte
	for _, one := range all[:min(n, len(all))] {
		out = append(out, one.text)
	}
	return out, nil
}

// near returns the known inputs that reach a unit, or all known inputs if none does,
// in random order.
func (r *Refiner) near(source *rand.Rand, id string) [][]byte {
	var reaching, all [][]byte
	for _, o := range r.known {
		if all = append(all, o.Input); slices.Contains(o.Methods, id) {
			reaching = append(reaching, o.Input)
		}
	}
	if len(reaching) == 0 {
		reaching = all
	}
	source.Shuffle(len(reaching), func(i, j int) { reaching[i], reaching[j] = reaching[j], reaching[i] })
	return reaching
}
