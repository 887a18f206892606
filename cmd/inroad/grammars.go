package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/bundled"
)

func newGrammarsCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "grammars",
		Short: "List the bundled grammars",
		Long: `List the bundled grammars, which --grammar knows by name: the rule that each
begins with, how many rules and nodes it has, and what it is.`,
		Example: `  inroad grammars
  inroad grammars show json >mine.g4`,
		Args: noSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return listGrammars(cmd.OutOrStdout(), format)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	choices(cmd.Flags(), "format", "text", "json")
	cmd.AddCommand(newShowCommand())
	return cmd
}

func newShowCommand() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "show [--out DIR] NAME",
		Short: "Print a bundled grammar",
		Long: `Print the text of a bundled grammar, to read or to start your own from.

A grammar of two files, the parser and its lexer, is printed with headings. With
--out the files are written into a folder instead, and their names are printed.`,
		Example: `  inroad grammars show json >mine.g4
  inroad grammars show --out mine xml`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("give the name of one bundled grammar; there are: %s", strings.Join(bundled.Names(), ", "))
			}
			return nil
		},
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			sources, err := bundled.Sources(args[0])
			if err != nil {
				return err
			}
			if out != "" {
				return writeSources(cmd.OutOrStdout(), out, sources)
			}
			return printSources(cmd.OutOrStdout(), sources)
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "write the files into this `DIR`, which is made if it is not there")
	return cmd
}

func printSources(stdout io.Writer, sources []grammars.Source) error {
	for i, source := range sources {
		text := source.Text
		if len(sources) > 1 {
			text = fmt.Sprintf("==> %s <==\n%s", source.Name, text)
		}
		if i > 0 {
			text = "\n" + text
		}
		if _, err := io.WriteString(stdout, text); err != nil {
			return err
		}
	}
	return nil
}

func writeSources(stdout io.Writer, dir string, sources []grammars.Source) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("%s: %w", printable(dir), cause(err))
	}
	for _, source := range sources {
		path := filepath.Join(dir, source.Name)
		err := writeWhole(path, func(w io.Writer) error {
			_, err := io.WriteString(w, source.Text)
			return err
		})
		if err != nil {
			return err
		}
		fmt.Fprintln(stdout, path)
	}
	return nil
}

// A grammarJSON is a bundled grammar as grammars --format json writes it.
type grammarJSON struct {
	Name        string `json:"name"`
	Start       string `json:"start"`
	Rules       int    `json:"rules"`
	Nodes       int    `json:"nodes"`
	Description string `json:"description"`
}

func listGrammars(stdout io.Writer, format string) error {
	list := []grammarJSON{}
	for _, name := range bundled.Names() {
		sources, err := bundled.Sources(name)
		if err != nil {
			return err
		}
		g, err := grammars.Load(sources...)
		if err != nil {
			return err
		}
		parser, lexer := countRules(g)
		list = append(list, grammarJSON{name, g.Start, parser + lexer, len(g.Nodes), description(sources[0].Text)})
	}
	if format == "json" {
		return writeJSON(stdout, struct {
			Grammars []grammarJSON `json:"grammars"`
		}{list})
	}
	table := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tSTART\tRULES\tNODES\tDESCRIPTION")
	for _, g := range list {
		fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%s\n", g.Name, g.Start, g.Rules, g.Nodes, g.Description)
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
