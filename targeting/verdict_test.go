package targeting_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/targeting"
	"github.com/inroad/inroad/targeting/solve"
)

// A remoteError is an error received from a service.
type remoteError struct{ verdict targeting.Verdict }

func (e *remoteError) Error() string { return "remote" }

func (e *remoteError) Verdict() targeting.Verdict { return e.verdict }

func TestVerdictOf(t *testing.T) {
	for _, test := range []struct {
		name string
		err  error
		want targeting.Verdict
		ok   bool
	}{
		{"no error", nil, targeting.Solved, true},
		{"infeasible", &solve.InfeasibleError{}, targeting.Infeasible, true},
		{"unrealised, wrapped", fmt.Errorf("write: %w", &solve.UnrealisedError{}), targeting.Unrealised, true},
		{"a limit", &limit.Error{What: "solver steps", Value: "5"}, targeting.Limit, true},
		{"a limit among several", errors.Join(errors.New("other"), &limit.Error{}), targeting.Limit, true},
		{"an error of a service", &remoteError{targeting.NeverObserved}, targeting.NeverObserved, true},
		{"an error of a service without a verdict", &remoteError{}, "", false},
		{"another error", errors.New("other"), "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got, ok := targeting.VerdictOf(test.err); got != test.want || ok != test.ok {
				t.Errorf("got %q, %v; want %q, %v", got, ok, test.want, test.ok)
			}
		})
	}
}

func TestLeastCertain(t *testing.T) {
	const infeasible, unrealised, limit, never = targeting.Infeasible, targeting.Unrealised, targeting.Limit, targeting.NeverObserved
	for _, test := range []struct {
		verdicts []targeting.Verdict
		want     targeting.Verdict
	}{
		{nil, targeting.Solved},
		{[]targeting.Verdict{infeasible, infeasible}, infeasible},
		{[]targeting.Verdict{infeasible, unrealised, infeasible}, unrealised},
		{[]targeting.Verdict{infeasible, limit, unrealised}, limit},
		{[]targeting.Verdict{never, infeasible, limit}, never},
	} {
		if got := targeting.LeastCertain(test.verdicts...); got != test.want {
			t.Errorf("%v: got %q, want %q", test.verdicts, got, test.want)
		}
	}
}
