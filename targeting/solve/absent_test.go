package solve

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/targeting/generate"
)

// A pair that no tree has excludes the reference that needs it, what is below it, and
// symbols that have no other place.
func TestAbsence(t *testing.T) {
	g := grammartest.Load(t, "grammar G;\ns : (x | y) EOF ;\nx : A z ;\ny : A z? | B ;\nz : A | w ;\nw : B ;\nA : 'a' ;\nB : 'b' ;\n")
	for _, test := range []struct{ name, impossible, excludes, keeps string }{
		{"a part that is needed", "x z", "x A, x z, z w", "y z, y B, w B"},
		{"a part that is optional", "y z", "y z", "y A, y B, x z, w B"},
		{"a symbol below each reference", "z w, z w", "w B, z w", "x z, y z, z A"},
	} {
		t.Run(test.name, func(t *testing.T) {
			x, err := generate.New(g, rand.New(rand.NewPCG(1, 0)), generate.Options{})
			if err != nil {
				t.Fatal(err)
			}
			cover, err := generate.NewCover(x, 2, generate.CoverOptions{})
			if err != nil {
				t.Fatal(err)
			}
			a := newAbsence(g, g.Rule("s"), cover)
			for _, p := range named(t, g, test.impossible) {
				a.add(p)
			}
			a.spread()
			excluded := func(names string) bool {
				return slices.ContainsFunc(named(t, g, names), a.excludes)
			}
			for name := range strings.SplitSeq(test.excludes, ", ") {
				if !excluded(name) {
					t.Errorf("%s is not excluded", name)
				}
			}
			for name := range strings.SplitSeq(test.keeps, ", ") {
				if paths := named(t, g, name); a.excludes(paths[len(paths)-1]) {
					t.Errorf("%s is excluded", name)
				}
			}
		})
	}
}

// named returns the paths of two symbols that names such as "x z" stand for.
func named(t *testing.T, g *grammars.Grammar, names string) []features.Path {
	t.Helper()
	var out []features.Path
	for name := range strings.SplitSeq(names, ", ") {
		above, below, _ := strings.Cut(name, " ")
		for p := range features.NewSpace(g, features.Options{}).All(2) {
			if g.Nodes[p[0]].Text == above && g.Nodes[p[1]].Text == below {
				out = append(out, features.Path{p[0], p[1]})
			}
		}
	}
	if out == nil {
		t.Fatalf("no path %s", names)
	}
	return out
}
