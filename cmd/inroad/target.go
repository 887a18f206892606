package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/targeting"
	"github.com/inroad/inroad/targeting/aim"
)

type targetOptions struct {
	wishOptions
	model      string
	methods    []string
	avoid      []string
	anyOutcome bool
	program    observeOptions
	addTo      string
}

func newTargetCommand() *cobra.Command {
	opt := &targetOptions{}
	cmd := &cobra.Command{
		Use:   "target --model MODEL METHOD... [--avoid METHOD]... [flags]",
		Short: "Make inputs that reach methods",
		Long: `Make inputs that reach methods, as far as a model knows what they ask for.

The leaves of a method's tree that say that it is reached are conditions on
inputs, which are solved as by inroad solve. An input is made for as many of the
methods as one can reach, so that a few inputs reach all. Every input was parsed
back, and the model predicts that it reaches what it was made for, and none of
the methods to avoid. Unless --any-outcome is given, inputs are preferred that
the program is expected to accept.

Given a program as to inroad observe, with --go, --java or --exec, the inputs are
run, and how many of them reach what they were made for is told. What was
observed can be added to a file of observations, to train a better model with.

Without --out an object a line is written: the input, the methods that it was
made for, and the probability of the least likely of them; if it was run, also
those that it reached. Methods that no input was found for are told with the
reason. The exit status is 3 if all of them were proved infeasible, 5 if a limit
stopped the search for one or no observation shows how to reach it, and 4
otherwise.`,
		Example: `  inroad target --model json.model decodeEscape
  inroad target --model json.model decodeEscape decodeNumber --avoid decodeFast --n 100 --style varied --out inputs
  inroad target --model json.model decodeEscape --n 20 --style varied --go encoding/json.Unmarshal --add-to seen.ndjson`,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if len(args) == 0 {
				return errors.New("no method: give the methods to reach; see inroad target --help")
			}
			opt.methods, opt.stdout, opt.stderr = args, cmd.OutOrStdout(), cmd.ErrOrStderr()
			if opt.client, err = opt.server.connect(cmd); err != nil {
				return err
			}
			return opt.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&opt.model, "model", "", "the `FILE` of the model, or its name at the service")
	flags.StringArrayVar(&opt.avoid, "avoid", nil, "a `METHOD` that inputs do not reach")
	flags.BoolVar(&opt.anyOutcome, "any-outcome", false, "make inputs whether or not the program is expected to accept them")
	opt.bind(flags)
	flags.StringVar(&opt.program.goFunction, "go", "", "run the inputs with a Go function, `PKG.FUNC`")
	flags.StringSliceVar(&opt.program.cover, "cover", nil, "the packages to observe, as `PATTERN`s (default the function's and those below it)")
	flags.StringVar(&opt.program.javaMethod, "java", "", "run the inputs with a Java method, `CLASS#METHOD`")
	flags.StringVar(&opt.program.classpath, "classpath", "", "java: the class `PATH`")
	flags.StringVar(&opt.program.sources, "sources", ".", "java, exec: the `DIR` to look for the sources in")
	flags.StringVar(&opt.program.command, "exec", "", "run the inputs with a `COMMAND`")
	flags.StringVar(&opt.program.report, "report", "auto", "exec: the `FORMAT` of reports: auto, lcov, jacoco or gocover")
	choices(flags, "report", "auto", "lcov", "jacoco", "gocover")
	flags.StringVar(&opt.addTo, "add-to", "", "add what was observed to this `FILE` of observations")
	return cmd
}

func (opt *targetOptions) run(ctx context.Context) error {
	if err := opt.validate(); err != nil {
		return err
	}
	runs := opt.program.goFunction + opt.program.javaMethod + opt.program.command
	switch {
	case opt.model == "":
		return errors.New("no model: give --model FILE")
	case runs == "" && opt.addTo != "":
		return errors.New("--add-to: give the program to run, with --go, --java or --exec")
	}
	aim := opt.aim
	if opt.client != nil {
		aim = opt.client.aim
	}
	found, err := aim(ctx, opt)
	if err != nil {
		return err
	}
	var ran map[string][]string
	if runs != "" && len(found.inputs) > 0 {
		if ran, err = opt.confirm(ctx, found); err != nil {
			return err
		}
	}
	if err := opt.writeInputs(found, ran); err != nil {
		return err
	}
	return opt.tell(found.missed)
}

// An aimed is what was found for methods.
type aimed struct {
	subject, commit string // of the model
	grammar         string
	want, avoid     []string // IDs of methods
	inputs          []aimedInput
	missed          []aimedMiss
}

// An aimedInput is an input that reaches methods.
type aimedInput struct {
	text        []byte
	methods     []string
	probability float64 // of the least likely of them
	doubtful    bool
}

// An aimedMiss is a method that is out of reach.
type aimedMiss struct {
	method  string
	reason  string
	verdict targeting.Verdict
}

// aim makes inputs that reach the methods.
func (*targetOptions) aim(ctx context.Context, opt *targetOptions) (*aimed, error) {
	m, err := readModel(opt.model)
	if err != nil {
		return nil, err
	}
	noteApproximate(opt.stderr, m.Grammar)
	want, err := findUnits(m, opt.methods)
	if err != nil {
		return nil, err
	}
	avoid, err := findUnits(m, opt.avoid)
	if err != nil {
		return nil, err
	}
	if err := opt.learn(ctx, m.Grammar, m.Grammar.Start); err != nil {
		return nil, err
	}
	a, err := aim.New(m)
	if err != nil {
		return nil, err
	}
	inputs, missed, err := a.Find(ctx, opt.source(), want, avoid, aim.Options{
		N: opt.n, Draw: opt.draw, MaxNodes: opt.maxNodes, AnyOutcome: opt.anyOutcome,
	})
	if err != nil {
		return nil, err
	}
	out := &aimed{subject: m.Subject, commit: m.Commit, grammar: m.Grammar.Name, want: unitIDs(m, want), avoid: unitIDs(m, avoid)}
	for _, in := range inputs {
		out.inputs = append(out.inputs, aimedInput{in.Text, unitIDs(m, in.Units), in.Probability, in.Doubtful})
	}
	for _, miss := range missed {
		out.missed = append(out.missed, aimedMiss{m.Units[miss.Unit].ID, miss.Err.Error(), miss.Verdict})
	}
	return out, nil
}

func unitIDs(m *model.Model, units []int) []string {
	var out []string
	for _, u := range units {
		out = append(out, m.Units[u].ID)
	}
	return out
}

func findUnits(m *model.Model, names []string) ([]int, error) {
	var out []int
	for _, name := range names {
		unit, err := findUnit(m, name)
		if err != nil {
			return nil, err
		}
		out = append(out, unit)
	}
	return out, nil
}

// writeInputs writes files, or lines with what the inputs were made for.
func (opt *targetOptions) writeInputs(found *aimed, ran map[string][]string) error {
	for _, input := range found.inputs {
		if input.doubtful {
			fmt.Fprintf(opt.stderr, "inroad: note: the model is unsure of what %s asks for\n", printable(input.methods[0]))
			break
		}
	}
	if opt.out != "" {
		var texts [][]byte
		for _, input := range found.inputs {
			texts = append(texts, input.text)
		}
		return opt.write(found.grammar, texts)
	}
	out := newJSONWriter(opt.stdout, opt.format)
	for _, input := range found.inputs {
		line := struct {
			Input       string   `json:"input"`
			Methods     []string `json:"methods"`
			Probability float64  `json:"probability"`
			Reached     []string `json:"reached,omitzero"`
		}{Input: string(input.text), Methods: input.methods, Probability: math.Round(input.probability*1e4) / 1e4}
		if entered, ok := ran[line.Input]; ok {
			line.Reached = []string{}
			for _, id := range line.Methods {
				if slices.Contains(entered, id) {
					line.Reached = append(line.Reached, id)
				}
			}
		}
		if err := out.write(line); err != nil {
			return err
		}
	}
	return out.end()
}

// tell tells which methods are out of reach, and why.
func (opt *targetOptions) tell(missed []aimedMiss) error {
	var verdicts []targeting.Verdict
	for _, miss := range missed {
		reason := strings.TrimPrefix(miss.reason, "infeasible: ")
		fmt.Fprintf(opt.stderr, "inroad: %s is out of reach: %s\n", printable(miss.method), printable(reason))
		verdicts = append(verdicts, miss.verdict)
	}
	if len(verdicts) == 0 {
		return nil
	}
	return &verdictError{targeting.LeastCertain(verdicts...)}
}
