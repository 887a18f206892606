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
		low, high := interval(tc.probability, dtree.Node{Column: -1, Rows: tc.rows, Positives: tc.positives}, 1000)
		share := float64(tc.positives) / float64(tc.rows)
		const eps = 1e-12
		if low > min(share, tc.probability)+eps || high < max(share, tc.probability)-eps || low < 0 || high > 1 {
			t.Errorf("%+v: got %v to %v", tc, low, high)
		}
	}
}

// A leaf that was found by a search among many features tells less than one of the
// same size that was not, and the difference shrinks with its size.
func TestEffectiveRows(t *testing.T) {
	if got := effectiveRows(7, 0); got != 7 {
		t.Errorf("without a search: got %v, want 7", got)
	}
	share := 0.0
	for _, rows := range []int32{1, 5, 50, 1000} {
		got := effectiveRows(rows, 20_000) / float64(rows)
		if got <= share || got >= 1 || effectiveRows(rows, 100)/float64(rows) <= got {
			t.Errorf("%d rows: got a share of %v after one of %v", rows, got, share)
		}
		share = got
	}
	if share < 0.95 {
		t.Errorf("1000 rows: got a share of %v, want at least 0.95", share)
	}
}

func TestIntervalsHeld(t *testing.T) {
	var got Intervals
	p := &Prediction{Rows: 10, Low: 0.2, High: 0.4}
	got.add(p, leafCount{39, 10}) // too few
	got.add(p, leafCount{40, 12})
	got.add(p, leafCount{50, 40})
	if want := (Intervals{40, 90, 1, 2}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
