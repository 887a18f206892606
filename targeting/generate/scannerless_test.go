package generate_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/targeting/generate"
)

// TestCoverScannerless checks that covering inputs of scannerless grammars parse back to
// trees with all paths of the graph.
func TestCoverScannerless(t *testing.T) {
	texts := map[string]string{
		"words":    "s : WORD (' ' WORD)* NUM{2,3} '!' ; WORD : 'ab' | [a-z]+ ; NUM : '-'? [0-9] ;",
		"nested":   "s : '(' s{1,2} ')' | 'x' | '[' (s ',')* ']' ;",
		"operator": "s : s '*' s | s '+' s | [0-9]+ | '(' s ')' ;",
		"lines":    "s : LINE{3,} ; LINE : ~[\\n]{,4} '\\n' ;",
	}
	for name, text := range texts {
		for k := 1; k <= 3; k++ {
			t.Run(fmt.Sprintf("%s/%d", name, k), func(t *testing.T) {
				g := grammartest.Load(t, "grammar g; options { scannerless = true; } "+text)
				x, err := generate.New(g, source(1), generate.Options{MaxNodes: 200})
				if err != nil {
					t.Fatal(err)
				}
				cover, err := generate.NewCover(x, k, generate.CoverOptions{})
				if err != nil {
					t.Fatal(err)
				}
				found := map[string]bool{}
				for input := range covering(t, cover) {
					addPaths(t, found, g, grammartest.Parse(t, g, string(input.Text)), k)
				}
				_, possible := cover.Covered()
				if all := graphPaths(g, k); len(found) != possible || !leftRecursive(g) && len(found) != len(all) {
					t.Errorf("found %d of %d possible paths and %d of the graph", len(found), possible, len(all))
				}
			})
		}
	}
}

// TestCoverLeavesTheShortestWay checks that paths are packed into a list although each of
// them has a shorter input without one.
func TestCoverLeavesTheShortestWay(t *testing.T) {
	g := grammartest.Load(t, "grammar g; options { scannerless = true; } v : '[' (v (',' v)*)? ']' | n ;"+
		" n : 'a' x | 'b' x | 'c' x | 'd' x | 'e' x | 'f' x | 'g' x | 'h' x ; x : '0' | '1' | '2' ;")
	x, err := generate.New(g, source(1), generate.Options{MaxNodes: 100})
	if err != nil {
		t.Fatal(err)
	}
	cover, err := generate.NewCover(x, 2, generate.CoverOptions{})
	if err != nil {
		t.Fatal(err)
	}
	inputs := 0
	for range covering(t, cover) {
		inputs++
	}
	if covered, all := cover.Covered(); covered != all || inputs > 13 { // 26 by the shortest way
		t.Errorf("%d inputs cover %d of %d paths, want at most 13 and all", inputs, covered, all)
	}
}

// TestUnverified checks that inputs that are not parsed come with the drawn tree: the
// parser reads every text of an ambiguous rule by its first alternative.
func TestUnverified(t *testing.T) {
	g := grammartest.Load(t, "grammar g; options { scannerless = true; } s : a | b ; a : [a-z]+ ; b : 'if' 'x'{2} ;")
	for _, unverified := range []bool{false, true} {
		x, err := generate.New(g, source(1), generate.Options{MaxNodes: 200, Unverified: unverified})
		if err != nil {
			t.Fatal(err)
		}
		cover, err := generate.NewCover(x, 2, generate.CoverOptions{})
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]bool{}
		for input := range covering(t, cover) {
			if input.Tree.String() != string(input.Text) {
				t.Errorf("the tree of %q is that of %q", input.Text, input.Tree)
			}
			addPaths(t, found, g, input.Tree, 2)
		}
		if want := map[bool]int{false: 1, true: 3}[unverified]; len(found) != want {
			t.Errorf("unverified %v: found the paths %v, want %d", unverified, found, want)
		}
	}
	lexed := grammartest.Bundled(t, "json")
	x, err := generate.New(lexed, source(1), generate.Options{MaxNodes: 100, Unverified: true})
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		input, err := x.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want, got := grammartest.Lisp(t, grammartest.Parse(t, lexed, string(input.Text))), grammartest.Lisp(t, input.Tree)
		if want != got {
			t.Errorf("input %q: drawn %s, parsed %s", input.Text, got, want)
		}
	}
}

func TestGrammarProbabilities(t *testing.T) {
	g, err := grammars.Load(t.Context(), grammars.Source{Name: "g.scala", Text: `Grammar('s := "a" @@ 0.75 | "b" @@ 0.15 | "c" | "d")`})
	if err != nil {
		t.Fatal(err)
	}
	p := generate.GrammarProbabilities(g)
	if p == nil {
		t.Fatal("no probabilities")
	}
	for i, want := range []float64{0.75, 0.15, 0.05, 0.05} {
		if got := p.Alternatives(g.Nodes[g.Rule("s").Root])[i]; math.Abs(got-want) > 1e-9 {
			t.Errorf("alternative %d: %v, want %v", i, got, want)
		}
	}
	x, err := generate.New(g, source(1), generate.Options{Probabilities: p})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for range 400 {
		input, err := x.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		seen[string(input.Text)]++
	}
	if seen["a"] < 250 || seen["a"] > 350 || seen["c"] == 0 || seen["d"] == 0 {
		t.Errorf("inputs %v, want about 300 of a", seen)
	}
	if plain := grammartest.Bundled(t, "json"); generate.GrammarProbabilities(plain) != nil {
		t.Error("json states no probabilities")
	}
}

// TestCoverAmbiguous checks that paths which exclude each other in one tree do not keep the
// others out of packed trees: a quoted field ends at the last quote of an input, so that the parser
// reads most packed trees as other trees.
func TestCoverAmbiguous(t *testing.T) {
	g, err := grammars.Load(t.Context(), grammars.Source{Name: "g.scala", Text: `Grammar(
  'table := 'line.rep(1),
  'line := 'cell ~ (";" ~ 'cell).rep ~ "\n",
  'cell := 'plain | 'quoted,
  'plain := "[^;\n\"]*".regex,
  'quoted := "\"" ~ ("\"\"" | "~[\"]".regex).rep ~ "\""
)`})
	if err != nil {
		t.Fatal(err)
	}
	x, err := generate.New(g, source(1), generate.Options{MaxNodes: 2000})
	if err != nil {
		t.Fatal(err)
	}
	cover, err := generate.NewCover(x, 1, generate.CoverOptions{})
	if err != nil {
		t.Fatal(err)
	}
	n, found := 0, map[string]bool{}
	for input := range covering(t, cover) {
		n++
		addPaths(t, found, g, grammartest.Parse(t, g, string(input.Text)), 1)
	}
	covered, possible := cover.Covered()
	if covered != possible || len(found) != possible || n > possible/2 {
		t.Errorf("%d inputs with %d paths cover %d of %d paths; want all of them in at most half as many inputs", n, len(found), covered, possible)
	}
}
