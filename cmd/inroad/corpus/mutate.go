package corpus

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/cmd/inroad/cli"
)

type mutateCommand struct {
	generator
	req   openapi.MutateInputsParams
	stdio bool
}

// NewMutate returns the command mutate.
func NewMutate() *cobra.Command {
	c := &mutateCommand{}
	cmd := &cobra.Command{
		Use:   "mutate --grammar NAME|FILE.g4[,FILE.g4...] [flags] DIR|FILE...",
		Short: "Mutate the inputs of a corpus",
		Long: `Mutate the inputs of a corpus.

Each new input differs from an input of the corpus by one mutation of its tree, so
that it is in the language of the grammar, too. It is parsed again; in
an ambiguous grammar, the parser may prefer another tree than the mutated one. Mutations:

  regenerate  replace a subtree by a new random one
  splice      replace a subtree by one of another input, of the same rule or token
  swap        exchange two subtrees of the same rule or token
  repeat      duplicate one round of a repetition
  drop        remove one round of a repetition
  deepen      replace a subtree by a larger one of the same rule that contains it

No two inputs are the same, and none is in the corpus. Inputs of the corpus that
do not parse are left out.

With --stdio, the command is the mutator of another fuzzer, such as AFL++. It reads
requests for mutants from standard input until its end, and takes no corpus.
docs/fuzzing.md describes the requests.

` + cli.OutputHelp,
		Example: `  inroad mutate --grammar json --n 100 --out mutants corpus
  inroad mutate --grammar my.g4 --mutations splice,swap --seed 7 a.txt b.txt
  inroad mutate --grammar my.g4 --stdio`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if c.stdio {
				if len(args) > 0 {
					return errors.New("--stdio: the corpus comes from standard input")
				}
				for _, flag := range []string{"n", "mutations", "out", "format", "server"} {
					if cmd.Flags().Changed(flag) {
						return fmt.Errorf("--%s: has no effect with --stdio", flag)
					}
				}
				c.Streams = cli.StreamsOf(cmd)
				return c.runStdio(cmd.Context())
			}
			if len(args) == 0 {
				return errors.New("no corpus: give folders or files with inputs")
			}
			if err := c.open(cmd); err != nil {
				return err
			}
			return c.run(cmd.Context(), args)
		},
	}
	flags := cmd.Flags()
	cli.BindGrammar(flags, &c.name)
	cli.Bind(flags, &c.req, "start", "n", "mutations", "max_nodes", "seed")
	flags.BoolVar(&c.stdio, "stdio", false, "answer requests of another fuzzer on standard input")
	c.bindOutput(flags)
	return cmd
}

func (c *mutateCommand) run(ctx context.Context, names []string) error {
	files, err := cli.CorpusFiles(names)
	if err != nil {
		return err
	}
	summary, err := c.write(c.service.Mutate(ctx, c.grammar.ID, c.req, cli.Inputs(ctx, files, c.In, nil)), func(openapi.GeneratedInput) {})
	if err != nil {
		return err
	}
	cli.NoteSeed(c.Streams, c.req.Seed, summary.Seed)
	if summary.Outside > 0 {
		c.Notef("note: %d of %d inputs were left out, because they do not parse", summary.Outside, len(files))
	}
	if summary.Inputs < c.req.N {
		c.Notef("note: found only %d of %d inputs", summary.Inputs, c.req.N)
	}
	return nil
}
