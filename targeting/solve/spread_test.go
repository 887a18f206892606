package solve_test

import (
	"testing"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/targeting"
)

// A hundred inputs contain most paths of a grammar, though they are small.
func TestSpread(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		grammar string
		share   float64 // of the paths of length 2
		bytes   int     // of all inputs, at most
	}{
		{"json", .95, 2000},
		{"expr", .95, 2000},
		{"url", .35, 1000},
	} {
		t.Run(tt.grammar, func(t *testing.T) {
			t.Parallel()
			g := grammartest.Bundled(t, tt.grammar)
			solution, err := newSolver(t, g).Solve(t.Context(), targeting.Constraint{})
			if err != nil {
				t.Fatal(err)
			}
			space := features.NewSpace(g, features.Options{Possible: true})
			extractor := features.NewExtractor(space, 2)
			for seed := range uint64(3) {
				inputs, err := solution.Spread(t.Context(), source(seed), 100)
				if err != nil {
					t.Fatal(err)
				}
				bytes := 0
				set := features.NewSet(2)
				for _, input := range inputs {
					bytes += len(input.Text)
					if err := extractor.Add(set, input.Tree); err != nil {
						t.Fatal(err)
					}
				}
				all := space.Count(2).Int64()
				if share := float64(set.Len(2)) / float64(all); share < tt.share || bytes > tt.bytes {
					t.Errorf("seed %d: %d of %d paths (%.3f) in %d bytes, want %.2f in at most %d", seed, set.Len(2), all, share, bytes, tt.share, tt.bytes)
				}
			}
		})
	}
}
