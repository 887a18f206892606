package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/limit"
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
	server  serverOptions
	client  *client        // nil if no service is asked
	flags   *pflag.FlagSet // of the command

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
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			opt.inputs, opt.flags, opt.stdin, opt.stdout, opt.stderr = args, cmd.Flags(), cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
			opt.client, err = opt.server.connect(cmd, "engine", "max-input", "max-depth", "max-steps", "max-tokens", "max-nodes", "timeout")
			if err != nil {
				return err
			}
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
	choices(flags, "format", "lisp", "tree", "json")
	choices(flags, "engine", "inroad", "antlr")
	opt.server.bind(flags)
	return cmd
}

func (opt *parseOptions) run(ctx context.Context) error {
	if err := opt.validate(); err != nil {
		return err
	}
	notes := opt.stderr
	if opt.format == "json" { // it has fields for what they say
		notes = io.Discard
	}
	g, parse, err := opt.open(ctx, notes)
	if err != nil {
		return err
	}
	p := opt.printer(g)
	failed := false
	for _, name := range opt.inputs {
		input, err := opt.read(ctx, name)
		var tree *parsed
		if err == nil {
			tree, err = parse(ctx, input)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if _, ok := errors.AsType[*unreachableError](err); ok {
			return err
		}
		if err != nil {
			failed = true
			f := newFailure(name, withRemedy(err, opt.flags))
			err = p.failure(name, f)
			fmt.Fprintf(opt.stderr, "inroad: %s\n", f.Message)
		} else {
			err = p.tree(name, tree)
			noteUnread(notes, name, opt.start, tree)
			if over, ok := errors.AsType[*limit.Error](err); ok {
				tree.partial, err = over.Error(), nil
			}
			if tree.partial != "" {
				failed = true
				fmt.Fprintf(opt.stderr, "inroad: %s: %s\n", inputName(name), tree.partial)
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
	if opt.inside && opt.format == "lisp" {
		return errors.New("--inside: ANTLR's form has no place for what is inside tokens; use --format json or tree")
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

// open returns the grammar, and what parses: the grammar itself, or a service.
func (opt *parseOptions) open(ctx context.Context, notes io.Writer) (*grammars.Grammar, parser, error) {
	if opt.client != nil {
		g, err := opt.client.openGrammar(ctx, opt.grammar, &opt.start, notes)
		if err != nil {
			return nil, nil, err
		}
		return g.Grammar, opt.client.parser(g, opt), nil
	}
	g, err := openGrammar(opt.grammar, &opt.start, notes)
	return g, func(ctx context.Context, input []byte) (*parsed, error) {
		tree, err := g.Parse(ctx, input, grammars.ParseOptions{
			Start: opt.start, Prefix: true, ANTLR: opt.engine == "antlr", Strict: opt.strict, Limits: opt.limits,
		})
		if err != nil {
			return nil, err
		}
		out := &parsed{treeWriter: tree}
		if token, ok := tree.Unread(); ok {
			line, column := derivation.LineColumn(input, int(token.Start))
			out.unread = &failurePlace{line, column, int(token.Start)}
		}
		return out, nil
	}, err
}

// A parser derives inputs.
type parser func(ctx context.Context, input []byte) (*parsed, error)

// A parsed is an input that has a tree.
type parsed struct {
	treeWriter
	unread  *failurePlace // where the tree ends before the input does
	partial string        // why it is not whole, if it is known before it is written
}

// A treeWriter writes a tree in the forms that people ask for.
type treeWriter interface {
	WriteLisp(w io.Writer) error
	WriteIndented(w io.Writer) error
	WriteJSON(w io.Writer) error
	WriteDeepJSON(w io.Writer) error
	WriteTriviaJSON(w io.Writer) error
	WriteDeepTriviaJSON(w io.Writer) error
}

// read reads an input, and no more of it than shows that it is over the limit.
func (opt *parseOptions) read(ctx context.Context, name string) ([]byte, error) {
	return readInput(ctx, name, opt.stdin, opt.limits.Input)
}
