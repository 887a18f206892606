package campaign

import "fmt"

// A Goal is a quantity that a campaign tries to maximise.
type Goal string

// The goals.
const (
	AllGoals Goal = "all"      // all of the following
	Coverage Goal = "coverage" // units that are reached
	Failures Goal = "failures" // distinct failures
	RunTime  Goal = "runtime"  // long runs
	Mappings Goal = "mappings" // pairs of an input's structure and a unit that it reaches
)

// Goals returns all goals, the default first.
func Goals() []Goal { return []Goal{AllGoals, Coverage, Failures, RunTime, Mappings} }

// Weights are the weights of goals.
type Weights struct{ Coverage, Failures, RunTime, Mappings float64 }

// weightsOf returns the weights of a campaign: 10 for its goal unless that is AllGoals, 0
// for ignored goals, and 1 for the others.
func weightsOf(goal Goal, ignore []Goal) (Weights, error) {
	w := Weights{1, 1, 1, 1}
	if goal != AllGoals {
		to := w.of(goal)
		if to == nil {
			return w, fmt.Errorf("goal %q: must be one of %q", goal, Goals())
		}
		*to = 10
	}
	for _, g := range ignore {
		to := w.of(g)
		if to == nil || g == goal {
			return w, fmt.Errorf("goal %q to ignore: must be one of %q, and not the goal of the campaign", g, Goals()[1:])
		}
		*to = 0
	}
	return w, nil
}

// of returns the weight of a goal, or nil for all goals and unknown ones.
func (w *Weights) of(goal Goal) *float64 {
	switch goal {
	case Coverage:
		return &w.Coverage
	case Failures:
		return &w.Failures
	case RunTime:
		return &w.RunTime
	case Mappings:
		return &w.Mappings
	default:
		return nil
	}
}

// heaviest returns the weight of the goal of the campaign; 1 if all goals count alike.
func (w Weights) heaviest() float64 { return max(w.Coverage, w.Failures, w.RunTime, w.Mappings) }
