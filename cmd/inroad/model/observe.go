package model

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/model/observe"
)

type observeCommand struct {
	program program
	inputs  inputSource
	limits  runLimits
	out     string
	format  string
	cli.Streams
}

// runLimits are the flags for the processes that run inputs.
type runLimits struct {
	Jobs    int     `json:"jobs"`
	Timeout float64 `json:"timeout_ms"`
	Memory  int     `json:"memory"`
	Warmup  *int    `json:"warmup"`
}

func (l *runLimits) bind(flags *pflag.FlagSet) {
	timeout := cli.Between(1, 24*60*60*1000)
	timeout.Type = "number"
	cli.BindFields(flags, l,
		openapi.Field{Name: "jobs", Description: "Number of processes that run inputs", Default: runtime.NumCPU(), Schema: cli.Between(1, 1000)},
		openapi.Field{Name: "timeout_ms", Description: "Time that an input may take", Default: 2000, Schema: timeout},
		openapi.Field{Name: "memory", Placeholder: "MiB", Description: "Memory that a process may use", Default: 1024, Schema: cli.Between(64, 1<<20)},
		openapi.Field{Name: "warmup", Description: "Number of inputs that each process runs as a warm-up before its first observation", Default: 20, Schema: cli.Between(0, 1000)})
}

// options returns the options of the runs. A command is not warmed up, because each run
// is a process.
func (l *runLimits) options(isCommand bool) observe.Options {
	opt := observe.Options{Jobs: l.Jobs, Warmup: *l.Warmup}
	opt.Timeout, opt.Memory = time.Duration(l.Timeout*float64(time.Millisecond)), int64(l.Memory)<<20
	if opt.Warmup == 0 || isCommand {
		opt.Warmup = -1
	}
	return opt
}

// NewObserve returns the command observe.
func NewObserve() *cobra.Command {
	c := &observeCommand{}
	cmd := &cobra.Command{
		Use:   "observe --go PKG.FUNC|--java CLASS#METHOD|--c COMMAND|--rust DIR/NAME|--python MODULE:FUNC|--node FILE|--exec COMMAND --inputs DIR --out FILE.ndjson [flags]",
		Short: "Observe which methods of a program inputs reach",
		Long: `Observe which methods of a program inputs reach, by running it on each input.

With --go, a function of the Go module in the current folder is built into a
program that counts the code it executes. The function takes its input as []byte,
string or io.Reader, and may return anything; an error is a failure, and a panic
is a crash. It may also be a fuzz target, FuzzXxx in a test file. Nothing is
written into the module's folders.

With --java, a method of a class on the --classpath is run. It takes its input as
byte[], String, CharSequence, InputStream, Reader, char[] or ByteBuffer; CLASS#new
is a constructor, and CLASS alone a fuzz target of Jazzer. An exception is a
failure, and an Error is a crash. This needs a JDK: the one in JAVA_HOME, or else
the one in the PATH.

With --python, a function of a Python module is run. It takes its input as bytes if
its parameter is annotated so, and otherwise as str. MODULE or FILE.py without a
function is a fuzz target for atheris, which need not be installed. An exception is
a failure. The interpreter is python3, or the one that the variable PYTHON names.

With --node, the function fuzz that a JavaScript file exports is run. It takes its
input as a Buffer, and a promise that it returns is awaited. FILE:EXPORT names
another function, which takes a string, and FILE may be a package. An exception is
a failure. This needs Node 20.6 or later: node, or the one that the variable NODE
names.

With --c, a shell command builds a fuzz target in C or C++: a program with the
function LLVMFuzzerTestOneInput. As on OSS-Fuzz, it finds the compilers in $CC and
$CXX, the library to link in $LIB_FUZZING_ENGINE and the folder for the executable
in $OUT. A result other than 0 is a failure; signals, reports of sanitizers and
exits are crashes. This needs clang.

With --rust, a fuzz target of cargo-fuzz is built and run: NAME of the package in the
folder DIR. A panic is a crash. This needs cargo and a C compiler.

With --exec, a shell command is run for each input. {} stands for the file of the
input; without it, the input is on standard input. {report} stands for the file
or folder that the command writes a coverage report to, in a format that --report
names, or a list of methods, one per line. Without a report, only outcomes are
recorded, which inroad failures lists but inroad train cannot learn methods from.
Programs built by Go with -cover need no report. This is slow.

Inputs are the files in a folder or, with --generate, generated from a grammar: a
third to cover the paths of the grammar, a third at random, and a third by mutating
inputs that the program accepted.

Every input has one line in the output, whatever its outcome. At the end, the
distinct failures are listed, as inroad failures does. If the file exists,
observations are added to it; inputs that are in the file are not run again.`,
		Example: `  inroad observe --go ./parser.Parse --inputs testdata/corpus --out parser.ndjson
  inroad observe --go encoding/json.Unmarshal --generate 2000 --grammar json --out json.ndjson
  inroad observe --c '$CC $CFLAGS fuzz.c parser.c $LIB_FUZZING_ENGINE -o $OUT/fuzz' --inputs corpus --out parser.ndjson
  inroad observe --rust fuzz/parse --inputs fuzz/corpus/parse --out parse.ndjson
  inroad observe --python json:loads --generate 2000 --grammar json --out json.ndjson
  inroad observe --node fuzz/parse.js --inputs corpus --out parser.ndjson
  inroad observe --exec './parser {}' --inputs corpus --out parser.ndjson
  inroad observe --java com.google.gson.JsonParser#parseString --classpath gson.jar --cover com.google.gson \
    --generate 2000 --grammar json --out gson.ndjson`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c.Streams = cli.StreamsOf(cmd)
			return c.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	c.program.bind(flags)
	cli.BindEnum(flags, &c.program.units, "units", "observe methods only, or also the blocks in them", "method", "block")
	c.inputs.bind(flags)
	flags.StringVar(&c.out, "out", "", "`FILE` of observations to create or to add to")
	c.limits.bind(flags)
	flags.StringVar(&c.program.subject, "subject", "", "`NAME` of the program (default the name of the function)")
	flags.StringVar(&c.program.commit, "commit", "", "`VERSION` of the program (default the commit or the module's version)")
	cli.BindFormat(flags, &c.format, "text", "json")
	return cmd
}

func (c *observeCommand) run(ctx context.Context) (err error) {
	if err := c.program.check(); err != nil {
		return err
	}
	if c.out == "" {
		return errors.New("no output: give --out FILE.ndjson")
	}
	inputs, total, err := c.inputs.open(ctx, c.Streams)
	if err != nil {
		return err
	}
	program, err := c.program.build(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, program.Close()) }()
	var observed observe.ObservedInputs
	out, err := observe.OpenOutput(c.out, program.Header(), observed.Add)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	program.RestoreUnits(out.Units())
	if c.program.command != "" && !strings.Contains(c.program.command, reportPlaceholder) {
		c.Notef("note: the command has no %s: only outcomes are recorded, unless it is a Go program built with -cover", reportPlaceholder)
	}
	t := &tally{bar: cli.NewProgress(c.Err, "inputs", total), by: map[observation.Outcome]int{}, reached: map[string]bool{}, accepted: newInputSample(maxMutated)}
	observeInputs := func(inputs iter.Seq2[observe.Input, error]) error {
		return program.Observe(ctx, t.skip(inputs, &observed), c.limits.options(c.program.command != ""), func(o observation.Observation) error {
			t.add(o)
			if err := out.AddUnits(program.Header().Units); err != nil {
				return err
			}
			return out.Write(o)
		})
	}
	err = observeInputs(inputs)
	if err == nil && c.inputs.mutants != nil {
		err = observeInputs(c.inputs.mutants(t.accepted))
	}
	t.bar.End()
	if why := c.noMethods(t, program); why != "" {
		defer c.Notef("warning: %s", cli.Printable(why))
	}
	s := t.summary(len(program.Header().Units))
	if c.format == "json" {
		return errors.Join(err, cli.WriteJSON(c.Out, s))
	}
	c.Notef("%s", s.text(c.program.units == "block"))
	shown := s.Failures[:min(len(s.Failures), maxFailures)]
	err = errors.Join(err, printFailures(c.Out, shown))
	if more := len(s.Failures) - len(shown); more > 0 {
		c.Notef("%d more; inroad failures lists all", more)
	}
	return err
}

// maxFailures is the maximum number of failures that observe prints.
const maxFailures = 20

// reportPlaceholder stands for the report in a command.
const reportPlaceholder = "{report}"

// noMethods says why no methods were recorded; "" if some were.
func (c *observeCommand) noMethods(t *tally, program *observe.Program) string {
	const outcomes = "no methods were recorded, only outcomes: "
	switch empty := program.EmptyReport(); {
	case t.done == 0 || len(t.reached) > 0:
		return ""
	case t.labelled > 0:
		return "no input reached a method that is observed"
	case c.program.command == "":
		return outcomes + "every process ended before it reported them"
	case empty != nil:
		return outcomes + empty.Error()
	case !strings.Contains(c.program.command, reportPlaceholder):
		return outcomes + "write a coverage report to " + reportPlaceholder
	default:
		return outcomes + "the command did not write to " + reportPlaceholder
	}
}

// maxMutated limits the accepted inputs that are mutated.
const maxMutated = 1000

// A tally counts observations, and samples the inputs that the program accepted.
type tally struct {
	bar     *cli.Progress
	skipped int
	done    int
	by      map[observation.Outcome]int
	reached map[string]bool

	labelled int // observations with known methods
	failures observation.OutcomeGroups

	accepted *inputSample
}

// skip yields the inputs that have not been observed yet.
func (t *tally) skip(inputs iter.Seq2[observe.Input, error], observed *observe.ObservedInputs) iter.Seq2[observe.Input, error] {
	return func(yield func(observe.Input, error) bool) {
		for in, err := range inputs {
			if err == nil && observed.Take(in) {
				t.skipped++
				if observed.Accepted(in) {
					t.accepted.add(in.Data)
				}
				continue
			}
			if !yield(in, err) {
				return
			}
		}
	}
}

func (t *tally) add(o observation.Observation) {
	t.done++
	t.by[o.Outcome]++
	t.failures.Add(o)
	if o.Outcome == observation.OK {
		t.accepted.add(o.Input)
	}
	if o.Methods != nil {
		t.labelled++
	}
	for _, id := range o.Methods {
		t.reached[id] = true
	}
	t.bar.Set(t.done + t.skipped)
}

// An observeSummary is the summary that observe --format json prints.
type observeSummary struct {
	Observed int                         `json:"observed"`
	Outcomes map[observation.Outcome]int `json:"outcomes"`
	Skipped  int                         `json:"skipped"` // observed before
	Reached  int                         `json:"reached"` // methods
	Methods  int                         `json:"methods"`
	Failures []failure                   `json:"failures"` // distinct ones

	listed   bool // the program has listed its methods
	labelled bool // the methods of some observations are known
}

func (t *tally) summary(methods int) observeSummary {
	reached := len(t.reached)
	return observeSummary{
		Observed: t.done, Outcomes: t.by, Skipped: t.skipped, Reached: reached, Methods: max(methods, reached), listed: reached <= methods, labelled: t.labelled > 0,
		Failures: describeFailures(t.failures.All()),
	}
}

// text returns the summary for people.
func (s observeSummary) text(blocks bool) string {
	var outcomes []string
	for _, outcome := range observation.Outcomes() {
		if n := s.Outcomes[outcome]; n > 0 {
			outcomes = append(outcomes, fmt.Sprintf("%d %s", n, outcome))
		}
	}
	out := cli.Count(s.Observed, "input", "inputs") + " observed"
	if len(outcomes) > 0 {
		out += " (" + strings.Join(outcomes, ", ") + ")"
	}
	if s.Skipped > 0 {
		out += fmt.Sprintf(", %d already in the file", s.Skipped)
	}
	switch {
	case s.Observed == 0 || !s.labelled:
		return out
	case !s.listed:
		return out + "; they reached " + countUnits(s.Reached, blocks)
	default:
		return out + fmt.Sprintf("; they reached %d of %s", s.Reached, countUnits(s.Methods, blocks))
	}
}

// countUnits returns a number of units with its noun.
func countUnits(n int, blocks bool) string {
	if blocks {
		return cli.Count(n, "method or block", "methods and blocks")
	}
	return cli.Count(n, "method", "methods")
}
