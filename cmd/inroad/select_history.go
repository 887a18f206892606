package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"github.com/inroad/inroad/targeting/selection"
)

func (opt *selectOptions) validateHistory() error {
	switch {
	case opt.history == "":
		return errors.New("no history: give --history FILE")
	case opt.report && opt.learn != "":
		return errors.New("--learn and --report: give one of them")
	case opt.learn != "" && opt.of == "":
		return errors.New("no selection that the results are of: give --selection FILE, which --json-out wrote")
	case opt.format != "paths" && opt.format != "json":
		return fmt.Errorf("--format %s: with --report it is json, if given", opt.format)
	}
	return nil
}

// readHistory reads a history; one that is not there is empty.
func readHistory(name string) (*selection.History, error) {
	file, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return selection.NewHistory(), nil
	}
	if err != nil {
		return nil, fmt.Errorf("--history %s: %w", printable(name), cause(err))
	}
	defer func() { _ = file.Close() }() // it was only read
	h, err := selection.ReadHistory(file)
	if err != nil {
		return nil, fmt.Errorf("--history %s: %w", printable(name), err)
	}
	return h, nil
}

// learnResults adds the results of a selection to the history.
func (opt *selectOptions) learnResults() error {
	h, err := readHistory(opt.history)
	if err != nil {
		return err
	}
	file, err := os.Open(opt.of)
	if err != nil {
		return fmt.Errorf("--selection %s: %w", printable(opt.of), cause(err))
	}
	defer func() { _ = file.Close() }() // it was only read
	report, err := selection.ReadReport(file)
	if err != nil {
		return fmt.Errorf("--selection %s: %w", printable(opt.of), err)
	}
	in := opt.stdin
	if opt.learn != "-" {
		file, err := os.Open(opt.learn)
		if err != nil {
			return fmt.Errorf("--learn %s: %w", printable(opt.learn), cause(err))
		}
		defer func() { _ = file.Close() }() // it was only read
		in = file
	}
	results, err := selection.ReadResults(in)
	if err != nil {
		return fmt.Errorf("--learn %s: %w", inputName(opt.learn), err)
	}
	others := h.Learn(report, results)
	if err := writeWhole(opt.history, h.Write); err != nil {
		return err
	}
	fmt.Fprintf(opt.stderr, "inroad: %s learned from", count(len(results)-others, "result", "results"))
	if others > 0 {
		fmt.Fprintf(opt.stderr, "; %d of inputs that were not chosen are left out", others)
	}
	fmt.Fprintln(opt.stderr)
	return nil
}

// historyReport is what --report says in all.
type historyReport struct {
	Runs   []selection.Run `json:"runs"`
	Share  float64         `json:"share"`            // of inputs that were run
	Recall *float64        `json:"recall,omitempty"` // if it is known
	Saved  float64         `json:"saved_ms"`
}

func (opt *selectOptions) showHistory() error {
	h, err := readHistory(opt.history)
	if err != nil {
		return err
	}
	r := historyReport{Runs: append([]selection.Run{}, h.Runs...)}
	var inputs, corpus, known, recall float64
	for _, run := range h.Runs {
		inputs += float64(run.Selected + run.Sample)
		corpus += float64(run.Corpus)
		r.Saved += max(0, run.TotalMS-run.CostMS)
		if share, ok := run.Recall(); ok {
			recall += share
			known++
		}
	}
	r.Share = inputs / max(1, corpus)
	if known > 0 {
		r.Recall = new(recall / known)
	}
	if opt.format == "json" {
		return writeJSON(opt.stdout, r)
	}
	return r.write(opt.stdout)
}

func (r *historyReport) write(w io.Writer) error {
	out := bufio.NewWriter(w)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "run\tbase\tchanged\tinputs\tof\tshare\tfailed\tmissed in sample\trecall\tnote")
	for _, run := range r.Runs {
		recall := "-"
		if share, ok := run.Recall(); ok {
			recall = fmt.Sprintf("%.2f", share)
		}
		missed := run.FailedInSample
		if run.Labelled > 0 {
			missed = run.ReachedInSample
		}
		fmt.Fprintf(table, "%d\t%s\t%d\t%d\t%d\t%.0f %%\t%d\t%d of %d\t%s\t%s\n", run.Number, printable(fmt.Sprintf("%.20s", run.Base)), run.Changed,
			run.Selected+run.Sample, run.Corpus, 100*run.Share(), run.Failed+run.FailedInSample, missed, run.Sample, recall, printable(string(run.Cause)))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %.0f %% of the inputs were run", count(len(r.Runs), "run", "runs"), 100*r.Share)
	if r.Recall != nil {
		fmt.Fprintf(out, ", with a recall of %.2f", *r.Recall)
	}
	if r.Saved > 0 {
		fmt.Fprintf(out, "; about %s were saved", shortDuration(milliseconds(r.Saved)))
	}
	fmt.Fprintln(out)
	return out.Flush()
}
