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
