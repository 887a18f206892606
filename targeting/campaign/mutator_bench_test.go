package campaign_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/targeting/campaign"
	"github.com/inroad/inroad/targeting/generate"
)

// BenchmarkMutants measures a mutant of a sample of median size.
func BenchmarkMutants(b *testing.B) {
	for _, name := range []string{"json", "xml", "javascript"} {
		b.Run(name, func(b *testing.B) {
			sources, err := bundled.Sources(name)
			if err != nil {
				b.Fatal(err)
			}
			g, err := grammars.Load(b.Context(), sources...)
			if err != nil {
				b.Fatal(err)
			}
			m, err := campaign.NewMutator(b.Context(), g, rand.New(rand.NewPCG(1, 0)), generate.Options{})
			if err != nil {
				b.Fatal(err)
			}
			samples, err := bundled.Samples(name)
			if err != nil {
				b.Fatal(err)
			}
			slices.SortFunc(samples, func(x, y bundled.Sample) int { return cmp.Compare(len(x.Text), len(y.Text)) })
			const batch = 64
			made := 0
			for b.Loop() {
				mutants, err := m.Mutants(b.Context(), samples[len(samples)/2].Text, nil, batch, 1<<20)
				if err != nil {
					b.Fatal(err)
				}
				made += len(mutants)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(made), "ns/mutant")
		})
	}
}
