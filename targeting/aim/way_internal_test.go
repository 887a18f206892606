package aim

import (
	"testing"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars/grammartest"
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
