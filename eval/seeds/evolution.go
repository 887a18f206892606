package main

import (
	"context"
	"fmt"

	"github.com/inroad/inroad/eval/internal/report"
	"github.com/inroad/inroad/eval/internal/statistics"
	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/targeting/campaign"
)

// evolution compares the algorithms of EvoGFuzz and FDLOOP with the default of inroad
// fuzz, with as many runs.
func evolution(ctx context.Context, l *lab) (*report.Document, error) {
	selected, notes := l.selected(func(p program) bool { return p.Grammar != "markdown" })
	algorithms := campaign.Algorithms()
	var cells []cell
	for seed := 1; seed <= l.seeds; seed++ {
		for _, p := range selected {
			for _, a := range algorithms {
				cells = append(cells, cell{Table: "evolution", Program: p.Name, Way: string(a), Seed: seed, N: l.n})
			}
		}
	}
	known, err := readPublished("evolution")
	if err != nil {
		return nil, err
	}
	done, failed, err := l.fill(ctx, cells, l.evolve)
	if err != nil {
		return nil, err
	}
	t := report.Table{Caption: fmt.Sprintf("Blocks reached and distinct exceptions in %d runs; means over the seeds", l.n), Columns: []string{"program", "algorithm", "share of blocks", "p", "A", "exceptions", "p", "A", "published lines"}}
	d := &report.Document{
		Name: "evolution", Title: "Evolution: EvoGFuzz and FDLOOP", Notes: append(notes, failed...),
		Intro: []string{
			"Every algorithm starts from the samples of the bundled grammar and runs the program as often. p and A are those of the Mann-Whitney U test of an algorithm against `" + string(campaign.EvoGFuzz) + "`.",
			"Published for EvoGFuzz: 1.4 % to 54.7 % more line coverage than the plain probabilistic approach, and 13 types of exceptions against 6. Published for FDLOOP: 14 distinct exceptions against 7 of EvoGFuzz.",
			"The publications count lines; these are blocks, as in [covering](covering.md). Published lines are the mean shares of Table 2 of the thesis about EvoGFuzz, of earlier versions of the programs, in 10,000 runs; the plain approach is `common` here. Exceptions differ by type or stack here, and by type in the publications.",
		},
	}
	for _, p := range selected {
		of := func(way string) map[string][]float64 {
			return valuesOf(done, func(c cell) bool { return c.Program == p.Name && c.Way == way })
		}
		for _, a := range algorithms {
			values, base := of(string(a)), of(string(campaign.EvoGFuzz))
			if len(values) == 0 {
				continue
			}
			line := []any{p.Name, a}
			for _, name := range []string{"blocks", "exceptions"} {
				line = append(line, statistics.Mean(values[name]))
				if a == campaign.EvoGFuzz {
					line = append(line, "", "")
				} else {
					line = append(line, versus(values[name], base[name])...)
				}
			}
			t.Add(append(line, known.get(p.Name, string(a)))...)
		}
		d.Run.Versions = append(d.Run.Versions, p.version())
	}
	d.Tables = []report.Table{t}
	return d, nil
}

// evolve runs a campaign.
func (l *lab) evolve(ctx context.Context, c cell) (row, error) {
	p, g, err := l.withBundledGrammar(ctx, c)
	if err != nil {
		return row{}, err
	}
	x, err := l.newCoverage(ctx, p)
	if err != nil {
		return row{}, err
	}
	defer x.runner.Close()
	samples, err := bundled.Samples(p.Grammar)
	if err != nil {
		return row{}, err
	}
	sources, err := bundled.Sources(p.Grammar)
	if err != nil {
		return row{}, err
	}
	built, err := l.build(ctx, p, true)
	if err != nil {
		return row{}, err
	}
	opt := campaign.Options{Algorithm: campaign.Algorithm(c.Way), Seed: drawSeed(c.Seed, "train"), Units: built.Header().Units, Runs: c.N, Sources: sources}
	for _, s := range samples {
		opt.Corpus = append(opt.Corpus, s.Text)
	}
	opt.EvoGFuzz.Generations, opt.FDLoop.Generations = -1, -1
	run, err := campaign.New(ctx, g, opt)
	if err != nil {
		return row{}, err
	}
	if err := campaign.Run(ctx, run, []campaign.Runner{x}, noLog{}, nil); err != nil {
		return row{}, err
	}
	if n := run.Status().Runs; n < c.N {
		return row{}, fmt.Errorf("ended after %d of %d runs", n, c.N)
	}
	return row{Values: map[string]float64{"blocks": x.share(), "exceptions": float64(len(x.failures))}}, nil
}

// noLog makes a campaign run all its inputs.
type noLog struct{}

func (noLog) Lookup([]byte) (o observation.Observation, ok bool) { return o, false }

func (noLog) Append(observation.Observation) error { return nil }
