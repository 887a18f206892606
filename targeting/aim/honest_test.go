package aim

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/targeting"
)

// letters returns a targeter for a program that reads one letter, a to e. Method a
// is reached by the letter a, and so on; flaky by every fourth run on a or b.
func letters(t *testing.T) (*Targeter, *model.Model) {
	t.Helper()
	var observations []observation.Observation
	for i := range 200 {
		letter := string("abcde"[i%5])
		methods := []string{letter, "read"}
		if i%20 < 2 {
			methods = append(methods, "flaky")
		}
		observations = append(observations, observation.Observation{Input: []byte(letter), Methods: methods, Outcome: observation.OK})
	}
	return targeterOf(t, "grammar L; s : ('a'|'b'|'c'|'d'|'e') EOF ;", observations)
}

// targeterOf returns a targeter for a model of observations, and the model.
func targeterOf(t *testing.T, grammar string, observations []observation.Observation) (*Targeter, *model.Model) {
	t.Helper()
	m, err := model.Train(t.Context(), "", []grammars.Source{{Name: "grammar.g4", Text: grammar}}, observation.Header{Subject: "program"}, observations, model.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	a, err := New(m)
	if err != nil {
		t.Fatal(err)
	}
	return a, m
}

func source() *rand.Rand { return rand.New(rand.NewPCG(3, 0)) }

// Inputs that the model predicts not to reach their unit are returned only on
// request, and are marked.
func TestFindUnlikely(t *testing.T) {
	a, m := letters(t)
	flaky := units(t, m, "flaky")

	result, err := a.Find(t.Context(), source(), flaky, nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Inputs) > 0 {
		t.Errorf("got %q with probability %v", result.Inputs[0].Text, result.Inputs[0].Probability)
	}
	if len(result.Missed) != 1 || result.Missed[0].Verdict != targeting.Unlikely {
		t.Fatalf("missed %v", result.Missed)
	}
	if _, ok := errors.AsType[*UnlikelyError](result.Missed[0].Err); !ok {
		t.Errorf("got %v", result.Missed[0].Err)
	}

	result, err = a.Find(t.Context(), source(), units(t, m, "flaky", "c"), nil, Options{AllowUnlikely: true})
	if err != nil || len(result.Missed) > 0 || len(result.Inputs) != 2 {
		t.Fatalf("got %+v, %v", result, err)
	}
	for _, input := range result.Inputs {
		switch text := string(input.Text); {
		case text == "c" && len(input.Unlikely) == 0:
		case (text == "a" || text == "b") && slices.Equal(input.Unlikely, flaky) && slices.Equal(input.Units, flaky) && input.Probability < 0.5:
		default:
			t.Errorf("%s: units %v, unlikely %v, probability %v", input.Text, input.Units, input.Unlikely, input.Probability)
		}
	}
}

// A unit that is both to reach and to avoid is infeasible; other units are not.
func TestFindContradiction(t *testing.T) {
	a, m := letters(t)
	result, err := a.Find(t.Context(), source(), units(t, m, "a", "b", "c"), units(t, m, "a", "c", "read"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var infeasible []int
	for _, miss := range result.Missed {
		if errors.Is(miss.Err, ErrContradiction) && miss.Verdict == targeting.Infeasible {
			infeasible = append(infeasible, miss.Unit)
		}
	}
	slices.Sort(infeasible)
	if !slices.Equal(infeasible, units(t, m, "a", "c")) || len(result.Missed) != 3 {
		t.Errorf("infeasible %v, missed %v", infeasible, result.Missed)
	}
	result, err = a.Find(t.Context(), source(), units(t, m, "a", "b"), units(t, m, "a"), Options{})
	if err != nil || len(result.Inputs) != 1 || string(result.Inputs[0].Text) != "b" {
		t.Errorf("got %+v, %v", result, err)
	}
}

// Fewer inputs than requested are reported.
func TestFindShortfall(t *testing.T) {
	a, m := letters(t)
	read, flaky := units(t, m, "read"), units(t, m, "flaky")
	for _, draw := range []Draw{nil, varied} {
		result, err := a.Find(t.Context(), source(), read, nil, Options{N: 10, Draw: draw})
		if err != nil || len(result.Inputs) != 5 {
			t.Fatalf("got %+v, %v", result, err)
		}
		if len(result.Short) != 1 || result.Short[0].Unit != read[0] || result.Short[0].Found != 5 || !result.Short[0].All {
			t.Errorf("short %+v", result.Short)
		}
		if result, err = a.Find(t.Context(), source(), read, units(t, m, "e"), Options{N: 10, Draw: draw}); err != nil || len(result.Short) != 1 || result.Short[0].All {
			t.Errorf("without a proof: got %+v, %v", result, err)
		}
		if result, err = a.Find(t.Context(), source(), read, nil, Options{N: 5, Draw: draw}); err != nil || len(result.Short) > 0 {
			t.Errorf("got %+v, %v", result, err)
		}
		// A regression may predict flaky for inputs in any leaf.
		if result, err = a.Find(t.Context(), source(), flaky, nil, Options{N: 10, Draw: draw, AllowUnlikely: true}); err != nil || len(result.Short) != 1 || result.Short[0].All {
			t.Errorf("with a regression: got %+v, %v", result, err)
		}
	}
}
