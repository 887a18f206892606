package model

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model/observation"
)

// ErrGrammarMismatch reports that two models have different grammars.
var ErrGrammarMismatch = errors.New("the models have different grammars")

// A ChangeKind tells how a unit differs between two models.
type ChangeKind string

// Kinds of changes.
const (
	Added    ChangeKind = "added"    // only the later model has the unit
	Removed  ChangeKind = "removed"  // only the earlier model has the unit
	Appeared ChangeKind = "appeared" // reached now, but by no observation before
	Vanished ChangeKind = "vanished" // reached before, but by no observation now
	Changed  ChangeKind = "changed"  // reached by different inputs
)

// A Change is a unit that the models predict differently.
type Change struct {
	Unit          observation.Unit
	Kind          ChangeKind
	Disagreements int     // inputs with different predictions
	Expected      float64 // disagreements expected from model error: at most this many
	PValue        float64 // probability of as many disagreements from model error alone
	Example       int     // index of an input with different predictions; -1 if there is none
	Before        []Way   // ways to reach the unit
	After         []Way
}

// A Comparison holds the differences between the predictions of two models.
type Comparison struct {
	Inputs  int // inputs compared
	Outside int // inputs skipped: outside the grammar, or over a limit
	Units   int // units in both models
	Changes []Change
}

// significance is the maximum probability of reporting any change when the
// program is the same.
const significance = 0.05

// Compare predicts the inputs with both models and reports the units whose
// predictions differ more often than model error explains. Models of the same
// program differ too, because they are trained on different observations.
func Compare(ctx context.Context, before, after *Model, inputs [][]byte, limits grammars.Limits) (*Comparison, error) {
	if before.Grammar.Digest != after.Grammar.Digest {
		return nil, ErrGrammarMismatch
	}
	c := &Comparison{}
	pairs := pairUnits(before, after)
	for _, p := range pairs {
		c.Units += btoi(p.before >= 0 && p.after >= 0)
	}
	for i, input := range inputs {
		earlier, err := before.Predict(ctx, input, limits)
		if limited(err) || err == nil && earlier.Syntax != nil {
			c.Outside++
			continue
		} else if err != nil {
			return nil, err
		}
		later, err := after.Predict(ctx, input, limits)
		if err != nil {
			return nil, err
		}
		c.Inputs++
		for _, p := range pairs {
			p.compare(i, earlier, later)
		}
	}
	for _, p := range pairs {
		if change, ok := p.change(before, after, c); ok {
			c.Changes = append(c.Changes, change)
		}
	}
	return c, nil
}

// A unitPair holds the indices of a unit in both models, -1 if a model lacks
// it.
type unitPair struct {
	unit           observation.Unit
	before, after  int
	disagreements  int
	example        int
	expectedErrors float64 // sum of the error probabilities of both predictions
}

func pairUnits(before, after *Model) []*unitPair {
	var out []*unitPair
	for i, u := range before.Units {
		j, ok := after.unitByID(u.ID)
		if !ok {
			j = -1
		}
		out = append(out, &unitPair{unit: u, before: i, after: j, example: -1})
	}
	for j, u := range after.Units {
		if _, ok := before.unitByID(u.ID); !ok {
			out = append(out, &unitPair{unit: u, before: -1, after: j, example: -1})
		}
	}
	slices.SortFunc(out, func(a, b *unitPair) int { return cmp.Compare(a.unit.ID, b.unit.ID) })
	return out
}

// compare adds the predictions for an input.
func (p *unitPair) compare(input int, earlier, later *Answer) {
	if p.before < 0 || p.after < 0 {
		return
	}
	a, b := earlier.Methods[p.before], later.Methods[p.after]
	p.expectedErrors += min(a.Probability, 1-a.Probability) + min(b.Probability, 1-b.Probability)
	if a.Reached != b.Reached {
		p.disagreements++
		if p.example < 0 {
			p.example = input
		}
	}
}

// change returns the change of the unit, if there is one.
func (p *unitPair) change(before, after *Model, c *Comparison) (Change, bool) {
	out := Change{Unit: p.unit, Disagreements: p.disagreements, Example: p.example}
	switch {
	case p.before < 0:
		out.Kind = Added
		out.After = after.Explain(p.after, false).Ways
		return out, true
	case p.after < 0:
		out.Kind = Removed
		out.Before = before.Explain(p.before, false).Ways
		return out, true
	}
	rate := max(before.errorRate(p.before)+after.errorRate(p.after), p.expectedErrors/max(1, float64(c.Inputs)))
	out.Expected = min(rate, 1) * float64(c.Inputs)
	out.PValue = binomialTail(c.Inputs, p.disagreements, min(rate, 1))
	if out.PValue*float64(max(1, c.Units)) > significance {
		return out, false
	}
	reachedBefore, _ := before.Support(p.before)
	reachedAfter, _ := after.Support(p.after)
	switch {
	case reachedBefore == 0:
		out.Kind = Appeared
	case reachedAfter == 0:
		out.Kind = Vanished
	default:
		out.Kind = Changed
	}
	out.Before, out.After = before.Explain(p.before, false).Ways, after.Explain(p.after, false).Ways
	return out, true
}

// errorRate returns the upper limit of the unit's error rate in
// cross-validation at 95 % confidence. The error count of an untrainable unit
// is 0.
func (m *Model) errorRate(unit int) float64 {
	held := m.HeldOut(unit)
	wrong, all := held.Wrong(), held.Total()
	if !m.Trainable(unit) {
		wrong, all = 0, m.file.Known
	}
	if all == 0 {
		return 1
	}
	_, high := wilson(float64(wrong)/float64(all), float64(all))
	return high
}

// binomialTail returns the probability of at least k successes in n trials with
// success probability p.
func binomialTail(n, k int, p float64) float64 {
	switch {
	case k <= 0 || p >= 1:
		return 1
	case p <= 0:
		return 0
	}
	sum := 0.0
	all, _ := math.Lgamma(float64(n + 1))
	for i := k; i <= n; i++ {
		a, _ := math.Lgamma(float64(i + 1))
		b, _ := math.Lgamma(float64(n - i + 1))
		term := math.Exp(all - a - b + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
		sum += term
		if term < sum*1e-12 && float64(i) > float64(n)*p {
			break
		}
	}
	return min(sum, 1)
}
