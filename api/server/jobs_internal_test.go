package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/bolt"
)

// A worker does jobs as a test tells it.
type worker struct {
	*jobs
	begun chan uint64
	end   chan error // what a job ends with
	stop  func()
}

func work(t *testing.T, s store.Store, maxQueued int) *worker {
	t.Helper()
	w := &worker{begun: make(chan uint64), end: make(chan error)}
	w.jobs = &jobs{
		store: s, log: slog.New(slog.DiscardHandler), maxQueued: maxQueued, wake: make(chan struct{}, 1), open: map[uint64]*openJob{},
		run: func(ctx context.Context, j store.Job, report func(openapi.Progress)) (string, error) {
			report(openapi.Progress{Stage: "working"})
			w.begun <- j.ID
			select {
			case err := <-w.end:
				return "made", err
			case <-ctx.Done():
				return "", context.Cause(ctx)
			}
		},
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- w.serve(ctx) }()
	w.stop = func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	return w
}

func openStore(t *testing.T) store.Store {
	t.Helper()
	s, err := bolt.Open(t.Context(), filepath.Join(t.TempDir(), "s.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// A client with many jobs does not keep those of another client waiting for all of them,
// nor does it fill the queue.
func TestJobsOfClients(t *testing.T) {
	w := work(t, openStore(t), 6)
	defer w.stop()
	w.add(t.Context(), store.Job{}, "a")
	if id := <-w.begun; id != 1 {
		t.Errorf("job %d runs first, want 1", id)
	}
	for _, client := range []string{"a", "a", "a", "b", "b"} { // 2 to 6
		if _, err := w.add(t.Context(), store.Job{}, client); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.add(t.Context(), store.Job{}, "a"); problemOf(err).Detail != "a: 3 jobs are queued, the most allowed" {
		t.Errorf("a fourth queued job of a: %v", err)
	}
	if _, err := w.add(t.Context(), store.Job{}, "c"); err != nil { // 7
		t.Errorf("a job of another client: %v", err)
	}
	for _, want := range []uint64{5, 7, 2, 6, 3, 4} {
		w.end <- nil
		if id := <-w.begun; id != want {
			t.Errorf("then job %d, want %d", id, want)
		}
	}
	w.end <- nil
	w.ended(t, 4)
}

// ended waits for the end of a job.
func (w *worker) ended(t *testing.T, id uint64) openapi.Job {
	t.Helper()
	for {
		j, changed, err := w.get(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if changed == nil {
			return j
		}
		<-changed
	}
}

func TestJobsInOrder(t *testing.T) {
	w := work(t, openStore(t), 10)
	defer w.stop()
	for range 3 {
		if _, err := w.add(t.Context(), store.Job{}, ""); err != nil {
			t.Fatal(err)
		}
	}
	for want := uint64(1); want <= 3; want++ {
		if got := <-w.begun; got != want {
			t.Errorf("job %d was begun, want %d", got, want)
		}
		if j, _, _ := w.get(t.Context(), want); j.State != openapi.Running || j.Progress.Stage != "working" || j.Attempts != 1 {
			t.Errorf("job %d is %+v", want, j)
		}
		if want == 2 {
			w.end <- errors.New("no such luck")
		} else {
			w.end <- nil
		}
		j := w.ended(t, want)
		if want == 2 && (j.State != openapi.Failed || j.Error != "no such luck") || want != 2 && (j.State != openapi.Done || j.Model != "made") {
			t.Errorf("job %d ended as %+v", want, j)
		}
	}
}

func TestQueueIsFull(t *testing.T) {
	w := work(t, openStore(t), 2)
	defer w.stop()
	w.add(t.Context(), store.Job{}, "")
	<-w.begun // it waits no more
	w.add(t.Context(), store.Job{}, "a")
	w.add(t.Context(), store.Job{}, "b")
	_, err := w.add(t.Context(), store.Job{}, "c")
	if p := problemOf(err); p.Status != http.StatusTooManyRequests || p.Detail != "2 jobs are queued, the most allowed" {
		t.Errorf("got %+v", p)
	}
}

func TestCancel(t *testing.T) {
	w := work(t, openStore(t), 10)
	defer w.stop()
	w.add(t.Context(), store.Job{}, "")
	w.add(t.Context(), store.Job{}, "")
	<-w.begun
	w.cancel(t.Context(), 2) // waits
	if j := w.ended(t, 2); j.State != openapi.Cancelled || j.Attempts != 0 {
		t.Errorf("a job that waited: %+v", j)
	}
	w.cancel(t.Context(), 1) // runs
	if j := w.ended(t, 1); j.State != openapi.Cancelled || j.Attempts != 1 {
		t.Errorf("a job that ran: %+v", j)
	}
	w.cancel(t.Context(), 1)
	if j, err := w.store.Job(t.Context(), 1); err != nil || j.State != store.Cancelled {
		t.Errorf("cancelled again: %+v, %v", j, err)
	}
}

// A job that runs when the service ends is begun again, as if it had not been.
func TestEndOfService(t *testing.T) {
	s := openStore(t)
	w := work(t, s, 10)
	w.add(t.Context(), store.Job{}, "")
	w.add(t.Context(), store.Job{}, "")
	<-w.begun
	w.stop()
	if j, err := s.Job(t.Context(), 1); err != nil || j.State != store.Queued || j.Attempts != 0 {
		t.Errorf("in between: %+v, %v", j, err)
	}
	w = work(t, s, 10)
	defer w.stop()
	for want := uint64(1); want <= 2; want++ {
		if got := <-w.begun; got != want {
			t.Errorf("job %d was begun, want %d", got, want)
		}
		w.end <- nil
		w.ended(t, want)
	}
}

// A job that the process does not survive is begun again, but not for ever.
func TestCrash(t *testing.T) {
	s := openStore(t)
	for attempts := 1; attempts <= maxAttempts; attempts++ {
		j, err := s.NewJob(t.Context(), store.Job{})
		if err != nil {
			t.Fatal(err)
		}
		j.State, j.Attempts = store.Running, attempts // as a process leaves it that is killed
		if err := s.SaveJob(t.Context(), j); err != nil {
			t.Fatal(err)
		}
	}
	w := work(t, s, 10)
	defer w.stop()
	for want := uint64(1); want < maxAttempts; want++ {
		if got := <-w.begun; got != want {
			t.Errorf("job %d was begun, want %d", got, want)
		}
		w.end <- nil
		if j := w.ended(t, want); j.State != openapi.Done || j.Attempts != int(want)+1 {
			t.Errorf("job %d: %+v", want, j)
		}
	}
	if j := w.ended(t, maxAttempts); j.State != openapi.Interrupted || j.Error == "" {
		t.Errorf("after %d attempts: %+v", maxAttempts, j)
	}
}

func TestPanicInJob(t *testing.T) {
	w := work(t, openStore(t), 10)
	defer w.stop()
	run := w.run
	w.mu.Lock()
	w.run = func(ctx context.Context, j store.Job, report func(openapi.Progress)) (string, error) {
		if j.ID == 1 {
			panic("oh")
		}
		return run(ctx, j, report)
	}
	w.mu.Unlock()
	w.add(t.Context(), store.Job{}, "")
	w.add(t.Context(), store.Job{}, "")
	if j := w.ended(t, 1); j.State != openapi.Failed || j.Error != "internal error" {
		t.Errorf("got %+v", j)
	}
	<-w.begun // the next is done nevertheless
	w.end <- nil
}
