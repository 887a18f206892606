package model

import (
	"context"
	"math"

	"golang.org/x/sync/errgroup"

	"github.com/inroad/inroad/model/dtree"
)

// A heldOut is how a target's trees did on observations that they were not
// learned from.
type heldOut struct {
	confusion Confusion
	bins      [calibrationBins]bin
}

// A bin counts answers of about the same chance.
type bin struct{ rows, positives int32 }

// Chances are told apart finely where they are nearly sure.
const (
	calibrationBins = 33
	binWidth        = 0.5 // in log odds
)

// binOf returns the bin of a chance.
func binIndex(p float64) int {
	odds := math.Log(p / (1 - p))
	at := math.Round(odds/binWidth) + calibrationBins/2
	return int(min(max(at, 0), calibrationBins-1))
}

// binChance returns the chance in the middle of a bin.
func binCenter(i int) float64 {
	odds := float64(i-calibrationBins/2) * binWidth
	return 1 / (1 + math.Exp(-odds))
}

// leafChance is the share of positives in a leaf, with half an observation of
// either kind added: a leaf of few is not sure.
func leafProbability(n dtree.Node) float64 {
	return (float64(n.Positives) + 0.5) / (float64(n.Rows) + 1)
}

// An asker answers by trees, of which some ask for outcomes that are not known.
// There it goes both ways, and weighs the answers by the chance of the outcome.
type marginalizer struct {
	outcomeColumns []int32 // by outcome: its column
}

// chance returns the chance of a positive answer, and whether that is what the
// tree answers.
func (a marginalizer) probability(t dtree.Tree, row dtree.Bits, outcomes []float64) (p float64, covered bool) {
	if a.outcomeColumns == nil {
		n := t[t.Leaf(row)]
		return leafProbability(n), n.Positive
	}
	return a.descend(t, 0, row, outcomes)
}

func (a marginalizer) descend(t dtree.Tree, at int32, row dtree.Bits, outcomes []float64) (p float64, covered bool) {
	for t[at].Column >= 0 {
		n := t[at]
		for i, c := range a.outcomeColumns {
			if c == n.Column {
				without, _ := a.descend(t, n.Absent, row, outcomes)
				with, _ := a.descend(t, n.Absent+1, row, outcomes)
				p := without + (with-without)*outcomes[i]
				return p, p > 0.5
			}
		}
		at = n.Absent + int32(btoi(row.Has(n.Column)))
	}
	return leafProbability(t[at]), t[at].Positive
}

// outcomesOf puts the chances of the outcomes, which are one together, into out.
func (a marginalizer) outcomeProbabilities(trees []dtree.Tree, row dtree.Bits, out []float64) {
	sum := 0.0
	for i, t := range trees {
		out[i] = leafProbability(t[t.Leaf(row)])
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
}

// holdOut learns the targets from all rows but those of a fold, and asks about
// these. The outcomes are learned for every fold: methods need them.
func (k *task) validateFold(ctx context.Context, rest []*target, fold int) error {
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
	outcomes := k.targets[:len(k.outcomes)]
	outcomeTrees, err := k.learn(ctx, outcomes, in)
	if err != nil {
		return err
	}
	trees, err := k.learn(ctx, targets, in)
	if err != nil {
		return err
	}
	const atOnce = 256 // rows, as whole rows take memory
	for len(out) > 0 {
		rows := out[:min(atOnce, len(out))]
		out = out[len(rows):]
		if err := k.scoreFold(ctx, targets, trees, outcomeTrees, rows); err != nil {
			return err
		}
	}
	return nil
}

// ask asks the trees about rows and counts their answers.
func (k *task) scoreFold(ctx context.Context, targets []*target, trees, outcomeTrees []dtree.Tree, rows []int32) error {
	a := marginalizer{}
	if k.opt.Outcome {
		a.outcomeColumns = k.outcomeColumns
	}
	bits := make([]dtree.Bits, len(rows))
	outcomes := make([][]float64, len(rows))
	for i, r := range rows {
		bits[i] = dtree.NewBits(len(k.matrix.columns))
		for _, c := range k.withoutOutcomes.Row(r) {
			bits[i].Set(c)
		}
		outcomes[i] = make([]float64, len(outcomeTrees))
		a.outcomeProbabilities(outcomeTrees, bits[i], outcomes[i])
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
					p, covered := a.probability(trees[i], bits[j], outcomes[j])
					reached := t.labels.Has(r)
					t.held.confusion.Add(covered, reached)
					b := &t.held.bins[binIndex(p)]
					b.rows++
					b.positives += int32(btoi(reached))
				}
			}
			return context.Cause(ctx)
		})
	}
	return group.Wait()
}

// A calibration turns the chance that a leaf suggests into the share that held
// true of such answers on held-out observations, over all methods.
type calibration struct {
	raw, observed []float64 // ascending
}

// newCalibration fits a rising curve to what was seen in each bin.
func newCalibration(bins [calibrationBins]bin) calibration {
	type block struct{ at, rows, positives, share float64 }
	var blocks []block
	for i, b := range bins {
		if b.rows == 0 {
			continue
		}
		n, p := float64(b.rows), float64(b.positives)
		blocks = append(blocks, block{binCenter(i) * n, n, p, (p + 0.5) / (n + 1)})
		for len(blocks) > 1 && blocks[len(blocks)-2].share >= blocks[len(blocks)-1].share {
			last := blocks[len(blocks)-1]
			blocks = blocks[:len(blocks)-1]
			into := &blocks[len(blocks)-1]
			into.at += last.at
			into.rows += last.rows
			into.positives += last.positives
			into.share = (into.positives + 0.5) / (into.rows + 1)
		}
	}
	var c calibration
	for _, b := range blocks {
		c.raw = append(c.raw, b.at/b.rows)
		c.observed = append(c.observed, b.share)
	}
	return c
}

// of returns the calibrated chance. An answer is never less likely than its
// opposite.
func (c calibration) apply(p float64, covered bool) float64 {
	p = c.interpolate(p)
	if covered {
		return max(p, 0.5)
	}
	return min(p, 0.5)
}

func (c calibration) interpolate(p float64) float64 {
	n := len(c.raw)
	switch {
	case n == 0:
		return p
	case p <= c.raw[0]:
		return c.observed[0]
	case p >= c.raw[n-1]:
		return c.observed[n-1]
	}
	i := 1
	for c.raw[i] < p {
		i++
	}
	share := (p - c.raw[i-1]) / (c.raw[i] - c.raw[i-1])
	return c.observed[i-1] + share*(c.observed[i]-c.observed[i-1])
}

// wilson returns the interval that the share of positives lies in, at 95 %, if p
// is what n observations show.
func wilson(p, n float64) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	const z = 1.959964
	middle := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return max(0, middle-half), min(1, middle+half)
}
