package statistics

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Wilcoxon returns the p-value of the two-sided Wilcoxon signed-rank test of paired
// differences, by the normal approximation with corrections for ties and continuity, and
// the sum of the ranks of the positive differences. Differences of 0 are left out.
func Wilcoxon(differences []float64) (p, positive float64) {
	var sizes, signed []float64
	for _, d := range differences {
		if d != 0 {
			sizes, signed = append(sizes, math.Abs(d)), append(signed, d)
		}
	}
	ranks, ties := rank(sizes)
	for i, d := range signed {
		if d > 0 {
			positive += ranks[i]
		}
	}
	n := float64(len(sizes))
	variance := n*(n+1)*(2*n+1)/24 - ties/48
	if !(variance > 0) {
		return 1, positive
	}
	return twoSided(max(0, math.Abs(positive-n*(n+1)/4)-0.5) / math.Sqrt(variance)), positive
}

// CohenPaired returns Cohen's d of paired differences: their mean in standard
// deviations. It is 0 if all differences are equal.
func CohenPaired(differences []float64) float64 {
	if len(differences) < 2 {
		return 0
	}
	mean, deviation := stat.MeanStdDev(differences, nil)
	if deviation == 0 {
		return 0
	}
	return mean / deviation
}

// Spearman returns the rank correlation of two samples, and the p-value of no
// correlation by Student's t distribution. Both are NaN if a sample is constant or has
// fewer than 3 values.
func Spearman(x, y []float64) (rho, p float64) {
	if len(x) < 3 {
		return math.NaN(), math.NaN()
	}
	ranksX, _ := rank(x)
	ranksY, _ := rank(y)
	rho = stat.Correlation(ranksX, ranksY, nil)
	if math.IsNaN(rho) || math.Abs(rho) >= 1 {
		return rho, max(0, 1-math.Abs(rho))
	}
	freedom := float64(len(x) - 2)
	t := math.Abs(rho) * math.Sqrt(freedom/(1-rho*rho))
	return rho, 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Survival(t)
}

// KolmogorovSmirnov returns the largest distance between the distributions of two
// samples, and the asymptotic p-value of the hypothesis that they are the same.
func KolmogorovSmirnov(x, y []float64) (distance, p float64) {
	x, y = slices.Sorted(slices.Values(x)), slices.Sorted(slices.Values(y))
	distance = stat.KolmogorovSmirnov(x, nil, y, nil)
	n, m := float64(len(x)), float64(len(y))
	return distance, kolmogorov(math.Sqrt(n*m/(n+m)) * distance)
}

// kolmogorov returns the probability that a value of Kolmogorov's distribution is greater
// than x.
func kolmogorov(x float64) float64 {
	if x < 0.2 { // the series converges slowly where the result is 1 within 1e-12
		return 1
	}
	sum, sign := 0.0, 1.0
	for k := 1.0; k <= 100; k++ {
		sum += sign * math.Exp(-2*k*k*x*x)
		sign = -sign
	}
	return min(1, max(0, 2*sum))
}

// Median returns the median; NaN of an empty sample.
func Median(x []float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(x))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// rank returns the rank of each value, from 1; equal values share the mean of their
// ranks. ties is the sum of t^3-t over the groups of t equal values.
func rank(values []float64) (ranks []float64, ties float64) {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	ranks = make([]float64, len(values))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && values[order[j]] == values[order[i]] {
			j++
		}
		for _, at := range order[i:j] {
			ranks[at] = float64(i+j+1) / 2
		}
		t := float64(j - i)
		ties += t*t*t - t
		i = j
	}
	return ranks, ties
}

// twoSided returns the probability that a normal value is at least z away from the mean.
func twoSided(z float64) float64 { return 2 * distuv.UnitNormal.Survival(z) }
