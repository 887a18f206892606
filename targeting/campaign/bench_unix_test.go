//go:build unix

package campaign_test

import (
	"context"
	"flag"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/targeting/campaign"
)

// A scanner is a program that takes no time: it has a method for each printable
// character and for each depth of brackets, and fails on some inputs.
type scanner struct{}

func (scanner) Run(_ context.Context, input []byte) (observation.Observation, error) {
	o := observation.Observation{Input: input, Outcome: observation.OK, Duration: time.Millisecond}
	var met [128]bool
	depth, deepest := 0, 0
	for _, b := range input {
		switch b {
		case '(', '[', '{', '<':
			depth++
		case ')', ']', '}', '>':
			depth--
		}
		met[b&127] = true
		deepest = max(deepest, depth)
	}
	for b := '!'; b < 127; b++ {
		if met[b] {
			o.Methods = append(o.Methods, "character "+string(b))
		}
	}
	for depth := range min(deepest, 9) {
		o.Methods = append(o.Methods, "depth "+string(rune('1'+depth)))
	}
	if depth < 0 {
		o.Outcome, o.Failure = observation.Failed, &observation.Failure{Type: "unbalanced"}
	}
	return o, nil
}

// processorTime returns the time that all threads of this process took so far.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

var benchRuns = flag.Int("runs", 2000, "number of inputs of each campaign of BenchmarkCampaign")

// BenchmarkCampaign measures the processor time that a campaign of -runs inputs takes
// for each input beside the runs of the program: generating, parsing back, bookkeeping,
// counting paths and learning. "%-of-1ms" is its share if the program takes 1 ms.
func BenchmarkCampaign(b *testing.B) {
	for _, name := range []string{"json", "css", "xml", "javascript"} {
		g := grammartest.Bundled(b, name)
		files, err := bundled.Sources(name)
		if err != nil {
			b.Fatal(err)
		}
		samples, err := bundled.Samples(name)
		if err != nil {
			b.Fatal(err)
		}
		var corpus [][]byte
		for _, s := range samples {
			corpus = append(corpus, s.Text)
		}
		for _, a := range campaign.Algorithms() {
			b.Run(name+"/"+string(a), func(b *testing.B) {
				inputs, seed := 0, uint64(0)
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				began := processorTime(b)
				for b.Loop() {
					seed++
					c, err := campaign.New(b.Context(), g, campaign.Options{
						Algorithm: a, Seed: seed, Sources: files, Corpus: corpus, Runs: *benchRuns,
						EvoGFuzz: campaign.EvoGFuzzOptions{Generations: -1}, FDLoop: campaign.FDLoopOptions{Generations: -1},
					})
					if err != nil {
						b.Fatal(err)
					}
					if err := campaign.Run(b.Context(), c, []campaign.Runner{scanner{}}, memory{}, nil); err != nil {
						b.Fatal(err)
					}
					inputs += c.Status().Runs
				}
				runtime.ReadMemStats(&after)
				each := float64(processorTime(b)-began) / float64(inputs)
				b.ReportMetric(each, "cpu-ns/input")
				b.ReportMetric(100*each/(each+1e6), "%-of-1ms")
				b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(inputs), "B/input")
			})
		}
	}
}
