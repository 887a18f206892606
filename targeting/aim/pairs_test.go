package aim

import (
	"slices"
	"strings"
	"testing"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
)

// comparisons is a program that reads comparisons. It reaches fold if one compares null
// with a number, in this order.
func comparisons(input string) observation.Observation {
	o := observation.Observation{Input: []byte(input), Methods: []string{"read"}, Outcome: observation.OK}
	for c := range strings.SplitSeq(input, ";") {
		left, right, _ := strings.Cut(c, "<")
		if left == "null" && strings.Trim(right, "0123456789") == "" && right != "" {
			return observation.Observation{Input: o.Input, Methods: []string{"fold", "read"}, Outcome: observation.OK}
		}
	}
	return o
}

// Inputs that need two operands of one node are constructed: few of them are tried in
// vain.
func TestFindPairs(t *testing.T) {
	r := source()
	atoms := []string{"null", "12", "true", "false", "this", "a", "b", "3", "(a)", "(3)", "-3", "-a", "f(3)", "f(a)", "[3]", "[null]", "f(null)", "(null)"}
	var observations []observation.Observation
	for range 1500 {
		var all []string
		for range 1 + r.IntN(3) {
			left, right := atoms[r.IntN(len(atoms))], atoms[r.IntN(len(atoms))]
			if r.IntN(6) == 0 {
				left, right = "null", []string{"12", "3", "a", "this"}[r.IntN(4)]
			}
			all = append(all, left+"<"+right)
		}
		observations = append(observations, comparisons(strings.Join(all, ";")))
	}
	const grammar = `grammar C; s : compare (';' compare)* EOF ; compare : sum '<' sum ; sum : unary ; unary : '-' unary | call ;
call : NAME '(' sum ')' | atom ; atom : 'null' | 'true' | 'false' | 'this' | NAME | NUMBER | '(' sum ')' | '[' sum ']' ; NAME : [a-z]+ ; NUMBER : [0-9]+ ;`
	m, err := model.Train(t.Context(), "", []grammars.Source{{Name: "C.g4", Text: grammar}}, observation.Header{Subject: "comparisons"}, observations, model.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(m.Features, func(f model.Feature) bool { return f.Extra.Kind() == features.Operands }) {
		t.Fatal("no tree tests a pair of operands")
	}
	a, err := New(m)
	if err != nil {
		t.Fatal(err)
	}
	fold := units(t, m, "fold")
	for name, draw := range map[string]Draw{"smallest": smallestInputs, "varied": varied} {
		t.Run(name, func(t *testing.T) {
			const n = 10
			s := &search{Targeter: a, rand: source(), opt: Options{N: n, Draw: draw, NoMutants: true}, unit: fold[0], want: fold}
			inputs, err := s.find(t.Context())
			if err != nil || len(inputs) < n {
				t.Fatalf("%d inputs after %d predictions, %v", len(inputs), s.tried, err)
			}
			reached := 0
			for _, input := range inputs {
				if slices.Contains(comparisons(string(input.Text)).Methods, "fold") {
					reached++
				}
			}
			if s.tried > 3*n || reached < 8 {
				t.Errorf("%d predictions for %d inputs, of which %d reach it", s.tried, n, reached)
			}
		})
	}
}
