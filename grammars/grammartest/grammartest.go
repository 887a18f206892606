// Package grammartest helps tests to work with grammars. [Load] and [Bundled]
// return a grammar and [Parse] a tree; all end the test on failure.
package grammartest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/grammars/derivation"
)

// Load loads one grammar from the texts of its files.
func Load(tb testing.TB, texts ...string) *grammars.Grammar {
	tb.Helper()
	var sources []grammars.Source
	for i, text := range texts {
		sources = append(sources, grammars.Source{Name: fmt.Sprintf("%d.g4", i+1), Text: text})
	}
	g, err := grammars.Load(tb.Context(), sources...)
	if err != nil {
		tb.Fatalf("load %q: %v", texts, err)
	}
	return g
}

// Bundled loads a bundled grammar.
func Bundled(tb testing.TB, name string) *grammars.Grammar {
	tb.Helper()
	g, err := bundled.Load(tb.Context(), name)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// Parse parses the whole input from the grammar's start rule.
func Parse(tb testing.TB, g *grammars.Grammar, input string) *derivation.Tree {
	tb.Helper()
	tree, err := g.Parse(tb.Context(), []byte(input), grammars.ParseOptions{})
	if err != nil {
		tb.Fatalf("parse %q by %s: %v", input, g.Name, err)
	}
	return tree
}

// Lisp returns a tree in LISP form.
func Lisp(tb testing.TB, tree *derivation.Tree) string {
	tb.Helper()
	var b strings.Builder
	if err := tree.WriteLisp(&b); err != nil {
		tb.Fatal(err)
	}
	return b.String()
}
