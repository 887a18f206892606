package selection

import (
	"math"
	"slices"
	"testing"
)

// TestClasses separates inputs by the units they reach, and by their chances to
// reach the changed units.
func TestClasses(t *testing.T) {
	p := &Predictions{
		Units: 2,
		rows: []*row{
			{predicted, []Chance{60000, 60000}},
			{predicted, []Chance{50000, 60000}},
			{predicted, []Chance{60000, 100}},
			{observed, []Chance{60000, 60000}},
			{known: unknown},
		},
		rowOf: []int32{0, 1, 2, 3, 4, 0, 4},
	}
	for _, test := range []struct {
		name    string
		changed []int
		want    []int32
	}{
		{"nothing changed", nil, []int32{0, 0, 1, 2, 3, 0, 3}},
		{"a unit that two reach for different reasons", []int{0}, []int32{0, 1, 2, 3, 4, 0, 4}},
		{"the other unit", []int{1}, []int32{0, 0, 1, 2, 3, 0, 3}},
		{"both", []int{0, 1}, []int32{0, 1, 2, 3, 4, 0, 4}},
	} {
		if got := p.classes(test.changed); !slices.Equal(got, test.want) {
			t.Errorf("%s: classes %v, want %v", test.name, got, test.want)
		}
	}
}

// TestFactor scales chances to a mean.
func TestFactor(t *testing.T) {
	for _, test := range []struct {
		name    string
		chances []float64
		mean    float64
		want    []float64 // what they become
	}{
		{"fewer", []float64{0.2, 0.4}, 0.15, []float64{0.1, 0.2}},
		{"more", []float64{0.1, 0.3}, 0.4, []float64{0.2, 0.6}},
		{"more, up to 1", []float64{0.1, 0.4, 0.1}, 0.6, []float64{0.4, 1, 0.4}},
		{"none", []float64{0.2, 0.4}, 0, []float64{0, 0}},
		{"all", []float64{0.2, 0.4}, 1, []float64{1, 1}},
		{"a mean that zeros make impossible", []float64{0, 0.5, 0.25, 0}, 0.9, []float64{0, 1, 1, 0}},
		{"all zero", []float64{0, 0}, 0.5, []float64{0, 0}},
		{"no chances", nil, 0.5, nil},
	} {
		f := factor(test.chances, test.mean)
		for i, p := range test.chances {
			if got := min(1, p*f); math.Abs(got-test.want[i]) > 1e-9 {
				t.Errorf("%s: %v becomes %v, want %v", test.name, p, got, test.want[i])
			}
		}
	}
}
