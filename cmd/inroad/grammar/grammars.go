package grammar

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/outfile"
	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/grammars/bundled"
)

// NewGrammars returns the commands grammars and grammars show.
func NewGrammars() *cobra.Command {
	var format string
	var server cli.Server
	cmd := &cobra.Command{
		Use:   "grammars [flags]",
		Short: "List the bundled grammars, and those of a service",
		Long: `List the grammars that --grammar knows by name: the start rule of each, its
number of rules and nodes, and a description.`,
		Example: `  inroad grammars
  inroad grammars show json >mine.g4`,
		Args: cli.UnknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return listGrammars(cmd, &server, format) },
	}
	cli.BindFormat(cmd.Flags(), &format, "text", "json")
	server.Bind(cmd.Flags())
	cmd.AddCommand(newShow())
	return cmd
}

// grammarRow describes a grammar in a list.
type grammarRow struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Start       string `json:"start"`
	Rules       int    `json:"rules"`
	Nodes       int    `json:"nodes"`
	Description string `json:"description"`
}

func listGrammars(cmd *cobra.Command, server *cli.Server, format string) error {
	service, err := server.Service()
	if err != nil {
		return err
	}
	list, err := service.Grammars(cmd.Context())
	if err != nil {
		return err
	}
	rows := []grammarRow{}
	for _, item := range list.Grammars {
		g, err := service.Grammar(cmd.Context(), item.ID)
		if err != nil {
			return err
		}
		s := g.Report.Summary
		rows = append(rows, grammarRow{item.ID, item.Name, s.Start, s.ParserRules + s.LexerRules, s.Nodes, description(g.Files)})
	}
	if format == "json" {
		return cli.WriteJSON(cmd.OutOrStdout(), struct {
			Grammars []grammarRow `json:"grammars"`
		}{rows})
	}
	table := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tSTART\tRULES\tNODES\tDESCRIPTION")
	for _, r := range rows {
		fmt.Fprintf(table, "%s\t%s\t%d\t%d\t%s\n", cli.Printable(r.ID), cli.Printable(r.Start), r.Rules, r.Nodes, cli.Printable(r.Description))
	}
	return table.Flush()
}

// description returns the first sentence of the comment at the head of a grammar.
func description(files []openapi.GrammarFile) string {
	var words []string
	for line := range strings.Lines(files[0].Text) {
		comment, ok := strings.CutPrefix(line, "//")
		if !ok {
			break
		}
		words = append(words, strings.Fields(comment)...)
	}
	sentence, _, _ := strings.Cut(strings.Join(words, " ")+" ", ". ")
	return strings.TrimSpace(sentence)
}

func newShow() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "show [--out DIR] NAME",
		Short: "Print the text of a bundled grammar",
		Long: `Print the text of a bundled grammar, to read or as a start for your own.

A grammar of two files, the parser and its lexer, is printed with headings. With
--out the files are written to a folder instead, and their names are printed.`,
		Example: `  inroad grammars show json >mine.g4
  inroad grammars show --out mine xml`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("expected 1 argument (the name of a bundled grammar: %s), got %d", openapi.List(bundled.Names()), len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			sources, err := bundled.Sources(args[0])
			if err != nil {
				return err
			}
			if out != "" {
				err = cli.FileError(out, os.MkdirAll(out, 0o755))
			}
			for i, source := range sources {
				if err == nil {
					err = show(cmd.OutOrStdout(), out, source.Name, source.Text, len(sources) > 1, i > 0)
				}
			}
			return err
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "write the files to this `DIR`, which is created if necessary")
	return cmd
}

// show prints a file of a grammar, or writes it to a folder and prints its name.
func show(stdout io.Writer, dir, name, text string, heading, gap bool) error {
	if dir != "" {
		path := filepath.Join(dir, name)
		err := outfile.Write(path, 0o644, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		})
		if err != nil {
			return cli.FileError(path, err)
		}
		_, err = fmt.Fprintln(stdout, path)
		return err
	}
	if heading {
		text = fmt.Sprintf("==> %s <==\n%s", name, text)
	}
	if gap {
		text = "\n" + text
	}
	_, err := io.WriteString(stdout, text)
	return err
}
