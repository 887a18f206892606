package model

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/outfile"
	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/model/observe"
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

  lcov     tracefiles; TN: lines name the inputs
  jacoco   XML reports of JaCoCo, one per input
  gocover  folders that GOCOVERDIR named, or text profiles, one per input
  ndjson   observations: they are checked and joined into one file

A report belongs to the input that has its name without the report's extension:
a.json.xml belongs to the file a.json in the folder that --inputs names. Where a
tool allows only letters and digits in names, _ stands for other characters. A
folder stands for the reports in it.`,
		Example: `  inroad import --inputs corpus --out o.ndjson coverage.info
  inroad import --format jacoco --inputs corpus --out o.ndjson reports
  GOCOVERDIR=cov/a.json ./parser corpus/a.json; inroad import --inputs corpus --out o.ndjson cov`,
		Args:                  cobra.MinimumNArgs(1),
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			c.reports, c.Streams = args, cli.StreamsOf(cmd)
			return c.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	cli.BindEnum(flags, &c.format, "format", "format of the reports", "auto", "lcov", "jacoco", "gocover", "ndjson")
	flags.StringVar(&c.inputs, "inputs", "", "`DIR` of the inputs that the reports belong to")
	flags.StringVar(&c.root, "root", ".", "`DIR` of the program's sources")
	cli.BindEnum(flags, &c.units, "units", "import methods only, or also the blocks or lines in them", "method", "block")
	flags.StringVar(&c.subject, "subject", "", "`NAME` of the program")
	flags.StringVar(&c.commit, "commit", "", "`VERSION` of the program")
	flags.StringVar(&c.out, "out", "", "`FILE` to write to (default standard output)")
	return cmd
}

func (c *importCommand) run(ctx context.Context) error {
	if c.format == "auto" && c.looksLikeObservations() {
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

// looksLikeObservations reports whether the first report starts like a JSON object.
func (c *importCommand) looksLikeObservations() bool {
	file, err := os.Open(c.reports[0])
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }() // it was only read
	head, _ := io.ReadAll(io.LimitReader(file, 512))
	return strings.HasPrefix(strings.TrimSpace(string(head)), "{")
}

// convert writes an observation for each run in the reports.
func (c *importCommand) convert(ctx context.Context, w io.Writer) error {
	if c.inputs == "" {
		return errors.New("no inputs: give --inputs DIR, the folder of the inputs that the reports belong to")
	}
	index, err := newInputIndex(c.inputs)
	if err != nil {
		return err
	}
	reports := &observe.Reports{Root: c.root, Blocks: c.units == "block"}
	for _, name := range c.reports {
		if err := reports.Read(name, observe.Format(c.format)); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	out, err := observation.NewWriter(w, observation.Header{Subject: c.subject, Commit: c.commit, Units: reports.Units()})
	if err != nil {
		return err
	}
	written := 0
	runs := reports.Runs()
	for _, run := range runs {
		name, err := index.find(run.Name)
		if err != nil {
			c.Notef("note: %v", err)
			continue
		}
		data, err := cli.ReadInput(ctx, filepath.Join(c.inputs, filepath.FromSlash(name)), nil, observation.MaxInput)
		if err != nil {
			return cli.FileError(name, err)
		}
		if err := out.Write(observation.Observation{Name: name, Input: data, Methods: run.Methods, Counts: run.Counts}); err != nil {
			return cli.FileError(name, err)
		}
		written++
	}
	if written == 0 {
		return errors.New("no report belongs to a file in --inputs")
	}
	one, many := "method", "methods"
	if reports.Blocks {
		one, many = "method or block", "methods and blocks"
	}
	c.Notef("%s from %s of %s", cli.Count(written, "observation", "observations"), cli.Count(len(runs), "run", "runs"), cli.Count(len(reports.Units()), one, many))
	return nil
}

// join writes the observations of all files into one. Invalid lines are reported and
// left out.
func (c *importCommand) join(ctx context.Context, w io.Writer) error {
	var header *observation.Header
	invalid := false
	known := map[string]bool{}
	err := c.each(ctx, func(file string, line openapi.LineError) {
		invalid = true
		c.Notef("%s:%d: %s", file, line.Line, cli.Printable(line.Message))
	}, func(block api.Block) error {
		h := block.Header
		if header == nil {
			header = &observation.Header{Subject: h.Subject, Commit: h.Commit}
		}
		if h.Subject != header.Subject || h.Commit != header.Commit {
			return fmt.Errorf("%s: observations of %q at %q, but %s has observations of %q at %q",
				block.File, h.Subject, h.Commit, cli.Printable(c.reports[0]), header.Subject, header.Commit)
		}
		for _, u := range h.Units {
			if !known[u.ID] {
				known[u.ID] = true
				header.Units = append(header.Units, u)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	header.Subject, header.Commit = cmp.Or(c.subject, header.Subject), cmp.Or(c.commit, header.Commit)
	out, err := observation.NewWriter(w, *header)
	if err != nil {
		return err
	}
	err = c.each(ctx, nil, func(block api.Block) error {
		for _, o := range block.Observations {
			if err := out.Write(o); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && invalid {
		return cli.ErrReported
	}
	return err
}

// each reads the observations of all files.
func (c *importCommand) each(ctx context.Context, invalid func(string, openapi.LineError), take func(api.Block) error) error {
	o := api.Observations{Invalid: invalid}
	for _, name := range c.reports {
		file, err := os.Open(name)
		if err != nil {
			return cli.FileError(name, err)
		}
		defer func() { _ = file.Close() }() // it was only read
		o.Files = append(o.Files, api.ObservationFile{Name: cli.Printable(name), Reader: file})
	}
	for block, err := range o.Blocks() {
		if err == nil {
			err = take(block)
		}
		if err == nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// An inputIndex finds inputs by the names that reports give them.
type inputIndex map[string][]string

func newInputIndex(dir string) (inputIndex, error) {
	files, err := cli.InputFiles([]string{dir})
	if err != nil {
		return nil, fmt.Errorf("--inputs %w", err)
	}
	index := inputIndex{}
	for _, file := range files {
		below, err := filepath.Rel(dir, file)
		if err != nil {
			return nil, err
		}
		name := filepath.ToSlash(below)
		base := path.Base(name)
		keys := []string{name, base, strings.TrimSuffix(name, path.Ext(name)), strings.TrimSuffix(base, path.Ext(base))}
		for _, key := range slices.Clip(keys) {
			keys = append(keys, wordName(key))
		}
		slices.Sort(keys)
		for _, key := range slices.Compact(keys) {
			index[key] = append(index[key], name)
		}
	}
	return index, nil
}

// wordName replaces the characters of a name that lcov does not allow.
func wordName(name string) string {
	return strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return '_'
	}, name)
}

// find returns the input that a report belongs to.
func (x inputIndex) find(name string) (string, error) {
	found := x[name]
	if slices.Contains(found, name) {
		return name, nil
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("%s: no such input", cli.Printable(name))
	case 1:
		return found[0], nil
	default:
		return "", fmt.Errorf("%s: ambiguous, could be %s", cli.Printable(name), strings.Join(found, " or "))
	}
}
