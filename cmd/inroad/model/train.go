package model

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/outfile"
	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/features"
)

type trainCommand struct {
	req            openapi.TrainRequest
	observations   observationFiles
	out            string
	format         string
	server         cli.Server
	idempotencyKey string // of the request to a service
	cli.Streams
}

// NewTrain returns the command train.
func NewTrain() *cobra.Command {
	c := &trainCommand{}
	cmd := &cobra.Command{
		Use:   "train --grammar NAME|FILE.g4[,FILE.g4...] --observations FILE --out MODEL [flags]",
		Short: "Train a model that predicts which methods an input reaches",
		Long: `Train a model that predicts which methods an input reaches.

For each method a decision tree is learned. It tests which features an input has:
paths of the grammar and, unless --features selects some, all of these kinds:

` + familyHelp() + `
Lines that are not observations are reported and left out; with --strict they end
the command. The model is scored on observations that are held out. The same
observations, options and seed give the same bytes, whatever the memory and the
number of workers.

With --server, the service stores the observations and learns from all its
observations of that program and commit. The service keeps the model; --out also
writes it to a file.`,
		Example: `  inroad train --grammar json --observations seen.ndjson --out json.model
  inroad train --grammar json --observations seen.ndjson --observations more.ndjson --from json.model --out new.model`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c.Streams = cli.StreamsOf(cmd)
			return c.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	cli.BindGrammar(flags, &c.req.Grammar)
	cli.Bind(flags, &c.req, "start")
	c.observations.bind(flags)
	flags.StringVar(&c.out, "out", "", "`FILE` to write the model to")
	cli.Bind(flags, &c.req, "from")
	cli.Bind(flags, &c.req.Options, "k", "features", "trivia", "outcome", "refusals", "regressions", "margin", "max_depth", "min_leaf", "balance", "learner", "folds", "keep_inputs", "sample", "seed")
	c.server.BindWorkers(flags)
	c.server.BindMemory(flags)
	cli.BindFormat(flags, &c.format, "text", "json")
	c.server.Bind(flags)
	flags.StringVar(&c.idempotencyKey, "idempotency-key", "", "`KEY` of the training request: the service answers a request with the same key and options with the same job; random if absent")
	return cmd
}

// familyHelp lists the kinds of features, one per line.
func familyHelp() string {
	var out strings.Builder
	for _, f := range features.Families() {
		fmt.Fprintf(&out, "  %-8s  %s\n", f.Name, f.Description)
	}
	return out.String()
}

func (c *trainCommand) run(ctx context.Context) (err error) {
	if c.out == "" && c.server.URL == "" {
		return errors.New("no output: give --out FILE")
	}
	if c.out != "" {
		if err := outfile.Check(c.out); err != nil {
			return cli.FileError(c.out, err)
		}
	}
	if c.server.Memory > 0 && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(c.server.Memory << 20 / 10 * 9) // the garbage collector then runs more often
	}
	if c.idempotencyKey != "" && c.server.URL == "" {
		return errors.New("--idempotency-key: give --server")
	}
	service, err := c.server.Service()
	if err != nil {
		return err
	}
	observations, err := c.observations.open(ctx, c.Streams)
	if err != nil {
		return err
	}
	defer observations.Close()
	g, err := cli.OpenGrammar(ctx, service, c.req.Grammar, c.Streams)
	if err != nil {
		return err
	}
	bar := cli.NewProgress(c.Err, "reading", 0)
	m, err := service.Train(ctx, api.Training{
		Grammar: c.req.Grammar, Start: c.req.Start, From: c.req.From, Options: c.req.Options, Observations: observations.Sources, IdempotencyKey: c.idempotencyKey,
		Progress: func(p openapi.Progress) { bar.SetStage(p.Stage, int(p.Done), int(p.Total)) },
	})
	bar.End()
	observations.Summarize()
	if err != nil {
		return err
	}
	cli.NoteSeed(c.Streams, c.req.Options.Seed, m.Seed)
	if o := m.Observations; o.Outside > o.Used {
		c.Notef("note: %d of %d inputs are outside the grammar: is it the grammar of the program's inputs?", o.Outside, o.Given)
	}
	if c.out != "" {
		if err := c.write(ctx, service, m.ID); err != nil {
			return err
		}
	}
	if c.format == "json" {
		return cli.WriteJSON(c.Out, m)
	}
	return c.print(m, g.Report.Summary.Name)
}

// write writes the file of a model.
func (c *trainCommand) write(ctx context.Context, service api.Service, model string) error {
	file, err := service.ModelFile(ctx, model)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it was only read
	return cli.FileError(c.out, outfile.Write(c.out, 0o644, func(w io.Writer) error {
		_, err := io.Copy(w, file)
		return err
	}))
}

// print prints a summary of a model for people.
func (c *trainCommand) print(m openapi.Model, grammar string) error {
	w := bufio.NewWriter(c.Out)
	fmt.Fprintf(w, "%s: model %.12s of grammar %s\n", cli.Printable(cmp.Or(c.out, c.server.URL)), cli.Printable(m.ID), cli.Printable(grammar))
	printModel(w, m)
	return w.Flush()
}

// printModel prints the numbers of training observations and methods of a model, and its
// scores.
func printModel(w *bufio.Writer, m openapi.Model) {
	o := m.Observations
	fmt.Fprintf(w, "%s, %d used", cli.Count(o.Given, "observation", "observations"), o.Used)
	printCounts(w, []counted{
		{o.Duplicates, "duplicate"},
		{o.Contradictory, "contradictory"},
		{o.Outside, "of inputs outside the grammar"},
		{o.Unlabelled, "without methods"},
		{o.Limited, "of inputs that reached a limit of the parser"},
		{o.Unsampled, "not in the sample"},
	})
	n := m.Methods
	fmt.Fprintf(w, "%s: %d learned, %d always reached, %d never\n", cli.Count(n.All, "method", "methods"), n.Learned, n.Always, n.Never)
	if len(m.Outcomes) > 0 {
		fmt.Fprintf(w, "outcomes: %s\n", cli.Printable(strings.Join(m.Outcomes, ", ")))
	}
	if m.HeldOut != nil {
		fmt.Fprintln(w, "on held-out observations:")
		table := newScoreTable(w)
		table.group("learned methods", m.HeldOut)
		table.group("rare methods", m.Rare)
		table.flush()
	}
}
