package model

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/big"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/cmd/inroad/cli"
)

type compareCommand struct {
	req          openapi.CompareRequest
	inputs       []string
	observations observationFiles
	format       string
	server       cli.Server
	cli.Streams
}

// NewCompare returns the command compare.
func NewCompare() *cobra.Command {
	c := &compareCommand{}
	cmd := &cobra.Command{
		Use:   "compare MODEL MODEL [flags]",
		Short: "Compare two models and list the methods that different inputs reach",
		Long: `Compare two models and list the methods that different inputs reach in the two
versions of a program.

Both models predict the same inputs: the inputs of --inputs or --observations, or
else the inputs that the models keep from training, and --random random inputs.
A method is listed if the predictions differ more often than the models' errors
on held-out observations explain. These inputs should resemble those of the
training.

A method is also listed if the shares of training observations that reached it
differ more than chance explains (Fisher's exact test). This finds changes that
the models predict too badly to show. It assumes that the training inputs of both
models were drawn alike: from the same corpus, or by the same generator with the
same settings. If a feature shows that they were not, rates are not compared.

For two models of the same program, fewer than 1 in 20 comparisons list any
method that both models know.`,
		Example: `  inroad compare old.model new.model
  inroad compare old.model new.model --inputs corpus --format json`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			c.req.Before, c.req.After, c.Streams = args[0], args[1], cli.StreamsOf(cmd)
			return c.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&c.inputs, "inputs", nil, "`DIR` or file of inputs; may be repeated")
	c.observations.bind(flags)
	cli.Bind(flags, &c.req, "random", "seed")
	cli.BindFormat(flags, &c.format, "text", "json")
	c.server.Bind(flags)
	return cmd
}

func (c *compareCommand) run(ctx context.Context) error {
	service, err := c.server.Service()
	if err != nil {
		return err
	}
	for _, name := range []*string{&c.req.Before, &c.req.After} {
		m, err := cli.OpenModel(ctx, service, *name, c.Streams)
		if err != nil {
			return err
		}
		*name = m.ID
	}
	if err := c.collect(ctx); err != nil {
		return err
	}
	seed := openapi.Seed(api.Seed(c.req.Seed)) // the answer does not have it
	if c.req.Random > 0 {
		cli.NoteSeed(c.Streams, c.req.Seed, seed)
	}
	c.req.Seed = &seed
	comparison, err := service.Compare(ctx, c.req)
	if err != nil {
		return err
	}
	if c.format == "json" {
		return cli.WriteJSON(c.Out, comparison)
	}
	return printComparison(c.Out, comparison)
}

// collect adds the inputs of files and observations to the request.
func (c *compareCommand) collect(ctx context.Context) (err error) {
	files, err := cli.InputFiles(c.inputs)
	if err != nil {
		return err
	}
	if len(files) == 0 && len(c.inputs) > 0 {
		return fmt.Errorf("--inputs: no files in %s", cli.Printable(strings.Join(c.inputs, ", ")))
	}
	for in := range cli.Lines(cli.Inputs(ctx, files, c.In, nil), &err) {
		c.req.Inputs = append(c.req.Inputs, in)
	}
	if err != nil || len(c.observations.names) == 0 {
		return err
	}
	observations, err := c.observations.open(ctx, c.Streams)
	if err != nil {
		return err
	}
	defer observations.Close()
	for block := range cli.Lines(observations.Blocks(), &err) {
		for _, o := range block.Observations {
			in := openapi.Input{}
			in.Input, in.InputBase64 = api.Encode(o.Input)
			c.req.Inputs = append(c.req.Inputs, in)
		}
	}
	observations.Summarize()
	return err
}

func printComparison(w io.Writer, c openapi.Comparison) error {
	out := bufio.NewWriter(&cli.TerminalWriter{W: w})
	fmt.Fprintf(out, "%s compared", cli.Count(c.Inputs, "input", "inputs"))
	if c.Outside > 0 {
		fmt.Fprintf(out, ", %d outside the grammar left out", c.Outside)
	}
	fmt.Fprintf(out, "; %s in both models, %d differ\n", cli.Count(c.Methods, "method", "methods"), len(c.Changes))
	switch {
	case c.Skew != nil:
		fmt.Fprintf(out, "the training inputs were not drawn alike: %s in %s before, in %s after\n", c.Skew.Feature, percent(&c.Skew.Before), percent(&c.Skew.After))
		fmt.Fprintln(out, "rates are not compared, and predictions may differ for this reason")
	case c.Methods > 0:
		fmt.Fprintln(out, "rates are compared by Fisher's exact test, which assumes that the training inputs of both models were drawn alike")
	}
	for _, change := range c.Changes {
		fmt.Fprintf(out, "\n%s: %s", change.Method, change.Kind)
		for i, test := range change.FoundBy {
			fmt.Fprintf(out, "%s %s", []string{", found by", " and"}[min(i, 1)], test)
		}
		fmt.Fprintln(out)
		if change.RateBefore != nil && change.RateAfter != nil {
			fmt.Fprintf(out, "  predictions: %s differ, expected from model error: at most %.1f\n", cli.Count(change.Differ, "input", "inputs"), change.Expected)
		}
		printRates(out, &change)
		printConditions(out, "before", change.Before)
		printConditions(out, "after", change.After)
		if change.Example != nil || change.ExampleBase64 != nil {
			example, _ := api.Decode(change.Example, change.ExampleBase64) // an invalid example is printed as empty
			fmt.Fprintf(out, "  for example: %s\n", cli.Abbreviate(string(example)))
		}
	}
	return out.Flush()
}

// printRates prints the observations that reached a method.
func printRates(out *bufio.Writer, c *openapi.Change) {
	var parts []string
	if c.RateBefore != nil {
		parts = append(parts, "before "+percent(c.RateBefore))
	}
	if c.RateAfter != nil {
		parts = append(parts, "after "+percent(c.RateAfter))
	}
	fmt.Fprintf(out, "  rates: %s", strings.Join(parts, ", "))
	if c.RateChance != nil {
		fmt.Fprintf(out, ", by chance with probability %.2g", *c.RateChance)
	}
	fmt.Fprintln(out)
}

func percent(r *openapi.Rate) string {
	return fmt.Sprintf("%s %% (%d of %d)", cli.Percent(r.Count, big.NewInt(int64(r.Observations))), r.Count, r.Observations)
}

func printConditions(out *bufio.Writer, when string, conditions []openapi.Condition) {
	for _, c := range conditions {
		fmt.Fprintf(out, "  %s: %s (%d of %d)\n", when, cli.Condition(c.With, c.Without), c.Reached, c.Observations)
	}
	if len(conditions) == 0 {
		fmt.Fprintf(out, "  %s: no input\n", when)
	}
}
