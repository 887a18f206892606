// Package statistics compares samples of measurements.
package statistics

import (
	"math"
	"slices"
)

// MannWhitney returns the p-value of the two-sided Mann-Whitney U test, by the normal
// approximation with corrections for ties and continuity, and Vargha and Delaney's A: the
// probability that a value of x is greater than one of y, where equal ones count half.
func MannWhitney(x, y []float64) (p, effect float64) {
	u := 0.0
	for _, a := range x {
		for _, b := range y {
			switch {
			case a > b:
				u++
			case a == b:
				u += 0.5
			}
		}
	}
	n, m := float64(len(x)), float64(len(y))
	all := slices.Concat(x, y)
	slices.Sort(all)
	ties := 0.0
	for i := 0; i < len(all); {
		j := i
		for j < len(all) && all[j] == all[i] {
			j++
		}
		t := float64(j - i)
		ties += t*t*t - t
		i = j
	}
	total := n + m
	variance := n * m / 12 * (total + 1 - ties/(total*(total-1)))
	effect = u / (n * m)
	if !(variance > 0) {
		return 1, effect
	}
	z := max(0, math.Abs(u-n*m/2)-0.5) / math.Sqrt(variance)
	return math.Erfc(z / math.Sqrt2), effect
}

// Mean returns the arithmetic mean.
func Mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}
