package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/g4"
)

type checkOptions struct {
	files []string
	start string

	stdout, stderr io.Writer
}

func newCheckCommand() *cobra.Command {
	opt := &checkOptions{}
	cmd := &cobra.Command{
		Use:   "check FILE.g4...",
		Short: "Tell what is wrong with a grammar, and what it is made of",
		Long: `Tell what is wrong with a grammar, and what it is made of.

All the files are one grammar: a combined grammar, or a parser and its lexer,
with whatever they import.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			opt.files, opt.stdout, opt.stderr = args, cmd.OutOrStdout(), cmd.ErrOrStderr()
			return opt.run()
		},
	}
	cmd.Flags().StringVar(&opt.start, "start", "", "the rule to begin with (default: the first parser rule)")
	return cmd
}

func (opt *checkOptions) run() error {
	g, err := loadFiles(opt.files)
	if err != nil {
		var found g4.Diagnostics
		if !errors.As(err, &found) {
			return err
		}
		printDiagnostics(opt.stdout, found)
		return errReported
	}
	printDiagnostics(opt.stdout, g.Warnings)
	start := opt.start
	if start == "" {
		start = g.Start
	}
	if r := g.Rule(start); r == nil || r.Kind != grammars.ParserRule {
		return fmt.Errorf("grammar %s has no parser rule %q", g.Name, start)
	}
	opt.summarize(g, start)
	return nil
}

func printDiagnostics(w io.Writer, found g4.Diagnostics) {
	for _, d := range found {
		fmt.Fprintln(w, d)
	}
}

func (opt *checkOptions) summarize(g *grammars.Grammar, start string) {
	parser, lexer := len(g.ParserRules()), 0
	for _, r := range g.Rules {
		if r.Kind != grammars.ParserRule && !r.Literal {
			lexer++
		}
	}
	fmt.Fprintf(opt.stdout, "grammar %s: %d parser rules, %d lexer rules, %d tokens, %d nodes\n",
		g.Name, parser, lexer, len(g.Tokens())-1, len(g.Nodes))
	fmt.Fprintf(opt.stdout, "start rule: %s\n", start)
	if g.Exact() {
		fmt.Fprintln(opt.stdout, "exact: no code in it can change its trees")
		return
	}
	fmt.Fprintf(opt.stdout, "approximate: %s not run\n", codeSummary(g.Code))
	for _, c := range g.Code {
		if name := codeName(c.Kind); name != "" {
			fmt.Fprintf(opt.stdout, "%v: %s\n", c.Pos, name)
		}
	}
}

// codeName names a kind of code that can change trees, "" any other.
func codeName(kind g4.CodeKind) string {
	switch kind {
	case g4.Predicate:
		return "predicate"
	case g4.Action:
		return "action"
	case g4.Members:
		return "members"
	case g4.SuperClass:
		return "superclass"
	default:
		return ""
	}
}
