package model

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/inroad/inroad/grammars/parallel"
	"github.com/inroad/inroad/model/dtree"
	"github.com/inroad/inroad/model/logit"
)

// A tree tests few features, so it errs for an input that has one of them by chance. A
// logistic regression weighs many features, and errs for other inputs. It overrules
// the tree of a unit if it is sure of the contrary and cross-validation prefers both
// to the tree alone.

// Options of the regressions.
const (
	regressionPenalty = 3.3
	regressionColumns = 1000
	sureOdds          = 0.85 // log odds from which on a regression overrules a tree: a probability of 0.7
)

// An overruling says which predictions of a tree a regression may overrule.
type overruling int

// Kinds of overruling, which can be combined.
const (
	toReached overruling = 1 << iota
	toNotReached

	bothWays = toReached | toNotReached
)

// overrules reports whether a regression with the given log odds overrules a tree with
// the given prediction.
func (o overruling) overrules(logOdds float64, reached bool) bool {
	if reached {
		return o&toNotReached != 0 && logOdds < -sureOdds
	}
	return o&toReached != 0 && logOdds > sureOdds
}

// sigmoid returns the probability with the given log odds.
func sigmoid(logOdds float64) float64 { return 1 / (1 + math.Exp(-logOdds)) }

// fit fits regressions to the given rows, or to all rows if rows is nil. Targets with
// equal labels share a regression.
func (k *task) fit(ctx context.Context, v *view, targets []*target, rows []int32) ([]logit.Regression, error) {
	out := make([]logit.Regression, len(targets))
	groups := groupByLabels(targets)
	known := k.known(rows)
	group, ctx := parallel.WithContext(ctx)
	for w := range min(k.opt.Workers, len(groups)) {
		group.Go(func() error {
			fitter, err := logit.NewFitter(v.withoutOutcomes, known, logit.Options{Penalty: regressionPenalty, MaxColumns: regressionColumns})
			if err != nil {
				return err
			}
			for i := w; i < len(groups); i += k.opt.Workers {
				if err := context.Cause(ctx); err != nil {
					return err
				}
				r, err := fitter.Fit(ctx, targets[groups[i][0]].labels)
				if err != nil {
					return err
				}
				for _, j := range groups[i] {
					out[j] = r
				}
			}
			return nil
		})
	}
	return out, group.Wait()
}

// tryRegression makes cross-validation try trees of each depth with a regression.
func (t *target) tryRegression(depths int) {
	for o := range t.overruled {
		t.overruled[o] = make([]heldOut, depths)
	}
}

// tried reports whether cross-validation tries the target with a regression.
func (t *target) tried() bool { return t.overruled[0] != nil }

// withRegression returns the cross-validation results of the tree cut at each depth with a
// regression that may overrule it.
func (t *target) withRegression(o overruling) []heldOut {
	out := slices.Clone(t.byDepth)
	for depth, changes := range t.overruled[o-1] {
		out[depth] = out[depth].plus(changes)
	}
	return out
}

// Limits of the trial of regressions, which takes longer than growing trees.
const (
	enoughHeld    = 5 // held-out rows of each class from which on a trial may end early
	decisiveFolds = 2 // folds after which a regression that improves no predictions is dropped
)

// wellPredicted reports whether the tree alone predicted all held-out rows correctly, and
// there were enough of them.
func (t *target) wellPredicted() bool {
	c := t.byDepth[choose(t.byDepth)].confusion
	return c.enough() && c.Wrong() == 0
}

// enough reports whether there are enough rows of each class to end the trial of a regression.
func (c Confusion) enough() bool {
	return min(c.TruePositives+c.FalseNegatives, c.TrueNegatives+c.FalsePositives) >= enoughHeld
}

// dropRegression ends the trial after some folds if the tree alone predicted all held-out
// rows correctly, or if no kind of overruling improved its predictions.
func (t *target) dropRegression(folds int) {
	if !t.tried() {
		return
	}
	alone := choose(t.byDepth)
	if !t.byDepth[alone].confusion.enough() {
		return
	}
	if !t.wellPredicted() {
		if _, o := t.overruling(alone); folds < decisiveFolds || o != 0 {
			return
		}
	}
	t.overruled = [bothWays][]heldOut{}
}

// fitFinal fits the regressions that may overrule trees to all rows.
func (k *task) fitFinal(ctx context.Context, targets []*target) error {
	fitted, err := k.fit(ctx, k.view, targets, nil)
	if err != nil {
		return err
	}
	for i, t := range targets {
		t.regression = &fitted[i]
	}
	return nil
}

// overruling returns the kind of overruling with the best F1 on held-out rows, or 0 for
// none, and the index of the tree depth that goes with it. alone is the index of the
// depth of the tree alone. A low F1 depends on few rows. If the best F1 is low, the
// regression may add inputs that reach the unit, because the tree misses most of them.
func (t *target) overruling(alone int) (depth int, best overruling) {
	depth = alone
	if !t.tried() {
		return depth, 0
	}
	f1 := t.byDepth[alone].confusion.F1()
	for o := toReached; o <= bothWays; o++ {
		byDepth := t.withRegression(o)
		d := choose(byDepth)
		if with := byDepth[d].confusion.F1(); with > f1+1e-9 {
			depth, best, f1 = d, o, with
		}
	}
	if f1 < lowF1 && best&toReached == 0 {
		return choose(t.withRegression(toReached)), toReached
	}
	return depth, best
}

// A unitRegression is the regression of a unit, and which predictions of its tree it overrules.
type unitRegression struct {
	logit.Regression
	allowed   overruling
	overruled [2]bin // held-out observations for which it overruled the tree, by the prediction of the tree
}

// regressionFile is an encoded regression. Numbers are in hundredths.
type regressionFile struct {
	Bias      int32    `cbor:"b"`
	Allowed   int      `cbor:"a"`
	Terms     []int32  `cbor:"t"` // feature and weight of each term
	Overruled [4]int32 `cbor:"o"` // observations and positives, if the tree predicted "not reached", and if it predicted "reached"
}

func hundredths(x float64) int32 { return int32(math.Round(100 * x)) }

// regressionFile returns the encoded regression of a target, or nil if it has none.
// index maps columns to features of the model.
func (t *target) regressionFile(index map[int32]int32) *regressionFile {
	if t.regression == nil {
		return nil
	}
	o := t.held.overruled
	out := &regressionFile{Bias: hundredths(t.regression.Bias), Allowed: int(t.allowed), Overruled: [4]int32{o[0].rows, o[0].positives, o[1].rows, o[1].positives}}
	for _, term := range t.regression.Terms {
		out.Terms = append(out.Terms, index[term.Column], hundredths(term.Weight))
	}
	return out
}

// decode validates an encoded regression of a model with the given number of features.
func (f *regressionFile) decode(features []Feature) (*unitRegression, error) {
	if len(f.Terms)%2 != 0 {
		return nil, fmt.Errorf("%d numbers in terms: must be a multiple of 2", len(f.Terms))
	}
	if f.Allowed < 1 || f.Allowed > int(bothWays) {
		return nil, fmt.Errorf("kind of overruling %d: must be between 1 and %d", f.Allowed, bothWays)
	}
	o := f.Overruled
	out := &unitRegression{allowed: overruling(f.Allowed), overruled: [2]bin{{o[0], o[1]}, {o[2], o[3]}}}
	for _, b := range out.overruled {
		if b.positives < 0 || b.positives > b.rows {
			return nil, fmt.Errorf("%d positive rows of %d: must be between 0 and the number of rows", b.positives, b.rows)
		}
	}
	out.Bias = float64(f.Bias) / 100
	last := int32(-1)
	for t := range slices.Chunk(f.Terms, 2) {
		switch {
		case t[0] <= last || int(t[0]) >= len(features):
			return nil, fmt.Errorf("feature %d: must be between %d and %d", t[0], last+1, len(features)-1)
		case features[t[0]].Outcome != "":
			return nil, errors.New("a regression must not test outcomes")
		}
		last = t[0]
		out.Terms = append(out.Terms, logit.Term{Column: t[0], Weight: float64(t[1]) / 100})
	}
	return out, nil
}

// reuse returns a regression with other columns.
func (s *unitRegression) reuse(column []int32) *logit.Regression {
	out := &logit.Regression{Bias: s.Bias}
	for _, t := range s.Terms {
		out.Terms = append(out.Terms, logit.Term{Column: column[t.Column], Weight: t.Weight})
	}
	slices.SortFunc(out.Terms, func(a, b logit.Term) int { return cmp.Compare(a.Column, b.Column) })
	return out
}

// regressions evaluates the regressions of all units together. Equal ones are
// evaluated once.
type regressions struct {
	units  []int32   // with a regression
	of     []int32   // by position in units: the regression
	biases []float64 // by regression
	starts []int32   // by feature: its first share; one more at the end
	shares []weighted
}

// A weighted is the weight of a feature in a regression.
type weighted struct {
	regression int32
	weight     float64
}

func newRegressions(units []*unitRegression, features int) *regressions {
	out := &regressions{}
	known := map[string]int32{}
	byFeature := make([][]weighted, features)
	for unit, s := range units {
		if s == nil {
			continue
		}
		key := fmt.Sprint(s.Regression)
		at, ok := known[key]
		if !ok {
			at = int32(len(out.biases))
			known[key] = at
			out.biases = append(out.biases, s.Bias)
			for _, t := range s.Terms {
				byFeature[t.Column] = append(byFeature[t.Column], weighted{at, t.Weight})
			}
		}
		out.units, out.of = append(out.units, int32(unit)), append(out.of, at)
	}
	out.starts = make([]int32, 1, features+1)
	for _, shares := range byFeature {
		out.shares = append(out.shares, shares...)
		out.starts = append(out.starts, int32(len(out.shares)))
	}
	return out
}

// logOdds stores the log odds of each regression in out.
func (r *regressions) logOdds(row dtree.Bits, out []float64) {
	copy(out, r.biases)
	for feature := range row.All() {
		for _, s := range r.shares[r.starts[feature]:r.starts[feature+1]] {
			out[s.regression] += s.weight
		}
	}
}

// overrule replaces the predictions of trees that a regression overrules.
func (m *Model) overrule(p *predictor, a *Answer) {
	r := m.lookup.regressions
	if len(r.units) == 0 {
		return
	}
	r.logOdds(p.row, p.logOdds)
	for i, unit := range r.units {
		odds, tree, regression := p.logOdds[r.of[i]], a.Methods[unit], m.unitRegressions[unit]
		if !regression.allowed.overrules(odds, tree.Reached) {
			continue
		}
		support := regression.overruled[btoi(tree.Reached)]
		out := &Prediction{
			Reached: !tree.Reached, Unknown: tree.Unknown, Overruled: true,
			Rows: support.rows, Positives: support.positives, leaf: tree.leaf, unshared: true,
		}
		out.Probability = m.calibration.apply(sigmoid(odds), out.Reached)
		out.Low, out.High = interval(out.Probability, dtree.Node{Rows: support.rows, Positives: support.positives}, 0)
		for _, t := range regression.Terms {
			if p.row.Has(t.Column) {
				out.terms = append(out.terms, t)
			}
		}
		a.Methods[unit] = out
	}
}

// A Vote is a feature with its weight in a regression. A positive weight speaks for
// reaching the unit.
type Vote struct {
	Feature *Feature
	Weight  float64
}

// Votes returns the features of the input that speak for prediction p, which overrules
// the tree of a unit, heaviest first.
func (m *Model) Votes(p *Prediction) []Vote {
	var out []Vote
	for _, t := range p.terms {
		if t.Weight > 0 == p.Reached {
			out = append(out, Vote{&m.Features[t.Column], t.Weight})
		}
	}
	sortVotes(out)
	return out
}

// A Regression gives the log odds that an input reaches a unit: Bias plus the weights
// of its features.
type Regression struct {
	// Whether the regression may change a prediction to "reached", or to "not reached".
	ToReached, ToNotReached bool

	Bias  float64
	Votes []Vote // heaviest first
	// Overruled counts the held-out observations for which the regression overruled the
	// tree, and Right those that it was right about.
	Overruled, Right int
}

// Regression returns the regression that may overrule the tree of a unit, or nil.
func (m *Model) Regression(unit int) *Regression {
	s := m.unitRegressions[unit]
	if s == nil {
		return nil
	}
	no, yes := s.overruled[0], s.overruled[1]
	out := &Regression{
		ToReached: s.allowed&toReached != 0, ToNotReached: s.allowed&toNotReached != 0,
		Bias: s.Bias, Overruled: int(no.rows + yes.rows), Right: int(no.positives + yes.rows - yes.positives),
	}
	for _, t := range s.Terms {
		out.Votes = append(out.Votes, Vote{&m.Features[t.Column], t.Weight})
	}
	sortVotes(out.Votes)
	return out
}

func sortVotes(votes []Vote) {
	slices.SortStableFunc(votes, func(a, b Vote) int { return cmp.Compare(math.Abs(b.Weight), math.Abs(a.Weight)) })
}
