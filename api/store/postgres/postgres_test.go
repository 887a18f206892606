//go:build unix

package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/inroad/inroad/api/queue/queuetest"
	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/postgres"
	"github.com/inroad/inroad/api/store/postgres/postgrestest"
	"github.com/inroad/inroad/model/observation"
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

// join opens a database as one of its replicas.
func join(t *testing.T, url string) *postgres.Store {
	t.Helper()
	s := open(t, url)
	if err := s.Join(t.Context(), true); err != nil {
		t.Fatal(err)
	}
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

// Close does not wait for ever for a call that does not end.
func TestCloseInUse(t *testing.T) {
	s := open(t, database.Database(t))
	calls := 0
	for _, err := range s.Export(t.Context()) { // a new database has counters
		if err != nil {
			t.Fatal(err)
		}
		calls++
		s.SetCloseLimit(50 * time.Millisecond)
		if err := s.Close(); !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("during a call: %v, want %v", err, store.ErrUnavailable)
		}
		break
	}
	s.SetCloseLimit(time.Minute)
	if err := s.Close(); err != nil || calls != 1 {
		t.Errorf("after %d calls: %v", calls, err)
	}
}

// A commit whose observations cannot be removed in time is deleted nevertheless. The next
// deletion removes them.
func TestDeletionInterrupted(t *testing.T) {
	url := database.Database(t)
	s := open(t, url)
	for _, commit := range []string{"first", "second"} {
		if _, err := s.AddObservations(t.Context(), "p", commit, []observation.Unit{{ID: "m"}}, []observation.Observation{{Input: []byte("1")}, {Input: []byte("2")}}); err != nil {
			t.Fatal(err)
		}
	}
	connection, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = connection.Close(context.WithoutCancel(t.Context())) }()
	count := func(table string) (n int) {
		if err := connection.QueryRow(t.Context(), "select count(*) from inroad."+table).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	tx, err := connection.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "select from inroad.seen limit 1 for update"); err != nil { // of the first commit
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	if err := s.DeleteCommit(ctx, "p", "first", 0); err != nil || ctx.Err() == nil {
		t.Errorf("the interrupted deletion: %v", err)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	var missing *store.NotFoundError
	if _, err := s.Commit(t.Context(), "p", "first"); !errors.As(err, &missing) {
		t.Errorf("the deleted commit: %v", err)
	}
	if seen, commits := count("seen"), count("commits"); seen != 3 || commits != 2 {
		t.Errorf("%d rows of %d commits are left, want 3 of 2", seen, commits)
	}
	if err := s.DeleteCommit(t.Context(), "p", "second", 0); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"seen", "blocks", "units", "commits"} {
		if n := count(table); n != 0 {
			t.Errorf("%d rows of %s are left", n, table)
		}
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
		{"a later version", url, "tables of version 99: must be at most 5"},
		{"not a URL", "postgres://%zz", "cannot parse"},
		{"nothing listens", "postgres://inroad@127.0.0.1:1/none", store.ErrUnavailable.Error()},
		{"no such database", strings.Replace(url, "/d", "/none", 1), "does not exist"},
	} {
		if _, err := postgres.Open(t.Context(), c.url); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

// Calls during a restart of PostgreSQL wait, but not for ever. What was acknowledged before
// it is still there.
func TestRestart(t *testing.T) {
	s := open(t, database.Database(t))
	if _, err := s.NewJob(t.Context(), store.Job{}); err != nil {
		t.Fatal(err)
	}
	if err := database.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.SetPatience(time.Millisecond)
	if _, err := s.NewJob(t.Context(), store.Job{}); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("while PostgreSQL is stopped: %v, want %v", err, store.ErrUnavailable)
	}
	s.SetPatience(time.Minute)
	var group errgroup.Group
	group.Go(func() error {
		j, err := s.NewJob(t.Context(), store.Job{})
		if err == nil && j.ID != 2 {
			err = fmt.Errorf("job %d, want 2", j.ID)
		}
		return err
	})
	if err := errors.Join(database.Start(t.Context()), group.Wait()); err != nil {
		t.Errorf("a call that waits for PostgreSQL: %v", err)
	}
}

// Replicas are told of changes, use what they have cached, and see the changes of each
// other, also after they have lost their connections.
func TestReplicas(t *testing.T) {
	url := database.Database(t)
	a, b := join(t, url), join(t, url)
	waitFor(t, "the replicas to see each other", func() bool { return a.Replicas() == 1 && b.Replicas() == 2 })
	changes := make(chan store.Change, 100)
	b.Subscribe(func(c store.Change) { changes <- c })
	key, secret, err := a.NewKey(t.Context(), store.Key{Name: "k"})
	if err != nil {
		t.Fatal(err)
	}
	authenticates := func(s *postgres.Store) bool {
		got, err := s.Authenticate(t.Context(), secret)
		if err != nil && !errors.Is(err, store.ErrKey) {
			t.Fatal(err)
		}
		return got.ID == key.ID
	}
	if !authenticates(a) || !authenticates(b) {
		t.Error("a replica does not know the key")
	}
	if err := database.Cut(t, url); err != nil {
		t.Fatal(err)
	}
	if err := a.RevokeKey(t.Context(), key.ID, ""); err != nil {
		t.Fatal(err)
	}
	if authenticates(a) {
		t.Error("the replica that revoked a key accepts it")
	}
	waitFor(t, "the other replica to reject the key", func() bool { return !authenticates(b) })
	want := map[store.Change]bool{{Kind: store.KeyChange, ID: key.ID}: true, {}: true}
	for len(want) > 0 {
		delete(want, <-changes)
	}
	waitFor(t, "changes after the connection was lost", func() bool {
		if _, err := a.NewJob(t.Context(), store.Job{}); err != nil {
			t.Fatal(err)
		}
		for {
			select {
			case c := <-changes:
				if c.Kind == store.JobChange {
					return true
				}
			default:
				return false
			}
		}
	})
}

// A model and its alias are cached until either changes.
func TestCachedModels(t *testing.T) {
	url := database.Database(t)
	a, b := join(t, url), join(t, url)
	for _, id := range []string{"m1", "m2"} {
		if _, err := a.PutModel(t.Context(), store.Model{ID: id, Subject: "s"}, []byte(id)); err != nil {
			t.Fatal(err)
		}
		if err := a.PutAlias(t.Context(), store.Alias{Name: "alias", Model: id}); err != nil {
			t.Fatal(err)
		}
		for _, s := range []*postgres.Store{a, b} {
			waitFor(t, "the alias to point to "+id, func() bool {
				named, err := s.Named(t.Context(), "alias")
				newest, err2 := s.Models(t.Context(), "s", 0, 1)
				return err == nil && err2 == nil && named.ID == id && len(newest) == 1 && newest[0].ID == id
			})
		}
		if named, err := a.Named(t.Context(), "alias"); err != nil || named.ID != id {
			t.Errorf("where the alias was set: %s, %v; want %s", named.ID, err, id)
		}
	}
}

func TestQueue(t *testing.T) {
	queuetest.Test(t, func(t *testing.T) store.Store { t.Helper(); return join(t, database.Database(t)) })
}

// A job is done although the connection is lost while its model is stored, when it is
// unknown whether that was committed.
func TestLostCommit(t *testing.T) {
	url := database.Database(t)
	s := join(t, url)
	connection, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = connection.Close(t.Context()) }()
	if _, err := connection.Exec(t.Context(), `
		set search_path to inroad;
		create sequence commits_tried; -- a rollback does not undo it
		create function lose() returns trigger language plpgsql as $$ begin
			if nextval('inroad.commits_tried') <= 2 then perform pg_terminate_backend(pg_backend_pid()); end if;
			return null;
		end $$;
		create constraint trigger lose after insert on chunks deferrable initially deferred for each row execute function lose()`); err != nil {
		t.Fatal(err)
	}
	for _, patience := range []time.Duration{time.Minute, time.Millisecond} { // of the transaction, of the job
		s.SetPatience(patience)
		w := queuetest.Work(t, s, 1)
		j := w.Must(t, store.Job{}, "a")
		<-w.Begun
		w.End <- nil
		if ended := w.Ended(t, j.ID); ended.State != store.Done {
			t.Errorf("with a patience of %v the job ended as %+v", patience, ended)
		}
		w.Stop()
		if _, err := connection.Exec(t.Context(), "delete from inroad.chunks; alter sequence inroad.commits_tried restart"); err != nil {
			t.Fatal(err)
		}
	}
}

// Observations are read although their stored features are damaged.
func TestDamagedFeatures(t *testing.T) {
	url := database.Database(t)
	s := open(t, url)
	if _, err := s.AddObservations(t.Context(), "p", "c", nil, []observation.Observation{{Input: []byte("1")}}); err != nil {
		t.Fatal(err)
	}
	key := []byte("k")
	if err := s.PutFeatures(t.Context(), store.Features{Subject: "p", Commit: "c", Block: 1, Key: key, Data: []byte("x")}, 1<<20); err != nil {
		t.Fatal(err)
	}
	connection, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = connection.Close(t.Context()) }()
	if _, err := connection.Exec(t.Context(), "update inroad.features set data = 'damaged'"); err != nil {
		t.Fatal(err)
	}
	b, err := s.Block(t.Context(), "p", "c", 1, key)
	if err != nil || len(b.Observations) != 1 || b.Features != nil {
		t.Errorf("got %+v, %v; want an observation without features", b, err)
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
