package main

import (
	"context"
	"math"
	"runtime"
	"slices"

	"github.com/inroad/inroad/eval/internal/report"
	"github.com/inroad/inroad/eval/internal/statistics"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model"
)

// association measures how well models predict the methods that unseen inputs reach.
func association(ctx context.Context, l *lab) (*report.Document, error) {
	return l.learnedTable(ctx, l.associate, learnedTable{
		name: "association", title: "Association: Table 5.2 of the dissertation",
		intro: "Methods are all that the program has, which the dissertation calls observed; reached are those that a training input reaches. Accuracy, precision and recall are pooled over all pairs of a learned method and a test input. " +
			"Mean F1 gives each method the same weight. Rare methods are those that fewer than 5 % of the training inputs reach, and rare F1 is the mean over them; it is empty if there are none.",
		columns:   []string{"methods", "trainable", "accuracy", "precision", "recall"},
		unmatched: []string{"reached", "mean F1", "rare", "rare F1"},
	})
}

// associate learns from the training inputs, and compares the predictions for the test
// inputs with what they reach.
func (l *lab) associate(ctx context.Context, c cell) (row, error) {
	x, err := l.learn(ctx, c)
	if err != nil {
		return row{}, err
	}
	e, err := x.model.Evaluate(ctx, x.test, runtime.GOMAXPROCS(0), grammars.Limits{})
	if err != nil {
		return row{}, err
	}
	reached := 0
	for unit := range x.model.Units {
		if times, _ := x.model.Support(unit); times > 0 {
			reached++
		}
	}
	all, rare := e.Summarize(model.MethodScore.Trainable), e.Summarize(model.MethodScore.Rare)
	if rare.Methods == 0 {
		rare.F1 = math.NaN() // unknown
	}
	return row{Values: map[string]float64{
		"methods": float64(x.methods), "reached": float64(reached), "trainable": float64(all.Methods), "rare": float64(rare.Methods),
		"accuracy": all.Pooled.Accuracy(), "precision": all.Pooled.Precision(), "recall": all.Pooled.Recall(),
		"mean F1": all.F1, "rare F1": rare.F1,
	}}, nil
}

// A learnedTable is a table with a line for each program of chapter 5 and setting.
type learnedTable struct {
	name, title, intro string
	way                string   // to generate inputs, if there are several
	columns            []string // with published figures
	unmatched          []string // without
}

// format formats a value of a column.
func (learnedTable) format(column string, x float64) string {
	if slices.Contains([]string{"methods", "trainable", "reached", "rare", "without inputs", "random exceptions", "exceptions"}, column) {
		return report.Count(x)
	}
	return report.Number(x)
}

// learnedTable measures a table of chapter 5.
func (l *lab) learnedTable(ctx context.Context, measure func(context.Context, cell) (row, error), t learnedTable) (*report.Document, error) {
	known, err := readPublished(t.name)
	if err != nil {
		return nil, err
	}
	selected, notes := l.selected(func(p program) bool { return p.seedGrammar != "" })
	var cells []cell
	for seed := 1; seed <= l.seeds; seed++ {
		for _, p := range selected {
			for _, s := range settings() {
				cells = append(cells, cell{Table: t.name, Program: p.Name, Setting: s.name, Way: t.way, Seed: seed, N: l.n})
			}
		}
	}
	done, failed, err := l.fill(ctx, cells, measure)
	if err != nil {
		return nil, err
	}
	d := &report.Document{Name: t.name, Title: t.title, Intro: []string{t.intro, l.protocol()}, Notes: append(notes, failed...)}
	table := report.Table{Caption: "Means over the seeds; published figures in parentheses", Columns: append([]string{"program", "setting"}, append(t.columns, t.unmatched...)...)}
	for _, p := range selected {
		for _, s := range settings() {
			values := valuesOf(done, func(c cell) bool { return c.Program == p.Name && c.Setting == s.name })
			if len(values) == 0 {
				continue
			}
			line := []any{p.Name, s.name}
			for _, column := range t.columns {
				line = append(line, t.format(column, statistics.Mean(values[column]))+" ("+t.format(column, known.get(p.Name, column))+")")
			}
			for _, column := range t.unmatched {
				line = append(line, t.format(column, statistics.Mean(values[column])))
			}
			table.Add(line...)
		}
		d.Run.Versions = append(d.Run.Versions, p.version())
	}
	d.Tables = []report.Table{table}
	return d, nil
}

// valuesOf collects the measurements of some rows by their names.
func valuesOf(all []row, of func(cell) bool) map[string][]float64 {
	out := map[string][]float64{}
	for _, r := range all {
		if of(r.cell) {
			for name, value := range r.Values {
				out[name] = append(out[name], value)
			}
		}
	}
	return out
}
