package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
)

type evaluateOptions struct {
	model        string
	observations []string
	format       string
	strict       bool
	workers      int

	stdin          io.Reader
	stdout, stderr io.Writer
}

func newEvaluateCommand() *cobra.Command {
	opt := &evaluateOptions{}
	cmd := &cobra.Command{
		Use:   "evaluate --model MODEL --observations FILE [flags]",
		Short: "Tell how good a model's predictions are",
		Long: `Tell how good a model's predictions are, on observations that it was not
learned from.

Pooled figures count all answers alike, means all methods alike: those that the
training had both ways and that some observation reached. Rare methods were
reached in less than 5 % of the training. Beside them stand the figures of the
answer that the training had most often.`,
		Example:               "  inroad evaluate --model json.model --observations test.ndjson",
		Args:                  cobra.NoArgs,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			opt.stdin, opt.stdout, opt.stderr = cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
			return opt.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&opt.model, "model", "", "the `FILE` of the model")
	flags.StringArrayVar(&opt.observations, "observations", nil, "a `FILE` of observations, - for standard input; may be given again")
	flags.StringVar(&opt.format, "format", "text", "text or json")
	choices(flags, "format", "text", "json")
	flags.BoolVar(&opt.strict, "strict", false, "refuse files with lines that are no observations")
	flags.IntVar(&opt.workers, "workers", runtime.GOMAXPROCS(0), "how many work at the same time")
	return cmd
}

func (opt *evaluateOptions) run(ctx context.Context) error {
	switch {
	case opt.model == "":
		return errors.New("no model: give --model FILE")
	case len(opt.observations) == 0:
		return errors.New("no observations: give --observations FILE")
	case opt.workers < 1 || opt.workers > 1024:
		return fmt.Errorf("--workers %d: it is from 1 to 1024", opt.workers)
	}
	m, err := readModel(opt.model)
	if err != nil {
		return err
	}
	noteApproximate(opt.stderr, m.Grammar)
	var all []observation.Observation
	reader := observationReader{stdin: opt.stdin, stderr: opt.stderr, strict: opt.strict}
	header := func(h observation.Header) {
		if m.Subject != "" && h.Subject != "" && h.Subject != m.Subject {
			fmt.Fprintf(opt.stderr, "inroad: note: the model is of %s, and the observations are of %s\n", printable(m.Subject), printable(h.Subject))
		}
	}
	if err := reader.read(opt.observations, header, func(o []observation.Observation) error { all = append(all, o...); return nil }); err != nil {
		return err
	}
	e, err := m.Evaluate(ctx, all, opt.workers, grammars.Limits{})
	if err != nil {
		return err
	}
	if e.Rows == 0 {
		return fmt.Errorf("nothing to ask about: %w", model.ErrNoObservations)
	}
	out := bufio.NewWriter(opt.stdout)
	if opt.format == "json" {
		err = writeEvaluationJSON(out, m, e)
	} else {
		writeEvaluation(out, e)
	}
	return errors.Join(err, out.Flush())
}

// reportScores are the figures of several methods.
type reportScores struct {
	Methods  int          `json:"methods"`
	Pooled   reportFigure `json:"pooled"`
	Mean     reportFigure `json:"mean"`
	Minority float64      `json:"minority_f1"`
	Majority reportFigure `json:"majority"`
}

type reportFigure struct {
	Accuracy  float64 `json:"accuracy"`
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
}

func figureOf(c model.Confusion) reportFigure {
	return reportFigure{c.Accuracy(), c.Precision(), c.Recall(), c.F1()}
}

func newReportScores(s model.Summary) *reportScores {
	return &reportScores{
		s.Methods, figureOf(s.Pooled), reportFigure{s.Accuracy, s.Precision, s.Recall, s.F1}, s.Minority, figureOf(s.Baseline),
	}
}

// A scoreTable writes figures, a line for some methods.
type scoreTable struct{ w *tabwriter.Writer }

func newScoreTable(w io.Writer) *scoreTable {
	t := &scoreTable{tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)}
	fmt.Fprintln(t.w, "\tmethods\taccuracy\tprecision\trecall\tF1")
	return t
}

func (t *scoreTable) row(name string, s *reportScores) {
	line := func(name string, f reportFigure) {
		fmt.Fprintf(t.w, "%s\t%d\t%.3f\t%.3f\t%.3f\t%.3f\n", name, s.Methods, f.Accuracy, f.Precision, f.Recall, f.F1)
	}
	line(name+", pooled", s.Pooled)
	line(name+", mean", s.Mean)
	line(name+", by majority", s.Majority)
}

func (t *scoreTable) flush() { _ = t.w.Flush() } // what is below keeps its error

func writeEvaluation(w io.Writer, e *model.Evaluation) {
	fmt.Fprintf(w, "%s", count(e.Rows, "observation", "observations"))
	for _, n := range []struct {
		n    int
		text string
	}{
		{e.Outside, "of inputs outside the grammar"}, {e.Limited, "of inputs that take too long"}, {e.Unlabelled, "without methods"},
	} {
		if n.n > 0 {
			fmt.Fprintf(w, ", and %d %s", n.n, n.text)
		}
	}
	fmt.Fprintf(w, "\noutcome foreseen in %.1f %%, the usual one in %.1f %%; probabilities are off by %.3f\n",
		percentOf(e.Outcomes, e.Rows), percentOf(e.Majority, e.Rows), e.Calibration)
	if len(e.Unknown) > 0 {
		shown := e.Unknown[:min(3, len(e.Unknown))]
		fmt.Fprintf(w, "%s that the model does not know: %s\n", count(len(e.Unknown), "method", "methods"), printable(strings.Join(shown, ", ")))
	}
	table := newScoreTable(w)
	table.row("learned methods", newReportScores(e.Summarize(model.MethodScore.Trainable)))
	if rare := e.Summarize(model.MethodScore.Rare); rare.Methods > 0 {
		table.row("rare ones", newReportScores(rare))
	}
	if constant := e.Summarize(func(s model.MethodScore) bool { return !s.Trainable() }); constant.Methods > 0 {
		fmt.Fprintf(table.w, "always or never\t%d\t%.3f\t%.3f\t%.3f\t%.3f\n", constant.Methods,
			constant.Pooled.Accuracy(), constant.Pooled.Precision(), constant.Pooled.Recall(), constant.Pooled.F1())
	}
	table.flush()
}

func percentOf(part, whole int) float64 { return 100 * float64(part) / float64(max(1, whole)) }

type evaluationJSON struct {
	Model        string        `json:"model"`
	Exact        bool          `json:"exact"`
	Observations int           `json:"observations"`
	Outside      int           `json:"outside"`
	Limited      int           `json:"limited"`
	Unlabelled   int           `json:"unlabelled"`
	Unknown      []string      `json:"unknown_methods"`
	Outcome      float64       `json:"outcome_accuracy"`
	Usual        float64       `json:"usual_outcome_accuracy"`
	Calibration  float64       `json:"calibration_error"`
	Learned      *reportScores `json:"learned"`
	Rare         *reportScores `json:"rare"`
	Methods      []methodJSON  `json:"methods"`
}

type methodJSON struct {
	Name      string `json:"name"`
	Learned   bool   `json:"learned"`
	Rare      bool   `json:"rare"`
	Positives int    `json:"positives"`
	reportFigure
}

func writeEvaluationJSON(w io.Writer, m *model.Model, e *model.Evaluation) error {
	out := evaluationJSON{
		Model: m.Digest, Exact: m.Grammar.Exact(), Observations: e.Rows, Outside: e.Outside, Limited: e.Limited, Unlabelled: e.Unlabelled,
		Unknown: append([]string{}, e.Unknown...), Outcome: percentOf(e.Outcomes, e.Rows) / 100, Usual: percentOf(e.Majority, e.Rows) / 100,
		Calibration: e.Calibration, Methods: []methodJSON{},
		Learned: newReportScores(e.Summarize(model.MethodScore.Trainable)), Rare: newReportScores(e.Summarize(model.MethodScore.Rare)),
	}
	for _, s := range e.Methods {
		out.Methods = append(out.Methods, methodJSON{s.Unit.ID, s.Trainable(), s.Rare(), s.Positives(), figureOf(s.Confusion)})
	}
	return json.NewEncoder(w).Encode(out)
}
