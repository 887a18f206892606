package model

import (
	"errors"
	"flag"
	"hash/fnv"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/model/observation"
)

func inputsOf(observations []observation.Observation) [][]byte {
	var out [][]byte
	for _, o := range observations {
		out = append(out, o.Input)
	}
	return out
}

var long = flag.Bool("long", false, "run what takes minutes, too")

// observeWith observes the synthetic program on n different inputs. It has another
// method, extra, which is reached by the texts for which extra returns true.
func observeWith(seed uint64, n int, extra func(text string) bool) []observation.Observation {
	var out []observation.Observation
	seen := map[string]bool{}
	for _, o := range observe(seed, 4*n) {
		text := string(o.Input)
		if seen[text] || len(out) == n {
			continue
		}
		seen[text] = true
		if extra(text) {
			o.Methods = append(o.Methods, "extra")
		}
		out = append(out, o)
	}
	return out
}

// allUnits declares the methods of the synthetic program, so that models know
// methods that no observation reached.
func allUnits() observation.Header {
	h := observation.Header{Units: []observation.Unit{{ID: "extra"}, {ID: "fail"}}}
	for _, rule := range rules {
		h.Units = append(h.Units, observation.Unit{ID: rule.name})
	}
	return h
}

func trainAll(tb testing.TB, observations []observation.Observation) *Model {
	tb.Helper()
	opt := Defaults()
	opt.Workers = 2
	m, err := Train(tb.Context(), "", jsonSources(tb), allUnits(), observations, opt)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func compare(tb testing.TB, before, after *Model, inputs [][]byte) *Comparison {
	tb.Helper()
	c, err := Compare(tb.Context(), before, after, inputs, grammars.Limits{})
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// hash returns a number that no feature of a text tells.
func hash(text string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text))
	return h.Sum64() >> 32
}

// TestCompareSameProgram compares models of the same program, trained on
// different observations. At most one comparison in twenty may report a change, or
// that the inputs were not drawn alike.
func TestCompareSameProgram(t *testing.T) {
	models := 13
	if *long {
		models = 401
	}
	shared := inputsOf(observe(1000, 600))
	alarms, skews := 0, 0
	var before *Model
	for seed := range uint64(models) {
		after := trainAll(t, observeWith(seed+1, 400, func(text string) bool { return hash(text)%3 == 0 }))
		if before != nil {
			c := compare(t, before, after, shared)
			alarms += min(1, len(c.Changes))
			skews += btoi(c.Skew != nil)
			for _, change := range c.Changes {
				t.Logf("seed %d: %+v", seed, change)
			}
		}
		before = after
	}
	t.Logf("%d comparisons: %d report changes, %d inputs that were not drawn alike", models-1, alarms, skews)
	if 20*alarms > models-1 {
		t.Errorf("%d of %d comparisons of the same program report changes", alarms, models-1)
	}
	if skews > max(1, models/20) {
		t.Errorf("%d of %d comparisons report that inputs were not drawn alike", skews, models-1)
	}
}

// TestCompareFindsNarrowedCondition compares models of a program before and after
// the condition of one method was narrowed, so that half as many inputs reach it.
func TestCompareFindsNarrowedCondition(t *testing.T) {
	array := func(text string) bool { return strings.Contains(text, "[") }
	number := regexp.MustCompile(`^(?:[^"]|"(?:[^"\\]|\\.)*")*[0-9]`) // outside strings
	for _, test := range []struct {
		name          string
		before, after func(text string) bool
		byPredictions bool
	}{
		{
			"the trees show it", array,
			func(text string) bool { return array(text) && number.MatchString(text) }, true,
		},
		{
			"no feature shows it",
			func(text string) bool { return array(text) && hash(text)%2 == 0 },
			func(text string) bool { return array(text) && hash(text)%4 == 0 }, false,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			before, after := trainAll(t, observeWith(1, 1000, test.before)), trainAll(t, observeWith(2, 1000, test.after))
			c := compare(t, before, after, inputsOf(observe(3, 600)))
			if c.Skew != nil || len(c.Changes) != 1 || c.Changes[0].Unit.ID != "extra" {
				t.Fatalf("got %+v, want a change of extra alone", c)
			}
			change := c.Changes[0]
			t.Logf("%+v", change)
			if change.Kind != Changed || !change.ByRates || change.ByPredictions != test.byPredictions {
				t.Errorf("got %s by predictions %t, by rates %t; want changed, %t, true", change.Kind, change.ByPredictions, change.ByRates, test.byPredictions)
			}
			if share := float64(change.Rates[1].Positives) / float64(change.Rates[0].Positives); share < .4 || share > .6 {
				t.Errorf("reached %.2f times as often, want half as often", share)
			}
		})
	}
}

// TestCompareOtherInputs compares models of the same program that are trained on
// other inputs. The rates differ, but they do not tell a change of the program.
func TestCompareOtherInputs(t *testing.T) {
	array := func(text string) bool { return strings.Contains(text, "[") }
	all := func(string) bool { return true }
	for _, test := range []struct {
		name          string
		before, after func(text string) bool // inputs for the training
	}{
		{"fewer arrays", all, func(text string) bool { return !array(text) || hash(text)%2 == 0 }},
		{"no array", all, func(text string) bool { return !array(text) }},
		{"only arrays", all, array},
		{"no array before", func(text string) bool { return !array(text) }, all},
	} {
		t.Run(test.name, func(t *testing.T) {
			trainOn := func(seed uint64, wanted func(string) bool) *Model {
				out := slices.DeleteFunc(observeWith(seed, 2000, array), func(o observation.Observation) bool { return !wanted(string(o.Input)) })
				return trainAll(t, out[:min(len(out), 500)])
			}
			c := compare(t, trainOn(1, test.before), trainOn(2, test.after), inputsOf(observe(3, 600)))
			if c.Skew == nil {
				t.Error("the inputs seem to be drawn alike")
			}
			for _, change := range c.Changes {
				if change.ByRates {
					t.Errorf("got a change of rates: %+v", change)
				}
			}
		})
	}
}

// TestReject checks Holm's method: the least p-value is compared with the level
// divided by all tests, the next with the level divided by the others, and so on.
func TestReject(t *testing.T) {
	for _, test := range []struct {
		pValues []float64
		want    []bool
	}{
		{nil, nil},
		{[]float64{.05}, []bool{true}},
		{[]float64{.051}, []bool{false}},
		{[]float64{.03, .03}, []bool{false, false}},
		{[]float64{.04, .02}, []bool{true, true}},
		{[]float64{.5, .01, .03, .02}, []bool{false, true, false, false}},
	} {
		got := make([]bool, len(test.pValues))
		reject(testsOf(test.pValues, got), .05)
		if !slices.Equal(got, test.want) {
			t.Errorf("%v: got %v, want %v", test.pValues, got, test.want)
		}
	}
}

func testsOf(pValues []float64, rejected []bool) []test {
	var out []test
	for i, p := range pValues {
		out = append(out, test{p, &rejected[i]})
	}
	return out
}

func TestCompareFindsChanges(t *testing.T) {
	opt := Defaults()
	opt.Workers = 2
	before := train(t, observe(1, 600), opt)
	observations := observe(2, 600)
	for i := range observations {
		o := &observations[i]
		had := func(m string) bool { return slices.Contains(o.Methods, m) }
		methods := []string{"fresh"}
		for _, m := range o.Methods {
			if m != "escape" && m != "object" && m != "unicode" {
				methods = append(methods, m)
			}
		}
		if had("object") || had("array") {
			methods = append(methods, "object")
		}
		if had("null in a member") {
			methods = append(methods, "never")
		}
		o.Methods = methods
	}
	after, err := Train(t.Context(), "", jsonSources(t), observation.Header{Units: []observation.Unit{{ID: "escape"}}}, observations, opt)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Compare(t.Context(), before, after, inputsOf(observe(3, 600)), grammars.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]ChangeKind{}
	for _, change := range c.Changes {
		got[change.Unit.ID] = change.Kind
	}
	want := map[string]ChangeKind{"fresh": Added, "unicode": Removed, "escape": Vanished, "object": Changed, "never": Added}
	for id, kind := range want {
		if got[id] != kind {
			t.Errorf("%s: got %q, want %q", id, got[id], kind)
		}
		delete(got, id)
	}
	if len(got) > 0 {
		t.Errorf("found as well: %v", got)
	}
}

func TestCompareOtherGrammars(t *testing.T) {
	sources, err := bundled.Sources("expr")
	if err != nil {
		t.Fatal(err)
	}
	other, err := Train(t.Context(), "", sources, observation.Header{}, []observation.Observation{{Input: []byte("x"), Methods: []string{}}}, Defaults())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Compare(t.Context(), train(t, observe(1, 20), Defaults()), other, nil, grammars.Limits{}); !errors.Is(err, ErrGrammarMismatch) {
		t.Errorf("got %v, want %v", err, ErrGrammarMismatch)
	}
}
