package model

import (
	"bufio"
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/cmd/inroad/cli"
)

// NewModel returns the command model.
func NewModel() *cobra.Command {
	return cli.Group("model", "Describe a model", "Describe a model, in a file or at a service.", newShow())
}

type showCommand struct {
	model, format string
	server        cli.Server
	cli.Streams
}

func newShow() *cobra.Command {
	c := &showCommand{}
	cmd := &cobra.Command{
		Use:   "show MODEL [flags]",
		Short: "Show the program, commit, grammar and counts of a model",
		Long: `Show the program that a model was trained for, its commit and its grammar, the
numbers of observations, methods and features, and the scores on held-out
observations. --format commit prints only the commit, for scripts.`,
		Example: `  inroad model show p.model
  git fetch --depth=1 origin "$(inroad model show p.model --format commit)"
  inroad model show p@latest --server http://localhost:8080 --format json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if c.model != "" {
				args = append(args, c.model)
			}
			if len(args) != 1 {
				return fmt.Errorf("expected 1 model, as an argument or with --model, got %d", len(args))
			}
			c.model, c.Streams = args[0], cli.StreamsOf(cmd)
			return c.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&c.model, "model", "", "`MODEL` to show, if it is not an argument")
	cli.BindFormat(flags, &c.format, "text", "json", "commit")
	c.server.Bind(flags)
	return cmd
}

func (c *showCommand) run(ctx context.Context) error {
	service, err := c.server.Service()
	if err != nil {
		return err
	}
	m, err := service.Model(ctx, c.model)
	if err != nil {
		return err
	}
	switch c.format {
	case "json":
		return cli.WriteJSON(c.Out, m)
	case "commit":
		if m.Commit == "" {
			return fmt.Errorf("%s: the model does not name the commit that it was trained at", cli.Printable(c.model))
		}
		_, err := fmt.Fprintln(c.Out, cli.Printable(m.Commit))
		return err
	}
	w := bufio.NewWriter(c.Out)
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "%s: %s\n", name, cli.Printable(value))
		}
	}
	line("model", m.ID)
	line("program", m.Subject)
	line("commit", m.Commit)
	line("grammar", m.Grammar)
	if !m.Created.IsZero() {
		line("created", m.Created.UTC().Format(time.DateTime)+" UTC")
	}
	if m.Size > 0 {
		line("size", cli.Count(int(m.Size), "byte", "bytes"))
	}
	line("features", fmt.Sprintf("%d, paths of up to %s", m.Features, cli.Count(m.K, "symbol", "symbols")))
	printModel(w, m)
	return w.Flush()
}
