//go:build unix

package postgres_test

import (
	"errors"
	"iter"
	"path/filepath"
	"testing"

	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/bolt"
	"github.com/inroad/inroad/api/store/storetest"
	"github.com/inroad/inroad/api/store/transfer"
)

func TestStore(t *testing.T) { storetest.Test(t, newDatabase) }

// A file that is copied to a database, to another database and to a file stays the same.
func TestCopy(t *testing.T) { storetest.TestCopy(t, newFile, newDatabase, newDatabase, newFile) }

// newDatabase returns a function that opens a new database.
func newDatabase(t *testing.T) func() store.Store {
	url := database.Database(t)
	return func() store.Store { return open(t, url) }
}

// newFile returns a function that opens a new file.
func newFile(t *testing.T) func() store.Store {
	path := filepath.Join(t.TempDir(), "s.db")
	return func() store.Store {
		s, err := bolt.Open(t.Context(), path, bolt.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
}

// A database that a service uses takes no entries. A copy that fails leaves nothing behind.
func TestImportFails(t *testing.T) {
	from, url := newFile(t)(), database.Database(t)
	if _, err := from.NewJob(t.Context(), store.Job{}); err != nil {
		t.Fatal(err)
	}
	to := open(t, url)
	differs := errors.New("differs")
	if err := to.Import(t.Context(), from.Export(t.Context()), func(iter.Seq2[store.Entry, error]) error { return differs }); !errors.Is(err, differs) {
		t.Errorf("a copy that differs: %v", err)
	}
	if jobs, err := to.Jobs(t.Context(), "", 0, -1); err != nil || len(jobs) != 0 {
		t.Errorf("jobs after a copy that failed: %+v, %v", jobs, err)
	}
	replica := join(t, url)
	if _, err := transfer.Copy(t.Context(), from, to); !errors.Is(err, store.ErrInUse) {
		t.Errorf("a database in use: %v, want %v", err, store.ErrInUse)
	}
	if err := replica.Close(); err != nil {
		t.Fatal(err)
	}
	if copied, err := transfer.Copy(t.Context(), from, to); err != nil || copied.Jobs != 1 {
		t.Errorf("a database that is no longer in use: %+v, %v", copied, err)
	}
}
