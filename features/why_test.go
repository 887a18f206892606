package features_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/grammars/refine"
)

// Each path that is excluded has the reason that excludes it, and all others have none.
func TestExclusions(t *testing.T) {
	for name, c := range map[string]struct {
		grammar string
		want    map[string]refine.Reason // of paths with the last symbol
	}{
		"nothing": {"grammar G;\ns : x EOF ;\nx : 'a' | 'b' ;\n", map[string]refine.Reason{}},
		"an endless rule": {
			"grammar G;\ns : (x | 'a') EOF ;\nx : 'b' x ;\n", map[string]refine.Reason{"x": refine.Unproductive, "'b'": refine.Unproductive},
		},
		"an operand":              {"grammar G;\ns : e EOF ;\ne : e '*' 'x' | e '+' e | 'y' ;\n", map[string]refine.Reason{"e": refine.Precedence, "'+'": refine.Precedence}},
		"an alternative":          {"grammar G;\ns : (a | b) EOF ;\na : 'x' | 'y' ;\nb : 'x' | 'z' ;\n", map[string]refine.Reason{"'x'": refine.Preferred}},
		"a part of a token":       {"grammar G;\ns : N EOF ;\nN : A | B ;\nfragment A : 'x' | 'y' ;\nfragment B : 'x' | 'z' ;\n", map[string]refine.Reason{"'x'": refine.InToken}},
		"a token of a later rule": {"grammar G;\ns : (ID | KEY) EOF ;\nID : [a-z]+ ;\nKEY : 'key' ;\n", map[string]refine.Reason{"'key'": refine.Lexer}},
	} {
		t.Run(name, func(t *testing.T) {
			g := grammartest.Load(t, c.grammar)
			e, err := features.NewExclusions(t.Context(), g, features.Options{})
			if err != nil {
				t.Fatal(err)
			}
			all, possible := features.NewSpace(g, features.Options{}), features.NewSpace(g, features.Options{Possible: true})
			got, excluded := map[string]refine.Reason{}, 0
			for p, why := range e.All(2) {
				excluded++
				last, _, _ := strings.Cut(all.Symbols(p)[1], "#")
				if got[last] = why; possible.Has(p) || !all.Has(p) || e.Reason(p) != why {
					t.Errorf("%v is excluded because of %s, and possible: %t", all.Symbols(p), why, possible.Has(p))
				}
			}
			for p := range possible.All(2) {
				if why := e.Reason(p); why != "" || !possible.Has(p) {
					t.Errorf("%v is possible, and excluded because of %q", all.Symbols(p), why)
				}
			}
			if want := int(all.Count(2).Int64() - possible.Count(2).Int64()); !maps.Equal(got, c.want) || excluded != want {
				t.Errorf("%d paths are excluded: %v, want %d: %v", excluded, got, want, c.want)
			}
		})
	}
}
