// Package queuetest tests implementations of [queue.Queue].
package queuetest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/queue"
	"github.com/inroad/inroad/api/store"
)

// A Worker runs jobs as a test tells it.
type Worker struct {
	queue.Queue
	Begun chan uint64
	End   chan error // nil or the error that a job ends with
	Stop  func()

	Panics atomic.Uint64 // the job that panics
}

// Work serves the queue of a store until the test ends or calls Stop.
func Work(t *testing.T, s store.Store, maxQueued int) *Worker {
	t.Helper()
	q, err := queue.New(s, queue.Options{
		MaxQueued: maxQueued, Log: slog.New(slog.DiscardHandler),
		Describe: func(err error) (text, problem string) { return err.Error(), "kind" },
	})
	if err != nil {
		t.Fatal(err)
	}
	w := &Worker{Queue: q, Begun: make(chan uint64), End: make(chan error)}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- w.Serve(ctx, w.run) }()
	stopped := false
	w.Stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(w.Stop)
	return w
}

// run does a job as the test tells it.
func (w *Worker) run(ctx context.Context, j store.Job, work queue.Work) (queue.Result, error) {
	if j.ID == w.Panics.Load() {
		panic("oh")
	}
	work.Report(openapi.Progress{Stage: "working"})
	select {
	case w.Begun <- j.ID:
	case <-ctx.Done():
		return queue.Result{}, context.Cause(ctx)
	}
	select {
	case err := <-w.End:
		return queue.Result{Model: store.Model{ID: fmt.Sprint("made", j.ID)}, File: []byte("file")}, err
	case <-ctx.Done():
		return queue.Result{}, context.Cause(ctx)
	}
}

// Must adds a job of a client.
func (w *Worker) Must(t *testing.T, j store.Job, client string) store.Job {
	t.Helper()
	j, err := w.Add(t.Context(), j, client)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// Ended waits for the end of a job.
func (w *Worker) Ended(t *testing.T, id uint64) queue.Job {
	t.Helper()
	return w.Until(t, id, func(j queue.Job) bool { return j.State.Ended() })
}

// Until waits until a condition holds for a job.
func (w *Worker) Until(t *testing.T, id uint64, holds func(j queue.Job) bool) queue.Job {
	t.Helper()
	for {
		j, changed, err := w.Get(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if holds(j) {
			return j
		}
		if changed == nil {
			t.Fatalf("job %d ended as %+v", id, j)
		}
		<-changed
	}
}

// begins fails the test unless a job begins next.
func (w *Worker) begins(t *testing.T, want uint64) {
	t.Helper()
	if got := <-w.Begun; got != want {
		t.Errorf("job %d was begun, want %d", got, want)
	}
}

// Test runs the tests over queues of new stores.
func Test(t *testing.T, open func(t *testing.T) store.Store) {
	for _, c := range []struct {
		name string
		test func(t *testing.T, s store.Store)
	}{
		{"in order", testOrder},
		{"a full queue", testFull},
		{"cancelled", testCancel},
		{"the process ends", testEndOfService},
		{"a panic", testPanic},
		{"a request is repeated", testRepeated},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, open(t)) })
	}
}

func testOrder(t *testing.T, s store.Store) {
	t.Helper()
	w := Work(t, s, 10)
	for _, client := range []string{"a", "b", "c"} {
		w.Must(t, store.Job{Subject: "s"}, client)
	}
	for want := uint64(1); want <= 3; want++ {
		w.begins(t, want)
		w.Until(t, want, func(j queue.Job) bool {
			return j.State == store.Running && j.Progress.Stage == "working" && j.Attempts == 1
		})
		if want == 2 {
			w.End <- errors.New("no such luck")
		} else {
			w.End <- nil
		}
		j := w.Ended(t, want)
		model := fmt.Sprint("made", want)
		if want == 2 && (j.State != store.Failed || j.Error != "no such luck" || j.Problem != "kind") || want != 2 && (j.State != store.Done || j.Model != model) {
			t.Errorf("job %d ended as %+v", want, j)
		}
		if _, err := s.Model(t.Context(), model); (err == nil) != (want != 2) {
			t.Errorf("the model of job %d: %v", want, err)
		}
	}
}

func testFull(t *testing.T, s store.Store) {
	t.Helper()
	w := Work(t, s, 4)
	w.Must(t, store.Job{}, "a")
	<-w.Begun // it waits no more
	w.Must(t, store.Job{}, "a")
	w.Must(t, store.Job{}, "a")
	full := func(client string) *queue.FullError {
		_, err := w.Add(t.Context(), store.Job{}, client)
		out, ok := errors.AsType[*queue.FullError](err)
		if !ok {
			t.Fatalf("a job of %s: %v", client, err)
		}
		return out
	}
	if e := full("a"); *e != (queue.FullError{Client: "a", Queued: 2}) {
		t.Errorf("a third queued job of a: %v", e)
	}
	w.Must(t, store.Job{}, "b")
	w.Must(t, store.Job{}, "c")
	if e := full("d"); *e != (queue.FullError{Queued: 4}) {
		t.Errorf("a fifth queued job: %v", e)
	}
	if n := w.Waiting(); n != 4 {
		t.Errorf("%d jobs wait, want 4", n)
	}
}

func testCancel(t *testing.T, s store.Store) {
	t.Helper()
	w := Work(t, s, 10)
	w.Must(t, store.Job{}, "")
	w.Must(t, store.Job{}, "")
	<-w.Begun
	cancel := func(id uint64) {
		if err := w.Cancel(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	cancel(2) // waits
	if j := w.Ended(t, 2); j.State != store.Cancelled || j.Attempts != 0 {
		t.Errorf("a job that waited: %+v", j)
	}
	cancel(1) // runs
	if j := w.Ended(t, 1); j.State != store.Cancelled || j.Attempts != 1 {
		t.Errorf("a job that ran: %+v", j)
	}
	cancel(1)
	cancel(99)
	if j, err := s.Job(t.Context(), 1); err != nil || j.State != store.Cancelled {
		t.Errorf("cancelled again: %+v, %v", j, err)
	}
	w.Must(t, store.Job{}, "")
	w.begins(t, 3) // the worker is free
	w.End <- nil
	w.Ended(t, 3)
}

// A job that is running when the process ends is started again, as if for the first time.
func testEndOfService(t *testing.T, s store.Store) {
	t.Helper()
	w := Work(t, s, 10)
	w.Must(t, store.Job{}, "a")
	w.Must(t, store.Job{}, "b")
	<-w.Begun
	w.Stop()
	if j, err := s.Job(t.Context(), 1); err != nil || j.State != store.Queued || j.Attempts != 0 {
		t.Errorf("in between: %+v, %v", j, err)
	}
	w = Work(t, s, 10)
	begun := map[uint64]bool{}
	for range 2 {
		id := <-w.Begun
		begun[id] = true
		w.End <- nil
		if j := w.Ended(t, id); j.State != store.Done || j.Attempts != 1 {
			t.Errorf("job %d: %+v", id, j)
		}
	}
	if len(begun) != 2 {
		t.Errorf("jobs %v were begun, want 1 and 2", begun)
	}
}

func testPanic(t *testing.T, s store.Store) {
	t.Helper()
	w := Work(t, s, 10)
	w.Panics.Store(1)
	w.Must(t, store.Job{}, "")
	w.Must(t, store.Job{}, "")
	if j := w.Ended(t, 1); j.State != store.Failed || !strings.HasPrefix(j.Error, "internal error: the job panicked") {
		t.Errorf("got %+v", j)
	}
	<-w.Begun // the next job still runs
	w.End <- nil
	w.Ended(t, 2)
}

// A repeated request gets the same job, also after the job has ended and after a restart.
func testRepeated(t *testing.T, s store.Store) {
	t.Helper()
	w := Work(t, s, 2)
	w.Must(t, store.Job{}, "")
	<-w.Begun
	named := store.Job{RequestKey: "r", BodyDigest: []byte("b")}
	first := w.Must(t, named, "a")
	other := w.Must(t, store.Job{RequestKey: "other"}, "b")
	if j := w.Must(t, named, "a"); j.ID != first.ID || string(j.BodyDigest) != "b" || other.ID == first.ID { // although the queue is full
		t.Errorf("a repeated request got job %d, want %d", j.ID, first.ID)
	}
	for range 2 {
		w.End <- nil
		<-w.Begun
	}
	w.End <- nil
	w.Ended(t, first.ID)
	w.Ended(t, other.ID)
	w.Stop()
	w = Work(t, s, 2)
	if j := w.Must(t, named, "a"); j.ID != first.ID || j.State != store.Done {
		t.Errorf("after the end: %+v, want job %d", j, first.ID)
	}
}
