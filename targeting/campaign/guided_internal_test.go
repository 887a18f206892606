package campaign

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/grammartest"
)

// Ways that brought more are used more, and none is given up.
func TestPickWay(t *testing.T) {
	g := &guided{rand: rand.New(rand.NewPCG(1, 0)), ways: []*way{{made: 100, reward: 10}, {made: 100, reward: 1}, {made: 100}}}
	drawn := map[*way]int{}
	for range 1000 {
		drawn[g.pick()]++
	}
	good, poor, none := drawn[g.ways[0]], drawn[g.ways[1]], drawn[g.ways[2]]
	if good < 4*poor || poor < none || none < 40 {
		t.Errorf("drawn %d, %d and %d times", good, poor, none)
	}
}

// A corrupted text is a small change of the text.
func TestCorrupted(t *testing.T) {
	g := grammartest.Load(t, worked)
	r := rand.New(rand.NewPCG(1, 0))
	changed := 0
	for _, text := range []string{"", "1", "1 + (2 * 3)"} {
		var trees []*derivation.Tree
		if text != "" {
			trees = append(trees, grammartest.Parse(t, g, text))
		}
		for _, tree := range append(trees, nil) {
			for range 200 {
				got := corrupted(r, []byte(text), tree)
				if string(got) != text {
					changed++
				}
				if len(got) > 2*len(text)+1 {
					t.Errorf("%q becomes %q", text, got)
				}
			}
		}
	}
	if changed < 800 {
		t.Errorf("%d of 1000 texts are changed", changed)
	}
}

// TestGuidedGoal rewards the ways and the seeds that serve the goal.
func TestGuidedGoal(t *testing.T) {
	for _, c := range []struct {
		goal           Goal
		units, failure float64 // rewards of a way that found a unit, and of one that found a failure
		served         []bool  // by the seeds with a unit, a failure, a long run and a new path
	}{
		{AllGoals, 1, 1, []bool{false, false, false, false}},
		{Coverage, 1, .1, []bool{true, false, false, false}},
		{Failures, .1, 1, []bool{false, true, false, false}},
		{RunTime, .1, .1, []bool{false, false, true, false}},
	} {
		t.Run(string(c.goal), func(t *testing.T) {
			w, err := weightsOf(c.goal, nil)
			if err != nil {
				t.Fatal(err)
			}
			finds, fails := &way{}, &way{}
			g := &guided{weights: w, archive: newArchive(Options{}), ways: []*way{finds, fails}, slowest: time.Millisecond}
			for _, i := range []*individual{
				{way: finds, result: &result{}, brought: brought{units: []int32{0}}},
				{way: fails, result: &result{}, brought: brought{failure: true}},
				{result: &result{duration: time.Second}},
				{result: &result{}, brought: brought{paths: 1}},
			} {
				g.reap(i)
			}
			if finds.reward != c.units || fails.reward != c.failure {
				t.Errorf("rewards %v and %v, want %v and %v", finds.reward, fails.reward, c.units, c.failure)
			}
			var served []bool
			for _, s := range g.seeds {
				served = append(served, s.served)
			}
			if !slices.Equal(served, c.served) {
				t.Errorf("served %v, want %v", served, c.served)
			}
		})
	}
}

// The effort for an input falls with the number of inputs, so that twice the inputs take
// about as much effort again.
func TestThorough(t *testing.T) {
	g := &guided{rand: rand.New(rand.NewPCG(1, 0)), archive: newArchive(Options{})}
	efforts := map[int]int{}
	for told := range 8 * thoroughInputs {
		if g.thorough() {
			for from := 1; from <= 8; from *= 2 {
				if told < from*thoroughInputs {
					efforts[from]++
				}
			}
		}
		g.archive.results[uint64(told)] = &result{}
	}
	if efforts[1] != thoroughInputs {
		t.Errorf("%d of the first %d inputs", efforts[1], thoroughInputs)
	}
	for n := 2; n <= 8; n *= 2 {
		if more := efforts[n] - efforts[n/2]; more < thoroughInputs/2 || more > thoroughInputs {
			t.Errorf("%d more from %d to %d thousand inputs, want about %d", more, n/2, n, thoroughInputs*7/10)
		}
	}
}
