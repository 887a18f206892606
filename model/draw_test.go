package model

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inroad/inroad/model/observation"
)

// trainSample trains on a sample of the observations, which are given in blocks.
func trainSample(tb testing.TB, observations []observation.Observation, block int, opt Options) *Model {
	tb.Helper()
	trainer, err := NewTrainer(tb.Context(), "", jsonSources(tb), opt)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() {
		if err := trainer.Close(); err != nil {
			tb.Error(err)
		}
	}()
	for part := range slices.Chunk(observations, block) {
		if err := trainer.Add(tb.Context(), part); err != nil {
			tb.Fatal(err)
		}
	}
	m, err := trainer.Train(tb.Context(), nil)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// A sample keeps all observations of rare methods and outcomes, and the model says how
// many others it lacks. The sample is the same in memory and in scratch files, and for
// every size of blocks.
func TestSample(t *testing.T) {
	observations := contradictory(500)
	for i := range observations {
		if i%80 == 9 && observations[i].Methods != nil {
			observations[i].Methods = append(observations[i].Methods, "rare")
		}
	}
	opt := Defaults()
	opt.Folds, opt.Sample = 2, 100
	all := opt
	all.Sample = 0
	whole := trainSample(t, observations, 100, all)
	m := trainSample(t, observations, len(observations), opt)
	if m.Stats.Unsampled == 0 || m.Rows >= whole.Rows || m.Rows+m.Outside.Rows+m.Stats.Unsampled < whole.Rows+whole.Outside.Rows {
		t.Errorf("%d rows, %d outside, %d not in the sample, want at least %d in all", m.Rows, m.Outside.Rows, m.Stats.Unsampled, whole.Rows+whole.Outside.Rows)
	}
	for i, u := range m.Units {
		want, _ := whole.Support(i)
		if got, _ := m.Support(i); want < keptPerClass-whole.Outside.Reached[i] && got != want {
			t.Errorf("%s: %d observations in the sample, want all %d", u.ID, got, want)
		}
	}
	folder := &scratchFolder{dir: t.TempDir()}
	opt.Workers, opt.Memory, opt.Scratch = 2, 1, folder.create
	for _, block := range []int{3, 250} {
		if got := trainSample(t, observations, block, opt); !bytes.Equal(write(t, got), write(t, m)) {
			t.Errorf("blocks of %d in scratch files: another model", block)
		}
	}
	if n := folder.open.Load(); n != 0 {
		t.Errorf("%d scratch files are open", n)
	}
}

// The sample depends on the seed, and not on the order of the observations.
func TestSampleOrder(t *testing.T) {
	observations := observe(3, 400)
	opt := Defaults()
	opt.Folds, opt.Sample = 1, 50
	m := trainSample(t, observations, 50, opt)
	slices.Reverse(observations)
	if got := trainSample(t, observations, 70, opt); got.Rows != m.Rows || !bytes.Equal(got.file.Matrix, m.file.Matrix) {
		t.Errorf("reversed: %d rows, want the same %d", got.Rows, m.Rows)
	}
	opt.Seed = 2
	if got := trainSample(t, observations, 50, opt); bytes.Equal(got.file.Matrix, m.file.Matrix) {
		t.Error("another seed gives the same sample")
	}
}

func TestSmallest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOfN(rapid.Uint64Range(0, 500), 0, 3*keptPerClass).Draw(t, "numbers")
		var s smallest
		for _, n := range numbers {
			s.add(n)
		}
		want := slices.Sorted(slices.Values(numbers))
		want = want[:min(len(want), keptPerClass)]
		if got := slices.Sorted(slices.Values(s)); !slices.Equal(got, want) {
			t.Fatalf("got %s, want %s", fmt.Sprint(got), fmt.Sprint(want))
		}
	})
}
