package model

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model/observation"
)

// manyMethods adds up to 1,000 methods to each observation. Which ones depends
// on a few random strings in the input.
func manyMethods(observations []observation.Observation) []observation.Observation {
	r := rand.New(rand.NewPCG(5, 6))
	type rule struct {
		a, b int
		both bool
	}
	methods := make([]rule, 1000)
	for i := range methods {
		methods[i] = rule{r.IntN(len(rules)), r.IntN(len(rules)), r.IntN(2) == 0}
	}
	for i, o := range observations {
		var holds []bool
		for _, rule := range rules {
			holds = append(holds, rule.on(string(o.Input)))
		}
		observations[i].Methods = []string{}
		for j, m := range methods {
			if m.both && holds[m.a] && holds[m.b] || !m.both && (holds[m.a] || !holds[m.b]) || r.IntN(100) == 0 {
				observations[i].Methods = append(observations[i].Methods, fmt.Sprintf("m%03d", j))
			}
		}
	}
	return observations
}

// eachLearner runs a benchmark with decision trees alone, and with regressions that may
// overrule them.
func eachLearner(b *testing.B, run func(b *testing.B, opt Options)) {
	b.Helper()
	for name, regressions := range map[string]bool{"trees": false, "regressions": true} {
		opt := Defaults()
		opt.Workers, opt.Regressions = 2, regressions
		b.Run(name, func(b *testing.B) { run(b, opt) })
	}
}

// BenchmarkPredict predicts 1,000 methods for a JSON input of 100 bytes,
// including its parsing.
func BenchmarkPredict(b *testing.B) {
	eachLearner(b, func(b *testing.B, opt Options) {
		b.Helper()
		opt.Folds = 2
		m := train(b, manyMethods(observe(1, 1000)), opt)
		input := []byte(`{"name": "inroad", "tags": ["parse", "learn"], "size": 12.5, "deep": {"ok": true, "none": null, "x": 1}}`)
		b.SetBytes(int64(len(input)))
		for b.Loop() {
			if _, err := m.Predict(b.Context(), input, grammars.Limits{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkTrain(b *testing.B) {
	eachLearner(b, func(b *testing.B, opt Options) {
		b.Helper()
		observations := manyMethods(observe(1, 1000))
		for b.Loop() {
			train(b, observations, opt)
		}
	})
}
