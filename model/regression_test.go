package model

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model/observation"
)

// voters are elements of arrays. A method is reached if most of them are in the array,
// which a small decision tree cannot express.
var voters = []string{"null", "true", "false", "0", `"\n"`, "{}", "[]"}

func observeVotes(seed uint64, n int) []observation.Observation {
	r := rand.New(rand.NewPCG(seed, 3))
	var out []observation.Observation
	for range n {
		var elements []string
		for _, v := range voters {
			if r.IntN(2) == 0 {
				elements = append(elements, v)
			}
		}
		o := observation.Observation{Outcome: observation.OK, Methods: []string{"read"}}
		if 2*len(elements) > len(voters) {
			o.Methods = append(o.Methods, "most")
		}
		if slices.Contains(elements, "null") {
			o.Methods = append(o.Methods, "null")
		}
		for range 1 + r.IntN(6) { // so that neither the number of elements nor white space decides
			elements = append(elements, strings.Repeat(" ", r.IntN(4))+"1")
		}
		r.Shuffle(len(elements), func(i, j int) { elements[i], elements[j] = elements[j], elements[i] })
		o.Input = []byte("[" + strings.Join(elements, ",") + "]")
		out = append(out, o)
	}
	return out
}

// TestRegressionsOverrule trains with and without regressions on a method that a
// regression predicts better than a tree, and one that a tree predicts without mistake.
func TestRegressionsOverrule(t *testing.T) {
	opt := Defaults()
	seen, held := observeVotes(1, 150), observeVotes(2, 400)
	f1 := func(m *Model) float64 {
		e, err := m.Evaluate(t.Context(), held, 1, grammars.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		most, _ := m.unitByID("most")
		return e.Methods[most].F1()
	}
	m := train(t, seen, opt)
	opt.Regressions = false
	alone := train(t, seen, opt)
	if with, without := f1(m), f1(alone); with < without+0.05 {
		t.Errorf("F1 %.3f with regressions, %.3f without; want at least 0.05 more with regressions", with, without)
	}
	null, _ := m.unitByID("null")
	if r := m.Regression(null); r != nil {
		t.Errorf("the tree of null may be overruled by %+v", r)
	}
	for unit := range alone.Units {
		if r := alone.Regression(unit); r != nil {
			t.Errorf("without regressions, the tree of %s may be overruled", alone.Units[unit].ID)
		}
	}
}

// TestOverruledPredictions checks that overruled predictions are marked, agree with the
// weights that explanations list, and are the same after a model was written and read.
func TestOverruledPredictions(t *testing.T) {
	m := train(t, observeVotes(1, 150), Defaults())
	read, err := ReadModel(t.Context(), bytes.NewReader(write(t, m)))
	if err != nil {
		t.Fatal(err)
	}
	most, _ := m.unitByID("most")
	regression := m.Regression(most)
	if regression == nil {
		t.Fatal("no regression may overrule the tree of most")
	}
	overruled := 0
	for _, o := range observeVotes(2, 400) {
		a, err := m.Predict(t.Context(), o.Input, grammars.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		again, err := read.Predict(t.Context(), o.Input, grammars.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		got, same := a.Methods[most], again.Methods[most]
		if got.Reached != same.Reached || got.Probability != same.Probability || got.Overruled != same.Overruled {
			t.Fatalf("%s: %+v, after reading the model %+v", o.Input, got, same)
		}
		if !got.Overruled {
			continue
		}
		overruled++
		for _, v := range m.Votes(got) {
			if v.Weight > 0 != got.Reached || !slices.ContainsFunc(regression.Votes, func(w Vote) bool { return w == v }) {
				t.Errorf("%s: predicted reached %v because of %s with weight %.2f", o.Input, got.Reached, m.Describe(*v.Feature), v.Weight)
			}
		}
		for _, w := range m.Reasons(most, got) {
			if w.Feature == nil {
				t.Errorf("%s: no conditions of the overruled leaf", o.Input)
			}
		}
		if got.Low > got.Probability || got.High < got.Probability || got.Shared() {
			t.Errorf("%s: probability %.2f (%.2f to %.2f), shared %v", o.Input, got.Probability, got.Low, got.High, got.Shared())
		}
	}
	if overruled == 0 || overruled == 400 {
		t.Errorf("%d of 400 predictions are overruled, want some", overruled)
	}
	if len(regression.Votes) <= maxWeights+1 {
		t.Fatalf("the regression has %d weights: too few to test that few are listed", len(regression.Votes))
	}
	for _, whole := range []bool{false, true} {
		var text strings.Builder
		if err := m.Explain(most, whole).WriteText(&text); err != nil {
			t.Fatal(err)
		}
		_, list, _ := strings.Cut(text.String(), "\nOverruled if these weights add up")
		want, others := maxWeights, 1
		if whole {
			want, others = len(regression.Votes), 0
		}
		rest := fmt.Sprintf("\n  and %d of at most ", len(regression.Votes)-want)
		if strings.Count(list, "\n  +")+strings.Count(list, "\n  -") != want+1 || strings.Count(list, rest) != others {
			t.Errorf("whole %v: the explanation lists other than %d weights:\n%s", whole, want, &text)
		}
	}
}
