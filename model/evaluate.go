package model

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/grammars/parallel"
	"github.com/inroad/inroad/model/observation"
)

// A Confusion is a binary confusion matrix.
type Confusion struct {
	TruePositives, FalsePositives, FalseNegatives, TrueNegatives int
}

// Add counts a prediction.
func (c *Confusion) Add(predicted, actual bool) {
	switch {
	case predicted && actual:
		c.TruePositives++
	case predicted:
		c.FalsePositives++
	case actual:
		c.FalseNegatives++
	default:
		c.TrueNegatives++
	}
}

// remove undoes Add.
func (c *Confusion) remove(predicted, actual bool) {
	var one Confusion
	one.Add(predicted, actual)
	c.TruePositives -= one.TruePositives
	c.FalsePositives -= one.FalsePositives
	c.FalseNegatives -= one.FalseNegatives
	c.TrueNegatives -= one.TrueNegatives
}

// Plus returns the sum of two matrices.
func (c Confusion) Plus(d Confusion) Confusion {
	return Confusion{
		c.TruePositives + d.TruePositives, c.FalsePositives + d.FalsePositives,
		c.FalseNegatives + d.FalseNegatives, c.TrueNegatives + d.TrueNegatives,
	}
}

// Total returns the number of predictions.
func (c Confusion) Total() int {
	return c.TruePositives + c.FalsePositives + c.FalseNegatives + c.TrueNegatives
}

// Wrong returns the number of wrong predictions.
func (c Confusion) Wrong() int { return c.FalsePositives + c.FalseNegatives }

// Positives returns the number of actual positives.
func (c Confusion) Positives() int { return c.TruePositives + c.FalseNegatives }

// Accuracy returns the share of correct predictions, or 1 if there are none.
func (c Confusion) Accuracy() float64 { return share(c.TruePositives+c.TrueNegatives, c.Total()) }

// Precision returns the share of positive predictions that are correct, or 1 if
// there are none.
func (c Confusion) Precision() float64 {
	return share(c.TruePositives, c.TruePositives+c.FalsePositives)
}

// Recall returns the share of actual positives that are predicted, or 1 if
// there are none.
func (c Confusion) Recall() float64 { return share(c.TruePositives, c.Positives()) }

// F1 returns the harmonic mean of precision and recall, or 1 if there are
// neither actual nor predicted positives.
func (c Confusion) F1() float64 {
	return share(2*c.TruePositives, 2*c.TruePositives+c.Wrong())
}

// Inverse returns the matrix with the classes swapped.
func (c Confusion) Inverse() Confusion {
	return Confusion{c.TrueNegatives, c.FalseNegatives, c.FalsePositives, c.TruePositives}
}

func share(part, whole int) float64 {
	if whole == 0 {
		return 1
	}
	return float64(part) / float64(whole)
}

// An Evaluation holds the quality of a model's predictions.
type Evaluation struct {
	Rows        int           // observations evaluated
	Outside     int           // observations skipped: input outside the grammar
	Limited     int           // observations skipped: input over a limit
	Unlabelled  int           // observations skipped: methods unknown
	Unknown     []string      // reached methods that the model does not have, sorted
	Outcomes    int           // observations with the predicted outcome
	Majority    int           // observations with the most frequent outcome in training
	Methods     []MethodScore // one per unit
	Calibration float64       // expected calibration error
	Intervals   Intervals     // whether the confidence intervals hold
}

// Intervals counts the predictions whose confidence interval contains the true
// probability. The true probability of a leaf is estimated by the share of the
// evaluated observations in it that reached the unit. Only leaves with many more
// evaluated than training observations are counted, so that this share is far more
// exact than the interval, and only predictions that do not depend on the outcome.
// Units that the same training observations reached have the same tree, which counts
// once.
type Intervals struct {
	Held       int // predictions whose interval contains the share
	Total      int // all predictions that were counted
	LeavesHeld int // leaves whose interval contains the share
	Leaves     int // all leaves that were counted
}

// Plus returns the sum of two counts.
func (i Intervals) Plus(j Intervals) Intervals {
	return Intervals{i.Held + j.Held, i.Total + j.Total, i.LeavesHeld + j.LeavesHeld, i.Leaves + j.Leaves}
}

// intervalRatio is the least number of evaluated observations per training
// observation of a leaf in [Intervals].
const intervalRatio = 4

// leafCount counts the evaluated observations in a leaf.
type leafCount struct{ rows, positives int }

func (i *Intervals) add(p *Prediction, c leafCount) {
	if c.rows < intervalRatio*int(p.Rows) {
		return
	}
	i.Total += c.rows
	i.Leaves++
	if share := float64(c.positives) / float64(c.rows); p.Low <= share && share <= p.High {
		i.Held += c.rows
		i.LeavesHeld++
	}
}

// A MethodScore holds the quality of the predictions for one unit.
type MethodScore struct {
	Unit observation.Unit
	Confusion
	Reached int  // training observations that reached the unit
	Trained int  // all training observations
	Unknown bool // see [Model.Unknown]
}

// Trainable reports whether the unit was reached by some but not all training
// observations.
func (s MethodScore) Trainable() bool { return s.Reached > 0 && s.Reached < s.Trained }

// rareShare is the share of training observations below which a method is rare.
const rareShare = 0.05

// Rare reports whether few training observations reached the unit.
func (s MethodScore) Rare() bool {
	return s.Trainable() && float64(s.Reached) < rareShare*float64(s.Trained)
}

// majority returns the matrix of a predictor that always predicts the more
// frequent class in training.
func (s MethodScore) majority() Confusion {
	positives, negatives := s.Positives(), s.Total()-s.Positives()
	if 2*s.Reached > s.Trained {
		return Confusion{TruePositives: positives, FalsePositives: negatives}
	}
	return Confusion{FalseNegatives: positives, TrueNegatives: negatives}
}

// minority returns the matrix with the less frequent class in training as the
// positive class.
func (s MethodScore) minority() Confusion {
	if 2*s.Reached > s.Trained {
		return s.Inverse()
	}
	return s.Confusion
}

// A Summary aggregates the scores of methods. Pooled adds up all predictions.
// The means give each method the same weight; they omit methods that no
// observation reached, for which precision and recall are undefined.
type Summary struct {
	Methods  int
	Pooled   Confusion
	Baseline Confusion // of a predictor that always predicts the more frequent class in training
	Reached  int       // methods that an observation reached: those in the means

	Accuracy, Precision, Recall, F1 float64 // means
	Minority                        float64 // mean F1 of the less frequent class in training
}

// Summarize aggregates the scores for which include returns true.
func (e *Evaluation) Summarize(include func(MethodScore) bool) Summary {
	var s Summary
	minorities := 0
	for _, m := range e.Methods {
		if !include(m) {
			continue
		}
		s.Methods++
		s.Pooled = s.Pooled.Plus(m.Confusion)
		s.Baseline = s.Baseline.Plus(m.majority())
		if minority := m.minority(); minority.Positives() > 0 {
			minorities++
			s.Minority += minority.F1()
		}
		if m.Positives() > 0 {
			s.Reached++
			s.Accuracy += m.Accuracy()
			s.Precision += m.Precision()
			s.Recall += m.Recall()
			s.F1 += m.F1()
		}
	}
	for _, sum := range []*float64{&s.Accuracy, &s.Precision, &s.Recall, &s.F1} {
		*sum /= max(1, float64(s.Reached))
	}
	s.Minority /= max(1, float64(minorities))
	return s
}

// HeldOutScores returns the scores from cross-validation.
func (m *Model) HeldOutScores() *Evaluation {
	e := &Evaluation{Rows: m.Rows}
	for i, u := range m.Units {
		reached, rows := m.Support(i)
		e.Methods = append(e.Methods, MethodScore{u, m.HeldOut(i), reached, rows, m.Unknown(i)})
	}
	return e
}

// Evaluate compares the model's predictions with observations.
func (m *Model) Evaluate(ctx context.Context, observations []observation.Observation, workers int, limits grammars.Limits) (*Evaluation, error) {
	answers := make([]*Answer, len(observations))
	group, ctx := parallel.WithContext(ctx)
	for w := range workers {
		group.Go(func() (err error) {
			for i := w; i < len(observations); i += workers {
				if answers[i], err = m.Predict(ctx, observations[i].Input, limits); limited(err) {
					continue
				} else if err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return m.score(observations, answers), nil
}

// limited reports whether an input exceeded a limit.
func limited(err error) bool {
	_, ok := errors.AsType[*limit.Error](err)
	return ok
}

func (m *Model) score(observations []observation.Observation, answers []*Answer) *Evaluation {
	e := &Evaluation{Methods: make([]MethodScore, len(m.Units))}
	for i, u := range m.Units {
		reached, rows := m.Support(i)
		e.Methods[i] = MethodScore{Unit: u, Reached: reached, Trained: rows, Unknown: m.Unknown(i)}
	}
	unknown := map[string]struct{}{}
	var curve [10]struct{ predicted, actual float64 } // sums of predictions and labels, by predicted probability
	predictions := 0
	leaves := map[*Prediction]leafCount{}
	distinct := m.distinct()
	reached := make([]bool, len(m.Units))
	for i, o := range observations {
		switch a := answers[i]; {
		case o.Methods == nil:
			e.Unlabelled++
			continue
		case a == nil:
			e.Limited++
			continue
		case a.Syntax != nil:
			e.Outside++
			continue
		}
		e.Rows++
		clear(reached)
		for _, id := range o.Methods {
			if unit, ok := m.unitByID(id); ok {
				reached[unit] = true
			} else {
				unknown[id] = struct{}{}
			}
		}
		for unit, p := range answers[i].Methods {
			e.Methods[unit].Add(p.Reached, reached[unit])
			if m.Trainable(unit) {
				if p.Shared() && distinct[unit] {
					n := leaves[p]
					leaves[p] = leafCount{n.rows + 1, n.positives + btoi(reached[unit])}
				}
				c := &curve[min(int(10*p.Probability), 9)]
				c.predicted += p.Probability
				c.actual += float64(btoi(reached[unit]))
				predictions++
			}
		}
		m.scoreOutcome(e, o, answers[i])
	}
	for _, c := range curve {
		e.Calibration += math.Abs(c.predicted-c.actual) / max(1, float64(predictions))
	}
	for p, c := range leaves {
		e.Intervals.add(p, c)
	}
	e.Unknown = slices.Sorted(maps.Keys(unknown))
	return e
}

// distinct reports, for each unit, whether no unit before it was reached by the same
// training observations.
func (m *Model) distinct() []bool {
	out := make([]bool, len(m.Units))
	met := map[string]bool{}
	for i := range out {
		labels := string(m.file.Targets[len(m.Outcomes)+i].Labels)
		out[i] = !met[labels]
		met[labels] = true
	}
	return out
}

// scoreOutcome compares the predicted outcome with the actual one.
func (m *Model) scoreOutcome(e *Evaluation, o observation.Observation, a *Answer) {
	predicted, majority := string(observation.OK), string(observation.OK)
	if len(a.Outcomes) > 0 {
		predicted, majority = a.Outcomes[0].Outcome, m.majorityOutcome()
	}
	outcome := OutcomeName(o)
	if _, known := slices.BinarySearch(m.Outcomes, outcome); !known {
		outcome, _, _ = strings.Cut(outcome, ":")
	}
	e.Outcomes += btoi(predicted == outcome)
	e.Majority += btoi(majority == outcome)
}

// majorityOutcome returns the most frequent outcome in training.
func (m *Model) majorityOutcome() string {
	most := 0
	for i := range m.Outcomes {
		if m.trees[i][0].Positives > m.trees[most][0].Positives {
			most = i
		}
	}
	return m.Outcomes[most]
}
