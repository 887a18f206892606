package features

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/grammartest"
)

// The table must be complete: the rest of the program asks it without checking.
func TestTableOfKinds(t *testing.T) {
	seen := Kinds(0)
	for _, f := range families() {
		if f.name == "" || f.description == "" {
			t.Errorf("family %q has no name or no description", f.name)
		}
		for _, k := range f.kinds {
			if seen.Has(k.Kind) || k.Kind == 0 || k.Kind >= maxKinds {
				t.Errorf("%s: number %d is taken or out of range", f.name, k.Kind)
			}
			seen |= Of(k.Kind)
			functions := 0
			for _, set := range []bool{k.symbol != nil, k.token != nil, k.text != nil, k.node != nil, k.trivia != nil} {
				if set {
					functions++
				}
			}
			if functions != 1 || k.describe == nil {
				t.Errorf("%s: kind %d has %d functions to extract it, want 1 and a description", f.name, k.Kind, functions)
			}
			if !slices.IsSorted(k.bounds) || len(k.bounds) > 0 && (k.bounds[0] < 0 || k.bounds[len(k.bounds)-1] >= 1<<boundBits) {
				t.Errorf("%s: kind %d has bounds %v", f.name, k.Kind, k.bounds)
			}
		}
	}
	if want := Kinds(1<<19 - 2); seen != want { // 18 kinds in a row, as models have them
		t.Errorf("kinds %b, want %b", seen, want)
	}
}

func TestKindsNamed(t *testing.T) {
	for _, tc := range []struct {
		names string
		want  Kinds
		err   string
	}{
		{"all", AllKinds(), "<nil>"},
		{"none", 0, "<nil>"},
		{"early", Of(Early), "<nil>"},
		{"trivia,absent", Of(Before, After, Absent), "<nil>"},
		{"early,late", 0, `unknown family of features "late": must be siblings, values, texts, characters, operands, children, absent, counts, trivia, early, all or none`},
		{"", 0, `unknown family of features "": must be siblings, values, texts, characters, operands, children, absent, counts, trivia, early, all or none`},
	} {
		got, err := KindsNamed(strings.Split(tc.names, ",")...)
		if got != tc.want || fmt.Sprint(err) != tc.err {
			t.Errorf("%q: got %b, %v, want %b, %s", tc.names, got, err, tc.want, tc.err)
		}
	}
}

// The documentation lists the families as the table has them.
func TestFamiliesAreDocumented(t *testing.T) {
	docs, err := os.ReadFile("../docs/models.md")
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, f := range Families() {
		want = append(want, fmt.Sprintf("| `%s` | %s", f.Name, f.Description))
	}
	_, rest, _ := strings.Cut(string(docs), "### Features beyond paths")
	section, _, _ := strings.Cut(rest, "\n#")
	for line := range strings.Lines(section) {
		if strings.HasPrefix(line, "| `") {
			got = append(got, line[:strings.LastIndex(line[:strings.LastIndex(line, "|")], "|")-1])
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("families (-table +docs/models.md):\n%s", diff)
	}
}

// Looking for one feature finds what looking for all does, whatever stands
// between the children or the digits that the feature is about.
func TestOneFeatureAmongOthers(t *testing.T) {
	g := grammartest.Load(t, `grammar G;
s : (x y)* CODE? EOF ;
x : ID ;
y : NUMBER ;
ID : [a-z]+ ;
NUMBER : '-'? [0-9]+ ;
CODE : '#' HEX ':' HEX HEX ':' HEX ;
fragment HEX : [0-9A-F] ;
WS : [ \n]+ -> skip ;
`)
	for _, input := range []string{"b 1 a 2", "a 2 b 1 c 0 #1:41:2", "a 1 a 1", "#0:80:0"} {
		tree := grammartest.Parse(t, g, input)
		found := extrasOf(t, NewExtraExtractor(g, AllKinds()), tree)
		possible := slices.Clone(found) // and those of the other inputs
		for _, other := range []string{"b 2 a 1 #0:0A:0", "a 1 b 2 #0:41:0"} {
			possible = append(possible, extrasOf(t, NewExtraExtractor(g, AllKinds()), grammartest.Parse(t, g, other))...)
		}
		for _, e := range possible {
			got := extrasOf(t, NewExtraExtractor(g, Of(e.Kind()), e), tree)
			if (len(got) == 1) != slices.Contains(found, e) {
				t.Errorf("%q: %s: found alone %v, among all %v", input, e.Describe(NewSpace(g, Options{})), len(got) == 1, slices.Contains(found, e))
			}
		}
	}
}

func extrasOf(t *testing.T, x *ExtraExtractor, tree *derivation.Tree) []Extra {
	t.Helper()
	var out []Extra
	if err := x.Each(tree, func(e Extra, _ Position) { out = append(out, e) }); err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out
}

// Inputs with a feature satisfy its need, and if it is a count, others do not.
// What is needed for values is only a way to get them.
func TestNeeds(t *testing.T) {
	values, err := KindsNamed("values")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range bundled.Names() {
		g := grammartest.Bundled(t, name)
		samples, err := bundled.Samples(name)
		if err != nil {
			t.Fatal(err)
		}
		var trees []*derivation.Tree
		var found [][]Extra
		var all []Extra
		x := NewExtraExtractor(g, AllKinds()&^values)
		for _, sample := range samples[:min(len(samples), 5)] {
			trees = append(trees, grammartest.Parse(t, g, string(sample.Text)))
			found = append(found, extrasOf(t, x, trees[len(trees)-1]))
			all = append(all, found[len(found)-1]...)
		}
		slices.Sort(all)
		all = slices.Compact(all)
		space := NewSpace(g, Options{})
		var ends []map[endKey]int
		for _, tree := range trees {
			ends = append(ends, pathEnds(t, g, tree))
		}
		for _, e := range all {
			need, ok := e.Need(space)
			if !ok {
				t.Fatalf("%s: no need of %s", name, e.Describe(space))
			}
			for i := range trees {
				n := 0
				for _, p := range need.Paths {
					n += ends[i][endKey{need.Trivia, space.ID(p)}]
				}
				_, has := slices.BinarySearch(found[i], e)
				if has && n < need.Min || !has && e.Kind() == Count && n >= need.Min {
					t.Errorf("%s: sample %d: %s: %v, but %d nodes are %s, need %d", name, i, e.Describe(space), has, n, need.Text, need.Min)
				}
			}
		}
	}
}

type endKey struct {
	trivia bool
	id     uint64
}

// pathEnds counts the nodes of a tree that are the end of each path of one or two symbols.
func pathEnds(t *testing.T, g *grammars.Grammar, tree *derivation.Tree) map[endKey]int {
	t.Helper()
	out := map[endKey]int{}
	for _, trivia := range []bool{false, true} {
		x := NewExtractor(NewSpace(g, Options{Trivia: trivia, Absent: true}), 2)
		if err := x.Each(tree, func(_ int, id uint64, _ Position) { out[endKey{trivia, id}]++ }); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// A feature from a file may be malformed.
func TestValid(t *testing.T) {
	const nodes = 10
	for _, tc := range []struct {
		name string
		e    Extra
		want bool
	}{
		{"operands", newExtra(Operands, 0, 1, 2), true},
		{"operands of one occurrence", newExtra(Operands, 0, 1, derivation.None), false},
		{"operands of an unknown occurrence", newExtra(Operands, 0, 1, nodes), false},
		{"a length", newExtra(Length, 2, 1, derivation.None), true},
		{"a text without characters", newExtra(Value, 0, 1, derivation.None), false},
		{"a character", newExtra(Character, 4, 1, derivation.None), true},
		{"an unknown kind", newExtra(31, 0, 1, derivation.None), false},
	} {
		if got := tc.e.Valid(nodes); got != tc.want {
			t.Errorf("%s: got %v, want %v", tc.name, got, tc.want)
		}
	}
}
