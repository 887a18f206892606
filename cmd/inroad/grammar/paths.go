package grammar

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/cmd/inroad/cli"
)

// NewPaths returns the commands paths count, paths list and paths coverage.
func NewPaths() *cobra.Command {
	return cli.Group("paths", "Count, list and cover the k-paths of a grammar", `Count, list and cover the k-paths of a grammar.

A k-path is a chain of k symbols of the grammar, each directly below the one
before it in some derivation: rules, tokens, and the parts of tokens.`,
		newPathsCount(), newPathsList(), newPathsCoverage())
}

// pathFields are the fields of requests that select paths.
var pathFields = []string{"k", "start", "trivia", "names", "absent"} //nolint:gochecknoglobals // a constant list

type pathsCommand struct {
	grammar string
	format  string
	server  cli.Server
	service api.Service
	cli.Streams
}

// bind adds the flags that all paths commands share to the flags of a request.
func (c *pathsCommand) bind(cmd *cobra.Command, req any, more ...string) {
	flags := cmd.Flags()
	cli.BindGrammar(flags, &c.grammar)
	cli.Bind(flags, req, append(pathFields, more...)...)
	cli.BindFormat(flags, &c.format, "text", "json")
	c.server.Bind(flags)
}

// open opens the grammar.
func (c *pathsCommand) open(cmd *cobra.Command) (openapi.Grammar, error) {
	c.Streams = cli.StreamsOf(cmd)
	var err error
	if c.service, err = c.server.Service(); err != nil {
		return openapi.Grammar{}, err
	}
	return cli.OpenGrammar(cmd.Context(), c.service, c.grammar, c.Streams)
}

func newPathsCount() *cobra.Command {
	c, req := &pathsCommand{}, &openapi.CountPathsParams{}
	cmd := &cobra.Command{
		Use:     "count --grammar NAME|FILE.g4[,FILE.g4...] [--k LENGTH] [flags]",
		Short:   "Count the k-paths of a grammar",
		Example: "  inroad paths count --grammar json --k 3",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			g, err := c.open(cmd)
			if err != nil {
				return err
			}
			n, err := c.service.CountPaths(cmd.Context(), g.ID, *req)
			if err != nil {
				return err
			}
			if c.format == "json" {
				return cli.WriteJSON(c.Out, n)
			}
			_, err = fmt.Fprintln(c.Out, cli.Printable(n.Count))
			return err
		},
	}
	c.bind(cmd, req)
	return cmd
}

func newPathsList() *cobra.Command {
	c, req, inputs := &pathsCommand{}, &openapi.ListPathsParams{}, &openapi.MeasureCoverageParams{}
	cmd := &cobra.Command{
		Use:   "list --grammar NAME|FILE.g4[,FILE.g4...] [--k LENGTH] [flags] [INPUT...]",
		Short: "List the k-paths of a grammar, or of inputs, with their patterns",
		Example: `  inroad paths list --grammar expr --k 2
  inroad paths list --grammar json --k 3 data.json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			g, err := c.open(cmd)
			if err != nil {
				return err
			}
			if len(args) > 0 {
				return c.listCovered(cmd.Context(), g, *req, *inputs, args)
			}
			out := c.writer()
			for p := range cli.Lines(c.service.ListPaths(cmd.Context(), g.ID, *req), &err) {
				if err := out.write(p); err != nil {
					return err
				}
			}
			return errors.Join(err, out.close())
		},
	}
	c.bind(cmd, req)
	cli.Bind(cmd.Flags(), inputs, "encoding", "any_derivation")
	return cmd
}

// listCovered lists the paths that inputs cover.
func (c *pathsCommand) listCovered(ctx context.Context, g openapi.Grammar, req openapi.ListPathsParams, inputs openapi.MeasureCoverageParams, names []string) error {
	const all = 5_000_000 // the maximum that a request lists
	inputs.K, inputs.Start, inputs.Trivia, inputs.Names, inputs.Absent, inputs.Present = req.K, req.Start, req.Trivia, req.Names, req.Absent, all
	covered, err := c.measure(ctx, g, inputs, names)
	if err != nil {
		return err
	}
	out := c.writer()
	for _, p := range covered.Present {
		if err := out.write(p); err != nil {
			return err
		}
	}
	return out.close()
}

func newPathsCoverage() *cobra.Command {
	c, req := &pathsCommand{}, &openapi.MeasureCoverageParams{}
	cmd := &cobra.Command{
		Use:   "coverage --grammar NAME|FILE.g4[,FILE.g4...] [--k LENGTH] [flags] DIR|FILE...",
		Short: "Measure how many k-paths a corpus covers",
		Long: `Measure how many k-paths a corpus covers.

Paths that no finite derivation contains do not count; their number is printed
as well. All files of a DIR and of its subfolders are inputs. Inputs that do not
parse are reported and cover no paths; the command fails if none parses.`,
		Example: `  inroad paths coverage --grammar json --k 3 corpus/
  inroad paths coverage --grammar json --k 3 --missing=20 corpus/ more.json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("no input: give files or folders; see inroad paths coverage --help")
			}
			g, err := c.open(cmd)
			if err != nil {
				return err
			}
			covered, err := c.measure(cmd.Context(), g, *req, args)
			if err != nil {
				return err
			}
			return c.writeCoverage(covered)
		},
	}
	c.bind(cmd, req, "missing", "encoding", "any_derivation")
	cmd.Flags().Lookup("missing").NoOptDefVal = "5000000" // --missing alone lists all
	return cmd
}

// measure measures the coverage of files. Inputs that do not parse are reported; if
// none parses, the command fails.
func (c *pathsCommand) measure(ctx context.Context, g openapi.Grammar, req openapi.MeasureCoverageParams, names []string) (openapi.Coverage, error) {
	files, err := cli.InputFiles(names)
	if err != nil {
		return openapi.Coverage{}, err
	}
	bar := cli.NewProgress(c.Err, "parsed", len(files))
	covered, err := c.service.MeasureCoverage(ctx, g.ID, req, cli.Inputs(ctx, files, c.In, bar))
	bar.End()
	if err != nil {
		return covered, err
	}
	return covered, cli.ReportRejected(c.Streams, covered.Inputs, covered.Outside, covered.Rejected)
}

func (c *pathsCommand) writeCoverage(covered openapi.Coverage) error {
	if c.format == "json" {
		return cli.WriteJSON(c.Out, covered)
	}
	possible, ok := new(big.Int).SetString(covered.Possible, 10)
	if !ok {
		return fmt.Errorf("possible %q: must be a number", covered.Possible)
	}
	out := c.writer()
	for _, p := range covered.Missing {
		if err := out.write(p); err != nil {
			return err
		}
	}
	fmt.Fprintf(out.text, "k=%d: %d of %v (%s %%)", covered.K, covered.Covered, possible, cli.Percent(covered.Covered, possible))
	if covered.Impossible != "0" {
		fmt.Fprintf(out.text, ", %s impossible", cli.Printable(covered.Impossible))
	}
	if covered.Outside > 0 {
		fmt.Fprintf(out.text, "; %d of %d inputs do not parse", covered.Outside, covered.Inputs)
	}
	fmt.Fprintln(out.text)
	return out.close()
}

// A pathWriter writes paths, one per line.
type pathWriter struct {
	text *bufio.Writer
	json *cli.JSONWriter // nil for text
}

func (c *pathsCommand) writer() *pathWriter {
	if c.format == "json" {
		return &pathWriter{json: cli.NewJSONWriter(c.Out, "ndjson")}
	}
	return &pathWriter{text: bufio.NewWriter(c.Out)}
}

func (w *pathWriter) write(p openapi.Path) error {
	if w.json != nil {
		return w.json.Encode(p)
	}
	_, err := fmt.Fprintf(w.text, "%s\t%s\n", cli.Printable(strings.Join(p.Path, " > ")), cli.Printable(p.Pattern))
	return err
}

func (w *pathWriter) close() error {
	if w.json != nil {
		return w.json.Close()
	}
	return w.text.Flush()
}
