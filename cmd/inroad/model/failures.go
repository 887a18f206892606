package model

import (
	"bufio"
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/outfile"
	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/model/observe"
)

type failuresCommand struct {
	program program
	grammar string
	req     openapi.GenerateRequest // for the start rule
	limits  reduceLimits
	outcome string
	strict  bool
	out     string
	format  string
	cli.Streams
}

// NewFailures returns the command failures.
func NewFailures() *cobra.Command {
	c := &failuresCommand{}
	cmd := &cobra.Command{
		Use:   "failures [flags] OBSERVATIONS...",
		Short: "List the distinct failures of a program, and reduce their inputs",
		Long: `List the distinct failures of a program: crashes, timeouts and other observations
that did not end with ok. Failures are the same if their outcomes, types and stacks
are the same. Without stacks, messages must be the same but for quoted parts, numbers
and words of the inputs. Each failure is listed with its number of observations and
its smallest input.

With --out, the input of each failure is written to a file in that folder.

With a program and a grammar, each input is reduced first, as inroad reduce does
it: the program is run on smaller and smaller inputs, and a smaller input is kept
if it fails in the same way. Programs are named as in inroad observe.`,
		Example: `  inroad failures parser.ndjson
  inroad failures --outcome crash --out crashes --grammar json --go ./parser.Parse parser.ndjson`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("expected at least 1 argument (a file of observations), got 0")
			}
			c.Streams = cli.StreamsOf(cmd)
			return c.run(cmd.Context(), args)
		},
	}
	flags := cmd.Flags()
	cli.BindEnum(flags, &c.outcome, "outcome", "list only failures with this outcome", "all", string(observation.Failed), string(observation.Crashed), string(observation.TimedOut))
	flags.StringVar(&c.out, "out", "", "write the inputs to files in this `DIR`")
	flags.BoolVar(&c.strict, "strict", false, "refuse files with invalid lines")
	cli.BindGrammar(flags, &c.grammar)
	cli.Bind(flags, &c.req, "start")
	c.program.bind(flags)
	c.limits.bind(flags)
	cli.BindFormat(flags, &c.format, "text", "json")
	return cmd
}

func (c *failuresCommand) run(ctx context.Context, names []string) error {
	if err := c.check(); err != nil {
		return err
	}
	groups, err := readFailures(ctx, observationFiles{names: names, strict: c.strict}, func(o observation.Observation) bool {
		return c.outcome == "all" || c.outcome == string(o.Outcome)
	}, c.Streams)
	if err != nil {
		return err
	}
	failures := describeFailures(groups)
	if c.program.given() && len(groups) > 0 {
		if err := c.reduce(ctx, groups, failures); err != nil {
			return err
		}
	}
	if err := writeFailures("out", c.out, failures); err != nil {
		return err
	}
	if c.format == "json" {
		return cli.WriteJSON(c.Out, failureList{failures})
	}
	if len(failures) == 0 {
		c.Notef("no failures")
	}
	return printFailures(c.Out, failures)
}

// check returns an error if flags conflict.
func (c *failuresCommand) check() error {
	switch {
	case c.program.given() && c.grammar == "":
		return errors.New("no grammar: reducing inputs with a program needs --grammar")
	case c.program.given():
		return c.program.check()
	case c.grammar != "":
		_, err := c.program.kind()
		return fmt.Errorf("--grammar: only reducing uses a grammar, and it needs a program: %w", err)
	}
	return nil
}

// readFailures groups the failures in files for which wanted is true.
func readFailures(ctx context.Context, from observationFiles, wanted func(observation.Observation) bool, streams cli.Streams) ([]observation.OutcomeGroup, error) {
	files, err := from.open(ctx, streams)
	if err != nil {
		return nil, err
	}
	defer files.Close()
	var groups observation.OutcomeGroups
	for block, err := range files.Blocks() {
		if err == nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return nil, err
		}
		for _, o := range block.Observations {
			if wanted(o) {
				groups.Add(o)
			}
		}
	}
	files.Summarize()
	return groups.All(), nil
}

// reduce reduces the input of each failure.
func (c *failuresCommand) reduce(ctx context.Context, groups []observation.OutcomeGroup, failures []failure) (err error) {
	r, err := newReducer(ctx, c.grammar, c.req.Start, c.Streams)
	if err != nil {
		return err
	}
	program, err := c.program.build(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, program.Close()) }()
	runner := program.NewRunner(c.limits.limits())
	defer runner.Close()
	return r.reduceFailures(ctx, runner, c.limits.MaxRuns, groups, failures, c.Streams)
}

// reduceFailures reduces the input of each failure by up to maxRuns runs.
func (r *reducer) reduceFailures(ctx context.Context, runner *observe.Runner, maxRuns int, groups []observation.OutcomeGroup, failures []failure, streams cli.Streams) error {
	bar := cli.NewProgress(streams.Err, "failures", len(groups))
	defer bar.End()
	for i, g := range groups {
		f := &failures[i]
		tree, err := r.parse(ctx, g.Example.Input)
		if err != nil {
			if ctx.Err() != nil {
				return err
			}
			f.Note = "not reduced, outside the grammar: " + err.Error()
			continue
		}
		red := &reduction{runner: runner, units: func() []observation.Unit { return nil }, keep: []observation.Property{observation.FailureOf(g.Example)}, maxRuns: maxRuns}
		err = red.begin(ctx, g.Example.Input)
		if different, ok := errors.AsType[*differentError](err); ok {
			f.Note = "not reproduced: the program now ends with " + different.now.String()
			continue
		}
		if err == nil {
			err = r.minimize(ctx, tree, red)
		}
		if errors.Is(err, errUnsteady) {
			f.Note = "not reduced: " + err.Error()
			continue
		}
		if err != nil {
			return err
		}
		f.Reduced, f.Note = newReproducer(red.best), fmt.Sprintf("reduced from %s in %s", cli.Count(len(g.Example.Input), "byte", "bytes"), cli.Count(red.runs, "run", "runs"))
		if red.stopped {
			f.Note += "; --max-runs stopped it"
		}
		bar.Set(i + 1)
	}
	return nil
}

// writeFailures writes the inputs to files in the folder that a flag names, if it is
// given.
func writeFailures(flag, dir string, failures []failure) error {
	if dir == "" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("--%s %w", flag, cli.FileError(dir, err))
	}
	taken := map[string]bool{}
	for i := range failures {
		f := &failures[i]
		base, ext := f.fileName()
		for n, first := 2, base; taken[base]; n++ {
			base = first + "-" + strconv.Itoa(n)
		}
		taken[base] = true
		f.File = filepath.Join(dir, base+ext)
		err := outfile.Write(f.File, 0o644, func(w io.Writer) error {
			_, err := w.Write(f.input().data)
			return err
		})
		if err != nil {
			return fmt.Errorf("--%s %w", flag, cli.FileError(f.File, err))
		}
	}
	return nil
}

// A failureList is the output of failures --format json.
type failureList struct {
	Failures []failure `json:"failures"`
}

// A failure describes the observations of one [observation.OutcomeGroup].
type failure struct {
	Count   int                 `json:"count"`
	Outcome observation.Outcome `json:"outcome"`
	Type    string              `json:"type,omitempty"`
	Message string              `json:"message,omitempty"` // of the example
	Stack   string              `json:"stack,omitempty"`
	Name    string              `json:"name,omitempty"` // of the example
	Example reproducer          `json:"example"`        // the smallest input
	Reduced *reproducer         `json:"reduced,omitempty"`
	File    string              `json:"file,omitempty"` // that the input was written to
	Note    string              `json:"note,omitempty"` // about the reduction
}

// A reproducer is an input in JSON.
type reproducer struct {
	Input       *string `json:"input,omitempty"`
	InputBase64 *string `json:"input_base64,omitempty"`

	data []byte
}

func newReproducer(data []byte) *reproducer {
	if utf8.Valid(data) {
		return &reproducer{Input: new(string(data)), data: data}
	}
	return &reproducer{InputBase64: new(base64.StdEncoding.EncodeToString(data)), data: data}
}

func describeFailures(groups []observation.OutcomeGroup) []failure {
	out := []failure{}
	for _, g := range groups {
		f := g.Failure()
		out = append(out, failure{
			Count: g.Count, Outcome: g.Example.Outcome, Type: f.Type, Message: f.Message, Stack: f.Stack,
			Name: g.Example.Name, Example: *newReproducer(g.Example.Input),
		})
	}
	return out
}

// input returns the smallest known input.
func (f *failure) input() *reproducer { return cmp.Or(f.Reduced, &f.Example) }

// fileName returns a file name from the outcome, type and stack, with the extension of
// the example.
func (f *failure) fileName() (base, ext string) {
	kind := f.Type[strings.LastIndexAny(f.Type, "./")+1:]
	parts := []string{string(f.Outcome)}
	for _, part := range []string{kind, f.Stack[:min(len(f.Stack), 8)]} {
		if words := strings.FieldsFunc(part, notWord); len(words) > 0 {
			parts = append(parts, strings.Join(words, "-"))
		}
	}
	base = strings.Join(parts, "-")
	if ext = path.Ext(f.Name); ext != "" && strings.ContainsFunc(ext[1:], notWord) {
		ext = ""
	}
	return base[:min(len(base), 80)], ext[:min(len(ext), 20)]
}

func notWord(r rune) bool {
	return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_'
}

// printFailures prints a table.
func printFailures(w io.Writer, failures []failure) error {
	if len(failures) == 0 {
		return nil
	}
	out := bufio.NewWriter(w)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "count\toutcome\ttype\tmessage\tstack\tbytes\tinput")
	for i := range failures {
		f := &failures[i]
		input := f.input().data
		shown := cli.Printable(f.File)
		if shown == "" {
			shown = cli.Printable(f.Name)
		}
		if shown == "" || f.Reduced != nil && f.File == "" {
			shown = cli.Printable(excerpt(strconv.Quote(string(input[:min(len(input), maxCell)]))))
		}
		if f.Note != "" {
			shown += " (" + cli.Printable(f.Note) + ")"
		}
		fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\t%d\t%s\n", f.Count, f.Outcome, cell(f.Type), cell(f.Message), cell(f.Stack), len(input), shown)
	}
	_ = table.Flush() // the writer below keeps its error
	return out.Flush()
}

// maxCell limits the texts in a table.
const maxCell = 60

// cell returns a text of one line for a table.
func cell(text string) string {
	if text == "" {
		return "-"
	}
	return cli.Printable(excerpt(strings.Join(strings.Fields(text), " ")))
}

func excerpt(text string) string {
	if len(text) <= maxCell {
		return text
	}
	return strings.ToValidUTF8(text[:maxCell], "") + "…"
}
