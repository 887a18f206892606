package generate_test

import (
	"flag"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/targeting/generate"
)

var long = flag.Bool("long", false, "test more, for minutes")

// Full coverage is full, recounted from the texts by a plain walk over trees, and
// held against the paths that a plain walk over the graph finds.
func TestCoverIsFull(t *testing.T) {
	deep := map[string]bool{"expr": true, "json": true, "csv": true, "url": true}
	most := map[string]int{"sql": 2, "javascript": 1, "css": 2} // k, unless there is time
	for _, name := range bundled.Names() {
		for _, k := range []int{1, 2, 3, 5} {
			if k == 5 && !deep[name] || !*long && most[name] > 0 && k > most[name] {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", name, k), func(t *testing.T) { coverIsFull(t, name, k, generate.CoverOptions{}) })
		}
	}
}

func TestCoverOnePathAnInput(t *testing.T) {
	for _, closing := range []generate.CloseOff{generate.ByShortest, generate.ByChance, generate.ByLeastUsed, generate.ByLikely, generate.ByPaths} {
		for _, name := range []string{"expr", "json", "csv", "url"} {
			t.Run(fmt.Sprintf("%s/%d", name, closing), func(t *testing.T) {
				coverIsFull(t, name, 2, generate.CoverOptions{OneTarget: true, CloseOff: closing})
			})
		}
	}
}

func coverIsFull(t *testing.T, name string, k int, opt generate.CoverOptions) {
	t.Helper()
	g := grammartest.Bundled(t, name)
	with := generate.Options{MaxNodes: 200}
	if opt.CloseOff == generate.ByLikely {
		p, err := generate.SampleProbabilities(t.Context(), name, g)
		if err != nil {
			t.Fatal(err)
		}
		with.Probabilities = p
	}
	x, err := generate.New(g, source(1), with)
	if err != nil {
		t.Fatal(err)
	}
	cover, err := generate.NewCover(x, k, opt)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	inputs, bytes := 0, 0
	for input := range covering(t, cover) {
		inputs++
		bytes += len(input.Text)
		before := len(found)
		addPaths(t, found, g, grammartest.Parse(t, g, string(input.Text)), k)
		if len(found) == before {
			t.Errorf("input %q has no path that was not there before", input.Text)
		}
	}
	t.Logf("%d inputs, %d bytes, %d without a text", inputs, bytes, len(cover.Unrealised()))
	all := graphPaths(g, k)
	_, possible := cover.Covered()
	if !leftRecursive(g) && possible != len(all) {
		t.Errorf("%d paths are to be covered, and the graph has %d", possible, len(all))
	}
	if len(found) != possible-len(cover.Unrealised()) {
		t.Errorf("%d inputs have %d of %d paths; %d could not be had", inputs, len(found), possible, len(cover.Unrealised()))
	}
	// An else goes to the nearest if, whatever rule it stands in.
	most := map[string]int{"javascript/3": possible / 400}[fmt.Sprintf("%s/%d", name, k)]
	if len(cover.Unrealised()) > most {
		t.Errorf("%d of %d paths could not be had", len(cover.Unrealised()), possible)
	}
	for path := range found {
		if !all[path] {
			t.Errorf("path %s is in an input and not in the graph", path)
		}
	}
}

// covering yields the inputs of a cover.
func covering(t *testing.T, cover *generate.Cover) iter.Seq[*generate.Input] {
	t.Helper()
	return func(yield func(*generate.Input) bool) {
		for {
			input, err := cover.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if input == nil || !yield(input) {
				return
			}
		}
	}
}

func leftRecursive(g *grammars.Grammar) bool {
	return slices.ContainsFunc(g.Rules, func(r *grammars.Rule) bool { return r.Operators != nil })
}

// graphPaths returns the paths of length k of a grammar, written out.
func graphPaths(g *grammars.Grammar, k int) map[string]bool {
	reached := map[*grammars.Node]bool{}
	var reach func(n *grammars.Node)
	reach = func(n *grammars.Node) {
		if !reached[n] {
			reached[n] = true
			for _, c := range n.Children {
				reach(c)
			}
		}
	}
	reach(g.Nodes[g.Rule(g.Start).Root])
	out := map[string]bool{}
	var walk func(chain []grammars.Occurrence, n *grammars.Node)
	walk = func(chain []grammars.Occurrence, n *grammars.Node) {
		if n.Kind == grammars.End {
			return
		}
		if n.Kind.Symbolic() {
			if chain = append(slices.Clip(chain), n.ID); len(chain) == k {
				out[fmt.Sprint(chain)] = true
				return
			}
		}
		for _, c := range n.Children {
			walk(chain, c)
		}
	}
	for n := range reached {
		if n.Kind.Symbolic() {
			walk(nil, n)
		}
	}
	return out
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
			inside, err := n.Dissect()
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

// A forest ranges from little coverage to all of it.
func TestForest(t *testing.T) {
	g := grammartest.Bundled(t, "expr")
	x, err := generate.New(g, source(1), generate.Options{MaxNodes: 200})
	if err != nil {
		t.Fatal(err)
	}
	const sets = 5
	forest, err := generate.NewForest(x, 2, sets, generate.CoverOptions{OneTarget: true})
	if err != nil {
		t.Fatal(err)
	}
	found := make([]map[string]bool, sets+1)
	for {
		set, input, err := forest.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if input == nil {
			break
		}
		if found[set] == nil {
			found[set] = map[string]bool{}
		}
		addPaths(t, found[set], g, input.Tree, 2)
	}
	all := len(graphPaths(g, 2))
	for set := 1; set <= sets; set++ {
		if len(found[set]) < all*set/sets {
			t.Errorf("set %d has %d of %d paths, and should have %d at least", set, len(found[set]), all, all*set/sets)
		}
	}
	if len(found[1]) > all*3/4 || len(found[sets]) != all {
		t.Errorf("the first set has %d, the last %d of %d paths", len(found[1]), len(found[sets]), all)
	}
}

// Paths that the parser reads otherwise are given up once, even if inputs for them
// cover other paths.
func TestCoverGivesUpOnce(t *testing.T) {
	g := grammartest.Load(t, "grammar g; s : host (':' D)? query? EOF ; host : name | address ; name : W ('.' W)* ; address : W '.' W '.' W ; "+
		"query : '?' pair ('&' pair)* ; pair : W ('=' W)? | address ; W : [a-z] ; D : [0-9] ;")
	for seed := range uint64(5) {
		x, err := generate.New(g, rand.New(rand.NewPCG(seed, 0)), generate.Options{})
		if err != nil {
			t.Fatal(err)
		}
		cover, err := generate.NewCover(x, 2, generate.CoverOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for {
			input, err := cover.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if input == nil {
				break
			}
		}
		if covered, all := cover.Covered(); covered+len(cover.Unrealised()) != all {
			t.Errorf("%d of %d paths are covered, and %d given up", covered, all, len(cover.Unrealised()))
		}
	}
}

// A path whose smallest trees are all misread is covered by combining parts of trees
// that were read: a range without ".." is read as a list.
func TestCoverCombinesTrees(t *testing.T) {
	g := grammartest.Load(t, "grammar g; s : stat+ EOF ; stat : 'goto' name ';' | 'abort' name (',' name)* ';' | 'use' name ';' | 'with' name ';' ; "+
		"name : ID | name '(' list ')' | name '(' range ')' | name '.' ID ; list : item (',' item)* ; range : item ('..' item)? ; "+
		"item : ID | NUM | 'null' | '-' item | '(' item ')' ; ID : [a-z] ; NUM : [0-9] ; WS : ' ' -> skip ;")
	for seed := range uint64(5) {
		for _, opt := range []generate.CoverOptions{{}, {OneTarget: true}} {
			x, err := generate.New(g, rand.New(rand.NewPCG(seed, 0)), generate.Options{MaxNodes: 40})
			if err != nil {
				t.Fatal(err)
			}
			cover, err := generate.NewCover(x, 2, opt)
			if err != nil {
				t.Fatal(err)
			}
			for input := range covering(t, cover) {
				grammartest.Parse(t, g, string(input.Text))
			}
			if left := cover.Unrealised(); len(left) > 0 {
				t.Errorf("seed %d, %+v: %d paths are not covered, such as %v", seed, opt, len(left), left[0])
			}
		}
	}
}
