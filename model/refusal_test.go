package model

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model/dtree"
	"github.com/inroad/inroad/model/observation"
)

// statements is a grammar of programs that are read from left to right.
const statements = `grammar statements;
program : statement* EOF ;
statement : 'a' ';' | 'b' ';' | 'c' ';' | 'limit' NUMBER ';' | 'goto' ';' | 'call' ';' ;
NUMBER : [0-9]+ ;
SPACE : ' ' -> skip ;
`

// refuser is a program that reads statements. It refuses goto and limit 0, and
// with places it says where. If it recovers, the place that it names is the end of
// the input. It then executes the statements, and fails at call.
type refuser struct{ places, recovers, executes bool }

func (p refuser) run(input string) observation.Observation {
	o := observation.Observation{Input: []byte(input), Methods: []string{"read"}, Outcome: observation.OK}
	reach := func(method string) {
		if !slices.Contains(o.Methods, method) {
			o.Methods = append(o.Methods, method)
		}
	}
	statements := strings.SplitAfter(input, ";")
	at := 0
	for _, s := range statements[:len(statements)-1] {
		name := strings.Fields(strings.TrimSuffix(s, ";"))
		if name[0] == "goto" || len(name) > 1 && name[1] == "0" {
			o.Outcome, o.Failure = observation.Failed, &observation.Failure{Type: "SyntaxError", Message: "not supported"}
			if p.places {
				o.Failure.Message = fmt.Sprintf("line 1, column %d: not supported", at+1)
			}
			if p.recovers {
				o.Failure.Message = fmt.Sprintf("line 1, column %d: not supported", len(input))
			}
			return o
		}
		reach("read-" + name[0])
		at += len(s)
	}
	if !p.executes {
		return o
	}
	reach("execute")
	for _, s := range statements[:len(statements)-1] {
		name := strings.Fields(strings.TrimSuffix(s, ";"))
		if name[0] == "call" {
			o.Outcome, o.Failure = observation.Failed, &observation.Failure{Type: "RuntimeError"}
			return o
		}
		reach("execute-" + name[0])
	}
	return o
}

// observe returns observations of n random inputs. Most of them have something to refuse.
func (p refuser) observe(seed uint64, n int) []observation.Observation {
	r := rand.New(rand.NewPCG(seed, 0))
	var out []observation.Observation
	for range n {
		var b strings.Builder
		for range 1 + r.IntN(12) {
			b.WriteString([]string{"a;", "b;", "c;", "limit 10;", "limit 0;", "goto;", "call;", "a;", "b;", "c;"}[r.IntN(10)])
		}
		out = append(out, p.run(b.String()))
	}
	return out
}

func (p refuser) train(t *testing.T, with func(*Options)) *Model {
	t.Helper()
	opt := Defaults()
	if with != nil {
		with(&opt)
	}
	m, err := Train(t.Context(), "", []grammars.Source{{Name: "statements.g4", Text: statements}}, observation.Header{}, p.observe(1, 600), opt)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A model knows what the program refuses, and that it reaches nothing after that.
func TestRefusals(t *testing.T) {
	for _, p := range []refuser{{}, {places: true}, {recovers: true}, {executes: true}, {places: true, executes: true}, {recovers: true, executes: true}} {
		t.Run(fmt.Sprintf("%+v", p), func(t *testing.T) {
			m := p.train(t, nil)
			var got []string
			for _, r := range m.Refusals {
				got = append(got, fmt.Sprintf("%d %s %s", r.Phase, m.Describe(r.Feature), r.Outcome))
			}
			slices.Sort(got)
			want := []string{"1 'goto' ';' failure: SyntaxError", "1 a statement with the NUMBER 0 failure: SyntaxError"}
			if p.executes {
				want = append(want, "2 'call' ';' failure: RuntimeError")
			}
			if !slices.Equal(got, want) {
				t.Errorf("refusals: got %q, want %q", got, want)
			}

			right, all := 0, 0
			for _, o := range p.observe(2, 300) {
				a, err := m.Predict(t.Context(), o.Input, grammars.Limits{})
				if err != nil {
					t.Fatal(err)
				}
				for i, u := range m.Units {
					all++
					right += btoi(a.Methods[i].Reached == slices.Contains(o.Methods, u.ID))
				}
			}
			if right < all*99/100 {
				t.Errorf("%d of %d predictions are right", right, all)
			}
		})
	}
}

// A prediction names the refused construct and its place.
func TestPredictRefusal(t *testing.T) {
	m := refuser{executes: true}.train(t, nil)
	for _, tc := range []struct {
		input, construct string
		column           int
	}{
		{"a; limit 0; goto;", "a statement with the NUMBER 0", 10},
		{"a; call; b; goto;", "'goto' ';'", 13}, // nothing is executed
		{"a; b; call; c;", "'call' ';'", 7},
		{"a; limit 10;", "", 0},
	} {
		a, err := m.Predict(t.Context(), []byte(tc.input), grammars.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		construct := ""
		if a.Refusal != nil {
			construct = m.Describe(a.Refusal.Feature)
		}
		if construct != tc.construct || a.Stop.Column != tc.column {
			t.Errorf("%s: refused at column %d because of %q, want column %d because of %q", tc.input, a.Stop.Column, construct, tc.column, tc.construct)
		}
	}
}

// Without refusals, the same program is predicted worse.
func TestRefusalsHelp(t *testing.T) {
	p := refuser{executes: true}
	score := func(m *Model) float64 {
		e, err := m.Evaluate(t.Context(), p.observe(3, 500), 1, grammars.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		return e.Summarize(MethodScore.Trainable).F1
	}
	with, without := score(p.train(t, nil)), score(p.train(t, func(o *Options) { o.Refusals = false }))
	if with < 0.99 || without > 0.95 {
		t.Errorf("mean F1 %.3f with refusals, %.3f without; want at least .99, at most .95", with, without)
	}
}

// A program that accepts every input has no refusals.
func TestNoRefusals(t *testing.T) {
	var accepted []observation.Observation
	for _, o := range observe(1, 300) {
		if o.Outcome == observation.OK {
			accepted = append(accepted, o)
		}
	}
	for _, r := range train(t, accepted, Defaults()).Refusals {
		t.Errorf("refusal without a failure: %+v", r)
	}
}

func TestFailurePlace(t *testing.T) {
	const input = "abc\nd\u00e9f\r\nghi"
	for _, tc := range []struct {
		message string
		want    int32
	}{
		{"line 1, column 1", 0},
		{"line 2 column 3 near \"f\"", 7},
		{"SyntaxError: input.js: Line 3:2 Unexpected token", 11},
		{"at line 3, column 4.", 13},
		{"2:1: unexpected d", 4},
		{"parse error (3:1)", 10},
		{"input.js:2:3: unexpected f", 7},
		{"name declared twice at input.js:3:1", 10},
		{"invalid character at offset 5", 5},
		{"Unexpected character at position 2", 2},
		{"line 9, column 1", unknownPlace},
		{"line 1, column 70", unknownPlace},
		{"offset 500", unknownPlace},
		{"no place at all", unknownPlace},
		{"took 12:30 hours", unknownPlace}, // the input has no line 12
	} {
		o := observation.Observation{Input: []byte(input), Outcome: observation.Failed, Failure: &observation.Failure{Message: tc.message}}
		if got := failurePlace(o); got != tc.want {
			t.Errorf("%q: got %d, want %d", tc.message, got, tc.want)
		}
	}
	if got := failurePlace(observation.Observation{}); got != unknownPlace {
		t.Errorf("without a failure: got %d", got)
	}
}

// An explanation that tests an outcome also says when the outcome is expected.
func TestExplainOutcomes(t *testing.T) {
	m := refuser{executes: true}.train(t, func(o *Options) { o.Refusals = false })
	tested := false
	for unit := range m.Units {
		e := m.Explain(unit, false)
		for _, o := range e.Outcomes {
			tested = true
			if len(o.Ways) == 0 {
				t.Errorf("%s: outcome %s is not explained", e.Unit.ID, o.Outcome)
			}
			for _, w := range o.Ways {
				if strings.Contains(w.String(), "outcome") {
					t.Errorf("%s: outcome %s is explained by an outcome: %s", e.Unit.ID, o.Outcome, w)
				}
			}
		}
	}
	if !tested {
		t.Error("no tree tests an outcome")
	}
}

func TestExplainOutcome(t *testing.T) {
	m := refuser{executes: true}.train(t, nil)
	e, ok := m.ExplainOutcome("failure: SyntaxError", false)
	if !ok {
		t.Fatalf("outcomes %q", m.Outcomes)
	}
	var b strings.Builder
	if err := e.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"outcome failure: SyntaxError: ", "this outcome (", "another outcome (", "\nExpected for\n  inputs with a refusal in phase 1 (",
		"\nThe program refuses\n", "  'goto' ';'\n", "  a statement with the NUMBER 0\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, &b)
		}
	}
	if _, ok := m.ExplainOutcome("failure: None", false); ok {
		t.Error("an unknown outcome is explained")
	}
}

// A method that few observations reached, in no way that generalizes, is unknown.
func TestUnknown(t *testing.T) {
	var observations []observation.Observation
	for i, o := range (refuser{}).observe(1, 400) {
		if i == 7 || i == 70 || i == 170 { // by chance
			o.Methods = append(o.Methods, "chance")
		}
		observations = append(observations, o)
	}
	m, err := Train(t.Context(), "", []grammars.Source{{Name: "statements.g4", Text: statements}}, observation.Header{}, observations, Defaults())
	if err != nil {
		t.Fatal(err)
	}
	a, err := m.Predict(t.Context(), []byte("a;"), grammars.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"chance": true, "read-a": false, "read": false} {
		unit, err := m.Unit(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Unknown(unit); got != want || a.Methods[unit].Unknown != want {
			t.Errorf("%s: unknown is %v, want %v", name, got, want)
		}
	}
}

// If a program refuses almost every input, a feature of refused inputs is no
// reason unless the program accepts it less often than others.
func TestRefusalsOfRareAcceptance(t *testing.T) {
	const usual, refused, accepted = 0, 1, 2 // features
	s := &refusalSearch{features: make([]Feature, 3), later: 2, failures: make([]int32, 3), accepted: make([]int32, 3), failed: dtree.NewBits(1000)}
	for i := range 1000 {
		failed := i%100 < 93
		r := &record{place: unknownPlace, content: &content{}}
		if i < 200 { // 93 % fail, as do all inputs
			r.features = append(r.features, usual)
		}
		switch {
		case !failed:
			r.features = append(r.features, accepted)
		case i >= 900:
			r.features = append(r.features, refused)
		}
		r.at = make([]int32, len(r.features))
		if failed {
			s.failed.Set(int32(i))
		}
		s.rows, s.records = append(s.rows, int32(i)), append(s.records, r)
	}
	s.cells = &memoryCells{rows: s.records, features: 3}
	if got, _, err := s.find(t.Context()); err != nil || !slices.Equal(got, []int32{refused}) {
		t.Errorf("got %v, %v, want %v", got, err, []int32{refused})
	}
}

// Of two features with the same training inputs, trees test the one that the
// program has read.
func TestFeaturesBeforeRefusalsFirst(t *testing.T) {
	for _, f := range []Feature{{Path: features.Path{1, 2}}, {Extra: 1}} {
		before := f
		before.Before = 1
		if compareFeatures(before, f) >= 0 {
			t.Errorf("%+v precedes %+v", f, before)
		}
	}
}
