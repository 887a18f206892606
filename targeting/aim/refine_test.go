package aim

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/targeting/generate"
)

// reader is a program with rare methods: pair is reached by an array that contains
// null and an array, flag by an array that contains true and an object, and hidden by
// an array of two nulls in an array.
func reader(input []byte) ([]string, observation.Outcome) {
	methods := []string{"read"}
	add := func(id string) {
		if !slices.Contains(methods, id) {
			methods = append(methods, id)
		}
	}
	var walk func(v any, arrays int)
	walk = func(v any, arrays int) {
		switch v := v.(type) {
		case []any:
			add("array")
			null, flags, inner, objects := 0, 0, 0, 0
			for _, e := range v {
				switch e := e.(type) {
				case nil:
					null++
				case bool:
					flags += map[bool]int{true: 1}[e]
				case []any:
					inner++
				case map[string]any:
					objects++
				}
				walk(e, arrays+1)
			}
			if null > 0 && inner > 0 {
				add("pair")
			}
			if flags > 0 && objects > 0 {
				add("flag")
			}
			if null == 2 && len(v) == 2 && arrays > 0 {
				add("hidden")
			}
		case map[string]any:
			add("object")
			for _, e := range v {
				walk(e, arrays)
			}
		}
	}
	var v any
	if err := json.Unmarshal(input, &v); err != nil {
		return methods, observation.Failed
	}
	walk(v, 0)
	return methods, observation.OK
}

// randomObservations returns observations of different random inputs.
func randomObservations(t *testing.T, p program, n int) []observation.Observation {
	t.Helper()
	x, err := generate.New(grammartest.Bundled(t, "json"), rand.New(rand.NewPCG(1, 1)), generate.Options{MaxDepth: 14, MaxRepeat: 4})
	if err != nil {
		t.Fatal(err)
	}
	var out []observation.Observation
	seen := map[string]bool{}
	for len(out) < n {
		input, err := x.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if seen[string(input.Text)] {
			continue
		}
		seen[string(input.Text)] = true
		o, err := p.Run(t.Context(), input.Text)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, o)
	}
	return out
}

func newTrainer(t *testing.T) *model.Trainer {
	t.Helper()
	return newTrainerWith(t, model.Defaults())
}

func newTrainerWith(t *testing.T, opt model.Options) *model.Trainer {
	t.Helper()
	sources, err := bundled.Sources("json")
	if err != nil {
		t.Fatal(err)
	}
	trainer, err := model.NewTrainer(t.Context(), "", sources, opt)
	if err != nil {
		t.Fatal(err)
	}
	return trainer
}

// refined returns what Begin and Refine return.
func refined(ctx context.Context, r *Refiner, train, held []observation.Observation, units ...string) (*model.Model, Stop, error) {
	if _, err := r.Begin(ctx, observation.Header{Subject: "reader"}, train, held); err != nil {
		return nil, "", err
	}
	return r.Refine(ctx, units...)
}

// A few rounds correct what few observations taught wrong about rare methods, as
// held-out inputs show. Single training sets gain between 0.1 and 0.3, so the gain is
// the mean of several.
func TestRefine(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped with -short: trains many models, which takes minutes with the race detector")
	}
	const sets, size, rounds, runs = 3, 300, 3, 200
	all := randomObservations(t, reader, sets*size+1000)
	held := all[sets*size:]
	gain := 0.0
	for i := range sets {
		train := all[i*size : (i+1)*size]
		var done []Round
		r := NewRefiner(newTrainer(t), program(reader), RefineOptions{
			Rounds: rounds, Runs: runs, Seed: uint64(i + 1), Workers: 2, Progress: func(r Round) { done = append(done, r) },
		})
		m, stop, err := refined(t.Context(), r, train, held)
		if err != nil || stop != StopRounds || len(done) != rounds+1 {
			t.Fatalf("%d rounds, stopped by %s, %v", len(done), stop, err)
		}
		first, last, best := done[0], done[rounds], done[r.Best()]
		t.Logf("set %d: mean F1 %.3f to %.3f, rare F1 %.3f to %.3f", i, first.F1, last.F1, first.RareF1, last.RareF1)
		if first.Rares == 0 || first.Scored != last.Scored || first.Rares != last.Rares {
			t.Errorf("set %d: the methods that are scored changed from %+v to %+v", i, first, last)
		}
		gain += (last.RareF1 - first.RareF1) / sets
		if n := m.Stats.Observations; n != len(train)+best.Number*runs {
			t.Errorf("set %d: the model of round %d was trained on %d observations", i, best.Number, n)
		}
		checkRuns(t, r.Observations(), slices.Concat(train, held))
		checkNew(t, done, r.Observations(), train)
	}
	if gain < 0.15 {
		t.Errorf("rare F1 rose by %.3f only", gain)
	}
}

// Refine returns the model of the round with the best scores on the held-out
// observations, here the first, because the runs contradict them. A round that reaches
// a unit for the first time is better than those before it.
func TestRefineBest(t *testing.T) {
	train, held := HoldOut(randomObservations(t, reader, 300), 1)
	for name, test := range map[string]struct {
		program program
		units   []string
		rounds  int
		best    int
	}{
		"later rounds are worse": {func(input []byte) ([]string, observation.Outcome) { return []string{"array", "read"}, observation.OK }, nil, 2, 0},
		"others are worse": {func(input []byte) ([]string, observation.Outcome) {
			methods, outcome := reader(input)
			return slices.DeleteFunc(methods, func(id string) bool { return id == "array" }), outcome
		}, []string{"object"}, 2, 2},
		"new unit": {func(input []byte) ([]string, observation.Outcome) {
			return []string{"array", "new", "read"}, observation.OK
		}, nil, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			var done []Round
			r := NewRefiner(newTrainer(t), test.program, RefineOptions{Rounds: test.rounds, Runs: 100, Seed: 1, Workers: 2, Progress: func(r Round) { done = append(done, r) }})
			m, _, err := refined(t.Context(), r, train, held, test.units...)
			if err != nil || r.Best() != test.best {
				t.Fatalf("round %d is the best of %+v, want %d; %v", r.Best(), done, test.best, err)
			}
			if n := m.Stats.Observations; n != len(train)+100*test.best {
				t.Errorf("the model has %d observations", n)
			}
		})
	}
}

// checkRuns checks that no input was run twice, or was given.
func checkRuns(t *testing.T, ran, given []observation.Observation) {
	t.Helper()
	seen := map[string]bool{}
	for _, o := range given {
		seen[string(o.Input)] = true
	}
	for _, o := range ran {
		if seen[string(o.Input)] {
			t.Errorf("%s was run again", o.Input)
		}
		seen[string(o.Input)] = true
	}
}

// checkNew checks that hidden is reported as new exactly if a run reached it and no
// observation in training did.
func checkNew(t *testing.T, rounds []Round, ran, train []observation.Observation) {
	t.Helper()
	var got, want []string
	for _, r := range rounds {
		got = append(got, r.New...)
	}
	hidden := func(o observation.Observation) bool { return slices.Contains(o.Methods, "hidden") }
	if slices.ContainsFunc(ran, hidden) && !slices.ContainsFunc(train, hidden) {
		want = append(want, "hidden")
	}
	if !slices.Equal(got, want) {
		t.Errorf("new methods %v, want %v", got, want)
	}
}

// The same seed gives the same runs and the same model; given units are refined
// instead of others.
func TestRefineReproducible(t *testing.T) {
	train, held := HoldOut(randomObservations(t, reader, 300), 1)
	run := func(workers int) (string, []observation.Observation) {
		r := NewRefiner(newTrainer(t), program(reader), RefineOptions{Rounds: 2, Runs: 30, Seed: 7, Workers: workers, Progress: func(r Round) {
			if r.Number > 0 && !slices.Equal(r.Units, []string{"pair"}) {
				t.Errorf("refined %v", r.Units)
			}
		}})
		m, _, err := refined(t.Context(), r, train, held, "pair")
		if err != nil {
			t.Fatal(err)
		}
		return m.Digest, r.Observations()
	}
	digest, ran := run(1)
	again, ranAgain := run(3)
	if diff := cmp.Diff(ran, ranAgain); diff != "" || digest != again || len(ran) != 60 {
		t.Errorf("%d runs, models %s and %s: %s", len(ran), digest, again, diff)
	}
}

// If all units are always reached, a round runs inputs to find others.
func TestRefineFindsUnits(t *testing.T) {
	rare := program(func(input []byte) ([]string, observation.Outcome) {
		if strings.Contains(string(input), "[") {
			return []string{"list", "read"}, observation.OK
		}
		return []string{"read"}, observation.OK
	})
	var train, held []observation.Observation
	for i, text := range []string{"1", "2", "3", "true", "null"} {
		o := observation.Observation{Input: []byte(text), Methods: []string{"read"}, Outcome: observation.OK}
		if i == 0 {
			held = append(held, o)
		} else {
			train = append(train, o)
		}
	}
	var done []Round
	header := func() observation.Header {
		return observation.Header{Units: []observation.Unit{{ID: "list", Name: "parseList", Kind: observation.KindMethod}}}
	}
	r := NewRefiner(newTrainer(t), rare, RefineOptions{Rounds: 1, Runs: 20, Header: header, Progress: func(r Round) { done = append(done, r) }})
	m, _, err := refined(t.Context(), r, train, held)
	if err != nil || len(done) != 2 || !slices.Equal(done[1].New, []string{"list"}) {
		t.Fatalf("rounds %+v, %v", done, err)
	}
	if unit, err := m.Unit("list"); err != nil || m.Units[unit].Name != "parseList" {
		t.Errorf("the model has units %+v", m.Units)
	}
}

// Code that a process executes once is not taken for code that an input reaches.
func TestRefineWarmsUp(t *testing.T) {
	done := map[string]bool{}
	once := program(func(input []byte) ([]string, observation.Outcome) {
		methods, outcome := reader(input)
		for _, id := range []string{"array", "object"} {
			if slices.Contains(methods, id) && !done[id] {
				done[id] = true
				methods = append(methods, "initialize")
			}
		}
		return methods, outcome
	})
	train, held := HoldOut(randomObservations(t, reader, 200), 1)
	r := NewRefiner(newTrainer(t), once, RefineOptions{Rounds: 1, Runs: 30})
	if _, _, err := refined(t.Context(), r, train, held); err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(r.Observations(), func(o observation.Observation) bool { return slices.Contains(o.Methods, "initialize") }) {
		t.Error("an input reaches initialize")
	}
}

func TestRefineStops(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped with -short: trains many models, which takes minutes with the race detector")
	}
	given := randomObservations(t, reader, 200)
	train, held := HoldOut(given, 1)

	t.Run("nothing new", func(t *testing.T) {
		simple := program(func(input []byte) ([]string, observation.Outcome) {
			if input[0] == '[' {
				return []string{"list", "read"}, observation.OK
			}
			return []string{"read"}, observation.OK
		})
		train, held := HoldOut(randomObservations(t, simple, 200), 1)
		_, stop, err := refined(t.Context(), NewRefiner(newTrainer(t), simple, RefineOptions{Runs: 20}), train, held)
		if err != nil || stop != StopNothing {
			t.Errorf("stopped by %q, %v", stop, err)
		}
	})

	t.Run("budget", func(t *testing.T) {
		runs := 0
		slow := program(func(input []byte) ([]string, observation.Outcome) { runs++; return reader(input) })
		m, stop, err := refined(t.Context(), NewRefiner(newTrainer(t), slow, RefineOptions{Budget: time.Nanosecond}), train, held)
		if err != nil || stop != StopBudget || m == nil || runs > 0 {
			t.Errorf("stopped by %q after %d runs, %v", stop, runs, err)
		}
	})

	t.Run("canceled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		runs := 0
		canceling := program(func(input []byte) ([]string, observation.Outcome) {
			if runs++; runs == 26 { // 20 known inputs are run first, and the first new one twice
				cancel()
			}
			return reader(input)
		})
		r := NewRefiner(newTrainer(t), canceling, RefineOptions{})
		if _, _, err := refined(ctx, r, train, held); !errors.Is(err, context.Canceled) || len(r.Observations()) != 5 {
			t.Errorf("%d observations, %v", len(r.Observations()), err)
		}
	})

	t.Run("broken program", func(t *testing.T) {
		broken := errors.New("no program")
		if _, _, err := refined(t.Context(), NewRefiner(newTrainer(t), brokenRunner{broken}, RefineOptions{}), train, held); !errors.Is(err, broken) {
			t.Errorf("got %v", err)
		}
	})
}

// The budget includes training: a round starts only if there is time to train again,
// and training that takes longer than expected is canceled.
func TestRefineBudget(t *testing.T) {
	const second = time.Second
	train, held := HoldOut(randomObservations(t, reader, 200), 1)
	for name, test := range map[string]struct {
		trainings []time.Duration // time that each training takes
		run       time.Duration   // time that a run takes
		runs      int             // in all rounds
		rounds    int             // models that are trained after the first
		latest    time.Duration   // the end at the latest
	}{
		"training fits":              {[]time.Duration{8 * second, 8 * second}, 0, 20, 1, 16 * second},
		"runs leave time to train":   {[]time.Duration{8 * second, 8 * second}, 2 * second, 2, 1, 25 * second},
		"training takes longer":      {[]time.Duration{2 * second, 200 * second}, 0, 20, 0, 60 * second}, // a tree is finished
		"the first model is trained": {[]time.Duration{60 * second}, 0, 0, 0, 60 * second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start, models, last := time.Now(), 0, 0
				opt := model.Defaults()
				opt.Progress = func(done, total int) {
					if done < last {
						last = 0
					}
					time.Sleep(test.trainings[models] * time.Duration(done-last) / time.Duration(total))
					last = done
				}
				r := NewRefiner(newTrainerWith(t, opt), slowRunner{reader, test.run}, RefineOptions{Runs: 20, Budget: 25 * second, Warmup: -1, Progress: func(Round) { models++ }})
				m, stop, err := refined(t.Context(), r, train, held)
				if err != nil || stop != StopBudget || m == nil {
					t.Fatalf("stopped by %q, %v", stop, err)
				}
				if n := len(r.Observations()); n != test.runs || models-1 != test.rounds {
					t.Errorf("%d runs, %d rounds; want %d and %d", n, models-1, test.runs, test.rounds)
				}
				if took := time.Since(start); took > test.latest {
					t.Errorf("took %v, want at most %v", took, test.latest)
				}
			})
		})
	}
}

// A slowRunner takes some time for each run.
type slowRunner struct {
	program
	takes time.Duration
}

func (r slowRunner) Run(ctx context.Context, input []byte) (observation.Observation, error) {
	select {
	case <-ctx.Done():
		return observation.Observation{}, ctx.Err()
	case <-time.After(r.takes):
		return r.program.Run(ctx, input)
	}
}

// All observations of an input are on the same side.
func TestHoldOut(t *testing.T) {
	given := randomObservations(t, reader, 500)
	train, held := HoldOut(slices.Concat(given, given), 1)
	if n := len(held); n < 150 || n > 250 || n+len(train) != 1000 {
		t.Errorf("%d of %d held out", n, n+len(train))
	}
	inputs := map[string]bool{}
	for _, o := range held {
		inputs[string(o.Input)] = true
	}
	if 2*len(inputs) != len(held) || slices.ContainsFunc(train, func(o observation.Observation) bool { return inputs[string(o.Input)] }) {
		t.Error("an input is both in training and held out")
	}
	if _, other := HoldOut(given, 2); cmp.Equal(other, held[:len(held)/2]) {
		t.Error("two seeds hold out the same inputs")
	}
}
