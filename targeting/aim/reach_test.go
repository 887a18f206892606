package aim

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/inroad/inroad/model/observation"
)

// A program is a Runner of a function that returns the methods which an input
// reaches.
type program func(input []byte) ([]string, observation.Outcome)

func (p program) Run(_ context.Context, input []byte) (observation.Observation, error) {
	methods, outcome := p(input)
	return observation.Observation{Input: input, Methods: methods, Outcome: outcome}, nil
}

// changed behaves like run, except that method secret is reached by arrays of two
// or more nulls, and method array by nothing.
func changed(input []byte) ([]string, observation.Outcome) {
	methods, outcome := run(input)
	methods = slices.DeleteFunc(methods, func(m string) bool { return m == "array" })
	if strings.Count(string(input), "null") >= 2 && input[0] == '[' {
		methods = append(methods, "secret")
	}
	return methods, outcome
}

func observed(inputs ...string) []observation.Observation {
	var out []observation.Observation
	for _, input := range inputs {
		out = append(out, observation.Observation{Input: []byte(input), Methods: []string{"array", "secret"}, Outcome: observation.OK})
	}
	return out
}

func TestReach(t *testing.T) {
	m := learned(t, run, "array", "escape", "never", "null", "object", "read", "secret")
	a, err := New(m)
	if err != nil {
		t.Fatal(err)
	}
	unit := func(name string) int { return units(t, m, name)[0] }
	reach := func(t *testing.T, r *Reacher, unit int) *Attempt {
		t.Helper()
		attempt, err := r.Reach(t.Context(), source(), unit)
		if err != nil {
			t.Fatal(err)
		}
		return attempt
	}

	t.Run("the model's first input reaches it", func(t *testing.T) {
		r := NewReacher(a, program(changed), nil, ReachOptions{})
		got := reach(t, r, unit("object"))
		if !got.Reached() || got.Runs != 1 || len(got.Inputs) != 1 || got.Inputs[0].Origin != Targeted || got.Inputs[0].Runs != 1 {
			t.Errorf("got %+v", got)
		}
		if again := reach(t, r, unit("read")); !again.Reached() || again.Runs != 0 {
			t.Errorf("a unit that an earlier run reached: %+v", again)
		}
		if len(r.Observations()) != 1 || !slices.Contains(r.Observations()[0].Methods, "object") {
			t.Errorf("observed %v", r.Observations())
		}
	})

	t.Run("several inputs", func(t *testing.T) {
		got := reach(t, NewReacher(a, program(changed), nil, ReachOptions{N: 12}), unit("escape"))
		texts := map[string]bool{}
		for _, input := range got.Inputs {
			texts[string(input.Text)] = true
			if methods, _ := changed(input.Text); !slices.Contains(methods, "escape") {
				t.Errorf("%s does not reach it", input.Text)
			}
		}
		if len(texts) != 12 || len(got.Inputs) != 12 {
			t.Errorf("got %+v", got)
		}
	})

	t.Run("a known input reaches it", func(t *testing.T) {
		got := reach(t, NewReacher(a, program(changed), observed(`[null, null, 1]`, `[null,null]`), ReachOptions{}), unit("secret"))
		if !got.Reached() || got.Inputs[0].Origin != Observed || string(got.Inputs[0].Text) != `[null,null]` {
			t.Errorf("got %+v", got)
		}
	})

	t.Run("a known input is run although runs are few", func(t *testing.T) {
		got := reach(t, NewReacher(a, program(run), observed(`[[]]`), ReachOptions{N: 2, MaxRuns: 2}), unit("array"))
		if got.Runs != 2 || len(got.Inputs) != 2 || got.Inputs[1].Origin != Observed {
			t.Errorf("got %+v", got)
		}
	})

	t.Run("a mutant of a known input reaches it", func(t *testing.T) {
		got := reach(t, NewReacher(a, program(changed), observed(`[null,1]`), ReachOptions{}), unit("secret"))
		if !got.Reached() || got.Inputs[0].Origin != Mutated {
			t.Errorf("got %+v", got)
		}
	})

	t.Run("a known input that reaches it no more", func(t *testing.T) {
		r := NewReacher(a, program(changed), observed(`[1]`), ReachOptions{MaxRuns: 60})
		got := reach(t, r, unit("array"))
		if got.Reached() || got.Runs != 60 || len(got.Inputs) != 1 || string(got.Inputs[0].Text) != `[1]` || !got.Inputs[0].Unconfirmed {
			t.Errorf("got %+v", got)
		}
		seen := map[string]bool{}
		for _, o := range r.Observations() {
			seen[string(o.Input)] = true
		}
		if len(seen) != 60 || len(r.Observations()) != 60 {
			t.Errorf("%d different inputs in %d observations", len(seen), len(r.Observations()))
		}
	})

	t.Run("nothing reaches it", func(t *testing.T) {
		got := reach(t, NewReacher(a, program(changed), nil, ReachOptions{MaxRuns: 40}), unit("never"))
		if got.Reached() || got.Runs != 40 || len(got.Inputs) != 0 {
			t.Errorf("got %+v", got)
		}
	})

	t.Run("inputs reach no method to avoid", func(t *testing.T) {
		got := reach(t, NewReacher(a, program(changed), nil, ReachOptions{N: 5, Avoid: []int{unit("escape")}}), unit("null"))
		if len(got.Inputs) != 5 {
			t.Errorf("got %+v", got)
		}
		for _, input := range got.Inputs {
			if methods, _ := changed(input.Text); slices.Contains(methods, "escape") {
				t.Errorf("%s reaches a method to avoid", input.Text)
			}
		}
	})

	t.Run("one-time work is not observed", func(t *testing.T) {
		runs := 0
		first := program(func(input []byte) ([]string, observation.Outcome) {
			methods, outcome := changed(input)
			if runs++; runs == 1 {
				methods = append(methods, "never")
			}
			return methods, outcome
		})
		if got := reach(t, NewReacher(a, first, nil, ReachOptions{MaxRuns: 20}), unit("never")); got.Reached() {
			t.Errorf("got %+v", got)
		}
	})

	t.Run("the program cannot be run", func(t *testing.T) {
		broken := errors.New("no program")
		r := NewReacher(a, brokenRunner{broken}, nil, ReachOptions{})
		if _, err := r.Reach(t.Context(), source(), unit("object")); !errors.Is(err, broken) {
			t.Errorf("got %v", err)
		}
	})
}

type brokenRunner struct{ err error }

func (r brokenRunner) Run(context.Context, []byte) (observation.Observation, error) {
	return observation.Observation{}, r.err
}

// TestExplore finds inputs that reach a method which the model does not have.
func TestExplore(t *testing.T) {
	m := learned(t, run, "array", "escape", "never", "null", "object", "read", "secret")
	a, err := New(m)
	if err != nil {
		t.Fatal(err)
	}
	added := func(input []byte) ([]string, observation.Outcome) {
		methods, outcome := run(input)
		if strings.Count(string(input), "{") >= 2 {
			methods = append(methods, "added")
		}
		return methods, outcome
	}
	reachesAdded := func(o observation.Observation) bool { return slices.Contains(o.Methods, "added") }
	for _, near := range [][]int{units(t, m, "object"), nil} {
		got, err := NewReacher(a, program(added), nil, ReachOptions{N: 2}).Explore(t.Context(), source(), near, reachesAdded)
		if err != nil || !got.Reached() || len(got.Inputs) != 2 {
			t.Errorf("near %v: %+v, %v", near, got, err)
		}
	}
	avoid := ReachOptions{Avoid: units(t, m, "read"), MaxRuns: 20}
	got, err := NewReacher(a, program(added), nil, avoid).Explore(t.Context(), source(), units(t, m, "object"), reachesAdded)
	if err != nil || got.Reached() || got.Runs != avoid.MaxRuns {
		t.Errorf("with a method to avoid that all inputs reach: %+v, %v", got, err)
	}
}
