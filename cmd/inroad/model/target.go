package model

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/targeting"
)

type targetCommand struct {
	model    string
	req      openapi.TargetRequest
	learning cli.Learning
	output   cli.Output
	program  program
	until    untilReached
	selected string // file of --selection
	known    observationFiles
	addTo    string
	server   cli.Server
	cli.Streams
}

// NewTarget returns the command target.
func NewTarget() *cobra.Command {
	c := &targetCommand{}
	cmd := &cobra.Command{
		Use:   "target --model MODEL [METHOD...] [--outcome OUTCOME] [--avoid METHOD]... [flags]",
		Short: "Generate inputs that reach methods, or have an outcome",
		Long: `Generate inputs that reach methods, or have an outcome, as far as a model knows their
conditions.

The leaves of a method's decision tree that predict "reached" are conditions on
inputs, which are solved like those of inroad solve. Each input is generated for as many
of the methods as one input can reach. Every input parses, and the model predicts
that it reaches its methods and none of the methods to avoid. Unless
--any-outcome is given, inputs that the program is expected to accept are
preferred. --allow-unlikely also generates inputs that the model predicts not to
reach their method, if there are no others. They are marked: by "unlikely" in
JSON and in the names of files, and by a note.

With --outcome, the model predicts that each input has the outcome, as inroad train
and predict print it, with a probability of at least 0.5. A kind, such as crash,
stands for all outcomes of the kind. Without methods, the outcome is the only goal.

If a program is named, by --go or another flag as in inroad observe, it is run on the
inputs, and a note says how many of them reach their methods and have the outcome.
--add-to adds the observations to a file, to train a better model with.

With --until-reached, the program is run until --n inputs really reach each
method and have the outcome, at most --max-runs times for a method: on the model's
inputs, on inputs of --observations that reached the method, on the inputs kept in
the model, and on mutants of these. Each input is printed with its origin: targeted,
observed, sampled or mutated. If no run reaches a method, an input that reached it in
--observations is printed all the same, without "reached". The exit status is 5
if a method was not reached. --style and --allow-unlikely have no effect.

--selection FILE adds the changed methods that a selection reports as never observed.
For a method that the model does not have, inputs are generated for the methods that
may call it.

Methods without an input are listed with the reason, and methods with fewer inputs
than --n. The exit status is 3 if it is proved that no input reaches the methods
without one, 4 if trees were found but no text, and 5 if a limit stopped the
search, a method was never observed, or only unlikely inputs were found.

` + cli.OutputHelp,
		Example: `  inroad target --model json.model decodeEscape
  inroad target --model json.model decodeEscape decodeNumber --avoid decodeFast --n 100 --style varied --out inputs
  inroad target --model json.model --outcome 'failure: SyntaxError' --n 10
  inroad target --model json.model decodeEscape --n 20 --style varied --go encoding/json.Unmarshal --add-to seen.ndjson
  inroad target --model json.model decodeEscape --until-reached --go encoding/json.Unmarshal --observations seen.ndjson
  inroad target --model json.model --selection select.json --until-reached --go encoding/json.Unmarshal --out corpus`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && c.req.Outcome == "" && c.selected == "" {
				return errors.New("no method: give the methods to reach, or --outcome; see inroad target --help")
			}
			c.req.Methods, c.Streams = args, cli.StreamsOf(cmd)
			return c.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	cli.BindModel(flags, &c.model)
	cli.Bind(flags, &c.req, "outcome", "avoid", "any_outcome", "allow_unlikely", "n", "style", "seed", "max_nodes")
	c.learning.Bind(flags, "natural")
	c.output.Bind(flags)
	c.program.bind(flags)
	c.until.bind(flags)
	flags.StringVar(&c.selected, "selection", "", "with --until-reached, reach the changed methods that no observation reached, according to this `FILE` of inroad select --json-out")
	c.known.bind(flags)
	flags.StringVar(&c.addTo, "add-to", "", "add the observations to this `FILE`")
	c.server.Bind(flags)
	return cmd
}

func (c *targetCommand) run(ctx context.Context) error {
	switch {
	case c.program.given():
	case c.addTo != "":
		return c.program.missing("--add-to")
	case c.until.Enabled:
		return c.program.missing("--until-reached")
	}
	if c.selected != "" && !c.until.Enabled {
		return errors.New("--selection: give --until-reached and the program to run")
	}
	if err := c.output.Check(); err != nil {
		return err
	}
	if c.until.Enabled {
		return c.runUntilReached(ctx)
	}
	if len(c.known.names) > 0 {
		return errors.New("--observations: give --until-reached too")
	}
	service, m, err := c.server.OpenModel(ctx, c.model, c.Streams)
	if err != nil {
		return err
	}
	if c.req.Probabilities, err = c.learning.Learn(ctx, service, m.Grammar, "", c.Streams); err != nil {
		return err
	}
	var inputs, missed []openapi.TargetAnswer
	for answer := range cli.Lines(service.Target(ctx, m.ID, c.req), &err) {
		switch {
		case answer.Summary != nil:
			cli.NoteSeed(c.Streams, c.req.Seed, answer.Summary.Seed)
			c.noteShort(answer.Summary.Short)
		case answer.Missed != "":
			missed = append(missed, answer)
		default:
			inputs = append(inputs, answer)
		}
	}
	if err != nil {
		return cli.ReportVerdict(c.Streams, err)
	}
	ran, err := c.confirm(ctx, service, m, inputs)
	if err != nil {
		return err
	}
	if err := c.write(ctx, service, m, inputs, ran); err != nil {
		return err
	}
	return c.reportMissed(missed)
}

// A targetedInput is the output of target for an input. If the input was run, it has
// the methods that the input reached, and the outcome if one was requested.
type targetedInput struct {
	openapi.TargetAnswer
	Reached  []string `json:"reached,omitzero"`
	Observed string   `json:"observed_outcome,omitzero"`
}

// write writes the inputs; ran has their observations, if they were run.
func (c *targetCommand) write(ctx context.Context, service api.Service, m openapi.Model, inputs []openapi.TargetAnswer, ran []observation.Observation) error {
	g, err := service.Grammar(ctx, m.Grammar) // which a service may know by an ID
	if err != nil {
		return err
	}
	out, err := c.output.Open(c.Out, g.Report.Summary.Name)
	if err != nil {
		return err
	}
	for i, answer := range inputs {
		line := targetedInput{TargetAnswer: answer}
		if ran != nil {
			line.Reached = slices.DeleteFunc(slices.Clone(answer.Methods), func(id string) bool { return !slices.Contains(ran[i].Methods, id) })
			if answer.Outcome != "" {
				line.Observed = model.OutcomeName(ran[i])
			}
		}
		if unlikely := unlikelyGoals(answer); unlikely == "" {
			err = out.Write(line, answer.Input, answer.InputBase64, 0)
		} else {
			c.Notef("note: input %d is predicted not to %s (probability %.2f)", i+1, unlikely, answer.Probability)
			err = out.WriteMarked(line, answer.Input, answer.InputBase64, "unlikely")
		}
		if err != nil {
			return err
		}
	}
	return out.Close(nil)
}

// unlikelyGoals returns the goals that an input is predicted to miss; it is empty if the
// input is predicted to reach its methods and to have the requested outcome.
func unlikelyGoals(answer openapi.TargetAnswer) string {
	var out []string
	if len(answer.Unlikely) > 0 {
		out = append(out, "reach "+cli.Printable(strings.Join(answer.Unlikely, ", ")))
	}
	if answer.UnlikelyOutcome {
		out = append(out, "have the outcome "+cli.Printable(answer.Outcome))
	}
	return strings.Join(out, ", and not to ")
}

// noteShort prints which methods have fewer inputs than requested.
func (c *targetCommand) noteShort(short []openapi.Shortfall) {
	for _, s := range short {
		why := "no more were found in " + cli.Count(s.Tried, "try", "tries")
		if s.All {
			why = "no more exist that differ in more than white space and letter case"
		}
		c.Notef("%s: %d of %s; %s", cli.Printable(s.Method), s.Inputs, cli.Count(c.req.N, "input", "inputs"), why)
	}
}

// reportMissed reports the methods for which there is no input, and returns the error
// that ends the command.
func (c *targetCommand) reportMissed(missed []openapi.TargetAnswer) error {
	var verdicts []targeting.Verdict
	for _, m := range missed {
		remedy := ""
		if m.Verdict == openapi.VerdictUnlikely {
			remedy = "; --allow-unlikely generates inputs all the same"
		}
		c.Notef("%s: no input: %s%s", cli.Printable(m.Missed), cli.Printable(strings.TrimPrefix(m.Reason, "infeasible: ")), remedy)
		verdicts = append(verdicts, targeting.Verdict(m.Verdict))
	}
	if verdict := targeting.LeastCertain(verdicts...); verdict != targeting.Solved {
		return &cli.VerdictError{Verdict: verdict}
	}
	return nil
}
