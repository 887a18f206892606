package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

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

	mode, format, onError string
	rest, jsonOut         string
	summary, outputs      string
	explain               bool

	minimize    bool
	generate    int
	generateDir string
	learn, of   string
	report      bool
	workers     int

	server serverOptions
	client *client // nil if no service is asked

	stdin          io.Reader
	stdout, stderr io.Writer
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
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			opt.stdin, opt.stdout, opt.stderr = cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
			if opt.client, err = opt.server.connect(cmd, "generate", "generate-dir"); err != nil {
				return err
			}
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
	flags.StringVar(&opt.model, "model", "", "the `FILE` of the model, or its name at the service; if it is not there, everything is chosen")
	flags.StringArrayVar(&opt.corpus, "corpus", nil, "a `DIR` of inputs, or one input; may be given again")
	flags.StringVar(&opt.base, "base", "", "the `REV` that the change begins at, such as origin/main")
	flags.StringVar(&opt.diff, "diff", "", "a unified diff against the model's commit in a `FILE`, - for standard input, instead of --base")
	flags.StringVar(&opt.root, "root", ".", "the `DIR` in the repository that the paths of methods begin in")
	flags.StringArrayVar(&opt.observations, "observations", nil, "a `FILE` of what inputs reached, and how long they took; may be given again")
	flags.StringVar(&opt.history, "history", "", "the `FILE` with results of selections before")
	flags.StringVar(&opt.cache, "cache", "", "a `FILE` to keep predictions in; a service needs none")

	flags.StringVar(&opt.goal, "goal", "recall=0.95", "how many to choose: `recall=SHARE` of the inputs that reach a changed method")
	flags.DurationVar(&opt.selection.Goal.Budget, "budget", 0, "how long all inputs may take together")
	flags.IntVar(&opt.selection.Goal.Max, "max", 0, "no more than `N` inputs")
	flags.IntVar(&opt.selection.Goal.PerClass, "per-class", 0, "no more than `N` inputs of which the same is predicted")
	flags.StringSliceVar(&opt.selection.Always, "always", nil, "inputs that are always chosen, as `PATTERN`s of paths")
	flags.StringSliceVar(&opt.rules.RunAllOn, "full-on", nil, "files that affect everything, as `PATTERN`s of paths")
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
	flags.StringVar(&opt.outputs, "github-output", "", "a `FILE` to add what --format github prints to, but for the paths, such as $GITHUB_OUTPUT")
	flags.BoolVar(&opt.explain, "explain", false, "say on standard error why each input is chosen")

	flags.BoolVar(&opt.minimize, "minimize", false, "choose a smallest part of the corpus that reaches the same methods, whatever changed")
	flags.IntVar(&opt.generate, "generate", 0, "make inputs for changed methods that fewer than `N` inputs reach")
	flags.StringVar(&opt.generateDir, "generate-dir", "", "the `DIR` to write them to")
	flags.StringVar(&opt.learn, "learn", "", "add results to the history: a `FILE` with an object {\"path\": ..., \"outcome\": ...} a line, - for standard input")
	flags.StringVar(&opt.of, "selection", "", "the report in `FILE` that the results are of")
	flags.BoolVar(&opt.report, "report", false, "show what the history says of recall and savings")
	choices(flags, "mode", "enforce", "observe", "prioritize")
	choices(flags, "format", "paths", "paths0", "json", "github")
	choices(flags, "on-error", "all", "fail")
	opt.server.bind(flags)
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
	for _, f := range []struct {
		name     string
		patterns []string
	}{{"always", opt.selection.Always}, {"full-on", opt.rules.RunAllOn}, {"ignore", opt.rules.Ignore}} {
		if err := selection.CheckPatterns(f.patterns); err != nil {
			return fmt.Errorf("--%s: %w", f.name, err)
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
	opt.rules.Ignore = append(opt.rules.Ignore, selection.DefaultIgnore()...)
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
		found = opt.everything(names, trouble(err))
	}
	return opt.write(found)
}

// runMinimize prints a smallest corpus.
func (opt *selectOptions) runMinimize(ctx context.Context, names []string) error {
	if err := opt.readPast(); err != nil {
		return err
	}
	if opt.client != nil {
		found, err := opt.client.minimize(ctx, opt, names)
		if err != nil {
			return err
		}
		return opt.write(found)
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
	return opt.write(opt.newFound(selection.Minimize(p, opt.selection.Costs), m, nil))
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
