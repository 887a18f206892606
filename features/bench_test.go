package features_test

import (
	"strings"
	"testing"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/grammartest"
)

// BenchmarkExtract compares extraction with the parse before it.
func BenchmarkExtract(b *testing.B) {
	g := grammartest.Bundled(b, "json")
	record := `{"id": 17, "name": "plain words, as most are", "tags": ["a", "b\n"], "ratio": -2.5e3, "ok": true, "none": null}`
	input := "[" + strings.Repeat(record+",\n", 999) + record + "]"
	tree := grammartest.Parse(b, g, input)
	b.Run("parse", func(b *testing.B) {
		b.SetBytes(int64(len(input)))
		for b.Loop() {
			if _, err := g.Parse(b.Context(), []byte(input), grammars.ParseOptions{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	space := features.NewSpace(g, features.Options{})
	b.Run("extract-4", func(b *testing.B) {
		b.SetBytes(int64(len(input)))
		x := features.NewExtractor(space, 4)
		for b.Loop() {
			if err := x.Add(features.NewSet(4), tree); err != nil {
				b.Fatal(err)
			}
		}
	})
}
