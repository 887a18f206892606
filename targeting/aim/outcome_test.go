package aim

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/targeting"
	"github.com/inroad/inroad/targeting/generate"
	"github.com/inroad/inroad/targeting/solve"
)

// A vowelProgram reads up to four letters, a to f. An a makes it crash with type A in
// method crash, e with type E; b makes it fail in method refuse. It ends in method
// finish otherwise, except for every fourth run on inputs that start with f, which
// fails in method report.
type vowelProgram struct{ runs int }

func (p *vowelProgram) Run(_ context.Context, input []byte) (observation.Observation, error) {
	p.runs++
	o := observation.Observation{Input: input, Methods: []string{"read"}, Outcome: observation.OK}
	for _, letter := range string(input) {
		switch letter {
		case 'a', 'e':
			o.Methods, o.Outcome = append(o.Methods, "crash"), observation.Crashed
			o.Failure = &observation.Failure{Type: strings.ToUpper(string(letter))}
			return o, nil
		case 'b':
			o.Methods, o.Outcome = append(o.Methods, "refuse"), observation.Failed
			o.Failure = &observation.Failure{Type: "B"}
			return o, nil
		}
		o.Methods = append(o.Methods, string(letter))
	}
	if input[0] == 'f' && p.runs%4 == 0 {
		o.Methods, o.Outcome, o.Failure = append(o.Methods, "report"), observation.Failed, &observation.Failure{Type: "Flaky"}
	} else {
		o.Methods = append(o.Methods, "finish")
	}
	slices.Sort(o.Methods)
	o.Methods = slices.Compact(o.Methods)
	return o, nil
}

// vowels returns a targeter for a model of vowelProgram.
func vowels(t *testing.T) (*Targeter, *model.Model) {
	t.Helper()
	var observations []observation.Observation
	p := &vowelProgram{}
	r := source()
	for range 300 {
		input := ""
		for range 1 + r.IntN(4) {
			input += string("abcdefcdcfcd"[r.IntN(12)])
		}
		for range 4 {
			o, _ := p.Run(t.Context(), []byte(input))
			observations = append(observations, o)
		}
	}
	return targeterOf(t, "grammar L; s : letter+ EOF ; letter : 'a'|'b'|'c'|'d'|'e'|'f' ;", observations)
}

// outcomeOf returns the outcome of a run of vowelProgram that is not flaky.
func outcomeOf(t *testing.T, text []byte) (string, []string) {
	t.Helper()
	o, err := (&vowelProgram{}).Run(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	return model.OutcomeName(o), o.Methods
}

// Inputs for an outcome are predicted to have it, with or without units, and avoid
// units.
func TestFindOutcome(t *testing.T) {
	a, m := vowels(t)
	for _, test := range []struct {
		outcome     string
		want, avoid []string
		outcomes    []string // of the inputs
	}{
		{"failure: B", nil, nil, []string{"failure: B"}},
		{"ok", nil, nil, []string{"ok"}},
		{"crash: E", nil, nil, []string{"crash: E"}},
		{"crash", nil, nil, []string{"crash: A", "crash: E"}},
		{"crash", nil, []string{"c"}, []string{"crash: A", "crash: E"}},
		{"failure: B", []string{"c", "d"}, nil, []string{"failure: B"}},
		{"ok", []string{"c"}, []string{"d"}, []string{"ok"}},
		{"crash", []string{"crash"}, nil, []string{"crash: A", "crash: E"}},
	} {
		t.Run(fmt.Sprint(test.outcome, test.want, test.avoid), func(t *testing.T) {
			want := units(t, m, test.want...)
			for _, draw := range []Draw{nil, varied} {
				result, err := a.Find(t.Context(), source(), want, units(t, m, test.avoid...), Options{N: 8, Outcome: test.outcome, Draw: draw})
				if err != nil || len(result.Missed) > 0 || len(result.Inputs) < 8 {
					t.Fatalf("got %+v, %v", result, err)
				}
				seen := map[string]bool{}
				for _, input := range result.Inputs {
					outcome, methods := outcomeOf(t, input.Text)
					seen[outcome] = true
					if input.Outcome != outcome || input.Probability < 0.5 || input.UnlikelyOutcome || !slices.Contains(test.outcomes, outcome) {
						t.Errorf("%s: %s, but got outcome %s with probability %.2f", input.Text, outcome, input.Outcome, input.Probability)
					}
					for _, name := range test.avoid {
						if slices.Contains(methods, name) {
							t.Errorf("%s reaches %s", input.Text, name)
						}
					}
					for _, u := range input.Units {
						if !slices.Contains(methods, m.Units[u].ID) {
							t.Errorf("%s does not reach %s", input.Text, m.Units[u].ID)
						}
					}
				}
				for _, outcome := range test.outcomes {
					if !seen[outcome] {
						t.Errorf("no input has the outcome %s", outcome)
					}
				}
			}
		})
	}
}

// A unit that is not reached with an outcome is missed, with the reason.
func TestFindOutcomeContradiction(t *testing.T) {
	a, m := vowels(t)
	for _, test := range []struct {
		unit, outcome string
		verdict       targeting.Verdict
		err           string // the end of it
	}{
		{"finish", "crash", targeting.NeverObserved, ErrOtherOutcome.Error()},
		{"refuse", "ok", targeting.Infeasible, "infeasible: no input has 'b' and no 'b'"},
		{"report", "ok", targeting.NeverObserved, ErrOtherOutcome.Error()},
		{"report", "failure: Flaky", targeting.Unlikely, "inputs tried reaches it with the outcome failure: Flaky"},
	} {
		result, err := a.Find(t.Context(), source(), units(t, m, test.unit), nil, Options{Outcome: test.outcome})
		if err != nil || len(result.Inputs) > 0 || len(result.Missed) != 1 {
			t.Fatalf("%s with %s: got %+v, %v", test.unit, test.outcome, result, err)
		}
		if miss := result.Missed[0]; miss.Verdict != test.verdict || !strings.HasSuffix(miss.Err.Error(), test.err) {
			t.Errorf("%s with %s: %s, %v; want %s, %s", test.unit, test.outcome, miss.Verdict, miss.Err, test.verdict, test.err)
		}
	}
	// The other unit is reached.
	result, err := a.Find(t.Context(), source(), units(t, m, "c", "refuse"), nil, Options{Outcome: "ok"})
	if err != nil || len(result.Inputs) != 1 || string(result.Inputs[0].Text) != "c" || len(result.Missed) != 1 || result.Missed[0].Unit != units(t, m, "refuse")[0] {
		t.Errorf("got %+v, %v", result, err)
	}
}

// Inputs that the model predicts to have another outcome are returned only on request,
// and are marked.
func TestFindUnlikelyOutcome(t *testing.T) {
	a, _ := vowels(t)
	result, err := a.Find(t.Context(), source(), nil, nil, Options{Outcome: "failure: Flaky"})
	if err != nil || len(result.Inputs) > 0 || len(result.Missed) != 1 || result.Missed[0].Unit != NoUnit {
		t.Fatalf("got %+v, %v", result, err)
	}
	if unlikely, ok := errors.AsType[*UnlikelyError](result.Missed[0].Err); !ok || !strings.HasSuffix(unlikely.Error(), " inputs tried has it") {
		t.Errorf("got %v", result.Missed[0].Err)
	}
	result, err = a.Find(t.Context(), source(), nil, nil, Options{Outcome: "failure: Flaky", AllowUnlikely: true})
	if err != nil || len(result.Missed) > 0 || len(result.Inputs) != 1 {
		t.Fatalf("got %+v, %v", result, err)
	}
	if input := result.Inputs[0]; input.Text[0] != 'f' || !input.UnlikelyOutcome || input.Probability >= 0.5 || input.Outcome != "failure: Flaky" {
		t.Errorf("got %q, %+v", input.Text, input)
	}
	// Inputs with a likely outcome are not marked.
	result, err = a.Find(t.Context(), source(), nil, nil, Options{Outcome: "crash", AllowUnlikely: true})
	if err != nil || len(result.Inputs) != 1 || result.Inputs[0].UnlikelyOutcome {
		t.Errorf("got %+v, %v", result, err)
	}
}

// Fewer inputs than requested for an outcome are reported.
func TestFindOutcomeShortfall(t *testing.T) {
	a, _ := vowels(t)
	result, err := a.Find(t.Context(), source(), nil, nil, Options{Outcome: "crash: A", N: 50, MaxNodes: 5})
	if err != nil || len(result.Short) != 1 || result.Short[0].Unit != NoUnit || result.Short[0].Found != len(result.Inputs) || len(result.Inputs) == 0 {
		t.Fatalf("got %+v, %v", result, err)
	}
	if _, err := a.Find(t.Context(), source(), nil, nil, Options{Outcome: "timeout"}); err == nil {
		t.Error("no error for an outcome that the model does not predict")
	}
}

// A program is run until the outcome is observed, alone or in a run that reaches a
// unit.
func TestReachOutcome(t *testing.T) {
	a, m := vowels(t)
	for _, test := range []struct{ unit, outcome string }{
		{"", "crash"}, {"", "crash: E"}, {"", "ok"}, {"c", "failure: B"}, {"", "failure: Flaky"},
	} {
		unit := NoUnit
		if test.unit != "" {
			unit = units(t, m, test.unit)[0]
		}
		r := NewReacher(a, &vowelProgram{}, nil, ReachOptions{N: 3, Outcome: test.outcome})
		attempt, err := r.Reach(t.Context(), source(), unit)
		if err != nil || !attempt.Reached() {
			t.Fatalf("%s: got %+v, %v", test.outcome, attempt, err)
		}
		if len(attempt.Inputs) < 3 {
			t.Errorf("%s: %d inputs", test.outcome, len(attempt.Inputs))
		}
		for _, input := range attempt.Inputs {
			if !model.IsOutcome(input.Outcome, test.outcome) {
				t.Errorf("%s: %s has the outcome %s", test.outcome, input.Text, input.Outcome)
			}
			if _, methods := outcomeOf(t, input.Text); unit != NoUnit && !slices.Contains(methods, test.unit) {
				t.Errorf("%s does not reach %s", input.Text, test.unit)
			}
		}
	}
	// A known input that had the outcome once is returned, unconfirmed.
	known := []observation.Observation{{Input: []byte("cc"), Outcome: observation.Crashed, Failure: &observation.Failure{Type: "A"}}, {Input: []byte("d"), Outcome: observation.OK}}
	ok := runnerFunc(func(input []byte) observation.Observation {
		return observation.Observation{Input: input, Outcome: observation.OK}
	})
	attempt, err := NewReacher(a, ok, known, ReachOptions{Outcome: "crash", MaxRuns: 20}).Reach(t.Context(), source(), NoUnit)
	if err != nil || attempt.Reached() || len(attempt.Inputs) != 1 || string(attempt.Inputs[0].Text) != "cc" || !attempt.Inputs[0].Unconfirmed {
		t.Errorf("got %+v, %v", attempt, err)
	}
}

type runnerFunc func(input []byte) observation.Observation

func (f runnerFunc) Run(_ context.Context, input []byte) (observation.Observation, error) {
	return f(input), nil
}

// Plans for one outcome of a kind leave predictions to the other outcomes, also if no
// input comes of them.
func TestOutcomesOfKindShare(t *testing.T) {
	a, m := vowels(t)
	draw := func(ctx context.Context, s *solve.Solution, r *rand.Rand, n int) ([]*generate.Input, error) {
		found, err := smallestInputs(ctx, s, r, n)
		if err == nil && len(found) > 0 && strings.Contains(string(found[0].Text), "a") {
			_, err = varied(ctx, s, r, 2*maxTried) // many predictions in vain
			found = nil
		}
		return found, err
	}
	for _, n := range []int{1, 2} {
		result, err := a.Find(t.Context(), source(), units(t, m, "crash"), nil, Options{N: n, Outcome: "crash", Draw: draw})
		if err != nil || len(result.Inputs) == 0 || result.Inputs[0].Outcome != "crash: E" {
			t.Errorf("n = %d: got %+v, %v, want an input with the outcome crash: E", n, result, err)
		}
	}
}
