package aim

import (
	"bytes"
	"slices"
	"testing"

	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/targeting"
)

// address is a program that looks at the letters before an @.
func address(input []byte) []string {
	if bytes.IndexByte(input, '@') > 0 {
		return []string{"address", "read"}
	}
	return []string{"read"}
}

// addresses returns a targeter for address. All inputs with an @ that were observed have
// letters before it, so that the model tests for the @ alone.
func addresses(t *testing.T) (*Targeter, *model.Model) {
	t.Helper()
	const grammar = "grammar Mail; s : name? host? EOF ; name : LETTER+ ; host : '@' LETTER* ; LETTER : [a-z] ;"
	var observations []observation.Observation
	for i := range 200 {
		input := []byte{}
		if i%3 > 0 || i%2 == 0 {
			input = append(input, bytes.Repeat([]byte{byte('a' + i%26)}, 1+i%4)...)
		}
		if i%2 == 0 {
			input = append(append(input, '@'), bytes.Repeat([]byte{'x'}, i%5)...)
		}
		observations = append(observations, observation.Observation{Input: input, Methods: address(input), Outcome: observation.OK})
	}
	return targeterOf(t, grammar, observations)
}

// Inputs have what the known inputs that reach the method share, though no test of the
// tree asks for it.
func TestFindResembles(t *testing.T) {
	a, m := addresses(t)
	unit := units(t, m, "address")
	for _, l := range m.Leaves(unit[0]) {
		if len(l.Conditions) != 1 {
			t.Fatalf("a leaf has %d conditions, want only the @", len(l.Conditions))
		}
	}
	for _, opt := range []Options{{}, {N: 10}, {N: 10, Draw: varied}} {
		inputs, missed, err := find(t, a, source(), unit, nil, opt)
		if err != nil || len(missed) > 0 || len(inputs) != max(opt.N, 1) {
			t.Fatalf("%d inputs, %v, %v", len(inputs), missed, err)
		}
		for _, input := range inputs {
			if !slices.Contains(address(input.Text), "address") {
				t.Errorf("%q does not reach it", input.Text)
			}
		}
	}
}

// Inputs that resemble no example are found where limits exclude the others: only the
// conditions of the tree decide whether there are inputs.
func TestFindUnlikeExamples(t *testing.T) {
	a, m := addresses(t)
	unit := units(t, m, "address")
	inputs, missed, err := find(t, a, source(), unit, nil, Options{MaxNodes: 3})
	if err != nil || len(missed) > 0 || len(inputs) != 1 || string(inputs[0].Text) != "@" {
		t.Fatalf("%v, %v, %v; want @", inputs, missed, err)
	}
	_, missed, err = find(t, a, source(), unit, nil, Options{MaxNodes: 1})
	if err != nil || len(missed) != 1 || missed[0].Verdict != targeting.Infeasible {
		t.Fatalf("%v, %v; want it to be infeasible", missed, err)
	}
}

// stops is a program that accepts inputs with b or c, and stops at c.
func stops(input []byte) (methods []string, outcome observation.Outcome) {
	methods, outcome = []string{"read"}, observation.Failed
	if bytes.ContainsAny(input, "bc") {
		outcome = observation.OK
	}
	if input[0] == 'a' && !bytes.ContainsRune(input, 'c') {
		methods = []string{"read", "start"}
	}
	return methods, outcome
}

// Inputs meet conditions together that known inputs met together, if there are enough of
// them: no observed input with an a is accepted because of a c.
func TestFindSeenTogether(t *testing.T) {
	const grammar = "grammar Stops; s : 'a'? ('b' | 'c' | 'd' | 'e' | 'f') 'x'* EOF ;"
	var observations []observation.Observation
	for i := range 300 {
		input := append([]byte{"bcdef"[i%5]}, bytes.Repeat([]byte{'x'}, i%4)...)
		if i%5 != 1 && i%2 == 0 {
			input = append([]byte{'a'}, input...)
		}
		methods, outcome := stops(input)
		observations = append(observations, observation.Observation{Input: input, Methods: methods, Outcome: outcome})
	}
	a, m := targeterOf(t, grammar, observations)
	inputs, missed, err := find(t, a, source(), units(t, m, "start"), nil, Options{N: 6})
	if err != nil || len(missed) > 0 || len(inputs) != 6 {
		t.Fatalf("%d inputs, %v, %v", len(inputs), missed, err)
	}
	for _, input := range inputs {
		if methods, outcome := stops(input.Text); !slices.Contains(methods, "start") || outcome != observation.OK {
			t.Errorf("%q: %v, %s", input.Text, methods, outcome)
		}
	}
}
