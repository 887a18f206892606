// Package aim generates inputs that reach given methods of a program, guided by a
// model of the program.
//
// [New] returns a [Targeter] for a model. [Targeter.Find] turns the leaves of a
// method's decision tree that predict "reached" into constraints and solves
// them with package solve. Every input returned parses, and the model predicts
// that it reaches none of the methods to avoid and, unless it is marked as
// doubtful, that it reaches its own method.
package aim

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/targeting"
	"github.com/inroad/inroad/targeting/generate"
	"github.com/inroad/inroad/targeting/solve"
)

// Reasons for a [Miss], besides the errors of package solve. Their verdict is
// [targeting.NeverObserved].
var (
	// ErrNeverReached reports a unit that no observation reached.
	ErrNeverReached error = unobservedError("no observation reached it; train with inputs that do")
	// ErrAlwaysReached reports that every observation reached a unit to avoid.
	ErrAlwaysReached error = unobservedError("every observation reached a method to avoid; train with inputs that do not")
)

// An unobservedError is an error with the verdict NeverObserved.
type unobservedError string

func (e unobservedError) Error() string { return string(e) }

func (unobservedError) Verdict() targeting.Verdict { return targeting.NeverObserved }

// A Draw returns up to n inputs of a solution.
type Draw func(ctx context.Context, s *solve.Solution, r *rand.Rand, n int) ([]*generate.Input, error)

// Options are the options of [Targeter.Find]. The zero value finds one smallest
// input for each set of units that one input can reach.
type Options struct {
	N        int  // inputs per set of units; 1 if 0
	Draw     Draw // how inputs are drawn from a solution; the smallest if nil
	MaxNodes int  // symbols per tree; no limit if 0
	// AnyOutcome disables the preference for inputs with the predicted outcome ok.
	AnyOutcome bool
}

// An Input is a generated input with the predictions for it.
type Input struct {
	*generate.Input
	Units       []int   // the requested units that the input is predicted to reach
	Probability float64 // the lowest probability among Units
	Doubtful    bool    // the tree of the targeted unit has no leaf that is pure enough to trust
}

// A Miss is a unit without an input. Its verdict is [targeting.Infeasible] only
// if every way to reach the unit was proved infeasible.
type Miss struct {
	Unit    int
	Verdict targeting.Verdict
	Err     error
}

// A Targeter finds inputs that reach the units of one model. It is safe for
// concurrent use.
type Targeter struct {
	model  *model.Model
	ways   *wayFinder
	solver *solve.Solver
}

// New returns a targeter for the units of a model.
func New(m *model.Model) (*Targeter, error) {
	s, err := solve.New(m.Grammar, "")
	return &Targeter{m, newWayFinder(m), s}, err
}

// Find returns inputs that reach the units in want and none of the units in
// avoid. It also returns the units in want for which it found no input. To keep
// the number of inputs small, it targets the unit with the fewest observations
// first, together with as many other units as one input can reach.
func (t *Targeter) Find(ctx context.Context, r *rand.Rand, want, avoid []int, opt Options) ([]Input, []Miss, error) {
	opt.N = max(opt.N, 1)
	if opt.Draw == nil {
		opt.Draw = func(ctx context.Context, s *solve.Solution, r *rand.Rand, n int) ([]*generate.Input, error) {
			return s.Smallest(ctx, r, n)
		}
	}
	left := slices.Clone(want)
	slices.SortStableFunc(left, func(x, y int) int { return t.support(x) - t.support(y) })
	left = slices.Compact(left)
	var inputs []Input
	var missed []Miss
	for len(left) > 0 {
		s := &search{Targeter: t, rand: r, opt: opt, want: want, avoid: avoid, unit: left[0], others: left[1:]}
		found, err := s.find(ctx)
		verdict, ok := targeting.VerdictOf(err)
		switch {
		case !ok:
			return nil, nil, err
		case verdict != targeting.Solved:
			missed = append(missed, Miss{left[0], verdict, err})
			left = left[1:]
		default:
			inputs = append(inputs, found...)
			left = slices.DeleteFunc(left, func(u int) bool {
				return slices.ContainsFunc(found, func(i Input) bool { return slices.Contains(i.Units, u) })
			})
		}
	}
	return inputs, missed, nil
}

// support returns the number of observations that reached a unit.
func (t *Targeter) support(unit int) int {
	reached, _ := t.model.Support(unit)
	return reached
}
