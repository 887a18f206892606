package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/targeting/generate"
)

type compareOptions struct {
	before, after string
	inputs        []string
	observations  []string
	random        int
	seed          uint64
	format        string

	stdin          io.Reader
	stdout, stderr io.Writer
}

func newCompareCommand() *cobra.Command {
	opt := &compareOptions{}
	cmd := &cobra.Command{
		Use:   "compare MODEL MODEL [flags]",
		Short: "Tell which methods two models answer differently for",
		Long: `Tell which methods two models answer differently for: those whose conditions
changed between two versions of a program.

Both models are asked about the same inputs: those of --inputs or --observations,
else those that the models kept of their training, and --random ones. A method is
named if they differ more often than the mistakes explain that each made on
held-out observations: between two models of the same program any is named in
less than one of 20 comparisons, as long as the inputs are like those that the
models were learned from.`,
		Example: `  inroad compare old.model new.model
  inroad compare old.model new.model --inputs corpus --format json`,
		Args:                  cobra.ExactArgs(2),
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			opt.before, opt.after = args[0], args[1]
			opt.stdin, opt.stdout, opt.stderr = cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
			return opt.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringArrayVar(&opt.inputs, "inputs", nil, "a `FILE` or folder of inputs; may be given again")
	flags.StringArrayVar(&opt.observations, "observations", nil, "a `FILE` of observations whose inputs to take; may be given again")
	flags.IntVar(&opt.random, "random", 0, "ask about so many random inputs as well")
	flags.Uint64Var(&opt.seed, "seed", 1, "random inputs are drawn from this")
	flags.StringVar(&opt.format, "format", "text", "text or json")
	choices(flags, "format", "text", "json")
	return cmd
}

func (opt *compareOptions) run(ctx context.Context) error {
	switch {
	case opt.random < 0 || opt.random > 100_000:
		return fmt.Errorf("--random %d: it is from 0 to 100000", opt.random)
	}
	before, err := readModel(opt.before)
	if err != nil {
		return err
	}
	after, err := readModel(opt.after)
	if err != nil {
		return err
	}
	noteApproximate(opt.stderr, before.Grammar)
	inputs, err := opt.collect()
	if err != nil {
		return err
	}
	if len(opt.inputs)+len(opt.observations) == 0 {
		inputs = bothInputs(before, after)
	}
	random, err := opt.generate(ctx, before.Grammar)
	if err != nil {
		return err
	}
	if inputs = append(inputs, random...); len(inputs) == 0 {
		return errors.New("no inputs to ask about: the models keep none; give --inputs, --observations or --random")
	}
	c, err := model.Compare(ctx, before, after, inputs, grammars.Limits{})
	if errors.Is(err, model.ErrGrammarMismatch) {
		return fmt.Errorf("%s, %s: %w: %s and %s", printable(opt.before), printable(opt.after), err, before.Grammar.Name, after.Grammar.Name)
	}
	if err != nil {
		return err
	}
	out := bufio.NewWriter(opt.stdout)
	if opt.format == "json" {
		err = writeComparisonJSON(out, before, after, c, inputs)
	} else {
		writeComparison(&terminalWriter{w: out}, c, inputs)
	}
	return errors.Join(err, out.Flush())
}

// bothInputs returns the inputs that either model keeps.
func bothInputs(before, after *model.Model) [][]byte {
	out := slices.Concat(before.Inputs(), after.Inputs())
	slices.SortFunc(out, bytes.Compare)
	return slices.CompactFunc(out, bytes.Equal)
}

// collect returns the inputs that are given.
func (opt *compareOptions) collect() ([][]byte, error) {
	var out [][]byte
	files, err := inputFiles(opt.inputs)
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		input, err := readFile(name, maxInputRead)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", inputName(name), err)
		}
		out = append(out, input)
	}
	reader := observationReader{stdin: opt.stdin, stderr: opt.stderr}
	err = reader.read(opt.observations, func(observation.Header) {}, func(observations []observation.Observation) error {
		for _, o := range observations {
			out = append(out, o.Input)
		}
		return nil
	})
	return out, err
}

// generate returns random inputs.
func (opt *compareOptions) generate(ctx context.Context, g *grammars.Grammar) ([][]byte, error) {
	if opt.random == 0 {
		return nil, nil
	}
	drawSeed(&opt.seed, opt.stderr)
	generator, err := opt.generator(g) //nolint:contextcheck // it makes no input yet
	if err != nil {
		return nil, err
	}
	var out [][]byte
	for len(out) < opt.random {
		input, err := generator.Next(ctx)
		if err != nil {
			return nil, err
		}
		out = append(out, input.Text)
	}
	return out, nil
}

func (opt *compareOptions) generator(g *grammars.Grammar) (*generate.Generator, error) {
	return generate.New(g, rand.New(rand.NewPCG(opt.seed, 0)), generate.Options{})
}

func writeComparison(w io.Writer, c *model.Comparison, inputs [][]byte) {
	fmt.Fprintf(w, "%s asked about", count(c.Inputs, "input", "inputs"))
	if c.Outside > 0 {
		fmt.Fprintf(w, ", %d left out that are outside the grammar", c.Outside)
	}
	fmt.Fprintf(w, "; %s in both models, %d differ\n", count(c.Units, "method", "methods"), len(c.Changes))
	for _, change := range c.Changes {
		fmt.Fprintf(w, "\n%s: %s", change.Unit.ID, change.Kind)
		if change.Kind != model.Added && change.Kind != model.Removed {
			fmt.Fprintf(w, ", %d inputs answered differently, by mistakes at most %.1f", change.Disagreements, change.Expected)
		}
		fmt.Fprintln(w)
		writeConditions(w, "before", change.Before)
		writeConditions(w, "after", change.After)
		if change.Example >= 0 {
			fmt.Fprintf(w, "  for example: %s\n", excerpt(string(inputs[change.Example])))
		}
	}
}

func writeConditions(w io.Writer, when string, conditions []model.Way) {
	for _, c := range conditions {
		fmt.Fprintf(w, "  %s: %s (%d of %d)\n", when, c, c.Positives, c.Rows)
	}
	if len(conditions) == 0 {
		fmt.Fprintf(w, "  %s: no input\n", when)
	}
}

type comparisonJSON struct {
	Before  string       `json:"before"`
	After   string       `json:"after"`
	Inputs  int          `json:"inputs"`
	Outside int          `json:"outside"`
	Methods int          `json:"methods"`
	Changes []changeJSON `json:"changes"`
}

type changeJSON struct {
	Method   string           `json:"method"`
	Kind     model.ChangeKind `json:"kind"`
	Differ   int              `json:"differ"`
	Expected float64          `json:"expected"`
	Chance   float64          `json:"chance"`
	Example  []byte           `json:"example_base64,omitempty"`
	Before   []model.Way      `json:"before"`
	After    []model.Way      `json:"after"`
}

func writeComparisonJSON(w io.Writer, before, after *model.Model, c *model.Comparison, inputs [][]byte) error {
	out := comparisonJSON{before.Digest, after.Digest, c.Inputs, c.Outside, c.Units, []changeJSON{}}
	for _, change := range c.Changes {
		j := changeJSON{
			Method: change.Unit.ID, Kind: change.Kind, Differ: change.Disagreements, Expected: change.Expected, Chance: change.PValue,
			Before: append([]model.Way{}, change.Before...), After: append([]model.Way{}, change.After...),
		}
		if change.Example >= 0 {
			j.Example = inputs[change.Example]
		}
		out.Changes = append(out.Changes, j)
	}
	return json.NewEncoder(w).Encode(out)
}
