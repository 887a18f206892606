// Package aim finds inputs that reach methods of a program, as far as a model of
// the program knows what they ask for.
//
// The leaves of a method's decision tree that say that it is reached are
// constraints on inputs, which package solve decides. Every input that is
// returned was parsed back, and the model predicts that it reaches what it was
// made for and not what is to be avoided.
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

// Reasons to miss a unit, beside those of package solve. Their verdict is
// [targeting.NeverObserved].
var (
	ErrNeverReached  error = unobservedError("no observation entered it, so nothing is known of what it asks for")
	ErrAlwaysReached error = unobservedError("all observations entered it, so it cannot be avoided")
)

// An unobservedError reports that no observation shows how to reach or to avoid a
// unit.
type unobservedError string

func (e unobservedError) Error() string { return string(e) }

func (unobservedError) Verdict() targeting.Verdict { return targeting.NeverObserved }

// A Draw makes up to n inputs of a solution.
type Draw func(ctx context.Context, s *solve.Solution, r *rand.Rand, n int) ([]*generate.Input, error)

// Options say which inputs are wanted.
type Options struct {
	N        int  // how many for each set of units that can be reached at once; 1 if 0
	Draw     Draw // the smallest if nil
	MaxNodes int  // symbols of a tree; 0 for no limit
	// AnyOutcome makes inputs whatever becomes of them. Else inputs are preferred
	// that the program is expected to accept.
	AnyOutcome bool
}

// An Input is one that was made for some units.
type Input struct {
	*generate.Input
	Units       []int   // of those asked for, the ones that the model says it reaches
	Probability float64 // of the unit that is least likely of those
	Doubtful    bool    // the model has no leaf for the unit that it was made for that is pure enough
}

// A Miss is a unit that no input was found for. The verdict is
// [targeting.Infeasible] only if every way to the unit that the model trusts was
// proved infeasible.
type Miss struct {
	Unit    int
	Verdict targeting.Verdict
	Err     error
}

// An Aimer finds inputs for the units of one model. It is safe for concurrent
// use.
type Aimer struct {
	model  *model.Model
	guide  *Guide
	solver *solve.Solver
}

// New returns an aimer at the units of a model.
func New(m *model.Model) (*Aimer, error) {
	s, err := solve.New(m.Grammar, "")
	return &Aimer{m, NewGuide(m), s}, err
}

// Find finds inputs that reach units and avoid others. Each input is made for
// the unit that is reached most rarely of those that are left, and for as many
// others as one input can reach, so that a few inputs reach all.
func (a *Aimer) Find(ctx context.Context, r *rand.Rand, want, avoid []int, opt Options) ([]Input, []Miss, error) {
	opt.N = max(opt.N, 1)
	if opt.Draw == nil {
		opt.Draw = func(ctx context.Context, s *solve.Solution, r *rand.Rand, n int) ([]*generate.Input, error) {
			return s.Smallest(ctx, r, n)
		}
	}
	left := slices.Clone(want)
	slices.SortStableFunc(left, func(x, y int) int { return a.support(x) - a.support(y) })
	left = slices.Compact(left)
	var inputs []Input
	var missed []Miss
	for len(left) > 0 {
		s := &search{Aimer: a, rand: r, opt: opt, want: want, avoid: avoid, unit: left[0], others: left[1:]}
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

func (a *Aimer) support(unit int) int {
	entered, _ := a.model.Support(unit)
	return entered
}
