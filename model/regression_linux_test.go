package model

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/model/observation"
)

// writeSum writes a random sum of the grammar expr.
func writeSum(w *strings.Builder, r *rand.Rand, depth int) {
	for i := range 1 + r.IntN(6) {
		if i > 0 {
			w.WriteByte("+-*/%"[r.IntN(5)])
		}
		switch n := r.IntN(8); {
		case n == 0 && depth > 0:
			w.WriteByte('(')
			writeSum(w, r, depth-1)
			w.WriteByte(')')
		case n == 1 && depth > 0:
			w.WriteString([]string{" +", " -", "++", "--"}[r.IntN(4)])
			w.WriteByte("xyz"[r.IntN(3)])
		case n < 4:
			w.WriteByte("xyz"[r.IntN(3)])
		default:
			for range 1 + r.IntN(3) {
				w.WriteByte("0123456789"[r.IntN(10)])
			}
		}
	}
}

// observeDigrams returns observations of a program that reaches a method for each of some
// pairs of characters that follow each other in the input. Most pairs cross the borders of
// nodes, so that many features tell a little about a method, and none tells all.
func observeDigrams(seed uint64, n, methods int) []observation.Observation {
	r := rand.New(rand.NewPCG(seed, 7))
	var out []observation.Observation
	var digrams []string
	for range n {
		var w strings.Builder
		writeSum(&w, r, 4)
		text := w.String()
		for i := 1; i < len(text) && len(digrams) < methods; i++ {
			if d := text[i-1 : i+1]; !slices.Contains(digrams, d) {
				digrams = append(digrams, d)
			}
		}
		out = append(out, observation.Observation{Input: []byte(text), Outcome: observation.OK})
	}
	for i := range out {
		out[i].Methods = []string{"read"}
		for j, d := range digrams {
			if strings.Contains(string(out[i].Input), d) {
				out[i].Methods = append(out[i].Methods, fmt.Sprintf("m%02d", j))
			}
		}
	}
	return out
}

// BenchmarkRegressions trains with and without regressions on methods that trees predict
// badly, and compares the processor times.
func BenchmarkRegressions(b *testing.B) {
	sources, err := bundled.Sources("expr")
	if err != nil {
		b.Fatal(err)
	}
	for _, n := range []int{1000, 10_000} {
		b.Run(fmt.Sprintf("%d observations", n), func(b *testing.B) {
			observations := observeDigrams(1, n, 40)
			times := map[bool]float64{}
			for b.Loop() {
				for _, regressions := range []bool{false, true} {
					opt := Defaults()
					opt.Workers, opt.Regressions = 2, regressions
					trainer, err := NewTrainer(b.Context(), "", sources, opt)
					if err != nil {
						b.Fatal(err)
					}
					if err := trainer.Add(b.Context(), observations); err != nil {
						b.Fatal(err)
					}
					before := processorTime(b)
					if _, err := trainer.Train(b.Context(), nil); err != nil {
						b.Fatal(err)
					}
					times[regressions] += (processorTime(b) - before).Seconds()
				}
			}
			b.ReportMetric(times[false]/float64(b.N), "trees-s/op")
			b.ReportMetric(times[true]/float64(b.N), "regressions-s/op")
			b.ReportMetric(times[true]/times[false], "times-trees")
		})
	}
}
