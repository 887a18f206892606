//go:build unix

package campaign_test

import (
	"context"
	"flag"
	"runtime"
	"runtime/debug"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/targeting/campaign"
)

// A scanner is a program that takes almost no time: it has a method for each printable
// character and for each depth of brackets, and fails on some inputs.
type scanner struct{ characters, depths []string }

func newScanner() scanner {
	var s scanner
	for b := '!'; b < 127; b++ {
		s.characters = append(s.characters, "character "+string(b))
	}
	for depth := range 9 {
		s.depths = append(s.depths, "depth "+string(rune('1'+depth)))
	}
	return s
}

func (s scanner) Run(_ context.Context, input []byte) (observation.Observation, error) {
	o := observation.Observation{Input: input, Outcome: observation.OK, Duration: time.Millisecond}
	var met [128]bool
	depth, deepest, methods := 0, 0, 0
	for _, b := range input {
		switch b {
		case '(', '[', '{', '<':
			depth++
		case ')', ']', '}', '>':
			depth--
		}
		if b &= 127; !met[b] && b > ' ' && b < 127 {
			methods++
		}
		met[b] = true
		deepest = max(deepest, depth)
	}
	depths := s.depths[:min(deepest, len(s.depths))]
	o.Methods = slices.Grow(o.Methods, methods+len(depths))
	for i, name := range s.characters {
		if met['!'+i] {
			o.Methods = append(o.Methods, name)
		}
	}
	o.Methods = append(o.Methods, depths...)
	if depth < 0 {
		o.Outcome, o.Failure = observation.Failed, &observation.Failure{Type: "unbalanced"}
	}
	return o, nil
}

// forgetful is a log that keeps nothing, as that of inroad fuzz, which writes a file.
type forgetful struct{}

func (forgetful) Lookup([]byte) (o observation.Observation, ok bool) { return o, false }

func (forgetful) Append(observation.Observation) error { return nil }

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
// beside the runs of the program: "start-ms" to prepare the grammar and the algorithm, and
// "us/input" to generate an input, parse it back, count its paths and learn from it.
// "%-of-1ms" is the share of both in the time of the campaign if the program takes 1 ms
// for an input, "B/input" the mean size of an input, "paths" the number of different paths
// of length 3, and "MB" the largest heap between two generations. Garbage is collected as
// in inroad fuzz.
func BenchmarkCampaign(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(campaign.GCPercent))
	for _, name := range []string{"json", "expr", "css", "xml", "sql", "javascript"} {
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
				opt := campaign.Options{
					Algorithm: a, Sources: files, Corpus: corpus, Runs: *benchRuns,
					EvoGFuzz: campaign.EvoGFuzzOptions{Generations: -1}, FDLoop: campaign.FDLoopOptions{Generations: -1},
				}
				var m measured
				for b.Loop() {
					opt.Seed++
					m.campaign(b, grammartest.Bundled(b, name), opt)
				}
				m.report(b)
			})
		}
	}
}

// measured is what campaigns took.
type measured struct {
	campaigns, inputs, bytes int
	paths                    int
	start, rest              time.Duration
	heap                     uint64
}

// campaign runs and measures a campaign.
func (m *measured) campaign(b *testing.B, g *grammars.Grammar, opt campaign.Options) {
	b.Helper()
	runtime.GC()
	began := processorTime(b)
	c, err := campaign.New(b.Context(), g, opt)
	if err != nil {
		b.Fatal(err)
	}
	m.start += processorTime(b) - began
	m.campaigns++
	began = processorTime(b)
	var stats runtime.MemStats
	told := func(o observation.Observation, _ bool) {
		m.inputs++
		m.bytes += len(o.Input)
		if m.inputs%500 == 0 {
			runtime.ReadMemStats(&stats)
			m.heap = max(m.heap, stats.HeapInuse)
		}
	}
	if err := campaign.Run(b.Context(), c, []campaign.Runner{newScanner()}, forgetful{}, told); err != nil {
		b.Fatal(err)
	}
	m.rest += processorTime(b) - began
	m.paths += c.Status().Paths
}

func (m *measured) report(b *testing.B) {
	b.Helper()
	inputs := float64(m.inputs)
	ours, program := float64(m.start+m.rest), inputs*float64(time.Millisecond)
	b.ReportMetric(0, "ns/op") // the time of a campaign of any number of inputs says little
	b.ReportMetric(m.start.Seconds()*1e3/float64(m.campaigns), "start-ms")
	b.ReportMetric(m.rest.Seconds()*1e6/inputs, "us/input")
	b.ReportMetric(100*ours/(ours+program), "%-of-1ms")
	b.ReportMetric(float64(m.bytes)/inputs, "B/input")
	b.ReportMetric(float64(m.paths)/float64(m.campaigns), "paths")
	b.ReportMetric(float64(m.heap)/1e6, "MB")
}
