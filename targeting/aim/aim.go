// Package aim generates inputs that reach given methods of a program, or that have a
// given outcome, guided by a model of the program.
//
// [New] returns a [Targeter] for a model. [Targeter.Find] takes the decision tree of a
// method or an outcome, turns the leaves that predict it into constraints, and solves
// them with package solve. Every input returned parses, and the model predicts that it
// reaches its method, has the outcome, and reaches none of the methods to avoid. With
// [Options.AllowUnlikely], Find may also return other inputs, which it marks.
package aim

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/targeting"
	"github.com/inroad/inroad/targeting/generate"
	"github.com/inroad/inroad/targeting/solve"
)

// Reasons for a [Miss], besides [*UnlikelyError] and the errors of package solve.
var (
	// ErrNeverReached reports a unit that no observation reached.
	ErrNeverReached error = &reason{targeting.NeverObserved, "no observation reached it; train with inputs that do"}
	// ErrAlwaysReached reports that every observation reached a unit to avoid.
	ErrAlwaysReached error = &reason{targeting.NeverObserved, "every observation reached a method to avoid; train with inputs that do not"}
	// ErrNeverAvoided reports that the model predicts that every input reaches a unit
	// to avoid.
	ErrNeverAvoided error = &reason{targeting.NeverObserved, "the model predicts that every input reaches a method to avoid; train with more inputs that do not"}
	// ErrOtherOutcome reports a unit that no observation with the outcome reached.
	ErrOtherOutcome error = &reason{targeting.NeverObserved, "no observation with the outcome reached it; train with inputs that have both"}
	// ErrContradiction reports a unit both to reach and to avoid.
	ErrContradiction error = &reason{targeting.Infeasible, "infeasible: it is also a method to avoid"}
)

// A reason is an error with a verdict.
type reason struct {
	verdict targeting.Verdict
	text    string
}

func (e *reason) Error() string { return e.text }

func (e *reason) Verdict() targeting.Verdict { return e.verdict }

// An UnlikelyError reports that the model predicts that none of the inputs found reaches
// a unit, or has an outcome. With [Options.AllowUnlikely], Find returns these inputs.
type UnlikelyError struct {
	Tried int // inputs that were tried; 0 if no leaf predicts the unit or the outcome

	goal string // for the message; "reaches it" if empty
}

func (e *UnlikelyError) Error() string {
	goal := cmp.Or(e.goal, "reaches it")
	if e.Tried == 0 {
		return "the model predicts that no input " + goal
	}
	return fmt.Sprintf("the model predicts that none of %d inputs tried %s", e.Tried, goal)
}

// Verdict returns [targeting.Unlikely].
func (e *UnlikelyError) Verdict() targeting.Verdict { return targeting.Unlikely }

// A Draw returns up to n inputs of a solution.
type Draw func(ctx context.Context, s *solve.Solution, r *rand.Rand, n int) ([]*generate.Input, error)

// NoUnit stands for no unit, in results for an outcome alone.
const NoUnit = -1

// Options are the options of [Targeter.Find]. The zero value finds one smallest
// input for each set of units that one input can reach.
type Options struct {
	N        int  // inputs per set of units; 1 if 0
	Draw     Draw // how inputs are drawn from a solution; the smallest if nil
	MaxNodes int  // symbols per tree; no limit if 0
	// Outcome is the outcome that inputs are predicted to have: an outcome of the
	// model, or a kind that stands for all its outcomes, such as crash. If it is
	// empty, any outcome will do.
	Outcome string
	// AnyOutcome disables the preference for inputs with the predicted outcome ok,
	// which exists if Outcome is empty.
	AnyOutcome bool
	// AllowUnlikely also returns inputs that the model predicts not to reach their
	// unit, or not to have the outcome, if it finds no others.
	AllowUnlikely bool
	// NoMutants returns only inputs from Draw. Otherwise, mutants of the model's examples
	// are one in five inputs, and replace inputs that Draw did not find.
	NoMutants bool
	// Steps limits the constraints that are solved for each unit, and the trees that are
	// tried for each constraint. If it is 0, the limits of a thorough search apply. If it
	// is not 0, errors do not name contradictory conditions, and inputs neither resemble
	// the model's examples nor are mutants of them.
	Steps int
}

// An Input is a generated input with the predictions for it.
type Input struct {
	*generate.Input
	// Units holds the requested units that the input is predicted to reach, and the units
	// in Unlikely. If ok is preferred, but the input is predicted to be refused, it holds
	// only the unit that the input was generated for: the run may end before it reaches
	// others.
	Units       []int
	Unlikely    []int   // the units among Units that the input was generated for but is predicted not to reach
	Probability float64 // the lowest probability among Units and of the requested outcome
	// Outcome is the likeliest of the outcomes that [Options.Outcome] stands for.
	Outcome         string
	UnlikelyOutcome bool // the input is predicted to have none of the requested outcomes
}

// A Miss is a unit without an input, or an outcome. Its verdict is
// [targeting.Infeasible] only if every way to reach the unit was proved infeasible.
type Miss struct {
	Unit    int // or NoUnit
	Verdict targeting.Verdict
	Err     error
}

// A Shortfall reports that fewer inputs than requested were found for a unit, or for
// an outcome.
type Shortfall struct {
	Unit  int // or NoUnit
	Found int
	Tried int  // inputs that were tried
	All   bool // proved: no other input is predicted to reach the unit, apart from trivia and letter case
}

// A Result holds the inputs that [Targeter.Find] found.
type Result struct {
	Inputs []Input
	Missed []Miss
	Short  []Shortfall // units, or the outcome, with at least one input, but fewer than requested
}

// A Targeter finds inputs that reach the units of one model. It is safe for
// concurrent use.
type Targeter struct {
	model    *model.Model
	ways     *wayFinder
	solver   *solve.Solver
	examples *examples
}

// New returns a targeter for the units of a model.
func New(m *model.Model) (*Targeter, error) {
	s, err := solve.New(m.Grammar, "")
	return NewWith(m, s), err
}

// NewWith is like [New], with a solver of the model's grammar.
func NewWith(m *model.Model, s *solve.Solver) *Targeter {
	return &Targeter{m, newWayFinder(m), s, newExamples(m)}
}

// Find returns inputs that reach the units in want and none of the units in avoid, and
// that have the outcome of the options. It also returns the units in want for which it
// found no input. To keep the number of inputs small, it targets the unit with the
// fewest observations first, together with as many other units as one accepted input can
// reach. Without units, the outcome is the only goal.
func (t *Targeter) Find(ctx context.Context, r *rand.Rand, want, avoid []int, opt Options) (*Result, error) {
	opt.N = max(opt.N, 1)
	if opt.Draw == nil {
		opt.Draw = smallestInputs
	}
	outcomes := t.model.OutcomesOf(opt.Outcome)
	if opt.Outcome != "" && len(outcomes) == 0 {
		return nil, fmt.Errorf("outcome %q: must be one of %q", opt.Outcome, t.model.Outcomes)
	}
	out := &Result{}
	left := slices.Clone(want)
	slices.SortStableFunc(left, func(x, y int) int { return cmp.Or(t.support(x)-t.support(y), x-y) })
	left = slices.Compact(left)
	left = slices.DeleteFunc(left, func(u int) bool {
		contradicts := slices.Contains(avoid, u)
		if contradicts {
			out.Missed = append(out.Missed, Miss{u, targeting.Infeasible, ErrContradiction})
		}
		return contradicts
	})
	if len(want) == 0 && opt.Outcome != "" {
		left = []int{NoUnit}
	}
	for len(left) > 0 {
		s := &search{Targeter: t, rand: r, opt: opt, want: want, avoid: avoid, unit: left[0], others: left[1:], outcomes: outcomes}
		found, err := s.find(ctx)
		verdict, ok := targeting.VerdictOf(err)
		switch {
		case !ok:
			return nil, err
		case verdict != targeting.Solved:
			out.Missed = append(out.Missed, Miss{left[0], verdict, err})
			left = left[1:]
		default:
			out.Inputs = append(out.Inputs, found...)
			if len(found) < opt.N {
				all, err := s.all(ctx, found)
				if err != nil {
					return nil, err
				}
				out.Short = append(out.Short, Shortfall{left[0], len(found), s.tried, all})
			}
			left = slices.DeleteFunc(left, func(u int) bool {
				return u == s.unit || slices.ContainsFunc(found, func(i Input) bool { return slices.Contains(i.Units, u) })
			})
		}
	}
	return out, nil
}

func smallestInputs(ctx context.Context, s *solve.Solution, r *rand.Rand, n int) ([]*generate.Input, error) {
	return s.Smallest(ctx, r, n)
}

// support returns the number of observations that reached a unit.
func (t *Targeter) support(unit int) int {
	reached, _ := t.model.Support(unit)
	return reached
}
