package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
)

type parseOptions struct {
	grammar string
	start   string
	format  string
	inputs  []string

	stdin          io.Reader
	stdout, stderr io.Writer
}

func newParseCommand() *cobra.Command {
	opt := &parseOptions{}
	cmd := &cobra.Command{
		Use:   "parse --grammar NAME|FILE.g4[,FILE.g4...] [INPUT|-]...",
		Short: "Print the derivation trees of inputs",
		Long: `Print the derivation trees of inputs, or where each leaves the grammar.

Without an INPUT, or with -, the input is read from standard input. As in ANTLR,
a start rule that does not end in EOF may leave a part of the input unread.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			opt.inputs, opt.stdin, opt.stdout, opt.stderr = args, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
			return opt.run(cmd.Context())
		},
	}
	cmd.Flags().StringVar(&opt.grammar, "grammar", "", "a bundled grammar, or grammar files joined by commas")
	cmd.Flags().StringVar(&opt.start, "start", "", "the rule to begin with (default: the first parser rule)")
	cmd.Flags().StringVar(&opt.format, "format", "lisp", "lisp, tree or json")
	return cmd
}

func (opt *parseOptions) run(ctx context.Context) error {
	switch opt.format {
	case "lisp", "tree", "json":
	default:
		return fmt.Errorf("--format %s: it is lisp, tree or json", opt.format)
	}
	g, err := loadGrammar(opt.grammar)
	if err != nil {
		return err
	}
	warnApproximate(opt.stderr, g)
	inputs := opt.inputs
	if len(inputs) == 0 {
		inputs = []string{"-"}
	}
	out := bufio.NewWriter(opt.stdout)
	defer out.Flush()
	failed := false
	for _, name := range inputs {
		if err := opt.parse(ctx, g, name, out); err != nil {
			var syntax *grammars.SyntaxError
			if !errors.As(err, &syntax) {
				return err
			}
			failed = true
			out.Flush()
			fmt.Fprintf(opt.stderr, "inroad: %v\n", err)
		}
	}
	if failed {
		return errReported
	}
	return nil
}

func (opt *parseOptions) parse(ctx context.Context, g *grammars.Grammar, name string, out io.Writer) error {
	shown := name
	var input []byte
	var err error
	if name == "-" {
		shown = "stdin"
		input, err = io.ReadAll(opt.stdin)
	} else {
		input, err = os.ReadFile(name)
	}
	if err != nil {
		return err
	}
	tree, err := g.Parse(ctx, input, grammars.ParseOptions{Start: opt.start, Prefix: true})
	if err != nil {
		var syntax *grammars.SyntaxError
		if errors.As(err, &syntax) {
			return fmt.Errorf("%s:%w", shown, err)
		}
		return fmt.Errorf("%s: %w", shown, err)
	}
	return opt.write(g, tree, out)
}

func (opt *parseOptions) write(g *grammars.Grammar, tree *derivation.Tree, out io.Writer) error {
	var err error
	switch opt.format {
	case "lisp":
		err = tree.WriteLisp(out)
	case "tree":
		return tree.WriteIndented(out)
	case "json":
		err = writeJSON(g, tree, out)
	}
	if err == nil {
		_, err = io.WriteString(out, "\n")
	}
	return err
}

// writeJSON writes a tree with the grammar that it is of.
func writeJSON(g *grammars.Grammar, tree *derivation.Tree, out io.Writer) error {
	name, err := json.Marshal(g.Name)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(out, `{"grammar":%s,"digest":"%s","exact":%t,"tree":`, name, g.Digest, g.Exact()); err != nil {
		return err
	}
	if err := tree.WriteJSON(out); err != nil {
		return err
	}
	_, err = io.WriteString(out, "}")
	return err
}
