package aim

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/targeting"
	"github.com/inroad/inroad/targeting/generate"
	"github.com/inroad/inroad/targeting/solve"
)

// run is a program that reads JSON. It returns the methods that an input reaches,
// and fails at the end if the input contains null.
func run(input []byte) (methods []string, outcome observation.Outcome) {
	reached := map[string]bool{"read": true}
	if strings.Contains(string(input), `\`) {
		reached["escape"] = true
	}
	outcome = observation.OK
	arrays := 0
	tokens := json.NewDecoder(bytes.NewReader(input))
	tokens.UseNumber()
	for before := json.Token(nil); ; {
		token, err := tokens.Token()
		if err != nil {
			break
		}
		switch token {
		case nil:
			reached["null"] = true
			outcome = observation.Failed
		case json.Delim('['):
			reached["array"] = true
			if arrays > 0 {
				reached["nested"] = true
			}
			arrays++
		case json.Delim(']'):
			arrays--
			if before == json.Delim('[') {
				reached["emptyArray"] = true
			}
		case json.Delim('{'):
			reached["object"] = true
		case json.Delim('}'):
			if before != json.Delim('{') {
				reached["member"] = true
			}
		default:
			if n, ok := token.(json.Number); ok && n[0] == '-' {
				reached["negative"] = true
			}
		}
		before = token
	}
	if outcome == observation.OK {
		reached["finish"] = true
	}
	return slices.Sorted(maps.Keys(reached)), outcome
}

// learned returns a model of run, trained on generated inputs.
func learned(t *testing.T, run func([]byte) ([]string, observation.Outcome), methods ...string) *model.Model {
	t.Helper()
	sources, err := bundled.Sources("json")
	if err != nil {
		t.Fatal(err)
	}
	x, err := generate.New(grammartest.Bundled(t, "json"), rand.New(rand.NewPCG(1, 1)),
		generate.Options{MaxDepth: 14, MaxRepeat: 4, Spacing: generate.RandomSpacing})
	if err != nil {
		t.Fatal(err)
	}
	h := observation.Header{Subject: "test"}
	for _, id := range methods {
		h.Units = append(h.Units, observation.Unit{ID: id, Kind: observation.KindMethod, Name: id})
	}
	var observations []observation.Observation
	for range 1500 {
		input, err := x.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		methods, outcome := run(input.Text)
		observations = append(observations, observation.Observation{Input: input.Text, Methods: methods, Outcome: outcome})
	}
	m, err := model.Train(t.Context(), "", sources, h, observations, model.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func units(t *testing.T, m *model.Model, names ...string) []int {
	t.Helper()
	var out []int
	for _, name := range names {
		u, err := m.Unit(name)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, u)
	}
	return out
}

func varied(ctx context.Context, s *solve.Solution, r *rand.Rand, n int) ([]*generate.Input, error) {
	return s.Varied(ctx, r, n)
}

// find returns what Find does, for tests of inputs and misses only.
func find(t *testing.T, a *Targeter, r *rand.Rand, want, avoid []int, opt Options) ([]Input, []Miss, error) {
	t.Helper()
	result, err := a.Find(t.Context(), r, want, avoid, opt)
	if err != nil {
		return nil, nil, err
	}
	return result.Inputs, result.Missed, nil
}

func TestFind(t *testing.T) {
	m := learned(t, run, "array", "emptyArray", "escape", "finish", "member", "negative", "nested", "never", "null", "object", "read")
	a, err := New(m)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"array", "emptyArray", "escape", "finish", "member", "negative", "nested", "null", "object", "read"} {
		t.Run(name, func(t *testing.T) {
			inputs, missed, err := find(t, a, source(), units(t, m, name), nil, Options{N: 20, Draw: varied})
			if err != nil || len(missed) > 0 || len(inputs) != 20 {
				t.Fatalf("%d inputs, %v, %v", len(inputs), missed, err)
			}
			reached, refused := 0, 0
			for _, input := range inputs {
				methods, outcome := run(input.Text)
				if slices.Contains(methods, name) {
					reached++
				}
				if outcome != observation.OK {
					refused++
				}
			}
			if reached < 16 { // the model is not exact
				t.Errorf("%d of %d reach it", reached, len(inputs))
			}
			if name != "null" && refused > 4 {
				t.Errorf("%d of %d are refused", refused, len(inputs))
			}
		})
	}

	t.Run("all in few inputs", func(t *testing.T) {
		names := []string{"array", "emptyArray", "escape", "finish", "member", "negative", "nested", "null", "object", "read"}
		inputs, missed, err := find(t, a, source(), units(t, m, names...), nil, Options{})
		if err != nil || len(missed) > 0 || len(inputs) > 2 {
			t.Fatalf("%d inputs, %v, %v", len(inputs), missed, err)
		}
		reached := map[string]bool{}
		for _, input := range inputs {
			methods, outcome := run(input.Text)
			for _, m := range methods {
				reached[m] = true
			}
			// A run may end where it fails, so such an input is for one method.
			if outcome != observation.OK && len(input.Units) > 1 {
				t.Errorf("%s fails, and is for %d methods", input.Text, len(input.Units))
			}
			t.Logf("%s", input.Text)
		}
		for _, name := range names {
			if !reached[name] {
				t.Errorf("%s is not reached", name)
			}
		}
	})

	t.Run("avoiding", func(t *testing.T) {
		inputs, missed, err := find(t, a, source(), units(t, m, "nested", "member"), units(t, m, "escape", "emptyArray"), Options{N: 10, Draw: varied})
		if err != nil || len(missed) > 0 || len(inputs) < 10 {
			t.Fatalf("%d inputs, %v, %v", len(inputs), missed, err)
		}
		for _, input := range inputs {
			methods, _ := run(input.Text)
			if slices.Contains(methods, "escape") || slices.Contains(methods, "emptyArray") {
				t.Errorf("%s reaches %v", input.Text, methods)
			}
		}
	})

	t.Run("out of reach", func(t *testing.T) {
		for _, c := range []struct {
			want, avoid string
			err         error
		}{
			{"never", "null", ErrNeverReached},
			{"array", "read", ErrAlwaysReached},
		} {
			_, missed, err := find(t, a, source(), units(t, m, c.want), units(t, m, c.avoid), Options{})
			if err != nil || len(missed) != 1 || !errors.Is(missed[0].Err, c.err) || missed[0].Verdict != targeting.NeverObserved {
				t.Errorf("%s without %s: %v, %v", c.want, c.avoid, missed, err)
			}
		}
		_, missed, err := find(t, a, source(), units(t, m, "nested"), units(t, m, "array"), Options{})
		if err != nil || len(missed) != 1 {
			t.Fatalf("%v, %v", missed, err)
		}
		if _, ok := errors.AsType[*solve.InfeasibleError](missed[0].Err); !ok || missed[0].Verdict != targeting.Infeasible {
			t.Errorf("nested without array: %s: %v", missed[0].Verdict, missed[0].Err)
		}
	})
}

// A solver limit is no proof that a unit cannot be reached. Mutants of examples do not
// need the solver.
func TestFindSolverLimit(t *testing.T) {
	const letters = "abcdefghijklmn" // two more than the solver's limit of conditions that require paths
	text := "grammar G; s : letter* EOF ; letter : " + strings.Join(quoted(letters), " | ") + " ;"
	h := observation.Header{Subject: "test", Units: []observation.Unit{
		{ID: "all", Kind: observation.KindMethod, Name: "all"}, {ID: "read", Kind: observation.KindMethod, Name: "read"},
	}}
	var observations []observation.Observation
	add := func(input string, methods ...string) {
		observations = append(observations, observation.Observation{Input: []byte(input), Methods: methods, Outcome: observation.OK})
	}
	r := rand.New(rand.NewPCG(1, 0))
	for range 30 {
		for i, letter := range letters {
			all := []rune(letters)
			r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			add(string(all), "all", "read")
			all[slices.Index(all, letter)] = rune(letters[(i+1)%len(letters)])
			add(string(all), "read")
		}
	}
	opt := model.Defaults()
	opt.K, opt.Extras, opt.MaxDepth = 2, 0, 20
	m, err := model.Train(t.Context(), "", []grammars.Source{{Name: "G.g4", Text: text}}, h, observations, opt)
	if err != nil {
		t.Fatal(err)
	}
	a, err := New(m)
	if err != nil {
		t.Fatal(err)
	}
	_, missed, err := find(t, a, rand.New(rand.NewPCG(3, 0)), []int{0}, nil, Options{NoMutants: true})
	if err != nil || len(missed) != 1 || missed[0].Verdict != targeting.Limit {
		t.Fatalf("%v, %v; want one miss by a limit", missed, err)
	}
	if over, ok := errors.AsType[*limit.Error](missed[0].Err); !ok || over.What != "conditions that require paths" {
		t.Errorf("got %v", missed[0].Err)
	}
	inputs, missed, err := find(t, a, rand.New(rand.NewPCG(3, 0)), []int{0}, nil, Options{})
	if err != nil || len(missed) > 0 || len(inputs) != 1 {
		t.Fatalf("%d inputs, %v, %v", len(inputs), missed, err)
	}
	if text := inputs[0].Text; slices.ContainsFunc([]byte(letters), func(letter byte) bool { return !bytes.Contains(text, []byte{letter}) }) {
		t.Errorf("%q does not reach it", text)
	}
}

func quoted(letters string) []string {
	var out []string
	for _, r := range letters {
		out = append(out, "'"+string(r)+"'")
	}
	return out
}

// A search is infeasible only if all plans were tried and proved infeasible.
func TestMissed(t *testing.T) {
	infeasible, unrealised, over := &solve.InfeasibleError{}, &solve.UnrealisedError{}, &limit.Error{What: "solver steps", Value: "5"}
	for _, test := range []struct {
		name            string
		failures        []error
		leftOut, solved bool
		want            targeting.Verdict
	}{
		{"every way is infeasible", []error{infeasible, infeasible}, false, false, targeting.Infeasible},
		{"a way reaches a limit", []error{infeasible, over, infeasible}, false, false, targeting.Limit},
		{"a way has no text", []error{infeasible, unrealised}, false, true, targeting.Unrealised},
		{"a limit and a way without text", []error{unrealised, over}, false, true, targeting.Limit},
		{"a way has a solution but no input", []error{infeasible}, false, true, targeting.Unrealised},
		{"ways were left out", []error{infeasible}, true, false, targeting.Limit},
		{"no way failed", nil, false, true, targeting.Unrealised},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := &search{leftOut: test.leftOut}
			for _, err := range test.failures {
				if err := s.note(err); err != nil {
					t.Fatal(err)
				}
			}
			if got, ok := targeting.VerdictOf(s.missed(test.solved)); !ok || got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
	if err := new(search).note(context.Canceled); !errors.Is(err, context.Canceled) {
		t.Errorf("an error without a verdict: %v", err)
	}
}

// values is a program whose methods depend on text in tokens and between them.
func values(input []byte) (methods []string, outcome observation.Outcome) {
	methods = []string{"read"}
	tokens := json.NewDecoder(bytes.NewReader(input))
	tokens.UseNumber()
	for {
		token, err := tokens.Token()
		if err != nil {
			break
		}
		number, ok := token.(json.Number)
		if size, _ := number.Float64(); ok && math.Abs(size) >= 1e10 && !slices.Contains(methods, "large") {
			methods = append(methods, "large")
		}
	}
	if strings.ContainsFunc(string(input), func(c rune) bool { return c > unicode.MaxASCII }) {
		methods = append(methods, "wide")
	}
	if bytes.ContainsRune(input, '\n') {
		methods = append(methods, "line")
	}
	return methods, observation.OK
}

// Find meets conditions on features that are not paths.
func TestFindBeyondPaths(t *testing.T) {
	m := learned(t, values, "large", "line", "read", "wide")
	a, err := New(m)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"large", "line", "wide"} {
		inputs, missed, err := find(t, a, rand.New(rand.NewPCG(3, 0)), units(t, m, name), nil, Options{N: 10, Draw: varied})
		if err != nil || len(missed) > 0 {
			t.Fatalf("%s: %v, %v", name, missed, err)
		}
		reached := 0
		for _, input := range inputs {
			if methods, _ := values(input.Text); slices.Contains(methods, name) {
				reached++
			}
		}
		if reached < 8 {
			t.Errorf("%s: %d of %d reach it", name, reached, len(inputs))
		}
	}
}

// overflow is a program that fails for numbers that are too large for it.
func overflow(input []byte) (methods []string, outcome observation.Outcome) {
	tokens := json.NewDecoder(bytes.NewReader(input))
	for {
		_, err := tokens.Token()
		if errors.Is(err, io.EOF) {
			return []string{"read"}, observation.OK
		}
		if err != nil {
			return []string{"overflow", "read"}, observation.Failed
		}
	}
}

// A method that only refused inputs reach, and few inputs of its leaf, is found
// after all inputs that are expected to be accepted were tried in vain.
func TestFindRefused(t *testing.T) {
	m := learned(t, overflow, "overflow", "read")
	a, err := New(m)
	if err != nil {
		t.Fatal(err)
	}
	inputs, missed, err := find(t, a, source(), units(t, m, "overflow"), nil, Options{N: 5})
	if err != nil || len(missed) > 0 || len(inputs) != 5 {
		t.Fatalf("%d inputs, %v, %v", len(inputs), missed, err)
	}
	for _, input := range inputs {
		if methods, _ := overflow(input.Text); !slices.Contains(methods, "overflow") {
			t.Errorf("%s does not reach it", input.Text)
		}
	}
}

// A limited search tries few trees, and still finds what is easy to find. Where it finds
// nothing within its steps, the verdict is that a limit was reached.
func TestFindWithinSteps(t *testing.T) {
	m := learned(t, run, "array", "emptyArray", "escape", "finish", "member", "negative", "nested", "null", "object", "read")
	targeter, err := New(m)
	if err != nil {
		t.Fatal(err)
	}
	unit := units(t, m, "nested")
	tried := 0
	never := func(ctx context.Context, s *solve.Solution, r *rand.Rand, n int) ([]*generate.Input, error) {
		return s.Where(func(context.Context, *generate.Input) (bool, error) { tried++; return false, nil }).Smallest(ctx, r, n)
	}
	const steps = 3
	found, err := targeter.Find(t.Context(), rand.New(rand.NewPCG(1, 0)), unit, nil, Options{Steps: steps, Draw: never, AllowUnlikely: true})
	if err != nil || len(found.Inputs) > 0 || len(found.Missed) != 1 || found.Missed[0].Verdict != targeting.Limit {
		t.Errorf("got %+v, %v; want that the limit was reached", found, err)
	}
	if tried == 0 || tried > 2*steps*steps { // for each constraint, with and without stronger conditions
		t.Errorf("%d inputs were tried in %d steps", tried, steps)
	}
	found, err = targeter.Find(t.Context(), rand.New(rand.NewPCG(1, 0)), unit, nil, Options{Steps: 12})
	if err != nil || len(found.Inputs) != 1 || !slices.Equal(found.Inputs[0].Units, unit) {
		t.Errorf("got %+v, %v; want an input", found, err)
	}
}
