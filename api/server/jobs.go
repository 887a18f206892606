package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/store"
)

// maxAttempts is the maximum number of times that a job is started if it crashes the
// process each time.
const maxAttempts = 3

// jobs runs one job at a time: the oldest job of the client whose last job is longest
// ago. Each job is stored before it is acknowledged. If the process crashes, the next
// process restarts the interrupted job.
type jobs struct {
	store     store.Store
	log       *slog.Logger
	maxQueued int
	run       func(ctx context.Context, j store.Job, report func(openapi.Progress)) (model string, err error)
	wake      chan struct{}

	mu    sync.Mutex
	queue []uint64
	open  map[uint64]*openJob
	ran   []string // clients of earlier jobs, the latest last
}

// An openJob is a job that has not ended.
type openJob struct {
	store.Job
	client   string // empty if an earlier process left the job
	progress openapi.Progress
	cancel   context.CancelCauseFunc // nil until the job runs
	changed  chan struct{}           // closed at the next change
}

var (
	errCancelled = errors.New("the job was cancelled")
	errCrashed   = fmt.Errorf("the process crashed during each of %d attempts", maxAttempts)
)

// add queues a job of a client. A client may have at most half of the jobs that the
// queue can hold.
func (q *jobs) add(ctx context.Context, j store.Job, client string) (store.Job, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.queue) >= q.maxQueued {
		return j, tooManyRequests(time.Second, "%d jobs are queued, the most allowed", len(q.queue))
	}
	own := 0
	for _, id := range q.queue {
		if q.open[id].client == client {
			own++
		}
	}
	if own >= (q.maxQueued+1)/2 {
		return j, tooManyRequests(time.Second, "%s: %d jobs are queued, the most allowed", client, own)
	}
	j, err := q.store.NewJob(ctx, j)
	if err != nil {
		return j, err
	}
	q.enqueue(j, client)
	return j, nil
}

func (q *jobs) enqueue(j store.Job, client string) {
	q.open[j.ID] = &openJob{Job: j, client: client, changed: make(chan struct{})}
	q.queue = append(q.queue, j.ID)
	select {
	case q.wake <- struct{}{}:
	default: // serve was woken already
	}
}

// queued returns the number of queued jobs.
func (q *jobs) queued() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.queue)
}

// serve runs jobs until ctx ends, first those that an earlier process left open.
func (q *jobs) serve(ctx context.Context) error {
	if err := q.resume(ctx); err != nil {
		return err
	}
	for {
		for q.next(ctx) {
		}
		select {
		case <-ctx.Done():
			return nil
		case <-q.wake:
		}
	}
}

// resume queues the jobs that an earlier process left open.
func (q *jobs) resume(ctx context.Context) error {
	left, err := q.store.OpenJobs(ctx)
	if err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, j := range left {
		if q.open[j.ID] != nil { // added by this process
			continue
		}
		if j.State == store.Running && j.Attempts >= maxAttempts {
			j.State, j.Error, j.Ended = store.Interrupted, errCrashed.Error(), time.Now().UTC()
			if err := q.store.SaveJob(ctx, j); err != nil {
				return err
			}
			q.log.WarnContext(ctx, "job given up", "job", j.ID, "attempts", j.Attempts)
			continue
		}
		q.log.InfoContext(ctx, "job resumed", "job", j.ID, "attempts", j.Attempts)
		q.enqueue(j, "")
	}
	return nil
}

// dequeue removes the next job to run from the queue, which is not empty.
func (q *jobs) dequeue() uint64 {
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
func (q *jobs) next(ctx context.Context) bool {
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
	})
	model, err := q.attempt(work, id)
	q.change(ctx, id, func(j *store.Job) {
		j.Ended = time.Now().UTC()
		switch {
		case err == nil:
			j.State, j.Model = store.Done, model
		case errors.Is(context.Cause(work), errCancelled):
			j.State = store.Cancelled
		case ctx.Err() != nil: // the server shuts down, and the next process starts the job again
			j.State, j.Attempts, j.Started, j.Ended = store.Queued, j.Attempts-1, time.Time{}, time.Time{}
		default:
			j.State, j.Error, j.Problem = store.Failed, excerpt(err.Error()), problemOf(err).Type
		}
		q.log.InfoContext(ctx, "job ended", "job", id, "state", string(j.State), "took", time.Since(start), "err", err)
	})
	return true
}

// attempt runs a job, and recovers from its panics.
func (q *jobs) attempt(ctx context.Context, id uint64) (model string, err error) {
	defer func() {
		if r := recover(); r != nil {
			q.log.ErrorContext(ctx, "job panicked", "job", id, "err", r, "stack", string(debug.Stack()))
			err = errors.New("internal error")
		}
	}()
	q.mu.Lock()
	j := q.open[id].Job
	q.mu.Unlock()
	return q.run(ctx, j, func(p openapi.Progress) {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.open[id].progress = p
		q.open[id].notify()
	})
}

// notify wakes all goroutines that wait for a change of the job.
func (o *openJob) notify() {
	close(o.changed)
	o.changed = make(chan struct{})
}

// change updates a job in memory and in the store. If the store fails, the next
// process starts the job again.
func (q *jobs) change(ctx context.Context, id uint64, update func(j *store.Job)) {
	q.mu.Lock()
	defer q.mu.Unlock()
	o := q.open[id]
	update(&o.Job)
	defer o.notify()
	if err := q.store.SaveJob(context.WithoutCancel(ctx), o.Job); err != nil { // keep the job open: only memory has its state
		q.log.ErrorContext(ctx, "job not saved", "job", id, "err", err)
	} else if o.State.Ended() {
		delete(q.open, id)
	}
}

// get returns a job, and a channel that is closed at its next change. The channel is
// nil if the job has ended.
func (q *jobs) get(ctx context.Context, id uint64) (openapi.Job, <-chan struct{}, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if o := q.open[id]; o != nil {
		out := jobOf(o.Job)
		if o.State == store.Running {
			out.Progress = o.progress
		}
		if o.State.Ended() {
			return out, nil, nil
		}
		return out, o.changed, nil
	}
	j, err := q.store.Job(ctx, id)
	return jobOf(j), nil, err
}

// cancel cancels a job. It has no effect on a job that has ended or does not exist.
func (q *jobs) cancel(ctx context.Context, id uint64) {
	q.mu.Lock()
	at := slices.Index(q.queue, id)
	if at < 0 {
		if o := q.open[id]; o != nil && o.cancel != nil {
			o.cancel(errCancelled)
		}
		q.mu.Unlock()
		return
	}
	q.queue = slices.Delete(q.queue, at, at+1)
	q.mu.Unlock()
	q.change(ctx, id, func(j *store.Job) { j.State, j.Ended = store.Cancelled, time.Now().UTC() })
}

func jobOf(j store.Job) openapi.Job {
	return openapi.Job{
		ID: int64(j.ID), Kind: openapi.Train, State: openapi.JobState(j.State), Subject: j.Subject, Commit: j.Commit, Grammar: j.Grammar,
		Created: j.Created, Started: j.Started, Ended: j.Ended, Attempts: j.Attempts, Error: j.Error, Problem: j.Problem, Model: j.Model,
	}
}

// ListJobs lists jobs, newest first.
func (s *Server) ListJobs(ctx context.Context, req openapi.ListJobsRequestObject) (openapi.ListJobsResponseObject, error) {
	limit := cmp.Or(req.Params.Limit, defaultLimit)
	found, err := s.Store.Jobs(ctx, req.Params.Subject, uint64(req.Params.Before), limit+1)
	if err != nil {
		return nil, err
	}
	found, before := page(found, limit, func(j store.Job) uint64 { return j.ID })
	out := openapi.ListJobs200JSONResponse{Jobs: []openapi.Job{}, Before: before}
	for _, j := range found {
		job, _, err := s.jobs.get(ctx, j.ID)
		if err != nil {
			return nil, err
		}
		out.Jobs = append(out.Jobs, job)
	}
	return out, nil
}

// defaultLimit is the size of a page if the request has no limit.
const defaultLimit = 100

// page truncates a list to one page. It returns the cursor of the next page, which is
// the number of the last element, or 0 on the last page.
func page[T any](list []T, limit int, number func(T) uint64) ([]T, int64) {
	if len(list) <= limit {
		return list, 0
	}
	return list[:limit], int64(number(list[limit-1]))
}

// GetJob returns a job.
func (s *Server) GetJob(ctx context.Context, req openapi.GetJobRequestObject) (openapi.GetJobResponseObject, error) {
	job, _, err := s.jobs.get(ctx, uint64(req.Job))
	return openapi.GetJob200JSONResponse(job), err
}

// CancelJob cancels a job.
func (s *Server) CancelJob(ctx context.Context, req openapi.CancelJobRequestObject) (openapi.CancelJobResponseObject, error) {
	s.jobs.cancel(ctx, uint64(req.Job))
	job, _, err := s.jobs.get(ctx, uint64(req.Job))
	return openapi.CancelJob202JSONResponse(job), err
}

// FollowJob sends a job as a server-sent event now and whenever it changes, until the
// job has ended.
func (s *Server) FollowJob(ctx context.Context, req openapi.FollowJobRequestObject) (openapi.FollowJobResponseObject, error) {
	id := uint64(req.Job)
	if _, _, err := s.jobs.get(ctx, id); err != nil {
		return nil, err
	}
	return streamResponse(func(w http.ResponseWriter) error {
		out := stream(ctx, w, "text/event-stream")
		for {
			job, changed, err := s.jobs.get(ctx, id)
			if err != nil {
				return err
			}
			fmt.Fprint(out, "event: job\ndata: ")
			if err := out.line(job); err != nil {
				return err
			}
			fmt.Fprintln(out)
			if err := out.flush(); err != nil || changed == nil {
				return err
			}
			if err := s.keepAlive(ctx, out, changed); err != nil {
				return err
			}
		}
	}), nil
}

// keepAlive waits until a channel is closed. Meanwhile, it sends comments, so that the
// connection stays open.
func (s *Server) keepAlive(ctx context.Context, out *streamWriter, changed <-chan struct{}) error {
	ticker := time.NewTicker(s.Stall / 2)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-changed:
			return nil
		case <-ticker.C:
			fmt.Fprint(out, ":\n\n") // a comment
			if err := out.flush(); err != nil {
				return err
			}
		}
	}
}
