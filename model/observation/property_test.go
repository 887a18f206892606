package observation_test

import (
	"testing"

	"github.com/inroad/inroad/model/observation"
)

func TestProperty(t *testing.T) {
	ok := observation.Observation{Outcome: observation.OK, Methods: []string{"json/scan.go#Scanner.next", "main"}}
	crash := observation.Observation{Outcome: observation.Crashed, Failure: &observation.Failure{Type: "runtime error: index out of range", Stack: "s1"}}
	other := observation.Observation{Outcome: observation.Crashed, Failure: &observation.Failure{Type: "runtime error: index out of range", Stack: "s2"}}
	unknown := observation.Observation{Outcome: observation.Crashed}
	for _, c := range []struct {
		text string
		in   observation.Observation
		want bool
	}{
		{"reaches:json/scan.go#Scanner.next", ok, true},
		{"reaches:Scanner.next", ok, true},
		{"reaches:next", ok, true},
		{"reaches:main", ok, true},
		{"reaches:Scanner", ok, true},
		{"reaches:previous", ok, false},
		{"reaches:next", crash, false},
		{"outcome:ok", ok, true},
		{"outcome:ok", crash, false},
		{"outcome:crash", crash, true},
		{"outcome:crash", unknown, true},
		{"outcome:crash:runtime error: index out of range", crash, true},
		{"outcome:crash: runtime error: index out of range", crash, true},
		{"outcome:crash:nil", crash, false},
		{"outcome:crash:nil", unknown, false},
	} {
		p, err := observation.ParseProperty(c.text)
		if err != nil {
			t.Fatal(err)
		}
		p, _, _ = p.Resolve(nil, c.in.Methods)
		if got := p.Holds(c.in); got != c.want {
			t.Errorf("%s of %+v: got %v, want %v", c.text, c.in, got, c.want)
		}
	}
	if p := observation.OutcomeOf(crash); !p.Holds(crash) || p.Holds(other) || p.Holds(ok) || p.Holds(unknown) {
		t.Errorf("%s does not tell stacks apart", p)
	}
	for _, wrong := range []string{"", "crash", "outcome:", "outcome:bad", "reaches:", "reaches", "Outcome:ok"} {
		if p, err := observation.ParseProperty(wrong); err == nil {
			t.Errorf("%q is accepted as %s", wrong, p)
		}
	}
}
