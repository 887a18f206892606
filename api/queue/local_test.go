package queue_test

import (
	"errors"
	"path/filepath"
	"testing"

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
