package features_test

import (
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/grammartest"
)

var long = flag.Bool("long", false, "check many more random grammars")

// Every path of a tree is possible, for all short texts of random grammars.
func TestPathsOfTreesArePossible(t *testing.T) {
	for name, test := range map[string]struct {
		random func(*rand.Rand) string
		count  int
	}{"parsers": {grammartest.RandomParser, 300}, "tokens": {grammartest.RandomTokens, 40}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if *long {
				test.count *= 20
			}
			checkPossible(t, test.random, test.count)
		})
	}
}

func checkPossible(t *testing.T, random func(*rand.Rand) string, count int) {
	t.Helper()
	const k = 3
	texts := grammartest.ShortTexts(5)
	var trees, excluded int
	for seed := range uint64(count) {
		text := random(rand.New(rand.NewPCG(seed, 3)))
		g, err := grammars.Load(t.Context(), grammars.Source{Name: "G.g4", Text: text})
		if err != nil {
			continue
		}
		possible := features.NewSpace(g, features.Options{Possible: true})
		if possible.Count(k).Cmp(features.NewSpace(g, features.Options{}).Count(k)) < 0 {
			excluded++
		}
		known := map[uint64]bool{}
		for length := 1; length <= k; length++ {
			for p := range possible.All(length) {
				known[possible.ID(p)] = true
			}
		}
		for _, input := range texts {
			tree, err := g.Parse(t.Context(), []byte(input), grammars.ParseOptions{})
			if err != nil {
				continue
			}
			trees++
			err = possible.Locate(tree, k, func(id uint64, p features.Path) {
				if !known[id] {
					t.Fatalf("%s%q has %q, which is not possible", text, input, possible.Symbols(p))
				}
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("%d trees; %d grammars have impossible paths", trees, excluded)
	if trees < 10*count || excluded < count/10 {
		t.Errorf("%d trees, %d grammars with impossible paths", trees, excluded)
	}
}
