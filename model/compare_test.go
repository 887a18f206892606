package model

import (
	"errors"
	"slices"
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

// TestCompareSameProgram compares models of the same program, trained on
// different observations. No change may be reported.
func TestCompareSameProgram(t *testing.T) {
	opt := Defaults()
	opt.Workers = 2
	shared := inputsOf(observe(100, 600))
	alarms, comparisons := 0, 0
	var before *Model
	for seed := range uint64(12) {
		after := train(t, observe(seed+1, 400), opt)
		if before != nil {
			c, err := Compare(t.Context(), before, after, shared, grammars.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			comparisons++
			for _, change := range c.Changes {
				if change.Kind != Added && change.Kind != Removed { // of rarely reached methods
					t.Logf("%s: %s, %d differ, %.1f expected", change.Unit.ID, change.Kind, change.Disagreements, change.Expected)
					alarms++
				}
			}
		}
		before = after
	}
	if 20*alarms > comparisons {
		t.Errorf("%d false alarms in %d comparisons", alarms, comparisons)
	}
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
