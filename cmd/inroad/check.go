package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/features/fit"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/g4"
)

type checkOptions struct {
	names  []string
	start  string
	corpus []string
	format string
	all    bool

	stdout, stderr io.Writer
}

func newCheckCommand() *cobra.Command {
	opt := &checkOptions{}
	cmd := &cobra.Command{
		Use:   "check [flags] FILE.g4...|NAME",
		Short: "Tell what is wrong with a grammar, what it is made of, and how it fits a corpus",
		Long: `Tell what is wrong with a grammar, what it is made of, and how it fits a corpus.

All the files are one grammar: a combined grammar, or a parser and its lexer,
with whatever they import. NAME is a bundled grammar.

Each finding is a line file:line:column: message; warnings say so. Then comes a
summary, and where the grammar holds code that inroad does not run, each piece
of it with its place. The exit status is 1 if the grammar cannot be used.

With --corpus all the files of a DIR are parsed, those in folders below it too,
and the summary goes on: how many parsed, the commonest reasons why others did
not, how many of the k-paths they have, which rules, alternatives and optional
parts none of them needs, and which rules derived a text in several ways.`,
		Example: `  inroad check calc.g4
  inroad check MyLexer.g4 MyParser.g4 --start program
  inroad check json --corpus testdata --format json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("no grammar: give its files, or the name of a bundled one; see inroad check --help")
			}
			return nil
		},
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			opt.names, opt.stdout, opt.stderr = args, cmd.OutOrStdout(), cmd.ErrOrStderr()
			return opt.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&opt.start, "start", "", "the parser `RULE` to begin with (default the first)")
	flags.StringArrayVar(&opt.corpus, "corpus", nil, "inputs to fit: a `DIR` or a file; can be given again")
	flags.BoolVar(&opt.all, "all", false, "list all that was found in the corpus, not only the first")
	flags.StringVar(&opt.format, "format", "text", "text or json")
	choices(flags, "format", "text", "json")
	return cmd
}

func (opt *checkOptions) run(ctx context.Context) error {
	g, err := opt.load()
	var found g4.Diagnostics
	if errors.As(err, &found) {
		if err := opt.print(nil, found, nil); err != nil {
			return err
		}
		return errReported
	}
	if err != nil {
		return err
	}
	found = append(slices.Clip(g.Warnings), fit.Hints(g)...)
	if len(opt.corpus) == 0 {
		return opt.print(g, found, nil)
	}
	report, err := opt.survey(ctx, g)
	if err != nil {
		return err
	}
	return opt.print(g, found, report)
}

func (opt *checkOptions) print(g *grammars.Grammar, found g4.Diagnostics, report *fit.Report) error {
	if opt.format == "json" {
		encoder := json.NewEncoder(opt.stdout)
		encoder.SetEscapeHTML(false)
		return encoder.Encode(newCheckJSON(g, found, report))
	}
	out := bufio.NewWriter(&terminalWriter{w: opt.stdout})
	printDiagnostics(out, found)
	if g == nil {
		fmt.Fprintf(out, "cannot be used: %s\n", countFindings(found))
		return out.Flush()
	}
	summarize(out, g)
	if report != nil {
		(&fitPrinter{out, opt.all}).print(report)
	}
	return out.Flush()
}

// load loads the grammar from the start rule asked for, having seen that there
// is one.
func (opt *checkOptions) load() (*grammars.Grammar, error) {
	g, err := loadNamed("", opt.names)
	if err != nil || opt.start == "" {
		return g, err
	}
	start, err := startRule(g, opt.start)
	if err != nil {
		return nil, err
	}
	return loadNamed(start, opt.names)
}

func printDiagnostics(w io.Writer, found g4.Diagnostics) {
	for _, d := range found {
		fmt.Fprintln(w, d)
	}
}

func countFindings(found g4.Diagnostics) string {
	failures, warnings := 0, 0
	for _, d := range found {
		if d.Severity == g4.Warning {
			warnings++
		} else {
			failures++
		}
	}
	if warnings == 0 {
		return count(failures, "error", "errors")
	}
	return count(failures, "error", "errors") + ", " + count(warnings, "warning", "warnings")
}

func summarize(w io.Writer, g *grammars.Grammar) {
	parser, lexer := countRules(g)
	fmt.Fprintf(w, "grammar %s: %s, %s, %s, %s\n", g.Name,
		count(parser, "parser rule", "parser rules"), count(lexer, "lexer rule", "lexer rules"),
		count(len(g.Tokens())-1, "token", "tokens"), count(len(g.Nodes), "node", "nodes"))
	fmt.Fprintf(w, "start rule: %s\n", g.Start)
	if g.Exact() {
		fmt.Fprintln(w, "exact: no code in it can change its trees")
		return
	}
	fmt.Fprintf(w, "approximate: trees may differ from ANTLR's, as code is not run: %s\n", codeSummary(g.Code))
	for _, c := range g.Code {
		if name, _ := codeName(c.Kind); name != "" {
			fmt.Fprintf(w, "%v: %s%s: %s\n", c.Pos, name, inRule(c), excerpt(c.Text))
		}
	}
}

func inRule(c g4.Code) string {
	if c.Rule == "" {
		return ""
	}
	return " in rule " + c.Rule
}

// excerpt returns the beginning of a piece of code, on one line.
func excerpt(code string) string {
	const most = 60
	line := []rune(strings.Join(strings.Fields(code), " "))
	if len(line) > most {
		return string(line[:most]) + "..."
	}
	return string(line)
}

// countRules counts the rules that someone wrote.
func countRules(g *grammars.Grammar) (parser, lexer int) {
	for _, r := range g.Rules {
		switch {
		case r.Kind == grammars.ParserRule:
			parser++
		case !r.Literal:
			lexer++
		}
	}
	return parser, lexer
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
