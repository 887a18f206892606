package campaign

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/model/observation"
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

// Effort is granted by inputs and by the order of magnitude of their run times. No account
// spends more than its share.
func TestEffort(t *testing.T) {
	grantedBy := func(factor float64, inputs int, run time.Duration) time.Duration {
		e := newEffort(factor, 0, rates{})
		for range inputs {
			e.grant(run)
		}
		return e.granted
	}
	const ms, us = time.Millisecond, time.Microsecond
	for _, c := range []struct {
		name   string
		factor float64
		inputs int
		run    time.Duration
		want   time.Duration
	}{
		{"the first inputs have an allowance", 1, 1000, ms, 1000 * 1520 * us},
		{"later inputs have a share of the run time", 1, 3000, ms, 1000*1520*us + 2000*20*us},
		{"short runs count alike", 1, 1000, 3999 * us, 1000 * 1520 * us},
		{"a run counts as the power of two below", 1, 1, 15 * ms, 1500*us + 8*20*us},
		{"twice the effort", 2, 1000, ms, 2000 * 1520 * us},
	} {
		if got := grantedBy(c.factor, c.inputs, c.run); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
	e := newEffort(1, 1000, rates{})
	steps := 0
	for ; e.allows(aiming, 10*ms); steps++ {
		e.spend(aiming, 10*ms)
	}
	if want := int(aiming.share() * 150); steps != want {
		t.Errorf("%d searches of 10 ms, want %d", steps, want)
	}
	if !e.allows(choosing, 10*ms) {
		t.Error("aiming spends the share of choosing")
	}
}

// TestFrugal checks that random inputs become smaller if the program is quick, with some
// large ones left, so that generating takes a small part of its run time.
func TestFrugal(t *testing.T) {
	g := grammartest.Bundled(t, "xml")
	sizes := func(run time.Duration) (mean float64, large int, e *effort) {
		e = newEffort(1, 0, ratesOf(g, g.Start))
		x, err := newExplorer(g, Options{Start: g.Start, MaxNodes: 1000}, e)
		if err != nil {
			t.Fatal(err)
		}
		const inputs = 6000
		for n := range inputs {
			i, err := x.random(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if e.grant(run); n < inputs/2 {
				continue
			}
			if mean += float64(len(i.text)) / (inputs / 2); len(i.text) > 200 {
				large++
			}
		}
		return mean, large, e
	}
	quick, largeQuick, e := sizes(time.Millisecond)
	slow, largeSlow, _ := sizes(100 * time.Millisecond)
	if quick > 0.7*slow || largeQuick == 0 || largeQuick > largeSlow/2 {
		t.Errorf("got inputs of %.0f bytes on average and %d large ones, want fewer than the %.0f bytes and %d large ones for a slow program, but some", quick, largeQuick, slow, largeSlow)
	}
	if newEffort(1, 50, rates{}).ample < 50*firstAmple {
		t.Error("the first generation has no allowance")
	}
	if most := e.ample + e.ample/2; e.generated > most {
		t.Errorf("generating took %v, want at most %v", e.generated, most)
	}
}

// Inputs that a file of observations cannot have are not run: they would end the campaign.
func TestGuidedLeavesOutHugeInputs(t *testing.T) {
	for size, want := range map[int]int{0: 1, observation.MaxInput: 1, observation.MaxInput + 1: 0} {
		opt := Options{Algorithm: Guided, Start: "file", MaxNodes: 100, Guided: GuidedOptions{Round: 1}}
		opt.Goal, opt.Sources = AllGoals, []grammars.Source{{Name: "Worked.g4", Text: worked}}
		g, err := newGuided(t.Context(), grammartest.Load(t, worked), opt, newArchive(opt), nil)
		if err != nil {
			t.Fatal(err)
		}
		text := make([]byte, size)
		g.ways = []*way{{make: func(context.Context) (*individual, error) { return &individual{text: text}, nil }}}
		made, _, err := g.next(t.Context(), nil)
		if err != nil || len(made) != want {
			t.Errorf("%d bytes: %d inputs, want %d; error %v", size, len(made), want, err)
		}
	}
}

// Of the units that were reached, the one nearest to a unit that was not is found in the
// same file.
func TestNeighbours(t *testing.T) {
	unit := func(file string, line int) observation.Unit {
		return observation.Unit{ID: fmt.Sprintf("%s#%d", file, line), File: file, Start: line}
	}
	for _, c := range []struct {
		reached, missed []observation.Unit
		want            map[string]string
	}{
		{nil, []observation.Unit{unit("a", 1)}, map[string]string{}},
		{[]observation.Unit{unit("a", 5)}, []observation.Unit{unit("b", 5)}, map[string]string{}},
		{[]observation.Unit{unit("a", 9), unit("a", 1)}, []observation.Unit{unit("a", 2), unit("a", 7), unit("a", 30)}, map[string]string{"a#1": "a#2", "a#9": "a#7"}},
		{[]observation.Unit{unit("a", 4), unit("a", 8)}, []observation.Unit{unit("a", 6)}, map[string]string{"a#4": "a#6"}},
		{[]observation.Unit{unit("a", 4)}, []observation.Unit{unit("a", 0)}, map[string]string{}}, // its line is not known
	} {
		got := aimerOf(c.reached, c.missed).neighbours()
		if !maps.Equal(got, c.want) {
			t.Errorf("reached %v, not %v: got %v, want %v", c.reached, c.missed, got, c.want)
		}
	}
}

// Neighbours are found in a file with very many blocks, such as an amalgamation. Comparing
// all pairs of blocks would take minutes.
func TestNeighboursOfManyUnits(t *testing.T) {
	const units = 60_000
	var reached, missed []observation.Unit
	for line := 1; line <= units; line += 2 {
		reached = append(reached, observation.Unit{ID: fmt.Sprint(line), File: "a", Start: line})
		missed = append(missed, observation.Unit{ID: fmt.Sprint(line + 1), File: "a", Start: line + 1})
	}
	if got := aimerOf(reached, missed).neighbours(); len(got) != units/2 || got["1"] != "2" {
		t.Errorf("%d units are neighbours, want %d; the first is the neighbour of %s", len(got), units/2, got["1"])
	}
}

// aimerOf returns an aimer for a program of which some units were reached.
func aimerOf(reached, missed []observation.Unit) *aimer {
	archive := newArchive(Options{})
	for _, u := range reached {
		archive.list([]string{u.ID})
	}
	return &aimer{guided: &guided{archive: archive, options: Options{Units: slices.Concat(reached, missed)}}}
}
