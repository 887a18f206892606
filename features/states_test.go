package features

import (
	"math/big"
	"strings"
	"testing"

	"github.com/inroad/inroad/grammars/grammartest"
)

// TestSuccessorsAreShared checks that a space stays linear in the size of its
// grammar where many symbols refer to a rule with many symbols: 1,000 references
// to 1,000 symbols are a million successors.
func TestSuccessorsAreShared(t *testing.T) {
	const n = 1000
	g := grammartest.Load(t, "grammar g; s : "+strings.Repeat("r ", n)+"; r : "+strings.Repeat("A ", n)+"; A : 'a' ;")
	for _, opt := range []Options{{}, {Possible: true}, {Names: true}} {
		space := NewSpace(g, opt)
		size := 0
		for _, list := range space.nexts {
			size += len(list)
		}
		if size > 2*len(g.Nodes) {
			t.Errorf("%+v: %d successors for %d nodes", opt, size, len(g.Nodes))
		}
		if want := map[bool]int64{false: n*n + n, true: 2}[opt.Names]; space.Count(2).Int64() != want {
			t.Errorf("%+v: %v paths of length 2, want %d", opt, space.Count(2), want)
		}
	}
}

// TestCountsAreExact checks a number of paths that needs more than 64 bits: 999
// symbols refer to their own rule, and two have nothing below.
func TestCountsAreExact(t *testing.T) {
	g := grammartest.Load(t, "grammar g; s : 'x' | 'y' "+strings.Repeat("s ", 999)+";")
	want := new(big.Int).Exp(big.NewInt(999), big.NewInt(MaxK-1), nil)
	want.Mul(want, big.NewInt(1001))
	if got := NewSpace(g, Options{}).Count(MaxK); got.Cmp(want) != 0 {
		t.Errorf("%v paths of length %d, want %v", got, MaxK, want)
	}
}
