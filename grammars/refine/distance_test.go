package refine_test

import (
	"testing"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/grammars/refine"
)

func TestDistances(t *testing.T) {
	g := grammartest.Bundled(t, "expr")
	const plus, x = 10, 39
	tests := []struct{ from, to, want grammars.Occurrence }{
		{plus, plus, 0},
		{3, plus, 2},   // concatenation, alternation
		{2, plus, 9},   // multExpr, alternation, unaryExpr, alternation, concatenation, addExpr 36, alternation, concatenation, alternation
		{0, x, 8},      // addExpr, alternation, multExpr, alternation, unaryExpr, alternation, identifier, alternation
		{16, x, 2},     // identifier, alternation
		{44, plus, -1}, // a digit leads nowhere
		{x, 40, -1},
	}
	for _, test := range tests {
		if got := refine.Distances(g, test.to)[test.from]; got != int(test.want) {
			t.Errorf("distance from %d to %d is %d, want %d", test.from, test.to, got, test.want)
		}
	}
}
