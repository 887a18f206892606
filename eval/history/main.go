// Command history measures inroad select on real commits: for consecutive commits
// of libraries that change code, it selects inputs with models of different ages,
// and compares the selection with the inputs that the commit affects and those
// whose output changes.
//
// It needs a folder with git checkouts of the libraries, and a file libraries.json
// that describes them. The README of this module says how.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// options are the flags.
type options struct {
	repos   string
	work    string
	inroad  string // executable
	version string // digest of the executable
	commits int
	inputs  int
	ages    []int
	seed    uint64
	beside  bool
	blocks  bool
	flags   []string // of inroad select
	list    bool
	report  bool // print the results so far
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var opt options
	var names, ages, flags, out string
	flag.StringVar(&opt.repos, "repos", "", "`folder` with libraries.json and a checkout of each library")
	flag.StringVar(&names, "library", "", "comma-separated `names` of libraries; all if absent")
	flag.IntVar(&opt.commits, "commits", 15, "`number` of commits of each library that change code")
	flag.StringVar(&ages, "ages", "0,1,10,50", "comma-separated `ages` of models, in commits before the parent")
	flag.IntVar(&opt.inputs, "inputs", 1000, "`number` of inputs of a corpus")
	flag.Uint64Var(&opt.seed, "seed", 1, "seed of the inputs")
	flag.StringVar(&opt.inroad, "inroad", "", "inroad `executable`; built from this repository if absent")
	flag.StringVar(&flags, "select", "", "further `flags` of inroad select, separated by spaces")
	flag.BoolVar(&opt.beside, "beside", false, "give inroad select the observations of the corpus beside the model that learned from them")
	flag.BoolVar(&opt.blocks, "blocks", false, "observe blocks in addition to methods")
	flag.StringVar(&opt.work, "work", "", "`folder` for what is kept between runs; history in REPOS if absent")
	flag.StringVar(&out, "out", "", "Markdown `file` to write; standard output if absent")
	flag.BoolVar(&opt.list, "list", false, "list the selections that miss inputs or run everything")
	flag.BoolVar(&opt.report, "report", false, "report the results that are kept, and measure nothing")
	flag.Parse()
	opt.flags = strings.Fields(flags)
	err := opt.parseAges(ages)
	if err == nil {
		err = run(ctx, opt, strings.FieldsFunc(names, func(c rune) bool { return c == ',' }), out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "history:", err)
		os.Exit(1)
	}
}

func (o *options) parseAges(text string) error {
	for field := range strings.SplitSeq(text, ",") {
		age, err := strconv.Atoi(field)
		if err != nil || age < 0 {
			return fmt.Errorf("-ages %s: must be numbers of commits, from 0", text)
		}
		o.ages = append(o.ages, age)
	}
	return nil
}

func run(ctx context.Context, opt options, names []string, out string) error {
	if opt.repos == "" {
		return errors.New("-repos is required")
	}
	var err error
	if opt.repos, err = filepath.Abs(opt.repos); err != nil {
		return err
	}
	if opt.work == "" {
		opt.work = filepath.Join(opt.repos, "history")
	}
	if opt.work, err = filepath.Abs(opt.work); err != nil {
		return err
	}
	libraries, err := readLibraries(opt.repos, names)
	if err != nil {
		return err
	}
	if err := opt.prepare(ctx); err != nil {
		return err
	}
	var results []result
	for _, l := range libraries {
		kept, err := studyLibrary(ctx, l, opt)
		if err != nil {
			return fmt.Errorf("%s: %w", l.Name, err)
		}
		results = append(results, kept...)
	}
	var report bytes.Buffer
	writeReport(&report, libraries, results, opt.list)
	if out == "" {
		_, err = os.Stdout.Write(report.Bytes())
		return err
	}
	return os.WriteFile(out, report.Bytes(), 0o644) //nolint:gosec // a report is for everybody
}

// prepare builds inroad, if necessary, and takes its digest: results of different
// versions are kept apart.
func (o *options) prepare(ctx context.Context) error {
	if err := os.MkdirAll(o.work, 0o700); err != nil {
		return err
	}
	if o.inroad == "" {
		o.inroad = filepath.Join(o.work, "inroad")
		cmd := exec.CommandContext(ctx, "go", "build", "-o", o.inroad, "github.com/inroad/inroad/cmd/inroad")
		if text, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("go build: %w: %s", err, text)
		}
	}
	path, err := filepath.Abs(o.inroad)
	if err != nil {
		return err
	}
	o.inroad = path
	text, err := os.ReadFile(path)
	o.version = fmt.Sprintf("%x", sha256.Sum256(text))[:12]
	return err
}

// studyLibrary measures the selections of a library that are not in its file of
// results yet, and returns all.
func studyLibrary(ctx context.Context, l library, opt options) (_ []result, err error) {
	b, err := newBench(ctx, l, opt)
	if err != nil {
		return nil, err
	}
	setting := sha256.Sum256(fmt.Appendf(nil, "%t %q", opt.beside, opt.flags))
	name := filepath.Join(b.dir, fmt.Sprintf("results-%s-%x.ndjson", opt.version, setting[:4]))
	results, err := readResults(name)
	if err != nil {
		return nil, err
	}
	t, err := b.clone.timeline(ctx, b.At, b.Sources)
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	built := 0
	var out []result
	for _, s := range t.steps(3 * opt.commits) { // some may not build
		if !opt.report {
			results, err = b.study(ctx, t, s, results, file)
			if err != nil {
				return nil, fmt.Errorf("commit %.8s: %w", s.Commit, err)
			}
		}
		of := resultsOf(results, s.Commit, opt.ages)
		out = append(out, of...)
		if slices.ContainsFunc(of, func(r result) bool { return r.Failed == "" }) {
			built++
		}
		if !opt.report {
			fmt.Fprintf(os.Stderr, "%s: commit %d of %d (%.8s)%s\n", l.Name, built, opt.commits, s.Commit, b.times())
		}
		if built == opt.commits {
			break
		}
	}
	return out, nil
}

// resultsOf returns the results of a commit with models of some ages.
func resultsOf(results []result, commit string, ages []int) []result {
	var out []result
	for _, r := range results {
		if r.Commit == commit && slices.Contains(ages, r.Age) {
			out = append(out, r)
		}
	}
	return out
}

// same reports whether two results are of the same selection.
func (r *result) same(other result) bool {
	return r.Commit == other.Commit && r.Age == other.Age && r.Variant == other.Variant
}

// times returns the processor time that commands took so far.
func (b *bench) times() string {
	var out strings.Builder
	for _, what := range []string{"observe", "train", "select"} {
		fmt.Fprintf(&out, ", %s %s", what, b.spent[what].Round(100*time.Millisecond))
	}
	return out.String()
}

// readResults reads the results of earlier runs. An incomplete last line of an
// interrupted run is removed.
func readResults(name string) ([]result, error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	complete := text[:bytes.LastIndexByte(text, '\n')+1]
	if len(complete) < len(text) {
		if err := os.Truncate(name, int64(len(complete))); err != nil {
			return nil, err
		}
	}
	var out []result
	for line := range bytes.Lines(complete) {
		var one result
		if err := json.Unmarshal(line, &one); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, one)
	}
	return out, nil
}
