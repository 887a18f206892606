package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/targeting/generate"
)

type generateOptions struct {
	grammar  string
	strategy string
	n        int
	seed     uint64
	spacing  string
	out      string
	generate.Options

	stdout, stderr io.Writer
}

func newGenerateCommand() *cobra.Command {
	opt := &generateOptions{}
	cmd := &cobra.Command{
		Use:   "generate --grammar NAME|FILE.g4[,FILE.g4...] [flags]",
		Short: "Make inputs of a grammar",
		Long: `Make inputs of a grammar.

Every input was parsed back to the tree it was made from. Strategies:

  random    any alternative, as long as the depth allows
  shortest  the smallest inputs

Without --out an object {"input": ...} a line is written. The same seed makes
the same inputs; seed 0 draws one and tells which.`,
		Example: `  inroad generate --grammar json --n 100
  inroad generate --grammar my.g4 --start expr --seed 7 --out corpus`,
		Args:                  cobra.NoArgs,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			opt.stdout, opt.stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
			return opt.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&opt.grammar, "grammar", "", "a bundled grammar's `NAME`, or grammar files joined by commas")
	flags.StringVar(&opt.Start, "start", "", "the parser `RULE` to derive from (default the first)")
	flags.StringVar(&opt.strategy, "strategy", "random", "random or shortest")
	flags.IntVar(&opt.n, "n", 10, "how many inputs")
	flags.Uint64Var(&opt.seed, "seed", 1, "what all choices are drawn from; 0 draws one")
	flags.IntVar(&opt.MaxDepth, "max-depth", 30, "symbols below each other, if the grammar can do with so few")
	flags.IntVar(&opt.MaxRepeat, "max-repeat", 10, "repetitions of what can be repeated")
	flags.StringVar(&opt.spacing, "spacing", "compact", "white space only where it is needed (compact), or between all tokens (spaced)")
	flags.StringVar(&opt.out, "out", "", "write a file an input into this `DIR`, which must be empty or not there yet")
	return cmd
}

// maxInputs bounds how many inputs are made at once.
const maxInputs = 1_000_000

func (opt *generateOptions) validate() error {
	switch {
	case !slices.Contains([]string{"random", "shortest"}, opt.strategy):
		return fmt.Errorf("--strategy %s: it is random or shortest", opt.strategy)
	case !slices.Contains([]string{"compact", "spaced"}, opt.spacing):
		return fmt.Errorf("--spacing %s: it is compact or spaced", opt.spacing)
	case opt.n < 1 || opt.n > maxInputs:
		return fmt.Errorf("--n %d: it is from 1 to %d", opt.n, maxInputs)
	case opt.MaxDepth < 1 || opt.MaxDepth > 1000:
		return fmt.Errorf("--max-depth %d: it is from 1 to 1000", opt.MaxDepth)
	case opt.MaxRepeat < 1 || opt.MaxRepeat > 1000:
		return fmt.Errorf("--max-repeat %d: it is from 1 to 1000", opt.MaxRepeat)
	}
	opt.Shortest, opt.Spaced = opt.strategy == "shortest", opt.spacing == "spaced"
	return nil
}

func (opt *generateOptions) run(ctx context.Context) error {
	if err := opt.validate(); err != nil {
		return err
	}
	g, err := loadGrammar(opt.grammar)
	if err != nil {
		return err
	}
	if opt.Start, err = startRule(g, opt.Start); err != nil {
		return err
	}
	noteApproximate(opt.stderr, g)
	if opt.seed == 0 {
		opt.seed = rand.Uint64() //nolint:forbidigo // a seed is what was asked for, and it is told
		fmt.Fprintf(opt.stderr, "inroad: seed %d\n", opt.seed)
	}
	write, finish, err := opt.output(strings.ToLower(g.Name))
	if err != nil {
		return err
	}
	x, err := generate.New(g, rand.New(rand.NewPCG(opt.seed, 0)), opt.Options)
	if err != nil {
		return err
	}
	draws := 0
	for i := range opt.n {
		input, err := x.Next(ctx)
		if err != nil {
			return errors.Join(err, finish())
		}
		draws += input.Draws
		if err := write(i, input.Text); err != nil {
			return err
		}
	}
	if again := draws - opt.n; again > 0 {
		fmt.Fprintf(opt.stderr, "inroad: note: %d of %d trees were drawn again: their text would have been read otherwise\n", again, draws)
	}
	return finish()
}

// output returns what writes an input, and what ends the writing.
func (opt *generateOptions) output(extension string) (write func(i int, text []byte) error, finish func() error, err error) {
	if opt.out == "" {
		out := bufio.NewWriter(opt.stdout)
		encoder := json.NewEncoder(out)
		encoder.SetEscapeHTML(false)
		return func(_ int, text []byte) error {
			return encoder.Encode(struct {
				Input string `json:"input"`
			}{string(text)})
		}, out.Flush, nil
	}
	if err := os.MkdirAll(opt.out, 0o755); err != nil {
		return nil, nil, fmt.Errorf("--out %s: %w", opt.out, cause(err))
	}
	entries, err := os.ReadDir(opt.out)
	if err != nil {
		return nil, nil, fmt.Errorf("--out %s: %w", opt.out, cause(err))
	}
	if len(entries) > 0 {
		return nil, nil, fmt.Errorf("--out %s: the folder is not empty", opt.out)
	}
	return func(i int, text []byte) error {
		return os.WriteFile(filepath.Join(opt.out, fmt.Sprintf("%06d.%s", i+1, extension)), text, 0o644)
	}, func() error { return nil }, nil
}
