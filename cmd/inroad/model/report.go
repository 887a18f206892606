package model

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/outfile"
	"github.com/inroad/inroad/api/web"
	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/model/observation"
)

type reportCommand struct {
	model        string
	observations observationFiles
	out          string
	server       cli.Server
	cli.Streams
}

// NewReport returns the command report.
func NewReport() *cobra.Command {
	c := &reportCommand{}
	cmd := &cobra.Command{
		Use:   "report --model MODEL --out FILE [flags]",
		Short: "Write a report about a model, as one HTML file",
		Long: `Write a report about a model, as one HTML file that a browser shows without a
service: the methods with their support and scores, the conditions, decision tree
and example inputs of each method, and the grammar.

With --observations, the report also shows how well the model predicts these
observations, the methods that it does not know, and the distinct failures with
their smallest inputs.

The file loads nothing from elsewhere, so that it can be stored as an artifact of
a CI run. The same model and observations give the same file.`,
		Example: `  inroad report --model json.model --out report.html
  inroad report --model json.model --observations new.ndjson --out report.html`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c.Streams = cli.StreamsOf(cmd)
			return c.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	cli.BindModel(flags, &c.model)
	c.observations.bind(flags)
	flags.StringVar(&c.out, "out", "", "`FILE` to write the report to")
	c.server.BindWorkers(flags)
	c.server.Bind(flags)
	return cmd
}

func (c *reportCommand) run(ctx context.Context) error {
	if c.out == "" {
		return errors.New("no file for the report: give --out FILE")
	}
	if slices.Contains(c.observations.names, "-") {
		return errors.New("--observations -: must be a file, because a report reads observations twice")
	}
	service, m, err := c.server.OpenModel(ctx, c.model, c.Streams)
	if err != nil {
		return err
	}
	report := &web.Report{Version: cli.Version(), Model: m}
	if err := c.explain(ctx, service, report); err != nil {
		return err
	}
	if len(c.observations.names) > 0 {
		if err := c.evaluate(ctx, service, report); err != nil {
			return err
		}
	}
	if err := outfile.Write(c.out, 0o644, report.Write); err != nil {
		return fmt.Errorf("--out %w", cli.FileError(c.out, err))
	}
	return nil
}

// explain adds the grammar, the methods and their explanations.
func (c *reportCommand) explain(ctx context.Context, service api.Service, report *web.Report) error {
	grammar, err := service.Grammar(ctx, report.Model.Grammar)
	if err != nil {
		return err
	}
	list, err := service.Methods(ctx, report.Model.ID, openapi.ListMethodsParams{})
	if err != nil {
		return err
	}
	report.Grammar, report.Methods = grammar, list.Methods
	bar := cli.NewProgress(c.Err, "methods", len(list.Methods))
	defer bar.End()
	for i := range list.Methods {
		x, err := service.Explain(ctx, report.Model.ID, list.Methods[i].ID, openapi.ExplainMethodParams{})
		if err != nil {
			return err
		}
		report.Explanations = append(report.Explanations, x)
		bar.Set(i + 1)
	}
	return nil
}

// evaluate adds the scores and the failures of the observations.
func (c *reportCommand) evaluate(ctx context.Context, service api.Service, report *web.Report) error {
	observations, err := c.observations.open(ctx, c.Streams)
	if err != nil {
		return err
	}
	defer observations.Close()
	e, err := service.Evaluate(ctx, report.Model.ID, observations.Sources, openapi.EvaluateModelParams{})
	observations.Summarize()
	if err != nil {
		return err
	}
	report.Evaluation = &e
	silent := c.Streams // invalid lines were reported above
	silent.Err = io.Discard
	counts := map[observation.Outcome]int64{}
	groups, err := readFailures(ctx, c.observations, func(o observation.Observation) bool {
		counts[o.Outcome]++
		return true
	}, silent)
	if err != nil {
		return err
	}
	report.Failures = &openapi.ProgramFailureList{Subject: e.Subject, Distinct: len(groups), Failures: []openapi.ProgramFailure{}}
	report.Failures.Outcomes, report.Failures.Observations = api.OutcomesOf(counts)
	for _, g := range groups {
		report.Failures.Failures = append(report.Failures.Failures, api.FailureOf(g))
	}
	return nil
}
