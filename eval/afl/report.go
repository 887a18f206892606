package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/inroad/inroad/eval/internal/statistics"
)

// printReport prints a table with a line for each library and way.
func printReport(w io.Writer, cells []cell) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "library\tway\tcells\tedges\tp\tA\tcrashes\tp\tA\tthousand runs\tseeded\timported\tload")
	for _, t := range targets() {
		base := valuesOf(cells, t.name, alone)
		for _, way := range ways() {
			v := valuesOf(cells, t.name, way)
			if len(v.edges) == 0 {
				continue
			}
			fmt.Fprintf(table, "%s\t%s\t%d\t%.1f\t%s\t%.1f\t%s\t%.0f\t%.1f\t%.1f\t%.1f\n", t.name, way, len(v.edges), statistics.Mean(v.edges), versus(way, v.edges, base.edges),
				statistics.Mean(v.crashes), versus(way, v.crashes, base.crashes), statistics.Mean(v.runs)/1000, statistics.Mean(v.seeded), statistics.Mean(v.imported), statistics.Mean(v.load))
		}
	}
	return table.Flush()
}

// versus compares a way with alone.
func versus(way string, x, base []float64) string {
	if way == alone || len(base) == 0 {
		return "\t"
	}
	p, effect := statistics.MannWhitney(x, base)
	return fmt.Sprintf("%.3f\t%.2f", p, effect)
}

// values are the results of the cells of a library and a way.
type values struct{ edges, crashes, runs, seeded, imported, load []float64 }

func valuesOf(cells []cell, target, way string) (v values) {
	for _, c := range cells {
		if c.Target == target && c.Way == way {
			v.edges, v.crashes = append(v.edges, float64(c.Edges)), append(v.crashes, float64(c.Distinct))
			v.runs, v.seeded, v.load = append(v.runs, float64(c.Runs)), append(v.seeded, float64(c.Seeded)), append(v.load, c.Load)
			v.imported = append(v.imported, float64(c.Imported))
		}
	}
	return v
}
