package grammar

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/cmd/inroad/cli"
)

type checkCommand struct {
	names   []string
	grammar func(files string) string // the name of the grammar in these files
	req     openapi.GrammarSource
	corpus  []string
	format  string
	all     bool
	server  cli.Server
	cli.Streams
}

// NewCheck returns the command check.
func NewCheck() *cobra.Command {
	c := &checkCommand{}
	cmd := &cobra.Command{
		Use:   "check [flags] FILE.g4...|NAME",
		Short: "Check a grammar, and how well it fits a corpus",
		Long: `Check a grammar, and how well it fits a corpus.

All files form one grammar: a combined grammar, or a parser and its lexer, with
the grammars that they import. NAME is a bundled grammar.

Each finding is a line file:line:column: message. A summary follows, and lists
the code in the grammar that inroad does not run. The exit status is 1 if the
grammar cannot be used.

With --corpus, all files of a DIR and of its subfolders are parsed. The report
adds how many parsed, the most common reasons for rejection, the coverage of
k-paths, the rules, alternatives and optional parts that no input uses, and the
rules that derive a text in several ways.`,
		Example: `  inroad check calc.g4
  inroad check MyLexer.g4 MyParser.g4 --start program
  inroad check json --corpus testdata --format json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("no grammar: give its files, or the name of a bundled grammar; see inroad check --help")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			c.names, c.Streams = args, cli.StreamsOf(cmd)
			return c.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	cli.Bind(flags, &c.req, "start")
	c.grammar = cli.BindScannerless(flags)
	flags.StringArrayVar(&c.corpus, "corpus", nil, "`DIR` or file of inputs to parse; may be repeated")
	flags.BoolVar(&c.all, "all", false, "list all findings about the corpus, not only the first ten of each kind")
	cli.BindFormat(flags, &c.format, "text", "json")
	c.server.Bind(flags)
	return cmd
}

func (c *checkCommand) run(ctx context.Context) error {
	service, err := c.server.Service()
	if err != nil {
		return err
	}
	name := c.grammar(strings.Join(c.names, ","))
	sources, err := api.ReadGrammar(name)
	if err != nil {
		return err
	}
	for _, s := range sources {
		c.req.Files = append(c.req.Files, openapi.GrammarFile{Name: s.Name, Text: s.Text})
	}
	report, err := service.CheckGrammar(ctx, c.req)
	if err != nil {
		return err
	}
	var fit *openapi.Fit
	if report.Usable && len(c.corpus) > 0 {
		if fit, err = c.fit(ctx, service, name); err != nil {
			return err
		}
	}
	if err := c.print(report, fit); err != nil {
		return err
	}
	if !report.Usable {
		return cli.ErrReported
	}
	return nil
}

func (c *checkCommand) fit(ctx context.Context, service api.Service, name string) (*openapi.Fit, error) {
	files, err := cli.InputFiles(c.corpus)
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("--corpus: no files in %s", cli.Printable(strings.Join(c.corpus, ", ")))
	}
	bar := cli.NewProgress(c.Err, "parsed", len(files))
	defer bar.End()
	fit, err := service.FitGrammar(ctx, name, openapi.FitGrammarParams{Start: c.req.Start}, cli.Inputs(ctx, files, c.In, bar))
	return &fit, err
}

func (c *checkCommand) print(report openapi.GrammarReport, fit *openapi.Fit) error {
	if c.format == "json" {
		return cli.WriteJSON(c.Out, struct {
			openapi.GrammarReport
			Corpus *openapi.Fit `json:"corpus,omitempty"`
		}{report, fit})
	}
	out := bufio.NewWriter(&cli.TerminalWriter{W: c.Out})
	failures, warnings := 0, 0
	for _, f := range report.Findings {
		severity := ""
		if f.Severity == openapi.Warning {
			severity = "warning: "
			warnings++
		} else {
			failures++
		}
		fmt.Fprintf(out, "%s%s%s\n", place(f.File, f.Line, f.Column), severity, f.Message)
	}
	if !report.Usable {
		fmt.Fprintf(out, "cannot be used: %s", cli.Count(failures, "error", "errors"))
		if warnings > 0 {
			fmt.Fprintf(out, ", %s", cli.Count(warnings, "warning", "warnings"))
		}
		fmt.Fprintln(out)
		return out.Flush()
	}
	summarize(out, report.Summary)
	if fit != nil {
		(&fitPrinter{out, c.all}).print(*fit)
	}
	return out.Flush()
}

// place returns the position of a finding, followed by a colon.
func place(file string, line, column int) string {
	switch {
	case file == "":
		return ""
	case line == 0:
		return file + ": "
	default:
		return fmt.Sprintf("%s:%d:%d: ", file, line, column)
	}
}

func summarize(out *bufio.Writer, g openapi.GrammarSummary) {
	fmt.Fprintf(out, "grammar %s: %s, %s, %s, %s\n", g.Name,
		cli.Count(g.ParserRules, "parser rule", "parser rules"), cli.Count(g.LexerRules, "lexer rule", "lexer rules"),
		cli.Count(g.Tokens, "token", "tokens"), cli.Count(g.Nodes, "node", "nodes"))
	fmt.Fprintf(out, "start rule: %s\n", g.Start)
	if g.Exact {
		fmt.Fprintln(out, "exact: no code in the grammar can change its trees")
		return
	}
	fmt.Fprintf(out, "approximate: trees may differ from ANTLR's, because code is not run: %s\n", cli.CodeSummary(g.Code))
	for _, code := range g.Code {
		if code.Kind == openapi.Other {
			continue
		}
		rule := ""
		if code.Rule != "" {
			rule = " in rule " + code.Rule
		}
		fmt.Fprintf(out, "%s%s%s: %s\n", place(code.File, code.Line, code.Column), code.Kind, rule, cli.Abbreviate(code.Text))
	}
}

// A fitPrinter prints how well a grammar fits a corpus.
type fitPrinter struct {
	*bufio.Writer
	all bool
}

// maxListed is the maximum number of lines to print of a list, unless --all is set.
const maxListed = 10

func (p *fitPrinter) print(f openapi.Fit) {
	fmt.Fprintf(p, "corpus: %s, %d parsed (%s %%)\n", cli.Count(f.Inputs, "input", "inputs"), f.Parsed, cli.Percent(f.Parsed, big.NewInt(int64(f.Inputs))))
	p.list("reasons for rejection", len(f.Rejections), func(i int) string {
		r := f.Rejections[i]
		line := fmt.Sprintf("%d: %s", r.Inputs, r.Reason)
		if len(r.Expected) > 0 {
			line += ", expected " + shorten(r.Expected, " | ")
		}
		return line + "; " + strings.Join(r.Examples, ", ")
	})
	for _, c := range f.Coverage {
		if possible, ok := new(big.Int).SetString(c.Possible, 10); ok {
			fmt.Fprintf(p, "k=%d: %d of %v (%s %%)\n", c.K, c.Covered, possible, cli.Percent(c.Covered, possible))
		}
	}
	p.list("rules that no input uses", len(f.UnusedRules), func(i int) string {
		return fmt.Sprintf("%s: %s", f.UnusedRules[i].Place, f.UnusedRules[i].Rule)
	})
	p.list("alternatives that no input uses", len(f.Unused), func(i int) string {
		u := f.Unused[i]
		if u.Optional {
			return fmt.Sprintf("%s: %s: always without %s", u.Place, u.Rule, u.Part)
		}
		return fmt.Sprintf("%s: %s: %s", u.Place, u.Rule, u.Part)
	})
	p.list("ambiguities, which degrade generation and learning", len(f.Ambiguities), func(i int) string {
		a := f.Ambiguities[i]
		alternatives := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(a.Alternatives)), ", "), "[]")
		return fmt.Sprintf("%d: rule %s, alternatives %s; %s: %q", a.Times, a.Rule, alternatives, a.Example, a.Text)
	})
}

// list prints a list under a heading, if it is not empty.
func (p *fitPrinter) list(heading string, n int, line func(int) string) {
	if n == 0 {
		return
	}
	fmt.Fprintf(p, "%s: %d\n", heading, n)
	for i := range n {
		if i == maxListed && !p.all {
			fmt.Fprintf(p, "  and %d more; --all lists them\n", n-i)
			return
		}
		fmt.Fprintf(p, "  %s\n", line(i))
	}
}

// shorten joins the first few names and counts the others.
func shorten(names []string, by string) string {
	const most = 6
	if len(names) <= most+1 {
		return strings.Join(names, by)
	}
	return fmt.Sprintf("%s%sand %d others", strings.Join(names[:most], by), by, len(names)-most)
}
