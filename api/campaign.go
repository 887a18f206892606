package api

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"time"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/targeting/campaign"
	"github.com/inroad/inroad/targeting/generate"
)

// A Campaign is a [campaign.Campaign] whose inputs have IDs. The same request and the
// same observations give the same inputs. It is not safe for concurrent use.
type Campaign struct {
	campaign *campaign.Campaign
	asked    map[string]campaign.Input // handed-out inputs without an observation, by ID
	early    map[string]ToldInput      // observations of inputs that were not asked for yet, by ID
	history  history
}

// A ToldInput is the observation of an input and the time at which it was told.
type ToldInput struct {
	ID          string
	Time        time.Time
	Observation observation.Observation
}

// An AskedInput is an input to run.
type AskedInput struct {
	ID string
	campaign.Input
}

// InputID returns the ID of an input in a campaign: a digest of the input.
func InputID(input []byte) string {
	digest := sha256.Sum256(input)
	return hex.EncodeToString(digest[:16])
}

// NewCampaign returns the campaign of a request, with the known units of its program. It
// sets absent options to their defaults, and draws the seed if it is 0.
func (e *Engine) NewCampaign(ctx context.Context, req *openapi.CampaignRequest, units []observation.Unit) (*Campaign, error) {
	if err := openapi.Validate(req); err != nil {
		return nil, err
	}
	g, err := e.Library.Grammar(ctx, req.Grammar)
	if err != nil {
		return nil, err
	}
	req.Options.Seed = new(openapi.Seed(Seed(req.Options.Seed)))
	opt := campaignOptions(req.Options)
	opt.Units, opt.Sources = units, g.Sources
	if opt.Start, err = g.ProductiveRule(req.Start); err != nil {
		return nil, err
	}
	if slices.Contains(opt.Ignore, opt.Goal) {
		return nil, openapi.FieldErrorf("options.ignore", "must not contain the goal %s", opt.Goal)
	}
	if opt.Corpus, err = corpusOf(g, req.Corpus); err != nil {
		return nil, err
	}
	if g.Bundled {
		if opt.Names, err = generate.SampleNames(ctx, g.ID, g.Grammar); err != nil {
			return nil, err
		}
	}
	c, err := campaign.New(ctx, g.Grammar, opt)
	if errors.Is(err, campaign.ErrNoCorpus) {
		err = openapi.FieldErrorf("corpus", "must have inputs of the grammar for algorithm %s", opt.Algorithm)
	}
	if err != nil {
		return nil, err
	}
	return &Campaign{campaign: c, asked: map[string]campaign.Input{}, early: map[string]ToldInput{}}, nil
}

// corpusOf returns the inputs of a corpus, or the samples of a bundled grammar if the
// corpus is empty.
func corpusOf(g *Grammar, given []openapi.Input) ([][]byte, error) {
	var corpus [][]byte
	if len(given) == 0 && g.Bundled {
		samples, err := bundled.Samples(g.ID)
		for _, s := range samples {
			corpus = append(corpus, s.Text)
		}
		return corpus, err
	}
	for i, in := range given {
		input, err := Decode(in.Input, in.InputBase64)
		if field, ok := errors.AsType[*openapi.FieldError](err); ok {
			return nil, &openapi.FieldError{Field: fmt.Sprintf("corpus.%d.%s", i, field.Field), Value: field.Value, Problem: field.Problem}
		}
		corpus = append(corpus, input)
	}
	return corpus, nil
}

// campaignOptions returns the options of a valid request.
func campaignOptions(o openapi.CampaignOptions) campaign.Options {
	unlimited := func(n int) int { return cmp.Or(n, -1) } // 0 would select the default
	out := campaign.Options{
		Algorithm: campaign.Algorithm(o.Algorithm), Goal: campaign.Goal(o.Goal), Seed: uint64(*o.Seed), Runs: o.N, K: o.K,
		MaxNodes: o.MaxNodes, Expansions: o.Expansions,
		Guided: campaign.GuidedOptions{Round: o.Population, Rows: o.TrainOn, Effort: o.Effort},
		EvoGFuzz: campaign.EvoGFuzzOptions{
			Generations: unlimited(o.Generations), Patience: o.Patience, Population: o.Population, Elitism: *o.Elitism,
			Tournaments: unlimited(*o.Tournaments), TournamentSize: o.TournamentSize, Mutations: unlimited(*o.Mutations),
			Structure: campaign.StructureScore(o.Structure), Lambda: o.Lambda,
		},
		FDLoop: campaign.FDLoopOptions{
			Generations: unlimited(o.Generations), Inputs: o.Population, Seeds: o.Seeds, MaxMappings: o.MaxMappings, Calibration: o.Calibration,
			Flipped: o.Flipped, Depth: o.MappingDepth, Timeout: duration(o.TimeoutMs),
			Pareto: o.Pareto, Size: o.SizeWeight, Novelty: o.NoveltyWeight,
		},
	}
	if out.EvoGFuzz.Elitism == 0 {
		out.EvoGFuzz.Elitism = -1
	}
	if o.BaseInput != nil {
		out.EvoGFuzz.BaseInput = []byte(*o.BaseInput)
	}
	for _, goal := range o.Ignore {
		out.Ignore = append(out.Ignore, campaign.Goal(goal))
	}
	return out
}

// Ask returns up to n inputs to run. It returns none while observations of the current
// generation are missing, and [campaign.ErrEnded] after the end. After any other error,
// the campaign must not be used again.
func (c *Campaign) Ask(ctx context.Context, n int) ([]AskedInput, error) {
	var out []AskedInput
	for len(out) < n {
		asked, err := c.campaign.Ask(ctx, n-len(out))
		if err != nil && (!errors.Is(err, campaign.ErrEnded) || len(out) == 0) {
			return nil, err
		}
		if len(asked) == 0 {
			break
		}
		for _, in := range asked {
			id := InputID(in.Text)
			c.asked[id] = in
			if told, ok := c.early[id]; ok {
				delete(c.early, id)
				if _, err := c.Tell(told); err != nil {
					return nil, err
				}
				continue
			}
			out = append(out, AskedInput{id, in})
		}
	}
	return out, nil
}

// Tell records the first observation of an input, and reports whether the history has
// changed. If the input was not asked for, because another version of inroad generated
// it, Tell keeps the observation until the input is asked for.
func (c *Campaign) Tell(t ToldInput) (bool, error) {
	in, ok := c.asked[t.ID]
	if !ok {
		c.early[t.ID] = t
		return false, nil
	}
	delete(c.asked, t.ID)
	if err := c.campaign.Tell(in.Number, t.Observation); err != nil {
		return false, err
	}
	return c.history.add(c.point(t.Time)), nil
}

// Restore replays an observation that was told before, to rebuild the state of a
// campaign. Observations must be restored in the order in which they were told.
func (c *Campaign) Restore(ctx context.Context, t ToldInput) error {
	const many = 100
	for {
		if _, ok := c.asked[t.ID]; ok {
			break
		}
		asked, err := c.Ask(ctx, many)
		if err != nil && !errors.Is(err, campaign.ErrEnded) {
			return err
		}
		if len(asked) == 0 {
			break
		}
	}
	_, err := c.Tell(t)
	return err
}

// Asked returns the handed-out inputs without an observation, by number.
func (c *Campaign) Asked() []AskedInput {
	var out []AskedInput
	for id, in := range c.asked {
		out = append(out, AskedInput{id, in})
	}
	slices.SortFunc(out, func(a, b AskedInput) int { return a.Number - b.Number })
	return out
}

// Describe sets the counts of an answer.
func (c *Campaign) Describe(out *openapi.Campaign) {
	s := c.campaign.Status()
	out.Failing, out.Generation, out.Reached, out.Methods, out.Failures = s.Failing, s.Generation, s.Reached, s.Units, s.Failures
	out.Coverage = openapi.FitCoverage{K: s.K, Covered: s.Paths, Possible: s.AllPaths.String()}
}

// Aims returns the aims of the inputs of the current generation.
func (c *Campaign) Aims() []openapi.CampaignAim {
	var out []openapi.CampaignAim
	for _, a := range c.campaign.Aims() {
		out = append(out, openapi.CampaignAim{Aim: a.Text, Inputs: a.Inputs})
	}
	return out
}

// End returns why the campaign ended; "" if it goes on.
func (c *Campaign) End() openapi.CampaignEnd {
	return openapi.CampaignEnd(c.campaign.Status().End)
}

// History returns the history of the campaign. The caller must not change it.
func (c *Campaign) History() []openapi.CampaignPoint { return c.history.points }

func (c *Campaign) point(at time.Time) openapi.CampaignPoint {
	s := c.campaign.Status()
	return openapi.CampaignPoint{Runs: s.Runs, Reached: s.Reached, Failures: s.Failures, Covered: s.Paths, Time: at}
}

// maxPoints is the maximum number of points of a history.
const maxPoints = 256

// A history holds points at equal intervals of runs. When it is full, every second point
// is dropped.
type history struct {
	points []openapi.CampaignPoint
	step   int // runs between two points; 0 means 1
}

// add adds a point if its number of runs is a multiple of the step. It reports whether
// the history has changed.
func (h *history) add(p openapi.CampaignPoint) bool {
	h.step = max(h.step, 1)
	if p.Runs%h.step != 0 {
		return false
	}
	if len(h.points) == maxPoints {
		h.step *= 2
		h.points = slices.DeleteFunc(slices.Clone(h.points), func(p openapi.CampaignPoint) bool { return p.Runs%h.step != 0 })
		if p.Runs%h.step != 0 {
			return true
		}
	}
	h.points = append(h.points, p)
	return true
}

// ToldObservation returns the observation of an input in a request, and an error if its
// fields contradict each other.
func ToldObservation(input []byte, t openapi.ToldObservation) (observation.Observation, error) {
	o := observation.Observation{
		Input: input, Counts: t.Counts, Calls: t.Calls, Outcome: observation.Outcome(t.Outcome), Duration: duration(t.DurationMs),
	}
	if t.Methods != nil {
		o.Methods = append([]string{}, *t.Methods...)
	}
	if f := t.Failure; f != nil {
		o.Failure = &observation.Failure{Type: f.Type, Message: f.Message, Stack: f.Stack}
		o.Outcome = cmp.Or(o.Outcome, observation.Failed)
	}
	switch {
	case o.Failure != nil && o.Outcome == observation.OK:
		return o, openapi.FieldErrorf("outcome", "ok: must not have a failure")
	case o.Counts != nil && len(o.Counts) != len(o.Methods):
		return o, openapi.FieldErrorf("counts", "%d counts for %d methods: must be equal", len(o.Counts), len(o.Methods))
	}
	return o.Normalized(), nil
}

// CampaignFailures returns a page of the distinct failures of observations. All pages are
// computed from the same observations as the first page.
func CampaignFailures(told iter.Seq2[ToldInput, error], cursor string, limit int) (openapi.FailureList, error) {
	const list = "campaign failures"
	first, of, err := ReadOffset(list, cursor)
	if err != nil {
		return openapi.FailureList{}, err
	}
	var groups observation.OutcomeGroups
	runs := 0
	for t, err := range told {
		if err != nil {
			return openapi.FailureList{}, err
		}
		if strconv.Itoa(runs) == of {
			break
		}
		runs++
		groups.Add(t.Observation)
	}
	all := groups.All()
	out := openapi.FailureList{Failures: []openapi.DistinctFailure{}, Distinct: len(all)}
	rest := all[min(first, len(all)):]
	if len(rest) > limit {
		rest, out.Next = rest[:limit], NewCursor(list, strconv.Itoa(first+limit), strconv.Itoa(runs))
	}
	for _, g := range rest {
		f, input := g.Failure(), g.Example.Input
		item := openapi.DistinctFailure{Count: g.Count, Outcome: string(g.Example.Outcome), Type: f.Type, Message: f.Message, Stack: f.Stack, ID: InputID(input)}
		item.Input, item.InputBase64 = Encode(input)
		out.Failures = append(out.Failures, item)
	}
	return out, nil
}

// CampaignInputs returns a page of the observations that [campaign.Finder] reports as
// findings, newest first.
func CampaignInputs(told iter.Seq2[ToldInput, error], cursor string, limit int) (openapi.CampaignInputList, error) {
	const list = "campaign inputs"
	number, err := ReadNumber(list, cursor)
	if err != nil {
		return openapi.CampaignInputList{}, err
	}
	before := int64(number)
	var finder campaign.Finder
	var found []openapi.CampaignInput // the latest findings, oldest first
	more, run := false, int64(0)
	for t, err := range told {
		if err != nil {
			return openapi.CampaignInputList{}, err
		}
		if run++; before > 0 && run >= before {
			break
		}
		f, ok := finder.Add(t.Observation)
		if !ok {
			continue
		}
		o := t.Observation
		item := openapi.CampaignInput{
			Run: run, ID: t.ID, Outcome: string(o.Outcome), Reached: len(o.Methods), NewMethods: append([]string{}, f.Units...), NewFailure: f.Failure,
			DurationMs: milliseconds(o.Duration),
		}
		item.Input, item.InputBase64 = Encode(o.Input)
		if found = append(found, item); len(found) > limit {
			found, more = found[1:], true
		}
	}
	slices.Reverse(found)
	out := openapi.CampaignInputList{Inputs: append([]openapi.CampaignInput{}, found...)}
	if more {
		out.Next = NumberCursor(list, uint64(found[len(found)-1].Run))
	}
	return out, nil
}
