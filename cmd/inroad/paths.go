package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/limit"
)

func newPathsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "paths",
		Short: "Count, list and cover the k-paths of a grammar",
		Long: `Count, list and cover the k-paths of a grammar.

A k-path is a chain of k symbols of the grammar, each right below the one before
it in some derivation: rules, tokens, and what tokens are made of.`,
		Args:                  noSuchCommand,
		DisableFlagsInUseLine: true,
		RunE:                  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newPathsCountCommand(), newPathsListCommand(), newPathsCoverageCommand())
	return cmd
}

// pathsOptions say which paths of which grammar.
type pathsOptions struct {
	grammar string
	k       int
	format  string
	server  serverOptions
	client  *client // nil if no service is asked
	features.Options

	stdout, stderr io.Writer
}

// bind binds the flags. Paths are a line each in JSON, too; other results are one
// object.
func (opt *pathsOptions) bind(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&opt.grammar, "grammar", "", "a bundled grammar's `NAME`, or grammar files joined by commas")
	flags.IntVar(&opt.k, "k", 2, "the `LENGTH` of the paths")
	flags.StringVar(&opt.Start, "start", "", "the parser `RULE` to begin with (default the first)")
	flags.BoolVar(&opt.Trivia, "trivia", false, "the paths of skipped and hidden tokens instead")
	flags.BoolVar(&opt.Names, "names", false, "paths of names: the same symbol anywhere is one")
	flags.BoolVar(&opt.Absent, "absent", false, "that an optional part is not there is a symbol as well")
	flags.StringVar(&opt.format, "format", "text", "text or json")
	choices(flags, "format", "text", "json")
	opt.server.bind(flags)
}

// begin takes what the command was given.
func (opt *pathsOptions) begin(cmd *cobra.Command) (err error) {
	opt.stdout, opt.stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
	if opt.k < 1 || opt.k > features.MaxK {
		return fmt.Errorf("--k %d: it is from 1 to %d", opt.k, features.MaxK)
	}
	opt.client, err = opt.server.connect(cmd)
	return err
}

// maxPaths bounds how many paths are listed.
const maxPaths = 5_000_000

// listable refuses to list more paths than anyone can want.
func (opt *pathsOptions) listable(space *features.Space) error {
	if n := space.Count(opt.k); n.Cmp(big.NewInt(maxPaths)) > 0 {
		return &limit.Error{What: "paths to list", Value: strconv.Itoa(maxPaths), Advice: fmt.Sprintf("the grammar has %v; ask for a smaller k", n)}
	}
	return nil
}

// A pathJSON is a path as paths --format json writes it: its symbols, with their
// numbers, and the pattern.
type pathJSON struct {
	Path    []string `json:"path"`
	Pattern string   `json:"pattern"`
}

// A pathWriter writes paths, a line each.
type pathWriter struct {
	text *bufio.Writer
	json *jsonWriter // nil for text
}

func (opt *pathsOptions) writer() *pathWriter {
	if opt.format == "json" {
		return &pathWriter{json: newJSONWriter(opt.stdout, "ndjson")}
	}
	return &pathWriter{text: bufio.NewWriter(opt.stdout)}
}

func (w *pathWriter) write(p pathJSON) error {
	if w.json != nil {
		return w.json.write(p)
	}
	_, err := fmt.Fprintf(w.text, "%s\t%s\n", printable(strings.Join(p.Path, " > ")), printable(p.Pattern))
	return err
}

func (w *pathWriter) end() error {
	if w.json != nil {
		return w.json.end()
	}
	return w.text.Flush()
}

func newPathsCountCommand() *cobra.Command {
	opt := &pathsOptions{}
	cmd := &cobra.Command{
		Use:                   "count --grammar NAME|FILE.g4[,FILE.g4...] [--k LENGTH] [flags]",
		Short:                 "Print the number of k-paths",
		Example:               "  inroad paths count --grammar json --k 3",
		Args:                  cobra.NoArgs,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := opt.begin(cmd); err != nil {
				return err
			}
			n, err := opt.count(cmd.Context())
			if err != nil {
				return err
			}
			if opt.format == "json" {
				return writeJSON(opt.stdout, countJSON{opt.k, n})
			}
			_, err = fmt.Fprintln(opt.stdout, n)
			return err
		},
	}
	opt.bind(cmd)
	return cmd
}

// A countJSON is what paths count --format json writes. Counts can be larger than
// what other programs take for a number.
type countJSON struct {
	K     int    `json:"k"`
	Count string `json:"count"`
}

func (opt *pathsOptions) count(ctx context.Context) (string, error) {
	if opt.client != nil {
		return opt.client.countPaths(ctx, opt)
	}
	g, err := openGrammar(opt.grammar, &opt.Start, opt.stderr)
	if err != nil {
		return "", err
	}
	return features.NewSpace(g, opt.Options).Count(opt.k).String(), nil
}

// pathsInputOptions add inputs to pathsOptions.
type pathsInputOptions struct {
	pathsOptions
	inputs  []string
	missing bool
}

func newPathsListCommand() *cobra.Command {
	opt := &pathsInputOptions{}
	cmd := &cobra.Command{
		Use:   "list --grammar NAME|FILE.g4[,FILE.g4...] [--k LENGTH] [flags] [INPUT...]",
		Short: "List the k-paths of a grammar, or of inputs, with their patterns",
		Example: `  inroad paths list --grammar expr --k 2
  inroad paths list --grammar json --k 3 data.json`,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			opt.inputs = args
			if err := opt.begin(cmd); err != nil {
				return err
			}
			return opt.list(cmd.Context())
		},
	}
	opt.bind(cmd)
	return cmd
}

func (opt *pathsInputOptions) list(ctx context.Context) error {
	switch {
	case opt.client != nil && len(opt.inputs) > 0:
		return opt.client.listPathsOf(ctx, opt)
	case opt.client != nil:
		return opt.client.listPaths(ctx, opt)
	}
	g, err := openGrammar(opt.grammar, &opt.Start, opt.stderr)
	if err != nil {
		return err
	}
	space := features.NewSpace(g, opt.Options)
	if err := opt.listable(space); err != nil {
		return err
	}
	var covered *features.Set
	if len(opt.inputs) > 0 {
		if covered, err = opt.collect(ctx, g, space); err != nil {
			return err
		}
	}
	out := opt.writer()
	for p := range space.All(opt.k) {
		if covered == nil || covered.Has(opt.k, space.ID(p)) {
			if err := out.write(pathJSON{space.Symbols(p), space.Pattern(p)}); err != nil {
				return err
			}
		}
	}
	return out.end()
}

func newPathsCoverageCommand() *cobra.Command {
	opt := &pathsInputOptions{}
	cmd := &cobra.Command{
		Use:   "coverage --grammar NAME|FILE.g4[,FILE.g4...] [--k LENGTH] [flags] DIR|FILE...",
		Short: "Tell how many of the k-paths inputs have",
		Long: `Tell how many of the k-paths inputs have.

Paths that no finite derivation has do not count; their number stands beside.
All the files of a DIR are inputs, those in folders below it too.`,
		Example: `  inroad paths coverage --grammar json --k 3 corpus/
  inroad paths coverage --grammar json --k 3 --missing corpus/ more.json`,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("no input: give files or folders; see inroad paths coverage --help")
			}
			opt.inputs = args
			if err := opt.begin(cmd); err != nil {
				return err
			}
			return opt.coverage(cmd.Context())
		},
	}
	opt.bind(cmd)
	cmd.Flags().BoolVar(&opt.missing, "missing", false, "list the paths that no input has, with their patterns")
	return cmd
}

func (opt *pathsInputOptions) coverage(ctx context.Context) error {
	if opt.client != nil {
		return opt.client.coverPaths(ctx, opt)
	}
	g, err := openGrammar(opt.grammar, &opt.Start, opt.stderr)
	if err != nil {
		return err
	}
	all := features.NewSpace(g, opt.Options).Count(opt.k)
	opt.Possible = true
	space := features.NewSpace(g, opt.Options)
	covered, err := opt.collect(ctx, g, space)
	if err != nil {
		return err
	}
	possible := space.Count(opt.k)
	r := &coverageJSON{
		K: opt.k, Covered: covered.Len(opt.k), Possible: possible.String(), Impossible: new(big.Int).Sub(all, possible).String(),
	}
	if opt.missing {
		if err := opt.listable(space); err != nil {
			return err
		}
		r.Missing = []pathJSON{}
		for p := range space.All(opt.k) {
			if !covered.Has(opt.k, space.ID(p)) {
				r.Missing = append(r.Missing, pathJSON{space.Symbols(p), space.Pattern(p)})
			}
		}
	}
	return opt.writeCoverage(r)
}

// A coverageJSON is what paths coverage --format json writes.
type coverageJSON struct {
	K          int        `json:"k"`
	Covered    int        `json:"covered"`
	Possible   string     `json:"possible"`
	Impossible string     `json:"impossible"`
	Missing    []pathJSON `json:"missing,omitzero"` // if they were asked for
}

func (opt *pathsInputOptions) writeCoverage(r *coverageJSON) error {
	if opt.format == "json" {
		return writeJSON(opt.stdout, r)
	}
	out := opt.writer()
	for _, p := range r.Missing {
		if err := out.write(p); err != nil {
			return err
		}
	}
	possible, ok := new(big.Int).SetString(r.Possible, 10)
	if !ok {
		return fmt.Errorf("%q is no count", r.Possible)
	}
	fmt.Fprintf(out.text, "k=%d: %d of %v (%s %%)", r.K, r.Covered, possible, percent(r.Covered, possible))
	if r.Impossible != "0" {
		fmt.Fprintf(out.text, ", %s impossible", r.Impossible)
	}
	fmt.Fprintln(out.text)
	return out.end()
}

// percent returns a share with two decimals, never rounded up to all of it.
func percent(part int, whole *big.Int) string {
	if whole.Sign() == 0 {
		return "100.00"
	}
	hundredths := new(big.Int).Quo(big.NewInt(int64(part)*10000), whole).Int64()
	return fmt.Sprintf("%d.%02d", hundredths/100, hundredths%100)
}

// collect returns the paths of the inputs. One outside the grammar has none,
// and is reported.
func (opt *pathsInputOptions) collect(ctx context.Context, g *grammars.Grammar, space *features.Space) (*features.Set, error) {
	files, err := inputFiles(opt.inputs)
	if err != nil {
		return nil, err
	}
	x := features.NewExtractor(space, opt.k)
	set := features.NewSet(opt.k)
	failed := false
	for _, name := range files {
		input, err := readFile(name, maxInputRead)
		if err == nil {
			tree, perr := g.Parse(ctx, input, grammars.ParseOptions{Start: opt.Start})
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if err = perr; err == nil {
				err = x.Add(set, tree)
			}
		}
		if err != nil {
			failed = true
			fmt.Fprintf(opt.stderr, "inroad: %s\n", newFailure(name, err).Message)
		}
	}
	if failed {
		return nil, errReported
	}
	return set, nil
}

// maxInputRead is what is read of an input: what is parsed, and a byte more to
// tell that it is too long.
const maxInputRead = 8 << 20

// inputFiles returns the files named, and all those in folders named, in order.
func inputFiles(names []string) ([]string, error) {
	var out []string
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", printable(name), cause(err))
		}
		if !info.IsDir() {
			out = append(out, name)
			continue
		}
		err = filepath.WalkDir(name, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Type().IsRegular() {
				out = append(out, path)
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", printable(name), err)
		}
	}
	return out, nil
}
