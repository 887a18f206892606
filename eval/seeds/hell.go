package main

import (
	"context"
	"fmt"

	"github.com/inroad/inroad/eval/internal/report"
	"github.com/inroad/inroad/eval/internal/statistics"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/model/observe"
	"github.com/inroad/inroad/targeting/generate"
)

// Ways of Inputs from Hell to generate inputs.
const (
	commonInputs   = "common"
	uncommonInputs = "uncommon"
	uniformInputs  = "uniform"
)

// hell measures what inputs reach that are generated with the probabilities of samples,
// with inverted probabilities, and without any.
func hell(ctx context.Context, l *lab) (*report.Document, error) {
	selected, notes := l.selected(func(p program) bool { return p.Grammar != "markdown" })
	ways := []string{commonInputs, uncommonInputs, uniformInputs}
	var cells []cell
	for seed := 1; seed <= l.seeds; seed++ {
		for _, p := range selected {
			for _, way := range ways {
				cells = append(cells, cell{Table: "hell", Program: p.Name, Way: way, Seed: seed, N: l.n})
			}
		}
	}
	done, failed, err := l.fill(ctx, cells, l.generateLikeSamples)
	if err != nil {
		return nil, err
	}
	t := report.Table{
		Caption: "Methods of the samples that generated inputs reach, and the distance between the call frequencies",
		Columns: []string{"program", "way", "methods of the samples", "share reached", "other methods", "distance", "p", "exceptions", "inputs that fail", "exceptions of failing inputs repeated"},
	}
	d := &report.Document{
		Name: "hell", Title: "Common and uncommon inputs: Inputs from Hell", Notes: append(notes, failed...),
		Intro: []string{
			fmt.Sprintf("Probabilities are learned from the samples of the bundled grammar, and %d inputs are generated with them (*common*), with inverted ones (*uncommon*), or with equal ones (*uniform*). ", l.n) +
				"Distance and p are those of the Kolmogorov-Smirnov test of the calls per method and input. " +
				"Published, over 20 programs: common inputs reach 96 % of the methods of the samples, uncommon ones 82 %.",
			"*Repeated* is the failure-inducing strategy: probabilities are learned from the inputs that fail, and the value is the share of their distinct exceptions that new inputs raise again. Published: 15 of 15.",
			"The samples of the publication are not public, so the samples of the bundled grammars replace them.",
		},
	}
	for _, p := range selected {
		for _, way := range ways {
			v := valuesOf(done, func(c cell) bool { return c.Program == p.Name && c.Way == way })
			if len(v) == 0 {
				continue
			}
			line := []any{p.Name, way}
			for _, name := range []string{"methods", "share", "others", "distance", "p", "exceptions", "failing"} {
				line = append(line, statistics.Mean(v[name]))
			}
			if again := v["repeated"]; len(again) > 0 {
				line = append(line, statistics.Mean(again))
			} else {
				line = append(line, "")
			}
			t.Add(line...)
		}
		d.Run.Versions = append(d.Run.Versions, p.version())
	}
	d.Tables = []report.Table{t}
	return d, nil
}

// generateLikeSamples generates inputs in a way, and compares what they reach with what the samples
// reach.
func (l *lab) generateLikeSamples(ctx context.Context, c cell) (row, error) {
	p, g, err := l.withBundledGrammar(ctx, c)
	if err != nil {
		return row{}, err
	}
	built, err := l.build(ctx, p, false)
	if err != nil {
		return row{}, err
	}
	samples, err := bundled.Samples(p.Grammar)
	if err != nil {
		return row{}, err
	}
	learned, err := generate.SampleProbabilities(ctx, p.Grammar, g)
	if err != nil {
		return row{}, err
	}
	var opt generate.Options
	switch c.Way {
	case commonInputs:
		opt.Probabilities = learned
	case uncommonInputs:
		opt.Probabilities = learned.Invert()
	}
	var texts [][]byte
	for _, s := range samples {
		texts = append(texts, s.Text)
	}
	known, err := callsOf(ctx, built, texts)
	if err != nil {
		return row{}, err
	}
	generated, err := drawWith(ctx, g, c, opt)
	if err != nil {
		return row{}, err
	}
	ours, err := callsOf(ctx, built, generated)
	if err != nil {
		return row{}, err
	}
	r := row{Values: compareCalls(known, ours, len(generated))}
	if len(ours.failing) > 0 && opt.Probabilities != nil {
		r.Values["repeated"], err = repeatFailures(ctx, g, built, c, ours)
	}
	return r, err
}

// drawWith generates distinct inputs for a cell.
func drawWith(ctx context.Context, g *grammars.Grammar, c cell, opt generate.Options) (texts [][]byte, err error) {
	for input, err := range generate.Each(ctx, g, opt, drawSeed(c.Seed, "train"), c.N, 1) {
		if err != nil {
			return nil, err
		}
		texts = append(texts, input.Text)
	}
	return texts, nil
}

// calls has how often inputs call the methods of a program, and the inputs that fail.
type calls struct {
	inputs   int
	of       map[string]float64 // by method
	failing  [][]byte
	failures map[string]bool
}

// callsOf runs a program on inputs.
func callsOf(ctx context.Context, p *observe.Program, inputs [][]byte) (*calls, error) {
	runner := p.NewRunner(observe.Limits{})
	defer runner.Close()
	out := &calls{inputs: len(inputs), of: map[string]float64{}, failures: map[string]bool{}}
	for _, input := range inputs {
		o, err := runner.Run(ctx, input)
		if err != nil {
			return nil, err
		}
		out.add(o, input)
	}
	return out, nil
}

func (c *calls) add(o observation.Observation, input []byte) {
	for i, id := range o.Methods {
		if o.Counts == nil {
			c.of[id]++
		} else {
			c.of[id] += float64(o.Counts[i])
		}
	}
	if o.Failure != nil {
		c.failing = append(c.failing, input)
		c.failures[o.Failure.Type+" "+o.Failure.Stack] = true
	}
}

// frequencies returns the calls per input of the methods that either set calls.
func (c *calls) frequencies(other *calls) []float64 {
	var out []float64
	for id := range c.of {
		out = append(out, c.of[id]/float64(c.inputs))
	}
	for id := range other.of {
		if _, ok := c.of[id]; !ok {
			out = append(out, 0)
		}
	}
	return out
}

// compareCalls compares generated inputs with samples.
func compareCalls(samples, generated *calls, n int) map[string]float64 {
	shared := 0
	for id := range samples.of {
		if _, ok := generated.of[id]; ok {
			shared++
		}
	}
	distance, p := statistics.KolmogorovSmirnov(samples.frequencies(generated), generated.frequencies(samples))
	return map[string]float64{
		"methods": float64(len(samples.of)), "share": float64(shared) / float64(max(1, len(samples.of))), "others": float64(len(generated.of) - shared),
		"distance": distance, "p": p, "exceptions": float64(len(generated.failures)), "failing": float64(len(generated.failing)) / float64(max(1, n)),
	}
}

// repeatFailures learns probabilities from the inputs that failed, and returns the share
// of their distinct exceptions that as many new inputs raise again.
func repeatFailures(ctx context.Context, g *grammars.Grammar, p *observe.Program, c cell, failed *calls) (float64, error) {
	tally := generate.NewTally(g)
	for _, input := range failed.failing {
		tree, err := g.Parse(ctx, input, grammars.ParseOptions{})
		if err != nil {
			return 0, err
		}
		if err := tally.Add(tree); err != nil {
			return 0, err
		}
	}
	c.Seed += 1 << 16 // other inputs than those that failed
	texts, err := drawWith(ctx, g, c, generate.Options{Probabilities: tally.Probabilities()})
	if err != nil {
		return 0, err
	}
	again, err := callsOf(ctx, p, texts)
	if err != nil {
		return 0, err
	}
	repeated := 0
	for failure := range failed.failures {
		if again.failures[failure] {
			repeated++
		}
	}
	return float64(repeated) / float64(len(failed.failures)), nil
}
