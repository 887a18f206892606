package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/targeting/generate"
)

type generateOptions struct {
	grammar  string
	strategy string
	n        int
	k        int
	maxNodes int
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
  kpath     as many inputs as it takes to have all the k-paths of the grammar,
            or the first --n of them; a summary is written to standard error

Without --out an object {"input": ...} a line is written. The same seed makes
the same inputs; seed 0 draws one and tells which.`,
		Example: `  inroad generate --grammar json --n 100
  inroad generate --grammar my.g4 --start expr --seed 7 --out corpus
  inroad generate --grammar json --strategy kpath --k 3 --max-nodes 100`,
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
	flags.StringVar(&opt.strategy, "strategy", "random", "random, shortest or kpath")
	flags.IntVar(&opt.n, "n", 0, "how many inputs (default 10, of kpath as many as it takes)")
	flags.IntVar(&opt.k, "k", 2, "kpath: the `LENGTH` of the paths")
	flags.IntVar(&opt.maxNodes, "max-nodes", 200, "kpath: symbols of a tree, unless one path needs more")
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
	case !slices.Contains([]string{"random", "shortest", "kpath"}, opt.strategy):
		return fmt.Errorf("--strategy %s: it is random, shortest or kpath", opt.strategy)
	case opt.k < 1 || opt.k > features.MaxK:
		return fmt.Errorf("--k %d: it is from 1 to %d", opt.k, features.MaxK)
	case opt.maxNodes < 1 || opt.maxNodes > 100_000:
		return fmt.Errorf("--max-nodes %d: it is from 1 to 100000", opt.maxNodes)
	case !slices.Contains([]string{"compact", "spaced"}, opt.spacing):
		return fmt.Errorf("--spacing %s: it is compact or spaced", opt.spacing)
	case opt.n < 0 || opt.n > maxInputs:
		return fmt.Errorf("--n %d: it is from 1 to %d", opt.n, maxInputs)
	case opt.MaxDepth < 1 || opt.MaxDepth > 1000:
		return fmt.Errorf("--max-depth %d: it is from 1 to 1000", opt.MaxDepth)
	case opt.MaxRepeat < 1 || opt.MaxRepeat > 1000:
		return fmt.Errorf("--max-repeat %d: it is from 1 to 1000", opt.MaxRepeat)
	}
	opt.Shortest, opt.Spaced = opt.strategy == "shortest", opt.spacing == "spaced"
	switch {
	case opt.n > 0:
	case opt.strategy == "kpath":
		opt.n = maxInputs
	default:
		opt.n = 10
	}
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
		opt.seed = rand.Uint64()
		fmt.Fprintf(opt.stderr, "inroad: seed %d\n", opt.seed)
	}
	write, finish, err := opt.output(strings.ToLower(g.Name))
	if err != nil {
		return err
	}
	x, err := generate.New(g, rand.New(rand.NewPCG(opt.seed, 0)), opt.Options) //nolint:contextcheck // reading one token back is bounded and takes no context
	if err != nil {
		return err
	}
	next := x.Next
	if opt.strategy == "kpath" {
		cover, err := generate.NewCover(x, opt.k, opt.maxNodes)
		if err != nil {
			return err
		}
		next = cover.Next
		defer func() { opt.summarize(cover) }()
	}
	draws, n := 0, 0
	for ; n < opt.n; n++ {
		input, err := next(ctx)
		if err != nil {
			return errors.Join(err, finish())
		}
		if input == nil {
			break
		}
		draws += input.Draws
		if err := write(n, input.Text); err != nil {
			return err
		}
	}
	if again := draws - n; again > 0 {
		fmt.Fprintf(opt.stderr, "inroad: note: %d of %d trees were drawn again: their text would have been read otherwise\n", again, draws)
	}
	return finish()
}

// summarize tells what the inputs cover.
func (opt *generateOptions) summarize(cover *generate.Cover) {
	covered, all := cover.Covered()
	fmt.Fprintf(opt.stderr, "inroad: k=%d: %d of %d (%s %%)", opt.k, covered, all, percent(covered, big.NewInt(int64(all))))
	if n := len(cover.Unrealised); n > 0 {
		fmt.Fprintf(opt.stderr, ", %d without a text that parses back", n)
	}
	fmt.Fprintln(opt.stderr)
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
