package targeting

import (
	"errors"

	"github.com/inroad/inroad/grammars/limit"
)

// A Verdict says how the search for inputs ended.
type Verdict string

// The verdicts.
const (
	Solved        Verdict = "solved"         // inputs were found
	Infeasible    Verdict = "infeasible"     // proved: no tree meets the constraint
	Unrealised    Verdict = "unrealised"     // trees meet the constraint, but no input was found for them
	Limit         Verdict = "limit"          // a limit stopped the search; inputs may exist
	NeverObserved Verdict = "never-observed" // no observation shows how to reach or to avoid a method
	Unlikely      Verdict = "unlikely"       // the model predicts that the inputs found do not reach the method
)

// A verdictError is an error with a verdict. An empty verdict means none.
type verdictError interface {
	error
	Verdict() Verdict
}

// VerdictOf returns the verdict of a search that ended with err: Solved if err
// is nil, the verdict of the first error in err's tree that has one, or Limit if
// err wraps a [*limit.Error]. It returns false for any other error.
func VerdictOf(err error) (Verdict, bool) {
	if err == nil {
		return Solved, true
	}
	if e, ok := errors.AsType[verdictError](err); ok && e.Verdict() != "" {
		return e.Verdict(), true
	}
	if _, ok := errors.AsType[*limit.Error](err); ok {
		return Limit, true
	}
	return "", false
}

// LeastCertain combines the verdicts of searches that found no input. It returns
// the first Limit, NeverObserved or Unlikely if there is one, Infeasible if all
// verdicts are Infeasible, and Unrealised otherwise. Without verdicts it returns
// Solved.
func LeastCertain(verdicts ...Verdict) Verdict {
	out := Solved
	for _, v := range verdicts {
		if v.doubt() > out.doubt() {
			out = v
		}
	}
	return out
}

// doubt ranks verdicts from proved to undecided.
func (v Verdict) doubt() int {
	switch v {
	case Solved:
		return 0
	case Infeasible:
		return 1
	case Unrealised:
		return 2
	default:
		return 3
	}
}
