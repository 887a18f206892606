//go:build unix

package postgres_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/postgres"
	"github.com/inroad/inroad/api/store/postgres/postgrestest"
)

var database postgrestest.Server // for all tests

func TestMain(m *testing.M) {
	os.Exit(postgrestest.Main(m, &database)) //nolint:forbidigo // as the testing package does
}

// open opens a database, and closes it when the test ends.
func open(t *testing.T, url string) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// Processes that open a new database at the same time create its tables once.
func TestOpenAtOnce(t *testing.T) {
	url := database.Database(t)
	var group errgroup.Group
	for range 8 {
		group.Go(func() error {
			s, err := postgres.Open(t.Context(), url)
			if err != nil {
				return err
			}
			_, err = s.NewJob(t.Context(), store.Job{})
			return errors.Join(err, s.Close())
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if jobs, err := open(t, url).Jobs(t.Context(), "", 0, -1); err != nil || len(jobs) != 8 {
		t.Errorf("%d jobs, %v; want 8", len(jobs), err)
	}
}

func TestOpenFails(t *testing.T) {
	url := database.Database(t)
	newer := open(t, url)
	connection, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := connection.Exec(t.Context(), "update inroad.version set version = 99"); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(connection.Close(t.Context()), newer.Close()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, url, want string }{
		{"a later version", url, "tables of version 99: must be 1"},
		{"not a URL", "postgres://%zz", "cannot parse"},
		{"nothing listens", "postgres://inroad@127.0.0.1:1/none", store.ErrUnavailable.Error()},
		{"no such database", strings.Replace(url, "/d", "/none", 1), "does not exist"},
	} {
		if _, err := postgres.Open(t.Context(), c.url); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

// A database has one owner, which stays the owner when PostgreSQL restarts. Calls during
// the restart fail, and what was acknowledged before it is still there.
func TestOwner(t *testing.T) {
	url := database.Database(t)
	s, other := open(t, url), open(t, url)
	if err := s.Own(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := other.Own(t.Context()); !errors.Is(err, store.ErrInUse) {
		t.Errorf("a second owner: %v, want %v", err, store.ErrInUse)
	}
	if _, err := s.NewJob(t.Context(), store.Job{}); err != nil {
		t.Fatal(err)
	}
	if err := database.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.NewJob(t.Context(), store.Job{}); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("while PostgreSQL is stopped: %v, want %v", err, store.ErrUnavailable)
	}
	if err := database.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the owner to be back", func() bool { return errors.Is(other.Own(t.Context()), store.ErrInUse) })
	job, err := s.NewJob(t.Context(), store.Job{})
	if err != nil || job.ID != 2 || s.Failure() != nil {
		t.Errorf("after the restart: job %d, %v, failure %v; want job 2", job.ID, err, s.Failure())
	}
}

// An owner whose database was taken over while it was cut off writes nothing.
func TestTakenOver(t *testing.T) {
	url := database.Database(t)
	s := open(t, url)
	if err := s.Own(t.Context()); err != nil {
		t.Fatal(err)
	}
	connection, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close(t.Context())
	// As if another owner had come and gone.
	if _, err := connection.Exec(t.Context(), "update inroad.counters set value = value + 1 where name = 'services'"); err != nil {
		t.Fatal(err)
	}
	if _, err := connection.Exec(t.Context(), "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the takeover to be noticed", func() bool { return s.Failure() != nil })
	if _, err := s.NewJob(t.Context(), store.Job{}); !errors.Is(err, store.ErrStopped) {
		t.Errorf("a write: %v, want %v", err, store.ErrStopped)
	}
	if _, err := s.Jobs(t.Context(), "", 0, -1); err != nil {
		t.Errorf("a read: %v", err)
	}
}

// waitFor waits until a condition holds.
func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !holds(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited a minute for %s", what)
		}
	}
}
