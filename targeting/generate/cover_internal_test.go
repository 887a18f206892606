package generate

import (
	"math/rand/v2"
	"testing"

	"github.com/inroad/inroad/grammars/grammartest"
)

// TestBlameIsLimited checks that a path that is never read stops counting as uncovered once,
// however many inputs it is blamed for.
func TestBlameIsLimited(t *testing.T) {
	x, err := New(grammartest.Load(t, "grammar g; s : 'a' | 'b' ;"), rand.New(rand.NewPCG(1, 0)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewCover(x, 1, CoverOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p := c.paths[0]
	for range 1000 {
		c.number++
		c.undo = append(c.undo, 0)
		c.blame(&drawing{}, nil)
	}
	if got := c.starts[p[0]]; got != 0 {
		t.Errorf("%d uncovered paths begin with the symbol, want 0", got)
	}
}
