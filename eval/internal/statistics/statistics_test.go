package statistics

import (
	"math"
	"testing"
)

// Values computed from the definitions.
func TestMannWhitney(t *testing.T) {
	for _, c := range []struct {
		x, y      []float64
		p, effect float64
	}{
		{[]float64{1, 2, 3}, []float64{1, 2, 3}, 1, 0.5},
		{[]float64{5, 5}, []float64{5, 5, 5}, 1, 0.5},
		{[]float64{4, 5, 6, 7}, []float64{0, 1, 2, 3}, 0.03038, 1},
		{[]float64{1, 1, 2, 2}, []float64{2, 3, 3, 4}, 0.05151, 1.0 / 16},
	} {
		p, effect := MannWhitney(c.x, c.y)
		if math.Abs(p-c.p) > 5e-4 || math.Abs(effect-c.effect) > 1e-9 {
			t.Errorf("%v and %v: got p = %.5f, A = %.4f; want %.5f, %.4f", c.x, c.y, p, effect, c.p, c.effect)
		}
	}
}

// The differences of Zea mays plants, as in Fisher's The Design of Experiments, after
// Darwin: W+ = 96, and the exact test gives p = 0.0413. The approximation has
// z = (96 - 60 - 0.5) / sqrt(310), which gives p = 0.0438.
func TestWilcoxon(t *testing.T) {
	for _, c := range []struct {
		differences []float64
		p, positive float64
	}{
		{[]float64{49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48}, 0.04377, 96},
		{[]float64{0, 0, 0}, 1, 0},
		{[]float64{1, 1, 1, -1}, 0.42371, 7.5}, // all ranks are 2.5; z = (7.5 - 5 - 0.5) / sqrt(7.5 - 60/48) = 0.8
	} {
		p, positive := Wilcoxon(c.differences)
		if math.Abs(p-c.p) > 5e-4 || positive != c.positive {
			t.Errorf("%v: got p = %.5f, W = %g; want %.5f, %g", c.differences, p, positive, c.p, c.positive)
		}
	}
}

func TestCohenPaired(t *testing.T) {
	// Mean 2, standard deviation sqrt(2.5).
	if d := CohenPaired([]float64{0, 1, 2, 3, 4}); math.Abs(d-2/math.Sqrt(2.5)) > 1e-12 {
		t.Errorf("got %g, want %g", d, 2/math.Sqrt(2.5))
	}
	if d := CohenPaired([]float64{3, 3, 3}); d != 0 {
		t.Errorf("of equal differences: got %g, want 0", d)
	}
}

func TestSpearman(t *testing.T) {
	// Intelligence and hours of television of ten people, a common textbook example:
	// rho = -29/165, p = 0.6272.
	x := []float64{106, 100, 86, 101, 99, 103, 97, 113, 112, 110}
	y := []float64{7, 27, 2, 50, 28, 29, 20, 12, 6, 17}
	rho, p := Spearman(x, y)
	if math.Abs(rho+29.0/165) > 1e-12 || math.Abs(p-0.6272) > 5e-4 {
		t.Errorf("got rho = %g, p = %g; want %g, 0.6272", rho, p, -29.0/165)
	}
	// Ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4: 4.5/sqrt(4.5*5).
	if rho, _ := Spearman([]float64{1, 2, 2, 9}, []float64{1, 2, 3, 4}); math.Abs(rho-4.5/math.Sqrt(22.5)) > 1e-12 {
		t.Errorf("with ties: got %g, want %g", rho, 4.5/math.Sqrt(22.5))
	}
	if rho, _ := Spearman([]float64{1, 1, 1}, []float64{1, 2, 3}); !math.IsNaN(rho) {
		t.Errorf("of a constant sample: got %g, want NaN", rho)
	}
}

func TestKolmogorovSmirnov(t *testing.T) {
	// The distributions are furthest apart between 2 and 3, where they are 1/2 and 0.
	distance, p := KolmogorovSmirnov([]float64{1, 4, 2, 3}, []float64{6, 3, 5, 4})
	if distance != 0.5 || math.Abs(p-0.6994) > 5e-4 { // Q(sqrt(2)/2) = 0.6994
		t.Errorf("got %g, p = %g; want 0.5, 0.6994", distance, p)
	}
	// Kolmogorov's distribution has its 5 % point at 1.3581 and its 1 % point at 1.6276.
	for x, want := range map[float64]float64{1.3581: 0.05, 1.6276: 0.01, 0.1: 1} {
		if got := kolmogorov(x); math.Abs(got-want) > 5e-5 {
			t.Errorf("kolmogorov(%g) is %g, want %g", x, got, want)
		}
	}
}

func TestMedian(t *testing.T) {
	if got := Median([]float64{3, 1, 2}); got != 2 {
		t.Errorf("of three: got %g, want 2", got)
	}
	if got := Median([]float64{4, 1, 2, 3}); got != 2.5 {
		t.Errorf("of four: got %g, want 2.5", got)
	}
}
