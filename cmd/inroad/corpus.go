package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/targeting/generate"
)

// parseCorpus parses all the inputs that are named, and calls visit with their
// trees. Those outside the grammar are counted and left out; it is an error if
// nothing is left.
func parseCorpus(ctx context.Context, g *grammars.Grammar, start string, names []string, stderr io.Writer, visit func(*derivation.Tree) error) error {
	files, err := inputFiles(names)
	if err != nil {
		return err
	}
	bar := newProgress(stderr, "parsed", len(files))
	defer bar.end()
	var first error
	outside := 0
	for i, name := range files {
		input, err := readFile(name, maxInputRead)
		if err != nil {
			return fmt.Errorf("%s: %w", printable(name), err)
		}
		tree, err := g.Parse(ctx, input, grammars.ParseOptions{Start: start})
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err == nil {
			err = visit(tree)
		}
		if err != nil {
			if outside++; first == nil {
				first = errors.New(newFailure(name, err).Message)
			}
		}
		bar.set(i + 1)
	}
	bar.end()
	switch {
	case len(files) == 0:
		return errors.New("there is no input")
	case outside == len(files):
		return fmt.Errorf("none of %s parses; %w", count(len(files), "input", "inputs"), first)
	case outside > 0:
		fmt.Fprintf(stderr, "inroad: note: %d of %d inputs were left out, the first: %v\n", outside, len(files), first)
	}
	return nil
}

// learnProbabilities learns how likely choices are in the inputs that are named.
func learnProbabilities(ctx context.Context, g *grammars.Grammar, start string, names []string, stderr io.Writer) (*generate.Probabilities, error) {
	tally := generate.NewTally(g)
	if err := parseCorpus(ctx, g, start, names, stderr, tally.Add); err != nil {
		return nil, fmt.Errorf("learn probabilities: %w", err)
	}
	return tally.Probabilities(), nil
}

func readProbabilities(name string, g *grammars.Grammar) (*generate.Probabilities, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("--probabilities %s: %w", name, cause(err))
	}
	defer func() { _ = file.Close() }() // it was only read
	p, err := generate.ReadProbabilities(io.LimitReader(file, maxGrammarRead), g)
	if err != nil {
		return nil, fmt.Errorf("--probabilities %s: %w", name, err)
	}
	return p, nil
}

type probabilitiesOptions struct {
	grammar string
	start   string
	invert  bool
	from    []string

	stdout, stderr io.Writer
}

func newProbabilitiesCommand() *cobra.Command {
	opt := &probabilitiesOptions{}
	cmd := &cobra.Command{
		Use:   "probabilities --grammar NAME|FILE.g4[,FILE.g4...] [flags] [DIR|FILE...]",
		Short: "Learn how likely the choices of a grammar are in a corpus",
		Long: `Learn how likely the choices of a grammar are in a corpus.

The output tells for each alternation how likely its alternatives are, and for
each repetition how often it is repeated. Without a corpus, and where the corpus
never came to, all is null, for you to fill in: what is null takes an equal share
of what the rest leaves. It is what generate --probabilities reads.`,
		Example: `  inroad probabilities --grammar json samples > json.probabilities
  inroad generate --grammar json --strategy common --probabilities json.probabilities`,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			opt.from, opt.stdout, opt.stderr = args, cmd.OutOrStdout(), cmd.ErrOrStderr()
			return opt.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&opt.grammar, "grammar", "", "a bundled grammar's `NAME`, or grammar files joined by commas")
	flags.StringVar(&opt.start, "start", "", "the parser `RULE` that inputs are derived from (default the first)")
	flags.BoolVar(&opt.invert, "invert", false, "what is likely becomes unlikely")
	return cmd
}

func (opt *probabilitiesOptions) run(ctx context.Context) error {
	g, err := openGrammar(opt.grammar, &opt.start, opt.stderr)
	if err != nil {
		return err
	}
	p := generate.NewTally(g).Probabilities()
	if len(opt.from) > 0 {
		if p, err = learnProbabilities(ctx, g, opt.start, opt.from, opt.stderr); err != nil {
			return err
		}
	}
	if opt.invert {
		p = p.Invert()
	}
	return p.WriteJSON(opt.stdout)
}
