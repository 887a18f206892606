package features

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/grammars/grammartest"
)

// The position of a feature is where a program that reads the input from left to
// right meets it first.
func TestPositions(t *testing.T) {
	json := grammartest.Bundled(t, "json")
	const input = ` [1, {"a": 2, "a": null}, 345]`
	//              0123456789012345678901234567890
	tree := grammartest.Parse(t, json, input)

	t.Run("paths", func(t *testing.T) {
		got := map[string]Position{}
		space := NewSpace(json, Options{})
		where := map[uint64]Position{}
		if err := NewExtractor(space, 1).Each(tree, func(_ int, id uint64, at Position) {
			if before, ok := where[id]; !ok || at < before {
				where[id] = at
			}
		}); err != nil {
			t.Fatal(err)
		}
		for p := range space.All(1) {
			if at, ok := where[space.ID(p)]; ok {
				name := symbolName(space.Node(p[0]))
				if before, ok := got[name]; !ok || at < before {
					got[name] = at
				}
			}
		}
		for name := range maps.Clone(got) {
			if !slices.Contains([]string{"value", "array", "'['", "NUMBER", "object", "member", "STRING", "'null'", "']'"}, name) {
				delete(got, name)
			}
		}
		want := map[string]Position{
			"value": 1, "array": 1, "'['": 1, "NUMBER": 2, "object": 5, "member": 6, "STRING": 6, "'null'": 19, "']'": 29,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})

	t.Run("trivia", func(t *testing.T) {
		var got []Position
		space := NewSpace(json, Options{Trivia: true})
		if err := NewExtractor(space, 1).Each(tree, func(_ int, id uint64, at Position) {
			if id == space.ID(Path{json.Rule("WHITESPACE").Root}) {
				return
			}
			got = append(got, at)
		}); err != nil {
			t.Fatal(err)
		}
		if got = slices.Compact(got); !slices.Equal(got, []Position{0, 4, 10, 13, 18, 25}) {
			t.Errorf("got %v", got)
		}
	})

	t.Run("extras", func(t *testing.T) {
		got := map[string]Position{}
		space := NewSpace(json, Options{})
		if err := NewExtraExtractor(json, Of(Length, SameStart, Value, Children)).Each(tree, func(e Extra, at Position) {
			got[e.Describe(space)] = at
		}); err != nil {
			t.Fatal(err)
		}
		for name := range maps.Clone(got) {
			if got[name] == 6 || got[name] == 14 { // the keys
				delete(got, name)
			}
		}
		want := map[string]Position{
			"a value with the NUMBER 1": 2, "a value with the NUMBER 2": 11, "a value with the NUMBER 345": 26,
			"a value with a NUMBER of at least 2 bytes": 26, "a value with a NUMBER of at least 3 bytes": 26,
			// In the last token of the node.
			"an object where one member starts with the same token as another": 23,
			"an object with two or more member":                                23,
			"an array with two or more value":                                  29,
			"an array with three or more value":                                29,
			"an array with two or more ','":                                    29,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})

	t.Run("characters", func(t *testing.T) {
		got := map[string]Position{}
		space := NewSpace(json, Options{})
		tree := grammartest.Parse(t, json, `["abé", "é中"]`)
		if err := NewExtraExtractor(json, Of(Character)).Each(tree, func(e Extra, at Position) { got[e.Describe(space)] = at }); err != nil {
			t.Fatal(err)
		}
		want := map[string]Position{
			"a STRING with a character from U+0080 to U+0FFF": 4, "a STRING with a character from U+0080 to U+00FF": 4,
			"a STRING with a character from U+4000 to U+4FFF": 12,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
