package model

import "testing"

// A tree that predicts held-out rows badly at any depth is cut only if that is clearly
// better.
func TestChooseDepth(t *testing.T) {
	of := func(right, wrong int) heldOut {
		return heldOut{confusion: Confusion{TruePositives: right, FalsePositives: wrong, TrueNegatives: 900}}
	}
	for name, tc := range map[string]struct {
		held []heldOut
		want int
	}{
		"only one depth":           {[]heldOut{of(3, 5)}, 0},
		"deeper is better":         {[]heldOut{of(3, 9), of(5, 5), of(9, 2)}, 2},
		"equal":                    {[]heldOut{of(9, 2), of(9, 2), of(9, 2)}, 0},
		"deeper is worse":          {[]heldOut{of(40, 0), of(40, 1), of(39, 1)}, 0},
		"no prediction is right":   {[]heldOut{of(0, 2), of(0, 3), of(0, 9)}, 2},
		"all are low and close":    {[]heldOut{of(4, 20), of(4, 21), of(4, 22)}, 2},
		"the deepest is not close": {[]heldOut{of(4, 20), of(4, 21), of(1, 30)}, 1},
	} {
		if got := choose(tc.held); got != tc.want {
			t.Errorf("%s: got %d, want %d", name, got, tc.want)
		}
	}
}
