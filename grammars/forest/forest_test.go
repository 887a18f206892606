package forest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/forest"
	"github.com/inroad/inroad/grammars/grammartest"
)

// A tree is a derivation of the oracle.
type tree struct {
	node  *grammars.Node
	below []tree
}

// derive lists all derivations of a construct at a position, with their ends, by trying
// everything. The grammar must be neither left-recursive nor repeat empty parts.
func derive(g *grammars.Grammar, n *grammars.Node, text string, at int, then func(end int, row []tree)) {
	switch n.Kind {
	case grammars.Alternation:
		for _, alt := range n.Children {
			derive(g, alt, text, at, then)
		}
	case grammars.Concatenation:
		sequence(g, n.Children, text, at, nil, then)
	case grammars.Repetition:
		repeat(g, n, text, at, 0, nil, then)
	case grammars.Reference:
		derive(g, g.Nodes[n.Target.Root], text, at, func(end int, row []tree) { then(end, []tree{{n, slices.Clone(row)}}) })
	case grammars.Literal:
		if strings.HasPrefix(text[at:], n.Value) {
			then(at+len(n.Value), []tree{{node: n}})
		}
	case grammars.CharSet:
		if at < len(text) && n.Chars[0].Lo <= rune(text[at]) && rune(text[at]) <= n.Chars[0].Hi {
			then(at+1, []tree{{node: n}})
		}
	case grammars.Empty:
		then(at, []tree{{node: n}})
	}
}

func sequence(g *grammars.Grammar, parts []*grammars.Node, text string, at int, row []tree, then func(int, []tree)) {
	if len(parts) == 0 {
		then(at, row)
		return
	}
	derive(g, parts[0], text, at, func(end int, more []tree) {
		sequence(g, parts[1:], text, end, slices.Concat(row, more), then)
	})
}

func repeat(g *grammars.Grammar, n *grammars.Node, text string, at, times int, row []tree, then func(int, []tree)) {
	if times >= n.Min {
		then(at, row)
	}
	if n.Max < 0 || times < n.Max {
		derive(g, n.Children[0], text, at, func(end int, more []tree) {
			repeat(g, n, text, end, times+1, slices.Concat(row, more), then)
		})
	}
}

// addPaths adds the paths of up to three symbols that begin in a tree's symbols.
func addPaths(found map[string]bool, row []tree, above []string) {
	for _, t := range row {
		chain := append(slices.Clone(above), fmt.Sprint(t.node.ID))
		for from := max(0, len(chain)-3); from < len(chain); from++ {
			found[strings.Join(chain[from:], " ")] = true
		}
		addPaths(found, t.below, chain)
	}
}

func forestPaths(f *forest.Forest) map[string]bool {
	found := map[string]bool{}
	var visit func(i int32, chain []string)
	visit = func(i int32, chain []string) {
		chain = append(slices.Clone(chain), fmt.Sprint(f.Occurrence(i)))
		found[strings.Join(chain, " ")] = true
		if len(chain) < 3 {
			for _, below := range f.Below(i) {
				visit(below, chain)
			}
		}
	}
	for i := range f.Len() {
		visit(int32(i), nil)
	}
	return found
}

// TestForestIsExact checks that a forest has the paths of all derivations and no others.
func TestForestIsExact(t *testing.T) {
	for _, rules := range []string{
		"s : w+ ; w : 'ab' | [a-b]{2,3} | 'a' x? ; x : 'b' | [b-c] ;",
		"s : a b a | c ; a : 'a'* ; b : 'a'? 'b'{,2} ; c : 'a' s | 'b' 'a'{2,} | ;",
		"s : ('a' t | 'ab' | 'a' 'b'){1,3} ; t : 'b' s? | ;",
	} {
		g := grammartest.Load(t, "grammar g; options { scannerless = true; } "+rules)
		rapid.Check(t, func(t *rapid.T) {
			text := rapid.StringOfN(rapid.SampledFrom([]rune("abc")), 0, 7, -1).Draw(t, "text")
			want := map[string]bool{}
			derivations := 0
			derive(g, g.Nodes[g.Rule("s").Root], text, 0, func(end int, row []tree) {
				if end == len(text) {
					derivations++
					addPaths(want, row, nil)
				}
			})
			parsed, err := g.Parse(t.Context(), []byte(text), grammars.ParseOptions{})
			if (err == nil) != (derivations > 0) {
				t.Fatalf("%d derivations, and the parser says %v", derivations, err)
			}
			if err != nil {
				return
			}
			f, err := forest.Of(t.Context(), g, "s", parsed)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, forestPaths(f)); diff != "" {
				t.Fatalf("paths of %d derivations (-want +got):\n%s", derivations, diff)
			}
		})
	}
}

// TestForestOfTokens checks that operators and the inside of tokens are part of a forest.
func TestForestOfTokens(t *testing.T) {
	g := grammartest.Load(t, "grammar g; s : s '*' s | s '+' s | N ; N : D+ ; fragment D : [0-9] ;")
	f, err := forest.Of(t.Context(), g, "s", grammartest.Parse(t, g, "1*2+34"))
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for i := range f.Len() {
		for _, below := range f.Below(int32(i)) {
			names[g.Nodes[f.Occurrence(int32(i))].Text+" "+g.Nodes[f.Occurrence(below)].Text] = true
		}
	}
	for _, want := range []string{"s '+'", "s '*'", "s N", "N D", "D [0-9]"} { // the parser's tree has no '+' below an s
		if !names[want] {
			t.Errorf("%s is not in the forest: %v", want, names)
		}
	}
}

func TestForestLimit(t *testing.T) {
	for text, length := range map[string]int{
		"s : s s | 'a' ;":                 1000,
		"s : x* ; x : y 'a' ; y : 'a'* ;": 20_000, // many rounds at many positions
	} {
		g := grammartest.Load(t, "grammar g; options { scannerless = true; } "+text)
		_, err := forest.Within(t.Context(), 500_000, g, "s", grammartest.Parse(t, g, strings.Repeat("a", length)))
		if err == nil || err.Error() != "steps to find all derivations of an input: limit of 500000 reached; use shorter inputs, or the one derivation of the parser" {
			t.Errorf("%s: got %v, want a limit", text, err)
		}
	}
}
