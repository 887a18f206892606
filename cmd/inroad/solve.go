package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/targeting"
	"github.com/inroad/inroad/targeting/generate"
	"github.com/inroad/inroad/targeting/solve"
)

// A verdictError ends a command that has already said why it found no input.
type verdictError struct{ verdict targeting.Verdict }

func (e *verdictError) Error() string { return string(e.verdict) }

// Verdict returns the verdict, for [targeting.VerdictOf].
func (e *verdictError) Verdict() targeting.Verdict { return e.verdict }

// wishOptions say how many inputs are wanted, and of which kind.
type wishOptions struct {
	n        int
	style    string
	seed     uint64
	maxNodes int
	out      string
	format   string

	from          []string
	probabilities string
	learned       *generate.Probabilities

	server serverOptions
	client *client // nil if no service is asked

	stdout, stderr io.Writer
}

func (opt *wishOptions) bind(flags *pflag.FlagSet) {
	flags.IntVar(&opt.n, "n", 1, "how many inputs")
	flags.StringVar(&opt.style, "style", "smallest", "the smallest inputs, varied ones of random sizes, or natural ones")
	flags.Uint64Var(&opt.seed, "seed", 1, "what all choices are drawn from; 0 draws one")
	flags.IntVar(&opt.maxNodes, "max-nodes", 0, "symbols of a tree at most, those in tokens too (default no limit)")
	flags.StringSliceVar(&opt.from, "from", nil, "natural: the `DIR|FILE`s with inputs to learn from what is likely")
	flags.StringVar(&opt.probabilities, "probabilities", "", "natural: a `FILE` of probabilities, instead of --from; see inroad probabilities")
	flags.StringVar(&opt.out, "out", "", "write a file an input into this `DIR`, which must be empty or not there yet")
	flags.StringVar(&opt.format, "format", "ndjson", inputFormatUsage)
	choices(flags, "style", "smallest", "varied", "natural")
	choices(flags, "format", "ndjson", "json")
	opt.server.bind(flags)
}

// maxWishes bounds how many inputs are made for a constraint.
const maxWishes = 10_000

func (opt *wishOptions) validate() error {
	switch {
	case opt.n < 1 || opt.n > maxWishes:
		return fmt.Errorf("--n %d: it is from 1 to %d", opt.n, maxWishes)
	case opt.style != "natural" && (len(opt.from) > 0 || opt.probabilities != ""):
		return errors.New("--from and --probabilities are for --style natural")
	case len(opt.from) > 0 && opt.probabilities != "":
		return errors.New("give --from or --probabilities, not both")
	case opt.maxNodes < 0:
		return fmt.Errorf("--max-nodes %d: it is at least 1", opt.maxNodes)
	}
	drawSeed(&opt.seed, opt.stderr)
	return nil
}

// learn learns what is likely, if that is asked for.
func (opt *wishOptions) learn(ctx context.Context, g *grammars.Grammar, start string) (err error) {
	switch {
	case len(opt.from) > 0:
		opt.learned, err = learnProbabilities(ctx, g, start, opt.from, opt.stderr)
	case opt.probabilities != "":
		opt.learned, err = readProbabilities(opt.probabilities, g)
	}
	return err
}

// draw makes inputs in the style that was asked for.
func (opt *wishOptions) draw(ctx context.Context, s *solve.Solution, r *rand.Rand, n int) ([]*generate.Input, error) {
	switch opt.style {
	case "varied":
		return s.Varied(ctx, r, n)
	case "natural":
		return s.Natural(ctx, r, opt.learned, n)
	default:
		return s.Smallest(ctx, r, n)
	}
}

func (opt *wishOptions) source() *rand.Rand { return rand.New(rand.NewPCG(opt.seed, 0)) }

// told says why there is no input if err has a verdict, and returns the error
// that ends the command.
func (opt *wishOptions) told(err error) error {
	verdict, ok := targeting.VerdictOf(err)
	if !ok || verdict == targeting.Solved {
		return err
	}
	fmt.Fprintf(opt.stderr, "inroad: %s\n", printable(err.Error()))
	return &verdictError{verdict}
}

// write writes inputs, and tells if there are fewer than asked for.
func (opt *wishOptions) write(grammar string, inputs [][]byte) error {
	out, err := newInputWriter(opt.stdout, opt.format, opt.out, strings.ToLower(grammar))
	if err != nil {
		return err
	}
	for _, input := range inputs {
		if err := out.write(0, input); err != nil {
			return err
		}
	}
	if len(inputs) < opt.n {
		fmt.Fprintf(opt.stderr, "inroad: note: no more than %s found\n", count(len(inputs), "input was", "inputs were"))
	}
	return out.end()
}

type solveOptions struct {
	wishOptions
	grammar, start    string
	require, forbid   []string
	atLeast, atMost   []string
	exactly, absent   []string
	maxDepth, maxChar int
}

func newSolveCommand() *cobra.Command {
	opt := &solveOptions{}
	cmd := &cobra.Command{
		Use:   "solve --grammar NAME|FILE.g4[,FILE.g4...] [--require PATH]... [--forbid PATH]... [flags]",
		Short: "Make inputs that have some paths and not others",
		Long: `Make inputs that have some paths and not others, or prove that there are none.

A PATH is written as symbols of the grammar, each right below the one before it:
names of rules and tokens, literals in quotes, sets in brackets. A number picks
one occurrence, as inroad paths list shows them; without one, any occurrence
will do where a path is required, and none may be there where it is forbidden.

Natural inputs are drawn as --from or --probabilities say what is likely, or as
if all choices were, and are as likely as among all such inputs those that
happen to satisfy the conditions.

Every input was parsed back, and the conditions were checked on its tree. The
exit status is 3 if no input satisfies them, which is a proof, 4 if there are
trees that do but no text was found for one, and 5 if a limit stopped the search.

Without --out an object {"input": ...} a line is written. The same seed makes
the same inputs; seed 0 draws one and tells which.`,
		Example: `  inroad solve --grammar json --require 'object > member' --forbid STRING
  inroad solve --grammar expr --require '"*"' --require 'unaryExpr#15 > addExpr > "-"'
  inroad solve --grammar json --at-least 'value > array:3' --n 20 --style varied`,
		Args:                  cobra.NoArgs,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			opt.stdout, opt.stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
			if opt.client, err = opt.server.connect(cmd); err != nil {
				return err
			}
			return opt.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&opt.grammar, "grammar", "", "a bundled grammar's `NAME`, or grammar files joined by commas")
	flags.StringVar(&opt.start, "start", "", "the parser `RULE` to derive from (default the first)")
	flags.StringArrayVar(&opt.require, "require", nil, "a `PATH` that inputs have")
	flags.StringArrayVar(&opt.forbid, "forbid", nil, "a `PATH` that inputs do not have")
	flags.StringArrayVar(&opt.atLeast, "at-least", nil, "a `PATH:N` that inputs have N times or more")
	flags.StringArrayVar(&opt.atMost, "at-most", nil, "a `PATH:N` that inputs have N times or less")
	flags.StringArrayVar(&opt.exactly, "exactly", nil, "a `PATH:N` that inputs have N times")
	flags.StringArrayVar(&opt.absent, "absent", nil, "a `RULE` or token that inputs do not have")
	opt.bind(flags)
	flags.IntVar(&opt.maxDepth, "max-depth", 0, "symbols below each other at most (default no limit)")
	flags.IntVar(&opt.maxChar, "max-chars", 0, "characters of all tokens at most; the smallest input is the shortest then (default no limit)")
	return cmd
}

func (opt *solveOptions) run(ctx context.Context) error {
	if err := opt.validate(); err != nil {
		return err
	}
	solve := opt.solve
	if opt.client != nil {
		solve = opt.client.solve
	}
	inputs, name, err := solve(ctx, opt)
	if err != nil {
		return opt.told(err)
	}
	return opt.write(name, inputs)
}

// solve makes inputs, and returns them with the name of the grammar.
func (*solveOptions) solve(ctx context.Context, opt *solveOptions) (inputs [][]byte, grammar string, err error) {
	g, err := openGrammar(opt.grammar, &opt.start, opt.stderr)
	if err != nil {
		return nil, "", err
	}
	c, err := opt.prepare(ctx, g)
	if err != nil {
		return nil, "", err
	}
	solver, err := solve.New(g, opt.start)
	if err != nil {
		return nil, "", err
	}
	solution, err := solver.Solve(ctx, c)
	if err != nil {
		return nil, "", err
	}
	made, err := opt.draw(ctx, solution, opt.source(), opt.n)
	for _, input := range made {
		inputs = append(inputs, input.Text)
	}
	return inputs, g.Name, err
}

// prepare learns what is likely, and reads the conditions.
func (opt *solveOptions) prepare(ctx context.Context, g *grammars.Grammar) (targeting.Constraint, error) {
	if err := opt.learn(ctx, g, opt.start); err != nil {
		return targeting.Constraint{}, err
	}
	c, err := opt.constraint(targeting.NewReader(g, opt.start))
	return c, suggested(err)
}

// constraint reads what the flags ask for.
func (opt *solveOptions) constraint(r *targeting.Reader) (targeting.Constraint, error) {
	c := targeting.Constraint{MaxNodes: opt.maxNodes, MaxDepth: opt.maxDepth, MaxChars: opt.maxChar}
	for _, f := range []struct {
		name   string
		values []string
		read   func(string) (targeting.Condition, error)
	}{
		{"require", opt.require, r.Read},
		{"forbid", opt.forbid, bounded(r, func(c *targeting.Condition, _ int) { c.Min, c.Max = 0, 0 }, false)},
		{"at-least", opt.atLeast, bounded(r, func(c *targeting.Condition, n int) { c.Min = n }, true)},
		{"at-most", opt.atMost, bounded(r, func(c *targeting.Condition, n int) { c.Min, c.Max = 0, n }, true)},
		{"exactly", opt.exactly, bounded(r, func(c *targeting.Condition, n int) { c.Min, c.Max = n, n }, true)},
		{"absent", opt.absent, r.Absent},
	} {
		for _, value := range f.values {
			cond, err := f.read(value)
			if err != nil {
				return c, fmt.Errorf("--%s: %w", f.name, err)
			}
			c.Conditions = append(c.Conditions, cond)
		}
	}
	return c, nil
}

// bounded returns what reads a path, with a count after a colon or without one,
// and sets the bounds of the condition.
func bounded(r *targeting.Reader, set func(c *targeting.Condition, n int), counted bool) func(string) (targeting.Condition, error) {
	return func(text string) (targeting.Condition, error) {
		path, n := text, 0
		if counted {
			var err error
			if path, n, err = countedPath(text); err != nil {
				return targeting.Condition{}, err
			}
		}
		c, err := r.Read(path)
		set(&c, n)
		return c, err
	}
}

// countedPath reads a path with a count after a colon.
func countedPath(text string) (path string, n int, err error) {
	at := strings.LastIndexByte(text, ':')
	n, err = strconv.Atoi(text[at+1:])
	if at < 0 || err != nil || n < 0 {
		return "", 0, fmt.Errorf("%s: a colon and a count stand after the path, as in %s:3", text, strings.TrimSuffix(text, ":"))
	}
	return text[:at], n, nil
}

// suggested adds to an error about a symbol what may have been meant.
func suggested(err error) error {
	path, ok := errors.AsType[*targeting.PathError](err)
	if !ok || len(path.Known) == 0 {
		return err
	}
	var near []string
	if path.Symbol != "" {
		near = nearest(path.Symbol, path.Known)
	}
	switch {
	case len(near) > 0:
		return fmt.Errorf("%w; did you mean %s?", err, strings.Join(near, " or "))
	case len(path.Known) <= 12:
		return fmt.Errorf("%w; there could stand %s", err, strings.Join(path.Known, ", "))
	default:
		return err
	}
}
