package campaign

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/targeting/generate"
)

// A mutator remembers many small inputs, but not so many large ones that they take
// gigabytes.
func TestMutatorMemory(t *testing.T) {
	g := grammartest.Load(t, "grammar G; s : (A | B)* EOF ; A : 'a' ; B : [b-z0-9]+ ;")
	for _, c := range []struct {
		repeats, inputs int // of an input, and their number
		trees, known    int // that are remembered
	}{
		{1, 2000, 2000, maxKnownTrees},
		{20_000, 250, 1, 1}, // each takes about 1.5 MB
	} {
		m, err := NewMutator(t.Context(), g, rand.New(rand.NewPCG(1, 0)), generate.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for n := range c.inputs {
			if _, err := m.parse(t.Context(), []byte(fmt.Sprintf("b%d", n)+strings.Repeat("ab", c.repeats))); err != nil {
				t.Fatal(err)
			}
		}
		trees, known := 0, 0
		for _, tree := range m.trees {
			trees += bytesOf(tree)
		}
		for _, tree := range m.known {
			known += bytesOf(tree)
		}
		if trees > maxTreeBytes || known > maxKnownBytes || trees != m.treeBytes || known != m.knownBytes {
			t.Errorf("inputs of %d bytes: trees take %d bytes, counted as %d, and known ones %d, counted as %d", 2*c.repeats, trees, m.treeBytes, known, m.knownBytes)
		}
		if len(m.trees) < c.trees || len(m.known) < c.known {
			t.Errorf("inputs of %d bytes: %d trees and %d known ones, want at least %d and %d", 2*c.repeats, len(m.trees), len(m.known), c.trees, c.known)
		}
	}
}
