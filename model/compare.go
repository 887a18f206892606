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

// ErrOtherGrammar tells that two models are of different grammars.
var ErrGrammarMismatch = errors.New("the models are of different grammars")

// A ChangeKind says how a unit differs between two models.
type ChangeKind string

// The kinds of changes.
const (
	Added    ChangeKind = "added"    // only the later model knows the unit
	Removed  ChangeKind = "removed"  // only the earlier one does
	Appeared ChangeKind = "appeared" // no observation entered it before, now inputs do
	Vanished ChangeKind = "vanished" // inputs entered it before, now no observation does
	Changed  ChangeKind = "changed"  // other inputs enter it
)

// A Change is a unit that inputs reach under other conditions than before.
type Change struct {
	Unit          observation.Unit
	Kind          ChangeKind
	Disagreements int     // inputs that the models answer differently for
	Expected      float64 // as many at most, were the program the same
	PValue        float64 // how likely as many are then
	Example       int     // an input that they answer differently for; -1 if none
	Before        []Way   // for the unit to be reached
	After         []Way
}

// A Comparison is what two models say of the same inputs.
type Comparison struct {
	Inputs  int // that both were asked about
	Outside int // others, that are not in the grammar or take too long
	Units   int // that both know
	Changes []Change
}

// falseAlarm is how likely it may be that a change is found, in any unit, where
// there is none.
const significance = 0.05

// Compare asks two models about inputs and tells which units they answer
// differently for, more often than their mistakes explain. Two models of the
// same program differ too: each is learned from what happened to be observed.
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
		was, err := before.Predict(ctx, input, limits)
		if limited(err) || err == nil && was.Syntax != nil {
			c.Outside++
			continue
		} else if err != nil {
			return nil, err
		}
		is, err := after.Predict(ctx, input, limits)
		if err != nil {
			return nil, err
		}
		c.Inputs++
		for _, p := range pairs {
			p.compare(i, was, is)
		}
	}
	for _, p := range pairs {
		if change, ok := p.change(before, after, c); ok {
			c.Changes = append(c.Changes, change)
		}
	}
	return c, nil
}

// A unitPair is a unit in both models; its place in one of them may be -1.
type unitPair struct {
	unit           observation.Unit
	before, after  int
	disagreements  int
	example        int
	expectedErrors float64 // the sum of how likely either answer was wrong
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

// compare counts what both say of an input.
func (p *unitPair) compare(input int, was, is *Answer) {
	if p.before < 0 || p.after < 0 {
		return
	}
	a, b := was.Methods[p.before], is.Methods[p.after]
	p.expectedErrors += min(a.Probability, 1-a.Probability) + min(b.Probability, 1-b.Probability)
	if a.Reached != b.Reached {
		p.disagreements++
		if p.example < 0 {
			p.example = input
		}
	}
}

// change tells how the unit differs, if it does.
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
	was, _ := before.Support(p.before)
	is, _ := after.Support(p.after)
	switch {
	case was == 0:
		out.Kind = Appeared
	case is == 0:
		out.Kind = Vanished
	default:
		out.Kind = Changed
	}
	out.Before, out.After = before.Explain(p.before, false).Ways, after.Explain(p.after, false).Ways
	return out, true
}

// mistakes returns the largest share of wrong answers for a unit that the
// held-out observations allow for. What no or all observations did was never
// answered wrongly.
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

// binomialTail returns how likely at least k of n are, each with probability p.
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
