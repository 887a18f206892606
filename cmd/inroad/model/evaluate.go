package model

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/cmd/inroad/cli"
)

type evaluateCommand struct {
	model        string
	observations observationFiles
	params       openapi.EvaluateModelParams
	format       string
	server       cli.Server
	cli.Streams
}

// NewEvaluate returns the command evaluate.
func NewEvaluate() *cobra.Command {
	c := &evaluateCommand{}
	cmd := &cobra.Command{
		Use:   "evaluate --model MODEL --observations FILE [flags]",
		Short: "Evaluate the predictions of a model on observations",
		Long: `Evaluate the predictions of a model on observations that it was not trained on.

Pooled scores give all predictions the same weight. Means give all methods the
same weight: methods that some, but not all, training observations reached, and
that an observation here reached. Rare methods were reached by less than 5 % of
the training observations. For comparison, the scores of always predicting the
more common answer of training are printed as well.

--curve shows whether more observations would help. It trains models with the
options of this model on 1/8, 1/4, 1/2 and all of the observations, except for a
quarter that it evaluates them on. The observations may be those that this model
was trained on.`,
		Example: `  inroad evaluate --model json.model --observations test.ndjson
  inroad evaluate --model json.model --observations seen.ndjson --curve`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c.Streams = cli.StreamsOf(cmd)
			return c.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	cli.BindModel(flags, &c.model)
	c.observations.bind(flags)
	cli.Bind(flags, &c.params, "curve")
	cli.BindFormat(flags, &c.format, "text", "json")
	c.server.BindWorkers(flags)
	c.server.Bind(flags)
	return cmd
}

func (c *evaluateCommand) run(ctx context.Context) error {
	service, m, err := c.server.OpenModel(ctx, c.model, c.Streams)
	if err != nil {
		return err
	}
	observations, err := c.observations.open(ctx, c.Streams)
	if err != nil {
		return err
	}
	defer observations.Close()
	e, err := service.Evaluate(ctx, c.model, observations.Sources, c.params)
	observations.Summarize()
	if err != nil {
		return err
	}
	if m.Subject != "" && e.Subject != "" && e.Subject != m.Subject {
		c.Notef("note: different programs: the model was trained on %s, but the observations come from %s", cli.Printable(m.Subject), cli.Printable(e.Subject))
	}
	if c.format == "json" {
		return cli.WriteJSON(c.Out, e)
	}
	return c.print(e)
}

// print prints an evaluation for people.
func (c *evaluateCommand) print(e openapi.Evaluation) error {
	w := bufio.NewWriter(c.Out)
	fmt.Fprint(w, cli.Count(e.Observations, "observation", "observations"))
	printCounts(w, []counted{
		{e.Outside, "of inputs outside the grammar"},
		{e.Limited, "of inputs that reached a limit of the parser"},
		{e.Unlabelled, "without methods"},
	})
	fmt.Fprintf(w, "outcome predicted for %.1f %%, by always predicting the most common one for %.1f %%; calibration error %.3f\n",
		100*e.OutcomeAccuracy, 100*e.UsualOutcomeAccuracy, e.CalibrationError)
	if unknown := e.UnknownMethods; len(unknown) > 0 {
		shown := unknown[:min(3, len(unknown))]
		fmt.Fprintf(w, "%s that the model does not know: %s\n", cli.Count(len(unknown), "method", "methods"), cli.Printable(strings.Join(shown, ", ")))
	}
	table := newScoreTable(w)
	table.group("learned methods", &e.Learned)
	table.group("rare methods", e.Rare)
	if e.Constant != nil {
		table.row("always or never reached", e.Constant.Methods, e.Constant.Pooled)
	}
	table.flush()
	printCurve(w, e.Curve)
	return w.Flush()
}

// printCurve prints a learning curve, if there is one, and whether more observations
// would help.
func printCurve(w io.Writer, curve []openapi.CurvePoint) {
	if len(curve) == 0 {
		return
	}
	fmt.Fprintln(w, "\nlearning curve, on observations held out of these:")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "trained on\tmean F1\tF1 of rare methods\toutcome predicted")
	for _, p := range curve {
		rare := "none"
		if p.RareF1 != nil {
			rare = fmt.Sprintf("%.3f", *p.RareF1)
		}
		fmt.Fprintf(table, "%d\t%.3f\t%s\t%.1f %%\n", p.Observations, p.F1, rare, 100*p.OutcomeAccuracy)
	}
	_ = table.Flush() // the writer below keeps its error
	before, last := curve[len(curve)-2], curve[len(curve)-1]
	// From one random sample to another, mean F1 often differs by almost this much.
	const helps = 0.01
	advice := "twice as many observations would probably help"
	if last.F1-before.F1 < helps {
		advice = "twice as many observations would probably help little"
	}
	fmt.Fprintf(w, "%s: from %d to %d, mean F1 changed by %+.3f\n", advice, before.Observations, last.Observations, last.F1-before.F1)
}
