package choose

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/outfile"
	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/targeting/selection"
	"github.com/inroad/inroad/targeting/selection/tests"
)

var errNoHistory = errors.New("no history: give --history FILE")

// readHistory reads a history. It returns an empty history if the name is empty or the
// file does not exist.
func readHistory(name string) (*selection.History, error) {
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return selection.NewHistory(), nil
	}
	if err != nil {
		return nil, fmt.Errorf("--history %s: %w", cli.Printable(name), cli.Cause(err))
	}
	defer func() { _ = file.Close() }() // it was only read
	h, err := selection.ReadHistory(file)
	if err != nil {
		return nil, fmt.Errorf("--history %s: %w", cli.Printable(name), err)
	}
	return h, nil
}

type learnCommand struct {
	results, selection, history string
	cli.Streams
}

func newLearn() *cobra.Command {
	c := &learnCommand{}
	cmd := &cobra.Command{
		Use:   "learn RESULTS|- --selection FILE --history FILE",
		Short: "Learn from the results of selected inputs",
		Long: `Add the results of selected inputs to a history. select --history then selects
inputs that failed in one of the last ten runs, and knows how long inputs take.

RESULTS has one JSON object per line: path, and optionally outcome (ok, failure,
crash or timeout), duration_ms and methods, the IDs of the methods that it reached.
For tests, it may also be a JUnit report or the output of go test -json.`,
		Example: `  inroad select learn results.ndjson --selection select.json --history history.json`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c.results, c.Streams = args[0], cli.StreamsOf(cmd)
			return c.run()
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&c.selection, "selection", "", "`FILE` of the selection, which --json-out wrote")
	flags.StringVar(&c.history, "history", "", "`FILE` of the history; it is created if it does not exist")
	return cmd
}

func (c *learnCommand) run() error {
	switch {
	case c.history == "":
		return errNoHistory
	case c.selection == "":
		return errors.New("no selection: give --selection FILE, which --json-out wrote")
	}
	h, err := readHistory(c.history)
	if err != nil {
		return err
	}
	past, err := readSelection(c.selection)
	if err != nil {
		return fmt.Errorf("--selection %s: %w", cli.Printable(c.selection), cli.Cause(err))
	}
	in := c.In
	if c.results != "-" {
		file, err := os.Open(c.results)
		if err != nil {
			return cli.FileError(c.results, err)
		}
		defer func() { _ = file.Close() }() // it was only read
		in = file
	}
	var known []string
	for _, in := range past.Inputs {
		known = append(known, in.Path)
	}
	results, err := tests.ReadResults(in, known)
	if err != nil {
		return cli.FileError(c.results, err)
	}
	ignored := h.Learn(past, results)
	if err := cli.FileError(c.history, outfile.Write(c.history, 0o644, h.Write)); err != nil {
		return err
	}
	note := ""
	if ignored > 0 {
		note = fmt.Sprintf("; ignored %d of inputs that were not selected", ignored)
	}
	c.Notef("learned from %s%s", cli.Count(len(results)-ignored, "result", "results"), note)
	return nil
}

const maxSelection = 512 << 20 // bytes of a file

// readSelection reads a selection that select --json-out wrote.
func readSelection(name string) (past selection.PastSelection, err error) {
	file, err := os.Open(name)
	if err != nil {
		return past, err
	}
	defer func() { _ = file.Close() }() // it was only read
	var s openapi.Selection
	if err := json.NewDecoder(io.LimitReader(file, maxSelection)).Decode(&s); err != nil {
		return past, fmt.Errorf("not a selection: %w", err)
	}
	if s.Inroad != api.SelectionFormat {
		return past, fmt.Errorf("not a selection: format %.40q: must be %q", s.Inroad, api.SelectionFormat)
	}
	past = selection.PastSelection{Base: s.Base, Changed: s.Changed, Corpus: s.Corpus, TotalMS: s.TotalMs}
	if len(s.Fallbacks) > 0 {
		past.Cause = selection.Cause(s.Fallbacks[0].Cause)
	}
	for _, in := range s.Inputs {
		p := selection.PastInput{
			Input:   selection.Input{Path: in.Path, Size: in.Size},
			Sampled: len(in.Reasons) > 0 && in.Reasons[0].Kind == openapi.WhySample,
		}
		if err := p.Digest.UnmarshalText([]byte(in.Digest)); err != nil {
			return past, fmt.Errorf("not a selection: %w", err)
		}
		past.Inputs = append(past.Inputs, p)
	}
	return past, nil
}

func newReport() *cobra.Command {
	var history, format string
	cmd := &cobra.Command{
		Use:     "report --history FILE",
		Short:   "Report the recall and the savings of past selections",
		Example: `  inroad select report --history history.json`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if history == "" {
				return errNoHistory
			}
			h, err := readHistory(history)
			if err != nil {
				return err
			}
			if format == "json" {
				return cli.WriteJSON(cmd.OutOrStdout(), h.Summarize())
			}
			return writeReport(&cli.TerminalWriter{W: cmd.OutOrStdout()}, h.Summarize())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&history, "history", "", "`FILE` of the history")
	cli.BindFormat(flags, &format, "text", "json")
	return cmd
}

// writeReport prints a summary of a history as a table.
func writeReport(w io.Writer, r *selection.HistorySummary) error {
	out := bufio.NewWriter(w)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "run\tbase\tchanged\tinputs\tof\tshare\tfailed\tmissed in sample\trecall\tnote")
	for _, run := range r.Runs {
		recall := "-"
		if share, ok := run.Recall(); ok {
			recall = fmt.Sprintf("%.2f", share)
		}
		fmt.Fprintf(table, "%d\t%s\t%d\t%d\t%d\t%.0f %%\t%d\t%d of %d\t%s\t%s\n", run.Number, cli.Printable(fmt.Sprintf("%.20s", run.Base)), run.Changed,
			run.Selected+run.Sample, run.Corpus, 100*run.Share(), run.Failed+run.FailedInSample, run.Missed(), run.Sample, recall, cli.Printable(string(run.Cause)))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %.0f %% of the inputs were run", cli.Count(len(r.Runs), "run", "runs"), 100*r.Share)
	if r.Recall != nil {
		fmt.Fprintf(out, ", with a recall of %.2f", *r.Recall)
	}
	if r.SavedMS > 0 {
		fmt.Fprintf(out, "; about %s were saved", shortDuration(r.SavedMS))
	}
	fmt.Fprintln(out)
	return out.Flush()
}
