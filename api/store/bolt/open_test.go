package bolt_test

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/bolt"
)

// put stores a model.
func put(t *testing.T, s *bolt.Store, id string) {
	t.Helper()
	if _, err := s.PutModel(t.Context(), store.Model{ID: id}, []byte("file")); err != nil {
		t.Fatal(err)
	}
}

// While a store is compacted, other processes wait for its lock. None of their
// writes is lost, whoever comes first.
func TestOpenDuringCompaction(t *testing.T) {
	for try := range 25 {
		path := filepath.Join(t.TempDir(), "s.db")
		holder := open(t, path)
		put(t, holder, "first")
		var waiting sync.WaitGroup
		for range 2 {
			waiting.Go(func() {
				if _, _, err := bolt.CompactFile(t.Context(), path); err != nil && !errors.Is(err, bolt.ErrInUse) {
					t.Errorf("try %d: compact: %v", try, err)
				}
			})
		}
		for _, id := range []string{"second", "third"} {
			waiting.Go(func() {
				s, err := bolt.Open(t.Context(), path, bolt.Options{Wait: time.Minute})
				if err != nil {
					t.Errorf("try %d: open: %v", try, err)
					return
				}
				defer s.Close()
				if _, err := s.PutModel(t.Context(), store.Model{ID: id}, []byte("file")); err != nil {
					t.Errorf("try %d: %v", try, err)
				}
			})
		}
		waitForOpen(t, path, 5)
		if err := holder.Close(); err != nil {
			t.Fatal(err)
		}
		waiting.Wait()
		if found, err := open(t, path).Models(t.Context(), "", 0, -1); err != nil || len(found) != 3 {
			t.Fatalf("try %d: %d of 3 acknowledged models are in the store, %v", try, len(found), err)
		}
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) > 0 {
			t.Errorf("try %d: left-over files %v", try, left)
		}
	}
}

// waitForOpen waits until this process has opened a file n times.
func waitForOpen(t *testing.T, path string, n int) {
	t.Helper()
	const fds = "/proc/self/fd"
	if _, err := os.Stat(fds); err != nil {
		return // the outcome must be the same in any order
	}
	for count := 0; count < n; {
		entries, err := os.ReadDir(fds)
		if err != nil {
			t.Fatal(err)
		}
		count = 0
		for _, e := range entries {
			if name, _ := os.Readlink(filepath.Join(fds, e.Name())); name == path {
				count++
			}
		}
	}
}

// A store that was replaced while Open waited is opened anew, also through a link.
func TestOpenReplaced(t *testing.T) {
	for _, name := range []string{"s.db", "link"} {
		dir := t.TempDir()
		path := filepath.Join(dir, "s.db")
		holder := open(t, path)
		put(t, holder, "m")
		if err := os.Symlink("s.db", filepath.Join(dir, "link")); err != nil {
			t.Fatal(err)
		}
		if err := holder.Compact(t.Context(), filepath.Join(dir, "new.db")); err != nil {
			t.Fatal(err)
		}
		done := make(chan error)
		go func() {
			s, err := bolt.Open(t.Context(), filepath.Join(dir, name), bolt.Options{Wait: time.Minute})
			if err == nil {
				_, err = s.PutModel(t.Context(), store.Model{ID: "late"}, []byte("file"))
				err = errors.Join(err, s.Close())
			}
			done <- err
		}()
		waitForOpen(t, path, 2)
		if err := errors.Join(os.Rename(filepath.Join(dir, "new.db"), path), holder.Close()); err != nil {
			t.Fatal(err)
		}
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if _, err := open(t, path).Model(t.Context(), "late"); err != nil {
			t.Errorf("%s: an acknowledged model is lost: %v", name, err)
		}
	}
}

func TestOpenInUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	s := open(t, path)
	for _, opt := range []bolt.Options{{Wait: time.Millisecond}, {Wait: time.Millisecond, ReadOnly: true}} {
		if _, err := bolt.Open(t.Context(), path, opt); !errors.Is(err, bolt.ErrInUse) {
			t.Errorf("%+v: %v", opt, err)
		}
	}
	s.Close()
}

func TestOpenExisting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	for _, opt := range []bolt.Options{{ReadOnly: true}, {Existing: true}} {
		if _, err := bolt.Open(t.Context(), path, opt); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%+v: %v", opt, err)
		}
		if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%+v: created the file, %v", opt, err)
		}
	}
	open(t, path).Close()
	s, err := bolt.Open(t.Context(), path, bolt.Options{Existing: true})
	if err != nil {
		t.Fatal(err)
	}
	put(t, s, "m")
	s.Close()
}

// A crash while a store is created leaves no store, or one that can be used.
func TestOpenAfterInterruptedCreation(t *testing.T) {
	dir := t.TempDir()
	empty, early := filepath.Join(dir, "empty.db"), filepath.Join(dir, "early.db")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if db, err := bbolt.Open(early, 0o600, nil); err != nil || db.Close() != nil { // before its buckets are created
		t.Fatal(err)
	}
	for _, path := range []string{empty, early} {
		s := open(t, path)
		put(t, s, "m")
		if _, err := reopen(t, s, path).Model(t.Context(), "m"); err != nil {
			t.Error(err)
		}
	}
}

// Processes that create a store at once share it.
func TestCreateAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	ids := []string{"a", "b", "c", "d"}
	var creating sync.WaitGroup
	for _, id := range ids {
		creating.Go(func() {
			s, err := bolt.Open(t.Context(), path, bolt.Options{Wait: time.Minute})
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			if _, err := s.PutModel(t.Context(), store.Model{ID: id}, nil); err != nil {
				t.Error(err)
			}
		})
	}
	creating.Wait()
	if found, err := open(t, path).Models(t.Context(), "", 0, -1); err != nil || len(found) != len(ids) {
		t.Errorf("%d models, %v; want %d", len(found), err, len(ids))
	}
}
