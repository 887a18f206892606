//go:build unix

package campaign_test

import (
	"cmp"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/targeting/campaign"
	"github.com/inroad/inroad/targeting/generate"
)

// BenchmarkMutants measures the processor time of a mutant of a sample of median size.
// Garbage is collected as in inroad mutate --stdio.
func BenchmarkMutants(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(campaign.GCPercent))
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
			made, bytes := 0, 0
			began := processorTime(b)
			for b.Loop() {
				mutants, err := m.Mutants(b.Context(), samples[len(samples)/2].Text, nil, batch, 1<<20)
				if err != nil {
					b.Fatal(err)
				}
				made += len(mutants)
				for _, text := range mutants {
					bytes += len(text)
				}
			}
			b.ReportMetric(float64((processorTime(b)-began).Nanoseconds())/float64(made), "ns/mutant")
			b.ReportMetric(float64(bytes)/float64(made), "B/mutant")
		})
	}
}
