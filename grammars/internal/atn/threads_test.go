package atn

import (
	"testing"

	"pgregory.net/rapid"
)

// TestPlaceRemembers checks that a speller that remembers the lexer's states places tokens as
// one that computes them: with longer matches to avoid, modes, and tokens of several matches.
func TestPlaceRemembers(t *testing.T) {
	m := Build(specOf(t, `lexer grammar G;
A : 'a'+ ('.' 'a'+)? ; B : 'b' | 'a.b' ; OPEN : '<' -> pushMode(IN) ; QUOTE : '"' -> more, pushMode(TEXT) ; WS : ' '+ -> skip ;
mode IN; NAME : [ab]+ ; CLOSE : '>' -> popMode ; DASH : '-' | '-->' ;
mode TEXT; PART : ~["] -> more ; END : '"' -> popMode ;`), nil)
	remembers := m.Speller()
	texts := []string{"a", "aa", "a.a", "a.", "b", "a.b", "<", ">", "-", "-->", `"`, `"a"`, `"a b`, " ", "é"}
	placed := 0
	rapid.Check(t, func(t *rapid.T) {
		at, plain := remembers.Begin(0), m.Speller()
		for range rapid.IntRange(1, 8).Draw(t, "tokens") {
			text := []byte(rapid.SampledFrom(texts).Draw(t, "text"))
			rule := rapid.SampledFrom([]int{-1, -1, -1, 0, 2}).Draw(t, "rule")
			last := rapid.Bool().Draw(t, "last")
			next := at
			for kind := range int32(10) {
				got, want := remembers.Place(at, kind, rule, text, last), plain.placeParts(at, kind, rule, text, last)
				if len(got) != len(want) {
					t.Fatalf("%q as token %d: got %d states, want %d", text, kind, len(got), len(want))
				}
				for i := range got {
					if a, b := remembers.Key(got[i]), remembers.Key(want[i]); a != b {
						t.Fatalf("%q as token %d: got state %q, want %q", text, kind, a, b)
					}
				}
				if len(got) > 0 {
					placed++
					next = got[0]
				}
			}
			at = next
		}
	})
	if placed < 20 {
		t.Errorf("%d tokens fit, want at least 20", placed)
	}
}
