package choose

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/api/outfile"
	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/model/coverage"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/model/observe"
	"github.com/inroad/inroad/targeting/selection"
	"github.com/inroad/inroad/targeting/selection/tests"
)

// NewTests returns the command tests.
func NewTests() *cobra.Command {
	return cli.Group("tests", "Select existing tests to run for a change",
		`Select existing tests to run for a change, by the methods that each test reached when
it was recorded. This needs neither a grammar nor a model.

A record is a file of observations whose inputs are the IDs of tests:
  Go      import/path.TestName
  pytest  tests/test_a.py::Class::test_name[parameter]
  JUnit   com.example.ClassTest#method`, newTestsObserve(), newTestsImport(), newTestsSelect())
}

type testsObserveCommand struct {
	tests observe.GoTests
	units string
	out   string
	cli.Streams
}

func newTestsObserve() *cobra.Command {
	c := &testsObserveCommand{}
	cmd := &cobra.Command{
		Use:   "observe [PACKAGE...] --out FILE",
		Short: "Record the methods that each Go test reaches",
		Long: `Record the methods that each Go test, example and fuzz target reaches. The tests of
each package are built once, and each is run alone.`,
		Example: `  inroad tests observe ./... --out tests.ndjson`,
		RunE: func(cmd *cobra.Command, args []string) error {
			c.tests.Patterns, c.Streams = args, cli.StreamsOf(cmd)
			return c.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&c.out, "out", "", "`FILE` to write the record to")
	flags.StringArrayVar(&c.tests.Packages, "cover", nil, "`PACKAGE` to observe, as the go command takes it; may be repeated (default all packages of the module)")
	cli.BindEnum(flags, &c.units, "units", "record methods only, or also the blocks in them", "method", "block")
	flags.DurationVar(&c.tests.Timeout, "timeout", time.Minute, "time for one test")
	flags.IntVar(&c.tests.Jobs, "jobs", 0, "number of tests to run at once; one per core if 0")
	flags.StringVar(&c.tests.Subject, "subject", "", "`NAME` of the program (default the module)")
	flags.StringVar(&c.tests.Commit, "commit", "", "`VERSION` of the program (default the git commit)")
	return cmd
}

func (c *testsObserveCommand) run(ctx context.Context) error {
	if c.out == "" {
		return errors.New("no output: give --out FILE.ndjson")
	}
	c.tests.Blocks = c.units == "block"
	bar := cli.NewProgress(c.Err, "tests", 0)
	c.tests.Progress = func(done, total int) { bar.SetStage("tests", done, total) }
	n := 0
	var observed error
	err := outfile.Write(c.out, 0o644, func(w io.Writer) error {
		n, observed = c.tests.Observe(ctx, w)
		return observed
	})
	bar.End()
	if _, ok := errors.AsType[*fs.PathError](err); observed != nil && !ok { // not about the file
		return observed
	}
	if err != nil {
		return cli.FileError(c.out, err)
	}
	c.Notef("%s recorded", cli.Count(n, "test", "tests"))
	return nil
}

type testsImportCommand struct {
	reports, results     []string
	format, root         string
	subject, commit, out string
	cli.Streams
}

func newTestsImport() *cobra.Command {
	c := &testsImportCommand{}
	cmd := &cobra.Command{
		Use:   "import --out FILE REPORT...",
		Short: "Convert coverage reports of tests to a record",
		Long: `Convert coverage reports to a record of the methods that tests reach.

pytest needs one report: run pytest --cov --cov-context=test, and then
coverage json --show-contexts. Code that ran outside tests, or to set them up or
tear them down, counts for all tests.

Of other tools there must be a report for each test, named after its ID, such as
com.example.ClassTest#method.xml of JaCoCo; see inroad import for the formats.`,
		Example: `  inroad tests import coverage.json --results junit.xml --commit "$(git rev-parse HEAD)" --out tests.ndjson
  inroad tests import --format jacoco reports --out tests.ndjson`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c.reports, c.Streams = args, cli.StreamsOf(cmd)
			return c.run()
		},
	}
	formats := []string{"auto", "contexts"}
	for _, f := range coverage.Formats()[1:] {
		formats = append(formats, string(f))
	}
	flags := cmd.Flags()
	cli.BindEnum(flags, &c.format, "format", "format of the reports; contexts is JSON of coverage.py with contexts", formats...)
	flags.StringArrayVar(&c.results, "results", nil, "`FILE` with the outcomes and durations of the tests: JUnit XML, or the output of go test -json; may be repeated")
	flags.StringVar(&c.root, "root", ".", "`DIR` of the program's sources")
	flags.StringVar(&c.subject, "subject", "", "`NAME` of the program")
	flags.StringVar(&c.commit, "commit", "", "`VERSION` of the program; inroad tests select needs it")
	flags.StringVar(&c.out, "out", "", "`FILE` to write the record to")
	return cmd
}

func (c *testsImportCommand) run() error {
	if c.out == "" {
		return errors.New("no output: give --out FILE.ndjson")
	}
	reports := &coverage.Reports{Root: c.root}
	for _, name := range c.reports {
		if err := c.read(reports, name); err != nil {
			return err
		}
	}
	runs := reports.Runs()
	var ids []string
	for _, run := range runs {
		ids = append(ids, run.Name)
	}
	results, err := readResultFiles(c.results, ids)
	if err != nil {
		return err
	}
	err = outfile.Write(c.out, 0o644, func(w io.Writer) error {
		out, err := observation.NewWriter(w, observation.Header{Subject: c.subject, Commit: c.commit, Units: reports.Units()})
		for i := 0; i < len(runs) && err == nil; i++ {
			o := observation.Observation{Name: runs[i].Name, Input: []byte(runs[i].Name), Methods: runs[i].Methods, Outcome: observation.OK}
			if r, ok := results[o.Name]; ok {
				o.Duration = r.Duration
				if r.Failed {
					o.Outcome = observation.Failed
				}
			}
			err = out.Write(o)
		}
		return err
	})
	if err != nil {
		return cli.FileError(c.out, err)
	}
	c.Notef("%s recorded", cli.Count(len(runs), "test", "tests"))
	return nil
}

// read reads a report. JSON of coverage.py is read with its contexts, if it has any.
func (c *testsImportCommand) read(reports *coverage.Reports, name string) error {
	if c.format == "auto" || c.format == "contexts" {
		ok, err := readContexts(reports, name)
		if ok || c.format == "contexts" && err != nil {
			return cli.FileError(name, err)
		}
	}
	err := reports.Read(name, coverage.Format(c.format))
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return cli.FileError(name, err)
	}
	return err
}

func readContexts(reports *coverage.Reports, name string) (bool, error) {
	info, err := os.Stat(name)
	if err != nil || info.IsDir() {
		return false, err
	}
	file, err := os.Open(name)
	if err != nil {
		return false, err
	}
	defer func() { _ = file.Close() }() // it was only read
	err = reports.ReadContexts(bufio.NewReader(file))
	return err == nil, err
}

// readResultFiles reads results of tests, by ID. known are the IDs of the tests.
func readResultFiles(names, known []string) (map[string]selection.Result, error) {
	out := map[string]selection.Result{}
	for _, name := range names {
		file, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("--results %w", cli.FileError(name, err))
		}
		results, err := tests.ReadResults(file, known)
		_ = file.Close() // it was only read
		if err != nil {
			return nil, fmt.Errorf("--results %w", cli.FileError(name, err))
		}
		for _, r := range results {
			before := out[r.Path]
			r.Failed = r.Failed || before.Failed
			r.Duration += before.Duration
			out[r.Path] = r
		}
	}
	return out, nil
}
