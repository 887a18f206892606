package model

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/outfile"
	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/model/coverage"
	"github.com/inroad/inroad/model/observation"
)

type importCommand struct {
	format  string
	inputs  string
	root    string
	units   string
	subject string
	commit  string
	out     string
	reports []string
	cli.Streams
}

// NewImport returns the command import.
func NewImport() *cobra.Command {
	c := &importCommand{}
	cmd := &cobra.Command{
		Use:   "import [flags] REPORT...",
		Short: "Convert coverage reports to observations",
		Long: `Convert the reports of coverage tools to observations.

There must be a report for each input. Formats:

  lcov         tracefiles; TN: lines name the inputs
  jacoco       XML reports of JaCoCo
  gocover      folders that GOCOVERDIR named, or text profiles
  llvm-cov     JSON of llvm-cov export
  gcov         JSON of gcov --json-format, or folders of its .gcov.json.gz files
  coverage.py  JSON of coverage json, version 7.6 or later
  istanbul     coverage-final.json of nyc, c8 or Jest
  v8           folders that NODE_V8_COVERAGE named, or files in them
  cobertura    XML reports of many tools
  ndjson       observations: they are checked and joined into one file

The format is detected if --format is not given. Reports may be compressed by gzip.

A report belongs to the input that has its name without the report's extension:
a.json.xml belongs to the file a.json in the folder that --inputs names. Where a
tool allows only letters and digits in names, _ stands for other characters. A
folder stands for the reports in it, or for one run if a tool wrote it for one.`,
		Example: `  inroad import --inputs corpus --out o.ndjson coverage.info
  inroad import --format jacoco --inputs corpus --out o.ndjson reports
  GOCOVERDIR=cov/a.json ./parser corpus/a.json; inroad import --inputs corpus --out o.ndjson cov`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c.reports, c.Streams = args, cli.StreamsOf(cmd)
			return c.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	cli.BindEnum(flags, &c.format, "format", "format of the reports", append(reportFormats(), "ndjson")...)
	flags.StringVar(&c.inputs, "inputs", "", "`DIR` of the inputs that the reports belong to")
	flags.StringVar(&c.root, "root", ".", "`DIR` of the program's sources")
	cli.BindEnum(flags, &c.units, "units", "import methods only, or also the blocks or lines in them", "method", "block")
	flags.StringVar(&c.subject, "subject", "", "`NAME` of the program")
	flags.StringVar(&c.commit, "commit", "", "`VERSION` of the program")
	flags.StringVar(&c.out, "out", "", "`FILE` to write to (default standard output)")
	return cmd
}

func (c *importCommand) run(ctx context.Context) error {
	if c.format == "auto" && coverage.IsObservations(c.reports[0]) {
		c.format = "ndjson"
	}
	convert := c.convert
	if c.format == "ndjson" {
		convert = c.join
	}
	if c.out == "" {
		out := bufio.NewWriter(c.Out)
		return errors.Join(convert(ctx, out), out.Flush())
	}
	out, err := outfile.Create(c.out, 0o644)
	if err != nil {
		return c.outputError(err)
	}
	defer func() { _ = out.Close() }() // unless it was committed
	err = convert(ctx, out)
	if err != nil && !errors.Is(err, cli.ErrReported) {
		return err
	}
	return errors.Join(c.outputError(out.Commit()), err)
}

func (c *importCommand) outputError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("--out %w", cli.FileError(c.out, err))
}

// convert writes an observation for each run in the reports.
func (c *importCommand) convert(ctx context.Context, w io.Writer) error {
	if c.inputs == "" {
		return errors.New("no inputs: give --inputs DIR, the folder of the inputs that the reports belong to")
	}
	index, err := coverage.NewInputIndex(c.inputs)
	if err != nil {
		return fmt.Errorf("--inputs %w", cli.FileError(c.inputs, err))
	}
	reports := &coverage.Reports{Root: c.root, Blocks: c.units == "block"}
	for _, name := range c.reports {
		if err := reports.Read(name, coverage.Format(c.format)); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	written, err := reports.Write(ctx, w, c.about(), index, func(err error) { c.Notef("note: %s", cli.Printable(err.Error())) })
	if err != nil {
		return err
	}
	if written == 0 {
		return errors.New("no report belongs to a file in --inputs")
	}
	c.Notef("%s from %s of %s", cli.Count(written, "observation", "observations"),
		cli.Count(len(reports.Runs()), "run", "runs"), countUnits(len(reports.Units()), reports.Blocks))
	return nil
}

// about returns the program that the flags name.
func (c *importCommand) about() observation.Header {
	return observation.Header{Subject: c.subject, Commit: c.commit}
}

// join writes the observations of all files into one. Invalid lines are reported and
// left out.
func (c *importCommand) join(ctx context.Context, w io.Writer) error {
	invalid := false
	err := observation.Join(ctx, w, c.about(), c.reports, func(file string, line *observation.LineError) {
		invalid = true
		c.Notef("%s:%d: %s", cli.Printable(file), line.Line, cli.Printable(api.Excerpt(line.Err.Error())))
	})
	if err == nil && invalid {
		return cli.ErrReported
	}
	return err
}
