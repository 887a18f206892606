package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/targeting/selection"
)

type selectOptions struct {
	model        string
	corpus       []string
	base         string
	diff         string
	root         string
	observations []string
	history      string
	cache        string

	goal      string
	maxAge    int
	rules     selection.Rules
	selection selection.Options

	mode, format, onError  string
	rest, jsonOut, summary string
	explain                bool

	minimize    bool
	generate    int
	generateDir string
	learn, of   string
	report      bool
	workers     int

	stdin          io.Reader
	stdout, stderr io.Writer
}

// harmless are files that no program reads.
func harmless() []string {
	return []string{"*.md", "*.rst", "*.adoc", "LICENSE*", "CODEOWNERS", ".gitignore", ".gitattributes", ".editorconfig"}
}

func newSelectCommand() *cobra.Command {
	opt := &selectOptions{selection: selection.Defaults()}
	cmd := &cobra.Command{
		Use:   "select --model MODEL --corpus DIR --base REV [flags]",
		Short: "Choose the inputs of a corpus that a change calls for",
		Long: `Choose the inputs of a corpus that a change calls for.

The change is what git says since the base, or a unified diff against the commit
that the model was trained at. Its lines are mapped to methods, and the model
tells which inputs reach them. Beside these, inputs are chosen that the change
adds or edits, that failed lately, that --always names, and a few at random that
show what is missed.

Everything is chosen when it is not sure what a change affects: there is no
model, or a stale one, lines changed that are in no method, a method is new or
was never observed or is predicted badly, the clone is shallow, or anything goes
wrong; unless --on-error fail, the exit status is 0 then.

Paths are printed in the order to run them in: first one input of each kind.`,
		Example: `  inroad select --model p.model --corpus testdata --base origin/main | xargs -d '\n' ./run-inputs
  inroad select --model p.model --corpus testdata --base origin/main --budget 5m --format paths0 --rest rest.txt
  inroad select --model p.model --corpus testdata --minimize
  inroad select --learn results.ndjson --selection select.json --history history.json`,
		Args:                  cobra.NoArgs,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			opt.stdin, opt.stdout, opt.stderr = cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
			if flags := cmd.Flags(); !flags.Changed("goal") && (flags.Changed("budget") || flags.Changed("max")) {
				opt.goal = "recall=1" // as far as there is room
			}
			return opt.run(cmd.Context())
		},
	}
	opt.bind(cmd)
	return cmd
}

func (opt *selectOptions) bind(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&opt.model, "model", "", "the `FILE` of the model; if it is not there, everything is chosen")
	flags.StringArrayVar(&opt.corpus, "corpus", nil, "a `DIR` of inputs, or one input; may be given again")
	flags.StringVar(&opt.base, "base", "", "the `REV` that the change begins at, such as origin/main")
	flags.StringVar(&opt.diff, "diff", "", "a unified diff against the model's commit in a `FILE`, - for standard input, instead of --base")
	flags.StringVar(&opt.root, "root", ".", "the `DIR` in the repository that the paths of methods begin in")
	flags.StringArrayVar(&opt.observations, "observations", nil, "a `FILE` of what inputs reached, and how long they took; may be given again")
	flags.StringVar(&opt.history, "history", "", "the `FILE` with results of selections before")
	flags.StringVar(&opt.cache, "cache", "", "a `FILE` to keep predictions in")

	flags.StringVar(&opt.goal, "goal", "recall=0.95", "how many to choose: `recall=SHARE` of the inputs that reach a changed method")
	flags.DurationVar(&opt.selection.Goal.Budget, "budget", 0, "how long all inputs may take together")
	flags.IntVar(&opt.selection.Goal.Max, "max", 0, "no more than `N` inputs")
	flags.IntVar(&opt.selection.Goal.PerClass, "per-class", 0, "no more than `N` inputs of which the same is predicted")
	flags.StringSliceVar(&opt.selection.Always, "always", nil, "inputs that are always chosen, as `PATTERN`s of paths")
	flags.StringSliceVar(&opt.rules.FullOn, "full-on", nil, "files that affect everything, as `PATTERN`s of paths")
	flags.StringSliceVar(&opt.rules.Ignore, "ignore", nil, "files that affect nothing, as `PATTERN`s of paths, beside documents")
	flags.Float64Var(&opt.selection.Sample, "sample", opt.selection.Sample, "the `SHARE` of what is left out that is drawn nevertheless")
	flags.Float64Var(&opt.selection.MinRecall, "min-recall", opt.selection.MinRecall, "choose everything if a changed method was foreseen less often in training")
	flags.IntVar(&opt.maxAge, "max-age", 100, "choose everything if the model is more than `N` commits older than the base")
	flags.Uint64Var(&opt.selection.Seed, "seed", opt.selection.Seed, "what is drawn is drawn from this; 0 draws one")
	flags.IntVar(&opt.workers, "workers", runtime.GOMAXPROCS(0), "how many work at the same time")

	flags.StringVar(&opt.mode, "mode", "enforce", "enforce, observe (print all, report what would be chosen) or prioritize (print all, the chosen first)")
	flags.StringVar(&opt.format, "format", "paths", "paths (a line each), paths0 (each ended by a NUL), json, or github (for $GITHUB_OUTPUT)")
	flags.StringVar(&opt.onError, "on-error", "all", "what to do about errors: all chooses everything, fail fails")
	flags.StringVar(&opt.rest, "rest", "", "a `FILE` for the paths that are left out")
	flags.StringVar(&opt.jsonOut, "json-out", "", "a `FILE` for the report, as --format json prints it")
	flags.StringVar(&opt.summary, "summary", "", "a `FILE` to add a summary in Markdown to, such as $GITHUB_STEP_SUMMARY")
	flags.BoolVar(&opt.explain, "explain", false, "say on standard error why each input is chosen")

	flags.BoolVar(&opt.minimize, "minimize", false, "choose a smallest part of the corpus that reaches the same methods, whatever changed")
	flags.IntVar(&opt.generate, "generate", 0, "make inputs for changed methods that fewer than `N` inputs reach")
	flags.StringVar(&opt.generateDir, "generate-dir", "", "the `DIR` to write them to")
	flags.StringVar(&opt.learn, "learn", "", "add results to the history: a `FILE` with an object {\"path\": ..., \"outcome\": ...} a line, - for standard input")
	flags.StringVar(&opt.of, "selection", "", "the report in `FILE` that the results are of")
	flags.BoolVar(&opt.report, "report", false, "show what the history says of recall and savings")
}

func (opt *selectOptions) validate() error {
	switch {
	case opt.report || opt.learn != "":
		return opt.validateHistory()
	case opt.model == "":
		return errors.New("no model: give --model FILE")
	case len(opt.corpus) == 0:
		return errors.New("no inputs: give --corpus DIR")
	case !opt.minimize && (opt.base == "") == (opt.diff == ""):
		return errors.New("no change: give --base REV or --diff FILE")
	case !slices.Contains([]string{"enforce", "observe", "prioritize"}, opt.mode):
		return fmt.Errorf("--mode %s: it is enforce, observe or prioritize", opt.mode)
	case !slices.Contains([]string{"paths", "paths0", "json", "github"}, opt.format):
		return fmt.Errorf("--format %s: it is paths, paths0, json or github", opt.format)
	case opt.onError != "all" && opt.onError != "fail":
		return fmt.Errorf("--on-error %s: it is all or fail", opt.onError)
	case opt.selection.Goal.Budget < 0:
		return fmt.Errorf("--budget %v: it is not negative", opt.selection.Goal.Budget)
	case opt.selection.Goal.Max < 0 || opt.selection.Goal.PerClass < 0 || opt.generate < 0 || opt.maxAge < 0:
		return errors.New("--max, --per-class, --generate and --max-age are not negative")
	case !(opt.selection.Sample >= 0 && opt.selection.Sample <= 1):
		return fmt.Errorf("--sample %v: it is from 0 to 1", opt.selection.Sample)
	case !(opt.selection.MinRecall >= 0 && opt.selection.MinRecall <= 1):
		return fmt.Errorf("--min-recall %v: it is from 0 to 1", opt.selection.MinRecall)
	case opt.workers < 1 || opt.workers > 1024:
		return fmt.Errorf("--workers %d: it is from 1 to 1024", opt.workers)
	case (opt.generate > 0) != (opt.generateDir != ""):
		return errors.New("--generate and --generate-dir: give both or none")
	}
	for flag, patterns := range map[string][]string{"always": opt.selection.Always, "full-on": opt.rules.FullOn, "ignore": opt.rules.Ignore} {
		if err := selection.CheckPatterns(patterns); err != nil {
			return fmt.Errorf("--%s: %w", flag, err)
		}
	}
	return opt.readGoal()
}

// readGoal reads what --goal says.
func (opt *selectOptions) readGoal() error {
	name, value, _ := strings.Cut(opt.goal, "=")
	share, err := strconv.ParseFloat(value, 64)
	if name != "recall" || err != nil || !(share > 0 && share <= 1) {
		return fmt.Errorf("--goal %s: it is recall= and a number above 0, up to 1", opt.goal)
	}
	opt.selection.Goal.Recall = share
	return nil
}

func (opt *selectOptions) run(ctx context.Context) error {
	if err := opt.validate(); err != nil {
		return err
	}
	switch {
	case opt.report:
		return opt.showHistory()
	case opt.learn != "":
		return opt.learnResults()
	}
	if opt.selection.Seed == 0 {
		opt.selection.Seed = rand.Uint64()
		fmt.Fprintf(opt.stderr, "inroad: seed %d\n", opt.selection.Seed)
	}
	opt.rules.Ignore = append(opt.rules.Ignore, harmless()...)
	names, err := inputFiles(opt.corpus)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return fmt.Errorf("--corpus %s: there is no file in it", printable(strings.Join(opt.corpus, ", ")))
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if opt.minimize {
		return opt.runMinimize(ctx, names)
	}
	found, err := opt.choose(ctx, names)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		if opt.onError == "fail" {
			return err
		}
		found = opt.everything(names, err)
	}
	return opt.write(found)
}

// A found is a selection, and what belongs to it.
type found struct {
	*selection.Selection
	model   *model.Model // nil if there is none
	base    string
	ignored []string
}

func (f *found) unitID(unit int) string { return f.model.Units[unit].ID }

func (f *found) reported() *selection.Report {
	r := f.Report(f.unitID)
	r.Base, r.Ignored = f.base, f.ignored
	if f.model != nil {
		r.Model = f.model.Digest
	}
	return r
}

// everything is the selection if there is an error.
func (opt *selectOptions) everything(names []string, err error) *found {
	change := selection.Change{Fallbacks: []selection.Fallback{{Cause: selection.Trouble, Detail: err.Error()}}}
	return &found{Selection: selection.Choose(nil, opt.unread(names), nil, change, opt.selection), base: opt.base}
}

// unread returns inputs of which nothing is known but their paths, and what can
// be had without a model.
func (opt *selectOptions) unread(names []string) []selection.Input {
	out := make([]selection.Input, len(names))
	for i, name := range names {
		out[i].Path = filepath.ToSlash(name)
		if text, err := readFile(name, model.MaxInput); err == nil {
			out[i].Digest, out[i].Size = selection.DigestOf(text), len(text)
		}
	}
	return out
}

func (opt *selectOptions) choose(ctx context.Context, names []string) (*found, error) {
	if err := opt.readPast(); err != nil {
		return nil, err
	}
	m, err := readModel(opt.model)
	if errors.Is(err, os.ErrNotExist) {
		return opt.withoutModel(ctx, names)
	}
	if err != nil {
		return nil, err
	}
	noteApproximate(opt.stderr, m.Grammar)
	change, err := opt.change(ctx, m, names)
	if err != nil {
		return nil, err
	}
	p, err := opt.predict(ctx, m, names)
	if err != nil {
		return nil, err
	}
	s := selection.Choose(m, p.Inputs, p, change, opt.selection)
	if opt.generate > 0 {
		if err := opt.makeInputs(ctx, m, p, s); err != nil {
			return nil, err
		}
	}
	return &found{s, m, opt.base, change.Ignored}, nil
}

// withoutModel chooses everything; what changed still tells what is new.
func (opt *selectOptions) withoutModel(ctx context.Context, names []string) (*found, error) {
	change := selection.Change{Fallbacks: []selection.Fallback{fallback(selection.NoModel, "there is no %s", opt.model)}}
	if opt.diff == "" {
		r, err := openRepository(ctx)
		if err != nil {
			return nil, err
		}
		c, err := r.readChange(ctx, opt.base, "", opt.maxAge)
		if err != nil {
			return nil, err
		}
		opt.markInputs(names, r.pathOf, c.files, c.untracked)
	}
	return &found{Selection: selection.Choose(nil, opt.unread(names), nil, change, opt.selection), base: opt.base}, nil
}

// change finds out which methods changed, and which inputs.
func (opt *selectOptions) change(ctx context.Context, m *model.Model, names []string) (selection.Change, error) {
	table := selection.NewTable(m.Units, filepath.ToSlash(opt.root))
	if opt.diff != "" {
		files, err := opt.readDiff()
		if err != nil {
			return selection.Change{}, err
		}
		isInput := opt.markInputs(names, filepath.ToSlash, files, nil)
		return table.Change(files, opt.rules, isInput), nil
	}
	r, err := openRepository(ctx)
	if err != nil {
		return selection.Change{}, err
	}
	if m.Commit == "" {
		return selection.Change{Fallbacks: []selection.Fallback{fallback(selection.StaleModel, "it does not tell the commit that it was trained at")}}, nil
	}
	c, err := r.readChange(ctx, opt.base, m.Commit, opt.maxAge)
	if err != nil {
		return selection.Change{}, err
	}
	isInput := opt.markInputs(names, r.pathOf, c.files, c.untracked)
	for _, name := range c.untracked {
		if table.Source(name) && !isInput(name) { // other files may be what a build left
			c.files = append(c.files, selection.FileChange{New: name})
		}
	}
	change := table.Change(c.files, opt.rules, isInput)
	change.Fallbacks = append(c.fallbacks, change.Fallbacks...)
	return change, nil
}

func (opt *selectOptions) readDiff() ([]selection.FileChange, error) {
	in := opt.stdin
	if opt.diff != "-" {
		file, err := os.Open(opt.diff)
		if err != nil {
			return nil, fmt.Errorf("--diff %s: %w", printable(opt.diff), cause(err))
		}
		defer func() { _ = file.Close() }() // it was only read
		in = file
	}
	files, err := selection.ReadDiff(in)
	if err != nil {
		return nil, fmt.Errorf("--diff %s: %w", inputName(opt.diff), err)
	}
	return files, nil
}

// markInputs notes which inputs are new or changed, and tells which files of the
// repository are inputs. One that is gone is known by the folder it was in.
func (opt *selectOptions) markInputs(names []string, pathOf func(string) string, files []selection.FileChange, untracked []string) func(string) bool {
	inputs := map[string]string{}
	for _, name := range names {
		inputs[pathOf(name)] = filepath.ToSlash(name)
	}
	opt.selection.Changed = map[string]bool{}
	for _, f := range files {
		if name, ok := inputs[f.New]; ok {
			opt.selection.Changed[name] = f.Old == ""
		}
	}
	for _, name := range untracked {
		if name, ok := inputs[name]; ok {
			opt.selection.Changed[name] = true
		}
	}
	var folders []string
	for _, name := range opt.corpus {
		folders = append(folders, pathOf(filepath.Clean(name))+"/")
	}
	return func(name string) bool {
		return slices.ContainsFunc(folders, func(f string) bool { return strings.HasPrefix(name, f) || name+"/" == f || f == "./" })
	}
}

// readPast reads the history: how long inputs take, and which failed.
func (opt *selectOptions) readPast() error {
	if opt.history == "" {
		return nil
	}
	h, err := readHistory(opt.history)
	if err != nil {
		return err
	}
	opt.selection.Failed = h.Failed()
	opt.selection.Costs = selection.LearnCosts(h.Timings())
	return nil
}

// predict asks the model about the corpus.
func (opt *selectOptions) predict(ctx context.Context, m *model.Model, names []string) (*selection.Predictions, error) {
	observed, timings, err := opt.readObservations(m)
	if err != nil {
		return nil, err
	}
	if opt.selection.Costs == nil || opt.selection.Costs.Assumed {
		opt.selection.Costs = selection.LearnCosts(timings)
	}
	if opt.selection.Goal.Budget > 0 && opt.selection.Costs.Assumed {
		fmt.Fprintf(opt.stderr, "inroad: note: it is not known how long inputs take; each counts as %v\n", opt.selection.Costs.Of(selection.Input{}))
	}
	cache, err := opt.openCache(m)
	if err != nil {
		return nil, err
	}
	bar := newProgress(opt.stderr, "predicted", len(names))
	defer bar.end()
	source := selection.Source{Read: func(name string) ([]byte, error) {
		text, err := readFile(name, model.MaxInput)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", printable(name), cause(err))
		}
		return text, nil
	}}
	for _, name := range names {
		source.Paths = append(source.Paths, filepath.ToSlash(name))
	}
	p, err := selection.Predict(ctx, m, source, selection.PredictOptions{Cache: cache, Observed: observed, Workers: opt.workers, Progress: bar.set})
	if err != nil {
		return nil, err
	}
	if cache != nil && cache.Changed() {
		return p, writeWhole(opt.cache, cache.Write)
	}
	return p, nil
}

// openCache reads the cache. One that is of another model begins anew.
func (opt *selectOptions) openCache(m *model.Model) (*selection.Cache, error) {
	if opt.cache == "" {
		return nil, nil //nolint:nilnil // no cache is a cache that keeps nothing
	}
	file, err := os.Open(opt.cache)
	if errors.Is(err, os.ErrNotExist) {
		return selection.NewCache(m.Digest, len(m.Units)), nil
	}
	if err != nil {
		return nil, fmt.Errorf("--cache %s: %w", printable(opt.cache), cause(err))
	}
	defer func() { _ = file.Close() }() // it was only read
	cache, err := selection.ReadCache(file, m.Digest, len(m.Units))
	if errors.Is(err, selection.ErrCache) {
		return selection.NewCache(m.Digest, len(m.Units)), nil
	}
	return cache, err
}

// readObservations reads what inputs reached, as far as it is of the model's
// commit, and how long they took.
func (opt *selectOptions) readObservations(m *model.Model) (map[selection.Digest]selection.Observation, map[selection.Digest]selection.Timing, error) {
	units := map[string]int{}
	for i, u := range m.Units {
		units[u.ID] = i
	}
	observed, timings := map[selection.Digest]selection.Observation{}, map[selection.Digest]selection.Timing{}
	for _, name := range opt.observations {
		reader := observationReader{stdin: opt.stdin, stderr: opt.stderr}
		var all []model.Observation
		var header model.Header
		take := func(o []model.Observation) error { all = append(all, o...); return nil }
		if err := reader.read([]string{name}, func(h model.Header) { header = h }, take); err != nil {
			return nil, nil, err
		}
		for _, o := range all {
			d := selection.DigestOf(o.Input)
			if o.Duration > 0 {
				timings[d] = selection.Timing{Size: len(o.Input), Duration: max(o.Duration, timings[d].Duration)}
			}
			if o.Methods != nil && header.Commit == m.Commit {
				reached := observed[d].Units
				for _, id := range o.Methods {
					if u, ok := units[id]; ok {
						reached = append(reached, u)
					}
				}
				observed[d] = selection.Observation{Units: reached}
			}
		}
		if header.Commit != m.Commit {
			fmt.Fprintf(opt.stderr, "inroad: note: %s is of another commit than the model; only its durations count\n", inputName(name))
		}
	}
	return observed, timings, nil
}

// runMinimize prints a smallest corpus.
func (opt *selectOptions) runMinimize(ctx context.Context, names []string) error {
	if err := opt.readPast(); err != nil {
		return err
	}
	m, err := readModel(opt.model)
	if err != nil {
		return err
	}
	noteApproximate(opt.stderr, m.Grammar)
	p, err := opt.predict(ctx, m, names)
	if err != nil {
		return err
	}
	kept := selection.Minimize(p, opt.selection.Costs)
	s := &selection.Selection{Inputs: p.Inputs, Recall: 1}
	costs := opt.selection.Costs
	in := map[int]bool{}
	for _, i := range kept {
		in[i] = true
		s.Chosen = append(s.Chosen, selection.Choice{Input: i, Cost: costs.Of(p.Inputs[i]), Reasons: []selection.Reason{{Kind: selection.Needed}}})
	}
	for i, input := range p.Inputs {
		s.Total += costs.Of(input)
		if in[i] {
			s.Cost += costs.Of(input)
		} else {
			s.Rest = append(s.Rest, i)
		}
	}
	return opt.write(&found{Selection: s, model: m})
}

// shortDuration writes a duration for people.
func shortDuration(d time.Duration) string {
	switch {
	case d >= time.Minute:
		return d.Round(time.Second).String()
	case d >= time.Second:
		return d.Round(100 * time.Millisecond).String()
	case d >= time.Millisecond:
		return d.Round(time.Millisecond).String()
	}
	return d.Round(time.Microsecond).String()
}
