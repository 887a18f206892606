package grammars_test

import (
	"testing"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/grammartest"
)

// TestWholeInputFromAnyRule checks that a start rule without EOF that other
// rules call can be required to derive the whole input.
func TestWholeInputFromAnyRule(t *testing.T) {
	g := grammartest.Load(t, `grammar G;
file : stat* EOF ;
stat : e ';' ;
e : e '*' e | e '+' e | '-' e | ID | '(' e ')' ;
ID : [a-z]+ ;
WS : ' ' -> skip ;
`)
	for _, c := range []struct{ start, input, want string }{
		{"e", "x", "(e x)"},
		{"e", "x + y * z", "(e (e x) + (e (e y) * (e z)))"},
		{"e", "-(x) ", "(e - (e ( (e x) )))"},
		{"stat", "x;", "(stat (e x) ;)"},
		{"e", "x +", "1:4: unexpected end of input, expected '-' | '(' | ID"},
		{"e", "x y", "1:3: unexpected \"y\", expected end of input | '*' | '+'"},
		{"stat", "x; y", "1:4: unexpected \"y\", expected end of input"},
	} {
		var got string
		tree, err := g.Parse(t.Context(), []byte(c.input), grammars.ParseOptions{Start: c.start})
		if err != nil {
			got = err.Error()
		} else {
			got = grammartest.Lisp(t, tree)
		}
		if got != c.want {
			t.Errorf("%s from %q:\n got %s\nwant %s", c.start, c.input, got, c.want)
		}
	}
}
