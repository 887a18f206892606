package campaign

import (
	"math/rand/v2"
	"testing"

	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/grammartest"
)

// Ways that brought more are used more, and none is given up.
func TestPickWay(t *testing.T) {
	g := &guided{rand: rand.New(rand.NewPCG(1, 0)), ways: []*way{{made: 100, reward: 10}, {made: 100, reward: 1}, {made: 100}}}
	drawn := map[*way]int{}
	for range 1000 {
		drawn[g.pick()]++
	}
	good, poor, none := drawn[g.ways[0]], drawn[g.ways[1]], drawn[g.ways[2]]
	if good < 4*poor || poor < none || none < 40 {
		t.Errorf("drawn %d, %d and %d times", good, poor, none)
	}
}

// A corrupted text is a small change of the text.
func TestCorrupted(t *testing.T) {
	g := grammartest.Load(t, worked)
	r := rand.New(rand.NewPCG(1, 0))
	changed := 0
	for _, text := range []string{"", "1", "1 + (2 * 3)"} {
		var trees []*derivation.Tree
		if text != "" {
			trees = append(trees, grammartest.Parse(t, g, text))
		}
		for _, tree := range append(trees, nil) {
			for range 200 {
				got := corrupted(r, []byte(text), tree)
				if string(got) != text {
					changed++
				}
				if len(got) > 2*len(text)+1 {
					t.Errorf("%q becomes %q", text, got)
				}
			}
		}
	}
	if changed < 800 {
		t.Errorf("%d of 1000 texts are changed", changed)
	}
}
