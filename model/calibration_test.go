package model

import (
	"testing"

	"github.com/inroad/inroad/model/dtree"
)

// The interval of a leaf contains its probability and the share of its positives,
// also if the leaf's rows agree.
func TestInterval(t *testing.T) {
	for _, tc := range []struct {
		probability     float64
		positives, rows int32
	}{
		{0.004, 0, 54}, {0.8, 20, 20}, {0.3, 5, 10}, {0.5, 0, 1},
	} {
		low, high := interval(tc.probability, dtree.Node{Column: -1, Rows: tc.rows, Positives: tc.positives})
		share := float64(tc.positives) / float64(tc.rows)
		const eps = 1e-12
		if low > min(share, tc.probability)+eps || high < max(share, tc.probability)-eps || low < 0 || high > 1 {
			t.Errorf("%+v: got %v to %v", tc, low, high)
		}
	}
}

func TestIntervalsHeld(t *testing.T) {
	var got Intervals
	p := &Prediction{Rows: 10, Low: 0.2, High: 0.4}
	got.add(p, leafCount{39, 10}) // too few
	got.add(p, leafCount{40, 12})
	got.add(p, leafCount{50, 40})
	if want := (Intervals{40, 90}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
