package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/model/observe"
)

type observeOptions struct {
	goFunction string
	javaMethod string
	classpath  string
	sources    string
	command    string
	report     string
	cover      []string
	units      string
	subject    string
	commit     string

	inputs inputOptions

	out     string
	memory  int
	options observe.Options
	format  string

	stdout, stderr io.Writer
}

func newObserveCommand() *cobra.Command {
	opt := &observeOptions{}
	cmd := &cobra.Command{
		Use:   "observe --go PKG.FUNC|--java CLASS#METHOD --inputs DIR --out FILE.ndjson [flags]",
		Short: "Run a program on inputs and record which methods each one executes",
		Long: `Run a program on inputs and record which methods each one executes.

With --go, a function of the Go module in the current folder is built into a
program that counts what it executes. The function takes its input as []byte,
string or io.Reader, and may return anything: an error is a failure. A panic is
a crash. Nothing is written into the module's folders.

With --java, a method of a class on the --classpath is run. It takes its input as
byte[], String, CharSequence, InputStream, Reader, char[] or ByteBuffer; CLASS#new
is a constructor. An exception is a failure, and an Error is a crash. It needs a
JDK, that of JAVA_HOME or else of the PATH.

With --exec, a command is run for each input. {} stands for the file of the input,
which is on standard input without it; {report} stands for the file that the
command writes a coverage report to: of lcov or JaCoCo, a Go profile, or a list of
methods, one a line. Programs built by Go with -cover need none. This is slow.

Inputs are the files in a folder, or are made from a grammar with --generate:
half of them to cover the paths of the grammar, half at random.

Every input gets one line in the output, whatever it does to the program. When
the file exists it is continued: inputs that it has are not run again.`,
		Example: `  inroad observe --go ./parser.Parse --inputs testdata/corpus --out parser.ndjson
  inroad observe --go encoding/json.Unmarshal --generate 2000 --grammar json --out json.ndjson
  inroad observe --exec './parser {}' --inputs corpus --out parser.ndjson
  inroad observe --java com.google.gson.JsonParser#parseString --classpath gson.jar --cover com.google.gson \
    --generate 2000 --grammar json --out gson.ndjson`,
		Args:                  cobra.NoArgs,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			opt.stdout, opt.stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
			return opt.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&opt.goFunction, "go", "", "the Go function to run, `PKG.FUNC`")
	flags.StringSliceVar(&opt.cover, "cover", nil, "the packages to observe, as `PATTERN`s (default the function's and those below it)")
	flags.StringVar(&opt.javaMethod, "java", "", "the Java method to run, `CLASS#METHOD`")
	flags.StringVar(&opt.classpath, "classpath", "", "java: the class `PATH`")
	flags.StringVar(&opt.sources, "sources", ".", "java, exec: the `DIR` to look for the sources in")
	flags.StringVar(&opt.command, "exec", "", "the `COMMAND` to run for each input")
	flags.StringVar(&opt.report, "report", "auto", "exec: the `FORMAT` of reports: auto, lcov, jacoco or gocover")
	flags.StringVar(&opt.units, "units", "method", "what to record: method, or block for methods and the blocks in them")
	flags.StringVar(&opt.inputs.from, "inputs", "", "a `DIR` of inputs, or a .ndjson file with an object {\"input\": ...} a line")
	flags.IntVar(&opt.inputs.generate, "generate", 0, "make `N` inputs instead")
	flags.StringVar(&opt.inputs.grammar, "grammar", "", "generate: a bundled grammar's `NAME`, or grammar files joined by commas")
	flags.StringVar(&opt.inputs.start, "start", "", "generate: the parser `RULE` to derive from (default the first)")
	flags.Uint64Var(&opt.inputs.seed, "seed", 1, "generate: what all choices are drawn from; 0 draws one")
	flags.StringVar(&opt.out, "out", "", "the `FILE` of observations to begin or to continue")
	flags.IntVar(&opt.options.Jobs, "jobs", runtime.NumCPU(), "how many processes run inputs")
	flags.DurationVar(&opt.options.Timeout, "timeout", 2*time.Second, "how long an input may take")
	flags.IntVar(&opt.memory, "memory", 1024, "how many `MiB` a process may use")
	flags.IntVar(&opt.options.Warmup, "warmup", 20, "how many inputs each process runs before it counts")
	flags.StringVar(&opt.subject, "subject", "", "a `NAME` for the program (default that of the function)")
	flags.StringVar(&opt.commit, "commit", "", "its `VERSION` (default the commit or the module's version)")
	flags.StringVar(&opt.format, "format", "text", "how to sum up: text, on standard error, or json")
	choices(flags, "report", "auto", "lcov", "jacoco", "gocover")
	choices(flags, "units", "method", "block")
	choices(flags, "format", "text", "json")
	return cmd
}

func (opt *observeOptions) validate() error {
	switch {
	case opt.goFunction == "" && opt.javaMethod == "" && opt.command == "":
		return errors.New("no program: give --go PKG.FUNC, --java CLASS#METHOD or --exec COMMAND")
	case opt.goFunction != "" && opt.javaMethod != "" || opt.command != "" && opt.goFunction+opt.javaMethod != "":
		return errors.New("--go, --java and --exec: give one of them")
	case opt.javaMethod != "" && opt.classpath == "":
		return errors.New("no classes: give --classpath PATH")
	case opt.javaMethod != "" && opt.units != "method":
		return fmt.Errorf("--units %s: Java is observed by method; for lines use JaCoCo, and import its reports", opt.units)
	case opt.out == "":
		return errors.New("no output: give --out FILE.ndjson")
	case opt.options.Jobs < 1 || opt.options.Jobs > 1000:
		return fmt.Errorf("--jobs %d: it is from 1 to 1000", opt.options.Jobs)
	case opt.options.Timeout < time.Millisecond || opt.options.Timeout > 24*time.Hour:
		return fmt.Errorf("--timeout %v: it is from 1ms to 24h", opt.options.Timeout)
	case opt.memory < 64 || opt.memory > 1<<20:
		return fmt.Errorf("--memory %d: it is from 64 to 1048576", opt.memory)
	case opt.options.Warmup < 0 || opt.options.Warmup > 1000:
		return fmt.Errorf("--warmup %d: it is from 0 to 1000", opt.options.Warmup)
	}
	opt.options.Memory = int64(opt.memory) << 20
	if opt.options.Warmup == 0 || opt.command != "" {
		opt.options.Warmup = -1
	}
	return opt.inputs.validate()
}

func (opt *observeOptions) run(ctx context.Context) (err error) {
	if err := opt.validate(); err != nil {
		return err
	}
	inputs, total, err := opt.inputs.open(ctx, opt.stderr)
	if err != nil {
		return err
	}
	program, err := opt.build(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, program.Close()) }()
	out, err := observe.OpenOutput(opt.out, program.Header())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	program.RestoreUnits(out.Units())
	t := newTally(opt.stderr, total)
	err = program.Observe(ctx, t.skip(inputs, out), opt.options, func(o observation.Observation) error {
		t.add(o)
		if err := out.AddUnits(program.Header().Units); err != nil {
			return err
		}
		return out.Write(o)
	})
	t.finish()
	if opt.format == "json" {
		return errors.Join(err, writeJSON(opt.stdout, t.sum(len(program.Header().Units))))
	}
	t.tell(len(program.Header().Units))
	return err
}

func (opt *observeOptions) build(ctx context.Context) (program *observe.Program, err error) {
	flag := "--go"
	switch {
	case opt.javaMethod != "":
		flag = "--java"
		program, err = observe.BuildJava(ctx, observe.JavaTarget{
			Home: os.Getenv("JAVA_HOME"), Method: opt.javaMethod, Classpath: opt.classpath, Packages: opt.cover, Sources: opt.sources,
			Subject: opt.subject, Commit: opt.commit,
		})
	case opt.command != "":
		flag = "--exec:"
		program, err = observe.NewCommand(observe.CommandTarget{
			Shell: opt.command, Format: observe.Format(opt.report), Root: opt.sources, Blocks: opt.units == "block",
			Subject: opt.subject, Commit: opt.commit,
		})
	default:
		program, err = observe.BuildGo(ctx, observe.GoTarget{
			Function: opt.goFunction, Packages: opt.cover, Blocks: opt.units == "block", Subject: opt.subject, Commit: opt.commit,
		})
	}
	if err != nil {
		return nil, fmt.Errorf("%s %w", flag, err)
	}
	return program, nil
}

// A tally counts what was observed, and shows it while it grows.
type tally struct {
	w       io.Writer
	bar     *os.File // the terminal to draw on; nil if there is none
	total   int      // 0 if it is not known
	start   time.Time
	drawn   time.Time
	skipped int
	done    int
	by      map[observation.Outcome]int
	methods map[string]bool
}

func newTally(w io.Writer, total int) *tally {
	t := &tally{w: w, total: total, start: time.Now(), by: map[observation.Outcome]int{}, methods: map[string]bool{}}
	if screen, ok := w.(*terminalWriter); ok {
		if file, ok := screen.w.(*os.File); ok {
			if info, err := file.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
				t.bar = file
			}
		}
	}
	return t
}

// skip passes over the inputs that were observed before.
func (t *tally) skip(inputs iter.Seq2[observe.Input, error], out *observe.Output) iter.Seq2[observe.Input, error] {
	return func(yield func(observe.Input, error) bool) {
		for in, err := range inputs {
			if err == nil && out.Observed(in) {
				t.skipped++
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
	for _, id := range o.Methods {
		t.methods[id] = true
	}
	if t.bar != nil && time.Since(t.drawn) > 100*time.Millisecond {
		t.draw()
	}
}

// draw writes the line anew, with a bar if it is known how far it goes.
func (t *tally) draw() {
	t.drawn = time.Now()
	const width = 30
	bar := ""
	if t.total > 0 {
		full := min(width, width*(t.done+t.skipped)/t.total)
		bar = "[" + strings.Repeat("#", full) + strings.Repeat(" ", width-full) + "] "
	}
	fmt.Fprintf(t.bar, "\r%s%d inputs, %d/s, %d methods\x1b[K", bar, t.done+t.skipped, t.rate(), len(t.methods))
}

func (t *tally) rate() int { return int(float64(t.done) / max(time.Since(t.start).Seconds(), 1e-3)) }

// finish takes the line away.
func (t *tally) finish() {
	if t.bar != nil {
		fmt.Fprint(t.bar, "\r\x1b[K")
	}
}

// A tallyJSON is what observe --format json writes.
type tallyJSON struct {
	Observed int                         `json:"observed"`
	Outcomes map[observation.Outcome]int `json:"outcomes"`
	Before   int                         `json:"before"`   // were there already
	Executed int                         `json:"executed"` // units
	Units    int                         `json:"units"`    // that are known
}

func (t *tally) sum(units int) tallyJSON {
	return tallyJSON{t.done, t.by, t.skipped, len(t.methods), max(units, len(t.methods))}
}

// tell sums up for people.
func (t *tally) tell(units int) {
	var outcomes []string
	for _, outcome := range []observation.Outcome{observation.OK, observation.Failed, observation.Crashed, observation.TimedOut} {
		if n := t.by[outcome]; n > 0 {
			outcomes = append(outcomes, fmt.Sprintf("%d %s", n, outcome))
		}
	}
	fmt.Fprintf(t.w, "inroad: %s observed", count(t.done, "input", "inputs"))
	if len(outcomes) > 0 {
		fmt.Fprintf(t.w, " (%s)", strings.Join(outcomes, ", "))
	}
	if t.skipped > 0 {
		fmt.Fprintf(t.w, ", %d were there before", t.skipped)
	}
	switch n := len(t.methods); {
	case t.done == 0:
	case n > units: // nobody listed them
		fmt.Fprintf(t.w, "; they executed %s", count(n, "unit", "units"))
	default:
		fmt.Fprintf(t.w, "; they executed %d of %s", n, count(units, "unit", "units"))
	}
	fmt.Fprintln(t.w)
}
