package model

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/grammars/bundled"
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
	watch     bool
	finds     []string // folders to watch
	reduce    bool
	format    string
	server    cli.Server
	campaign  int64
	cli.Streams
}

// maxReduceRuns limits the runs to reduce the input of a failure.
const maxReduceRuns = 500

// NewFuzz returns the command fuzz.
func NewFuzz() *cobra.Command {
	c := &fuzzCommand{}
	cmd := &cobra.Command{
		Use:   "fuzz --grammar NAME|FILE.g4[,FILE.g4...] --go PKG.FUNC|--c COMMAND|...|--exec COMMAND --out FILE.ndjson|--server URL [flags]",
		Short: "Fuzz a program with inputs of a grammar, guided by earlier observations",
		Long: `Fuzz a program with inputs of a grammar, guided by earlier observations.

Programs are named and run as in inroad observe. Inputs are run in generations.
Algorithms:

  guided    train a model on the observations, aim at methods that are rarely
            reached, mutate inputs that reached new methods or had new failures,
            and run the candidates that the model finds most promising
  random    generate random inputs that prefer alternatives which earlier inputs
            seldom took
  common    generate inputs like those of the corpus
  uncommon  generate inputs unlike those of the corpus
  evogfuzz  learn the probabilities of choices from the inputs that fail or have the
            most complex structure, and replace the probabilities of one rule by
            random ones, in each generation
  fdloop    run a few inputs and mutants of them, keep the input that serves the
            goals best, learn the probabilities of choices from it, and make the
            choices of one rule equally likely, in each generation

Goals of guided and fdloop are methods reached (coverage), distinct failures, long runs
(runtime) and pairs of an input's structure and a method (mappings). --ignore leaves
goals out. --goal names a goal that counts ten times as much as the others.

The corpus is the inputs of --corpus, or else the samples of a bundled grammar.

A campaign ends after --n runs, after --for, by the rules of its algorithm, when no new
inputs are found, or when it is interrupted. No input is run twice. At the end, the
distinct failures are listed, as by inroad failures. --reduce first reduces the input
of each failure, by up to 500 runs that are not recorded, and --failures writes these
inputs to files.

Every run adds an observation to the output, which inroad train learns from. If the
file exists, the campaign continues: the same flags give the same inputs, and inputs in
the file are not run again. A campaign that was killed loses at most the runs that had
not ended. --n counts all runs of a campaign, and --for the time of this command.

With --server and without --out, the service chooses the inputs, and keeps the
observations under the name and version of the program. The first command creates a
campaign and prints its ID. Further commands, on this machine or others, run inputs of
the same campaign with --campaign ID; all flags of the campaign are those of the first
one. A command that is killed loses nothing: another one gets the inputs that it had
not told, a minute later or more.

--export feeds another fuzzer, and --watch also runs the inputs that it finds. Their
observations have the names of their files. They do not count for --n. For AFL++, DIR is
a new folder in its output folder:

  afl-fuzz -i seeds -o out -- ./parser @@ &
  inroad fuzz --grammar my.g4 --c '...' --out my.ndjson --export out/inroad --layout afl --watch`,
		Example: `  inroad fuzz --grammar json --go encoding/json.Unmarshal --for 5m --out json.ndjson
  inroad fuzz --grammar my.g4 --corpus testdata --c '$CC fuzz.c $LIB_FUZZING_ENGINE -o $OUT/fuzz' --algorithm evogfuzz --out my.ndjson
  inroad fuzz --server http://inroad.example:8080 --campaign 7 --go ./parser.Parse`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c.Streams = cli.StreamsOf(cmd)
			return c.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	cli.BindGrammar(flags, &c.grammar)
	cli.Bind(flags, &c.req, "start")
	cli.BindEnum(flags, &c.algorithm, "algorithm", "how to generate inputs", algorithmNames()...)
	c.goals.bind(flags)
	cli.BindFiles(flags, &c.corpus, "corpus", "start from the inputs in `DIR|FILE`s")
	c.program.bind(flags)
	cli.BindEnum(flags, &c.program.units, "units", "observe methods only, or also the blocks in them", "method", "block")
	flags.StringVar(&c.out, "out", "", "`FILE` of observations to create or to continue")
	flags.BoolVar(&c.reduce, "reduce", false, "reduce the inputs of the distinct failures at the end")
	flags.StringVar(&c.failures, "failures", "", "write the inputs of the distinct failures to files in this `DIR`")
	flags.StringVar(&c.export.dir, "export", "", "write inputs to files in this `DIR`, as a corpus for other fuzzers: those that are the first to reach a method, to execute one about so often, or to have a failure")
	cli.BindEnum(flags, &c.export.layout, "layout", "layout of the files of --export: as they are, for libFuzzer and others; as in testdata/fuzz of Go; or as an instance in the output folder of AFL++", plainLayout, goLayout, aflLayout)
	flags.BoolVar(&c.watch, "watch", false, "also run the inputs that another fuzzer finds: those that appear in DIR of --export, or with --layout afl beside it, and in folders of --finds")
	cli.BindFiles(flags, &c.finds, "finds", "with --watch: further `DIR`s with inputs that another fuzzer finds")
	duration := cli.Between(1, 365*24*60*60*1000)
	duration.Type = "number"
	cli.BindFields(flags, &c.end,
		openapi.Field{Name: "n", Description: "Maximum number of runs (default no limit)", Schema: cli.Between(1, 1_000_000_000)},
		openapi.Field{Name: "for_ms", Description: "Time that the command may take (default no limit)", Schema: duration},
		openapi.Field{Name: "generations", Description: "evogfuzz, fdloop: maximum number of generations (default 100 and 50, no limit with --n or --for)", Schema: cli.Between(1, 1_000_000_000)},
		openapi.Field{Name: "patience", Description: "evogfuzz: end after this many generations without a new failure (default no limit)", Schema: cli.Between(1, 1_000_000_000)})
	cli.Bind(flags, &c.req, "seed", "max_nodes", "expansions")
	cli.SetDefault(flags, "max-nodes", "1000")
	flags.Lookup("max-nodes").Usage = "maximum number of symbols of a generated tree, unless the smallest tree has more"
	flags.Lookup("expansions").Usage = "common, uncommon, evogfuzz, fdloop: number of expansions after which an input is completed with the shortest derivations"
	c.evolution.bind(flags)
	c.loop.bind(flags)
	c.limits.bind(flags)
	flags.StringVar(&c.program.subject, "subject", "", "`NAME` of the program (default the name of the function)")
	flags.StringVar(&c.program.commit, "commit", "", "`VERSION` of the program (default the commit or the module's version)")
	cli.BindFormat(flags, &c.format, "text", "json")
	flags.Int64Var(&c.campaign, "campaign", 0, "with --server: run inputs of the campaign with this `ID`, instead of creating one")
	c.server.Bind(flags)
	flags.Lookup("server").Usage = "without --out: let the service at this `URL` choose the inputs and keep the observations; default INROAD_SERVER, with the key in INROAD_KEY"
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

func (c *fuzzCommand) run(ctx context.Context) (err error) {
	if err := c.program.check(); err != nil {
		return err
	}
	if c.out == "" && c.server.URL != "" {
		return c.runAtService(ctx)
	}
	if c.out == "" {
		return errors.New("no output: give --out FILE.ndjson, or --server URL to let a service keep the observations")
	}
	if c.campaign > 0 {
		return errors.New("--campaign: give --server, and no --out")
	}
	if err := c.checkWatch(); err != nil {
		return err
	}
	// The heap of a campaign is small, so fewer garbage collections save time.
	collect := debug.SetGCPercent(campaign.GCPercent)
	defer debug.SetGCPercent(collect)
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
	report := &fuzzReport{campaign: fuzzed, export: &c.export, streams: c.Streams, line: cli.NewStatusLine(c.Streams), began: time.Now(), blocks: c.program.units == "block"}
	running, cancel := c.within(ctx)
	defer cancel()
	var extras campaign.Extras
	if c.watch {
		report.watch = newFuzzWatch(&c.export, c.finds)
		found, end := report.watch.start(running)
		defer end()
		extras = campaign.Extras{Past: log.past, Inputs: found}
	}
	err = campaign.RunWith(running, fuzzed, runners, log, report.add, extras)
	report.line.End()
	if err != nil && running.Err() != nil && ctx.Err() == nil { // --for
		err = nil
	}
	err = errors.Join(err, fuzzed.Finish(context.WithoutCancel(ctx)))
	if report.exported == nil {
		report.exported = c.export.write(fuzzed.Findings())
	}
	groups := report.groups.All()
	failures := describeFailures(groups)
	if err == nil && c.reduce {
		err = c.reduceFailures(ctx, g, program, groups, failures)
	}
	return errors.Join(err, report.exported, writeFailures("failures", c.failures, failures), report.print(c, failures))
}

// checkWatch returns an error if --watch lacks a folder, or --finds lacks --watch.
func (c *fuzzCommand) checkWatch() error {
	switch {
	case !c.watch && len(c.finds) > 0:
		return errors.New("--finds: give --watch, too")
	case c.watch && c.export.dir == "" && len(c.finds) == 0:
		return errors.New("--watch: give a folder with --export or --finds")
	default:
		return nil
	}
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
			Pareto: c.loop.Pareto, Size: c.loop.SizeWeight, Novelty: c.loop.Novelty,
			Timeout: c.limits.options(false).Timeout,
		},
	}
	opt.EvoGFuzz.Generations, opt.FDLoop.Generations = c.end.generations(), c.end.generations()
	opt.EvoGFuzz.Population, opt.FDLoop.Inputs = c.goals.Population, c.goals.Population
	opt.Guided = campaign.GuidedOptions{Round: c.goals.Population, Rows: c.goals.TrainOn, Effort: c.goals.Effort}
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
	return c.readCorpusFiles(ctx)
}

// readCorpusFiles returns the inputs of --corpus.
func (c *fuzzCommand) readCorpusFiles(ctx context.Context) (corpus [][]byte, err error) {
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
