package postgres

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/queue"
	"github.com/inroad/inroad/api/store"
)

// helpPeriod is the time between two searches of an idle replica for shards to compute.
const helpPeriod = time.Second

// Errors that end the work on shards.
var (
	errOtherPlan = errors.New("this replica would train on other observations, or with another version of inroad")
	errBusy      = errors.New("this replica has a job of its own")
)

// jobShards are the shards of a training. The replica that runs the job creates them.
// Each replica that works on the training claims some shards as their owner, renews its
// lease while it computes them, and stores the results. The first result of a shard is
// kept. When the lease of an owner expires, others claim its shards.
type jobShards struct {
	*jobQueue
	job   int64
	owner []byte
	river int64 // the job of river; 0 if this replica only helps
	plan  []byte
}

// shards returns the shards of a job. river is the job of river that runs it, or 0 if this
// replica only helps.
func (q *jobQueue) shards(job uint64, river int64) *jobShards {
	return &jobShards{jobQueue: q, job: int64(job), owner: []byte(rand.Text()), river: river}
}

// Run implements [model.Shards]. A replica that helps gets [queue.ErrHelped] when no shard
// is left to claim.
func (s *jobShards) Run(ctx context.Context, plan []byte, n int, compute func(ctx context.Context, shards []int) ([][]byte, error), others func(shards []int)) ([][]byte, error) {
	s.plan = plan
	if err := s.open(ctx, n); err != nil {
		return nil, err
	}
	defer s.release(ctx)
	known := make([]bool, n) // shards whose progress was reported
	for {
		claimed, err := s.claim(ctx)
		if err != nil {
			return nil, err
		}
		if len(claimed) > 0 {
			if err := s.compute(ctx, claimed, compute); err != nil {
				return nil, err
			}
		}
		computed, err := s.computed(ctx)
		if err != nil {
			return nil, err
		}
		others(slices.DeleteFunc(slices.Clone(computed), func(shard int) bool { return known[shard] || slices.Contains(claimed, shard) }))
		for _, shard := range computed {
			known[shard] = true
		}
		switch {
		case len(computed) == n && s.river != 0:
			return s.results(ctx)
		case len(claimed) > 0:
			continue
		case s.river == 0:
			return nil, queue.ErrHelped
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(progressPeriod):
		}
	}
}

// open creates n shards, unless an earlier attempt has created them with the same plan.
func (s *jobShards) open(ctx context.Context, n int) error {
	return s.store.update(ctx, func(tx pgx.Tx) error {
		row, err := lockJob(ctx, tx, uint64(s.job))
		if err != nil {
			return err
		}
		if s.river != 0 && row.river != s.river {
			return errSuperseded
		}
		var plan []byte
		if err := tx.QueryRow(ctx, "select plan from jobs where id = $1", s.job).Scan(&plan); err != nil {
			return err
		}
		switch {
		case bytes.Equal(plan, s.plan):
			return nil
		case s.river == 0:
			return errOtherPlan
		}
		if _, err := tx.Exec(ctx, "delete from shards where job_id = $1", s.job); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "insert into shards (job_id, number) select $1, generate_series(0, $2::int - 1)", s.job, n); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "update jobs set plan = $2 where id = $1", s.job, s.plan)
		return err
	})
}

// Conditions of shards.
const (
	// Nobody computes the shard.
	claimable = "shards.result is null and (shards.lease is null or shards.lease < clock_timestamp())"
	// The shard belongs to the job and has the plan of this replica: a later attempt may
	// have created shards with another plan, in another number.
	ofPlan = "shards.job_id = $1 and exists (select from jobs where id = $1 and plan = $2)"
)

// claim claims shards. Each replica that works on the training or is idle gets an equal share
// of the shards that are left: each call of compute repeats some work, so few calls are best.
func (s *jobShards) claim(ctx context.Context) (claimed []int, err error) {
	self := ""
	if r := s.store.replica; r != nil {
		self = r.id
	}
	err = s.store.updateRepeatably(ctx, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `
			with working as (select count(distinct owner) as n from shards where job_id = $1 and result is null and lease >= clock_timestamp() and owner <> $3),
			idle as (select count(*) as n from replicas where idle and id <> $4 and seen > clock_timestamp() - $5::interval),
			share as (select ceil(count(*)::numeric / (1 + (select n from working) + (select n from idle))) as n from shards where `+ofPlan+` and `+claimable+`),
			chosen as (select number from shards where `+ofPlan+` and `+claimable+` order by number limit (select n from share) for update skip locked)
			update shards set owner = $3, lease = clock_timestamp() + $6::interval from chosen
			where job_id = $1 and shards.number = chosen.number returning shards.number`, s.job, s.plan, s.owner, self, livePeriod, leasePeriod)
		if err != nil {
			return err
		}
		claimed, err = pgx.CollectRows(rows, pgx.RowTo[int])
		return err
	})
	return claimed, err
}

// compute computes shards and stores their results. Meanwhile it renews the lease.
func (s *jobShards) compute(ctx context.Context, shards []int, compute func(ctx context.Context, shards []int) ([][]byte, error)) error {
	work, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var renewing sync.WaitGroup
	renewing.Go(func() { s.renewAlways(work, cancel) })
	results, err := compute(work, shards)
	cause := context.Cause(work)
	cancel(nil)
	renewing.Wait()
	if errors.Is(cause, errSuperseded) && ctx.Err() == nil {
		return nil // others compute the shards
	}
	if err != nil {
		return err
	}
	return s.store.updateRepeatably(ctx, func(tx pgx.Tx) error {
		for i, shard := range shards {
			data, err := s.store.blocks.Encode(results[i])
			if err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, "update shards set result = $4 where "+ofPlan+" and number = $3 and result is null", s.job, s.plan, shard, data); err != nil {
				return err
			}
		}
		return nil
	})
}

// renewAlways renews the lease until ctx ends. It calls cancel when the shards do not
// belong to this replica any more.
func (s *jobShards) renewAlways(ctx context.Context, cancel context.CancelCauseFunc) {
	ticker := time.NewTicker(renewPeriod)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		err := s.store.updateRepeatably(ctx, func(tx pgx.Tx) error {
			tag, err := tx.Exec(ctx, "update shards set lease = clock_timestamp() + $3::interval where job_id = $1 and owner = $2 and result is null", s.job, s.owner, leasePeriod)
			if err == nil && tag.RowsAffected() == 0 {
				err = errSuperseded
			}
			return err
		})
		if errors.Is(err, errSuperseded) {
			cancel(err)
			return
		}
	}
}

// release lets others claim the shards of this replica.
func (s *jobShards) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	// If this fails, others claim the shards when the lease expires.
	_, _ = s.store.pool.Exec(ctx, "update shards set owner = null, lease = null where job_id = $1 and owner = $2 and result is null", s.job, s.owner)
}

// computed returns the numbers of the shards with a result.
func (s *jobShards) computed(ctx context.Context) (out []int, err error) {
	err = s.store.view(ctx, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, "select number from shards where "+ofPlan+" and result is not null", s.job, s.plan)
		if err == nil {
			out, err = pgx.CollectRows(rows, pgx.RowTo[int])
		}
		return err
	})
	return out, err
}

// results returns the results of all shards.
func (s *jobShards) results(ctx context.Context) (out [][]byte, err error) {
	var stored [][]byte
	err = s.store.view(ctx, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, "select result from shards where "+ofPlan+" order by number", s.job, s.plan)
		if err == nil {
			stored, err = pgx.CollectRows(rows, pgx.RowTo[[]byte])
		}
		return err
	})
	out = make([][]byte, len(stored))
	for i := range stored {
		if err == nil {
			err = s.store.blocks.Decode(stored[i], &out[i])
		}
	}
	return out, err
}

// A turn says whether this replica may help with jobs of others: only while it has no job
// of its own.
type turn struct {
	mu     sync.Mutex
	busy   bool
	cancel context.CancelCauseFunc // ends the help; nil if there is none
	done   chan struct{}           // closed at the end of the help
}

// stop ends the help and waits for its end. The replica does not help again until allow is
// called.
func (t *turn) stop() {
	t.mu.Lock()
	t.busy = true
	cancel, done := t.cancel, t.done
	t.mu.Unlock()
	if cancel != nil {
		cancel(errBusy)
		<-done
	}
}

// allow lets this replica help.
func (t *turn) allow() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.busy = false
}

// begin begins to help, unless this replica is busy. The caller calls end.
func (t *turn) begin(ctx context.Context) (work context.Context, end func(), ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.busy {
		return nil, nil, false
	}
	work, cancel := context.WithCancelCause(ctx)
	t.cancel, t.done = cancel, make(chan struct{})
	return work, func() {
		cancel(nil)
		t.mu.Lock()
		defer t.mu.Unlock()
		close(t.done)
		t.cancel = nil
	}, true
}

// idle reports whether this replica runs no job.
func (t *turn) idle() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return !t.busy && t.cancel == nil
}

// helpAlways helps with the jobs of other replicas until ctx ends.
func (q *jobQueue) helpAlways(ctx context.Context, run queue.Run) {
	ticker := time.NewTicker(helpPeriod)
	defer ticker.Stop()
	failed := map[int64]bool{} // jobs that this replica cannot help with
	defer q.reportIdle(ctx, false)
	for {
		q.reportIdle(ctx, q.help.idle())
		if job, err := q.findShards(ctx, failed); err == nil && job != 0 && !q.helpWith(ctx, run, job) {
			failed[job] = true
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// reportIdle tells other replicas whether this one is idle.
func (q *jobQueue) reportIdle(ctx context.Context, idle bool) {
	if r := q.store.replica; r != nil && r.idle.Swap(idle) != idle {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = r.report(ctx) // if this fails, the next report says so
	}
}

// findShards returns a job with shards that nobody computes, or 0 if there is none.
func (q *jobQueue) findShards(ctx context.Context, failed map[int64]bool) (job int64, err error) {
	if !q.help.idle() {
		return 0, nil
	}
	err = q.store.view(ctx, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, "select distinct job_id from shards join jobs on jobs.id = job_id where not ended and not queued and "+claimable+" order by job_id")
		if err != nil {
			return err
		}
		jobs, err := pgx.CollectRows(rows, pgx.RowTo[int64])
		for _, id := range jobs {
			if !failed[id] {
				job = id
				return err
			}
		}
		return err
	})
	return job, err
}

// helpWith computes shards of a job that another replica runs. It reports false if this
// replica cannot help with the job.
func (q *jobQueue) helpWith(ctx context.Context, run queue.Run, id int64) bool {
	work, end, ok := q.help.begin(ctx)
	if !ok {
		return true
	}
	defer end()
	start := time.Now()
	j, err := q.store.Job(work, uint64(id))
	if err != nil || j.State.Ended() {
		return true
	}
	work, cancel := context.WithCancelCause(work)
	var watching sync.WaitGroup
	watching.Go(func() { q.watch(work, uint64(id), cancel) })
	_, err = q.Attempt(work, run, j, queue.Work{Report: func(openapi.Progress) {}, Shards: q.shards(j.ID, 0)})
	cause := context.Cause(work)
	cancel(nil)
	watching.Wait()
	q.Log.InfoContext(ctx, "helped with job", "job", j.ID, "took", time.Since(start), "err", err)
	return errors.Is(err, queue.ErrHelped) || errors.Is(err, store.ErrUnavailable) || cause != nil
}

// watch cancels the help with a job when the job has ended.
func (q *jobQueue) watch(ctx context.Context, id uint64, cancel context.CancelCauseFunc) {
	for {
		j, changed, err := q.Get(ctx, id)
		if err == nil && j.State.Ended() {
			cancel(queue.ErrCancelled)
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
		case <-time.After(renewPeriod):
		}
	}
}
