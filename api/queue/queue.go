// Package queue describes how the service runs jobs. [New] returns the queue of a store:
// a file has a queue in this process, and a database has one that all replicas share.
package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/model"
)

// A Queue stores jobs and runs them. It is safe for concurrent use.
//
// A job that was added is run until it ends, even if processes stop meanwhile. Its result
// becomes visible once, together with the end of the job.
type Queue interface {
	// Add stores a queued job of a client. It returns a [FullError] if too many jobs are
	// queued; a client may have half of them. If an earlier job has the same RequestKey,
	// Add returns that job.
	Add(ctx context.Context, j store.Job, client string) (store.Job, error)
	// Get returns a job, and a channel that is closed at its next change or earlier. The
	// channel is nil if the job has ended.
	Get(ctx context.Context, id uint64) (Job, <-chan struct{}, error)
	// Cancel cancels a job. It has no effect on a job that has ended or does not exist.
	Cancel(ctx context.Context, id uint64) error
	// Waiting returns the number of queued jobs, or 0 if it cannot be read in a second.
	Waiting() int
	// Serve runs one job at a time until ctx ends. While it has no job, it may compute
	// shards of a job that another process runs. Other clients do not have to wait for all
	// jobs of a client with many. If the process stops, the running job is run again, in
	// another process or in the next one.
	Serve(ctx context.Context, run Run) error
}

// A Job is a job with its progress.
type Job struct {
	store.Job
	Progress openapi.Progress // zero unless the job is running
}

// Run trains the model of a job. If it returns an error because the store is not
// available, it is called again.
type Run func(ctx context.Context, j store.Job, w Work) (Result, error)

// Work connects a running job with its queue.
type Work struct {
	Report func(openapi.Progress) // called with the progress
	// Shards shares the training with other processes; nil if there are none. A process
	// that only helps with a job gets ErrHelped from it, when nothing is left to do.
	Shards model.Shards
}

// ErrHelped ends the work of a process that computed shards of a job of another process.
var ErrHelped = errors.New("all shards of the training are computed or claimed")

// A Result is a model with its file, neither of which is stored yet.
type Result struct {
	Model store.Model
	File  []byte
}

// Options configure a queue.
type Options struct {
	MaxQueued int // jobs
	Log       *slog.Logger
	// Describe returns the description and the kind of the error of a job.
	Describe func(err error) (text, problem string)
}

// New returns the queue of a store.
func New(s store.Store, o Options) (Queue, error) {
	if own, ok := s.(interface {
		Queue(o Options) (Queue, error)
	}); ok {
		return own.Queue(o)
	}
	return newLocal(s, o), nil
}

// A FullError rejects a job because too many are queued.
type FullError struct {
	Client string // whose share is used up; empty if the queue is full
	Queued int
}

func (e *FullError) Error() string {
	text := fmt.Sprintf("%d jobs are queued, the most allowed", e.Queued)
	if e.Client != "" {
		text = e.Client + ": " + text
	}
	return text
}

// Check returns a [FullError] if a client cannot add a job to a queue.
func (o Options) Check(client string, queued, own int) error {
	switch {
	case queued >= o.MaxQueued:
		return &FullError{Queued: queued}
	case own >= (o.MaxQueued+1)/2:
		return &FullError{Client: client, Queued: own}
	}
	return nil
}

var errPanicked = errors.New("internal error: the job panicked; the log of the service has the details")

// Attempt calls run, and returns its panics as errors.
func (o Options) Attempt(ctx context.Context, run Run, j store.Job, w Work) (result Result, err error) {
	defer func() {
		if r := recover(); r != nil {
			o.Log.ErrorContext(ctx, "job panicked", "job", j.ID, "err", r, "stack", string(debug.Stack()))
			err = errPanicked
		}
	}()
	return run(ctx, j, w)
}

// ErrCancelled is the cause with which the context of a cancelled job ends.
var ErrCancelled = errors.New("the job was cancelled")

// A CrashError is the error of a job that is given up because the process crashed during
// each attempt.
type CrashError struct{ Attempts int }

func (e *CrashError) Error() string {
	return fmt.Sprintf("the process crashed during each of %d attempts", e.Attempts)
}
