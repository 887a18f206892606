package aim

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/targeting/generate"
	"github.com/inroad/inroad/targeting/solve"
)

// TestTargetLoop repeats what inroad target --add-to and inroad train do: inputs for a
// method are generated and run, and the model learns from the observations. Few
// observations teach a wrong condition first, because every array with null and an
// array also has an object. The runs correct it.
func TestTargetLoop(t *testing.T) {
	misleading := slices.DeleteFunc(randomObservations(t, reader, 1500), func(o observation.Observation) bool {
		return slices.Contains(o.Methods, "pair")
	})[:150]
	for _, input := range []string{`[null,[],{}]`, `[[],null,{}]`, `[{},null,[1]]`, `[[0],{},null]`, `[null,{},[2]]`, `[{},[],null]`} {
		o, err := program(reader).Run(t.Context(), []byte(input))
		if err != nil {
			t.Fatal(err)
		}
		misleading = append(misleading, o)
	}
	trainer := newTrainer(t)
	if err := trainer.Add(t.Context(), misleading); err != nil {
		t.Fatal(err)
	}
	const n = 25
	hits := func(round uint64) int {
		m, err := trainer.Train(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		targeter, err := New(m)
		if err != nil {
			t.Fatal(err)
		}
		found, err := targeter.Find(t.Context(), rand.New(rand.NewPCG(round, 0)), units(t, m, "pair"), nil, Options{
			N: n, Draw: func(ctx context.Context, s *solve.Solution, r *rand.Rand, n int) ([]*generate.Input, error) {
				return s.Varied(ctx, r, n)
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		reached := 0
		var ran []observation.Observation
		for _, input := range found.Inputs {
			o, err := program(reader).Run(t.Context(), input.Text)
			if err != nil {
				t.Fatal(err)
			}
			ran = append(ran, o)
			if slices.Contains(o.Methods, "pair") {
				reached++
			}
		}
		if err := trainer.Add(t.Context(), ran); err != nil {
			t.Fatal(err)
		}
		return reached
	}
	var rounds []int
	for round := range uint64(4) {
		rounds = append(rounds, hits(round+1))
	}
	if slices.Max(rounds[1:]) < 20 {
		t.Errorf("of %d inputs each, %v reached the method; want at least 20 in a round after the first", n, rounds)
	}
}
