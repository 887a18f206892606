package model

import (
	"slices"
	"testing"

	"github.com/inroad/inroad/grammars"
)

// TestMatrixOfPhases checks the order of the columns for a program that refuses inputs in
// two phases, which [Model] files rely on, and that cross-validation builds a matrix only
// for refusals other than those of all rows.
func TestMatrixOfPhases(t *testing.T) {
	trainer, err := NewTrainer(t.Context(), "", []grammars.Source{{Name: "statements.g4", Text: statements}}, Defaults())
	if err != nil {
		t.Fatal(err)
	}
	if err := trainer.Add(t.Context(), refuser{executes: true}.observe(1, 300)); err != nil {
		t.Fatal(err)
	}
	k, err := trainer.task(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	columns := k.view.matrix.columns
	phases := map[int]bool{}
	for _, f := range columns {
		phases[f.Before] = true
		for _, g := range f.Equal {
			phases[g.Before] = true
		}
	}
	if !phases[0] || !phases[1] || !phases[2] {
		t.Errorf("columns have features of phases %v, want 0, 1 and 2", phases)
	}
	if !slices.IsSortedFunc(columns, compareFeatures) {
		t.Error("columns are not in the order of their features")
	}
	again, err := k.newView(t.Context(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	few, err := k.newView(t.Context(), []int32{0, 1, 2}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !again.shared || few.shared || len(few.refused) == len(k.view.refused) {
		t.Errorf("shared: %v with the same refusals, %v with %d of %d", again.shared, few.shared, len(few.refused), len(k.view.refused))
	}
}
