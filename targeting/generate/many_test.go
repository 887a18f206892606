package generate_test

import (
	"testing"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/targeting/generate"
)

// Many inputs cover more paths than independent ones of the same number of bytes.
func TestEachSpreads(t *testing.T) {
	for _, name := range []string{"css", "javascript", "sql", "xml"} {
		t.Run(name, func(t *testing.T) {
			g := grammartest.Bundled(t, name)
			const bytes = 20_000
			many := newCoverage(g)
			for input, err := range generate.Each(t.Context(), g, generate.Options{MaxNodes: 1000}, 1, bytes, 2) {
				if err != nil {
					t.Fatal(err)
				}
				if many.bytes >= bytes {
					break
				}
				many.add(t, input)
			}
			alone := newCoverage(g)
			x, err := generate.New(g, source(1), generate.Options{MaxNodes: 1000})
			if err != nil {
				t.Fatal(err)
			}
			for alone.bytes < many.bytes {
				input, err := x.Next(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				alone.add(t, input)
			}
			t.Logf("%d and %d paths in %d bytes", many.paths.Len(2), alone.paths.Len(2), many.bytes)
			if many.paths.Len(2) <= alone.paths.Len(2) {
				t.Errorf("%d inputs cover %d 2-paths, and %d independent ones %d", many.inputs, many.paths.Len(2), alone.inputs, alone.paths.Len(2))
			}
		})
	}
}

// A coverage is the paths of some inputs.
type coverage struct {
	extract       *features.Extractor
	paths         *features.Set
	bytes, inputs int
}

func newCoverage(g *grammars.Grammar) *coverage {
	return &coverage{extract: features.NewExtractor(features.NewSpace(g, features.Options{}), 2), paths: features.NewSet(2)}
}

func (c *coverage) add(t *testing.T, input *generate.Input) {
	t.Helper()
	c.bytes += len(input.Text)
	c.inputs++
	if err := c.extract.Add(c.paths, input.Tree); err != nil {
		t.Fatal(err)
	}
}

// No two inputs are the same, whichever way they are generated. There are fewer if the
// language has too few.
func TestEachIsDistinct(t *testing.T) {
	nested := grammartest.Load(t, "grammar G;\ns : (A | B | C | list) EOF ;\nlist : '[' (A | B | C | list)* ']' ;\nA : 'a' ;\nB : 'b' ;\nC : 'c' ;\n")
	twice, json := grammartest.Load(t, "grammar G;\ns : ('a' | 'b') EOF ;\n"), grammartest.Bundled(t, "json")
	common := learn(t, json, "[1, 2]", "[3, [4]]")
	for _, c := range []struct {
		name        string
		g           *grammars.Grammar
		opt         generate.Options
		least, most int // inputs, out of 200
	}{
		{"sql", grammartest.Bundled(t, "sql"), generate.Options{}, 200, 200},
		{"expr", grammartest.Bundled(t, "expr"), generate.Options{}, 200, 200},
		{"two inputs", twice, generate.Options{}, 2, 2},
		{"few small inputs", nested, generate.Options{}, 180, 200},
		{"common", json, generate.Options{Probabilities: common}, 200, 200},
		{"uncommon", json, generate.Options{Probabilities: common.Invert()}, 200, 200},
		{"by probabilities of one input", json, generate.Options{Probabilities: learn(t, json, "true")}, 1, 1},
		{"cooldown", json, generate.Options{Cooldown: 0.5}, 200, 200},
		{"shortest", twice, generate.Options{Shortest: true}, 2, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			n, distinct := 0, map[string]bool{}
			for input, err := range generate.Each(t.Context(), c.g, c.opt, 1, 200, 2) {
				if err != nil {
					t.Fatal(err)
				}
				n++
				distinct[string(input.Text)] = true
			}
			if len(distinct) != n || n < c.least || n > c.most {
				t.Errorf("%d inputs, of which %d are distinct; want %d to %d", n, len(distinct), c.least, c.most)
			}
			n, c.opt.AllowDuplicates = 0, true
			for _, err := range generate.Each(t.Context(), c.g, c.opt, 1, 200, 2) {
				if n++; err != nil {
					t.Fatal(err)
				}
			}
			if n != 200 {
				t.Errorf("%d inputs if duplicates are allowed, want 200", n)
			}
		})
	}
}

// Inputs have no more tokens than asked for, unless the grammar needs more. No tree
// is thrown away for its size.
func TestMaxTokens(t *testing.T) {
	for _, name := range []string{"json", "sql", "javascript", "xml"} {
		g := grammartest.Bundled(t, name)
		for _, most := range []int{1, 5, 50} {
			for input, err := range generate.Each(t.Context(), g, generate.Options{MaxTokens: most, MaxNodes: 1000}, 1, 100, 2) {
				if err != nil {
					t.Fatal(err)
				}
				tokens := 0
				for _, token := range input.Tree.Tokens() {
					if !token.Trivia() && token.Type > 0 {
						tokens++
					}
				}
				if least := map[string]int{"xml": 5}[name]; tokens > max(most, least) {
					t.Errorf("%s: %q has %d tokens, want at most %d", name, input.Text, tokens, max(most, least))
				}
			}
		}
	}
}
