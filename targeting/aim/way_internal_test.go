package aim

import (
	"fmt"
	"slices"
	"testing"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/targeting"
)

// The presence of a feature becomes a condition, and so does its absence if a
// condition can express it exactly.
func TestConditionsOfFeatures(t *testing.T) {
	g := grammartest.Bundled(t, "json")
	space := features.NewSpace(g, features.Options{})
	for _, tc := range []struct {
		kind             features.Kind
		bound            int
		input            string
		present, missing string
	}{
		{features.Children, 3, `[1,2,3]`, "value in array at least 3 times", ""},
		{features.Repeated, 0, `[1,1]`, "value in array at least 2 times", ""},
		{features.Length, 4, `"abc"`, "character of STRING in value at least 4 times", ""},
		{features.Large, 2, `100`, "character of NUMBER in value at least 3 times", ""},
		{features.Wide, 3, `"日"`, "", ""},
		{features.Absent, 0, `1e5`, "NUMBER without the optional FRACTION", "no NUMBER without the optional FRACTION"},
		{features.Count, 2, `[null,null]`, "'null' at least 2 times", "'null' at most 1 times"},
		{features.Before, 0, `1 `, "WHITESPACE", ""},
		{features.Early, 1, `true`, "'true'", ""},
	} {
		found := map[string]string{} // condition for the absence of a feature, by the condition for its presence
		x := features.NewExtraExtractor(g, features.Of(tc.kind))
		if err := x.Each(grammartest.Parse(t, g, tc.input), func(e features.Extra, _ features.Position) {
			if e.Bound() == tc.bound {
				need, _ := e.Need(space)
				found[text(need, true)] = text(need, false)
			}
		}); err != nil {
			t.Fatal(err)
		}
		if missing, ok := found[tc.present]; !ok || missing != tc.missing {
			t.Errorf("%s: got %q, want %q and %q", tc.input, found, tc.present, tc.missing)
		}
	}
}

func text(need features.Need, present bool) string {
	for _, c := range needCondition(need, present) {
		return c.String()
	}
	return ""
}

// Conditions that some inputs with a feature do not meet prove nothing.
func TestNarrowConditions(t *testing.T) {
	var observations []observation.Observation
	for i := range 20 {
		observations = append(observations, observation.Observation{Input: fmt.Append(nil, i), Methods: []string{"read"}})
	}
	a, m := targeterOf(t, "grammar N; s : (NUMBER ',')* NUMBER EOF ; NUMBER : DIGIT+ ('e' DIGIT+)? ; NOTE : '#' DIGIT -> skip ; fragment DIGIT : [0-9] ;", observations)
	path := func(rule string, kind grammars.NodeKind) model.Feature {
		i := slices.IndexFunc(m.Grammar.Nodes, func(n *grammars.Node) bool { return n.Kind == kind && n.Rule != nil && n.Rule.Name == rule })
		if i < 0 {
			t.Fatalf("rule %s has no node of kind %v", rule, kind)
		}
		return model.Feature{Path: features.Path{grammars.Occurrence(i)}}
	}
	extra := func(kind features.Kind) (out model.Feature) {
		x := features.NewExtraExtractor(m.Grammar, features.Of(kind))
		err := x.Each(grammartest.Parse(t, m.Grammar, "1e9,12"), func(e features.Extra, _ features.Position) { out.Extra = e })
		if err != nil || out.Extra == 0 {
			t.Fatalf("no feature of kind %d: %v", kind, err)
		}
		return out
	}
	for _, tc := range []struct {
		name             string
		feature          model.Feature
		present, missing bool
	}{
		{"a token", path("s", grammars.Reference), false, false},
		{"a character of tokens and of trivia", path("DIGIT", grammars.CharSet), true, false},
		{"a large number may have an exponent", extra(features.Large), true, false},
		{"a long token may have wide characters", extra(features.Length), true, false},
		{"several children", extra(features.Children), false, false},
		{"a path before any refusal", model.Feature{Path: path("s", grammars.Reference).Path, Before: 1}, false, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := a.ways.narrows(tc.feature, true); got != tc.present {
				t.Errorf("present: got %t", got)
			}
			if got := a.ways.narrows(tc.feature, false); got != tc.missing {
				t.Errorf("missing: got %t", got)
			}
		})
	}
}

// A plan that only conditions make infeasible which are not necessary is no proof.
func TestNoteInfeasible(t *testing.T) {
	a, m := letters(t)
	reader := targeting.NewReader(m.Grammar, "")
	var both []targeting.Condition
	for _, letter := range []string{"'a'", "'b'"} {
		c, err := reader.Read(letter)
		if err != nil {
			t.Fatal(err)
		}
		both = append(both, c)
	}
	for _, tc := range []struct {
		name      string
		necessary []targeting.Condition
		leftOut   bool
	}{
		{"all conditions are necessary", both, false},
		{"one of them is not", both[:1], true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := &search{Targeter: a}
			if err := s.noteInfeasible(t.Context(), plan{conditions: both, necessary: tc.necessary}); err != nil || s.leftOut != tc.leftOut {
				t.Errorf("left out %t, %v", s.leftOut, err)
			}
		})
	}
}
