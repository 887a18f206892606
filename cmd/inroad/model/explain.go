package model

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/cmd/inroad/cli"
)

type explainCommand struct {
	model  string
	req    openapi.ExplainMethodParams
	server cli.Server
	cli.Streams
}

// NewExplain returns the command explain.
func NewExplain() *cobra.Command {
	c := &explainCommand{}
	cmd := &cobra.Command{
		Use:   "explain --model MODEL METHOD [flags]",
		Short: "Explain which inputs reach a method",
		Long: `Explain which inputs reach a method: the decision tree that was learned for it,
and the conditions that lead to its leaves.

A METHOD is named by its ID, or by the end of an ID if that is unique. Tests that
chance may explain are left out, unless --whole is given; predictions always use
the whole tree.`,
		Example: `  inroad explain --model json.model parseObject
  inroad explain --model json.model 'parser.go#parseObject' --format svg >tree.svg`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c.Streams = cli.StreamsOf(cmd)
			return c.run(cmd.Context(), args[0])
		},
	}
	flags := cmd.Flags()
	cli.BindModel(flags, &c.model)
	cli.Bind(flags, &c.req, "format", "whole")
	cli.SetDefault(flags, "format", "text") // a terminal is not a program
	c.server.Bind(flags)
	return cmd
}

func (c *explainCommand) run(ctx context.Context, method string) error {
	service, m, err := c.server.OpenModel(ctx, c.model, c.Streams)
	if err != nil {
		return err
	}
	explanation, err := service.Explain(ctx, m.ID, method, c.req)
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
