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
	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/grammars/refine"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/targeting/aim"
	"github.com/inroad/inroad/targeting/generate"
	"github.com/inroad/inroad/targeting/solve"
)

// An aimer generates inputs for rarely reached units with a model that it trains on
// observations.
type aimer struct {
	guided   *guided
	rand     *rand.Rand
	trainer  *model.Trainer
	model    *model.Model  // nil before the first training
	solver   *solve.Solver // nil before the first training
	targeter *aim.Targeter

	symbols int                       // of the trees of all observations
	rows    int                       // observations that the trainer has
	due     int                       // number of rows at which the model is trained again
	pending []observation.Observation // not yet added
	picked  map[string]int            // by ID of a unit: how often it was aimed at
	queue   []*individual             // inputs that were found
	goals   []goalUnit                // in the order of the model's units; nil if they must be found again
}

// A goalUnit is a unit to aim at.
type goalUnit struct {
	unit int    // of the model
	text string // for people
	need float64
}

// maxSearches limits the searches in a row that find no input.
const maxSearches = 2

// firstTraining is the number of observations of the first model.
const firstTraining = 100

// newAimer returns an aimer. It shares the grammar if inputs derive from the grammar's
// start rule.
func newAimer(ctx context.Context, g *guided, grammar *grammars.Grammar) (*aimer, error) {
	opt := model.Defaults()
	opt.Seed, opt.Folds, opt.Limits = g.options.Seed, 1, parseLimits()
	if len(g.options.Sources) == 0 {
		return nil, fmt.Errorf("algorithm %s: needs the files of the grammar", Guided)
	}
	var t *model.Trainer
	var err error
	if g.options.Start == grammar.Start {
		t, err = model.NewTrainerOf(grammar, g.options.Sources, opt)
	} else {
		t, err = model.NewTrainer(ctx, g.options.Start, g.options.Sources, opt)
	}
	if err != nil {
		return nil, err
	}
	if err := refine.Prepare(ctx, t.Grammar(), g.options.Start); err != nil {
		return nil, err
	}
	t.AddHeader(observation.Header{Units: g.options.Units})
	return &aimer{guided: g, rand: rand.New(rand.NewPCG(g.options.Seed, 1<<32)), trainer: t, due: firstTraining, picked: map[string]int{}}, nil
}

// learn adds observations, and trains the model again when their number has doubled. It
// reports whether it trained. Once there are many observations, it prefers those that
// brought something new, up to twice Rows, and samples the others, up to Rows.
func (a *aimer) learn(ctx context.Context, last []*individual) (bool, error) {
	for _, i := range last {
		if i.same != nil || i.observation.Outcome == "" || i.tree == nil {
			continue
		}
		special := len(i.brought.units) > 0 || i.brought.set || i.brought.failure
		if total := a.rows + len(a.pending); total >= a.guided.Rows && (!special || total >= 2*a.guided.Rows) || total >= a.guided.Rows/4 && !special && a.rand.IntN(4) > 0 {
			continue
		} else if total >= a.due && !special {
			continue // training is due, and more observations would make it even more expensive
		}
		o := i.observation
		o.Input = i.text
		a.pending = append(a.pending, o)
		a.symbols += i.tree.Len()
	}
	a.goals = nil
	work := time.Duration(a.symbols) * a.guided.effort.trained
	if a.rows+len(a.pending) < a.due || !a.guided.effort.allows(training, work) {
		return false, nil
	}
	a.guided.effort.spend(training, work)
	if err := a.trainer.Add(ctx, a.pending); err != nil {
		return false, err
	}
	a.rows += len(a.pending)
	a.pending, a.due = nil, 2*a.rows
	m, err := a.trainer.Train(ctx, a.model)
	if errors.Is(err, model.ErrNoObservations) {
		return false, nil // the program reports no units: there is nothing to aim at
	}
	if err != nil {
		return false, err
	}
	a.model, a.queue = m, nil
	if a.solver == nil {
		if a.solver, err = solve.New(m.Grammar, ""); err != nil {
			return false, err
		}
	}
	a.targeter = aim.NewWith(m, a.solver)
	return true, nil
}

// next returns an input for rare units, or nil if there is none.
func (a *aimer) next(ctx context.Context) (*individual, error) {
	work := searchStart + time.Duration(len(a.guided.grammar.Nodes))*searchSymbol
	for tries := 0; len(a.queue) == 0 && tries < maxSearches && a.guided.effort.allows(aiming, work); tries++ {
		if a.model == nil || len(a.findGoals()) == 0 {
			return nil, nil //nolint:nilnil // there is nothing to aim at
		}
		a.guided.effort.spend(aiming, work)
		if err := a.aimAt(ctx, a.pick()); err != nil {
			return nil, err
		}
	}
	if len(a.queue) == 0 {
		return nil, nil //nolint:nilnil // none was found
	}
	i := a.queue[0]
	a.queue = a.queue[1:]
	return i, nil
}

// promise returns how promising an input is. It is higher the more likely the model
// thinks that the input is accepted and reaches rare units, and the more paths the input
// has that no input had.
func (a *aimer) promise(i *individual) (float64, error) {
	const few = 10
	if i.tree == nil {
		return 0, nil
	}
	answer, err := a.model.PredictTree(i.tree)
	if _, limited := errors.AsType[*limit.Error](err); limited {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	sum := answer.Unseen
	for _, o := range answer.Outcomes {
		if o.Outcome == string(observation.OK) {
			sum += o.Probability
		}
	}
	for unit, p := range answer.Methods {
		if number, ok := a.guided.archive.units[a.model.Units[unit].ID]; ok {
			sum += p.Probability * few / float64(few+a.guided.archive.counts[number])
		}
	}
	return sum, nil
}

// rareShare is the share of results below which a unit is rare.
const rareShare = 0.2

// findGoals returns the units to aim at: rarely reached units, and the nearest reached
// neighbours of units that were never reached.
func (a *aimer) findGoals() []goalUnit {
	if a.goals != nil {
		return a.goals
	}
	archive := a.guided.archive
	unreached := a.neighbours()
	for unit, u := range a.model.Units {
		reached, rows := a.model.Support(unit)
		if reached == 0 || reached == rows {
			continue
		}
		count := 0
		if number, ok := archive.units[u.ID]; ok {
			count = archive.counts[number]
		}
		goal := goalUnit{unit: unit, text: "aiming at " + cmp.Or(u.Name, u.ID)}
		if float64(count) < rareShare*float64(len(archive.results)) {
			goal.need = 1 / float64(1+count)
		}
		if near := unreached[u.ID]; near != "" {
			goal.need += 0.2
			goal.text = "aiming near " + near
		}
		if goal.need > 0 {
			goal.need /= float64(1 + a.picked[u.ID])
			a.goals = append(a.goals, goal)
		}
	}
	return a.goals
}

// neighbours returns, by ID of a reached unit, the name of an unreached unit in the same
// file to which it is the nearest reached unit.
func (a *aimer) neighbours() map[string]string {
	archive := a.guided.archive
	reached := map[string][]observation.Unit{} // by file, sorted by first line; one unit per line
	for _, u := range a.guided.options.Units {
		if _, ok := archive.units[u.ID]; ok {
			reached[u.File] = append(reached[u.File], u)
		}
	}
	for file, units := range reached {
		slices.SortStableFunc(units, func(x, y observation.Unit) int { return cmp.Compare(x.Start, y.Start) })
		reached[file] = slices.CompactFunc(units, func(x, y observation.Unit) bool { return x.Start == y.Start })
	}
	out := map[string]string{}
	for _, u := range a.guided.options.Units {
		if _, ok := archive.units[u.ID]; ok || u.Start == 0 {
			continue
		}
		if near := nearest(reached[u.File], u.Start); near != "" && out[near] == "" {
			out[near] = cmp.Or(u.Name, u.ID)
		}
	}
	return out
}

// nearest returns the ID of the unit whose first line is nearest to a line, or "" if there is
// no unit. A tie goes to the unit before the line. units is sorted by first line.
func nearest(units []observation.Unit, line int) string {
	at, _ := slices.BinarySearchFunc(units, line, func(u observation.Unit, line int) int { return cmp.Compare(u.Start, line) })
	switch {
	case len(units) == 0:
		return ""
	case at == len(units) || at > 0 && line-units[at-1].Start <= units[at].Start-line:
		return units[at-1].ID
	default:
		return units[at].ID
	}
}

// pick draws one to three goals by need.
func (a *aimer) pick() []goalUnit {
	left := slices.Clone(a.goals)
	var out []goalUnit
	for range 1 + a.rand.IntN(3) {
		sum := 0.0
		for _, g := range left {
			sum += g.need
		}
		at := a.rand.Float64() * sum
		i := slices.IndexFunc(left, func(g goalUnit) bool {
			at -= g.need
			return at < 0
		})
		if i < 0 {
			break
		}
		out = append(out, left[i])
		left = slices.Delete(left, i, i+1)
	}
	return out
}

// aimAt queues inputs that reach goals, and mutants of them. One input reaches several
// goals if possible.
func (a *aimer) aimAt(ctx context.Context, goals []goalUnit) error {
	var units []int
	for _, g := range goals {
		a.picked[a.model.Units[g.unit].ID]++
		units = append(units, g.unit)
	}
	if len(units) == 0 {
		return nil
	}
	opt := aim.Options{MaxNodes: aimedNodes, AnyOutcome: a.rand.IntN(4) == 0, AllowUnlikely: true, Steps: aimedSteps}
	if a.rand.IntN(2) == 0 {
		opt.Draw = varied
	}
	found, err := a.targeter.Find(ctx, a.rand, units, nil, opt)
	if _, limited := errors.AsType[*limit.Error](err); limited {
		return nil
	}
	if err != nil {
		return err
	}
	for _, input := range found.Inputs {
		a.queue = append(a.queue, &individual{text: input.Text, tree: input.Tree, aim: goals[0].text})
		for range aimedMutants {
			mutant, err := a.guided.mutant(ctx, input.Tree)
			if err != nil {
				return err
			}
			if mutant != nil {
				mutant.aim = goals[0].text
				a.queue = append(a.queue, mutant)
			}
		}
	}
	return nil
}

const (
	aimedNodes   = 60 // symbols of a tree that is solved for
	aimedMutants = 2  // mutants of each input that is found
	aimedSteps   = 12 // constraints that are solved for a unit, and trees that are tried for each
)

func varied(ctx context.Context, s *solve.Solution, r *rand.Rand, n int) ([]*generate.Input, error) {
	return s.Varied(ctx, r, n)
}
