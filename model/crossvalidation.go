package model

import (
	"context"
	"errors"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/inroad/inroad/model/dtree"
	"github.com/inroad/inroad/model/logit"
)

// heldOut holds the cross-validation results of a target.
type heldOut struct {
	confusion Confusion
	bins      [calibrationBins]bin
	overruled [2]bin // rows whose tree was overruled, by what the tree predicted
}

// add counts a prediction.
func (h *heldOut) add(p float64, positive, actual bool) {
	h.confusion.Add(positive, actual)
	b := &h.bins[binIndex(p)]
	b.rows++
	b.positives += int32(btoi(actual))
}

// addOverruled counts a prediction of a regression with the given log odds, which
// overrules a tree.
func (h *heldOut) addOverruled(logOdds float64, tree, actual bool) {
	h.add(sigmoid(logOdds), !tree, actual)
	b := &h.overruled[btoi(tree)]
	b.rows++
	b.positives += int32(btoi(actual))
}

// depths returns the depths to choose the depth of a tree from, ascending.
func (opt Options) depths() []int {
	var out []int
	for _, d := range []int{2, 3, 5, 8, 12, 16} {
		if d < opt.MaxDepth && opt.Folds > 1 {
			out = append(out, d)
		}
	}
	return append(out, opt.MaxDepth)
}

// Limits of the choice of a depth.
const (
	lowF1          = 0.5  // below it, cross-validation tells little about the depth
	depthTolerance = 0.05 // F1 that a deeper tree may then lose on held-out rows
)

// choose returns the index of the depth with the best F1 on held-out rows. Ties go to
// the smaller depth. But if the best F1 is low, few rows decide, and the trees of
// cross-validation grew on fewer rows than the final tree. Then choose returns the
// greatest depth that is close to the best.
func choose(held []heldOut) int {
	best := 0
	for i := range held {
		if held[i].confusion.F1() > held[best].confusion.F1()+1e-9 {
			best = i
		}
	}
	if f1 := held[best].confusion.F1(); f1 < lowF1 {
		for i := range held {
			if held[i].confusion.F1() >= f1-depthTolerance {
				best = i
			}
		}
	}
	return best
}

// leafProbability returns the share of positives in a leaf, with half an
// observation of each class added to account for small leaves.
func leafProbability(n dtree.Node) float64 {
	return (float64(n.Positives) + 0.5) / (float64(n.Rows) + 1)
}

// A marginalizer evaluates trees on inputs whose outcome is unknown. At a test
// of an outcome it descends into both children and weights them by the
// outcome's probability.
type marginalizer struct {
	outcomeColumns []int32 // column of each outcome
}

// probability returns the probability of the positive class, and whether the
// tree predicts it. The tree is cut at the given depth.
func (m marginalizer) probability(t dtree.Tree, row dtree.Bits, outcomes []float64, depth int) (p float64, positive bool) {
	return m.below(t, 0, row, outcomes, depth)
}

// below returns the same for the part of the tree below a node.
func (m marginalizer) below(t dtree.Tree, at int32, row dtree.Bits, outcomes []float64, depth int) (p float64, positive bool) {
	for ; t[at].Column >= 0 && depth > 0; depth-- {
		n := t[at]
		for i, c := range m.outcomeColumns {
			if c == n.Column {
				without, _ := m.below(t, n.Absent, row, outcomes, depth-1)
				with, _ := m.below(t, n.Absent+1, row, outcomes, depth-1)
				p := without + (with-without)*outcomes[i]
				return p, p > 0.5
			}
		}
		at = n.Absent + int32(btoi(row.Has(n.Column)))
	}
	return leafProbability(t[at]), t[at].Positive
}

// outcomeProbabilities stores the normalized probabilities of the outcomes in
// out.
func outcomeProbabilities(trees []dtree.Tree, row dtree.Bits, out []float64) {
	sum := 0.0
	for i, t := range trees {
		out[i] = leafProbability(t[t.Leaf(row)])
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
}

// validateFold trains on the rows outside the fold and scores the rows in it.
// Outcome trees are trained in any case, because methods depend on them.
func (k *task) validateFold(ctx context.Context, rest []*target, fold int) (err error) {
	var in, out []int32
	for r := range int32(len(k.rows)) {
		if int(r)%k.opt.Folds == fold {
			out = append(out, r)
		} else {
			in = append(in, r)
		}
	}
	targets := k.varying(rest)
	if len(targets) == 0 || len(in) == 0 {
		return nil
	}
	v, err := k.newView(ctx, in)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, v.close()) }()
	outcomes := k.targets[:len(k.outcomes)]
	outcomeTrees, err := k.learn(ctx, v, outcomes, in)
	if err != nil {
		return err
	}
	trees, err := k.learn(ctx, v, targets, in)
	if err != nil {
		return err
	}
	regressions, err := k.fit(ctx, v, targets, in)
	if err != nil {
		return err
	}
	const batch = 256 // rows; limits the memory for dense rows
	reader := v.withoutOutcomes.Reader()
	for rows := range slices.Chunk(out, batch) {
		if err := k.scoreFold(ctx, v, reader, targets, trees, regressions, outcomeTrees, rows); err != nil {
			return err
		}
	}
	return nil
}

// scoreFold adds the predictions for the rows to the results of the targets.
func (k *task) scoreFold(ctx context.Context, v *view, reader dtree.Reader, targets []*target, trees []dtree.Tree, regressions []logit.Regression, outcomeTrees []dtree.Tree, rows []int32) error {
	m, depths := marginalizer{}, k.opt.depths()
	if k.opt.Outcome {
		m.outcomeColumns = v.outcomeColumns
	}
	bits := make([]dtree.Bits, len(rows))
	outcomes := make([][]float64, len(rows))
	for i, r := range rows {
		bits[i] = dtree.NewBits(len(v.matrix.columns))
		row, err := reader.Row(r)
		if err != nil {
			return err
		}
		for _, c := range row {
			bits[i].Set(c)
		}
		outcomes[i] = make([]float64, len(outcomeTrees))
		outcomeProbabilities(outcomeTrees, bits[i], outcomes[i])
	}
	group, ctx := errgroup.WithContext(ctx)
	for w := range k.opt.Workers {
		group.Go(func() error {
			for i := w; i < len(targets); i += k.opt.Workers {
				t := targets[i]
				for j, r := range rows {
					if t.unit && k.rows[r].unlabelled {
						continue
					}
					logOdds := regressions[i].LogOdds(bits[j])
					for d, depth := range depths {
						p, positive := m.probability(trees[i], bits[j], outcomes[j], depth)
						t.byDepth[d].add(p, positive, t.labels.Has(r))
						for o, byDepth := range t.withRegression {
							switch {
							case byDepth == nil:
							case overruling(o+1).overrules(logOdds, positive):
								byDepth[d].addOverruled(logOdds, positive, t.labels.Has(r))
							default:
								byDepth[d].add(p, positive, t.labels.Has(r))
							}
						}
					}
				}
			}
			return context.Cause(ctx)
		})
	}
	return group.Wait()
}
