package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/dtree"
	"github.com/inroad/inroad/model/golearn"
	"github.com/inroad/inroad/model/observation"
)

type trainOptions struct {
	grammar      string
	start        string
	observations []string
	out          string
	from         string
	features     string
	balance      string
	learner      string
	format       string
	trivia       bool
	outcome      bool
	strict       bool
	server       serverOptions
	client       *client // nil if no service is asked
	model.Options

	stdin          io.Reader
	stdout, stderr io.Writer
}

func newTrainCommand() *cobra.Command {
	opt := &trainOptions{Options: model.Defaults()}
	cmd := &cobra.Command{
		Use:   "train --grammar NAME|FILE.g4[,FILE.g4...] --observations FILE --out MODEL [flags]",
		Short: "Learn from observations which methods an input reaches",
		Long: `Learn from observations which methods an input reaches.

For each method a decision tree is learned. It tests which features an input
has: paths of the grammar and, beyond paths, the families that --features names:

` + featureFamilies() + `
Lines that are no observations are reported and left out; with --strict they
end the command. How good the model is, is told from observations that were
held out. The same observations, options and seed give the same bytes.

A service keeps the observations that it is sent, and learns from all that it
has of the program at their commit. The model stays there, and is written to
--out if that is given.`,
		Example: `  inroad train --grammar json --observations seen.ndjson --out json.model
  inroad train --grammar json --observations seen.ndjson --observations more.ndjson --from json.model --out new.model`,
		Args:                  cobra.NoArgs,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			opt.stdin, opt.stdout, opt.stderr = cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
			if opt.client, err = opt.server.connect(cmd, "from", "learner"); err != nil {
				return err
			}
			if opt.learner == "golearn" && !cmd.Flags().Changed("balance") {
				opt.balance = "none" // it has no weights
			}
			return opt.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&opt.grammar, "grammar", "", "a bundled grammar's `NAME`, or grammar files joined by commas")
	flags.StringVar(&opt.start, "start", "", "the parser `RULE` to begin with (default the first)")
	flags.StringArrayVar(&opt.observations, "observations", nil, "a `FILE` of observations, - for standard input; may be given again")
	flags.StringVar(&opt.out, "out", "", "the `FILE` to write the model to")
	flags.StringVar(&opt.from, "from", "", "a `MODEL` whose trees are taken over where they would come out the same")
	flags.IntVar(&opt.K, "k", opt.K, "the `LENGTH` of the longest paths")
	flags.StringVar(&opt.features, "features", "all", "the `FAMILIES` of features beyond paths to test, joined by commas, or all or none")
	flags.BoolVar(&opt.trivia, "trivia", true, "paths of white space and comments count")
	flags.BoolVar(&opt.outcome, "outcome", true, "methods are learned given how the run ends")
	flags.Float64Var(&opt.Margin, "margin", opt.Margin, "by how `MUCH` what is beyond paths must be better to be asked for")
	flags.IntVar(&opt.MaxDepth, "max-depth", opt.MaxDepth, "questions below each other in a tree")
	flags.IntVar(&opt.MinLeaf, "min-leaf", opt.MinLeaf, "observations in a leaf of a tree; 0 for 2, but 1 for rare methods")
	flags.StringVar(&opt.balance, "balance", "sqrt", "what to do about rare methods: "+strings.Join(balances(), ", ")+"; for golearn none unless given")
	flags.StringVar(&opt.learner, "learner", "native", "who grows the trees: native or golearn")
	flags.IntVar(&opt.Folds, "folds", opt.Folds, "parts to hold out in turn; 1 for none")
	flags.IntVar(&opt.Inputs, "keep-inputs", opt.Inputs, "how many inputs the model keeps, to be compared with others")
	flags.Uint64Var(&opt.Seed, "seed", opt.Seed, "what is drawn is drawn from this")
	flags.IntVar(&opt.Workers, "workers", runtime.GOMAXPROCS(0), "how many work at the same time")
	flags.StringVar(&opt.format, "format", "text", "how to report: text or json")
	choices(flags, "balance", balances()...)
	choices(flags, "learner", "native", "golearn")
	choices(flags, "format", "text", "json")
	flags.BoolVar(&opt.strict, "strict", false, "refuse files with lines that are no observations")
	opt.server.bind(flags)
	return cmd
}

// featureFamilies lists the families of features beyond paths, one on a line.
func featureFamilies() string {
	var out strings.Builder
	for _, f := range features.Families() {
		fmt.Fprintf(&out, "  %-8s  %s\n", f.Name, f.Description)
	}
	return out.String()
}

func balances() []string { return []string{"none", "sqrt", "subsample"} }

func (opt *trainOptions) validate() error {
	switch {
	case len(opt.observations) == 0:
		return errors.New("no observations: give --observations FILE")
	case opt.out == "" && opt.client == nil:
		return errors.New("nowhere to write the model to: give --out FILE")
	case opt.learner == "golearn" && opt.balance == "sqrt":
		return fmt.Errorf("--balance sqrt: %w", golearn.ErrBalance)
	case opt.learner == "golearn" && !golearn.Available && opt.client == nil:
		return fmt.Errorf("--learner golearn: %w", golearn.ErrNotBuilt)
	case opt.Workers < 1 || opt.Workers > 1024:
		return fmt.Errorf("--workers %d: it is from 1 to 1024", opt.Workers)
	}
	opt.Balance = dtree.Balance(slices.Index(balances(), opt.balance))
	opt.Trivia, opt.Outcome = opt.trivia, opt.outcome
	if opt.learner == "golearn" {
		opt.Learner = model.Learner{Name: "golearn", New: func(t *dtree.Table, rows []int32, opt dtree.Options) model.TreeLearner {
			return golearn.New(t, rows, opt)
		}}
	}
	var err error
	if opt.Extras, err = features.KindsNamed(strings.Split(opt.features, ",")...); err != nil {
		return fmt.Errorf("--features %s: %w", opt.features, err)
	}
	return nil
}

func (opt *trainOptions) run(ctx context.Context) error {
	if err := opt.validate(); err != nil {
		return err
	}
	if opt.client != nil {
		return opt.client.train(ctx, opt)
	}
	sources, err := grammarSources(opt.grammar)
	if err != nil {
		return err
	}
	g, err := grammars.Load(sources...)
	if err != nil {
		return err
	}
	start, err := startRule(g, opt.start)
	if err != nil {
		return err
	}
	noteApproximate(opt.stderr, g)
	bar := newProgress(opt.stderr, "trees", 0)
	opt.Progress = bar.setOf
	trainer, err := model.NewTrainer(start, sources, opt.Options)
	if bound, ok := errors.AsType[*model.OptionError](err); ok {
		return fmt.Errorf("--%w", bound)
	}
	if err != nil {
		return err
	}
	var before *model.Model
	if opt.from != "" {
		if before, err = readModel(opt.from); err != nil {
			return err
		}
	}
	reader := observationReader{stdin: opt.stdin, stderr: opt.stderr, strict: opt.strict}
	if err := opt.gather(ctx, trainer, &reader); err != nil {
		return err
	}
	m, err := trainer.Train(ctx, before)
	bar.end()
	if err != nil {
		return err
	}
	if err := writeModel(opt.out, m); err != nil {
		return err
	}
	return opt.report(m, opt.out, reader.wrong)
}

// gather gives the observations to a trainer.
func (opt *trainOptions) gather(ctx context.Context, trainer *model.Trainer, reader *observationReader) error {
	bar := newProgress(opt.stderr, "observations", 0)
	defer bar.end()
	return reader.read(opt.observations, trainer.AddHeader, func(o []observation.Observation) error {
		err := trainer.Add(ctx, o)
		bar.set(trainer.Stats().Observations)
		return err
	})
}

// A trainReport is what is told of a model that was trained.
type trainReport struct {
	Model        string         `json:"model"`
	Subject      string         `json:"subject"`
	Grammar      string         `json:"grammar"`
	Exact        bool           `json:"exact"`
	Observations reportGathered `json:"observations"`
	Methods      reportMethods  `json:"methods"`
	Outcomes     []string       `json:"outcomes"`
	Features     int            `json:"features"`
	HeldOut      *reportScores  `json:"held_out,omitempty"`
	Rare         *reportScores  `json:"rare,omitempty"`
}

type reportGathered struct {
	Given         int `json:"given"`
	Wrong         int `json:"wrong"`
	Duplicates    int `json:"duplicates"`
	Contradictory int `json:"contradictory"`
	Outside       int `json:"outside"`
	Unlabelled    int `json:"unlabelled"`
	Limited       int `json:"limited"`
	Used          int `json:"used"`
}

type reportMethods struct {
	All     int `json:"all"`
	Learned int `json:"learned"`
	Always  int `json:"always"`
	Never   int `json:"never"`
}

// report tells how good a model is that is kept under a name.
func (opt *trainOptions) report(m *model.Model, name string, wrong int) error {
	r := trainReport{
		Model: m.Digest, Subject: m.Subject, Grammar: m.Grammar.Name, Exact: m.Grammar.Exact(),
		Outcomes: append([]string{}, m.Outcomes...), Features: m.Columns,
	}
	g := m.Stats
	r.Observations = reportGathered{g.Observations, wrong, g.Duplicates, g.Contradictory, g.Outside, g.Unknown, g.Limited, m.Rows}
	e := m.HeldOutScores()
	for _, s := range e.Methods {
		r.Methods.All++
		switch {
		case s.Trainable():
			r.Methods.Learned++
		case s.Reached == 0:
			r.Methods.Never++
		default:
			r.Methods.Always++
		}
	}
	if all := e.Summarize(model.MethodScore.Trainable); all.Pooled.Total() > 0 {
		r.HeldOut = newReportScores(all)
	}
	if rare := e.Summarize(model.MethodScore.Rare); rare.Pooled.Total() > 0 {
		r.Rare = newReportScores(rare)
	}
	out := bufio.NewWriter(opt.stdout)
	if opt.format == "json" {
		text, err := json.Marshal(r)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s\n", text)
		return out.Flush()
	}
	r.write(out, name)
	return out.Flush()
}

func (r *trainReport) write(w io.Writer, name string) {
	fmt.Fprintf(w, "%s: model %.12s of grammar %s\n", printable(name), r.Model, r.Grammar)
	o := r.Observations
	fmt.Fprintf(w, "%s, %d used", count(o.Given, "observation", "observations"), o.Used)
	for _, n := range []struct {
		n    int
		text string
	}{
		{o.Duplicates, "say nothing new"},
		{o.Contradictory, "contradict others"},
		{o.Outside, "of inputs outside the grammar"},
		{o.Unlabelled, "without methods"},
		{o.Limited, "of inputs that take too long"},
	} {
		if n.n > 0 {
			fmt.Fprintf(w, ", %d %s", n.n, n.text)
		}
	}
	m := r.Methods
	fmt.Fprintf(w, "\n%s: %d learned, %d always reached, %d never\n", count(m.All, "method", "methods"), m.Learned, m.Always, m.Never)
	if len(r.Outcomes) > 0 {
		fmt.Fprintf(w, "outcomes: %s\n", printable(strings.Join(r.Outcomes, ", ")))
	}
	if r.HeldOut != nil {
		fmt.Fprintln(w, "on held-out observations:")
		table := newScoreTable(w)
		table.row("learned methods", r.HeldOut)
		if r.Rare != nil {
			table.row("rare ones", r.Rare)
		}
		table.flush()
	}
}

// readModel reads a file of a model.
func readModel(name string) (*model.Model, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", printable(name), cause(err))
	}
	defer func() { _ = file.Close() }() // it was only read
	m, err := model.ReadModel(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", printable(name), cause(err))
	}
	return m, nil
}

// writeModel writes a model to a file. A regular file is written whole or not at all.
func writeModel(name string, m *model.Model) error {
	return writeWhole(name, m.Write)
}

// An observationReader reads files of observations.
type observationReader struct {
	stdin  io.Reader
	stderr io.Writer
	strict bool
	wrong  int // lines that are no observations
}

// Observations are handed over so many at once, and so many wrong lines are
// reported one by one.
const (
	observationsAtOnce = 512
	wrongLinesShown    = 10
)

// read hands over what the files say of the program, and the observations.
func (r *observationReader) read(names []string, describe func(observation.Header), take func([]observation.Observation) error) error {
	subject := ""
	for _, name := range names {
		in := r.stdin
		if name != "-" {
			file, err := os.Open(name)
			if err != nil {
				return fmt.Errorf("%s: %w", printable(name), cause(err))
			}
			defer func() { _ = file.Close() }() // it was only read
			in = file
		}
		header, err := r.readFrom(in, name, take)
		if err != nil {
			return err
		}
		if subject != "" && header.Subject != "" && header.Subject != subject {
			return otherSubject(name, header.Subject, subject)
		}
		subject = header.Subject
		describe(header)
	}
	r.sum()
	return nil
}

// leave tells of a line that is no observation.
func (r *observationReader) leave(name string, line int, why string) {
	if r.wrong++; r.wrong <= wrongLinesShown {
		fmt.Fprintf(r.stderr, "inroad: %s:%d: left out: %s\n", inputName(name), line, printable(why))
	}
}

// sum tells of the lines that were left out beside those that were named.
func (r *observationReader) sum() {
	if r.wrong > wrongLinesShown {
		fmt.Fprintf(r.stderr, "inroad: %d lines are no observations; the first %d are named above\n", r.wrong, wrongLinesShown)
	}
}

// otherSubject tells that a file is about another program than those before it.
func otherSubject(name, subject, before string) error {
	return fmt.Errorf("%s: it is about %s, and files before it about %s", inputName(name), printable(subject), printable(before))
}

func (r *observationReader) readFrom(in io.Reader, name string, take func([]observation.Observation) error) (observation.Header, error) {
	reader := observation.NewReader(in)
	var batch []observation.Observation
	for {
		o, err := reader.Next()
		line, wrong := errors.AsType[*observation.LineError](err)
		switch {
		case errors.Is(err, io.EOF):
			return reader.Header(), take(batch)
		case wrong && !r.strict:
			r.leave(name, line.Line, line.Err.Error())
			continue
		case wrong:
			return observation.Header{}, fmt.Errorf("%s:%d: %s", inputName(name), line.Line, printable(line.Err.Error()))
		case err != nil:
			return observation.Header{}, fmt.Errorf("%s: %w", inputName(name), cause(err))
		}
		if batch = append(batch, o); len(batch) == observationsAtOnce {
			if err := take(batch); err != nil {
				return observation.Header{}, err
			}
			batch = nil
		}
	}
}
