package fit

import (
	"fmt"
	"math/big"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/g4"
)

// maxAlternatives is how many alternatives one choice can have before each of
// them is too rare to be drawn or learned from.
const maxAlternatives = 100

// maxPaths is how many 2-paths a grammar can have before covering or learning
// from them takes long.
const maxPaths = 200_000

// Hints returns, as warnings, what of a grammar makes generating from it or
// learning from it poor though nothing is wrong with it.
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
			what, remedy = "ranges in a set", "a property such as \\p{L} or a negated set is one symbol"
		}
		out = append(out, g4.Diagnostic{Pos: pos, Severity: g4.Warning, Message: fmt.Sprintf(
			"rule %s has %d %s, each a symbol that is rarely drawn and hard to learn from; %s", n.Rule.Name, len(n.Children), what, remedy)})
	}
	if paths := features.NewSpace(g, features.Options{}).Count(2); paths.Cmp(big.NewInt(maxPaths)) > 0 {
		out = append(out, g4.Diagnostic{Pos: g.Rule(g.Start).Pos, Severity: g4.Warning, Message: fmt.Sprintf(
			"there are %v 2-paths, which takes long to cover and to learn from", paths)})
	}
	return out
}
