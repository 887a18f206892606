package fit_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/features/fit"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/grammars/grammartest"
)

const lists = `grammar Lists;
lists : (list ';')* EOF ;
list : item+ | 'all' but? ;
but : 'but' item ;
item : ID | NUMBER | pair | '(' list ')' ;
pair : ID '=' (NUMBER | '-') ;
ID : [a-z]+ ;
NUMBER : INT FRACTION? ;
fragment INT : [0-9]+ ;
fragment FRACTION : '.' INT ;
SPACE : [ \n]+ -> skip ;
COMMENT : '#' ('a' | 'b')* -> skip ;
`

func survey(t *testing.T, g *grammars.Grammar, inputs ...string) *fit.Report {
	t.Helper()
	s := fit.New(g, "", 2)
	for i, input := range inputs {
		if err := s.Add(t.Context(), fmt.Sprintf("in%d", i+1), []byte(input)); err != nil {
			t.Fatal(err)
		}
	}
	return s.Report()
}

func TestRejectionsAreGroupedByReason(t *testing.T) {
	r := survey(t, grammartest.Load(t, lists), "a b;", "a b", "x y z", "= 1;", "= 2;", "a;;", "a; (=);", "a $", "b €€€€€€€€€€€€€")
	if r.Inputs != 9 || r.Parsed != 1 {
		t.Errorf("%d of %d parsed, want 1 of 9", r.Parsed, r.Inputs)
	}
	var got []string
	for _, e := range r.Rejections {
		got = append(got, fmt.Sprint(e.Inputs, " ", e.Reason, ", expected ", strings.Join(e.Expected, " "), " at ", e.Examples))
	}
	want := []string{
		"2 unexpected '=', expected end of input 'all' '(' ID NUMBER at [in4:1:1 in5:1:1]",
		"2 unexpected end of input, expected ';' '(' ID NUMBER at [in2:1:4 in3:1:6]",
		`1 no token starts with "$", expected ';' '(' ID NUMBER at [in8:1:3]`,
		`1 no token starts with "€", expected ';' '(' ID NUMBER at [in9:1:3]`,
		"1 unexpected ';', expected end of input 'all' '(' ID NUMBER at [in6:1:3]",
		"1 unexpected '=', expected 'all' '(' ID NUMBER at [in7:1:5]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
}

func TestWhatCannotBeReadIsRejected(t *testing.T) {
	s := fit.New(grammartest.Load(t, lists), "", 1)
	s.Reject("secret", errors.New("permission denied"))
	want := []fit.Rejection{{Inputs: 1, Reason: "permission denied", Examples: []fit.Place{{Input: "secret"}}}}
	if diff := cmp.Diff(want, s.Report().Rejections); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
}

func TestUnused(t *testing.T) {
	g := grammartest.Load(t, lists)
	for _, c := range []struct {
		name, input string
		rules       string
		parts       []string
	}{
		{
			"nothing", "", "list but item pair ID NUMBER INT FRACTION",
			[]string{"lists: without list ';'"},
		},
		{
			"one word", "a;", "but pair NUMBER INT FRACTION",
			[]string{"list: 'all' but?", "item: NUMBER", "item: pair", "item: '(' list ')'"},
		},
		{
			"a number that is whole", "a 1 b=-; all;", "but FRACTION",
			[]string{"list: without but", "item: '(' list ')'", "pair: NUMBER", "NUMBER: without FRACTION"},
		},
		{"everything but trivia", "(a) 1.5 a=- a=1; all but 2;", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := survey(t, g, c.input)
			var rules, parts []string
			for _, u := range r.UnusedRules {
				rules = append(rules, u.Rule)
			}
			for _, u := range r.Unused {
				if u.Place.Line == 0 {
					t.Errorf("%s: %s has no place", u.Rule, u.Part)
				}
				how := u.Part
				if u.Optional {
					how = "without " + how
				}
				parts = append(parts, u.Rule+": "+how)
			}
			if diff := cmp.Diff(c.rules, strings.Join(rules, " ")); diff != "" {
				t.Errorf("rules (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.parts, parts); diff != "" {
				t.Errorf("parts (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCoverage(t *testing.T) {
	r := survey(t, grammartest.Bundled(t, "expr"), "x+42", "outside")
	want := []fit.Coverage{{K: 1, Covered: 12, Possible: big.NewInt(39)}, {K: 2, Covered: 12, Possible: big.NewInt(125)}}
	if diff := cmp.Diff(want, r.Coverage, cmp.Comparer(func(a, b *big.Int) bool { return a.Cmp(b) == 0 })); diff != "" {
		t.Errorf("coverage (-want +got):\n%s", diff)
	}
}

func TestAmbiguitiesAreCounted(t *testing.T) {
	g := grammartest.Load(t, "grammar G; s : (a | b | c)* EOF ; a : 'x' ; b : 'x' ; c : 'y'+ ; WS : [ \\n] -> skip ;")
	r := survey(t, g, "y x\nx", "x y", "x z")
	want := []fit.Ambiguity{
		{Rule: "s", Alternatives: []int{1, 2}, Times: 3, Text: "x", Example: fit.Place{Input: "in1", Line: 1, Column: 3}},
	}
	if diff := cmp.Diff(want, r.Ambiguities); diff != "" {
		t.Errorf("ambiguities (-want +got):\n%s", diff)
	}
}

func TestSurveyEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	cancel(why)
	s := fit.New(grammartest.Bundled(t, "json"), "", 1)
	if err := s.Add(ctx, "x", []byte(strings.Repeat("[", 1<<20))); !errors.Is(err, why) {
		t.Errorf("got %v, want %v", err, why)
	}
	if r := s.Report(); r.Inputs != 0 {
		t.Errorf("%d inputs, want none", r.Inputs)
	}
}

func TestHints(t *testing.T) {
	words := make([]string, 101)
	for i := range words {
		words[i] = fmt.Sprintf("'w%d'", i)
	}
	ranges := make([]string, 101)
	for i := range ranges {
		ranges[i] = fmt.Sprintf(`\u%04X`, 0x100+2*i)
	}
	g := grammartest.Load(t, "grammar G;\ns : w SIGN EOF ;\nw : "+strings.Join(words, " | ")+" ;\nSIGN : ["+strings.Join(ranges, "")+"] ;\n")
	var got []string
	for _, d := range fit.Hints(g) {
		got = append(got, d.String())
	}
	want := []string{
		"1.g4:3:3: warning: rule w has 101 alternatives: each is rarely generated and hard to learn from; group them into rules",
		`1.g4:4:8: warning: rule SIGN has 101 ranges in a set: each is rarely generated and hard to learn from; a property such as \p{L} or a negated set counts as one`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("hints (-want +got):\n%s", diff)
	}
	for _, name := range bundled.Names() {
		if hints := fit.Hints(grammartest.Bundled(t, name)); len(hints) > 0 {
			t.Errorf("%s: %v", name, hints)
		}
	}
}
