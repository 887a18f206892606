package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/inroad/inroad/eval/internal/report"
	"github.com/inroad/inroad/eval/internal/statistics"
	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/targeting/generate"
)

// longest is the greatest length of paths in Table 4.2.
const longest = 5

// correlation measures how the coverage of paths and that of branches depend on each
// other, over the sets of a forest.
func correlation(ctx context.Context, l *lab) (*report.Document, error) {
	known, err := readPublished("correlation")
	if err != nil {
		return nil, err
	}
	selected, notes := l.selected(func(p program) bool { return p.chapter3 != "" })
	var cells []cell
	for seed := 1; seed <= l.seeds; seed++ {
		for _, p := range selected {
			for k := 1; k <= 3; k++ {
				cells = append(cells, cell{Table: "correlation", Program: p.Name, K: k, Seed: seed, N: l.sets})
			}
		}
	}
	done, failed, err := l.fill(ctx, cells, l.correlate)
	if err != nil {
		return nil, err
	}
	d := &report.Document{
		Name: "correlation", Title: "Correlation: Table 4.2 of the dissertation", Notes: append(notes, failed...),
		Intro: []string{
			"Spearman's rank correlation of the share of k-paths and the share of branches that sets of inputs cover; published figures in parentheses. " +
				"Forests are generated for k = 1, 2 and 3: each set covers a random share of the paths, with inputs that are small beside the path. Branches are blocks, as in [covering](covering.md).",
		},
	}
	table := report.Table{Caption: "Spearman's rank correlation", Columns: []string{"program", "sets"}}
	for k := 1; k <= longest; k++ {
		table.Columns = append(table.Columns, fmt.Sprintf("k = %d", k))
	}
	table.Columns = append(table.Columns, "greatest p")
	for _, p := range selected {
		points, branches := setsOf(done, p.Name)
		if len(branches) == 0 {
			continue
		}
		line, greatest := []any{p.Name, len(branches)}, 0.0
		figure := report.Scatter{Title: p.Name, X: "k-path coverage", Y: "branch coverage"}
		for k := 1; k <= longest; k++ {
			rho, value := statistics.Spearman(points[k-1], branches)
			greatest = max(greatest, value)
			line = append(line, fmt.Sprintf("%s (%s)", report.Number(rho), report.Number(known.get(p.Name, strconv.Itoa(k)))))
			series := report.Series{Name: fmt.Sprintf("k = %d", k)}
			for i, x := range points[k-1] {
				series.Points = append(series.Points, report.Point{X: x, Y: branches[i]})
			}
			figure.Series = append(figure.Series, series)
		}
		table.Add(append(line, fmt.Sprintf("%.2g", greatest))...)
		d.Figures = append(d.Figures, figure)
		d.Run.Versions = append(d.Run.Versions, p.version())
	}
	d.Tables = []report.Table{table}
	return d, nil
}

// setsOf returns the path coverage, by length, and the branch coverage of all sets of a
// program.
func setsOf(done []row, program string) (paths [longest][]float64, branches []float64) {
	for _, r := range done {
		if r.Program != program {
			continue
		}
		for set := 1; ; set++ {
			branch, ok := r.Values[fmt.Sprint("branches ", set)]
			if !ok {
				break
			}
			branches = append(branches, branch)
			for k := range longest {
				paths[k] = append(paths[k], r.Values[fmt.Sprint(k+1, "-paths ", set)])
			}
		}
	}
	return paths, branches
}

// correlate runs a program on the sets of a forest. The values of a row have the number
// of the set in their names.
func (l *lab) correlate(ctx context.Context, c cell) (row, error) {
	p, g, err := l.withChapter3Grammar(ctx, c)
	if err != nil {
		return row{}, err
	}
	space := features.NewSpace(g, features.Options{Possible: true})
	var all [longest]float64
	for k := range longest {
		all[k], _ = space.Count(k + 1).Float64()
	}
	x, err := generate.New(g, c.random(), unparsedBounds(g)) //nolint:contextcheck // reading one token back is bounded and takes no context
	if err != nil {
		return row{}, err
	}
	forest, err := generate.NewForest(x, c.K, c.N, generate.CoverOptions{OneTarget: true, CloseOff: generate.ByShortest})
	if err != nil {
		return row{}, err
	}
	r := row{Values: map[string]float64{}}
	extractor := features.NewExtractor(space, longest)
	branches, err := l.newCoverage(ctx, p)
	if err != nil {
		return row{}, err
	}
	defer branches.runner.Close()
	input, set := (*generate.Input)(nil), 1
	for number := 1; ; number++ {
		covered := features.NewSet(longest)
		branches.reset()
		for {
			if input == nil {
				if set, input, err = forest.Next(ctx); err != nil || input == nil {
					break
				}
			}
			if set != number {
				break
			}
			if err = extractor.Add(covered, input.Tree); err != nil {
				break
			}
			if _, err = branches.Run(ctx, input.Text); err != nil {
				break
			}
			input = nil
		}
		if err != nil {
			return row{}, err
		}
		r.Values[fmt.Sprint("branches ", number)] = branches.share()
		for k := range longest {
			r.Values[fmt.Sprint(k+1, "-paths ", number)] = float64(covered.Len(k+1)) / all[k]
		}
		if input == nil {
			break
		}
	}
	return r, nil
}
