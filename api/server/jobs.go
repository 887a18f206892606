package server

import (
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

// maxAttempts bounds how often a job is begun that the process does not survive.
const maxAttempts = 3

// jobs does one job after the other. Each is in the store before it is
// acknowledged; one that a crash ended is begun again at the next start.
type jobs struct {
	store *store.Store
	log   *slog.Logger
	most  int // that wait
	run   func(ctx context.Context, j store.Job, report func(openapi.Progress)) (model string, err error)
	wake  chan struct{}

	mu    sync.Mutex
	queue []uint64
	open  map[uint64]*openJob
}

// An openJob has not ended.
type openJob struct {
	store.Job
	progress openapi.Progress
	cancel   context.CancelCauseFunc // nil until it runs
	changed  chan struct{}           // closed at the next change
}

var (
	errCancelled = errors.New("the job was cancelled")
	errBroken    = errors.New("the process ended while the job ran, more than once")
)

// add queues a job.
func (q *jobs) add(j store.Job) (store.Job, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.queue) >= q.most {
		return j, &busyError{status: http.StatusTooManyRequests, detail: fmt.Sprintf("%d jobs wait already", len(q.queue))}
	}
	j, err := q.store.NewJob(j)
	if err != nil {
		return j, err
	}
	q.enqueue(j)
	return j, nil
}

func (q *jobs) enqueue(j store.Job) {
	q.open[j.ID] = &openJob{Job: j, changed: make(chan struct{})}
	q.queue = append(q.queue, j.ID)
	select {
	case q.wake <- struct{}{}:
	default: // it will look at the queue anyway
	}
}

// waiting returns how many jobs wait.
func (q *jobs) waiting() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.queue)
}

// serve does jobs until ctx ends. It begins with those that were left.
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

// resume queues the jobs that an earlier process did not end.
func (q *jobs) resume(ctx context.Context) error {
	left, err := q.store.OpenJobs()
	if err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, j := range left {
		if q.open[j.ID] != nil { // it was added since
			continue
		}
		if j.State == store.Running && j.Attempts >= maxAttempts {
			j.State, j.Error, j.Ended = store.Interrupted, errBroken.Error(), time.Now().UTC()
			if err := q.store.SaveJob(j); err != nil {
				return err
			}
			q.log.WarnContext(ctx, "job given up", "job", j.ID, "attempts", j.Attempts)
			continue
		}
		q.log.InfoContext(ctx, "job resumed", "job", j.ID, "attempts", j.Attempts)
		q.enqueue(j)
	}
	return nil
}

// next does the job that has waited longest, and reports whether there was one.
func (q *jobs) next(ctx context.Context) bool {
	if ctx.Err() != nil {
		return false
	}
	q.mu.Lock()
	if len(q.queue) == 0 {
		q.mu.Unlock()
		return false
	}
	id := q.queue[0]
	q.queue = q.queue[1:]
	o := q.open[id]
	work, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	o.cancel = cancel
	q.mu.Unlock()

	start := time.Now()
	q.change(ctx, id, func(j *store.Job) {
		j.State, j.Started, j.Attempts = store.Running, start.UTC(), j.Attempts+1
	})
	made, err := q.attempt(work, id)
	q.change(ctx, id, func(j *store.Job) {
		j.Ended = time.Now().UTC()
		switch {
		case err == nil:
			j.State, j.Model = store.Done, made
		case errors.Is(context.Cause(work), errCancelled):
			j.State = store.Cancelled
		case ctx.Err() != nil: // the service ends: to be begun again
			j.State, j.Attempts, j.Started, j.Ended = store.Queued, j.Attempts-1, time.Time{}, time.Time{}
		default:
			j.State, j.Error, j.Problem = store.Failed, excerpt(err.Error()), problemOf(err).Type
		}
		q.log.InfoContext(ctx, "job ended", "job", id, "state", string(j.State), "took", time.Since(start), "err", err)
	})
	return true
}

// attempt does a job. A panic in it is its failure.
func (q *jobs) attempt(ctx context.Context, id uint64) (made string, err error) {
	defer func() {
		if r := recover(); r != nil {
			q.log.ErrorContext(ctx, "job panicked", "job", id, "err", r, "stack", string(debug.Stack()))
			err = errors.New("something is wrong with the service")
		}
	}()
	q.mu.Lock()
	j := q.open[id].Job
	q.mu.Unlock()
	return q.run(ctx, j, func(p openapi.Progress) {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.open[id].progress = p
		q.open[id].tell()
	})
}

// tell wakes those who follow a job.
func (o *openJob) tell() {
	close(o.changed)
	o.changed = make(chan struct{})
}

// change changes a job, here and in the store. Where the store fails the job is
// begun again at the next start.
func (q *jobs) change(ctx context.Context, id uint64, do func(j *store.Job)) {
	q.mu.Lock()
	defer q.mu.Unlock()
	o := q.open[id]
	do(&o.Job)
	if err := q.store.SaveJob(o.Job); err != nil {
		q.log.ErrorContext(ctx, "job not saved", "job", id, "err", err)
		if o.State.Ended() { // who asks now is told what is true until then
			o.tell()
			return
		}
	}
	if o.State.Ended() {
		delete(q.open, id)
	}
	o.tell()
}

// get returns a job as it is, and what is closed when it changes; nil if it will
// not.
func (q *jobs) get(id uint64) (openapi.Job, <-chan struct{}, error) {
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
	j, err := q.store.Job(id)
	return jobOf(j), nil, err
}

// stop cancels a job.
func (q *jobs) stop(ctx context.Context, id uint64) {
	q.mu.Lock()
	o := q.open[id]
	at := slices.Index(q.queue, id)
	switch {
	case o == nil: // it has ended, if it ever was
		q.mu.Unlock()
		return
	case at < 0:
		if o.cancel != nil {
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

// ListJobs lists jobs.
func (s *Server) ListJobs(_ context.Context, req openapi.ListJobsRequestObject) (openapi.ListJobsResponseObject, error) {
	limit := limitOf(req.Params.Limit)
	found, err := s.Store.Jobs(uint64(req.Params.Before), limit+1)
	if err != nil {
		return nil, err
	}
	out := openapi.ListJobs200JSONResponse{Jobs: []openapi.Job{}}
	if len(found) > limit {
		found = found[:limit]
		out.Before = int64(found[limit-1].ID)
	}
	for _, j := range found {
		job, _, err := s.jobs.get(j.ID)
		if err != nil {
			return nil, err
		}
		out.Jobs = append(out.Jobs, job)
	}
	return out, nil
}

// limitOf returns how many things a list has at most.
func limitOf(asked int) int {
	if asked == 0 {
		return 100
	}
	return asked
}

// GetJob returns a job.
func (s *Server) GetJob(_ context.Context, req openapi.GetJobRequestObject) (openapi.GetJobResponseObject, error) {
	job, _, err := s.jobs.get(uint64(req.Job))
	return openapi.GetJob200JSONResponse(job), err
}

// CancelJob cancels a job.
func (s *Server) CancelJob(ctx context.Context, req openapi.CancelJobRequestObject) (openapi.CancelJobResponseObject, error) {
	s.jobs.stop(ctx, uint64(req.Job))
	job, _, err := s.jobs.get(uint64(req.Job))
	return openapi.CancelJob202JSONResponse(job), err
}

// FollowJob sends a job whenever it changes.
func (s *Server) FollowJob(ctx context.Context, req openapi.FollowJobRequestObject) (openapi.FollowJobResponseObject, error) {
	id := uint64(req.Job)
	if _, _, err := s.jobs.get(id); err != nil {
		return nil, err
	}
	return streamed{ctx, func(ctx context.Context, w http.ResponseWriter) error {
		out := s.stream(w, "text/event-stream")
		alive := time.NewTicker(s.Stall / 2)
		defer alive.Stop()
		for {
			job, changed, err := s.jobs.get(id)
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
			for waiting := true; waiting; {
				select {
				case <-ctx.Done():
					return nil
				case <-changed:
					waiting = false
				case <-alive.C: // a line that says nothing shows that someone is there
					fmt.Fprint(out, ":\n\n")
					if err := out.flush(); err != nil {
						return err
					}
				}
			}
		}
	}}, nil
}
