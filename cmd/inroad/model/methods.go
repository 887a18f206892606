package model

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/big"
	"strconv"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/cmd/inroad/cli"
)

type methodsCommand struct {
	model  string
	req    openapi.ListMethodsParams
	format string
	server cli.Server
	cli.Streams
}

// NewMethods returns the command methods.
func NewMethods() *cobra.Command {
	c := &methodsCommand{}
	cmd := &cobra.Command{
		Use:   "methods --model MODEL [flags]",
		Short: "List the methods that a model knows, with their support and scores",
		Long: `List the methods that a model knows: how many observations reached each method,
and the scores of its predictions on held-out observations.

A method is learned if some observations reached it and others did not. Methods
that all observations reached, or none, have no decision tree and no scores: their
prediction is constant. Methods without scores are last if a score sorts them.`,
		Example: `  inroad methods --model json.model --sort f1 --limit 20
  inroad methods --model json.model --status never --contains parser.go
  inroad methods --model json.model --rare --format json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c.Streams = cli.StreamsOf(cmd)
			return c.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	cli.BindModel(flags, &c.model)
	cli.Bind(flags, &c.req, "sort", "descending", "status", "rare", "contains", "limit", "cursor")
	cli.BindFormat(flags, &c.format, "text", "json")
	c.server.Bind(flags)
	return cmd
}

func (c *methodsCommand) run(ctx context.Context) error {
	service, m, err := c.server.OpenModel(ctx, c.model, c.Streams)
	if err != nil {
		return err
	}
	list, err := service.Methods(ctx, m.ID, c.req)
	if err != nil {
		return err
	}
	if c.format == "json" {
		return cli.WriteJSON(c.Out, list)
	}
	if err := printMethods(c.Out, list.Methods); err != nil {
		return err
	}
	if len(list.Methods) < m.Methods.All {
		c.Notef("%d of %s match, %d listed", list.Total, cli.Count(m.Methods.All, "method", "methods"), len(list.Methods))
	}
	return nil
}

func printMethods(w io.Writer, methods []openapi.Method) error {
	out := bufio.NewWriter(w)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if len(methods) > 0 {
		fmt.Fprintln(table, "method\tstatus\treached\tobservations\tF1\tprecision\trecall\tfile")
	}
	for _, m := range methods {
		fmt.Fprintf(table, "%s\t%s\t%s %%\t%s\t%s\t%s\n", cli.Printable(m.ID), m.Status,
			cli.Percent(m.Reached, big.NewInt(int64(m.Observations))), support(&m), heldOut(m.HeldOut), position(&m))
	}
	_ = table.Flush() // the writer below keeps its error
	return out.Flush()
}

// support returns the observations that reached a method.
func support(m *openapi.Method) string {
	text := fmt.Sprintf("%d of %d", m.Reached, m.Observations)
	if m.ReachedOutside > 0 {
		text += fmt.Sprintf(", %d outside the grammar", m.ReachedOutside)
	}
	return text
}

// heldOut returns the cells of F1, precision and recall.
func heldOut(s *openapi.Scores) string {
	if s == nil {
		return "-\t-\t-"
	}
	return fmt.Sprintf("%.3f\t%.3f\t%.3f", s.F1, s.Precision, s.Recall)
}

// position returns the file and first line of a method, as far as they are known.
func position(m *openapi.Method) string {
	switch {
	case m.File == "":
		return "-"
	case m.Start == 0:
		return cli.Printable(m.File)
	default:
		return cli.Printable(m.File) + ":" + strconv.Itoa(m.Start)
	}
}
