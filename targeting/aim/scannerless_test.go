package aim

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/targeting/generate"
)

// TestScannerless checks that inputs which are targeted with a scannerless grammar parse
// and reach their method.
func TestScannerless(t *testing.T) {
	const text = `grammar version;
options { scannerless = true; }
version : NUMBER ('.' NUMBER){1,2} ('-' TAG)? ;
NUMBER  : '0' | [1-9] [0-9]* ;
TAG     : 'rc' NUMBER | [a-z]+ '!' ;
`
	g := grammartest.Load(t, text)
	programs := map[string]func(string) bool{
		"patch":     func(s string) bool { return strings.Count(s, ".") == 2 },
		"candidate": func(s string) bool { return strings.Contains(s, "-rc") && !strings.HasSuffix(s, "!") },
		"name":      func(s string) bool { return strings.HasSuffix(s, "!") },
		"release":   func(s string) bool { return !strings.Contains(s, "-") },
		"zero":      func(s string) bool { return strings.HasPrefix(s, "0.") },
	}
	var header observation.Header
	for _, name := range slices.Sorted(maps.Keys(programs)) {
		header.Units = append(header.Units, observation.Unit{ID: name, Kind: observation.KindMethod, Name: name})
	}
	var seen []observation.Observation
	for input, err := range generate.TrainingInputs(t.Context(), g, "", 1, 300) {
		if err != nil {
			t.Fatal(err)
		}
		o := observation.Observation{Input: input.Text, Outcome: observation.OK}
		for name, reaches := range programs {
			if reaches(string(input.Text)) {
				o.Methods = append(o.Methods, name)
			}
		}
		seen = append(seen, o.Normalized())
	}
	m, err := model.Train(t.Context(), "", []grammars.Source{{Name: "version.g4", Text: text}}, header, seen, model.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	a, err := New(m)
	if err != nil {
		t.Fatal(err)
	}
	for name, reaches := range programs {
		inputs, missed, err := find(t, a, source(), units(t, m, name), nil, Options{N: 10, Draw: varied})
		if err != nil || len(missed) > 0 || len(inputs) != 10 {
			t.Errorf("%s: %d inputs, %v, %v", name, len(inputs), missed, err)
		}
		for _, input := range inputs {
			if grammartest.Parse(t, g, string(input.Text)); !reaches(string(input.Text)) {
				t.Errorf("%q does not reach %s", input.Text, name)
			}
		}
	}
}
