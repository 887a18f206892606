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

// A Change is a unit that different inputs reach in the two models.
type Change struct {
	Unit          observation.Unit
	Kind          ChangeKind
	ByPredictions bool    // the predictions differ more often than model error explains
	ByRates       bool    // the rates differ more than chance explains
	Disagreements int     // inputs with different predictions
	Expected      float64 // disagreements expected from model error: at most this many
	PValue        float64 // probability of as many disagreements from model error alone
	Rates         [2]Rate // observations that reached the unit, before and after; zero if a model lacks it
	RatePValue    float64 // probability of rates that differ this much by chance; 1 if they were not compared
	Example       int     // index of an input with different predictions; -1 if there is none
	Before        []Way   // ways to reach the unit
	After         []Way
}

// A Comparison holds the differences between two models.
type Comparison struct {
	Inputs  int // inputs compared
	Outside int // inputs skipped: outside the grammar, or over a limit
	Units   int // units in both models
	// Skew is set if the training inputs of the models were not drawn alike. Then
	// rates are not compared: they differ because the inputs do.
	Skew    *Skew
	Changes []Change
}

// significance is the maximum probability of reporting any change when the
// program is the same.
const significance = 0.05

// Compare reports the units that different inputs reach in the two models. Two
// tests look for changes of a unit:
//
//   - Both models predict the inputs. Do the predictions differ more often than
//     model error explains? Models of the same program differ too, because they
//     are trained on different observations.
//   - Do the rates of training observations that reached the unit differ more
//     than chance explains (Fisher's exact test)? This test finds a change that
//     the trees are too poor to show. It assumes that the training inputs of both
//     models were drawn alike, and is left out if they were not.
func Compare(ctx context.Context, before, after *Model, inputs [][]byte, limits grammars.Limits) (*Comparison, error) {
	if before.Grammar.Digest != after.Grammar.Digest {
		return nil, ErrGrammarMismatch
	}
	older, newer := newSampler(before, limits), newSampler(after, limits)
	skew, err := findSkew(ctx, older, newer)
	if err != nil {
		return nil, err
	}
	c := &Comparison{Skew: skew}
	pairs := pairUnits(before, after)
	for _, p := range pairs {
		c.Units += btoi(p.before >= 0 && p.after >= 0)
	}
	for i, input := range inputs {
		earlier, err := older.predictInput(ctx, input)
		if limited(err) || err == nil && earlier.Syntax != nil {
			c.Outside++
			continue
		} else if err != nil {
			return nil, err
		}
		later, err := newer.predictInput(ctx, input)
		if err != nil {
			return nil, err
		}
		c.Inputs++
		for _, p := range pairs {
			p.compare(i, earlier, later)
		}
	}
	changes := make([]Change, len(pairs))
	var tests []test
	for i, p := range pairs {
		changes[i] = p.change(before, after, c)
		if p.before >= 0 && p.after >= 0 {
			tests = append(tests, test{changes[i].PValue, &changes[i].ByPredictions})
			if c.Skew == nil {
				tests = append(tests, test{changes[i].RatePValue, &changes[i].ByRates})
			}
		}
	}
	reject(tests, significance)
	for i, change := range changes {
		if change.Kind == Changed && !change.ByPredictions && !change.ByRates {
			continue
		}
		change.explain(pairs[i], before, after) //nolint:contextcheck // parses a bounded number of short examples
		c.Changes = append(c.Changes, change)
	}
	return c, nil
}

// A test is the test of a null hypothesis.
type test struct {
	pValue   float64
	rejected *bool // the result
}

// reject rejects hypotheses by Holm's method. The probability of rejecting any
// true hypothesis is at most level, however the tests depend on each other.
func reject(tests []test, level float64) {
	slices.SortFunc(tests, func(a, b test) int { return cmp.Compare(a.pValue, b.pValue) })
	for i, t := range tests {
		if t.pValue*float64(len(tests)-i) > level {
			return
		}
		*t.rejected = true
	}
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

// change returns the unit's differences with their p-values. The kind of a unit
// in both models is Changed.
func (p *unitPair) change(before, after *Model, c *Comparison) Change {
	out := Change{Unit: p.unit, Kind: Changed, Disagreements: p.disagreements, PValue: 1, RatePValue: 1, Example: p.example}
	if p.before >= 0 {
		out.Rates[0] = before.rate(p.before)
	}
	if p.after >= 0 {
		out.Rates[1] = after.rate(p.after)
	}
	switch {
	case p.before < 0:
		out.Kind = Added
	case p.after < 0:
		out.Kind = Removed
	default:
		rate := max(before.errorRate(p.before)+after.errorRate(p.after), p.expectedErrors/max(1, float64(c.Inputs)))
		out.Expected = min(rate, 1) * float64(c.Inputs)
		out.PValue = binomialTail(c.Inputs, p.disagreements, min(rate, 1))
		if c.Skew == nil {
			out.RatePValue = out.Rates[0].pValue(out.Rates[1])
		}
	}
	return out
}

// explain sets the final kind of a change, and the ways to reach the unit.
func (c *Change) explain(p *unitPair, before, after *Model) {
	switch {
	case c.Kind != Changed:
	case c.Rates[0].Positives == 0:
		c.Kind = Appeared
	case c.Rates[1].Positives == 0:
		c.Kind = Vanished
	}
	if p.before >= 0 {
		c.Before = before.Explain(p.before, false).Ways
	}
	if p.after >= 0 {
		c.After = after.Explain(p.after, false).Ways
	}
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
