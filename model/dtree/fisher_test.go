package dtree

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// TestFisherExact compares the p-value with the sum of exact fractions.
func TestFisherExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, m := rapid.IntRange(0, 60).Draw(t, "n"), rapid.IntRange(0, 60).Draw(t, "m")
		a, b := rapid.IntRange(0, n).Draw(t, "a"), rapid.IntRange(0, m).Draw(t, "b")
		ways := func(k int) *big.Int { // to choose k positives of the first sample, and the others of the second
			out := new(big.Int).Binomial(int64(n), int64(k))
			return out.Mul(out, new(big.Int).Binomial(int64(m), int64(a+b-k)))
		}
		tail, total := new(big.Int), new(big.Int)
		for k := max(0, a+b-m); k <= min(n, a+b); k++ {
			w := ways(k)
			total.Add(total, w)
			if w.Cmp(ways(a)) <= 0 {
				tail.Add(tail, w)
			}
		}
		want, _ := new(big.Rat).SetFrac(tail, total).Float64()
		if got := FisherExact(a, n, b, m); math.Abs(got-want) > 1e-9 {
			t.Errorf("%d of %d and %d of %d: got %v, want %v", a, n, b, m, got, want)
		}
	})
}

func TestFisherExactOfLargeSamples(t *testing.T) {
	for _, test := range []struct {
		a, n, b, m int
		low, high  float64
	}{
		{0, 0, 0, 0, 1, 1},
		{0, 1000, 0, 1000, 1, 1},
		{1000, 1000, 1000, 1000, 1, 1},
		{100, 1000, 100, 1000, 1, 1},
		{200, 1000, 100, 1000, 1e-11, 1e-9},
		{0, 1_000_000, 1_000_000, 1_000_000, 0, 1e-300},
		{500_000, 1_000_000, 500_000, 1_000_000, .9999, 1},
		{500_000, 1_000_000, 501_000, 1_000_000, .15, .17}, // 1.41 standard deviations
		{1_000_000_000, 2_000_000_000, 1_000_000_100, 2_000_000_000, .99, 1},
	} {
		if got := FisherExact(test.a, test.n, test.b, test.m); got < test.low || got > test.high {
			t.Errorf("%d of %d and %d of %d: got %v, want %v to %v", test.a, test.n, test.b, test.m, got, test.low, test.high)
		}
	}
}
