package model

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/cmd/inroad/cli"
)

type explainCommand struct {
	model   string
	outcome string
	req     openapi.ExplainMethodParams
	server  cli.Server
	cli.Streams
}

// NewExplain returns the command explain.
func NewExplain() *cobra.Command {
	c := &explainCommand{}
	cmd := &cobra.Command{
		Use:   "explain --model MODEL METHOD|--outcome OUTCOME [flags]",
		Short: "Explain which inputs reach a method, or have an outcome",
		Long: `Explain which inputs reach a method, or have an outcome: the decision tree that
was learned for it, the conditions that lead to its leaves, and the constructs
that the program refuses.

A METHOD is named by its ID, or by the end of an ID if that is unique. Tests that
chance may explain are left out, and so are all but the heaviest weights of a
regression that may overrule the tree, unless --whole is given; predictions always
use the whole tree and all weights. Outcomes are those that inroad train and predict print.`,
		Example: `  inroad explain --model json.model parseObject
  inroad explain --model json.model 'parser.go#parseObject' --format svg >tree.svg
  inroad explain --model json.model --outcome 'failure: SyntaxError'`,
		Args: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("outcome") {
				return cobra.ExactArgs(1)(cmd, args)
			}
			if len(args) > 0 {
				return errors.New("--outcome: give either a method or an outcome")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			c.Streams = cli.StreamsOf(cmd)
			return c.run(cmd.Context(), args)
		},
	}
	flags := cmd.Flags()
	cli.BindModel(flags, &c.model)
	flags.StringVar(&c.outcome, "outcome", "", "explain this `OUTCOME` instead of a method")
	cli.Bind(flags, &c.req, "format", "whole")
	cli.SetDefault(flags, "format", "text") // a terminal is not a program
	c.server.Bind(flags)
	return cmd
}

func (c *explainCommand) run(ctx context.Context, methods []string) error {
	service, m, err := c.server.OpenModel(ctx, c.model, c.Streams)
	if err != nil {
		return err
	}
	var explanation openapi.Explanation
	if len(methods) > 0 {
		explanation, err = service.Explain(ctx, m.ID, methods[0], c.req)
	} else {
		explanation, err = service.ExplainOutcome(ctx, m.ID, c.outcome, openapi.ExplainOutcomeParams(c.req))
	}
	if err != nil {
		return err
	}
	switch c.req.Format {
	case openapi.JSON:
		return cli.WriteJSON(c.Out, explanation)
	case openapi.Text:
		_, err = io.WriteString(&cli.TerminalWriter{W: c.Out}, explanation.Rendered)
	default:
		_, err = io.WriteString(c.Out, explanation.Rendered)
	}
	return err
}
