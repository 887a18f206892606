package grammars

import (
	"testing"

	"github.com/inroad/inroad/grammars/g4"
)

// The digest of a grammar depends on these descriptions. Models and stores keep
// digests, so that the descriptions must not change.
func TestDescriptionsOfNodes(t *testing.T) {
	child := &Node{ID: 12}
	for want, n := range map[string]*Node{
		"3 alternation > 12 12":       {ID: 3, Kind: Alternation, Children: []*Node{child, child}},
		"4 repetition 0 -1 > 12":      {ID: 4, Kind: Repetition, Max: -1, Children: []*Node{child}},
		"5 repetition 1 2 non-greedy": {ID: 5, Kind: Repetition, Min: 1, Max: 2, NonGreedy: true},
		"6 reference expr":            {ID: 6, Kind: Reference, Text: "expr"},
		`7 literal "\"\n\u00a0ä\\"`:   {ID: 7, Kind: Literal, Value: "\"\n\u00a0ä\\"},
		`8 literal "a" either case`:   {ID: 8, Kind: Literal, Value: "a", FoldCase: true},
		"9 set 0-A FFFE-10FFFF":       {ID: 9, Kind: CharSet, Chars: []g4.RuneRange{{Lo: 0, Hi: 10}, {Lo: 0xfffe, Hi: 0x10ffff}}},
		"10 tokens [1 22]":            {ID: 10, Kind: TokenSet, Types: []int{1, 22}},
		"11 tokens []":                {ID: 11, Kind: TokenSet},
	} {
		if got := string(n.appendDescription(nil)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
