package model

import (
	"cmp"
	"context"
	"slices"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model/dtree"
)

// A Rate is a share of observations.
type Rate struct {
	Positives int // observations that reached a unit, or whose input has a feature
	Rows      int // all observations
}

func (m *Model) rate(unit int) Rate {
	reached, rows := m.Support(unit)
	return Rate{reached, rows}
}

// pValue returns the probability that two samples of the same population have
// rates that differ at least as much.
func (r Rate) pValue(s Rate) float64 {
	return dtree.FisherExact(r.Positives, r.Rows, s.Positives, s.Rows)
}

// A Skew is a feature that the training inputs of one model have more often than
// the training inputs of another.
type Skew struct {
	Feature Feature
	Rates   [2]Rate // before and after
	pValue  float64
}

func newSkew(f Feature, before, after Rate) Skew {
	return Skew{f, [2]Rate{before, after}, before.pValue(after)}
}

// findSkew returns the feature whose rates differ most significantly between the
// training inputs of the models; nil if the inputs may have been drawn alike. It
// compares the features that the trees of either model test first.
func findSkew(ctx context.Context, before, after *sampler) (*Skew, error) {
	earlier, later := before.firstTests(), after.firstTests()
	var found []Skew
	for i := range earlier {
		if j, ok := slices.BinarySearchFunc(later, earlier[i], compareFirstTests); ok {
			found = append(found, newSkew(earlier[i].feature, earlier[i].rate, later[j].rate))
			earlier[i].matched, later[j].matched = true, true
		}
	}
	skews, err := before.unmatched(ctx, earlier, after.Model)
	if err != nil {
		return nil, err
	}
	found = append(found, skews...)
	if skews, err = after.unmatched(ctx, later, before.Model); err != nil {
		return nil, err
	}
	for _, s := range skews {
		s.Rates[0], s.Rates[1] = s.Rates[1], s.Rates[0]
		found = append(found, s)
	}
	if len(found) == 0 {
		return nil, nil
	}
	// There are at most as many features as tests of units. So this test is more
	// sensitive than the comparison of rates that it permits.
	most := slices.MinFunc(found, func(a, b Skew) int { return cmp.Compare(a.pValue, b.pValue) })
	if most.pValue*float64(len(found)) > significance {
		return nil, nil
	}
	return &most, nil
}

// A firstTest is a feature at the root of a tree.
type firstTest struct {
	feature Feature
	column  int32
	rate    Rate // training inputs that have the feature
	matched bool // the other model has the test, too
}

func compareFirstTests(a, b firstTest) int { return compareFeatures(a.feature, b.feature) }

// firstTests returns the features at the roots of the units' trees, sorted. It
// leaves out features that depend on the program, such as outcomes.
func (m *Model) firstTests() []firstTest {
	var out []firstTest
	for unit := range m.Units {
		t := m.unitTree(unit)
		if t[0].Column < 0 {
			continue
		}
		if f, ok := m.Features[t[0].Column].ofInput(); ok {
			out = append(out, firstTest{f, t[0].Column, Rate{int(t[t[0].Absent+1].Rows), int(t[0].Rows)}, false})
		}
	}
	slices.SortFunc(out, compareFirstTests)
	return slices.CompactFunc(out, func(a, b firstTest) bool { return compareFirstTests(a, b) == 0 })
}

// ofInput returns the feature itself, or an equal one, that depends on the input
// alone. If there is none, ok is false.
func (f Feature) ofInput() (out Feature, ok bool) {
	for _, f := range append([]Feature{f}, f.Equal...) {
		if f.Outcome == "" && f.Refusal == 0 && f.Before == 0 {
			return Feature{Path: f.Path, Extra: f.Extra}, true
		}
	}
	return Feature{}, false
}

// A sampler predicts inputs. It keeps the answers for samples, because parsing
// takes most of the time of a comparison.
type sampler struct {
	*Model
	limits  grammars.Limits
	answers map[string]*Answer // by input
}

func newSampler(m *Model, limits grammars.Limits) *sampler {
	return &sampler{m, limits, map[string]*Answer{}}
}

func (s *sampler) predictInput(ctx context.Context, input []byte) (*Answer, error) {
	if a := s.answers[string(input)]; a != nil {
		return a, nil
	}
	return s.Predict(ctx, input, s.limits)
}

// unmatched compares the rates of features that the trees of other do not test
// first. The rate of a path that no training input of other has is 0. Other rates
// come from the inputs that the models keep.
func (s *sampler) unmatched(ctx context.Context, tests []firstTest, other *Model) ([]Skew, error) {
	tests = slices.DeleteFunc(tests, func(t firstTest) bool { return t.matched })
	if len(tests) == 0 {
		return nil, nil
	}
	here, err := s.sampleRates(ctx, tests, s.Inputs())
	if err != nil {
		return nil, err
	}
	there, err := s.sampleRates(ctx, tests, other.Inputs())
	if err != nil {
		return nil, err
	}
	samePaths := s.Options.K == other.Options.K && s.Options.Trivia == other.Options.Trivia
	var out []Skew
	for i, t := range tests {
		skew := newSkew(t.feature, here[i], there[i])
		if _, seen := slices.BinarySearch(other.seen, s.space.ID(t.feature.Path)); samePaths && t.feature.Path != nil && !seen {
			skew = newSkew(t.feature, t.rate, Rate{0, other.Rows})
			skew.pValue *= float64(s.Columns) // only one sample has many of the rare features, which the learner selects from
		}
		out = append(out, skew)
	}
	return out, nil
}

// sampleRates returns the rates of inputs that have the features.
func (s *sampler) sampleRates(ctx context.Context, tests []firstTest, inputs [][]byte) ([]Rate, error) {
	out := make([]Rate, len(tests))
	p := s.newPredictor()
	p.parse.Limits = s.limits
	for _, input := range inputs {
		a, err := s.predict(ctx, p, input)
		if limited(err) || err == nil && a.Syntax != nil {
			continue
		} else if err != nil {
			return nil, err
		}
		s.answers[string(input)] = a
		for i, t := range tests {
			out[i].Rows++
			out[i].Positives += btoi(p.row.Has(t.column))
		}
	}
	return out, nil
}
