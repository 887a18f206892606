package queue

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/store"
)

// maxAttempts is the maximum number of times that a job is started if it crashes the
// process each time.
const maxAttempts = 3

// local is the queue of a store that one process uses. It runs the oldest job of the
// client whose last job ran longest ago. Each job is stored before it is acknowledged. If
// the process crashes, the next process restarts the interrupted job.
type local struct {
	Options
	store store.Store
	wake  chan struct{}

	mu       sync.Mutex
	resumed  bool // the jobs that an earlier process left open are queued
	queue    []uint64
	open     map[uint64]*openJob
	ran      []string          // clients of earlier jobs, the latest last
	requests map[string]uint64 // IDs of jobs by RequestKey; nil until it is needed
}

// An openJob is a job that has not ended.
type openJob struct {
	store.Job
	client   string // empty if an earlier process left the job
	progress openapi.Progress
	cancel   context.CancelCauseFunc // nil until the job runs
	changed  chan struct{}           // closed at the next change
}

func newLocal(s store.Store, o Options) *local {
	return &local{Options: o, store: s, wake: make(chan struct{}, 1), open: map[uint64]*openJob{}}
}

// Add implements [Queue].
func (q *local) Add(ctx context.Context, j store.Job, client string) (store.Job, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if earlier, err := q.earlier(ctx, j); err != nil || earlier.ID != 0 {
		return earlier, err
	}
	own := 0
	for _, id := range q.queue {
		if q.open[id].client == client {
			own++
		}
	}
	if err := q.Check(client, len(q.queue), own); err != nil {
		return j, err
	}
	j, err := q.store.NewJob(ctx, j)
	if err != nil {
		return j, err
	}
	if q.requests != nil && j.RequestKey != "" {
		q.requests[j.RequestKey] = j.ID
	}
	q.enqueue(j, client)
	return j, nil
}

// earlier returns the job with the same RequestKey, or a job without an ID if there is
// none.
func (q *local) earlier(ctx context.Context, j store.Job) (store.Job, error) {
	if j.RequestKey == "" {
		return store.Job{}, nil
	}
	if q.requests == nil {
		all, err := q.store.Jobs(ctx, "", 0, -1)
		if err != nil {
			return store.Job{}, err
		}
		q.requests = map[string]uint64{}
		for _, j := range all {
			if j.RequestKey != "" {
				q.requests[j.RequestKey] = j.ID
			}
		}
	}
	id, ok := q.requests[j.RequestKey]
	if !ok {
		return store.Job{}, nil
	}
	if o := q.open[id]; o != nil {
		return o.Job, nil
	}
	earlier, err := q.store.Job(ctx, id)
	if _, deleted := errors.AsType[*store.NotFoundError](err); deleted {
		return store.Job{}, nil
	}
	return earlier, err
}

func (q *local) enqueue(j store.Job, client string) {
	q.open[j.ID] = &openJob{Job: j, client: client, changed: make(chan struct{})}
	q.queue = append(q.queue, j.ID)
	select {
	case q.wake <- struct{}{}:
	default: // Serve was woken already
	}
}

// Waiting implements [Queue].
func (q *local) Waiting() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.queue)
}

// Serve implements [Queue].
func (q *local) Serve(ctx context.Context, run Run) error {
	q.mu.Lock()
	err := q.resume(ctx)
	q.mu.Unlock()
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return err
	}
	for {
		for q.next(ctx, run) {
		}
		select {
		case <-ctx.Done():
			return nil
		case <-q.wake:
		}
	}
}

// resume queues the jobs that an earlier process left open, once. The caller has locked q.
func (q *local) resume(ctx context.Context) error {
	if q.resumed {
		return nil
	}
	left, err := q.store.OpenJobs(ctx)
	if err != nil {
		return err
	}
	for _, j := range left {
		if q.open[j.ID] != nil { // added by this process
			continue
		}
		if j.State == store.Running && j.Attempts >= maxAttempts {
			j.State, j.Error, j.Ended = store.Interrupted, (&CrashError{j.Attempts}).Error(), time.Now().UTC()
			if err := q.store.SaveJob(ctx, j); err != nil {
				return err
			}
			q.Log.WarnContext(ctx, "job given up", "job", j.ID, "attempts", j.Attempts)
			continue
		}
		q.Log.InfoContext(ctx, "job resumed", "job", j.ID, "attempts", j.Attempts)
		q.enqueue(j, "")
	}
	q.resumed = true
	return nil
}

// dequeue removes the next job to run from the queue, which is not empty.
func (q *local) dequeue() uint64 {
	at := 0
	for i, id := range q.queue {
		if slices.Index(q.ran, q.open[id].client) < slices.Index(q.ran, q.open[q.queue[at]].client) {
			at = i
		}
	}
	id := q.queue[at]
	q.queue = slices.Delete(q.queue, at, at+1)
	waits := func(client string) bool {
		return slices.ContainsFunc(q.queue, func(id uint64) bool { return q.open[id].client == client })
	}
	client := q.open[id].client
	q.ran = slices.DeleteFunc(q.ran, func(c string) bool { return c == client || !waits(c) })
	q.ran = append(q.ran, client)
	return id
}

// next runs the next job of the queue, and reports whether there was one.
func (q *local) next(ctx context.Context, run Run) bool {
	if ctx.Err() != nil {
		return false
	}
	q.mu.Lock()
	if len(q.queue) == 0 {
		q.mu.Unlock()
		return false
	}
	id := q.dequeue()
	o := q.open[id]
	work, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	o.cancel = cancel
	q.mu.Unlock()

	start := time.Now()
	q.change(ctx, id, func(j *store.Job) {
		j.State, j.Started, j.Attempts = store.Running, start.UTC(), j.Attempts+1
	}, q.store.SaveJob)
	q.mu.Lock()
	j := o.Job
	q.mu.Unlock()
	result, err := q.Attempt(work, run, j, Work{Report: func(p openapi.Progress) {
		q.mu.Lock()
		defer q.mu.Unlock()
		o.progress = p
		o.notify()
	}})
	if err == nil {
		j.State, j.Ended = store.Done, time.Now().UTC()
		j, err = q.store.CompleteJob(work, j, result.Model, result.File)
	}
	save := q.store.SaveJob
	if err == nil {
		save = func(context.Context, store.Job) error { return nil } // done
	}
	q.change(ctx, id, func(changed *store.Job) {
		changed.Ended = time.Now().UTC()
		switch {
		case err == nil:
			*changed = j
		case errors.Is(context.Cause(work), ErrCancelled):
			changed.State = store.Cancelled
		case ctx.Err() != nil: // the server shuts down, and the next process starts the job again
			changed.State, changed.Attempts, changed.Started, changed.Ended = store.Queued, changed.Attempts-1, time.Time{}, time.Time{}
		default:
			changed.State = store.Failed
			changed.Error, changed.Problem = q.Describe(err)
		}
		q.Log.InfoContext(ctx, "job ended", "job", id, "state", string(changed.State), "took", time.Since(start), "err", err)
	}, save)
	return true
}

// notify wakes all goroutines that wait for a change of the job.
func (o *openJob) notify() {
	close(o.changed)
	o.changed = make(chan struct{})
}

// change updates a job in memory, and saves it. If the store fails, the next process
// starts the job again.
func (q *local) change(ctx context.Context, id uint64, update func(j *store.Job), save func(context.Context, store.Job) error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	_ = q.changeLocked(ctx, q.open[id], update, save) // logged
}

// changeLocked is change for a caller that has locked q.
func (q *local) changeLocked(ctx context.Context, o *openJob, update func(j *store.Job), save func(context.Context, store.Job) error) error {
	update(&o.Job)
	defer o.notify()
	finish, cancel := store.Finish(ctx)
	defer cancel()
	if err := save(finish, o.Job); err != nil { // keep the job open: only memory has its state
		q.Log.ErrorContext(ctx, "job not saved", "job", o.ID, "err", err)
		return err
	}
	if o.State.Ended() {
		delete(q.open, o.ID)
	}
	return nil
}

// Get implements [Queue].
func (q *local) Get(ctx context.Context, id uint64) (Job, <-chan struct{}, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.resume(ctx); err != nil {
		return Job{}, nil, err
	}
	if o := q.open[id]; o != nil {
		out := Job{Job: o.Job}
		if o.State == store.Running {
			out.Progress = o.progress
		}
		if o.State.Ended() {
			return out, nil, nil
		}
		return out, o.changed, nil
	}
	j, err := q.store.Job(ctx, id)
	return Job{Job: j}, nil, err
}

// Cancel implements [Queue]. If the store fails, the job does not run in this process,
// and another call saves that it was cancelled.
func (q *local) Cancel(ctx context.Context, id uint64) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.resume(ctx); err != nil {
		return err
	}
	o := q.open[id]
	if o == nil {
		return nil
	}
	if o.cancel != nil { // the job was started
		o.cancel(ErrCancelled)
		return nil
	}
	if ctx.Err() != nil { // while waiting for the lock
		return context.Cause(ctx)
	}
	q.queue = slices.DeleteFunc(q.queue, func(queued uint64) bool { return queued == id })
	return q.changeLocked(ctx, o, func(j *store.Job) { j.State, j.Ended = store.Cancelled, time.Now().UTC() }, q.store.SaveJob)
}
