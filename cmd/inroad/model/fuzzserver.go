package model

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/client"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/model/observe"
)

// A fuzzWorker runs the inputs of a campaign at a service.
type fuzzWorker struct {
	client  *client.Client
	program *observe.Program
	limits  runLimits
	warmup  int
	streams cli.Streams
	began   time.Time
	id      int64 // of the campaign

	mu       sync.Mutex
	campaign openapi.Campaign
	ran      int // by this command
	units    int // that the service knows
	line     *cli.StatusLine
	outage   time.Time // since which the service cannot be reached; zero if it can
}

// Limits of a worker.
const (
	maxOutage   = 2 * time.Minute        // without an answer of the service, before the command gives up
	retryDelay  = time.Second            // between requests while the service cannot be reached
	batchTime   = 500 * time.Millisecond // to run the inputs of one request
	maxBatch    = 50
	leaseMargin = 10 * time.Second // in addition to the time that the inputs of one request may take
	partingTime = 10 * time.Second
	maxRuns     = 1_000_000 // of a campaign at a service
)

// runAtService runs the inputs of a campaign at the service that --server names.
func (c *fuzzCommand) runAtService(ctx context.Context) (err error) {
	for _, f := range []struct {
		name  string
		given bool
	}{{"reduce", c.reduce}, {"export", c.export.dir != ""}, {"watch", c.watch}, {"finds", len(c.finds) > 0}} {
		if f.given {
			return fmt.Errorf("--%s: give --out, because the service keeps the observations of a campaign without it", f.name)
		}
	}
	service, err := c.server.Client()
	if err != nil {
		return err
	}
	program, err := c.program.build(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, program.Close()) }()
	w := &fuzzWorker{
		client: service, program: program, limits: c.limits, warmup: c.limits.options(c.program.command != "").Warmup,
		streams: c.Streams, line: cli.NewStatusLine(c.Streams), began: time.Now(),
	}
	if err := c.openCampaign(ctx, w); err != nil {
		return err
	}
	w.id = w.campaign.ID
	running, cancel := c.within(ctx)
	defer cancel()
	err = w.run(running)
	w.line.End()
	if err != nil && running.Err() != nil && ctx.Err() == nil { // --for
		err = nil
	}
	last, end := context.WithTimeout(context.WithoutCancel(ctx), partingTime)
	defer end()
	return errors.Join(err, c.reportCampaign(last, w))
}

// openCampaign creates a campaign at the service, or finds the one of --campaign.
func (c *fuzzCommand) openCampaign(ctx context.Context, w *fuzzWorker) error {
	about := w.program.Header()
	if c.campaign > 0 {
		var found openapi.Campaign
		err := w.retry(ctx, func() (err error) {
			found, err = w.client.Campaign(ctx, c.campaign)
			return err
		})
		if err == nil && (found.Subject != about.Subject || found.Commit != about.Commit) {
			err = fmt.Errorf("--campaign %d: fuzzes %s at version %q, not %s at version %q", c.campaign, found.Subject, found.Commit, about.Subject, about.Commit)
		}
		w.campaign = found
		return err
	}
	if err := w.addUnits(ctx); err != nil {
		return err
	}
	req, err := c.campaignRequest(ctx)
	if err != nil {
		return err
	}
	req.Subject, req.Commit = about.Subject, about.Commit
	if w.campaign, err = w.client.CreateCampaign(ctx, req); err != nil {
		return err
	}
	cli.NoteSeed(c.Streams, c.req.Seed, *w.campaign.Options.Seed)
	c.Notef("campaign %d", w.campaign.ID)
	return nil
}

// campaignRequest returns the request to create a campaign, without its program.
func (c *fuzzCommand) campaignRequest(ctx context.Context) (openapi.CampaignRequest, error) {
	if c.grammar == "" {
		return openapi.CampaignRequest{}, errors.New("no grammar: give --grammar, or --campaign to continue a campaign")
	}
	e, l := &c.evolution, &c.loop
	req := openapi.CampaignRequest{Grammar: c.grammar, Start: c.req.Start, Options: openapi.CampaignOptions{
		Algorithm: openapi.CampaignOptionsAlgorithm(c.algorithm), Goal: openapi.CampaignOptionsGoal(c.goals.Goal), Seed: c.req.Seed, N: c.end.N,
		MaxNodes: c.req.MaxNodes, Expansions: c.req.Expansions, Population: c.goals.Population, TrainOn: c.goals.TrainOn, Effort: c.goals.Effort,
		Generations: c.end.Generations, Patience: c.end.Patience,
		Elitism: &e.Elitism, Tournaments: &e.Tournaments, TournamentSize: e.TournamentSize, Mutations: &e.Mutations,
		Structure: openapi.CampaignOptionsStructure(e.structure), Lambda: e.Lambda,
		Seeds: l.Seeds, Calibration: l.Calibration, MaxMappings: l.MaxMappings, MappingDepth: l.MappingDepth, Flipped: l.Flipped, TimeoutMs: c.limits.Timeout,
		Pareto: l.Pareto, SizeWeight: l.SizeWeight, NoveltyWeight: l.Novelty,
	}}
	if c.end.N == 0 && c.end.For > 0 {
		req.Options.N = maxRuns
	}
	for _, goal := range c.goals.Ignore {
		req.Options.Ignore = append(req.Options.Ignore, openapi.CampaignOptionsIgnore(goal))
	}
	if e.base != "" {
		base, err := cli.ReadCorpusInput(ctx, e.base, nil, observation.MaxInput)
		if err != nil {
			return req, fmt.Errorf("--base-input %w", cli.FileError(e.base, err))
		}
		if !utf8.Valid(base) { // JSON would change it
			return req, fmt.Errorf("--base-input %s: must be UTF-8 with --server", cli.Printable(e.base))
		}
		req.Options.BaseInput = new(string(base))
	}
	corpus, err := c.readCorpusFiles(ctx)
	for _, data := range corpus {
		var in openapi.Input
		in.Input, in.InputBase64 = api.Encode(data)
		req.Corpus = append(req.Corpus, in)
	}
	return req, err
}

// run asks, runs and tells with all runners, until the campaign ends.
func (w *fuzzWorker) run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	for range w.limits.Jobs {
		group.Go(func() error {
			r := w.program.NewRunner(w.limits.options(w.warmup < 0).Limits)
			defer r.Close()
			return w.work(ctx, r)
		})
	}
	return group.Wait()
}

// work asks, runs and tells with one runner.
func (w *fuzzWorker) work(ctx context.Context, r *observe.Runner) error {
	n, warm := 1, w.warmup <= 0
	for {
		lease := time.Duration(n)*w.limits.options(false).Timeout + leaseMargin
		var answer openapi.AskAnswer
		err := w.retry(ctx, func() (err error) {
			answer, err = w.client.Ask(ctx, w.id, openapi.AskRequest{N: n, LeaseMs: int(min(lease, 24*time.Hour).Milliseconds())})
			return err
		})
		switch {
		case err != nil:
			return err
		case answer.State == openapi.CampaignFailed:
			return errors.New(answer.Error)
		case answer.State != openapi.CampaignRunning:
			return nil
		case len(answer.Inputs) == 0:
			if err := pause(ctx, time.Duration(answer.RetryMs)*time.Millisecond); err != nil {
				return err
			}
			continue
		}
		if !warm {
			r.WarmUp(textsOf(answer.Inputs[:min(len(answer.Inputs), w.warmup)]))
			warm = true
		}
		began := time.Now()
		told, err := runInputs(ctx, r, answer.Inputs)
		took := time.Since(began)
		if err := errors.Join(w.tell(ctx, told), err); err != nil {
			return err
		}
		n = min(max(1, int(float64(len(told))*batchTime.Seconds()/took.Seconds())), maxBatch, 4*n)
	}
}

// runInputs runs inputs, and returns the observations of those that were run.
func runInputs(ctx context.Context, r *observe.Runner, inputs []openapi.AskedInput) ([]openapi.ToldObservation, error) {
	var told []openapi.ToldObservation
	for i, text := range textsOf(inputs) {
		o, err := r.Run(ctx, text)
		if err != nil {
			return told, err
		}
		t := openapi.ToldObservation{ID: inputs[i].ID, Counts: o.Counts, Calls: o.Calls, Outcome: openapi.ToldObservationOutcome(o.Outcome), DurationMs: float64(o.Duration) / float64(time.Millisecond)}
		if o.Methods != nil {
			t.Methods = &o.Methods
		}
		if f := o.Failure; f != nil {
			t.Failure = &openapi.CampaignFailure{Type: f.Type, Message: f.Message, Stack: f.Stack}
		}
		told = append(told, t)
	}
	return told, nil
}

// textsOf returns the bytes of inputs.
func textsOf(inputs []openapi.AskedInput) [][]byte {
	out := make([][]byte, len(inputs))
	for i, in := range inputs {
		out[i], _ = api.Decode(in.Input, in.InputBase64) // the service has encoded it
	}
	return out
}

// tell sends observations to the service, and shows the state of the campaign. It sends
// them even if the command is interrupted, unless the service does not answer in time.
func (w *fuzzWorker) tell(ctx context.Context, told []openapi.ToldObservation) error {
	if len(told) == 0 {
		return nil
	}
	ctx, cancel := parting(ctx)
	defer cancel()
	if err := w.retry(ctx, func() error { return w.addUnits(ctx) }); err != nil {
		return err
	}
	var answer openapi.TellAnswer
	err := w.retry(ctx, func() (err error) {
		answer, err = w.client.Tell(ctx, w.id, openapi.TellRequest{Observations: told})
		return err
	})
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ran += answer.Told
	w.line.Set(func() string {
		if c, err := w.client.Campaign(ctx, w.id); err == nil {
			w.campaign = c
		}
		return w.state()
	})
	return nil
}

// parting returns a context that ends partingTime after ctx.
func parting(ctx context.Context) (context.Context, context.CancelFunc) {
	out, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		late := time.AfterFunc(partingTime, func() { cancel(context.Cause(ctx)) })
		context.AfterFunc(out, func() { late.Stop() })
	})
	return out, func() {
		stop()
		cancel(nil)
	}
}

// addUnits sends the units of the program that the service does not know.
func (w *fuzzWorker) addUnits(ctx context.Context) error {
	about := w.program.Header()
	w.mu.Lock()
	known := w.units
	w.mu.Unlock()
	if len(about.Units) <= known {
		return nil
	}
	if err := w.client.AddUnits(ctx, about); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.units = max(w.units, len(about.Units))
	return nil
}

// retry repeats a request while the service cannot be reached, as during a restart.
func (w *fuzzWorker) retry(ctx context.Context, send func() error) error {
	for {
		err := send()
		_, unreachable := errors.AsType[*client.UnreachableError](err)
		problem, ok := errors.AsType[*client.ProblemError](err)
		if !unreachable && (!ok || problem.Status != http.StatusServiceUnavailable) {
			w.mu.Lock()
			w.outage = time.Time{}
			w.mu.Unlock()
			return err
		}
		w.mu.Lock()
		if w.outage.IsZero() {
			w.outage = time.Now()
			w.streams.Notef("%v; trying again for %v", err, maxOutage)
		}
		since := time.Since(w.outage)
		w.mu.Unlock()
		if since > maxOutage {
			return err
		}
		if err := pause(ctx, retryDelay); err != nil {
			return err
		}
	}
}

// pause waits.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// state returns the state of the campaign on one line.
func (w *fuzzWorker) state() string {
	c, took := w.campaign, time.Since(w.began)
	text := fmt.Sprintf("%v: campaign %d: %s (%d here, %.0f/s), %s, generation %d", took.Round(time.Second), c.ID, cli.Count(c.Runs, "run", "runs"),
		w.ran, float64(w.ran)/took.Seconds(), reachedText(c), c.Generation)
	if len(c.Aims) > 0 {
		text += ", " + c.Aims[0].Aim
	}
	return text
}

// reachedText returns the numbers of methods, failures and paths of a campaign.
func reachedText(c openapi.Campaign) string {
	possible, ok := new(big.Int).SetString(c.Coverage.Possible, 10)
	if !ok {
		possible = new(big.Int)
	}
	return fmt.Sprintf("%d of %s, %s, %d-paths %s %%", c.Reached, cli.Count(c.Methods, "method", "methods"), cli.Count(c.Failures, "failure", "failures"),
		c.Coverage.K, cli.Percent(c.Coverage.Covered, possible))
}

// A campaignReport is the output of fuzz --format json with a service.
type campaignReport struct {
	Campaign openapi.Campaign          `json:"campaign"`
	Failures []openapi.DistinctFailure `json:"failures"`
}

// reportCampaign prints the state of a campaign and its distinct failures.
func (c *fuzzCommand) reportCampaign(ctx context.Context, w *fuzzWorker) error {
	var state openapi.Campaign
	found := []openapi.DistinctFailure{}
	err := w.retry(ctx, func() (err error) {
		if state, err = w.client.Campaign(ctx, w.id); err != nil {
			return err
		}
		found = found[:0] // of an earlier try
		for f, err := range w.client.EachCampaignFailure(ctx, w.id) {
			if err != nil {
				return err
			}
			found = append(found, f)
		}
		return nil
	})
	if err != nil {
		return err
	}
	failures := []failure{}
	for _, f := range found {
		input, err := api.Decode(f.Input, f.InputBase64)
		if err != nil {
			return err
		}
		failures = append(failures, failure{
			Count: f.Count, Outcome: observation.Outcome(f.Outcome), Type: f.Type, Message: f.Message, Stack: f.Stack, Example: *newReproducer(input),
		})
	}
	if err := writeFailures("failures", c.failures, failures); err != nil {
		return err
	}
	if c.format == "json" {
		return cli.WriteJSON(c.Out, campaignReport{state, found})
	}
	end := string(state.State)
	if state.End != "" {
		end += " (" + string(state.End) + ")"
	}
	c.Notef("campaign %d: %s, of which %d here; %s; %s", state.ID, cli.Count(state.Runs, "run", "runs"), w.ran, reachedText(state), end)
	return printFailures(c.Out, failures)
}
