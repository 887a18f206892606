package model

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model/observation"
)

// TestEvaluateSplit checks that Trainer.Evaluate agrees with training and
// evaluating a model.
func TestEvaluateSplit(t *testing.T) {
	observations := append(observe(1, 400),
		observation.Observation{Input: []byte("[1,"), Methods: []string{"array", "fail"}, Outcome: observation.Failed},
		observation.Observation{Input: []byte("true")},
		observation.Observation{Input: []byte("true"), Methods: []string{"array"}})
	trainer, err := NewTrainer(t.Context(), "", jsonSources(t), Defaults())
	if err != nil {
		t.Fatal(err)
	}
	trainer.AddHeader(observation.Header{Subject: "rules"})
	if err := trainer.Add(t.Context(), observations); err != nil {
		t.Fatal(err)
	}
	learn, test := observations[:250], observations[250:]
	for name, with := range map[string]func(*Options){
		"the same options": func(*Options) {},
		"paths alone":      func(o *Options) { o.Extras = 0 },
		"shorter paths":    func(o *Options) { o.K = 2 },
		"a few extras":     func(o *Options) { o.Extras = features.Of(features.Length, features.Absent) },
		"another tree":     func(o *Options) { o.MaxDepth, o.MinLeaf, o.Outcome = 3, 4, false },
	} {
		t.Run(name, func(t *testing.T) {
			opt := Defaults()
			with(&opt)
			got, err := trainer.Evaluate(t.Context(), learn, test, opt)
			if err != nil {
				t.Fatal(err)
			}
			want, err := train(t, learn, opt).Evaluate(t.Context(), test, 1, grammars.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEvaluateNotAdded(t *testing.T) {
	opt := Defaults()
	opt.K = 2
	trainer, err := NewTrainer(t.Context(), "", jsonSources(t), opt)
	if err != nil {
		t.Fatal(err)
	}
	observations := observe(1, 50)
	if err := trainer.Add(t.Context(), observations); err != nil {
		t.Fatal(err)
	}
	longer := opt
	longer.K = 3
	for name, tc := range map[string]struct {
		learn []observation.Observation
		opt   Options
	}{
		"longer paths":   {observations, longer},
		"an observation": {[]observation.Observation{{Input: []byte("77"), Methods: []string{"another"}}}, opt},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := trainer.Evaluate(t.Context(), tc.learn, observations, tc.opt); !errors.Is(err, ErrNotAdded) {
				t.Errorf("got %v, want %v", err, ErrNotAdded)
			}
		})
	}
}
