package queue_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/inroad/inroad/api/queue"
	"github.com/inroad/inroad/api/queue/queuetest"
	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/bolt"
)

func openStore(t *testing.T) store.Store {
	t.Helper()
	s, err := bolt.Open(t.Context(), filepath.Join(t.TempDir(), "s.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestLocal(t *testing.T) { queuetest.Test(t, openStore) }

// A client with many jobs does not keep those of another client waiting for all of them,
// nor does it fill the queue.
func TestJobsOfClients(t *testing.T) {
	w := queuetest.Work(t, openStore(t), 6)
	w.Must(t, store.Job{}, "a")
	if id := <-w.Begun; id != 1 {
		t.Errorf("job %d runs first, want 1", id)
	}
	for _, client := range []string{"a", "a", "a", "b", "b"} { // 2 to 6
		w.Must(t, store.Job{}, client)
	}
	if _, err := w.Add(t.Context(), store.Job{}, "a"); err == nil || err.Error() != "a: 3 jobs are queued, the most allowed" {
		t.Errorf("a fourth queued job of a: %v", err)
	}
	if _, err := w.Add(t.Context(), store.Job{}, "c"); err != nil { // 7
		t.Errorf("a job of another client: %v", err)
	}
	for _, want := range []uint64{5, 7, 2, 6, 3, 4} {
		w.End <- nil
		if id := <-w.Begun; id != want {
			t.Errorf("then job %d, want %d", id, want)
		}
	}
	w.End <- nil
	w.Ended(t, 4)
}

// A job that the process does not survive is begun again, but not for ever.
func TestCrash(t *testing.T) {
	const maxAttempts = 3
	s := openStore(t)
	for attempts := 1; attempts <= maxAttempts; attempts++ {
		j, err := s.NewJob(t.Context(), store.Job{})
		j.State, j.Attempts = store.Running, attempts // as a process leaves it that is killed
		if err := errors.Join(err, s.SaveJob(t.Context(), j)); err != nil {
			t.Fatal(err)
		}
	}
	w := queuetest.Work(t, s, 10)
	for want := uint64(1); want < maxAttempts; want++ {
		if got := <-w.Begun; got != want {
			t.Errorf("job %d was begun, want %d", got, want)
		}
		w.End <- nil
		if j := w.Ended(t, want); j.State != store.Done || j.Attempts != int(want)+1 {
			t.Errorf("job %d: %+v", want, j)
		}
	}
	if j := w.Ended(t, maxAttempts); j.State != store.Interrupted || j.Error != (&queue.CrashError{Attempts: maxAttempts}).Error() {
		t.Errorf("after %d attempts: %+v", maxAttempts, j)
	}
}

// A faultyStore fails to save jobs.
type faultyStore struct {
	store.Store
	save func(ctx context.Context) error
}

func (s *faultyStore) SaveJob(ctx context.Context, j store.Job) error {
	if err := s.save(ctx); err != nil {
		return err
	}
	return s.Store.SaveJob(ctx, j)
}

func newQueue(t *testing.T, s store.Store) queue.Queue {
	t.Helper()
	q, err := queue.New(s, queue.Options{
		MaxQueued: 10, Log: slog.New(slog.DiscardHandler), Describe: func(err error) (text, problem string) { return err.Error(), "kind" },
	})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// A store that is stuck stops neither the queue nor its end.
func TestStuckStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, &faultyStore{openStore(t), func(ctx context.Context) error {
			<-ctx.Done()
			return context.Cause(ctx)
		}})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		done := make(chan error)
		go func() {
			done <- q.Serve(ctx, func(ctx context.Context, _ store.Job, _ queue.Work) (queue.Result, error) {
				<-ctx.Done()
				return queue.Result{}, context.Cause(ctx)
			})
		}()
		begin := time.Now()
		if _, err := q.Add(t.Context(), store.Job{}, "a"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(store.WriteLimit + time.Second)
		if j, _, err := q.Get(t.Context(), 1); err != nil || j.State != store.Running {
			t.Errorf("got %+v, %v", j, err)
		}
		cancel()
		if err := <-done; err != nil || time.Since(begin) != 2*store.WriteLimit+time.Second {
			t.Errorf("ended after %v with %v", time.Since(begin), err)
		}
	})
}

// A job is reported as cancelled only if the store has saved that.
func TestCancelNotSaved(t *testing.T) {
	s := openStore(t)
	full := true
	q := newQueue(t, &faultyStore{s, func(context.Context) error {
		if full {
			return store.ErrFull
		}
		return nil
	}})
	if _, err := q.Add(t.Context(), store.Job{}, "a"); err != nil {
		t.Fatal(err)
	}
	if err := q.Cancel(t.Context(), 1); !errors.Is(err, store.ErrFull) {
		t.Errorf("with a full disk: %v", err)
	}
	full = false
	if err := q.Cancel(t.Context(), 1); err != nil {
		t.Error(err)
	}
	if j, err := s.Job(t.Context(), 1); err != nil || j.State != store.Cancelled {
		t.Errorf("got %+v, %v", j, err)
	}
}

// A job that an earlier process left open can be followed and cancelled before the queue
// is served.
func TestJobsLeftOpen(t *testing.T) {
	s := openStore(t)
	for range 2 {
		if _, err := s.NewJob(t.Context(), store.Job{}); err != nil {
			t.Fatal(err)
		}
	}
	q := newQueue(t, s)
	if j, changed, err := q.Get(t.Context(), 1); err != nil || j.State != store.Queued || changed == nil {
		t.Errorf("got %+v, a channel %v, %v", j, changed != nil, err)
	}
	for _, id := range []uint64{1, 2} {
		if err := newQueue(t, s).Cancel(t.Context(), id); err != nil {
			t.Error(err)
		}
		if j, err := s.Job(t.Context(), id); err != nil || j.State != store.Cancelled {
			t.Errorf("got %+v, %v", j, err)
		}
	}
}
