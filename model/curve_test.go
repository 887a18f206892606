package model

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/model/observation"
)

// curve adds observations to a trainer and returns their learning curve.
func curve(t *testing.T, observations []observation.Observation) ([]CurvePoint, error) {
	t.Helper()
	trainer, err := NewTrainer(t.Context(), "", jsonSources(t), Defaults())
	if err != nil {
		t.Fatal(err)
	}
	if err := trainer.Add(t.Context(), observations); err != nil {
		t.Fatal(err)
	}
	return trainer.Curve(t.Context(), observations)
}

// The methods depend on the inputs, so more observations teach more about them. The
// same observations give the same curve.
func TestCurve(t *testing.T) {
	observations := observe(1, 800)
	first, err := curve(t, observations)
	if err != nil {
		t.Fatal(err)
	}
	distinct := map[string]bool{}
	for _, o := range observations {
		distinct[string(o.Input)] = true
	}
	train := len(distinct) - len(distinct)/4
	for i, part := range []int{8, 4, 2, 1} {
		if first[i].Observations != train/part {
			t.Errorf("point %d: trained on %d observations, not %d", i, first[i].Observations, train/part)
		}
	}
	if first[3].F1 < first[0].F1+.01 {
		t.Errorf("mean F1 does not grow: %.3f with %d observations, %.3f with %d", first[0].F1, first[0].Observations, first[3].F1, first[3].Observations)
	}
	again, err := curve(t, observations)
	if diff := cmp.Diff(first, again); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

// No input is both in training and held out, even if the observations repeat it.
func TestCurveHoldsOut(t *testing.T) {
	trainer, err := NewTrainer(t.Context(), "", jsonSources(t), Defaults())
	if err != nil {
		t.Fatal(err)
	}
	observations := observe(1, 300)
	train, test := trainer.holdOut(slices.Concat(observations, observations, observations))
	trained := map[string]bool{}
	for _, o := range train {
		trained[string(o.Input)] = true
	}
	for _, o := range test {
		if trained[string(o.Input)] {
			t.Errorf("%q is in training and held out", o.Input)
		}
	}
	if len(test) != (len(train)+len(test))/4 {
		t.Errorf("%d of %d observations are held out", len(test), len(train)+len(test))
	}
}

func TestCurveOfFewObservations(t *testing.T) {
	if points, err := curve(t, observe(1, 50)); !errors.Is(err, ErrFewObservations) {
		t.Errorf("got %v, %v", points, err)
	}
}

func TestCurveCancelled(t *testing.T) {
	observations := observe(1, 400)
	trainer, err := NewTrainer(t.Context(), "", jsonSources(t), Defaults())
	if err != nil {
		t.Fatal(err)
	}
	if err := trainer.Add(t.Context(), observations); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := trainer.Curve(ctx, observations); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
