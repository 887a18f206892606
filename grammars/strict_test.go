package grammars_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/grammartest"
)

// TestStrict checks that a strict parse reports the first predicate in the
// input that it depends on, and nothing else.
func TestStrict(t *testing.T) {
	const rules = `grammar G;
s : (a ';')* EOF ;
a : {x()}? 'x' | 'x' 'y' | e | b | 'z'? ;
e : e {p()}? '+' e | e '*' e | ID ;
b : '(' ({in()}? ID)? ')' ;
ID : [a-c]+ | {last()}? [a-d]+ ;
KEY : 'if' {after()}? | 'iffy' ;
WS : [ \n] -> skip ;
`
	tests := []struct {
		name  string
		input string
		want  string // "" where there is a tree
	}{
		{"nothing", "", ""},
		{"an alternative that stands before another one", "xy;", ""},
		{"the alternative itself", "ab;x;", "1:4: the parse depends on a predicate of rule a, which is not run: G.g4:3:5: x()"},
		{"an operator", "a*b+c;", "1:4: the parse depends on a predicate of rule e, which is not run: G.g4:4:7: p()"},
		{"another operator", "a*b*c;", ""},
		{"an operator that comes again", "a*b;\n a+b;", "2:3: the parse depends on a predicate of rule e, which is not run: G.g4:4:7: p()"},
		{"an option", "(a);", "1:2: the parse depends on a predicate of rule b, which is not run: G.g4:5:10: in()"},
		{"an option that is not taken", "();", ""},
		{"a token", "a*b*ad;", "1:5: the parse depends on a predicate of rule ID, which is not run: G.g4:6:15: last()"},
		{"a token that has a way without", "a*cab;", ""},
		{"the end of a token", "if", "1:1: the parse depends on a predicate of rule KEY, which is not run: G.g4:7:12: after()"},
		{"a longer token", "iffy", `1:1: unexpected "iffy", expected end of input | ';' | 'x' | 'z' | '(' | ID`},
		{"a token after an error", "a;;?if", `1:4: unexpected "?", expected end of input | ';' | 'x' | 'z' | '(' | ID`},
		{"an error after it", "x?", "1:1: the parse depends on a predicate of rule a, which is not run: G.g4:3:5: x()"},
		{"an error before it", "a b;x;", `1:3: unexpected "b", expected ';' | '+' | '*'`},
		{"a token, and an alternative before", "x;ad;", "1:1: the parse depends on a predicate of rule a, which is not run: G.g4:3:5: x()"},
		{"a token, and an alternative after", "ad;x;", "1:1: the parse depends on a predicate of rule ID, which is not run: G.g4:6:15: last()"},
	}
	g, err := grammars.Load(t.Context(), grammars.Source{Name: "G.g4", Text: rules})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, antlr := range []bool{false, true} {
				tree, err := g.Parse(t.Context(), []byte(test.input), grammars.ParseOptions{Strict: true, ANTLR: antlr})
				switch {
				case test.want == "" && err == nil:
					checkTree(t, g, tree, test.input)
				case fmt.Sprint(err) != test.want:
					t.Errorf("antlr %v: got %v, want %q", antlr, err, test.want)
				}
				if _, err := g.Parse(t.Context(), []byte(test.input), grammars.ParseOptions{ANTLR: antlr}); isPredicate(err) {
					t.Errorf("without being strict: %v", err)
				}
			}
		})
	}
}

func isPredicate(err error) bool {
	_, ok := errors.AsType[*grammars.PredicateError](err)
	return ok
}

// TestStrictPrefix checks that predicates of unread tokens do not count. The
// lookahead token after the end is read, as in ANTLR.
func TestStrictPrefix(t *testing.T) {
	g := grammartest.Load(t, "grammar G; s : A B ; A : 'a' ; B : 'b' ; C : 'c' {c()}? ;")
	for input, want := range map[string]bool{"ab": true, "abac": true, "abc": false} {
		_, err := g.Parse(t.Context(), []byte(input), grammars.ParseOptions{Strict: true, Prefix: true})
		if isPredicate(err) == want || want && err != nil {
			t.Errorf("%s: %v", input, err)
		}
	}
}
