package model

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/model/observation"
)

// A Confusion counts answers by what was true.
type Confusion struct {
	TruePositives, FalsePositives, FalseNegatives, TrueNegatives int
}

// Add counts an answer, given what it should have been.
func (c *Confusion) Add(said, is bool) {
	switch {
	case said && is:
		c.TruePositives++
	case said:
		c.FalsePositives++
	case is:
		c.FalseNegatives++
	default:
		c.TrueNegatives++
	}
}

// Plus returns both counts together.
func (c Confusion) Plus(d Confusion) Confusion {
	return Confusion{
		c.TruePositives + d.TruePositives, c.FalsePositives + d.FalsePositives,
		c.FalseNegatives + d.FalseNegatives, c.TrueNegatives + d.TrueNegatives,
	}
}

// Total returns how many answers there were.
func (c Confusion) Total() int {
	return c.TruePositives + c.FalsePositives + c.FalseNegatives + c.TrueNegatives
}

// Wrong returns how many answers were wrong.
func (c Confusion) Wrong() int { return c.FalsePositives + c.FalseNegatives }

// Positives returns how many answers should have been positive.
func (c Confusion) Positives() int { return c.TruePositives + c.FalseNegatives }

// Accuracy returns the share of right answers; 1 if there were none.
func (c Confusion) Accuracy() float64 { return share(c.TruePositives+c.TrueNegatives, c.Total()) }

// Precision returns the share of positive answers that were right; 1 if there were none.
func (c Confusion) Precision() float64 {
	return share(c.TruePositives, c.TruePositives+c.FalsePositives)
}

// Recall returns the share of what was true that was found; 1 if nothing was.
func (c Confusion) Recall() float64 { return share(c.TruePositives, c.Positives()) }

// F1 returns the harmonic mean of precision and recall; 1 if nothing was true
// and nothing said to be.
func (c Confusion) F1() float64 {
	return share(2*c.TruePositives, 2*c.TruePositives+c.Wrong())
}

// Inverse returns the counts with the classes exchanged.
func (c Confusion) Inverse() Confusion {
	return Confusion{c.TrueNegatives, c.FalseNegatives, c.FalsePositives, c.TruePositives}
}

func share(part, whole int) float64 {
	if whole == 0 {
		return 1
	}
	return float64(part) / float64(whole)
}

// An Evaluation says how good the answers of a model are.
type Evaluation struct {
	Rows        int           // observations that it was asked about
	Outside     int           // others, of inputs outside the grammar
	Limited     int           // others, of inputs that take too long to parse
	Unlabelled  int           // others, that do not say which methods were reached
	Unknown     []string      // units that were entered and that the model does not know
	Outcomes    int           // of the rows, how many ended as the model said
	Majority    int           // how many ended as most of the training did
	Methods     []MethodScore // by unit
	Calibration float64       // how far probabilities were from shares, on average
}

// A MethodScore is how good the answers for one unit are.
type MethodScore struct {
	Unit observation.Unit
	Confusion
	Reached int // in as many observations of the training
	Trained int // out of these
}

// Trainable reports whether the training had both kinds of observations.
func (s MethodScore) Trainable() bool { return s.Reached > 0 && s.Reached < s.Trained }

// Rare methods are entered in a smaller share of the training than this.
const rareShare = 0.05

// Rare reports whether few observations of the training entered the unit.
func (s MethodScore) Rare() bool {
	return s.Trainable() && float64(s.Reached) < rareShare*float64(s.Trained)
}

// majority returns how the answer that the training had most often would do.
func (s MethodScore) majority() Confusion {
	positives, negatives := s.Positives(), s.Total()-s.Positives()
	if 2*s.Reached > s.Trained {
		return Confusion{TruePositives: positives, FalsePositives: negatives}
	}
	return Confusion{FalseNegatives: positives, TrueNegatives: negatives}
}

// minority returns the counts for the class that the training had less often.
func (s MethodScore) minority() Confusion {
	if 2*s.Reached > s.Trained {
		return s.Inverse()
	}
	return s.Confusion
}

// A Summary puts the scores of methods together. Pooled counts all answers alike.
// Mean counts all methods alike; only those are in it that some observation
// entered, as there is nothing to find of others.
type Summary struct {
	Methods  int
	Pooled   Confusion
	Baseline Confusion // of answers that are always what the training had most often
	Reached  int       // methods that some observation entered: those in the means

	Accuracy, Precision, Recall, F1 float64 // means
	Minority                        float64 // mean F1 of the class that the training had less often
}

// Summarize puts together the scores of the methods that are meant.
func (e *Evaluation) Summarize(meant func(MethodScore) bool) Summary {
	var s Summary
	minorities := 0
	for _, m := range e.Methods {
		if !meant(m) {
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

// HeldOutScores returns how trees did on observations that were held out from
// their training.
func (m *Model) HeldOutScores() *Evaluation {
	e := &Evaluation{Rows: m.Rows}
	for i, u := range m.Units {
		entered, rows := m.Support(i)
		e.Methods = append(e.Methods, MethodScore{u, m.HeldOut(i), entered, rows})
	}
	return e
}

// Evaluate asks the model about observations and compares.
func (m *Model) Evaluate(ctx context.Context, observations []observation.Observation, workers int, limits grammars.Limits) (*Evaluation, error) {
	answers := make([]*Answer, len(observations))
	group, ctx := errgroup.WithContext(ctx)
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

// limited reports whether err says that an input reached a limit.
func limited(err error) bool {
	_, ok := errors.AsType[*limit.Error](err)
	return ok
}

func (m *Model) score(observations []observation.Observation, answers []*Answer) *Evaluation {
	e := &Evaluation{Methods: make([]MethodScore, len(m.Units))}
	for i, u := range m.Units {
		entered, rows := m.Support(i)
		e.Methods[i] = MethodScore{Unit: u, Reached: entered, Trained: rows}
	}
	unknown := map[string]struct{}{}
	var curve [10]struct{ said, is float64 } // sums, by probability
	answered := 0
	entered := make([]bool, len(m.Units))
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
		clear(entered)
		for _, id := range o.Methods {
			if unit, ok := m.unitByID(id); ok {
				entered[unit] = true
			} else {
				unknown[id] = struct{}{}
			}
		}
		for unit, p := range answers[i].Methods {
			e.Methods[unit].Add(p.Reached, entered[unit])
			if m.Trainable(unit) {
				c := &curve[min(int(10*p.Probability), 9)]
				c.said += p.Probability
				c.is += float64(btoi(entered[unit]))
				answered++
			}
		}
		m.scoreOutcome(e, o, answers[i])
	}
	for _, c := range curve {
		e.Calibration += math.Abs(c.said-c.is) / max(1, float64(answered))
	}
	e.Unknown = slices.Sorted(maps.Keys(unknown))
	return e
}

// scoreOutcome counts whether the outcome was foreseen.
func (m *Model) scoreOutcome(e *Evaluation, o observation.Observation, a *Answer) {
	said, usual := string(observation.OK), string(observation.OK)
	if len(a.Outcomes) > 0 {
		said, usual = a.Outcomes[0].Outcome, m.majorityOutcome()
	}
	outcome := outcomeName(o)
	if _, known := slices.BinarySearch(m.Outcomes, outcome); !known {
		outcome, _, _ = strings.Cut(outcome, ":")
	}
	e.Outcomes += btoi(said == outcome)
	e.Majority += btoi(usual == outcome)
}

// usualOutcome returns how most observations of the training ended.
func (m *Model) majorityOutcome() string {
	most := 0
	for i := range m.Outcomes {
		if m.trees[i][0].Positives > m.trees[most][0].Positives {
			most = i
		}
	}
	return m.Outcomes[most]
}
