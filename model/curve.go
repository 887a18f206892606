package model

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/inroad/inroad/model/observation"
)

// A CurvePoint holds the quality of a model that was trained on a part of the
// observations. Its means are over the methods that can be learned from all training
// observations, so that the points of a curve are comparable.
type CurvePoint struct {
	Observations int     // in training
	F1           float64 // mean over the learned methods
	Rare         float64 // mean F1 over the rare methods
	Rares        int     // number of rare methods that a held-out observation reached
	Outcomes     float64 // share of outcomes predicted correctly
}

// minCurve is the minimum number of observations for a learning curve. The first
// model of the curve is trained on less than a tenth of them.
const minCurve = 100

// ErrFewObservations reports that there are too few observations for a learning
// curve.
var ErrFewObservations = fmt.Errorf("learning curve: must have at least %d observations of different inputs", minCurve)

// NewTrainer returns a trainer with the grammar and the options of the model. opt
// has the options that do not affect the model, and the learner.
func (m *Model) NewTrainer(ctx context.Context, opt Options) (*Trainer, error) {
	with := m.Options
	with.Learner, with.Workers, with.Limits, with.Progress = opt.Learner, opt.Workers, opt.Limits, opt.Progress
	return NewTrainer(ctx, m.file.Start, m.file.Sources, with)
}

// Curve returns a learning curve: the quality of models that are trained on 1/8,
// 1/4, 1/2 and all of the observations, except for a quarter of them, which is held
// out to evaluate all models. The observations must have been added to the trainer.
// Of the observations of one input, only the first counts.
func (t *Trainer) Curve(ctx context.Context, observations []observation.Observation) ([]CurvePoint, error) {
	train, test := t.holdOut(observations)
	if len(train)+len(test) < minCurve {
		return nil, ErrFewObservations
	}
	var sizes []int
	var evaluations []*Evaluation
	for part := 8; part >= 1; part /= 2 {
		n := len(train) / part
		e, err := t.Evaluate(ctx, train[:n], test, t.opt)
		if err != nil {
			return nil, err
		}
		sizes, evaluations = append(sizes, n), append(evaluations, e)
	}
	learned, rare := map[string]bool{}, map[string]bool{}
	for _, s := range evaluations[len(evaluations)-1].Methods {
		learned[s.Unit.ID], rare[s.Unit.ID] = s.Trainable(), s.Rare()
	}
	var curve []CurvePoint
	for i, e := range evaluations {
		all := e.Summarize(func(s MethodScore) bool { return learned[s.Unit.ID] })
		few := e.Summarize(func(s MethodScore) bool { return rare[s.Unit.ID] })
		curve = append(curve, CurvePoint{sizes[i], all.F1, few.F1, few.Reached, share(e.Outcomes, e.Rows)})
	}
	return curve, nil
}

// holdOut shuffles the observations, without those that repeat an input, and
// returns three quarters to train on and a quarter to test on.
func (t *Trainer) holdOut(observations []observation.Observation) (train, test []observation.Observation) {
	met := map[string]bool{}
	for _, o := range observations {
		if !met[string(o.Input)] {
			met[string(o.Input)] = true
			train = append(train, o)
		}
	}
	r := rand.New(rand.NewPCG(t.opt.Seed, uint64(len(train))))
	r.Shuffle(len(train), func(i, j int) { train[i], train[j] = train[j], train[i] })
	at := len(train) - len(train)/4
	return train[:at], train[at:]
}
