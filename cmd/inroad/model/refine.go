package model

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/outfile"
	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/model/observe"
	"github.com/inroad/inroad/targeting/aim"
)

type refineCommand struct {
	grammar      string
	start        openapi.GenerateRequest // for the start rule
	observations observationFiles
	holdout      string
	program      program
	limits       refineLimits
	options      openapi.TrainOptions // for the seed
	server       cli.Server           // for the number of workers
	out          string
	addTo        string
	format       string
	printed      error // of printing rounds
	cli.Streams
}

// refineLimits are the flags that end the rounds.
type refineLimits struct {
	Rounds int     `json:"rounds"`
	Runs   int     `json:"runs"`
	Budget float64 `json:"budget_ms"`
}

// NewRefine returns the command refine.
func NewRefine() *cobra.Command {
	c := &refineCommand{}
	cmd := &cobra.Command{
		Use:   "refine --grammar NAME|FILE.g4[,FILE.g4...] --observations FILE --go PKG.FUNC|--c COMMAND|...|--exec COMMAND --out MODEL [METHOD...] [flags]",
		Short: "Improve a model by running the program on inputs that it needs",
		Long: `Improve a model by running the program on inputs that it needs.

A model is trained on the observations. Then each round picks the methods whose
predictions are least certain in cross-validation, or that few observations or none
reached. If METHODs are given, it takes these. The inputs for a method are drawn from
many more inputs, which are generated as in inroad observe: the more probably an
input reaches the method, the more probably it is drawn. If fewer than 20
observations reached the method, half of its inputs are generated as by inroad
target, or are mutants of known inputs that reach it. The program is run on the
inputs as in inroad observe, and the model is trained again with the new observations.

A fifth of the observations, or those of --holdout, never enters training. A line is
printed for the first model and for each round: the number of inputs that were run,
the predictions that were wrong for them, the methods that were reached for the first
time, and the mean F1 on the held-out observations, of all methods that some of these
reach and of the methods that less than 5 % of these reach.

The rounds end after --rounds, after --budget, or when a round finds neither a wrong
prediction nor a new method. The budget includes training: a round leaves time to
train again. The model of the best round is written to --out: the one with the highest
mean F1 on the held-out observations, of the METHODs if given, among the rounds since
the last that reached a method for the first time. --add-to adds all new observations
to a file; inroad train can then learn from all observations. The same observations,
options and seed give the same model, unless --budget ends the rounds.`,
		Example: `  inroad refine --grammar json --observations seen.ndjson --go encoding/json.Unmarshal --out json.model --add-to seen.ndjson
  inroad refine --grammar json --observations seen.ndjson --go encoding/json.Unmarshal --out json.model getu4 --rounds 10 --budget 1m`,
		RunE: func(cmd *cobra.Command, args []string) error {
			c.Streams = cli.StreamsOf(cmd)
			return c.run(cmd.Context(), args)
		},
	}
	flags := cmd.Flags()
	cli.BindGrammar(flags, &c.grammar)
	cli.Bind(flags, &c.start, "start")
	c.observations.bind(flags)
	flags.StringVar(&c.holdout, "holdout", "", "`FILE` of observations to hold out (default a fifth of --observations)")
	c.program.bind(flags)
	budget := cli.Between(1, 7*24*60*60*1000)
	budget.Type = "number"
	cli.BindFields(flags, &c.limits,
		openapi.Field{Name: "rounds", Description: "Maximum number of rounds", Default: 5, Schema: cli.Between(1, 1000)},
		openapi.Field{Name: "runs", Description: "Maximum number of inputs to run in a round", Default: 500, Schema: cli.Between(1, 1_000_000)},
		openapi.Field{Name: "budget_ms", Description: "Time that training and runs may take; the first model is always trained", Default: 300_000, Schema: budget})
	cli.Bind(flags, &c.options, "seed")
	c.server.BindWorkers(flags)
	flags.StringVar(&c.out, "out", "", "`FILE` to write the model to")
	flags.StringVar(&c.addTo, "add-to", "", "add the observations to this `FILE`")
	cli.BindFormat(flags, &c.format, "text", "ndjson")
	return cmd
}

func (c *refineCommand) run(ctx context.Context, methods []string) (err error) {
	if err := c.program.check(); err != nil {
		return err
	}
	if c.out == "" {
		return errors.New("no output: give --out FILE")
	}
	if err := outfile.Check(c.out); err != nil {
		return cli.FileError(c.out, err)
	}
	given, err := c.readGiven(ctx)
	if err != nil {
		return err
	}
	g, err := loadGrammar(ctx, c.grammar, c.Streams)
	if err != nil {
		return err
	}
	start, err := g.ProductiveRule(c.start.Start)
	if err != nil {
		return err
	}
	seed := api.Seed(c.options.Seed)
	cli.NoteSeed(c.Streams, c.options.Seed, int64(seed))
	opt := model.Defaults()
	opt.Seed, opt.Workers = seed, cmp.Or(c.server.Workers, runtime.GOMAXPROCS(0))
	trainer, err := model.NewTrainer(ctx, start, g.Sources, opt)
	if err != nil {
		return err
	}
	if len(given.held) == 0 {
		given.train, given.held = aim.HoldOut(given.train, seed)
	}
	c.program.units, c.program.subject, c.program.commit = unitsLike(given.header.Units), given.header.Subject, given.header.Commit
	program, err := c.program.build(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, program.Close()) }()
	if err := checkAddTo(c.addTo, program); err != nil {
		return err
	}
	program.RestoreUnits(given.header.Units)
	runner := program.NewRunner(observe.Limits{})
	defer runner.Close()
	warmup := 0 // the default
	if c.program.command != "" {
		warmup = -1 // each run is a process
	}
	refiner := aim.NewRefiner(trainer, runner, aim.RefineOptions{
		Warmup: warmup,
		Rounds: c.limits.Rounds, Runs: c.limits.Runs, Budget: time.Duration(c.limits.Budget * float64(time.Millisecond)),
		Seed: seed, Workers: opt.Workers, Header: program.Header, Progress: c.print,
	})
	first, err := refiner.Begin(ctx, given.header, given.train, given.held)
	if err != nil {
		return err
	}
	units, err := api.NewModel(first).Resolve(methods)
	if err != nil {
		return err
	}
	var ids []string
	for _, unit := range units {
		ids = append(ids, first.Units[unit].ID)
	}
	m, stop, err := refiner.Refine(ctx, ids...)
	if err == nil {
		c.noteStop(stop)
		if err = cli.FileError(c.out, outfile.Write(c.out, 0o644, m.Write)); err == nil {
			c.noteBest(refiner.Best())
		}
	}
	// Observations are kept even if a run failed.
	return errors.Join(err, c.printed, addObservations(c.addTo, program, refiner.Observations()))
}

// givenObservations are the observations that refine starts from.
type givenObservations struct {
	header      observation.Header
	train, held []observation.Observation
}

// readGiven reads the files of observations.
func (c *refineCommand) readGiven(ctx context.Context) (*givenObservations, error) {
	out := &givenObservations{}
	train, err := c.observations.open(ctx, c.Streams)
	if err != nil {
		return nil, err
	}
	if out.train, err = out.read(train); err != nil || c.holdout == "" {
		return out, err
	}
	held, err := (&observationFiles{names: []string{c.holdout}, strict: c.observations.strict}).open(ctx, c.Streams)
	if err != nil {
		return nil, err
	}
	if out.held, err = out.read(held); err == nil && len(out.held) == 0 {
		err = fmt.Errorf("--holdout %s: no observations", cli.Printable(c.holdout))
	}
	return out, err
}

// read returns the observations of files, and adds their headers.
func (g *givenObservations) read(files *cli.Observations) ([]observation.Observation, error) {
	defer files.Close()
	var out []observation.Observation
	for block, err := range files.Blocks() {
		if err != nil {
			return nil, err
		}
		g.header.Subject, g.header.Commit = cmp.Or(g.header.Subject, block.Header.Subject), cmp.Or(g.header.Commit, block.Header.Commit)
		for _, u := range block.Header.Units {
			if !slices.ContainsFunc(g.header.Units, func(v observation.Unit) bool { return v.ID == u.ID }) {
				g.header.Units = append(g.header.Units, u)
			}
		}
		out = append(out, block.Observations...)
	}
	files.Summarize()
	return out, nil
}

// A refineRound is the output of refine --format ndjson for a round.
type refineRound struct {
	Round       int      `json:"round"`
	Methods     []string `json:"methods"`
	Runs        int      `json:"runs"`
	Wrong       int      `json:"wrong"`
	NewMethods  []string `json:"new_methods"`
	F1          *float64 `json:"f1,omitzero"`
	RareF1      *float64 `json:"rare_f1,omitzero"`
	Scored      int      `json:"scored"`
	RareMethods int      `json:"rare_methods"`
}

// print prints the result of a round. It keeps a write error for the end.
func (c *refineCommand) print(r aim.Round) {
	f1, rare := score(r.F1, r.Scored), score(r.RareF1, r.Rares)
	if c.format == "ndjson" {
		c.printed = errors.Join(c.printed, cli.WriteJSON(c.Out, refineRound{
			Round: r.Number, Methods: append([]string{}, r.Units...), Runs: r.Runs, Wrong: r.Wrong, NewMethods: append([]string{}, r.New...),
			F1: f1, RareF1: rare, Scored: r.Scored, RareMethods: r.Rares,
		}))
		return
	}
	text := func(score *float64) string {
		if score == nil {
			return "none"
		}
		return fmt.Sprintf("%.3f", *score)
	}
	line := fmt.Sprintf("round %d: %s run, %s, %s", r.Number, cli.Count(r.Runs, "input", "inputs"),
		cli.Count(r.Wrong, "wrong prediction", "wrong predictions"), cli.Count(len(r.New), "new method", "new methods"))
	if r.Number == 0 {
		line = "first model"
	}
	_, err := fmt.Fprintf(c.Out, "%s; mean F1 %s, of rare methods %s\n", line, text(f1), text(rare))
	c.printed = errors.Join(c.printed, err)
}

// score returns a mean over methods, or nil if there are none.
func score(mean float64, methods int) *float64 {
	if methods == 0 {
		return nil
	}
	return &mean
}

// noteBest prints the round whose model was written.
func (c *refineCommand) noteBest(round int) {
	if round == 0 {
		c.Notef("no round improved the first model, which is written")
		return
	}
	c.Notef("the model of round %d is written", round)
}

// noteStop prints why the rounds ended.
func (c *refineCommand) noteStop(stop aim.Stop) {
	switch stop {
	case aim.StopRounds:
		c.Notef("stopped after %s; --rounds allows more", cli.Count(c.limits.Rounds, "round", "rounds"))
	case aim.StopBudget:
		c.Notef("stopped after the budget of %v; --budget allows more", time.Duration(c.limits.Budget*float64(time.Millisecond)))
	case aim.StopNothing:
		c.Notef("stopped: the last round found neither a wrong prediction nor a new method")
	case aim.StopNoInputs:
		c.Notef("stopped: no new inputs were found for the methods")
	}
}
