package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/inroad/inroad/eval/internal/report"
	"github.com/inroad/inroad/eval/internal/statistics"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/targeting/generate"
)

// lengths returns the lengths of paths in the tables of chapter 3.
func lengths() []int { return []int{1, 2, 3, 5} }

// lengths returns the lengths that are measured.
func (l *lab) lengths() []int {
	if l.smoke {
		return lengths()[:2]
	}
	return lengths()
}

// coverOptions returns the options of manyPaths or onePath.
func coverOptions(way string) generate.CoverOptions {
	return generate.CoverOptions{OneTarget: way == onePath, CloseOff: generate.ByChance}
}

// chapter3 returns the grammars of Table 3.1: the name there, the file in the folder of
// -grammars, and the bundled grammar.
func chapter3() [][3]string {
	return [][3]string{{"JSON", "JSON", "json"}, {"CSV", "CSV", "csv"}, {"URL", "url", "url"}, {"Markdown", "Markdown", ""}}
}

// inputs measures how many inputs cover all paths of a grammar.
func inputs(ctx context.Context, l *lab) (*report.Document, error) {
	known, err := readPublished("inputs")
	if err != nil {
		return nil, err
	}
	var cells []cell
	for seed := 1; seed <= l.seeds; seed++ {
		for _, k := range l.lengths() {
			for _, g := range chapter3() {
				for _, setting := range []string{"published grammar", "bundled grammar"} {
					for _, way := range []string{onePath, manyPaths} {
						exists := setting == "bundled grammar" && g[2] != "" || setting == "published grammar" && !l.smoke
						if exists && l.only.MatchString(g[0]) {
							cells = append(cells, cell{Table: "inputs", Program: g[0], Setting: setting, Way: way, K: k, Seed: seed})
						}
					}
				}
			}
		}
	}
	done, notes, err := l.fill(ctx, cells, l.countInputs)
	if err != nil {
		return nil, err
	}
	table := report.Table{Caption: "Inputs that cover all paths; means over the seeds, and the share of the paths that are covered where it is not all of them", Columns: []string{"grammar", "", "way"}}
	for _, k := range lengths() {
		table.Columns = append(table.Columns, fmt.Sprintf("k = %d", k), fmt.Sprintf("k = %d, bytes", k))
	}
	for _, g := range chapter3() {
		line := []any{g[0], "dissertation", onePath}
		for _, k := range lengths() {
			line = append(line, known.get(g[0], strconv.Itoa(k)), "")
		}
		table.Add(line...)
		for _, setting := range []string{"published grammar", "bundled grammar"} {
			for _, way := range []string{onePath, manyPaths} {
				line, measured := []any{g[0], setting, way}, false
				for _, k := range lengths() {
					values := valuesOf(done, func(c cell) bool { return c.Program == g[0] && c.Setting == setting && c.Way == way && c.K == k })
					if len(values) == 0 {
						line = append(line, "", "")
						continue
					}
					measured = true
					count := report.Number(statistics.Mean(values["inputs"]))
					if share := statistics.Mean(values["covered"]); share < 1 {
						count += fmt.Sprintf(" (%.1f %%)", 100*share)
					}
					line = append(line, count, fmt.Sprintf("%.0f", statistics.Mean(values["bytes"])))
				}
				if measured {
					table.Add(line...)
				}
			}
		}
	}
	return &report.Document{
		Name: "inputs", Title: "Inputs for full coverage: Table 3.1 of the dissertation",
		Intro: []string{
			"Numbers of inputs that cover all k-paths of a grammar, up to depth 30. *One path an input* is the algorithm of the dissertation with random close-off; *many paths an input* is the default of `inroad generate --strategy kpath`.",
			"Numbers compare only for the same grammar in the same granularity. The published grammars have no lexer; in the notation of ANTLR they have one, and other symbols, except for Markdown, whose inputs are not parsed back.",
		},
		Tables: []report.Table{table}, Notes: notes,
	}, nil
}

// countInputs covers the paths of a grammar.
func (l *lab) countInputs(ctx context.Context, c cell) (row, error) {
	var g *grammars.Grammar
	err := errors.New("not a grammar of Table 3.1")
	for _, name := range chapter3() {
		if name[0] == c.Program {
			if c.Setting == "published grammar" {
				g, err = l.grammar(ctx, name[1], true)
			} else {
				g, err = l.grammar(ctx, name[2], false)
			}
		}
	}
	if err != nil {
		return row{}, err
	}
	texts, covered, err := cover(ctx, g, c)
	if err != nil {
		return row{}, err
	}
	return row{Values: map[string]float64{"inputs": float64(len(texts)), "bytes": float64(size(texts)), "covered": covered}}, nil
}

// cover generates inputs that cover the paths of a cell's length in its way, and returns the share of the
// paths that are covered.
func cover(ctx context.Context, g *grammars.Grammar, c cell) (texts [][]byte, covered float64, err error) {
	x, err := generate.New(g, c.random(), unparsedBounds(g)) //nolint:contextcheck // reading one token back is bounded and takes no context
	if err != nil {
		return nil, 0, err
	}
	paths, err := generate.NewCover(x, c.K, coverOptions(c.Way))
	if err != nil {
		return nil, 0, err
	}
	for {
		input, err := paths.Next(ctx)
		if err != nil {
			return nil, 0, err
		}
		if input == nil {
			break
		}
		texts = append(texts, input.Text)
	}
	n, all := paths.Covered()
	return texts, float64(n) / float64(max(1, all)), nil
}

func size(texts [][]byte) int {
	n := 0
	for _, text := range texts {
		n += len(text)
	}
	return n
}
