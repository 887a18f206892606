package targeting

import (
	"errors"

	"github.com/inroad/inroad/grammars/limit"
)

// A Verdict says how the search for inputs ended.
type Verdict string

// The verdicts.
const (
	Solved        Verdict = "solved"         // there are inputs
	Infeasible    Verdict = "infeasible"     // no tree meets the constraint, which is proved
	Unrealised    Verdict = "unrealised"     // trees meet the constraint, but no text was found for them
	Limit         Verdict = "limit"          // a limit stopped the search: there may be inputs
	NeverObserved Verdict = "never-observed" // no observation shows how to reach a method, or how to avoid one
)

// verdictError is an error that knows its verdict. A verdict that is empty is
// none.
type verdictError interface {
	error
	Verdict() Verdict
}

// VerdictOf returns the verdict of a search that ended with err: Solved if err
// is nil, that of the first error in err's tree with a method Verdict, or Limit
// if there is a [*limit.Error]. It returns false for any other error.
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

// LeastCertain returns the verdict of several searches that found nothing:
// Infeasible only if every search was proved infeasible, Limit or NeverObserved
// if any search was left undecided, whichever comes first, and Unrealised
// otherwise. It returns Solved if there are no verdicts.
func LeastCertain(verdicts ...Verdict) Verdict {
	out := Solved
	for _, v := range verdicts {
		if v.doubt() > out.doubt() {
			out = v
		}
	}
	return out
}

// doubt orders verdicts by how much they leave open.
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
