package selection

import (
	"slices"
	"testing"
)

// TestClasses tells inputs apart by what they reach, and by how likely they reach
// what changed.
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
		of: []int32{0, 1, 2, 3, 4, 0, 4},
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
