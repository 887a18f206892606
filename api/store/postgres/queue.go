package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/queue"
	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/internal/encoding"
)

const (
	// leasePeriod is the duration of a lease of a job. When the lease has expired,
	// another replica may run the job.
	leasePeriod = 10 * time.Second
	renewPeriod = leasePeriod / 4
	// progressPeriod is the least time between two reports of progress.
	progressPeriod = 300 * time.Millisecond
	// repairPeriod is the time between two searches for jobs that nobody runs.
	repairPeriod = 2 * time.Second
	// maxAttempts is the maximum number of times that a job is started if its replica
	// does not survive it. It is larger than for one process, because replicas also end
	// when machines fail or a new version is rolled out.
	maxAttempts = 10
	// maxDuration ends a job of river. By then, river also forgets a job whose replica
	// was killed; this package has replaced it long before.
	maxDuration = 7 * 24 * time.Hour
)

// A jobQueue is a queue that all replicas of a service share. The table jobs has the
// state of each job. A job of river, which is added in the same transaction, makes one
// replica run the job. The table names this job of river; any other has no effect.
//
// While a replica runs a job, it renews a lease. If the lease expires, because the
// replica was killed, stopped or cut off, the job is queued again with a new job of
// river. The replica that has lost its lease can no longer complete the job.
type jobQueue struct {
	queue.Options
	store *Store
	river *river.Client[pgx.Tx] // adds jobs

	help turn // to help with jobs of other replicas

	mu      sync.Mutex
	changes map[uint64]chan struct{} // closed at the next change of a job
}

// maxPriority is the number of the lowest priority of a job of river.
const maxPriority = 4

// trainArgs are the arguments of a job of river.
type trainArgs struct {
	Job uint64 `json:"job"`
}

// Kind implements [river.JobArgs].
func (trainArgs) Kind() string { return "train" }

// errSuperseded ends the work of a replica on a job that it no longer has.
var errSuperseded = errors.New("another replica has the job")

// Queue returns the queue of the database. Options.MaxQueued limits the jobs of all
// replicas.
func (s *Store) Queue(o queue.Options) (queue.Queue, error) {
	client, err := river.NewClient(riverpgxv5.New(s.pool), &river.Config{Schema: schema, Logger: riverLogger(o.Log)})
	if err != nil {
		return nil, err
	}
	q := &jobQueue{Options: o, store: s, river: client, changes: map[uint64]chan struct{}{}}
	s.Subscribe(q.announce)
	return q, nil
}

// riverLogger returns a logger for warnings of river.
func riverLogger(log *slog.Logger) *slog.Logger { return slog.New(warnings{log.Handler()}) }

// warnings drops messages below the level of warnings.
type warnings struct{ slog.Handler }

// Enabled implements [slog.Handler].
func (h warnings) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && h.Handler.Enabled(ctx, level)
}

// announce wakes all goroutines that wait for a change.
func (q *jobQueue) announce(c store.Change) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if c.Kind == store.AnyChange {
		for id := range q.changes {
			q.wake(id)
		}
		return
	}
	if id, err := strconv.ParseUint(c.ID, 10, 64); err == nil && c.Kind == store.JobChange {
		q.wake(id)
	}
}

func (q *jobQueue) wake(id uint64) {
	if changed := q.changes[id]; changed != nil {
		close(changed)
		delete(q.changes, id)
	}
}

// changed returns a channel that is closed at the next change of a job.
func (q *jobQueue) changed(id uint64) <-chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.changes[id] == nil {
		q.changes[id] = make(chan struct{})
	}
	return q.changes[id]
}

// Add implements [queue.Queue].
func (q *jobQueue) Add(ctx context.Context, j store.Job, client string) (store.Job, error) {
	err := q.store.update(ctx, func(tx pgx.Tx) error {
		// Others wait here, so that the counts stay true and a request gets one job.
		if _, err := tx.Exec(ctx, "select from counters where name = 'jobs' for update"); err != nil {
			return err
		}
		if j.RequestKey != "" {
			err := get(ctx, tx, &j, pgx.ErrNoRows, "select data from jobs where request = $1", []byte(j.RequestKey))
			if !errors.Is(err, pgx.ErrNoRows) {
				return err
			}
		}
		var queued, own int
		err := tx.QueryRow(ctx, "select count(*), count(*) filter (where client = $1) from jobs where queued and not ended", []byte(client)).Scan(&queued, &own)
		if err == nil {
			err = q.Check(client, queued, own)
		}
		if err != nil {
			return err
		}
		n, err := next(ctx, tx, "jobs")
		if err != nil {
			return err
		}
		// The more jobs of a client are queued, the more jobs of others go first.
		row, err := q.insert(ctx, tx, n, own+1)
		if err != nil {
			return err
		}
		j.ID, j.State, j.Created = n, store.Queued, q.store.now()
		return put(ctx, tx, j, "insert into jobs (id, subject, ended, queued, client, request, river_id, data) values ($1, $2, false, true, $3, nullif($4, ''::bytea), $5, $6)",
			int64(n), []byte(j.Subject), []byte(client), []byte(j.RequestKey), row)
	})
	return j, err
}

// insert adds a job of river, and returns its ID.
func (q *jobQueue) insert(ctx context.Context, tx pgx.Tx, id uint64, priority int) (int64, error) {
	added, err := q.river.InsertTx(ctx, tx, trainArgs{Job: id}, &river.InsertOpts{Priority: min(priority, maxPriority)})
	if err != nil {
		return 0, err
	}
	return added.Job.ID, nil
}

// Get implements [queue.Queue].
func (q *jobQueue) Get(ctx context.Context, id uint64) (queue.Job, <-chan struct{}, error) {
	changed := q.changed(id)
	var out queue.Job
	err := q.store.view(ctx, func(tx pgx.Tx) error {
		var data, progress []byte
		err := tx.QueryRow(ctx, "select data, progress from jobs where id = $1", int64(id)).Scan(&data, &progress)
		if errors.Is(err, pgx.ErrNoRows) {
			return store.NotFound("job", fmt.Sprint(id))
		}
		out = queue.Job{}
		if err == nil {
			err = encoding.Decode(data, &out.Job)
		}
		if err == nil && out.State == store.Running && progress != nil {
			err = json.Unmarshal(progress, &out.Progress)
		}
		return err
	})
	if err != nil || out.State.Ended() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.wake(id)
		return out, nil, err
	}
	return out, changed, nil
}

// Waiting implements [queue.Queue].
func (q *jobQueue) Waiting() (n int) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = q.store.pool.QueryRow(ctx, "select count(*) from jobs where queued and not ended").Scan(&n)
	return n
}

// A jobRow is a row of the table jobs, which is locked.
type jobRow struct {
	store.Job
	river  int64 // 0 if there is none
	queued bool
}

// lockJob reads and locks a job that has not ended. It returns [errSuperseded] if there
// is none.
func lockJob(ctx context.Context, tx pgx.Tx, id uint64) (jobRow, error) {
	var row jobRow
	var data []byte
	err := tx.QueryRow(ctx, "select data, coalesce(river_id, 0), queued from jobs where id = $1 and not ended for update", int64(id)).Scan(&data, &row.river, &row.queued)
	if errors.Is(err, pgx.ErrNoRows) {
		return row, errSuperseded
	}
	if err != nil {
		return row, err
	}
	return row, encoding.Decode(data, &row.Job)
}

// Cancel implements [queue.Queue]. The job ends at once; a replica that runs it notices
// soon.
func (q *jobQueue) Cancel(ctx context.Context, id uint64) error {
	err := q.store.update(ctx, func(tx pgx.Tx) error {
		row, err := lockJob(ctx, tx, id)
		if err != nil {
			return err
		}
		row.State, row.Ended = store.Cancelled, q.store.now()
		if row.queued && row.river != 0 {
			if _, err := q.river.JobCancelTx(ctx, tx, row.river); err != nil && !errors.Is(err, rivertype.ErrNotFound) {
				return err
			}
		}
		return saveJob(ctx, tx, row.Job)
	})
	if errors.Is(err, errSuperseded) {
		return nil
	}
	return err
}

// Serve implements [queue.Queue].
func (q *jobQueue) Serve(ctx context.Context, run queue.Run) error {
	workers := river.NewWorkers()
	river.AddWorker(workers, &worker{jobQueue: q, run: run})
	client, err := river.NewClient(riverpgxv5.New(q.store.pool), &river.Config{
		Schema: schema, Workers: workers, Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 1}},
		JobTimeout: maxDuration, RescueStuckJobsAfter: maxDuration + time.Hour, Logger: riverLogger(q.Log),
	})
	if err != nil {
		return err
	}
	running, end := context.WithCancel(context.WithoutCancel(ctx)) // StopAndCancel ends jobs
	defer end()
	stopStarting := context.AfterFunc(ctx, end) // a start may wait for the database
	for client.Start(running) != nil {          // the database is not available
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(repairPeriod):
		}
	}
	stopStarting()
	var helping sync.WaitGroup
	helping.Go(func() { q.helpAlways(ctx, run) })
	q.repairAlways(ctx)
	helping.Wait()
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), leasePeriod)
	defer cancel()
	if err := client.StopAndCancel(stop); err != nil {
		q.Log.WarnContext(ctx, "jobs not stopped", "err", err)
	}
	return nil
}

// repairAlways repairs the queue at intervals until ctx ends.
func (q *jobQueue) repairAlways(ctx context.Context) {
	ticker := time.NewTicker(repairPeriod)
	defer ticker.Stop()
	for {
		if err := q.repair(ctx); err != nil && ctx.Err() == nil {
			q.Log.WarnContext(ctx, "jobs not checked", "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// repair queues jobs again that no replica runs: running jobs whose lease has expired,
// and queued jobs whose job of river is no longer waiting. A replica that has just taken
// a job of river has the duration of a lease to begin it.
func (q *jobQueue) repair(ctx context.Context) error {
	return q.store.update(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `update jobs set lease = clock_timestamp() + $1::interval where queued and not ended and lease is null and river_id is not null
			and not exists (select from river_job r where r.id = river_id and r.state in ('available', 'pending', 'retryable', 'scheduled'))`, leasePeriod); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, `select id from jobs where not ended and (river_id is null or lease < clock_timestamp())
			order by id for update skip locked`)
		if err != nil {
			return err
		}
		left, err := pgx.CollectRows(rows, pgx.RowTo[int64])
		if err != nil {
			return err
		}
		for _, id := range left {
			row, err := lockJob(ctx, tx, uint64(id))
			if err == nil {
				err = q.resume(ctx, tx, row)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// resume queues a job that no replica runs again, or gives it up after too many attempts.
func (q *jobQueue) resume(ctx context.Context, tx pgx.Tx, row jobRow) error {
	if row.State == store.Running && row.Attempts >= maxAttempts {
		row.State, row.Error, row.Ended = store.Interrupted, (&queue.CrashError{Attempts: row.Attempts}).Error(), q.store.now()
		q.Log.WarnContext(ctx, "job given up", "job", row.ID, "attempts", row.Attempts)
		return saveJob(ctx, tx, row.Job)
	}
	q.Log.InfoContext(ctx, "job resumed", "job", row.ID, "attempts", row.Attempts)
	return q.enqueue(ctx, tx, row.Job)
}

// enqueue queues a job again, with the highest priority.
func (q *jobQueue) enqueue(ctx context.Context, tx pgx.Tx, j store.Job) error {
	j.State = store.Queued
	row, err := q.insert(ctx, tx, j.ID, 1)
	if err != nil {
		return err
	}
	return put(ctx, tx, j, "update jobs set queued = true, lease = null, progress = null, river_id = $2, data = $3 where id = $1", int64(j.ID), row)
}

// A worker runs jobs of river.
type worker struct {
	river.WorkerDefaults[trainArgs]
	*jobQueue
	run queue.Run
}

// NextRetry implements [river.Worker]. A job of river fails only if the database does.
func (w *worker) NextRetry(*river.Job[trainArgs]) time.Time { return time.Now().Add(time.Second) }

// Work implements [river.Worker].
func (w *worker) Work(ctx context.Context, job *river.Job[trainArgs]) error {
	a := &attempt{worker: w, job: job}
	start := time.Now()
	if err := a.begin(ctx); err != nil {
		return ignoreSuperseded(err)
	}
	work, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var renewing sync.WaitGroup
	renewing.Go(func() { a.renewAlways(work, cancel) })
	w.help.stop()
	result, err := a.try(work)
	w.help.allow()
	cause := context.Cause(work)
	cancel(nil)
	renewing.Wait()
	if errors.Is(cause, queue.ErrCancelled) || errors.Is(cause, errSuperseded) { // the job was cancelled, or another replica has it
		w.Log.InfoContext(ctx, "job left", "job", a.ID, "took", time.Since(start), "err", cause)
		return nil
	}
	for {
		ended := a.end(ctx, result, err)
		if ended == nil || errors.Is(ended, errSuperseded) {
			w.Log.InfoContext(ctx, "job ended", "job", a.ID, "state", string(a.State), "took", time.Since(start), "err", errors.Join(err, ended))
			return nil
		}
		w.Log.ErrorContext(ctx, "job not saved", "job", a.ID, "err", ended)
		if !errors.Is(ended, store.ErrUnavailable) || ctx.Err() != nil {
			return nil // the lease expires, and the job is run again
		}
	}
}

func ignoreSuperseded(err error) error {
	if errors.Is(err, errSuperseded) {
		return nil
	}
	return err
}

// An attempt is the attempt of this replica to run a job.
type attempt struct {
	*worker
	store.Job
	job      *river.Job[trainArgs]
	progress atomic.Pointer[openapi.Progress]
}

// lock locks the job. It returns [errSuperseded] if this attempt does not have the job.
func (a *attempt) lock(ctx context.Context, tx pgx.Tx, queued bool) (store.Job, error) {
	row, err := lockJob(ctx, tx, a.job.Args.Job)
	if err == nil && (row.river != a.job.ID || row.queued != queued) {
		err = errSuperseded
	}
	return row.Job, err
}

// begin records that the job is running.
func (a *attempt) begin(ctx context.Context) error {
	return a.store.update(ctx, func(tx pgx.Tx) error {
		j, err := a.lock(ctx, tx, true)
		if err != nil {
			return err
		}
		j.State, j.Started, j.Attempts = store.Running, a.store.now(), j.Attempts+1
		if j.Blocks == 0 {
			err := tx.QueryRow(ctx, "select blocks from commits where subject = $1 and name = $2", []byte(j.Subject), []byte(j.Commit)).Scan(&j.Blocks)
			if err != nil && !errors.Is(err, pgx.ErrNoRows) {
				return err
			}
		}
		a.Job = j
		return put(ctx, tx, j, "update jobs set queued = false, progress = null, lease = clock_timestamp() + $2::interval, data = $3 where id = $1", int64(j.ID), leasePeriod)
	})
}

// try runs the job and stores the chunks of its model. While the database is not
// available, it tries again.
func (a *attempt) try(ctx context.Context) (result queue.Result, err error) {
	for ran := false; ; {
		if !ran {
			result, err = a.Attempt(ctx, a.run, a.Job, queue.Work{
				Report: func(p openapi.Progress) { a.progress.Store(&p) }, Shards: a.shards(a.ID, a.job.ID),
			})
			ran = err == nil
		}
		if ran {
			result.Model, err = a.store.putChunks(ctx, result.Model, result.File)
		}
		if !errors.Is(err, store.ErrUnavailable) || ctx.Err() != nil {
			return result, err
		}
		a.Log.WarnContext(ctx, "job interrupted", "job", a.ID, "err", err)
		select {
		case <-ctx.Done():
			return result, context.Cause(ctx)
		case <-time.After(time.Second):
		}
	}
}

// renewAlways renews the lease and publishes the progress until ctx ends. It calls cancel
// when the job is cancelled or another replica has it.
func (a *attempt) renewAlways(ctx context.Context, cancel context.CancelCauseFunc) {
	ticker := time.NewTicker(progressPeriod)
	defer ticker.Stop()
	var published *openapi.Progress
	renewed := time.Now()
	changed := a.changed(a.ID)
	for {
		var err error
		select {
		case <-ctx.Done():
			return
		case <-changed:
			changed = a.changed(a.ID)
			err = a.check(ctx)
		case <-ticker.C:
			progress := a.progress.Load()
			if progress == published && time.Since(renewed) < renewPeriod {
				continue
			}
			if err = a.renew(ctx, progress); err == nil {
				published, renewed = progress, time.Now()
			}
		}
		if errors.Is(err, errSuperseded) || errors.Is(err, queue.ErrCancelled) {
			cancel(err)
			return
		}
	}
}

// renew renews the lease and publishes the progress.
func (a *attempt) renew(ctx context.Context, progress *openapi.Progress) error {
	data, err := json.Marshal(progress)
	if err != nil {
		return err
	}
	return a.store.update(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `update jobs set lease = clock_timestamp() + $3::interval, progress = $4
			where id = $1 and river_id = $2 and not ended and not queued`, int64(a.ID), a.job.ID, leasePeriod, data)
		if err == nil && tag.RowsAffected() == 0 {
			err = a.lost(ctx, tx)
		}
		return err
	})
}

// check returns an error if this attempt no longer has the job.
func (a *attempt) check(ctx context.Context) error {
	return a.store.view(ctx, func(tx pgx.Tx) error {
		var has bool
		err := tx.QueryRow(ctx, "select exists (select from jobs where id = $1 and river_id = $2 and not ended and not queued)", int64(a.ID), a.job.ID).Scan(&has)
		if err == nil && !has {
			err = a.lost(ctx, tx)
		}
		return err
	})
}

// lost returns why this attempt no longer has the job.
func (a *attempt) lost(ctx context.Context, tx pgx.Tx) error {
	var j store.Job
	if err := get(ctx, tx, &j, errSuperseded, "select data from jobs where id = $1", int64(a.ID)); err != nil {
		return err
	}
	if j.State == store.Cancelled {
		return queue.ErrCancelled
	}
	return errSuperseded
}

// end ends the job with a result or an error, or queues it again if this process ends.
// The end of the job, its model and the end of the job of river are one transaction.
func (a *attempt) end(ctx context.Context, result queue.Result, failure error) error {
	stopping := ctx.Err() != nil
	ctx, cancel := store.Finish(ctx)
	defer cancel()
	defer a.store.dropCached(store.ModelChange, "")
	return a.store.update(ctx, func(tx pgx.Tx) error {
		j, err := a.lock(ctx, tx, false)
		if err != nil {
			return err
		}
		j.Ended = a.store.now()
		switch {
		case failure == nil:
			var stored store.Model
			if stored, err = putModel(ctx, tx, result.Model, result.File); err == nil {
				j.State, j.Model = store.Done, stored.ID
				err = saveJob(ctx, tx, j)
			}
		case stopping:
			j.Attempts, j.Started, j.Ended = j.Attempts-1, time.Time{}, time.Time{}
			err = a.enqueue(ctx, tx, j)
			j.State = store.Queued
		default:
			j.State = store.Failed
			j.Error, j.Problem = a.Describe(failure)
			err = saveJob(ctx, tx, j)
		}
		if err != nil {
			return err
		}
		a.State = j.State
		_, err = river.JobCompleteTx[*riverpgxv5.Driver](ctx, tx, a.job)
		if errors.Is(err, rivertype.ErrNotFound) {
			return nil
		}
		return err
	})
}
