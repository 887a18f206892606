package observe

import (
	"context"
	"slices"
	"testing"

	"github.com/inroad/inroad/model/observation"
)

// A recorder is a process that records its inputs, and that "crash" ends.
type recorder struct{ inputs *[]string }

func (r recorder) run(_ context.Context, input []byte) (observation.Observation, bool, error) {
	*r.inputs = append(*r.inputs, string(input))
	return observation.Observation{Outcome: observation.OK}, string(input) == "crash", nil
}

func (r recorder) stop() { *r.inputs = append(*r.inputs, "stop") }

// Each process runs the warm-up first. An input that ends its process is left out.
func TestWarmUp(t *testing.T) {
	var got []string
	p := &Program{start: func(context.Context, Limits) (process, error) { return recorder{&got}, nil }}
	r := p.NewRunner(Limits{})
	r.WarmUp([][]byte{[]byte("w1"), []byte("crash"), []byte("w2")})
	for _, input := range []string{"a", "b", "crash", "c"} {
		if _, err := r.Run(t.Context(), []byte(input)); err != nil {
			t.Fatal(err)
		}
	}
	r.Close()
	want := []string{"w1", "crash", "stop", "w1", "w2", "a", "b", "crash", "stop", "w1", "w2", "c", "stop"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A sleeper is a process whose first run times out before it reaches a method.
type sleeper struct{ runs *int }

func (s sleeper) run(context.Context, []byte) (observation.Observation, bool, error) {
	if *s.runs++; *s.runs == 1 {
		return observation.Observation{Outcome: observation.TimedOut, Methods: []string{}}, true, nil
	}
	return observation.Observation{Outcome: observation.OK, Methods: []string{"m.go#Parse"}}, false, nil
}

func (s sleeper) stop() {}

// An input whose run timed out before it reached a method is run once more.
func TestNeverStarted(t *testing.T) {
	check := func(t *testing.T, o observation.Observation, err error) {
		t.Helper()
		if err != nil || o.Outcome != observation.OK || !slices.Equal(o.Methods, []string{"m.go#Parse"}) {
			t.Errorf("got %v with methods %q, %v", o.Outcome, o.Methods, err)
		}
	}
	t.Run("runner", func(t *testing.T) {
		runs := 0
		p := &Program{start: func(context.Context, Limits) (process, error) { return sleeper{&runs}, nil }}
		r := p.NewRunner(Limits{})
		defer r.Close()
		o, err := r.Run(t.Context(), []byte("a"))
		check(t, o, err)
	})
	t.Run("observe", func(t *testing.T) {
		runs := 0
		p := &Program{start: func(context.Context, Limits) (process, error) { return sleeper{&runs}, nil }}
		inputs := func(yield func(Input, error) bool) { yield(Input{Data: []byte("a")}, nil) }
		var got []observation.Observation
		err := p.Observe(t.Context(), inputs, Options{Jobs: 1, Warmup: -1}, func(o observation.Observation) error {
			got = append(got, o)
			return nil
		})
		if len(got) != 1 {
			t.Fatalf("got %d observations, want 1", len(got))
		}
		check(t, got[0], err)
	})
}
