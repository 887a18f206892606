package model

import (
	"bytes"
	"testing"

	"github.com/inroad/inroad/grammars"
)

// Cross-validation takes over what was grown to choose whether to trust places, and
// the model is the same as if it grew everything again.
func TestChoiceOfPlacesKeepsTrees(t *testing.T) {
	for name, p := range map[string]refuser{
		"trusted": {executes: true, places: true},
		"ignored": {recovers: true},
	} {
		t.Run(name, func(t *testing.T) {
			trainer, err := NewTrainer(t.Context(), "", []grammars.Source{{Name: "statements.g4", Text: statements}}, Defaults())
			if err != nil {
				t.Fatal(err)
			}
			if err := trainer.Add(t.Context(), p.observe(1, 300)); err != nil {
				t.Fatal(err)
			}
			model := func(keep bool) []byte {
				k, err := trainer.task(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if k.ignorePlaces != p.recovers {
					t.Fatalf("places ignored: %t, want %t", k.ignorePlaces, p.recovers)
				}
				if len(k.grown) != placeFolds || k.grown[0].ignorePlaces != k.ignorePlaces || len(k.grown[0].trees) == 0 {
					t.Fatalf("kept %+v, want the trees of %d folds", k.grown, placeFolds)
				}
				if !keep {
					k.grown = nil
				}
				if err := k.run(t.Context()); err != nil {
					t.Fatal(err)
				}
				m, err := k.model(trainer)
				if err != nil {
					t.Fatal(err)
				}
				var out bytes.Buffer
				if err := m.Write(&out); err != nil {
					t.Fatal(err)
				}
				return out.Bytes()
			}
			if !bytes.Equal(model(true), model(false)) {
				t.Error("the model depends on the trees that were kept")
			}
		})
	}
}
