package model

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model/observation"
)

func TestExplainText(t *testing.T) {
	m := train(t, observe(1, 600), Defaults())
	unit, err := m.Unit("null and array")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := m.Explain(unit, false).WriteText(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"null and array: reached by ", "has 'null' before any refusal?\n", "has array before any refusal?\n", "├─ no: not reached (0 of ", "\nReached by\n  inputs with "} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in:\n%s", want, &b)
		}
	}
}

// TestExplainEscapes uses names and patterns with special characters of DOT,
// XML and terminals.
func TestExplainEscapes(t *testing.T) {
	const name = "a\"b\\n<script>&\x1b[31m\xff"
	observations := observe(1, 100)
	for i := range observations {
		if strings.Contains(string(observations[i].Input), `"`) {
			observations[i].Methods = append(observations[i].Methods, name)
		}
	}
	m := train(t, observations, Defaults())
	unit, err := m.Unit(name)
	if err != nil {
		t.Fatal(err)
	}
	e := m.Explain(unit, true)
	var dot, svg strings.Builder
	if err := errors.Join(e.WriteDOT(&dot), e.WriteSVG(&svg)); err != nil {
		t.Fatal(err)
	}
	if want := `label="a\"b\\n<script>&�[31m�"`; !strings.Contains(dot.String(), want) {
		t.Errorf("no %s in:\n%s", want, &dot)
	}
	if strings.Contains(svg.String(), "<script") {
		t.Errorf("a script in:\n%s", &svg)
	}
	for d := xml.NewDecoder(strings.NewReader(svg.String())); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v in:\n%s", err, &svg)
		}
	}
}

func TestUnit(t *testing.T) {
	observations := []observation.Observation{
		{Input: []byte("1"), Methods: []string{"a/x.go#Parse", "a/x.go#(*T).Parse", "b/y.go#Print", "b/y.go#Print@12", "Kv.java#Kv.duplicate(String)", "kv.c#exponent"}},
		{Input: []byte("2"), Methods: []string{}},
	}
	m := train(t, observations, Defaults())
	for _, tc := range []struct{ name, want, err string }{
		{"a/x.go#Parse", "a/x.go#Parse", ""},
		{"x.go#Parse", "a/x.go#Parse", ""},
		{"#Parse", "a/x.go#Parse", ""},
		{"(*T).Parse", "a/x.go#(*T).Parse", ""},
		{"Print@12", "b/y.go#Print@12", ""},
		{"Parse", "", `method "Parse" is ambiguous: a/x.go#(*T).Parse, a/x.go#Parse`},
		{"duplicate", "Kv.java#Kv.duplicate(String)", ""},
		{"Kv.duplicate", "Kv.java#Kv.duplicate(String)", ""},
		{"exponent", "kv.c#exponent", ""},
		{"kv.c:exponent", "kv.c#exponent", ""},
		{"expo", "kv.c#exponent", ""},
		{"DUPL", "Kv.java#Kv.duplicate(String)", ""},
		{"arse", "", `method "arse" is ambiguous: a/x.go#(*T).Parse, a/x.go#Parse`},
		{"exponents", "", `method "exponents" is not in the model`},
		{"", "", `method "" is not in the model`},
	} {
		i, err := m.Unit(tc.name)
		switch {
		case err != nil && err.Error() != tc.err:
			t.Errorf("%q: got error %v, want %q", tc.name, err, tc.err)
		case err == nil && m.Units[i].ID != tc.want:
			t.Errorf("%q: got %s, want %s", tc.name, m.Units[i].ID, tc.want)
		}
	}
}

// TestExplainAgreesWithPredict compares what a leaf of an explanation says with the
// predictions for the examples of the leaf. A pruned tree may differ only where it says
// so.
func TestExplainAgreesWithPredict(t *testing.T) {
	opt := Defaults()
	opt.Outcome = false // a prediction weighs both branches of a test of the outcome
	noisy := observe(1, 400)
	for i := range noisy {
		if i%40 == 0 {
			noisy[i].Methods = []string{"always"}
		}
	}
	m := train(t, noisy, opt)
	compared, simplified := 0, 0
	for unit := range m.Units {
		for _, whole := range []bool{true, false} {
			var check func(n *Node)
			check = func(n *Node) {
				if n.Absent != nil {
					check(n.Absent)
					check(n.Present)
					return
				}
				simplified += btoi(n.LeftOut > 0)
				for _, input := range n.Examples {
					a, err := m.Predict(t.Context(), input, grammars.Limits{})
					if err != nil {
						t.Fatal(err)
					}
					p := a.Methods[unit]
					if p.Overruled || n.Differ > 0 {
						continue
					}
					compared++
					if p.Reached != n.Reached {
						t.Errorf("%s, whole %v: the leaf of %s predicts %v, the model %v", m.Units[unit].ID, whole, input, n.Reached, p.Reached)
					}
				}
			}
			check(m.Explain(unit, whole).Tree)
		}
	}
	if compared < 50 || simplified == 0 {
		t.Errorf("compared %d examples, and %d leaves leave out tests; want at least 50 and 1", compared, simplified)
	}
}
