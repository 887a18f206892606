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
