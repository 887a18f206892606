package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/bundled"
)

func newGrammarsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "grammars",
		Short: "List the bundled grammars",
		Long: `List the bundled grammars, which --grammar knows by name: the rule that each
begins with, how many rules and nodes it has, and what it is.`,
		Example: `  inroad grammars
  inroad grammars show json >mine.g4`,
		Args: noSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return listGrammars(cmd.OutOrStdout()) },
	}
	cmd.AddCommand(&cobra.Command{
		Use:     "show NAME",
		Short:   "Print a bundled grammar",
		Long:    "Print the text of a bundled grammar, to read or to start your own from.",
		Example: `  inroad grammars show json >mine.g4`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("give the name of one bundled grammar; there are: %s", strings.Join(bundled.Names(), ", "))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			source, err := bundled.Source(args[0])
			if err != nil {
				return err
			}
			_, err = io.WriteString(cmd.OutOrStdout(), source.Text)
			return err
		},
	})
	return cmd
}

func listGrammars(stdout io.Writer) error {
	table := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tSTART\tRULES\tNODES\tDESCRIPTION")
	for _, name := range bundled.Names() {
		source, err := bundled.Source(name)
		if err != nil {
			return err
		}
		g, err := grammars.Load(source)
		if err != nil {
			return err
		}
		parser, lexer := countRules(g)
		fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%s\n", name, g.Start, parser+lexer, len(g.Nodes), description(source.Text))
	}
	return table.Flush()
}

// description returns the first sentence of the comment that a grammar begins with.
func description(text string) string {
	var words []string
	for line := range strings.Lines(text) {
		comment, ok := strings.CutPrefix(line, "//")
		if !ok {
			break
		}
		words = append(words, strings.Fields(comment)...)
	}
	sentence, _, _ := strings.Cut(strings.Join(words, " ")+" ", ". ")
	return strings.TrimSpace(sentence)
}
