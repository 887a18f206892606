package aim

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
)

// assignments is a program that reads assignments and limits. It reaches quit if a name
// is quit, and refuses limit 0.
func assignments(input string) observation.Observation {
	o := observation.Observation{Input: []byte(input), Methods: []string{"read"}, Outcome: observation.OK}
	reach := func(method string) {
		if !slices.Contains(o.Methods, method) {
			o.Methods = append(o.Methods, method)
		}
	}
	for statement := range strings.SplitSeq(strings.TrimSuffix(input, ";"), ";") {
		name, number, assigned := strings.Cut(statement, "=")
		switch {
		case assigned && name == "quit":
			reach("quit")
		case assigned && number == "7":
			reach("seven")
		case strings.TrimSpace(strings.TrimPrefix(statement, "limit")) == "0":
			o.Outcome = observation.Failed
			return o
		case !assigned:
			reach("limit")
		}
	}
	reach("finish")
	return o
}

// assigning returns a model of assignments.
func assigning(t *testing.T) (*Targeter, *model.Model) {
	t.Helper()
	r := source()
	names, numbers := []string{"a", "quit", "run", "exit", "stop"}, []string{"0", "7", "12", "40"}
	var observations []observation.Observation
	for range 600 {
		input := ""
		for range 1 + r.IntN(3) {
			number := numbers[r.IntN(len(numbers))]
			if r.IntN(4) == 0 {
				input += "limit " + number + ";"
			} else {
				input += names[r.IntN(len(names))] + "=" + number + ";"
			}
		}
		observations = append(observations, assignments(input))
	}
	const grammar = "grammar A; s : statement* EOF ; statement : NAME '=' NUMBER ';' | 'limit' NUMBER ';' ; NAME : [a-z]+ ; NUMBER : [0-9]+ ; WS : ' '+ -> skip ;"
	return targeterOf(t, grammar, observations)
}

// Inputs whose tokens need an exact text are constructed: few of them are tried in
// vain.
func TestFindTexts(t *testing.T) {
	a, m := assigning(t)
	for _, test := range []struct {
		unit, outcome string
		avoid         []string
	}{
		{"quit", "", nil}, {"seven", "", nil}, {"quit", "", []string{"seven"}}, {"", "failure", nil}, {"limit", "ok", nil}, {"quit", "failure", nil},
	} {
		for name, draw := range map[string]Draw{"smallest": nil, "varied": varied} {
			t.Run(fmt.Sprint(test.unit, " ", test.outcome, test.avoid, " ", name), func(t *testing.T) {
				const n = 10
				s := &search{Targeter: a, rand: source(), opt: Options{N: n, Outcome: test.outcome, Draw: draw}, unit: NoUnit, outcomes: m.OutcomesOf(test.outcome), avoid: units(t, m, test.avoid...)}
				if test.unit != "" {
					s.unit = units(t, m, test.unit)[0]
					s.want = []int{s.unit}
				}
				if draw == nil {
					s.opt.Draw = smallestInputs
				}
				inputs, err := s.find(t.Context())
				if err != nil || len(inputs) < n {
					t.Fatalf("%d inputs after %d predictions, %v", len(inputs), s.tried, err)
				}
				if s.tried > 8*n { // the order of statements is left to chance
					t.Errorf("%d predictions for %d inputs", s.tried, n)
				}
				for _, input := range inputs {
					o := assignments(string(input.Text))
					if test.unit != "" && !slices.Contains(o.Methods, test.unit) || test.outcome != "" && model.OutcomeName(o) != test.outcome {
						t.Errorf("%s: %v, %s", input.Text, o.Methods, o.Outcome)
					}
				}
			})
		}
	}
}
