package model

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/pflag"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/cmd/inroad/cli"
)

// observationFiles are the flags --observations and --strict.
type observationFiles struct {
	names  []string
	strict bool
}

func (f *observationFiles) bind(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.names, "observations", nil, "`FILE` of observations, - for standard input; may be repeated")
	flags.BoolVar(&f.strict, "strict", false, "refuse files with invalid lines")
}

// open opens the files.
func (f *observationFiles) open(ctx context.Context, streams cli.Streams) (*cli.Observations, error) {
	if len(f.names) == 0 {
		return nil, errors.New("no observations: give --observations FILE")
	}
	return cli.OpenObservations(ctx, f.names, f.strict, streams)
}

// counted is a number with its noun phrase.
type counted struct {
	n    int
	text string
}

// printCounts ends a line with the numbers that are not 0.
func printCounts(w io.Writer, counts []counted) {
	for _, c := range counts {
		if c.n > 0 {
			fmt.Fprintf(w, ", %d %s", c.n, c.text)
		}
	}
	fmt.Fprintln(w)
}

// A scoreTable prints the scores of groups of methods.
type scoreTable struct{ w *tabwriter.Writer }

func newScoreTable(w io.Writer) *scoreTable {
	t := &scoreTable{tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)}
	fmt.Fprintln(t.w, "\tmethods\taccuracy\tprecision\trecall\tF1")
	return t
}

// group prints the scores of a group of methods, if there is one.
func (t *scoreTable) group(name string, s *openapi.MethodScores) {
	if s == nil {
		return
	}
	t.row(name+", pooled", s.Methods, s.Pooled)
	t.row(name+", mean", s.Methods, s.Mean)
	t.row(name+", by majority", s.Methods, s.Majority)
}

func (t *scoreTable) row(name string, methods int, s openapi.Scores) {
	fmt.Fprintf(t.w, "%s\t%d\t%.3f\t%.3f\t%.3f\t%.3f\n", name, methods, s.Accuracy, s.Precision, s.Recall, s.F1)
}

func (t *scoreTable) flush() { _ = t.w.Flush() } // the writer below keeps its error
