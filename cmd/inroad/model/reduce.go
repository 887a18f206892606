package model

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/outfile"
	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/model/observe"
	"github.com/inroad/inroad/targeting/generate"
)

type reduceCommand struct {
	program program
	grammar string
	req     openapi.GenerateRequest // for the start rule
	keep    []string
	limits  reduceLimits
	input   string
	out     string
	cli.Streams
}

// reduceLimits are the flags for the runs of the program.
type reduceLimits struct {
	Timeout float64 `json:"timeout_ms"`
	Memory  int     `json:"memory"`
	MaxRuns int     `json:"max_runs"`
}

func (l *reduceLimits) bind(flags *pflag.FlagSet) {
	timeout := cli.Between(1, 24*60*60*1000)
	timeout.Type = "number"
	cli.BindFields(flags, l,
		openapi.Field{Name: "timeout_ms", Description: "Time that a run may take", Default: 2000, Schema: timeout},
		openapi.Field{Name: "memory", Placeholder: "MiB", Description: "Memory that the program may use", Default: 1024, Schema: cli.Between(64, 1<<20)},
		openapi.Field{Name: "max_runs", Description: "Maximum number of runs", Default: 10_000, Schema: cli.Between(1, 10_000_000)})
}

// limits returns the limits of a run.
func (l *reduceLimits) limits() observe.Limits {
	return observe.Limits{Timeout: time.Duration(l.Timeout * float64(time.Millisecond)), Memory: int64(l.Memory) << 20}
}

// NewReduce returns the command reduce.
func NewReduce() *cobra.Command {
	c := &reduceCommand{}
	cmd := &cobra.Command{
		Use:   "reduce --grammar NAME|FILE.g4[,FILE.g4...] --go PKG.FUNC|--c COMMAND|...|--exec COMMAND [flags] FILE",
		Short: "Reduce an input while the program still behaves the same",
		Long: `Reduce an input while the program still behaves the same.

Parts of the input's tree are removed, or replaced by smaller ones, so that every
input tried is in the language of the grammar. The program is run on it as in
inroad observe. A smaller input is kept if the run has every property that --keep
names:

  reaches:METHOD         it reaches the method
  outcome:OUTCOME        it ends with ok, failure, crash or timeout
  outcome:OUTCOME:TYPE   it ends with a failure or crash of this type

Without --keep, it must end like the run on the input itself: with the same
outcome, and the same type and stack of a failure. Without a stack, its message must
be the same but for quoted parts, numbers and words of the inputs. So a COMMAND of
--exec can be the program, or a test that exits with status 0 for inputs to keep.`,
		Example: `  inroad reduce --grammar json --exec './parser {}' crash.json
  inroad reduce --grammar json --go ./decode.Decode --keep reaches:decodeNumber --out small.json big.json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if c.input != "" {
				args = append(args, c.input)
			}
			if len(args) != 1 {
				return fmt.Errorf("expected 1 input to reduce, as an argument or with --input, got %d", len(args))
			}
			c.Streams = cli.StreamsOf(cmd)
			return c.run(cmd.Context(), args[0])
		},
	}
	flags := cmd.Flags()
	cli.BindGrammar(flags, &c.grammar)
	cli.Bind(flags, &c.req, "start")
	c.program.bind(flags)
	flags.StringArrayVar(&c.keep, "keep", nil, "`PROPERTY` of runs to keep: reaches:METHOD or outcome:OUTCOME[:TYPE]; can be repeated")
	c.limits.bind(flags)
	flags.StringVar(&c.input, "input", "", "`FILE` of the input to reduce, if it is not an argument")
	flags.StringVar(&c.out, "out", "", "write the reduced input to this `FILE` instead of standard output")
	return cmd
}

func (c *reduceCommand) run(ctx context.Context, name string) (err error) {
	if err := c.program.check(); err != nil {
		return err
	}
	if c.out != "" {
		if err := outfile.Check(c.out); err != nil {
			return cli.FileError(c.out, err)
		}
	}
	var keep []observation.Property
	for _, text := range c.keep {
		p, err := observation.ParseProperty(text)
		if err != nil {
			return fmt.Errorf("--keep %s: %w", cli.Printable(text), err)
		}
		keep = append(keep, p)
	}
	input, err := cli.ReadCorpusInput(ctx, name, c.In, cli.MaxInput)
	if err == nil && len(input) > cli.MaxInput {
		err = fmt.Errorf("must be at most %d bytes", cli.MaxInput)
	}
	if err != nil {
		return cli.FileError(name, err)
	}
	reducer, err := newReducer(ctx, c.grammar, c.req.Start, c.Streams)
	if err != nil {
		return err
	}
	tree, err := reducer.parse(ctx, input)
	if err != nil {
		return cli.FileError(name, err)
	}
	program, err := c.program.build(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, program.Close()) }()
	runner := program.NewRunner(c.limits.limits())
	defer runner.Close()
	r := &reduction{runner: runner, units: func() []observation.Unit { return program.Header().Units }, keep: keep, maxRuns: c.limits.MaxRuns}
	if err := r.begin(ctx, input); err != nil {
		return cli.FileError(name, err)
	}
	err = reducer.minimize(ctx, tree, r)
	switch {
	case err != nil && ctx.Err() != nil: // the smallest input so far is a result
		err = context.Cause(ctx)
	case err != nil:
		return cli.FileError(name, err)
	case r.stopped:
		c.Notef("note: stopped after %d runs; --max-runs allows more", r.runs)
	}
	c.Notef("reduced from %d to %d bytes in %s; kept: %s", len(input), len(r.best), cli.Count(r.runs, "run", "runs"), cli.Printable(r.kept()))
	return errors.Join(c.write(r.best), err)
}

func (c *reduceCommand) write(input []byte) error {
	if c.out == "" {
		_, err := c.Out.Write(input)
		return err
	}
	return cli.FileError(c.out, outfile.Write(c.out, 0o644, func(w io.Writer) error { _, err := w.Write(input); return err }))
}

// A reducer reduces inputs within the language of a grammar.
type reducer struct {
	grammar   *api.Grammar
	start     string
	generator *generate.Generator
}

func newReducer(ctx context.Context, grammar, start string, streams cli.Streams) (*reducer, error) {
	g, err := loadGrammar(ctx, grammar, streams)
	if err != nil {
		return nil, err
	}
	return reducerOf(g, start) //nolint:contextcheck // reading one token back is bounded and takes no context
}

// reducerOf returns a reducer of inputs that are derived from a rule.
func reducerOf(g *api.Grammar, start string) (*reducer, error) {
	start, err := g.ProductiveRule(start)
	if err != nil {
		return nil, err
	}
	x, err := generate.New(g.Grammar, rand.New(rand.NewPCG(1, 0)), generate.Options{Start: start})
	if err != nil {
		return nil, err
	}
	return &reducer{g, start, x}, nil
}

func (r *reducer) parse(ctx context.Context, input []byte) (*derivation.Tree, error) {
	return r.grammar.Parse(ctx, input, grammars.ParseOptions{Start: r.start})
}

// minimize reduces the input of a tree until no smaller one keeps the properties, or
// until the maximum number of runs.
func (r *reducer) minimize(ctx context.Context, tree *derivation.Tree, to *reduction) error {
	_, err := r.generator.Minimize(ctx, tree, to.keeps)
	switch {
	case errors.Is(err, errEnoughRuns):
		to.stopped, err = true, nil
	case errors.Is(err, generate.ErrNotWanted):
		err = errUnsteady
	}
	return err
}

// Errors that end a reduction.
var (
	errEnoughRuns = errors.New("maximum number of runs reached")
	errUnsteady   = errors.New("the program does not always do the same with the original input")
)

// A reduction runs a program on ever smaller inputs.
type reduction struct {
	runner  *observe.Runner
	units   func() []observation.Unit // of the program, as far as they are known
	keep    []observation.Property
	maxRuns int
	runs    int
	stopped bool   // at maxRuns
	best    []byte // the smallest input so far
}

// A differentError reports that the run of an input lacks a property to keep.
type differentError struct {
	keep, now observation.Property
	methods   int
}

func (e *differentError) Error() string {
	return fmt.Sprintf("the input must have the property to keep, %s; its run has %s and reaches %s", e.keep, e.now, cli.Count(e.methods, "method", "methods"))
}

// begin runs the original input and sets the properties to keep, if none is given.
func (r *reduction) begin(ctx context.Context, input []byte) error {
	r.best = input
	// The first run of a process may also do one-time work.
	first, err := r.run(ctx, input)
	if err != nil {
		return err
	}
	o, err := r.run(ctx, input)
	if err != nil {
		return err
	}
	if len(r.keep) == 0 {
		r.keep = []observation.Property{observation.FailureOf(o)}
		if !r.keep[0].Holds(first) { // the message varies from run to run
			r.keep[0] = observation.OutcomeOf(o)
		}
	}
	for i, p := range r.keep {
		if r.keep[i], err = resolve(p, r.units(), o.Methods); err != nil {
			return err
		}
		if p = r.keep[i]; !p.Holds(o) {
			return &differentError{p, observation.FailureOf(o), len(o.Methods)}
		}
	}
	return nil
}

// resolve finds the method that a property names.
func resolve(p observation.Property, units []observation.Unit, reached []string) (observation.Property, error) {
	resolved, candidates, ok := p.Resolve(units, reached)
	switch {
	case ok:
		return resolved, nil
	case len(candidates) == 0:
		return p, fmt.Errorf("--keep %s: not a method of the program", p)
	default:
		return p, fmt.Errorf("--keep %s: ambiguous: %s", p, observation.ListIDs(candidates))
	}
}

// kept lists the properties that the smallest input has.
func (r *reduction) kept() string {
	var out []string
	for _, p := range r.keep {
		out = append(out, p.String())
	}
	return strings.Join(out, ", ")
}

func (r *reduction) run(ctx context.Context, input []byte) (observation.Observation, error) {
	r.runs++
	return r.runner.Run(ctx, input)
}

// keeps reports whether a run on an input has all properties to keep.
func (r *reduction) keeps(ctx context.Context, input *generate.Input) (bool, error) {
	if r.runs >= r.maxRuns {
		return false, errEnoughRuns
	}
	o, err := r.run(ctx, input.Text)
	if err != nil {
		return false, err
	}
	for _, p := range r.keep {
		if !p.Holds(o) {
			return false, nil
		}
	}
	r.best = input.Text
	return true, nil
}
