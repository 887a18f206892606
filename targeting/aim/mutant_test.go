package aim

import (
	"slices"
	"testing"
)

// One of five inputs is a mutant of an example: the model predicts that it reaches the
// unit, and it is new.
func TestFindMutants(t *testing.T) {
	a, m := addresses(t)
	unit := units(t, m, "address")
	var known []string
	for _, e := range m.Examples() {
		known = append(known, string(e.Tree.Input()))
	}
	texts := func(opt Options) []string {
		t.Helper()
		inputs, missed, err := find(t, a, source(), unit, nil, opt)
		if err != nil || len(missed) > 0 || len(inputs) != opt.N {
			t.Fatalf("%d inputs, %v, %v", len(inputs), missed, err)
		}
		var out []string
		for _, input := range inputs {
			out = append(out, string(input.Text))
			if input.Probability < 0.5 || len(input.Unlikely) > 0 || !slices.Contains(address(input.Text), "address") {
				t.Errorf("%q: probability %v", input.Text, input.Probability)
			}
		}
		return out
	}
	drawn, mixed := texts(Options{N: 10, NoMutants: true}), texts(Options{N: 10})
	if !slices.Equal(drawn[:8], mixed[:8]) {
		t.Errorf("the first inputs are %q, want %q", mixed[:8], drawn[:8])
	}
	for i, text := range mixed[8:] {
		if slices.Contains(mixed[:8+i], text) || slices.Contains(known, text) {
			t.Errorf("%q is not new", text)
		}
	}
	if again := texts(Options{N: 10}); !slices.Equal(mixed, again) {
		t.Errorf("the same seed gives %q, then %q", mixed, again)
	}
	if few := texts(Options{N: 4}); !slices.Equal(few, texts(Options{N: 4, NoMutants: true})) {
		t.Errorf("%q has mutants", few)
	}
	small := Options{N: 10, MaxNodes: 8}
	inputs, _, err := find(t, a, source(), unit, nil, small)
	if err != nil || len(inputs) != 10 {
		t.Fatalf("%d inputs, %v", len(inputs), err)
	}
	for _, input := range inputs {
		if fits, err := (&search{Targeter: a, opt: small}).fits(input.Tree); !fits || err != nil {
			t.Errorf("%q is too large, %v", input.Text, err)
		}
	}
}
