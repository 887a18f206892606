package api

import (
	"context"
	"fmt"
	"slices"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
)

// Evaluate implements [Service].
func (e *Engine) Evaluate(ctx context.Context, name string, observations observation.Sources, params openapi.EvaluateModelParams) (openapi.Evaluation, error) {
	m, err := e.Library.Model(ctx, name)
	if err != nil {
		return openapi.Evaluation{}, err
	}
	invalid := CountInvalid(&observations)
	out := openapi.Evaluation{Model: m.Digest, Exact: m.Grammar.Exact(), Methods: []openapi.EvaluatedMethod{}}
	var all []observation.Observation
	var headers []observation.Header
	size := int64(0)
	for block, err := range observations.Blocks() {
		if err == nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return openapi.Evaluation{}, err
		}
		if block.Header.Subject != "" {
			out.Subject = block.Header.Subject
		}
		for _, o := range block.Observations {
			size += int64(len(o.Input) + 16*len(o.Methods) + 8*len(m.Units)) // with its predictions
		}
		if e.MaxMemory > 0 && size > e.MaxMemory {
			return openapi.Evaluation{}, e.memoryError("evaluation")
		}
		all, headers = append(all, block.Observations...), append(headers, block.Header)
	}
	scores, err := m.Evaluate(ctx, all, e.workers(), e.Limits)
	if err != nil {
		return openapi.Evaluation{}, err
	}
	if scores.Rows == 0 {
		return openapi.Evaluation{}, fmt.Errorf("nothing to evaluate: %w: of %d observations, %d have no methods and %d have inputs outside the grammar",
			model.ErrNoObservations, len(all), scores.Unlabelled, scores.Outside)
	}
	out.Invalid, out.Errors = invalid.Count, invalid.Errors
	out.Observations, out.Outside, out.Limited, out.Unlabelled = scores.Rows, scores.Outside, scores.Limited, scores.Unlabelled
	out.UnknownMethods = append([]string{}, scores.Unknown...)
	out.OutcomeAccuracy = float64(scores.Outcomes) / float64(scores.Rows)
	out.UsualOutcomeAccuracy = float64(scores.Majority) / float64(scores.Rows)
	out.CalibrationError = scores.Calibration
	out.Learned = methodScores(scores.Summarize(model.MethodScore.Trainable))
	if rare := scores.Summarize(model.MethodScore.Rare); rare.Methods > 0 {
		out.Rare = new(methodScores(rare))
	}
	if constant := scores.Summarize(func(s model.MethodScore) bool { return !s.Trainable() }); constant.Methods > 0 {
		out.Constant = new(methodScores(constant))
	}
	for _, s := range scores.Methods {
		out.Methods = append(out.Methods, openapi.EvaluatedMethod{
			Method: s.Unit.ID, Learned: s.Trainable(), Rare: s.Rare(), Reached: s.Positives(), Scores: scoresOf(s.Confusion),
		})
	}
	if params.Curve {
		out.Curve, err = e.curve(ctx, m.Model, headers, all)
	}
	return out, err
}

// curve returns the learning curve of observations, with the options of a model.
func (e *Engine) curve(ctx context.Context, m *model.Model, headers []observation.Header, all []observation.Observation) ([]openapi.CurvePoint, error) {
	learner, err := newLearner(openapi.TrainOptionsLearner(m.Options.Learner.Name))
	if err != nil {
		return nil, err
	}
	trainer, err := m.NewTrainer(ctx, model.Options{Learner: learner, Workers: e.workers(), Limits: e.Limits})
	if err != nil {
		return nil, err
	}
	for _, h := range headers {
		trainer.AddHeader(h)
	}
	const block = 1000
	for some := range slices.Chunk(all, block) {
		if err := trainer.Add(ctx, some); err != nil {
			return nil, err
		}
		if err := e.checkMemory(trainer.Size(), m.Options); err != nil {
			return nil, err
		}
	}
	points, err := trainer.Curve(ctx, all)
	if err != nil {
		return nil, err
	}
	var out []openapi.CurvePoint
	for _, p := range points {
		point := openapi.CurvePoint{Observations: p.Observations, F1: p.F1, OutcomeAccuracy: p.Outcomes}
		if p.Rares > 0 {
			point.RareF1 = new(p.Rare)
		}
		out = append(out, point)
	}
	return out, nil
}

func scoresOf(c model.Confusion) openapi.Scores {
	return openapi.Scores{Observations: c.Total(), Accuracy: c.Accuracy(), Precision: c.Precision(), Recall: c.Recall(), F1: c.F1()}
}

func methodScores(s model.Summary) openapi.MethodScores {
	return openapi.MethodScores{
		Methods: s.Methods, Pooled: scoresOf(s.Pooled), Majority: scoresOf(s.Baseline), MinorityF1: s.Minority,
		Mean: openapi.Scores{Accuracy: s.Accuracy, Precision: s.Precision, Recall: s.Recall, F1: s.F1},
	}
}
