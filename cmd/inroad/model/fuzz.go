package model

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/outfile"
	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/model/gofuzz"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/model/observe"
	"github.com/inroad/inroad/targeting/campaign"
	"github.com/inroad/inroad/targeting/generate"
)

type fuzzCommand struct {
	grammar   string
	req       openapi.GenerateRequest // for the start rule, the seed and limits of inputs
	program   program
	corpus    []string
	algorithm string
	limits    runLimits
	end       fuzzLimits
	goals     goalFlags
	evolution evolutionFlags
	loop      loopFlags
	out       string
	failures  string
	export    fuzzExport
	reduce    bool
	format    string
	cli.Streams
}

// maxReduceRuns limits the runs to reduce the input of a failure.
const maxReduceRuns = 500

// fuzzLimits are the flags that end a campaign.
type fuzzLimits struct {
	N           int     `json:"n"`
	For         float64 `json:"for_ms"`
	Generations int     `json:"generations"`
	Patience    int     `json:"patience"`
}

// goalFlags are the goals of a campaign.
type goalFlags struct {
	Goal       string   `json:"goal"`
	Ignore     []string `json:"ignore"`
	Population int      `json:"population"`
	TrainOn    int      `json:"train_on"`
}

// evolutionFlags are the parameters of evogfuzz.
type evolutionFlags struct {
	Elitism        float64 `json:"elitism"`
	Tournaments    int     `json:"tournaments"`
	TournamentSize int     `json:"tournament_size"`
	Mutations      int     `json:"mutations"`
	Lambda         float64 `json:"lambda"`
	structure      string
	base           string
}

// loopFlags are the parameters of fdloop.
type loopFlags struct {
	Seeds        int     `json:"seeds"`
	Calibration  int     `json:"calibration"`
	MaxMappings  int     `json:"max_mappings"`
	MappingDepth int     `json:"mapping_depth"`
	Flipped      float64 `json:"flipped"`
}

// NewFuzz returns the command fuzz.
func NewFuzz() *cobra.Command {
	c := &fuzzCommand{}
	cmd := &cobra.Command{
		Use:   "fuzz --grammar NAME|FILE.g4[,FILE.g4...] --go PKG.FUNC|--c COMMAND|...|--exec COMMAND --out FILE.ndjson [flags]",
		Short: "Fuzz a program with inputs of a grammar, guided by what they do",
		Long: `Fuzz a program with inputs of a grammar, guided by what they do.

Programs are named and run as in inroad observe. Each generation of inputs is made
from what the inputs before did. Algorithms:

  guided    train a model on what was observed, aim at methods that are rarely
            reached, mutate the inputs that brought something new, choose the inputs
            that the model finds most promising, and do more of what succeeds
  random    inputs at random; they take alternatives that the inputs before seldom
            took
  common    inputs like those of the corpus
  uncommon  inputs unlike those of the corpus
  evogfuzz  learn the probabilities of choices from the inputs that fail or have the
            most complex structure, replace those of one rule by random ones, and
            generate the next generation
  fdloop    run a few inputs and mutants of them, keep the one that serves the goals
            best, learn the probabilities of choices from it, and make those of one
            rule equal

Goals of guided and fdloop are methods reached (coverage), distinct failures, long runs
(runtime) and pairs of an input's structure and a method (mappings). All of them count
alike, unless --goal names one, which counts ten times as much, or --ignore leaves some
out.

The corpus is what --corpus names, or else the samples of a bundled grammar.

A campaign ends after --n runs, after --for, by the rules of its algorithm, or when it
is interrupted. No input is run twice. At the end, the distinct failures are listed, as
inroad failures does. With --reduce, their inputs are reduced first, by up to 500 runs
each that are not recorded, and with --failures they are written to files.

Every run has a line in the output, which inroad train learns from. If the file exists,
the campaign continues: the same flags give the same inputs, and those that are in the
file are not run again. So a campaign that was killed loses nothing. --n counts all
runs of a campaign, and --for the time of this command.`,
		Example: `  inroad fuzz --grammar json --go encoding/json.Unmarshal --for 5m --out json.ndjson
  inroad fuzz --grammar my.g4 --corpus testdata --c '$CC fuzz.c $LIB_FUZZING_ENGINE -o $OUT/fuzz' --algorithm evogfuzz --out my.ndjson`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c.Streams = cli.StreamsOf(cmd)
			return c.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	cli.BindGrammar(flags, &c.grammar)
	cli.Bind(flags, &c.req, "start")
	cli.BindEnum(flags, &c.algorithm, "algorithm", "how inputs are made", algorithmNames()...)
	c.goals.bind(flags)
	cli.BindFiles(flags, &c.corpus, "corpus", "start from the inputs in `DIR|FILE`s")
	c.program.bind(flags)
	cli.BindEnum(flags, &c.program.units, "units", "observe methods only, or also the blocks in them", "method", "block")
	flags.StringVar(&c.out, "out", "", "`FILE` of observations to create or to continue")
	flags.BoolVar(&c.reduce, "reduce", false, "reduce the inputs of the distinct failures at the end")
	flags.StringVar(&c.failures, "failures", "", "write the inputs of the distinct failures to files in this `DIR`")
	flags.StringVar(&c.export.dir, "export", "", "write the inputs that brought something new to files in this `DIR`, as a corpus for other fuzzers")
	cli.BindEnum(flags, &c.export.layout, "layout", "layout of the files of --export: as they are, for AFL++ and libFuzzer, or as in testdata/fuzz of Go", "plain", "go")
	duration := cli.Between(1, 365*24*60*60*1000)
	duration.Type = "number"
	cli.BindFields(flags, &c.end,
		openapi.Field{Name: "n", Description: "Maximum number of runs (default no limit)", Schema: cli.Between(1, 1_000_000_000)},
		openapi.Field{Name: "for_ms", Description: "Time that the command may take (default no limit)", Schema: duration},
		openapi.Field{Name: "generations", Description: "evogfuzz, fdloop: maximum number of generations (default 100 and 50, no limit with --n or --for)", Schema: cli.Between(1, 1_000_000_000)},
		openapi.Field{Name: "patience", Description: "evogfuzz: end after this many generations without a new failure (default no limit)", Schema: cli.Between(1, 1_000_000_000)})
	cli.Bind(flags, &c.req, "seed", "max_nodes", "expansions")
	cli.SetDefault(flags, "max-nodes", "1000")
	c.evolution.bind(flags)
	c.loop.bind(flags)
	c.limits.bind(flags)
	flags.StringVar(&c.program.subject, "subject", "", "`NAME` of the program (default the name of the function)")
	flags.StringVar(&c.program.commit, "commit", "", "`VERSION` of the program (default the commit or the module's version)")
	cli.BindFormat(flags, &c.format, "text", "json")
	return cmd
}

// algorithmNames returns the names of the algorithms, the default first.
func algorithmNames() []string {
	var names []string
	for _, a := range campaign.Algorithms() {
		names = append(names, string(a))
	}
	return names
}

func (g *goalFlags) bind(flags *pflag.FlagSet) {
	var goals []string
	for _, goal := range campaign.Goals() {
		goals = append(goals, string(goal))
	}
	some := openapi.Schema{Type: "string", Enum: goals[1:]}
	cli.BindFields(flags, g,
		openapi.Field{Name: "goal", Description: "guided, fdloop: what counts most", Default: goals[0], Schema: openapi.Schema{Type: "string", Enum: goals}},
		openapi.Field{Name: "ignore", Description: "guided, fdloop: what does not count", Schema: openapi.Schema{Type: "array", Items: &some}},
		openapi.Field{Name: "population", Description: "guided, evogfuzz, fdloop: inputs that a generation generates (default 50, 100 and 5)", Schema: cli.Between(1, 1_000_000)},
		openapi.Field{Name: "train_on", Description: "guided: maximum number of ordinary observations to train on", Default: 2000, Schema: cli.Between(100, 1_000_000)})
}

func (g *goalFlags) ignored() []campaign.Goal {
	var out []campaign.Goal
	for _, name := range g.Ignore {
		out = append(out, campaign.Goal(name))
	}
	return out
}

func (l *loopFlags) bind(flags *pflag.FlagSet) {
	share := cli.Between(0.000001, 1)
	share.Type = "number"
	cli.BindFields(flags, l,
		openapi.Field{Name: "seeds", Description: "fdloop: random inputs to learn from if there is no corpus", Default: 500, Schema: cli.Between(1, 1_000_000)},
		openapi.Field{Name: "max_mappings", Description: "fdloop: number of mappings that counts as many (default that of --calibration inputs)", Schema: cli.Between(1, 1_000_000_000)},
		openapi.Field{Name: "calibration", Description: "fdloop: random inputs that are run first, to count their mappings", Default: 100, Schema: cli.Between(1, 1_000_000)},
		openapi.Field{Name: "mapping_depth", Description: "fdloop: depth of the structures in mappings", Default: 3, Schema: cli.Between(1, 8)},
		openapi.Field{Name: "flipped", Description: "fdloop: share of an input's tokens in which a bit is flipped", Default: 0.1, Schema: share})
}

func (e *evolutionFlags) bind(flags *pflag.FlagSet) {
	share := cli.Between(0, 1)
	share.Type = "number"
	factor := cli.Between(0.000001, 1_000_000)
	factor.Type = "number"
	cli.BindFields(flags, e,
		openapi.Field{Name: "elitism", Description: "evogfuzz: share of the population that is selected because it is the fittest", Default: 0.05, Schema: share},
		openapi.Field{Name: "tournaments", Description: "evogfuzz: tournaments that select one input each", Default: 10, Schema: cli.Between(0, 1_000_000)},
		openapi.Field{Name: "tournament_size", Description: "evogfuzz: inputs in a tournament", Default: 10, Schema: cli.Between(1, 1_000_000)},
		openapi.Field{Name: "mutations", Description: "evogfuzz: rules that get new probabilities in a generation", Default: 1, Schema: cli.Between(0, 1_000_000)})
	var scores []string
	for _, s := range campaign.StructureScores() {
		scores = append(scores, string(s))
	}
	cli.BindEnum(flags, &e.structure, "structure", "evogfuzz: measure of complexity: of the tree, expansions per byte, or the length", scores...)
	cli.BindFields(flags, e, openapi.Field{Name: "lambda", Description: "evogfuzz: expected expansions per byte, for --structure expansions", Default: 1, Schema: factor})
	flags.StringVar(&e.base, "base-input", "", "evogfuzz: learn from the input in this `FILE` in each generation (default the letters a to z)")
}

// options returns the parameters of evogfuzz.
func (e *evolutionFlags) options(end fuzzLimits) campaign.EvoGFuzzOptions {
	none := func(n int) int { // 0 would select the default
		if n == 0 {
			return -1
		}
		return n
	}
	opt := campaign.EvoGFuzzOptions{
		Patience: end.Patience, Elitism: e.Elitism, Tournaments: none(e.Tournaments),
		TournamentSize: e.TournamentSize, Mutations: none(e.Mutations), Structure: campaign.StructureScore(e.structure), Lambda: e.Lambda,
	}
	if opt.Elitism == 0 {
		opt.Elitism = -1
	}
	return opt
}

// generations returns the maximum number of generations: 0 for the default, and -1 for no
// limit.
func (l fuzzLimits) generations() int {
	if l.Generations == 0 && (l.N > 0 || l.For > 0) {
		return -1
	}
	return l.Generations
}

func (c *fuzzCommand) run(ctx context.Context) (err error) {
	if err := c.program.check(); err != nil {
		return err
	}
	if c.out == "" {
		return errors.New("no output: give --out FILE.ndjson")
	}
	opt, g, err := c.options(ctx)
	if err != nil {
		return err
	}
	program, err := c.program.build(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, program.Close()) }()
	if !program.Growing() {
		opt.Units = program.Header().Units
	}
	fuzzed, err := campaign.New(ctx, g.Grammar, opt)
	if err != nil {
		return err
	}
	log, err := openFuzzLog(c.out, program)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.out.Close()) }()
	warmup, err := c.warmup(ctx, g, opt)
	if err != nil {
		return err
	}
	var runners []campaign.Runner
	for range c.limits.Jobs {
		r := program.NewRunner(c.limits.options(c.program.command != "").Limits)
		r.WarmUp(warmup)
		defer r.Close()
		runners = append(runners, r)
	}
	if err := c.export.open(); err != nil {
		return err
	}
	report := &fuzzReport{campaign: fuzzed, export: &c.export, line: cli.NewStatusLine(c.Streams), began: time.Now(), blocks: c.program.units == "block"}
	running, cancel := c.within(ctx)
	defer cancel()
	err = campaign.Run(running, fuzzed, runners, log, report.add)
	report.line.End()
	err = errors.Join(err, c.export.write(fuzzed.Findings()))
	if err != nil && running.Err() != nil && ctx.Err() == nil { // --for
		err = nil
	}
	groups := report.groups.All()
	failures := describeFailures(groups)
	if err == nil && c.reduce {
		err = c.reduceFailures(ctx, g, program, groups, failures)
	}
	return errors.Join(err, report.exported, writeFailures("failures", c.failures, failures), report.print(c, failures))
}

// reduceFailures reduces the inputs of failures.
func (c *fuzzCommand) reduceFailures(ctx context.Context, g *api.Grammar, program *observe.Program, groups []observation.OutcomeGroup, failures []failure) error {
	r, err := reducerOf(g, c.req.Start) //nolint:contextcheck // reading one token back is bounded and takes no context
	if err != nil {
		return err
	}
	runner := program.NewRunner(c.limits.options(false).Limits)
	defer runner.Close()
	return r.reduceFailures(ctx, runner, maxReduceRuns, groups, failures, c.Streams)
}

// within returns a context that ends with --for.
func (c *fuzzCommand) within(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.end.For == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Duration(c.end.For*float64(time.Millisecond)))
}

// options returns the options of the campaign, and the grammar.
func (c *fuzzCommand) options(ctx context.Context) (opt campaign.Options, g *api.Grammar, err error) {
	if g, err = loadGrammar(ctx, c.grammar, c.Streams); err != nil {
		return opt, nil, err
	}
	start, err := g.ProductiveRule(c.req.Start)
	if err != nil {
		return opt, nil, err
	}
	opt = campaign.Options{
		Algorithm: campaign.Algorithm(c.algorithm), Goal: campaign.Goal(c.goals.Goal), Ignore: c.goals.ignored(), Seed: api.Seed(c.req.Seed), Start: start, Runs: c.end.N,
		Sources: g.Sources, MaxNodes: c.req.MaxNodes, Expansions: c.req.Expansions, EvoGFuzz: c.evolution.options(c.end),
		FDLoop: campaign.FDLoopOptions{
			Seeds: c.loop.Seeds, Calibration: c.loop.Calibration, MaxMappings: c.loop.MaxMappings, Depth: c.loop.MappingDepth, Flipped: c.loop.Flipped,
			Timeout: c.limits.options(false).Timeout,
		},
	}
	opt.EvoGFuzz.Generations, opt.FDLoop.Generations = c.end.generations(), c.end.generations()
	opt.EvoGFuzz.Population, opt.FDLoop.Inputs = c.goals.Population, c.goals.Population
	opt.Guided = campaign.GuidedOptions{Round: c.goals.Population, Rows: c.goals.TrainOn}
	cli.NoteSeed(c.Streams, c.req.Seed, int64(opt.Seed))
	if opt.Corpus, err = c.readCorpus(ctx, g); err != nil {
		return opt, nil, err
	}
	if g.Bundled {
		if opt.Names, err = generate.SampleNames(ctx, g.ID, g.Grammar); err != nil {
			return opt, nil, err
		}
	}
	if c.evolution.base != "" {
		opt.EvoGFuzz.BaseInput, err = cli.ReadCorpusInput(ctx, c.evolution.base, nil, observation.MaxInput)
		if err != nil {
			return opt, nil, fmt.Errorf("--base-input %w", cli.FileError(c.evolution.base, err))
		}
	}
	return opt, g, nil
}

// readCorpus returns the inputs to start from: those of --corpus, or the samples of a
// bundled grammar.
func (c *fuzzCommand) readCorpus(ctx context.Context, g *api.Grammar) (corpus [][]byte, err error) {
	if len(c.corpus) == 0 && g.Bundled {
		samples, err := bundled.Samples(g.ID)
		for _, s := range samples {
			corpus = append(corpus, s.Text)
		}
		return corpus, err
	}
	names, err := cli.InputFiles(c.corpus)
	if err != nil {
		return nil, fmt.Errorf("--corpus %w", err)
	}
	for in, err := range fileInputs(ctx, "", names, c.Streams) {
		if err != nil {
			return nil, fmt.Errorf("--corpus %w", err)
		}
		corpus = append(corpus, in.Data)
	}
	return corpus, nil
}

// warmup returns inputs that each process runs before its first observation.
func (c *fuzzCommand) warmup(ctx context.Context, g *api.Grammar, opt campaign.Options) ([][]byte, error) {
	var out [][]byte
	n := c.limits.options(c.program.command != "").Warmup
	for input, err := range generate.TrainingInputs(ctx, g.Grammar, opt.Start, opt.Seed, max(n, 0)) {
		if err != nil {
			return nil, err
		}
		out = append(out, input.Text)
	}
	return out, nil
}

// A fuzzReport counts the observations of a campaign.
type fuzzReport struct {
	campaign *campaign.Campaign
	export   *fuzzExport
	exported error // of writing files
	line     *cli.StatusLine
	began    time.Time
	ran      int // by this command
	blocks   bool
	outcomes map[observation.Outcome]int
	groups   observation.OutcomeGroups
}

func (r *fuzzReport) add(o observation.Observation, logged bool) {
	if !logged {
		r.ran++
	}
	if r.outcomes == nil {
		r.outcomes = map[observation.Outcome]int{}
	}
	r.outcomes[o.Outcome]++
	r.groups.Add(o)
	if r.exported == nil { // the first error is returned at the end
		r.exported = r.export.write(r.campaign.Findings())
	}
	r.line.Set(r.state)
}

// state returns the state of the campaign on one line.
func (r *fuzzReport) state() string {
	s := r.campaign.Status()
	seconds := time.Since(r.began)
	text := fmt.Sprintf("%v: %s (%.0f/s), %d of %s, %s, %s, generation %d", seconds.Round(time.Second), cli.Count(s.Runs, "run", "runs"), float64(r.ran)/seconds.Seconds(),
		s.Reached, countUnits(s.Units, r.blocks), cli.Count(s.Failures, "failure", "failures"), pathCoverage(s), s.Generation)
	if s.Aim != "" {
		text += ", " + s.Aim
	}
	return text
}

// pathCoverage returns the share of paths that the inputs cover.
func pathCoverage(s campaign.Status) string {
	return fmt.Sprintf("%d-paths %s %%", s.K, cli.Percent(s.Paths, s.AllPaths))
}

// A fuzzSummary is the output of fuzz --format json.
type fuzzSummary struct {
	Runs        int                         `json:"runs"`    // of the campaign
	Skipped     int                         `json:"skipped"` // in the file before
	Outcomes    map[observation.Outcome]int `json:"outcomes"`
	Generations int                         `json:"generations"`
	Reached     int                         `json:"reached"`
	Methods     int                         `json:"methods"`
	K           int                         `json:"k"`
	Paths       int                         `json:"paths"`
	AllPaths    string                      `json:"all_paths"`
	End         campaign.End                `json:"end,omitempty"`
	Failures    []failure                   `json:"failures"`
}

// print prints the summary and the distinct failures.
func (r *fuzzReport) print(c *fuzzCommand, failures []failure) error {
	s := r.campaign.Status()
	if c.format == "json" {
		return cli.WriteJSON(c.Out, fuzzSummary{
			Runs: s.Runs, Skipped: s.Runs - r.ran, Outcomes: r.outcomes, Generations: s.Generation, Reached: s.Reached, Methods: s.Units,
			K: s.K, Paths: s.Paths, AllPaths: s.AllPaths.String(), End: s.End, Failures: failures,
		})
	}
	observed := observeSummary{Observed: s.Runs, Outcomes: r.outcomes, Reached: s.Reached, Methods: s.Units, listed: true, labelled: s.Reached > 0}
	c.Notef("%s; %s", observed.text(r.blocks), pathCoverage(s))
	if skipped := s.Runs - r.ran; skipped > 0 {
		c.Notef("%s already in the file", cli.Count(skipped, "run was", "runs were"))
	}
	if why := endText(s); why != "" {
		c.Notef("%s", why)
	}
	shown := failures[:min(len(failures), maxFailures)]
	err := printFailures(c.Out, shown)
	if more := len(failures) - len(shown); more > 0 {
		c.Notef("%d more; inroad failures lists all", more)
	}
	return err
}

// endText says why a campaign ended by itself, if this is not obvious.
func endText(s campaign.Status) string {
	switch s.End {
	case campaign.EndGenerations:
		return fmt.Sprintf("ended after %s; --generations allows more", cli.Count(s.Generation, "generation", "generations"))
	case campaign.EndPatience:
		return "ended because the last generations found no new failure; --patience allows more of them"
	case campaign.EndExhausted:
		return "ended because no new inputs were found"
	default:
		return ""
	}
}

// A fuzzExport writes inputs to files, for other fuzzers.
type fuzzExport struct {
	dir     string // "" for none
	layout  string
	written int // number of findings
}

// open creates the folder.
func (e *fuzzExport) open() error {
	if e.dir == "" {
		return nil
	}
	if err := os.MkdirAll(e.dir, 0o777); err != nil {
		return fmt.Errorf("--export %w", cli.FileError(e.dir, err))
	}
	return nil
}

// write writes the findings that were not yet written. The name of a file is a digest of
// its content.
func (e *fuzzExport) write(findings []campaign.Finding) error {
	for ; e.dir != "" && e.written < len(findings); e.written++ {
		content := findings[e.written].Text
		if e.layout == "go" {
			content = gofuzz.Encode(content)
		}
		name := filepath.Join(e.dir, fmt.Sprintf("%x", sha256.Sum256(content))[:16])
		err := outfile.Write(name, 0o644, func(w io.Writer) error {
			_, err := w.Write(content)
			return err
		})
		if err != nil {
			return fmt.Errorf("--export %w", cli.FileError(name, err))
		}
	}
	return nil
}

// A fuzzLog is the file of a campaign's observations.
type fuzzLog struct {
	program *observe.Program
	out     *observe.Output
	known   map[string]observation.Observation // in the file when it was opened, by input
}

// openFuzzLog creates a file of observations, or opens one to continue it.
func openFuzzLog(name string, program *observe.Program) (*fuzzLog, error) {
	out, err := observe.OpenOutput(name, program.Header())
	if err != nil {
		return nil, err
	}
	program.RestoreUnits(out.Units())
	l := &fuzzLog{program, out, map[string]observation.Observation{}}
	lists := map[string][]string{} // many inputs reach the same methods
	err = out.Read(func(o observation.Observation) {
		key := strings.Join(o.Methods, "\x00")
		if shared, ok := lists[key]; ok && (shared == nil) == (o.Methods == nil) {
			o.Methods = shared
		} else {
			lists[key] = o.Methods
		}
		l.known[string(o.Input)] = o
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), out.Close())
	}
	return l, nil
}

// Lookup returns the observation of an input in the file.
func (l *fuzzLog) Lookup(input []byte) (observation.Observation, bool) {
	o, ok := l.known[string(input)]
	return o, ok
}

// Append adds an observation to the file.
func (l *fuzzLog) Append(o observation.Observation) error {
	if err := l.out.AddUnits(l.program.Header().Units); err != nil {
		return err
	}
	return l.out.Write(o)
}
