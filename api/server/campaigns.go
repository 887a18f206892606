package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/targeting/campaign"
)

// campaigns serves fuzzing campaigns. Observations are in the log of a campaign before
// they are acknowledged, and leases are stored before inputs are handed out. Everything
// else is computed from the log: the state of a campaign is rebuilt when a client asks
// for inputs or tells observations after a restart.
//
// Replicas that share a store share campaigns: any of them answers any request. A replica
// uses the campaign in its memory only if the stored campaign still has the same version,
// and stores a change only if it was made to that version. The state of each replica
// follows from the log.
//
// Inputs are not computed by requests, because a request that ends early must not leave
// half a generation. All campaigns share the turns of one client.
type campaigns struct {
	store      store.Store
	engine     *api.Engine
	turns      *turns
	log        *slog.Logger
	now        func() time.Time
	wait       time.Duration // for a turn
	detach     func(ctx context.Context) (context.Context, context.CancelFunc)
	maxRunning int  // campaigns that have not ended
	maxOpen    int  // campaigns in memory
	shared     bool // other replicas may change campaigns

	computing sync.WaitGroup
	active    atomic.Int64 // computations
	creating  sync.Mutex
	mu        sync.Mutex
	open      []*openCampaign          // the least recently used first
	changes   map[uint64]chan struct{} // closed at the next change of a campaign
}

// An openCampaign is a campaign in memory.
type openCampaign struct {
	id uint64

	mu      sync.Mutex
	record  store.Campaign
	loaded  bool // record and leases are set
	leases  map[string]store.Lease
	ready   []api.AskedInput // to hand out for the first time
	aims    []openapi.CampaignAim
	history []openapi.CampaignPoint
	closed  bool // no longer in campaigns.open

	state      *api.Campaign      // nil if it must be rebuilt; used by the computation while there is one
	at         uint64             // number in the log up to which the state includes observations
	cancel     context.CancelFunc // of the computation; nil if there is none
	rebuilding bool
	exhausted  bool // all inputs that can be computed before the next tell are handed out or ready
}

// Limits of a campaign.
const (
	maxReady       = 1000             // inputs that are computed before they are asked for
	maxGenerating  = 10 * time.Minute // time to compute inputs
	minRetry       = 50 * time.Millisecond
	maxRetry       = time.Second
	campaignClient = "campaigns" // in turns
)

// with calls use with a campaign that is locked and in memory. It repeats the call if
// another replica has changed the campaign meanwhile.
func (q *campaigns) with(ctx context.Context, id uint64, use func(o *openCampaign) error) error {
	for {
		o := q.find(id)
		used, err := q.try(ctx, o, use)
		if !used || errors.Is(err, store.ErrChanged) && ctx.Err() == nil {
			continue
		}
		q.evict(ctx, o)
		return err
	}
}

// try calls use with a campaign that it locks and loads. It reports false if the campaign
// was removed from memory in the meantime.
func (q *campaigns) try(ctx context.Context, o *openCampaign, use func(o *openCampaign) error) (used bool, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return false, nil
	}
	succeeded := false
	defer func() {
		if !succeeded { // it cannot be loaded, or use has panicked and may have left half a change
			q.close(o)
		}
	}()
	if err := q.load(ctx, o); err != nil {
		return true, err
	}
	err = use(o)
	succeeded = true
	o.loaded = o.loaded && !errors.Is(err, store.ErrChanged)
	return true, err
}

// find returns the campaign in memory with an ID, which may not be loaded.
func (q *campaigns) find(id uint64) *openCampaign {
	q.mu.Lock()
	defer q.mu.Unlock()
	at := slices.IndexFunc(q.open, func(o *openCampaign) bool { return o.id == id })
	o := &openCampaign{id: id}
	if at >= 0 {
		o = q.open[at]
		q.open = slices.Delete(q.open, at, at+1)
	}
	q.open = append(q.open, o)
	return o
}

// peek returns the campaign in memory with an ID, or nil if there is none.
func (q *campaigns) peek(id uint64) *openCampaign {
	q.mu.Lock()
	defer q.mu.Unlock()
	at := slices.IndexFunc(q.open, func(o *openCampaign) bool { return o.id == id })
	if at < 0 {
		return nil
	}
	return q.open[at]
}

// load reads a campaign without its state, unless memory has its current version.
func (q *campaigns) load(ctx context.Context, o *openCampaign) error {
	if o.loaded && !q.shared {
		return nil
	}
	record, err := q.store.Campaign(ctx, o.id)
	if err != nil || o.loaded && record.Version == o.record.Version {
		return err
	}
	leases, err := q.store.CampaignLeases(ctx, o.id)
	if err != nil {
		return err
	}
	points, err := q.store.CampaignHistory(ctx, o.id)
	if err != nil {
		return err
	}
	o.record, o.leases, o.history, o.loaded = record, map[string]store.Lease{}, historyOf(points), true
	for _, l := range leases {
		o.leases[l.ID] = l
	}
	if o.at != record.Last { // inputs may have been told
		o.ready, o.exhausted = nil, false
	}
	o.ready = slices.DeleteFunc(o.ready, func(in api.AskedInput) bool {
		_, leased := o.leases[in.ID]
		return leased
	})
	return nil
}

// close removes a locked campaign from memory.
func (q *campaigns) close(o *openCampaign) {
	o.closed = true
	if o.cancel != nil {
		o.cancel()
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.open = slices.DeleteFunc(q.open, func(other *openCampaign) bool { return other == o })
}

// evict removes the least recently used campaigns from memory if there are too many,
// except for keep and for campaigns with a running computation.
func (q *campaigns) evict(ctx context.Context, keep *openCampaign) {
	q.mu.Lock()
	excess := len(q.open) - q.maxOpen
	candidates := slices.Clone(q.open)
	q.mu.Unlock()
	for _, o := range candidates {
		if excess <= 0 {
			return
		}
		if o == keep || !o.mu.TryLock() {
			continue
		}
		if o.cancel == nil {
			q.close(o)
			excess--
			q.log.DebugContext(ctx, "campaign removed from memory", "campaign", o.id)
		}
		o.mu.Unlock()
	}
}

// count returns the numbers of campaigns in memory and of computations.
func (q *campaigns) count() (open, computing int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.open), int(q.active.Load())
}

// changed returns a channel that is closed at the next change of a campaign.
func (q *campaigns) changed(id uint64) <-chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.changes[id] == nil {
		q.changes[id] = make(chan struct{})
	}
	return q.changes[id]
}

// notify wakes all goroutines that wait for a change of a campaign.
func (q *campaigns) notify(id uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if c := q.changes[id]; c != nil {
		close(c)
		delete(q.changes, id)
	}
}

// forget wakes the goroutines that wait for a change of a campaign, and drops their
// channel, if the campaign does not exist or does not run and so will not change.
func (q *campaigns) forget(id uint64, state openapi.CampaignState, err error) {
	if err == nil && state != openapi.CampaignRunning || is[*store.NotFoundError](err) {
		q.notify(id)
	}
}

// notifyAll wakes all goroutines that wait for a change of any campaign.
func (q *campaigns) notifyAll() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for id, c := range q.changes {
		close(c)
		delete(q.changes, id)
	}
}

// create stores a campaign of a client.
func (q *campaigns) create(ctx context.Context, req openapi.CampaignRequest, client string) (openapi.Campaign, error) {
	var none openapi.Campaign
	header, err := q.store.Header(ctx, req.Subject, req.Commit)
	if err != nil && !is[*store.NotFoundError](err) {
		return none, err
	}
	state, err := q.engine.NewCampaign(ctx, &req, header.Units)
	if err != nil {
		return none, err
	}
	options, err := json.Marshal(req.Options)
	if err != nil {
		return none, err
	}
	request, err := json.Marshal(req)
	if err != nil {
		return none, err
	}
	c := store.Campaign{Subject: req.Subject, Commit: req.Commit, Grammar: req.Grammar, Start: req.Start, Options: options, Client: client}
	countCampaign(&c, state)
	q.creating.Lock()
	defer q.creating.Unlock()
	if err := q.admit(ctx, client); err != nil {
		return none, err
	}
	if c, err = q.store.NewCampaign(ctx, c, request, header.Units); err != nil {
		return none, err
	}
	err = q.with(ctx, c.ID, func(o *openCampaign) error {
		o.state = state
		return nil
	})
	if err != nil { // the campaign is stored, and its state is rebuilt when it is needed
		q.log.WarnContext(ctx, "campaign not in memory", "campaign", c.ID, "err", err)
	}
	return describeCampaign(c), nil
}

// admit rejects a campaign if too many have not ended. A client may have half of them.
func (q *campaigns) admit(ctx context.Context, client string) error {
	all, err := q.store.Campaigns(ctx, "", 0, -1)
	if err != nil {
		return err
	}
	running, own := 0, 0
	for _, c := range all {
		if c.State != store.CampaignRunning {
			continue
		}
		if running++; c.Client == client {
			own++
		}
	}
	switch {
	case running >= q.maxRunning:
		return tooManyRequests(time.Minute, "%d campaigns are running, the most allowed", running)
	case own >= (q.maxRunning+1)/2:
		return tooManyRequests(time.Minute, "%s: %d campaigns are running, the most allowed", client, own)
	}
	return nil
}

// ask returns inputs to run. It waits until there is one, but not longer than the
// request allows.
func (q *campaigns) ask(ctx context.Context, id uint64, req openapi.AskRequest) (openapi.AskAnswer, error) {
	timer := time.NewTimer(time.Duration(*req.WaitMs) * time.Millisecond)
	defer timer.Stop()
	for {
		var answer openapi.AskAnswer
		changed := q.changed(id)
		err := q.with(ctx, id, func(o *openCampaign) (err error) {
			answer, err = q.handOut(ctx, o, req)
			return err
		})
		if err != nil || len(answer.Inputs) > 0 || answer.State != openapi.CampaignRunning {
			q.forget(id, answer.State, err)
			return answer, err
		}
		select {
		case <-changed:
		case <-timer.C:
			return answer, nil
		case <-ctx.Done():
			return answer, context.Cause(ctx)
		}
	}
}

// handOut leases inputs of a locked campaign: first inputs whose leases have expired,
// then new ones. If there are none, it starts to compute some.
func (q *campaigns) handOut(ctx context.Context, o *openCampaign, req openapi.AskRequest) (openapi.AskAnswer, error) {
	answer := openapi.AskAnswer{Inputs: []openapi.AskedInput{}, State: openapi.CampaignState(o.record.State), End: openapi.CampaignEnd(o.record.End), Error: o.record.Error}
	if o.record.State != store.CampaignRunning {
		return answer, nil
	}
	now := q.now()
	expires := now.Add(time.Duration(req.LeaseMs) * time.Millisecond)
	var out []store.Lease
	for _, l := range o.leases {
		if !l.Expires.After(now) {
			out = append(out, l)
		}
	}
	slices.SortFunc(out, func(a, b store.Lease) int { return cmp.Compare(a.Number, b.Number) })
	out = out[:min(len(out), req.N)]
	fresh := o.ready[:min(len(o.ready), req.N-len(out))]
	for _, in := range fresh {
		out = append(out, store.Lease{ID: in.ID, Number: in.Number, Text: in.Text, Aim: in.Aim})
	}
	if len(out) == 0 {
		if !o.exhausted || o.state == nil {
			q.compute(ctx, o)
		}
		answer.Rebuilding, answer.RetryMs = o.rebuilding, int(q.retry(o, now).Milliseconds())
		return answer, nil
	}
	record := o.record
	record.Leased += len(fresh)
	for i := range out {
		out[i].Expires = expires
	}
	record, err := q.store.PutLeases(ctx, record, out)
	if err != nil {
		return answer, err
	}
	o.record, o.ready, answer.Expires = record, o.ready[len(fresh):], expires
	for _, l := range out {
		o.leases[l.ID] = l
		in := openapi.AskedInput{ID: l.ID, Number: l.Number, Aim: l.Aim}
		in.Input, in.InputBase64 = api.Encode(l.Text)
		answer.Inputs = append(answer.Inputs, in)
	}
	q.notify(o.id)
	return answer, nil
}

// retry returns the time after which a client may get an input.
func (q *campaigns) retry(o *openCampaign, now time.Time) time.Duration {
	after := maxRetry
	for _, l := range o.leases {
		after = min(after, l.Expires.Sub(now))
	}
	return max(after, minRetry)
}

// tell stores the observations of inputs.
func (q *campaigns) tell(ctx context.Context, id uint64, req openapi.TellRequest) (answer openapi.TellAnswer, err error) {
	err = q.with(ctx, id, func(o *openCampaign) error {
		answer, err = q.add(ctx, o, req)
		return err
	})
	return answer, err
}

// add stores the observations of inputs of a locked campaign.
func (q *campaigns) add(ctx context.Context, o *openCampaign, req openapi.TellRequest) (openapi.TellAnswer, error) {
	answer := openapi.TellAnswer{Unknown: []string{}}
	now := q.now().UTC()
	var told []store.Told
	var others []string // IDs of inputs that are not leased
	seen := map[string]bool{}
	for i, given := range req.Observations {
		lease, ok := o.leases[given.ID]
		observed, err := api.ToldObservation(lease.Text, given)
		if field, ok := errors.AsType[*openapi.FieldError](err); ok {
			return answer, &openapi.FieldError{Field: fmt.Sprintf("observations.%d.%s", i, field.Field), Problem: field.Problem}
		}
		switch {
		case seen[given.ID]:
			answer.Duplicates++
		case !ok:
			others = append(others, given.ID)
		default:
			seen[given.ID] = true
			told = append(told, store.Told{ID: given.ID, Time: now, Observation: observed})
		}
	}
	const maxUnknown = 100
	before, err := q.store.WasTold(ctx, o.id, others)
	if err != nil {
		return answer, err
	}
	for i, id := range others {
		switch {
		case before[i]:
			answer.Duplicates++
		case len(answer.Unknown) < maxUnknown:
			answer.Unknown = append(answer.Unknown, id)
		}
	}
	if err := q.append(ctx, o, told, now); err != nil {
		return answer, err
	}
	answer.Told, answer.State, answer.Runs = len(told), openapi.CampaignState(o.record.State), o.record.Runs
	return answer, nil
}

// append appends observations to the log of a locked campaign.
func (q *campaigns) append(ctx context.Context, o *openCampaign, told []store.Told, now time.Time) error {
	if len(told) == 0 {
		return nil
	}
	record := o.record
	record.Runs, record.Leased, record.Updated = record.Runs+len(told), record.Leased-len(told), now
	counted, changed := o.state != nil && o.cancel == nil && o.at == record.Last, false
	var err error
	for i := 0; i < len(told) && counted && err == nil; i++ {
		var point bool
		point, err = o.state.Tell(api.ToldInput(told[i]))
		changed = changed || point
	}
	if err == nil && counted {
		countCampaign(&record, o.state)
	}
	var history []store.CampaignPoint
	if changed {
		history = storedHistory(o.state.History())
	}
	if err == nil {
		record, err = q.save(ctx, record, told, history, counted)
	}
	if err != nil {
		if counted {
			o.state, o.ready = nil, nil // it has observations that are not in the log
		}
		return err
	}
	o.record, o.exhausted = record, false
	if counted {
		o.at, o.history = record.Last, slices.Clone(o.state.History())
	}
	for _, t := range told {
		delete(o.leases, t.ID)
	}
	// The next generation is computed while clients run their programs. If there is no
	// state, it is rebuilt, so that the counts are right.
	if record.State != store.CampaignFailed && (o.state == nil || o.at != record.Last || len(o.leases) == 0 && len(o.ready) == 0) {
		q.compute(ctx, o)
	}
	q.notify(o.id)
	return nil
}

// save stores a change of a campaign, even if the request or the computation has ended.
func (q *campaigns) save(ctx context.Context, c store.Campaign, told []store.Told, history []store.CampaignPoint, counted bool) (store.Campaign, error) {
	ctx, cancel := store.Finish(ctx)
	defer cancel()
	return q.store.Tell(ctx, c, told, history, counted)
}

// compute starts to compute the next inputs of a locked campaign, and its state if
// necessary, unless a computation is already running.
func (q *campaigns) compute(ctx context.Context, o *openCampaign) {
	if o.cancel != nil {
		return
	}
	ctx, cancel := q.detach(context.WithoutCancel(ctx))
	o.cancel, o.rebuilding = cancel, o.state == nil
	c := &computation{campaigns: q, open: o, state: o.state, last: o.at, record: o.record}
	q.computing.Go(func() {
		q.active.Add(1)
		defer q.active.Add(-1)
		err := c.guard(ctx, c.run)
		q.finish(ctx, c, err)
	})
}

// A computation computes inputs of a campaign. While it runs, observations are added only
// to the log.
type computation struct {
	*campaigns
	open   *openCampaign
	state  *api.Campaign
	last   uint64         // block of the log that the state includes
	record store.Campaign // when the computation began
	turn   *turn

	inputs int // that were computed
	ended  bool
}

// guard calls do, and returns its panics as errors.
func (c *computation) guard(ctx context.Context, do func(ctx context.Context) error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			c.log.ErrorContext(ctx, "campaign panicked", "campaign", c.open.id, "err", r, "stack", string(debug.Stack()))
			err = errPanicked
		}
	}()
	return do(ctx)
}

// run computes inputs.
func (c *computation) run(ctx context.Context) (err error) {
	if c.turn, err = c.turns.enter(ctx, campaignClient, c.wait); err != nil {
		return err
	}
	defer c.turn.end()
	if c.state == nil {
		err = c.rebuild(ctx)
	} else {
		err = c.catchUp(ctx) // with observations that other replicas were told
	}
	if err != nil {
		return err
	}
	if c.record.State != store.CampaignRunning {
		return nil
	}
	generating, cancel := context.WithTimeoutCause(ctx, maxGenerating, &limit.Error{What: "time to compute inputs", Value: maxGenerating.String()})
	defer cancel()
	inputs, err := c.state.Ask(generating, maxReady)
	if errors.Is(err, campaign.ErrEnded) {
		c.ended = true
		return nil
	}
	if err != nil && generating.Err() != nil {
		err = context.Cause(generating)
	}
	c.inputs = len(inputs)
	return err
}

var errPanicked = errors.New("internal error: the campaign panicked; the log of the service has the details")

// rebuild computes the state of a campaign from its log.
func (c *computation) rebuild(ctx context.Context) error {
	begun := time.Now()
	encoded, units, err := c.store.CampaignRequest(ctx, c.open.id)
	if err != nil {
		return err
	}
	var req openapi.CampaignRequest
	if err := json.Unmarshal(encoded, &req); err != nil {
		return err
	}
	if c.state, err = c.engine.NewCampaign(ctx, &req, units); err != nil {
		return err
	}
	c.last = 0
	if err := c.catchUp(ctx); err != nil {
		return err
	}
	c.log.InfoContext(ctx, "campaign rebuilt", "campaign", c.open.id, "runs", c.record.Runs, "took", time.Since(begun))
	return nil
}

// catchUp tells the state the observations that are in the log and not yet in the state.
func (c *computation) catchUp(ctx context.Context) error {
	for block, err := range c.store.CampaignLog(ctx, c.open.id, c.last) {
		if err != nil {
			return err
		}
		for _, t := range block.Told {
			if err := c.state.Restore(ctx, api.ToldInput(t)); err != nil {
				return cmp.Or(context.Cause(ctx), err)
			}
		}
		c.last = block.Number
		c.turn.pause() // others may take a turn
		if err := c.turn.take(ctx); err != nil {
			return err
		}
	}
	return nil
}

// finish ends a computation, and stores its results.
func (q *campaigns) finish(ctx context.Context, c *computation, err error) {
	o := c.open
	for {
		o.mu.Lock()
		if err == nil && !o.closed {
			err = q.load(ctx, o)
		}
		published := false
		if err == nil && !o.closed && c.last == o.record.Last {
			err, published = c.guard(ctx, func(ctx context.Context) error { return q.publish(ctx, o, c) }), true
		}
		if err != nil && !errors.Is(err, store.ErrChanged) || published && err == nil || o.closed {
			break
		}
		o.mu.Unlock()
		err = c.guard(ctx, c.catchUp)
	}
	defer o.mu.Unlock()
	interrupted := ctx.Err() != nil
	o.cancel()
	o.cancel, o.rebuilding = nil, false
	defer q.notify(o.id)
	if o.closed || err == nil {
		return
	}
	o.state, o.ready, o.exhausted = nil, nil, false
	if interrupted || temporary(err) {
		q.log.WarnContext(ctx, "campaign interrupted", "campaign", o.id, "err", err)
		return
	}
	record := o.record
	record.State, record.Error, record.Problem = store.CampaignFailed, excerpt(err.Error()), problemOf(err).Type
	q.log.ErrorContext(ctx, "campaign failed", "campaign", o.id, "err", err)
	if record, err = q.save(ctx, record, nil, nil, false); err != nil {
		q.log.ErrorContext(ctx, "campaign not saved", "campaign", o.id, "err", err)
		return
	}
	o.record = record
}

// temporary reports whether a computation that failed with an error may succeed later.
func temporary(err error) bool {
	return is[*retryError](err) || is[*store.NotFoundError](err) || errors.Is(err, store.ErrUnreadable) || errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrFull) || errors.Is(err, store.ErrStopped)
}

// publish stores the counts of a locked campaign after a computation, and makes its
// inputs ready.
func (q *campaigns) publish(ctx context.Context, o *openCampaign, c *computation) error {
	record := o.record
	countCampaign(&record, c.state)
	if c.ended && record.State == store.CampaignRunning {
		record.State, record.End = store.CampaignEnded, string(c.state.End())
	}
	record, err := q.save(ctx, record, nil, storedHistory(c.state.History()), true)
	if err != nil {
		return err
	}
	o.record, o.aims, o.history = record, c.state.Aims(), slices.Clone(c.state.History())
	if record.State == store.CampaignEnded || record.State != store.CampaignRunning && len(o.leases) == 0 {
		o.state, o.ready = nil, nil // nothing is left to do
		return nil
	}
	o.at = record.Last
	o.state, o.ready, o.exhausted = c.state, nil, c.inputs < maxReady && c.record.Last == record.Last
	for _, in := range c.state.Asked() {
		if _, leased := o.leases[in.ID]; !leased {
			o.ready = append(o.ready, in)
		}
	}
	return nil
}

// stop stops a campaign, unless it has ended.
func (q *campaigns) stop(ctx context.Context, id uint64) error {
	return q.with(ctx, id, func(o *openCampaign) error {
		if o.record.State != store.CampaignRunning {
			return nil
		}
		record := o.record
		record.State = store.CampaignStopped
		record, err := q.save(ctx, record, nil, nil, false)
		if err != nil {
			return err
		}
		if o.record = record; o.cancel == nil && len(o.leases) == 0 {
			o.state, o.ready = nil, nil
		}
		q.notify(o.id)
		return nil
	})
}

// delete deletes a campaign.
func (q *campaigns) delete(ctx context.Context, id uint64) error {
	return q.with(ctx, id, func(o *openCampaign) error {
		if err := q.store.DeleteCampaign(ctx, id); err != nil {
			return err
		}
		q.close(o)
		q.notify(id)
		return nil
	})
}

// get returns a campaign with its history and aims.
func (q *campaigns) get(ctx context.Context, id uint64) (openapi.Campaign, error) {
	if o := q.peek(id); o != nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.loaded && !o.closed && q.isCurrent(ctx, o) {
			out := describeCampaign(o.record)
			out.Aims, out.Rebuilding = o.aims, o.rebuilding
			out.History = withCurrent(o.history, out)
			return out, nil
		}
	}
	record, err := q.store.Campaign(ctx, id)
	if err != nil {
		return openapi.Campaign{}, err
	}
	points, err := q.store.CampaignHistory(ctx, id)
	out := describeCampaign(record)
	out.History = withCurrent(historyOf(points), out)
	return out, err
}

// isCurrent reports whether no other replica has changed a locked campaign since it was read.
func (q *campaigns) isCurrent(ctx context.Context, o *openCampaign) bool {
	if !q.shared {
		return true
	}
	stored, err := q.store.Campaign(ctx, o.id)
	return err == nil && stored.Version == o.record.Version
}

// withCurrent returns a history that ends with the current counts of a campaign.
func withCurrent(history []openapi.CampaignPoint, c openapi.Campaign) []openapi.CampaignPoint {
	if c.Runs == 0 || len(history) > 0 && history[len(history)-1].Runs == c.Runs {
		return history
	}
	return append(slices.Clone(history), openapi.CampaignPoint{Runs: c.Runs, Reached: c.Reached, Failures: c.Failures, Covered: c.Coverage.Covered, Time: c.Updated})
}

// countCampaign sets the counts of a stored campaign.
func countCampaign(c *store.Campaign, state *api.Campaign) {
	var now openapi.Campaign
	state.Describe(&now)
	c.Counts = store.CampaignCounts{
		Failing: now.Failing, Generation: now.Generation, Reached: now.Reached, Methods: now.Methods, Failures: now.Failures,
		K: now.Coverage.K, Covered: now.Coverage.Covered, Possible: now.Coverage.Possible,
	}
}

// describeCampaign describes a stored campaign.
func describeCampaign(c store.Campaign) openapi.Campaign {
	n := c.Counts
	out := openapi.Campaign{
		ID: int64(c.ID), State: openapi.CampaignState(c.State), End: openapi.CampaignEnd(c.End), Error: c.Error, Problem: c.Problem,
		Subject: c.Subject, Commit: c.Commit, Grammar: c.Grammar, Start: c.Start, Created: c.Created, Updated: c.Updated,
		Runs: c.Runs, Failing: n.Failing, Generation: n.Generation, Reached: n.Reached, Methods: n.Methods, Failures: n.Failures,
		Coverage: openapi.FitCoverage{K: n.K, Covered: n.Covered, Possible: n.Possible}, Leased: c.Leased,
	}
	_ = json.Unmarshal(c.Options, &out.Options) // which this package wrote
	return out
}

func historyOf(points []store.CampaignPoint) []openapi.CampaignPoint {
	return convert(points, func(p store.CampaignPoint) openapi.CampaignPoint {
		return openapi.CampaignPoint{Runs: p.Runs, Reached: p.Reached, Failures: p.Failures, Covered: p.Covered, Time: p.Time}
	})
}

func storedHistory(points []openapi.CampaignPoint) []store.CampaignPoint {
	return convert(points, func(p openapi.CampaignPoint) store.CampaignPoint {
		return store.CampaignPoint{Runs: p.Runs, Reached: p.Reached, Failures: p.Failures, Covered: p.Covered, Time: p.Time}
	})
}
