package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
)

type parseOptions struct {
	grammar string
	start   string
	format  string
	inside  bool
	engine  string
	strict  bool
	limits  grammars.Limits
	inputs  []string

	stdin          io.Reader
	stdout, stderr io.Writer
}

func newParseCommand() *cobra.Command {
	opt := &parseOptions{}
	cmd := &cobra.Command{
		Use:   "parse --grammar NAME|FILE.g4[,FILE.g4...] [flags] [INPUT|-]...",
		Short: "Print the derivation trees of inputs",
		Long: `Print the derivation trees of inputs, or where each leaves the grammar.

Without an INPUT, or with -, the input is read from standard input. Formats:

  lisp  as ANTLR's toStringTree prints it, a line per input; of several inputs
        one that has no tree gets an empty line
  tree  a node per line, indented, with its number in the grammar; of several
        inputs each tree has a heading
  json  an object per line and input, with the tree or the error

As in ANTLR, a start rule that does not end in EOF may leave a part of the input
unread; a note tells. All inputs are parsed; the exit status is 1 if one of them
has no tree. Limits hold for each input.`,
		Example: `  echo '[1, 2]' | inroad parse --grammar json
  inroad parse --grammar calc.g4 --format tree sums.txt
  inroad parse --grammar MyLexer.g4,MyParser.g4 --start program --format json *.txt`,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			opt.inputs, opt.stdin, opt.stdout, opt.stderr = args, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
			return opt.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&opt.grammar, "grammar", "", "a bundled grammar's `NAME`, or grammar files joined by commas")
	flags.StringVar(&opt.start, "start", "", "the parser `RULE` to begin with (default the first)")
	flags.StringVar(&opt.format, "format", "lisp", "lisp, tree or json")
	flags.BoolVar(&opt.inside, "inside", false, "show in JSON, too, how tokens are derived from their rules")
	flags.StringVar(&opt.engine, "engine", "inroad", "who decides between alternatives: inroad, or the antlr runtime for comparison")
	flags.BoolVar(&opt.strict, "strict", false, "refuse inputs whose trees depend on a predicate, as none is run")
	flags.IntVar(&opt.limits.Input, "max-input", 8<<20, "give up on inputs of more `BYTES`")
	flags.IntVar(&opt.limits.Depth, "max-depth", 100_000, "give up when more rules are inside each other")
	flags.IntVar(&opt.limits.Steps, "max-steps", 50_000_000, "give up after so many steps of lexer and parser")
	flags.IntVar(&opt.limits.Tokens, "max-tokens", 4<<20, "give up on inputs of more tokens, white space and comments included")
	flags.IntVar(&opt.limits.Nodes, "max-nodes", 8<<20, "give up when the tree has more nodes")
	flags.DurationVar(&opt.limits.Time, "timeout", 10*time.Second, "give up after this time")
	return cmd
}

func (opt *parseOptions) run(ctx context.Context) error {
	if err := opt.validate(); err != nil {
		return err
	}
	g, err := loadGrammar(opt.grammar)
	if err != nil {
		return err
	}
	if opt.start, err = startRule(g, opt.start); err != nil {
		return err
	}
	notes := opt.stderr
	if opt.format == "json" { // it has fields for what they say
		notes = io.Discard
	}
	noteApproximate(notes, g)
	p := opt.printer(g)
	failed := false
	for _, name := range opt.inputs {
		tree, err := opt.parse(ctx, g, name)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			failed = true
			f := newFailure(name, err)
			err = p.failure(name, f)
			fmt.Fprintf(opt.stderr, "inroad: %s\n", f.Message)
		} else {
			err = p.tree(name, tree)
			noteUnread(notes, name, tree)
			if limit := new(derivation.LimitError); errors.As(err, &limit) {
				failed = true
				fmt.Fprintf(opt.stderr, "inroad: %s: %v\n", inputName(name), limit)
				err = nil
			}
		}
		if err != nil {
			return err
		}
	}
	if failed {
		return errReported
	}
	return nil
}

// validate finds what is wrong in the options alone.
func (opt *parseOptions) validate() error {
	if !slices.Contains([]string{"lisp", "tree", "json"}, opt.format) {
		return fmt.Errorf("--format %s: it is lisp, tree or json", opt.format)
	}
	if opt.inside && opt.format == "lisp" {
		return errors.New("--inside: ANTLR's form has no place for what is inside tokens; use --format json or tree")
	}
	if opt.engine != "inroad" && opt.engine != "antlr" {
		return fmt.Errorf("--engine %s: it is inroad or antlr", opt.engine)
	}
	const most = 1<<30 - 1 // what trees can count
	switch {
	case opt.limits.Input < 1 || opt.limits.Input > most:
		return fmt.Errorf("--max-input %d: it is from 1 to %d", opt.limits.Input, most)
	case opt.limits.Depth < 1 || opt.limits.Depth > most:
		return fmt.Errorf("--max-depth %d: it is from 1 to %d", opt.limits.Depth, most)
	case opt.limits.Steps < 1:
		return fmt.Errorf("--max-steps %d: it is at least 1", opt.limits.Steps)
	case opt.limits.Tokens < 1 || opt.limits.Tokens > most:
		return fmt.Errorf("--max-tokens %d: it is from 1 to %d", opt.limits.Tokens, most)
	case opt.limits.Nodes < 1 || opt.limits.Nodes > most:
		return fmt.Errorf("--max-nodes %d: it is from 1 to %d", opt.limits.Nodes, most)
	case opt.limits.Time <= 0:
		return fmt.Errorf("--timeout %v: it is more than 0", opt.limits.Time)
	}
	if len(opt.inputs) == 0 {
		opt.inputs = []string{"-"}
	}
	if i := slices.Index(opt.inputs, "-"); i >= 0 && slices.Contains(opt.inputs[i+1:], "-") {
		return errors.New("-: standard input can be read only once")
	}
	return nil
}

func (opt *parseOptions) parse(ctx context.Context, g *grammars.Grammar, name string) (*derivation.Tree, error) {
	input, err := opt.read(ctx, name)
	if err != nil {
		return nil, err
	}
	return g.Parse(ctx, input, grammars.ParseOptions{
		Start: opt.start, Prefix: true, ANTLR: opt.engine == "antlr", Strict: opt.strict, Limits: opt.limits,
	})
}

// read reads an input, and no more of it than shows that it is over the limit.
func (opt *parseOptions) read(ctx context.Context, name string) ([]byte, error) {
	type result struct {
		input []byte
		err   error
	}
	done := make(chan result, 1)
	// Nothing can interrupt a read from a terminal or a pipe. Where the context
	// ends before it does, the process is about to end as well.
	go func() {
		var r result
		if name == "-" {
			r.input, r.err = readAll(opt.stdin, opt.limits.Input)
		} else {
			r.input, r.err = readFile(name, opt.limits.Input)
		}
		done <- r
	}()
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case r := <-done:
		return r.input, r.err
	}
}
