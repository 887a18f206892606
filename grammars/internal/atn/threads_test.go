package atn

import (
	"sync"
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
	if placed == 0 {
		t.Error("no token fits")
	}
}

// TestSpellersShareThreads checks that what one speller found out about the lexer serves
// all others of the machine, also at the same time, and in little memory if there are
// many classes of characters.
func TestSpellersShareThreads(t *testing.T) {
	m := Build(specOf(t, `lexer grammar G;
WORD : [\p{L}]+ ; NUMBER : [\p{Nd}]+ ; A : 'ab' | 'abc' ; B : 'abcd-' ; S : '"' ~["\p{Lu}]* '"' ; WS : ' '+ -> skip ;`), nil)
	texts := []string{"ab", "abc", "éa", "٣", "x", `"ab c"`, "abcd-", " ", "abcdefghijklmnopqrstuvwxyzàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿ"}
	var group sync.WaitGroup
	results := make([][]*threads, 8)
	for i := range results {
		group.Go(func() {
			s := m.Speller()
			for at := range 20 * len(texts) {
				after := s.Place(s.Begin(0), int32(at/len(texts)%5), -1, []byte(texts[(at+i)%len(texts)]), false)
				if len(after) > 0 && at >= 10*len(texts) { // all are known
					results[i] = append(results[i], after[0].first)
				}
			}
		})
	}
	group.Wait()
	met := map[*threads]bool{}
	for _, list := range results {
		for _, t := range list {
			met[t] = true
		}
	}
	s := m.Speller()
	if len(met) == 0 || len(met) > len(texts) {
		t.Errorf("got %d different threads after %d texts, want one for each at most", len(met), len(texts))
	}
	if size := int(s.shelf().size.Load()); size > 100_000 {
		t.Errorf("%d classes: got a shelf of %d bytes, want at most 100,000", m.lexer.classes.count, size)
	}
	goal := m.Goal(1, -1, []bool{true, true, true, true, true, true})
	if a, b := m.Speller().Scan([]Lexed{s.Begin(0)}, goal), m.Speller().Scan([]Lexed{s.Begin(0)}, goal); a != b || !s.Current(a) {
		t.Errorf("two spellers scan %v and %v, want the same", a, b)
	}
	s.shelf().size.Store(maxShelf + 1)
	if at, _ := s.Next(s.Scan([]Lexed{s.Begin(0)}, goal), goal, 'a'); s.shelf().size.Load() > maxShelf || !s.Current(at) {
		t.Error("a full shelf was not replaced")
	}
}
