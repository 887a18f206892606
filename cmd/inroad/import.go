package main

import (
	"bufio"
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

	"github.com/inroad/inroad/api/outfile"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/model/observe"
)

type importOptions struct {
	format  string
	inputs  string
	root    string
	units   string
	subject string
	commit  string
	out     string
	reports []string

	stdout, stderr io.Writer
}

func newImportCommand() *cobra.Command {
	opt := &importOptions{}
	cmd := &cobra.Command{
		Use:   "import [flags] REPORT...",
		Short: "Make observations of coverage reports",
		Long: `Make observations of the reports of coverage tools.

There must be a report for each input. Formats:

  lcov     tracefiles; TN: lines name the inputs
  jacoco   XML reports of JaCoCo, one an input
  gocover  folders that GOCOVERDIR named, or text profiles, one an input
  ndjson   observations: they are checked, and put into one file

A report is about the input that is named like it, without the report's own
extension: a.json.xml is about the file a.json in the folder that --inputs names.
Where a tool allows only letters and digits in names, other characters may stand
as _. A folder stands for the reports in it.`,
		Example: `  inroad import --inputs corpus --out o.ndjson coverage.info
  inroad import --format jacoco --inputs corpus --out o.ndjson reports
  GOCOVERDIR=cov/a.json ./parser corpus/a.json; inroad import --inputs corpus --out o.ndjson cov`,
		Args:                  cobra.MinimumNArgs(1),
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			opt.reports = args
			opt.stdout, opt.stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
			return opt.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&opt.format, "format", "auto", "auto, lcov, jacoco, gocover or ndjson")
	flags.StringVar(&opt.inputs, "inputs", "", "the `DIR` of the inputs that reports are about")
	flags.StringVar(&opt.root, "root", ".", "the `DIR` of the program's sources")
	flags.StringVar(&opt.units, "units", "method", "what to record: method, or block for methods and the blocks or lines in them")
	flags.StringVar(&opt.subject, "subject", "", "a `NAME` for the program")
	flags.StringVar(&opt.commit, "commit", "", "its `VERSION`")
	flags.StringVar(&opt.out, "out", "", "write to this `FILE` (default standard output)")
	choices(flags, "format", "auto", "lcov", "jacoco", "gocover", "ndjson")
	choices(flags, "units", "method", "block")
	return cmd
}

func (opt *importOptions) run(ctx context.Context) error {
	out, finish, err := opt.output()
	if err != nil {
		return err
	}
	if opt.format == "auto" && opt.looksLikeObservations() {
		opt.format = "ndjson"
	}
	if opt.format == "ndjson" {
		err = opt.join(ctx, out)
	} else {
		err = opt.convert(ctx, out)
	}
	if err != nil && !errors.Is(err, errReported) {
		return errors.Join(err, finish(false))
	}
	return errors.Join(err, finish(true))
}

// output returns the writer for the observations, and a function that ends the
// writing. A regular file is written whole or, if good is false, not at all.
func (opt *importOptions) output() (w io.Writer, finish func(good bool) error, err error) {
	if opt.out == "" {
		w := bufio.NewWriter(opt.stdout)
		return w, func(bool) error { return w.Flush() }, nil
	}
	file, err := outfile.Create(opt.out, 0o644)
	if err != nil {
		return nil, nil, fmt.Errorf("--out %s: %w", printable(opt.out), cause(err))
	}
	return file, func(good bool) error {
		if !good {
			return file.Close()
		}
		if err := file.Commit(); err != nil {
			return fmt.Errorf("--out %s: %w", printable(opt.out), cause(err))
		}
		return nil
	}, nil
}

// looksLikeObservations tells whether the first report begins as a JSON object.
func (opt *importOptions) looksLikeObservations() bool {
	file, err := os.Open(opt.reports[0])
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }() // it was only read
	head, _ := io.ReadAll(io.LimitReader(file, 512))
	return strings.HasPrefix(strings.TrimSpace(string(head)), "{")
}

// convert writes an observation for each run that reports tell of.
func (opt *importOptions) convert(ctx context.Context, w io.Writer) error {
	if opt.inputs == "" {
		return errors.New("no inputs: give --inputs DIR, the folder of the inputs that the reports are about")
	}
	index, err := newInputIndex(opt.inputs)
	if err != nil {
		return err
	}
	reports := &observe.Reports{Root: opt.root, Blocks: opt.units == "block"}
	for _, name := range opt.reports {
		if err := reports.Read(name, observe.Format(opt.format)); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	out, err := observation.NewWriter(w, observation.Header{Subject: opt.subject, Commit: opt.commit, Units: reports.Units()})
	if err != nil {
		return err
	}
	written := 0
	runs := reports.Runs()
	for _, run := range runs {
		name, err := index.find(run.Name)
		if err != nil {
			fmt.Fprintf(opt.stderr, "inroad: note: %v\n", err)
			continue
		}
		data, err := readFile(filepath.Join(opt.inputs, filepath.FromSlash(name)), observation.MaxInput)
		if err != nil {
			return fmt.Errorf("%s: %w", printable(name), err)
		}
		if err := out.Write(observation.Observation{Name: name, Input: data, Methods: run.Methods, Counts: run.Counts}); err != nil {
			return fmt.Errorf("%s: %w", printable(name), err)
		}
		written++
	}
	if written == 0 {
		return errors.New("no report is about a file in --inputs")
	}
	fmt.Fprintf(opt.stderr, "inroad: %s of %d, %s\n", count(written, "observation", "observations"), len(runs), count(len(reports.Units()), "unit", "units"))
	return nil
}

// join writes the observations of all files into one. A line that is wrong is
// reported and left out.
func (opt *importOptions) join(ctx context.Context, w io.Writer) error {
	header, bad, err := opt.each(ctx, nil)
	if err != nil {
		return err
	}
	if opt.subject != "" {
		header.Subject = opt.subject
	}
	if opt.commit != "" {
		header.Commit = opt.commit
	}
	out, err := observation.NewWriter(w, header)
	if err != nil {
		return err
	}
	if _, _, err := opt.each(ctx, out.Write); err != nil {
		return err
	}
	if bad {
		return errReported
	}
	return nil
}

// each reads the observations of all files. Without write it collects the
// headers and reports what is wrong.
func (opt *importOptions) each(ctx context.Context, write func(observation.Observation) error) (all observation.Header, bad bool, err error) {
	seen := map[string]bool{}
	for i, name := range opt.reports {
		file, err := os.Open(name)
		if err != nil {
			return all, bad, fmt.Errorf("%s: %w", printable(name), cause(err))
		}
		r := observation.NewReader(file)
		for {
			o, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if line, ok := errors.AsType[*observation.LineError](err); ok {
				if write == nil {
					bad = true
					fmt.Fprintf(opt.stderr, "inroad: %s:%d: %v\n", printable(name), line.Line, line.Err)
				}
				continue
			}
			if err == nil && write != nil {
				err = write(o)
			}
			if err == nil && ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			if err != nil {
				return all, bad, errors.Join(fmt.Errorf("%s: %w", printable(name), err), file.Close())
			}
		}
		if err := file.Close(); err != nil {
			return all, bad, err
		}
		h := r.Header()
		if i > 0 && (h.Subject != all.Subject || h.Commit != all.Commit) {
			return all, bad, fmt.Errorf("%s: it is about %q at %q, and %s about %q at %q",
				printable(name), h.Subject, h.Commit, printable(opt.reports[0]), all.Subject, all.Commit)
		}
		all.Subject, all.Commit = h.Subject, h.Commit
		for _, u := range h.Units {
			if !seen[u.ID] {
				seen[u.ID] = true
				all.Units = append(all.Units, u)
			}
		}
	}
	return all, bad, nil
}

// An inputIndex finds inputs by the names that reports give them.
type inputIndex map[string][]string

func newInputIndex(dir string) (inputIndex, error) {
	files, err := inputFiles([]string{dir})
	if err != nil {
		return nil, fmt.Errorf("--inputs: %w", err)
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

// wordName is a name with only those characters that lcov allows.
func wordName(name string) string {
	return strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return '_'
	}, name)
}

// find returns the input that a name means.
func (x inputIndex) find(name string) (string, error) {
	found := x[name]
	if slices.Contains(found, name) {
		return name, nil
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("%s: there is no such input", printable(name))
	case 1:
		return found[0], nil
	default:
		return "", fmt.Errorf("%s: it may be %s", printable(name), strings.Join(found, " or "))
	}
}
