package corpus

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/cmd/inroad/cli"
)

type solveCommand struct {
	generator
	req openapi.SolveRequest
}

// NewSolve returns the command solve.
func NewSolve() *cobra.Command {
	c := &solveCommand{}
	cmd := &cobra.Command{
		Use:   "solve --grammar NAME|FILE.g4[,FILE.g4...] [--require PATH]... [--forbid PATH]... [flags]",
		Short: "Solve a constraint: generate inputs that contain some paths and not others",
		Long: `Solve a constraint: generate inputs that contain some paths and not others, or
prove that there is none.

A PATH is a chain of grammar symbols, each directly below the one before it:
names of rules and tokens, literals in quotes, sets in brackets. A symbol stands
for all its occurrences in the grammar; a number selects one, as inroad paths
list prints it. An input contains a PATH if it contains any of the paths that it
stands for.

Natural inputs follow the probabilities of --from or --probabilities, or make all
choices equally likely. Their distribution is that of random inputs, restricted
to inputs that satisfy the constraint.

Every input is parsed again, and the constraint is checked on its tree. The exit
status is 3 if no input satisfies the constraint, which is proved; 4 if trees
satisfy it but no text was found for one; 5 if a limit stopped the search.

` + cli.OutputHelp,
		Example: `  inroad solve --grammar json --require 'object > member' --forbid STRING
  inroad solve --grammar expr --require '"*"' --require 'unaryExpr#15 > addExpr > "-"'
  inroad solve --grammar json --at-least 'value > array:3' --n 20 --style varied`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := c.open(cmd); err != nil {
				return err
			}
			return c.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	cli.BindGrammar(flags, &c.name)
	cli.Bind(flags, &c.req, "start", "require", "forbid")
	for _, f := range []countFlag{
		{name: "at-least", usage: "path that inputs contain N times or more", min: true},
		{name: "at-most", usage: "path that inputs contain N times or fewer", max: true},
		{name: "exactly", usage: "path that inputs contain exactly N times", min: true, max: true},
	} {
		f.counts = &c.req.Counts
		flags.Var(&f, f.name, f.usage)
	}
	cli.Bind(flags, &c.req, "absent", "n", "style", "seed", "max_nodes", "max_depth", "max_chars")
	c.learning.Bind(flags, "natural")
	c.bindOutput(flags)
	return cmd
}

func (c *solveCommand) run(ctx context.Context) (err error) {
	req := c.req
	if req.Probabilities, err = c.learn(ctx, req.Start); err != nil {
		return err
	}
	summary, err := c.write(c.service.Solve(ctx, c.grammar.ID, req), func(openapi.GeneratedInput) {})
	if err != nil {
		return cli.ReportVerdict(c.Streams, err)
	}
	cli.NoteSeed(c.Streams, req.Seed, summary.Seed)
	if summary.Inputs < req.N {
		c.Notef("note: found only %d of %d inputs", summary.Inputs, req.N)
	}
	return nil
}

// A countFlag adds a path with a minimum or maximum number of occurrences, or both.
type countFlag struct {
	name, usage string
	min, max    bool // set the number as the minimum and as the maximum
	counts      *[]openapi.CountedPath
}

// Type returns the placeholder that stands for the value in usage texts.
func (*countFlag) Type() string { return "PATH:N" }

// String returns the default, which is none.
func (*countFlag) String() string { return "" }

// Set adds a path.
func (f *countFlag) Set(text string) error {
	fail := func(problem string) error { return &openapi.FieldError{Field: f.name, Value: text, Problem: problem} }
	at := strings.LastIndexByte(text, ':')
	n, err := strconv.Atoi(text[at+1:])
	if at < 1 || err != nil {
		return fail("must be PATH:N, such as array:3")
	}
	counted := openapi.CountedPath{Path: text[:at]}
	if f.min {
		counted.Min = n
	}
	if f.max {
		counted.Max = &n
	}
	if field, ok := errors.AsType[*openapi.FieldError](openapi.Validate(&counted)); ok {
		what := "N "
		if field.Field == "path" {
			what = "PATH "
		}
		return fail(what + field.Problem)
	}
	*f.counts = append(*f.counts, counted)
	return nil
}
