package corpus

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/cmd/inroad/cli"
)

// NewProbabilities returns the command probabilities.
func NewProbabilities() *cobra.Command {
	c, req := &command{}, openapi.LearnProbabilitiesParams{}
	cmd := &cobra.Command{
		Use:   "probabilities --grammar NAME|FILE.g4[,FILE.g4...] [flags] [DIR|FILE...]",
		Short: "Learn from a corpus how likely the choices of a grammar are",
		Long: `Learn from a corpus how likely the choices of a grammar are.

The output has the probability of each alternative, and of each number of
repetitions. Choices that the corpus never makes, and all choices without a
corpus, are null. You can replace them: alternatives that are null share the
remaining probability equally. generate, solve and target read the output with
--probabilities. With --context, probabilities also depend on the symbols that
enclose a choice; solve and target ignore these.`,
		Example: `  inroad probabilities --grammar json samples > json.probabilities
  inroad generate --grammar json --strategy common --probabilities json.probabilities`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := c.open(cmd); err != nil {
				return err
			}
			learned, err := cli.LearnFrom(cmd.Context(), c.service, c.grammar.ID, req, args, c.Streams)
			if err != nil {
				return err
			}
			var text bytes.Buffer
			if err := json.Indent(&text, bytes.TrimSpace(learned.Probabilities), "", "  "); err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.Out, "%s\n", &text)
			return err
		},
	}
	flags := cmd.Flags()
	cli.BindGrammar(flags, &c.name)
	cli.Bind(flags, &req, "start", "invert", "context")
	c.server.Bind(flags)
	return cmd
}
