package generate_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/targeting/generate"
)

// Full coverage is full, recounted from the texts by a plain walk.
func TestCoverIsFull(t *testing.T) {
	for _, c := range []struct {
		grammar string
		k, want int
	}{
		{"expr", 1, 39},
		{"expr", 2, 125},
		{"expr", 3, 523},
		{"expr", 5, 10245},
		{"json", 1, 64},
		{"json", 2, 100},
		{"json", 3, 183},
		{"json", 5, 560},
	} {
		t.Run(fmt.Sprintf("%s/%d", c.grammar, c.k), func(t *testing.T) {
			g := grammartest.Bundled(t, c.grammar)
			x, err := generate.New(g, source(1), generate.Options{MaxNodes: 200})
			if err != nil {
				t.Fatal(err)
			}
			cover, err := generate.NewCover(x, c.k, generate.CoverOptions{})
			if err != nil {
				t.Fatal(err)
			}
			found := map[string]bool{}
			inputs, bytes := 0, 0
			for {
				input, err := cover.Next(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if input == nil {
					break
				}
				inputs++
				bytes += len(input.Text)
				addPaths(t, found, g, grammartest.Parse(t, g, string(input.Text)), c.k)
			}
			if len(found) != c.want || len(cover.Unrealised) > 0 {
				t.Errorf("%d inputs have %d of %d paths; %d could not be had", inputs, len(found), c.want, len(cover.Unrealised))
			}
			t.Logf("%d inputs, %d bytes", inputs, bytes)
		})
	}
}

// addPaths adds the paths of length k of a tree, written out.
func addPaths(t *testing.T, found map[string]bool, g *grammars.Grammar, tree *derivation.Tree, k int) {
	t.Helper()
	var visit func(chain []grammars.Occurrence, n derivation.Node)
	visit = func(chain []grammars.Occurrence, n derivation.Node) {
		if o := n.Occurrence(); o != derivation.None {
			if g.Nodes[o].Kind == grammars.End {
				return
			}
			chain = append(slices.Clip(chain), o)
			if len(chain) >= k {
				found[fmt.Sprint(chain[len(chain)-k:])] = true
			}
		}
		for child := range n.Children() {
			visit(chain, child)
		}
		if n.Kind() == derivation.Leaf {
			inside, err := n.Inside()
			if err != nil {
				t.Fatal(err)
			}
			if inside != nil {
				visit(chain, inside.Root())
			}
		}
	}
	visit(nil, tree.Root())
}
