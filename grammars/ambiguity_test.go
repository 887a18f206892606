package grammars_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/grammars/grammartest"
)

func TestAmbiguities(t *testing.T) {
	tests := map[string]struct {
		rules, input string
		want         []string
	}{
		"two alternatives":             {"s : (a | b) EOF ; a : 'x' ; b : 'x' ;", "x", []string{"s [1 2] x"}},
		"of three":                     {"s : (a | b | c) EOF ; a : 'x' ; b : 'x' 'y' ; c : 'x' 'y' ;", "xy", []string{"s [2 3] xy"}},
		"decided by the next token":    {"s : (a | b) EOF ; a : 'x' 'y' ; b : 'x' 'z' ;", "xz", nil},
		"dangling else":                {"s : i EOF ; i : 'f' i ('e' i)? | 'x' ;", "ffxex", []string{"i [1 2] ex"}},
		"no dangling else in this one": {"s : i EOF ; i : 'f' i ('e' i)? | 'x' ;", "ffxexex", nil},
		"two loops":                    {"s : 'x'* 'x'* EOF ;", "xx", []string{"s [1 2] xx", "s [1 2] x"}},
		"operators bind":               {"s : e EOF ; e : e '*' e | e '+' e | '-' e | 'x' ;", "-x+x*x+x", nil},
		"operators to the right":       {"s : e EOF ; e : <assoc=right> e '^' e | 'x' ;", "x^x^x", nil},
		"decided by the stack":         {"s : ('p' a 'x' 'y' | 'q' a 'y') EOF ; a : b 'x'? ; b : 'i' ;", "pixy", nil},
		"in a part":                    {"s : '(' (a | b) ')' EOF ; a : 'x' 'y' ; b : 'x' 'y' ;", "(xy)", []string{"s [1 2] xy"}},
		"before the input goes wrong":  {"s : (a | b) 'y' EOF ; a : 'x' ; b : 'x' ;", "xx", []string{"s [1 2] x"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			g := grammartest.Load(t, "grammar G; "+test.rules)
			var got []string
			tree, err := g.Parse(t.Context(), []byte(test.input), grammars.ParseOptions{Ambiguous: func(a grammars.Ambiguity) {
				got = append(got, fmt.Sprint(a.Rule.Name, " ", a.Alternatives, " ", test.input[a.Start:a.End]))
			}})
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("ambiguities of %q (-want +got):\n%s", test.input, diff)
			}
			if without, plain := g.Parse(t.Context(), []byte(test.input), grammars.ParseOptions{}); err == nil && numbered(tree) != numbered(without) || fmt.Sprint(err) != fmt.Sprint(plain) {
				t.Errorf("%q is parsed otherwise by those who ask for ambiguities: %v, %v", test.input, err, plain)
			}
		})
	}
}

// TestBundledGrammarsAreUnambiguous checks that bundled grammars are
// unambiguous, except for a dangling else, which belongs to the nearest if.
func TestBundledGrammarsAreUnambiguous(t *testing.T) {
	for _, name := range bundled.Names() {
		g := grammartest.Bundled(t, name)
		for _, sample := range samples(t, name) {
			_, _ = g.Parse(t.Context(), []byte(sample), grammars.ParseOptions{Ambiguous: func(a grammars.Ambiguity) {
				if text := sample[a.Start:a.End]; name == "javascript" && strings.Contains(text, "else") {
					return
				}
				t.Errorf("%s: alternatives %v of rule %s derive %q in %q", name, a.Alternatives, a.Rule.Name, sample[a.Start:a.End], strings.TrimSpace(sample))
			}})
		}
	}
}
