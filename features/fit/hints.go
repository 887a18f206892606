package fit

import (
	"fmt"
	"math/big"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/g4"
)

// maxAlternatives is the number of alternatives of a choice above which each is
// too rare to be generated or learned from.
const maxAlternatives = 100

// maxPaths is the number of 2-paths above which covering them or learning from
// them takes long.
const maxPaths = 200_000

// Hints returns warnings about parts of a valid grammar that are hard to generate
// or learn from.
func Hints(g *grammars.Grammar) g4.Diagnostics {
	var out g4.Diagnostics
	for _, n := range g.Nodes {
		if n.Kind != grammars.Alternation || n.Rule == nil || len(n.Children) <= maxAlternatives {
			continue
		}
		pos := n.Pos
		if pos.Line == 0 {
			pos = n.Rule.Pos
		}
		what, remedy := "alternatives", "group them into rules"
		if isSet(n) {
			what, remedy = "ranges in a set", "a property such as \\p{L} or a negated set counts as one"
		}
		out = append(out, g4.Diagnostic{Pos: pos, Severity: g4.Warning, Message: fmt.Sprintf(
			"rule %s has %d %s: each is rarely generated and hard to learn from; %s", n.Rule.Name, len(n.Children), what, remedy)})
	}
	if paths := features.NewSpace(g, features.Options{}).Count(2); paths.Cmp(big.NewInt(maxPaths)) > 0 {
		out = append(out, g4.Diagnostic{Pos: g.Rule(g.Start).Pos, Severity: g4.Warning, Message: fmt.Sprintf(
			"the grammar has %v 2-paths: covering them and learning from them takes long", paths)})
	}
	return out
}
