// Package statistics compares samples of measurements, with gonum/stat for
// distributions, means and correlations.
package statistics

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// MannWhitney returns the p-value of the two-sided Mann-Whitney U test, by the normal
// approximation with corrections for ties and continuity, and Vargha and Delaney's A: the
// probability that a value of x is greater than one of y, where equal ones count half.
func MannWhitney(x, y []float64) (p, effect float64) {
	ranks, ties := rank(slices.Concat(x, y))
	u := 0.0
	for _, r := range ranks[:len(x)] {
		u += r
	}
	n, m := float64(len(x)), float64(len(y))
	u -= n * (n + 1) / 2
	total := n + m
	variance := n * m / 12 * (total + 1 - ties/(total*(total-1)))
	effect = u / (n * m)
	if !(variance > 0) {
		return 1, effect
	}
	return twoSided(max(0, math.Abs(u-n*m/2)-0.5) / math.Sqrt(variance)), effect
}

// Mean returns the arithmetic mean.
func Mean(x []float64) float64 { return stat.Mean(x, nil) }
