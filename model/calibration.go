package model

import (
	"math"

	"github.com/inroad/inroad/model/dtree"
)

// A bin counts predictions of similar probability.
type bin struct{ rows, positives int32 }

// Bins have equal width in log odds, and so are narrow near 0 and 1.
const (
	calibrationBins = 33
	binWidth        = 0.5 // in log odds
)

// binIndex returns the bin of a probability.
func binIndex(p float64) int {
	odds := math.Log(p / (1 - p))
	at := math.Round(odds/binWidth) + calibrationBins/2
	return int(min(max(at, 0), calibrationBins-1))
}

// binCenter returns the probability at the center of a bin.
func binCenter(i int) float64 {
	odds := float64(i-calibrationBins/2) * binWidth
	return 1 / (1 + math.Exp(-odds))
}

// A calibration maps the raw probability of a leaf to the frequency observed in
// cross-validation, over all methods.
type calibration struct {
	raw, observed []float64 // ascending
}

// newCalibration fits a monotonic function to the bins (isotonic regression).
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
			prev := &blocks[len(blocks)-1]
			prev.at += last.at
			prev.rows += last.rows
			prev.positives += last.positives
			prev.share = (prev.positives + 0.5) / (prev.rows + 1)
		}
	}
	var c calibration
	for _, b := range blocks {
		c.raw = append(c.raw, b.at/b.rows)
		c.observed = append(c.observed, b.share)
	}
	return c
}

// apply returns the calibrated probability. It never contradicts the predicted
// class.
func (c calibration) apply(p float64, positive bool) float64 {
	p = c.interpolate(p)
	if positive {
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

// interval returns the 95 % confidence interval of the probability p of a leaf. It
// contains the intervals of two estimates, because neither is right for all leaves. The
// share of positives in the leaf is too extreme for a leaf that was chosen among many. p,
// which is an average over the leaves of all methods, is not extreme enough for a leaf
// whose rows always agree. columns is the number of columns that the tests above the leaf
// were chosen from, or 0 if there is no test.
func interval(p float64, leaf dtree.Node, columns int) (low, high float64) {
	rows := effectiveRows(leaf.Rows, columns)
	low, high = wilson(p, rows)
	ownLow, ownHigh := wilson(float64(leaf.Positives)/max(1, float64(leaf.Rows)), rows)
	return min(low, ownLow), max(high, ownHigh)
}

// effectiveRows returns the number of independent rows that tell as much about the
// probability of a leaf as its own rows do. The rows of a leaf were chosen by tests that
// separate them well, so they agree more than later rows in the leaf will. How well the
// best of many columns fits by chance depends on the logarithm of their number, not on
// the size of the leaf, so this matters only for small leaves.
func effectiveRows(rows int32, columns int) float64 {
	n := float64(rows)
	if columns == 0 || rows == 0 {
		return n
	}
	return n * n / (n + 2*math.Log(float64(columns)))
}

// wilson returns the 95 % Wilson score interval for a share p of n
// observations.
func wilson(p, n float64) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	const z = 1.959964
	center := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	low, high = max(0, center-half), min(1, center+half)
	if p == 0 {
		low = 0 // without rounding
	}
	if p == 1 {
		high = 1
	}
	return low, high
}
