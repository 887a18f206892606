package grammars_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/grammartest"
)

const scannerless = "grammar g; options { scannerless = true; } "

func TestScannerlessTrees(t *testing.T) {
	tests := map[string]struct{ rules, input, want string }{
		"a literal is one leaf":                 {"s : 'abc' 'd' ;", "abcd", "(s abc d)"},
		"capital names are rules":               {"s : WORD ' ' s | WORD ; WORD : [a-z]+ ;", "ab c", "(s (WORD a b)   (s (WORD c)))"},
		"the first alternative wins":            {"s : A | B ; A : [a-z] [a-z] ; B : 'if' ;", "if", "(s (A i f))"},
		"a later alternative if the first ends": {"s : ('a' | 'ab') 'c' ;", "abc", "(s ab c)"},
		"repetitions are greedy":                {"s : A B ; A : 'a'+ ; B : 'a'* 'b' ;", "aab", "(s (A a a) (B b))"},
		"no longest token":                      {"s : '+' x | '++' x ; x : '+'? 'y' ;", "++y", "(s + (x + y))"},
		"exactly m times":                       {"s : 'a'{3} 'a' ;", "aaaa", "(s a a a a)"},
		"m to n times":                          {"s : ('a' | 'b'){1,3} 'b'* ;", "abab"[:3] + "b", "(s a b a b)"},
		"m times or more":                       {"s : [ab]{2,} ;", "abab", "(s a b a b)"},
		"at most n times":                       {"s : 'a'{,2} 'a' ;", "aa", "(s a a)"},
		"left recursion":                        {"s : s '*' s | s '+' s | [0-9] ;", "1+2*3", "(s (s 1) + (s (s 2) * (s 3)))"},
		"characters beyond ASCII":               {"s : ~[a]+ 'a' ;", "é語a", "(s é 語 a)"},
		"case":                                  {"s options { caseInsensitive = true; } : 'if' [x] ;", "iFX", "(s iF X)"},
		"empty input":                           {"s : 'a'? ;", "", "s"},
		"the end of the input":                  {"s : 'a' EOF ;", "a", "(s a <EOF>)"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			g := grammartest.Load(t, scannerless+test.rules)
			tree := grammartest.Parse(t, g, test.input)
			if diff := cmp.Diff(test.want, strings.TrimSpace(grammartest.Lisp(t, tree))); diff != "" {
				t.Errorf("parse %q (-want +got):\n%s", test.input, diff)
			}
			if tree.String() != test.input {
				t.Errorf("the tokens of %q are %q", test.input, tree)
			}
			compareEngines(t, grammartest.Load(t, scannerless+"start : s EOF ; "+test.rules), test.input, grammars.ParseOptions{})
		})
	}
}

func TestScannerlessOccurrences(t *testing.T) {
	g := grammartest.Load(t, scannerless+"s : 'ab' [a-z0] ('ab' | 'a' 'b') ;")
	tree := grammartest.Parse(t, g, "ab0ab")
	var got []string
	for _, n := range tree.All() {
		if n.Kind() == derivation.Leaf {
			got = append(got, g.Nodes[n.Occurrence()].Text+" "+n.Name()+" "+n.Text())
		}
	}
	want := []string{"'ab' 'ab' ab", "[0] [0] 0", "'ab' 'ab' ab"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("leaves (-want +got):\n%s", diff)
	}
}

func TestScannerlessErrors(t *testing.T) {
	tests := map[string]struct{ rules, input, want string }{
		"inside a literal":     {"s : 'abc' ;", "abd", `1:3: unexpected "d", expected 'c'`},
		"neighbouring classes": {"s : [a-z] ('x' | [0-9]) ;", "aq", `1:2: unexpected "q", expected [0-9] | 'x'`},
		"at the end":           {"s : 'a'{2} ;", "a", `1:2: unexpected end of input, expected 'a'`},
		"too many":             {"s : 'a'{1,2} ;", "aaa", `1:3: unexpected "a", expected end of input`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := grammartest.Load(t, scannerless+test.rules).Parse(t.Context(), []byte(test.input), grammars.ParseOptions{})
			if err == nil || err.Error() != test.want {
				t.Errorf("parse %q: %v, want %s", test.input, err, test.want)
			}
		})
	}
}

// TestScannerlessEngines checks that both prediction engines read characters alike, in
// grammars that are ambiguous.
func TestScannerlessEngines(t *testing.T) {
	texts := []string{
		"s : (WORD | NUM | ' ')* ; WORD : 'ab' | [a-c] WORD? ; NUM : [0-9]{1,2} ;",
		"s : s '+' s | s 'a' | 'a'{2,3} | 'b' ;",
		"s : x y x ; x : [ab]* ; y : 'a'? 'b'? ;",
		"s : ('a' x | 'ab' 'c'?)* ; x : 'bc' | 'b' | ;",
	}
	for _, text := range texts {
		g := grammartest.Load(t, scannerless+"start : s EOF ; "+text)
		rapid.Check(t, func(t *rapid.T) {
			input := rapid.StringOfN(rapid.SampledFrom([]rune("abc01 +")), 0, 8, -1).Draw(t, "input")
			compareEngines(t, g, input, grammars.ParseOptions{})
		})
	}
}

func TestScannerlessDigestDiffers(t *testing.T) {
	plain := grammartest.Load(t, "grammar g; s : 'ab' ;")
	without := grammartest.Load(t, scannerless+"s : 'ab' ;")
	if plain.Digest == without.Digest || plain.Scannerless || !without.Scannerless {
		t.Errorf("scannerless %v and %v, digests %s and %s", plain.Scannerless, without.Scannerless, plain.Digest, without.Digest)
	}
}
