package model

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/cmd/inroad/cli"
)

type predictCommand struct {
	model  string
	req    openapi.PredictParams
	format string
	server cli.Server
	names  []string
	failed bool // an input has no answer
	known  int  // methods of the model
	cli.Streams
}

// NewPredict returns the command predict.
func NewPredict() *cobra.Command {
	c := &predictCommand{}
	cmd := &cobra.Command{
		Use:   "predict --model MODEL [flags] [INPUT|DIR|-]...",
		Short: "Predict which methods inputs reach, without running the program",
		Long: `Predict which methods inputs reach, without running the program.

Text lists the methods that an input reaches, or those that --method names, each
with its probability, the 95 % interval of the probability, the support, and the
conditions that lead to the prediction. JSON lists all methods. For an input
outside the grammar, the answer has the syntax error and the outcomes of training
inputs outside the grammar.`,
		Example: `  inroad predict --model json.model data.json
  inroad predict --model json.model --method parseObject --method parseArray --format ndjson corpus
  echo '[1]' | inroad predict --model json.model`,
		RunE: func(cmd *cobra.Command, args []string) error {
			c.names, c.Streams = args, cli.StreamsOf(cmd)
			return c.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	cli.BindModel(flags, &c.model)
	cli.Bind(flags, &c.req, "method")
	cli.BindFormat(flags, &c.format, "text", "json", "ndjson")
	c.server.Bind(flags)
	return cmd
}

func (c *predictCommand) run(ctx context.Context) error {
	if len(c.names) == 0 {
		c.names = []string{"-"}
	}
	files, err := cli.InputFiles(c.names)
	if err != nil {
		return err
	}
	service, m, err := c.server.OpenModel(ctx, c.model, c.Streams)
	if err != nil {
		return err
	}
	c.known, c.req.Reasons = m.Methods.All, true
	answers := service.Predict(ctx, m.ID, c.req, c.inputs(ctx, files))
	if c.format == "text" {
		err = c.print(answers)
	} else {
		err = c.printJSON(answers)
	}
	if err == nil && c.failed {
		err = cli.ErrReported
	}
	return err
}

// inputs yields the files that can be read, and reports the others.
func (c *predictCommand) inputs(ctx context.Context, files []string) api.Inputs {
	return func(yield func(openapi.Input, error) bool) {
		for _, file := range files {
			for in, err := range cli.Inputs(ctx, []string{file}, c.In, nil) {
				if err != nil && ctx.Err() == nil {
					c.fail("%v", err)
				} else if !yield(in, err) {
					return
				}
			}
		}
	}
}

// fail reports an input that has no answer.
func (c *predictCommand) fail(format string, args ...any) {
	c.failed = true
	c.Notef(format, args...)
}

func (c *predictCommand) printJSON(answers iter.Seq2[openapi.Answer, error]) (err error) {
	out := cli.NewJSONWriter(c.Out, c.format)
	for a := range cli.Lines(answers, &err) {
		if a.Error != "" {
			c.fail("%s: %s", a.Name, a.Error)
		}
		if err := errors.Join(out.Encode(a), out.Flush()); err != nil {
			return err
		}
	}
	return errors.Join(err, out.Close())
}

func (c *predictCommand) print(answers iter.Seq2[openapi.Answer, error]) (err error) {
	out := bufio.NewWriter(&cli.TerminalWriter{W: c.Out})
	for a := range cli.Lines(answers, &err) {
		switch {
		case a.Error != "":
			c.fail("%s: %s", a.Name, a.Error)
		case a.Outside != nil:
			c.printOutside(out, a)
		default:
			c.printMethods(out, a)
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return err
}

func (c *predictCommand) printMethods(out *bufio.Writer, a openapi.Answer) {
	fmt.Fprintf(out, "%s:", a.Name)
	if len(a.Outcomes) > 0 {
		fmt.Fprintf(out, " %s (probability %.2f),", a.Outcomes[0].Outcome, a.Outcomes[0].Probability)
	}
	fmt.Fprintf(out, " reaches %d of %s", *a.Reaches, cli.Count(c.known, "method", "methods"))
	if *a.Unseen > 0 {
		fmt.Fprintf(out, "; training never saw %.1f %% of its paths", 100**a.Unseen)
	}
	fmt.Fprintln(out)
	if r := a.Refusal; r != nil {
		fmt.Fprintf(out, "  refused at %d:%d: %s; %d of %d observations failed there, most with %s\n",
			r.Line, r.Column, r.Construct, r.Failed, r.Observations, r.Outcome)
	}
	for _, m := range a.Methods {
		if len(c.req.Method) == 0 && !m.Reached {
			continue
		}
		word := "not reached"
		if m.Reached {
			word = "reached"
		}
		if m.Unknown {
			word = "unknown, too few observations; perhaps " + word
		}
		fmt.Fprintf(out, "  %s: %s, probability %.2f (%.2f to %.2f), support %d of %d%s\n", m.Method, word,
			m.Probability, m.Low, m.High, m.SupportReached, m.Support, because(m))
	}
}

// because returns the conditions behind a prediction, or "" if the prediction holds for
// all inputs.
func because(m openapi.Prediction) string {
	if m.Overruled {
		return overruled(m.Reasons)
	}
	if len(m.Reasons) == 0 {
		return ""
	}
	var with, without []string
	for _, r := range m.Reasons {
		if r.Present {
			with = append(with, r.Feature)
		} else {
			without = append(without, r.Feature)
		}
	}
	return ": " + cli.Condition(with, without)
}

// overruled returns the features that speak for a prediction that overrules a tree.
func overruled(reasons []openapi.Reason) string {
	var features []string
	for _, r := range reasons {
		features = append(features, fmt.Sprintf("%s (%+.2f)", r.Feature, r.Weight))
	}
	if len(features) == 0 {
		return ": overrules the tree, because too little in the input speaks for it"
	}
	return ": overrules the tree, because of " + strings.Join(features, ", ")
}

// printOutside prints the outcomes of training inputs outside the grammar.
func (c *predictCommand) printOutside(out *bufio.Writer, a openapi.Answer) {
	o := a.Outside
	fmt.Fprintf(out, "%s: outside the grammar: %s\n", a.Name, o.Syntax.Message)
	if o.Observations == 0 {
		fmt.Fprintln(out, "  no training input was outside the grammar")
		return
	}
	var outcomes []string
	for _, name := range slices.Sorted(maps.Keys(o.Outcomes)) {
		outcomes = append(outcomes, fmt.Sprintf("%s %d", name, o.Outcomes[name]))
	}
	fmt.Fprintf(out, "  %s in training: %s\n", cli.Count(o.Observations, "such input", "such inputs"), strings.Join(outcomes, ", "))
	for _, m := range o.Methods {
		if len(c.req.Method) > 0 || 2*m.Reached > o.Observations {
			fmt.Fprintf(out, "  %s: reached by %d of %d\n", m.Method, m.Reached, o.Observations)
		}
	}
}
