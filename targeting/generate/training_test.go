package generate_test

import (
	"slices"
	"testing"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/targeting/generate"
)

// trainingTexts returns n training inputs and the number of different ones.
func trainingTexts(t *testing.T, g *grammars.Grammar, seed uint64, n int) (texts []string, different int) {
	t.Helper()
	seen := map[string]bool{}
	for input, err := range generate.TrainingInputs(t.Context(), g, "", seed, n) {
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(input.Text))
		seen[string(input.Text)] = true
	}
	return texts, len(seen)
}

func TestTrainingInputs(t *testing.T) {
	const n = 400
	g := grammartest.Bundled(t, "json")
	texts, different := trainingTexts(t, g, 1, n)
	if len(texts) != n || different != n {
		t.Errorf("%d inputs, %d different; want %d", len(texts), different, n)
	}
	shortest, longest := len(texts[0]), 0
	for _, text := range texts {
		if _, err := g.Parse(t.Context(), []byte(text), grammars.ParseOptions{}); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		shortest, longest = min(shortest, len(text)), max(longest, len(text))
	}
	if shortest > 5 || longest < 200 {
		t.Errorf("inputs have %d to %d bytes", shortest, longest)
	}
	again, _ := trainingTexts(t, g, 1, n)
	others, _ := trainingTexts(t, g, 2, n)
	same := 0
	for i := range texts {
		if texts[i] != again[i] {
			t.Fatalf("input %d with the same seed: %q and %q", i, texts[i], again[i])
		}
		if texts[i] == others[i] {
			same++
		}
	}
	if same > n/4 {
		t.Errorf("%d of %d inputs are the same with another seed", same, n)
	}
}

// A grammar with few inputs gives some of them again.
func TestTrainingInputsOfSmallGrammars(t *testing.T) {
	for name, c := range map[string]struct {
		grammar   string
		different int
	}{
		"two inputs":    {"grammar G; s : 'a' | 'b' ;", 2},
		"the empty one": {"grammar G; s : ;", 1},
	} {
		t.Run(name, func(t *testing.T) {
			if texts, different := trainingTexts(t, grammartest.Load(t, c.grammar), 1, 4); len(texts) != 4 || different != c.different {
				t.Errorf("got %q, want 4 inputs, %d different", texts, c.different)
			}
		})
	}
}

// Mutants of accepted inputs are other inputs of the grammar. The same seed gives the
// same ones, and random inputs replace those that are missing.
func TestTrainingMutants(t *testing.T) {
	const n = 50
	g := grammartest.Bundled(t, "json")
	known := map[string]bool{}
	var accepted []*derivation.Tree
	for _, text := range []string{`{"a": [1, 2]}`, `[true, null]`} {
		tree, err := g.Parse(t.Context(), []byte(text), grammars.ParseOptions{})
		if err != nil {
			t.Fatal(err)
		}
		known[text], accepted = true, append(accepted, tree)
	}
	mutants := func(accepted []*derivation.Tree) (texts []string) {
		for input, err := range generate.TrainingMutants(t.Context(), g, "", 1, accepted, n) {
			if err != nil {
				t.Fatal(err)
			}
			if _, err := g.Parse(t.Context(), input.Text, grammars.ParseOptions{}); err != nil {
				t.Errorf("%q: %v", input.Text, err)
			}
			texts = append(texts, string(input.Text))
		}
		return texts
	}
	first, again, none := mutants(accepted), mutants(accepted), mutants(nil)
	if len(first) != n || !slices.Equal(first, again) || slices.ContainsFunc(first, func(s string) bool { return known[s] }) {
		t.Errorf("got %q, and again %q", first, again)
	}
	if len(none) != n {
		t.Errorf("%d inputs without an accepted one, want %d", len(none), n)
	}
}
