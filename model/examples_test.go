package model

import (
	"slices"
	"testing"
)

// The predictions that a model keeps for its examples are those for any other input, with
// probabilities rounded down.
func TestExamplePredictions(t *testing.T) {
	m := train(t, observe(1, 600), Defaults())
	examples := m.Examples()
	if len(examples) == 0 {
		t.Fatal("no examples")
	}
	differ := false
	for i := range examples {
		e := &examples[i]
		a, err := m.PredictTree(e.Tree)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(e.Outcomes, a.Outcomes) {
			t.Errorf("%q: outcomes %v, want %v", e.Tree.Input(), e.Outcomes, a.Outcomes)
		}
		for unit, want := range a.Methods {
			reached, probability := e.Prediction(unit)
			if reached != want.Reached || probability > want.Probability || want.Probability-probability > 1.0/steps || (probability >= 0.5) != (want.Probability >= 0.5) {
				t.Errorf("%q, %s: %v, %v; want %+v", e.Tree.Input(), m.Units[unit].ID, reached, probability, want)
			}
		}
		if d := e.Distance(a); d != 0 {
			t.Errorf("%q has the distance %v from itself", e.Tree.Input(), d)
		}
		differ = differ || examples[0].Distance(a) > 0.5
	}
	if !differ {
		t.Error("all examples have the same predictions")
	}
}
