package features_test

import (
	"math/big"
	"slices"
	"testing"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/grammartest"
)

// The published numbers of the expression grammar.
func TestCountsOfExpr(t *testing.T) {
	space := features.NewSpace(grammartest.Bundled(t, "expr"), features.Options{})
	for k, want := range map[int]int64{1: 39, 2: 125, 3: 523, 4: 2331, 5: 10245} {
		if got := space.Count(k); got.Cmp(big.NewInt(want)) != 0 {
			t.Errorf("paths of length %d: %v, want %d", k, got, want)
		}
		listed := map[uint64]bool{}
		for p := range space.All(k) {
			listed[space.ID(p)] = true
		}
		if int64(len(listed)) != want {
			t.Errorf("paths of length %d: %d listed, want %d", k, len(listed), want)
		}
	}
}

func TestPathsOfASum(t *testing.T) {
	g := grammartest.Bundled(t, "expr")
	x := features.NewExtractor(features.NewSpace(g, features.Options{}), 2)
	set := features.NewSet(2)
	if err := x.Add(set, grammartest.Parse(t, g, "x+42")); err != nil {
		t.Fatal(err)
	}
	if set.Len(1) != 12 || set.Len(2) != 12 {
		t.Errorf("x+42 has %d and %d paths of length 1 and 2, want 12 and 12", set.Len(1), set.Len(2))
	}
}

// The extractor finds the paths that a plain walk up from every node finds, and
// all of them are in the space.
func TestExtractionAgainstAPlainWalk(t *testing.T) {
	const k = 5
	for name, inputs := range map[string][]string{
		"expr": {"x", "x+42", "-(x*3)%y - +z", "((((x))))"},
		"json": {`{}`, `{"a\n\u00e9": [-1.5e+3, true, null, ""], "b": {"c": []}}`, `["ab", "ab", {"ab": ["ab"], "a long text \\ and \"more\"": "ab"}, 17, [17], {"17": 17, "ab": 17}]`, " [1 , 2]\n"},
	} {
		g := grammartest.Bundled(t, name)
		for _, opt := range []features.Options{{}, {Names: true}, {Trivia: true}, {Absent: true}} {
			space := features.NewSpace(g, opt)
			known := make([]map[uint64]bool, k+1)
			for length := 1; length <= k; length++ {
				known[length] = map[uint64]bool{}
				for p := range space.All(length) {
					known[length][space.ID(p)] = true
				}
			}
			for _, input := range inputs {
				tree := grammartest.Parse(t, g, input)
				got := features.NewSet(k)
				if err := features.NewExtractor(space, k).Add(got, tree); err != nil {
					t.Fatal(err)
				}
				for length := 1; length <= k; length++ {
					for id := range got.All(length) {
						if !known[length][id] {
							t.Errorf("%s %+v: %q has a path of length %d that is not in the space", name, opt, input, length)
						}
					}
				}
				seen := make([]map[uint64]bool, k+1)
				for length := range seen {
					seen[length] = map[uint64]bool{}
				}
				if err := features.NewExtractor(space, k).Each(tree, func(length int, id uint64, _ features.Position) { seen[length][id] = true }); err != nil {
					t.Fatal(err)
				}
				for length := 1; length <= k; length++ {
					if got.Len(length) != len(seen[length]) {
						t.Errorf("%s %+v: of %q a set has %d paths of length %d, and %d were seen", name, opt, input, got.Len(length), length, len(seen[length]))
					}
					for id := range got.All(length) {
						if !seen[length][id] {
							t.Errorf("%s %+v: of %q a path of length %d was not seen", name, opt, input, length)
						}
					}
				}
				if opt.Absent {
					continue
				}
				want := plainPaths(t, space, tree, k, opt.Trivia)
				for length := 1; length <= k; length++ {
					if len(want[length]) != got.Len(length) {
						t.Errorf("%s %+v: %q has %d paths of length %d, want %d", name, opt, input, got.Len(length), length, len(want[length]))
					}
					for id := range want[length] {
						if !got.Has(length, id) {
							t.Errorf("%s %+v: %q: a path of length %d is missing", name, opt, input, length)
						}
					}
				}
			}
		}
	}
}

// plainPaths collects the chains of occurrences above every node.
func plainPaths(t *testing.T, space *features.Space, tree *derivation.Tree, k int, trivia bool) []map[uint64]bool {
	t.Helper()
	set := make([]map[uint64]bool, k+1)
	for i := range set {
		set[i] = map[uint64]bool{}
	}
	add := func(chain []grammars.Occurrence) {
		if space.Node(chain[len(chain)-1]).Kind == grammars.End {
			return
		}
		for length := 1; length <= min(k, len(chain)); length++ {
			set[length][space.ID(chain[len(chain)-length:])] = true
		}
	}
	var visit func(chain []grammars.Occurrence, n derivation.Node)
	visit = func(chain []grammars.Occurrence, n derivation.Node) {
		if n.Occurrence() != derivation.None {
			chain = append(slices.Clone(chain), n.Occurrence())
			add(chain)
		}
		for child := range n.Children() {
			visit(chain, child)
		}
		if n.Kind() == derivation.Leaf {
			in, err := n.Dissect()
			if err != nil {
				t.Fatal(err)
			}
			if in != nil {
				visit(chain, in.Root())
			}
		}
	}
	if !trivia {
		visit(nil, tree.Root())
		return set
	}
	for token, o := range tree.Trivia() {
		add([]grammars.Occurrence{o})
		in, err := tree.Dissect(token)
		if err != nil {
			t.Fatal(err)
		}
		visit([]grammars.Occurrence{o}, in.Root())
	}
	return set
}

func TestPatterns(t *testing.T) {
	space := features.NewSpace(grammartest.Bundled(t, "expr"), features.Options{})
	for _, c := range []struct {
		paths []features.Path
		want  string
	}{
		{[]features.Path{{15, 36, 11}}, "multExpr ('*' | '/' | '%') '(' addExpr '-' multExpr ')'"},
		{[]features.Path{{15, 36, 11}, {23}}, "multExpr '*' '(' addExpr '-' multExpr ')'"},
		{[]features.Path{{10}}, "addExpr '+' multExpr"},
		{[]features.Path{{27}}, "'+' unaryExpr"},
		{[]features.Path{{42, 46}}, "'2'"},
		{[]features.Path{{42}}, "decDigit"},
		{[]features.Path{{5, 2}}, "multExpr ('+' | '-') multExpr"},
		{[]features.Path{{5, 5, 10}}, "addExpr '+' multExpr ('+' | '-') multExpr ('+' | '-') multExpr"},
		{[]features.Path{{10}, {23}}, "addExpr '+' multExpr; multExpr '*' unaryExpr"},
	} {
		if got := space.Pattern(c.paths...); got != c.want {
			t.Errorf("pattern of %v: %q, want %q", c.paths, got, c.want)
		}
	}
}

// Literals keep their spaces, and one that is repeated needs no brackets.
func TestDescribe(t *testing.T) {
	g := grammartest.Load(t, "grammar G;\ns : 'two  spaces'* ('; ' | '\\'')? (A '(')+ EOF ;\nA : 'a' ;\n")
	if got, want := features.Describe(g.Nodes[g.Rule("s").Root]), `'two  spaces'* ('; ' | '\'')? (A '(')+`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Repetitions have their bounds.
func TestDescribeBounds(t *testing.T) {
	const rule = "'a'{2,5} ('b' 'c'){3} 'd'{2,} 'e'{0,3} 'f'? 'g'+ 'h'*"
	g := grammartest.Load(t, "grammar G; options { scannerless = true; }\ns : "+rule+" ;\n")
	if got := features.Describe(g.Nodes[g.Rule("s").Root]); got != rule {
		t.Errorf("got %s, want %s", got, rule)
	}
}

// With Options.Absent, the absence of an optional part is a symbol.
func TestAbsence(t *testing.T) {
	g := grammartest.Load(t, "grammar G;\ns : 'a' b? ('c' | 'd' 'e'?) EOF ;\nb : 'b'+ ;\n")
	space := features.NewSpace(g, features.Options{Absent: true})
	for input, want := range map[string]int{
		"ac":   3, // a, c, no b
		"abc":  4, // a, b, 'b', c
		"abde": 5,
		"ad":   4, // a, d, no b, no e
	} {
		set := features.NewSet(1)
		if err := features.NewExtractor(space, 1).Add(set, grammartest.Parse(t, g, input)); err != nil {
			t.Fatal(err)
		}
		if set.Len(1) != want {
			t.Errorf("%q has %d symbols, want %d", input, set.Len(1), want)
		}
	}
}

// Symbols without a finite derivation are on no possible path, nor are the
// symbols that require them.
func TestPossiblePaths(t *testing.T) {
	g := grammartest.Load(t, "grammar G;\ntokens { GHOST }\ns : 'a' b | GHOST c EOF ;\nb : 'b' | 'x' GHOST ;\nc : 'c' ;\n")
	for k, want := range map[int][2]int64{1: {8, 3}, 2: {4, 1}} {
		all := features.NewSpace(g, features.Options{}).Count(k).Int64()
		possible := features.NewSpace(g, features.Options{Possible: true}).Count(k).Int64()
		if all != want[0] || possible != want[1] {
			t.Errorf("k=%d: %d paths, %d possible, want %v", k, all, possible, want)
		}
	}
}

// A token is on no possible path where the lexer is in a mode that does not make it.
func TestPossiblePathsOfModes(t *testing.T) {
	g := grammartest.Load(t, "parser grammar P; options { tokenVocab = L; }\ns : WORD* (OPEN WORD CLOSE)? EOF ;\n",
		"lexer grammar L;\nWORD : 'w' ;\nOPEN : '<' -> pushMode(IN) ;\nmode IN;\nIN_WORD : [W] -> type(WORD) ;\nCLOSE : '>' -> popMode ;\n")
	list := func(opt features.Options) []string {
		space := features.NewSpace(g, opt)
		var out []string
		for p := range space.All(2) {
			out = append(out, space.Node(p[0]).Text+" "+space.Node(p[1]).Text)
		}
		slices.Sort(out)
		return out
	}
	all := []string{"CLOSE '>'", "IN_WORD [W]", "OPEN '<'", "WORD 'w'", "WORD 'w'", "WORD IN_WORD", "WORD IN_WORD"}
	if got := list(features.Options{}); !slices.Equal(got, all) {
		t.Errorf("all: got %q, want %q", got, all)
	}
	possible := []string{"CLOSE '>'", "IN_WORD [W]", "OPEN '<'", "WORD 'w'", "WORD IN_WORD"}
	if got := list(features.Options{Possible: true}); !slices.Equal(got, possible) {
		t.Errorf("possible: got %q, want %q", got, possible)
	}
}

// All paths of the samples are possible.
func TestSamplesArePossible(t *testing.T) {
	if testing.Short() {
		t.Skip("prepares all bundled grammars, one after the other: skipped with -short")
	}
	for _, name := range bundled.Names() {
		g := grammartest.Bundled(t, name)
		space := features.NewSpace(g, features.Options{Possible: true})
		const k = 3
		possible := map[uint64]bool{}
		for p := range space.All(k) {
			possible[space.ID(p)] = true
		}
		samples, err := bundled.Samples(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, sample := range samples {
			set := features.NewSet(k)
			if err := features.NewExtractor(space, k).Add(set, grammartest.Parse(t, g, string(sample.Text))); err != nil {
				t.Fatal(err)
			}
			for id := range set.All(k) {
				if !possible[id] {
					t.Fatalf("%s: sample %s has an impossible path", name, sample.Name)
				}
			}
		}
	}
}
