package server

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

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

// A stream ends when its key expires, not before.
func TestExpiryEndsStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := openStore(t)
		s, err := New(Config{Store: st, NeedKeys: true})
		if err != nil {
			t.Fatal(err)
		}
		key, secret, err := st.NewKey(t.Context(), store.Key{Name: "ci", Scopes: []store.Scope{store.ScopeRead}, Expires: time.Now().UTC().Add(time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.jobs.Add(t.Context(), store.Job{Subject: "s"}, "client"); err != nil { // nothing runs it
			t.Fatal(err)
		}
		begin := time.Now()
		w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/jobs/1/events", nil)
		r.Header.Set("Authorization", "Bearer "+secret)
		func() {
			defer func() {
				if aborted := recover(); aborted != nil && aborted != http.ErrAbortHandler { //nolint:errorlint // net/http compares the value itself
					panic(aborted)
				}
			}()
			s.ServeHTTP(w, r)
		}()
		if took := time.Since(begin); took != time.Hour || w.Code != http.StatusOK || !strings.HasPrefix(w.Body.String(), "event: job\n") {
			t.Errorf("the stream ended after %v: %d %s", took, w.Code, w.Body)
		}
		w = httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if want := "key " + key.ID + ": expired at "; w.Code != http.StatusUnauthorized || !strings.Contains(w.Body.String(), want) {
			t.Errorf("afterwards: %d %s, want 401 and %q", w.Code, w.Body, want)
		}
	})
}

// A key that is revoked while a request is let in ends the request.
func TestRevocationDuringAuthentication(t *testing.T) {
	requests := &keyRequests{byKey: map[string]map[*context.CancelCauseFunc]bool{}}
	ctx, leave := requests.enter(t.Context(), "a")
	other, leaveOther := requests.enter(t.Context(), "b")
	requests.end("a")
	if err := context.Cause(ctx); err == nil || err.Error() != "key a: revoked" {
		t.Errorf("the request ends with %v", err)
	}
	if other.Err() != nil {
		t.Errorf("the request of another key ends with %v", context.Cause(other))
	}
	leave()
	leaveOther()
	if len(requests.byKey) != 0 {
		t.Errorf("%d keys have requests, want none", len(requests.byKey))
	}
}

// Requests of an hour are counted in one entry, whatever is written in between, and
// requests of the next hour in another. Counts that cannot be written are kept.
func TestKeyLogCounts(t *testing.T) {
	st := openStore(t)
	now := time.Now()
	l := newKeyLog(st, slog.New(slog.DiscardHandler))
	l.now = func() time.Time { return now }
	type entry struct {
		Number uint64
		Count  int64
	}
	check := func(when string, want ...entry) {
		t.Helper()
		l.flush(t.Context())
		found, err := st.Events(t.Context(), 0, -1)
		if err != nil {
			t.Fatal(err)
		}
		var got []entry
		for _, e := range found {
			got = append(got, entry{e.Number, e.Count})
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", when, diff)
		}
	}
	key := store.Key{ID: "a"}
	l.used(key, store.ScopeRead)
	check("a request", entry{1, 1})
	now = now.Add(59 * time.Minute)
	l.used(key, store.ScopeRead)
	l.used(key, store.ScopeRead)
	check("two more in the same hour", entry{1, 3})
	l.used(key, store.ScopeWrite)
	check("another scope", entry{2, 1}, entry{1, 3})
	now = now.Add(2 * time.Minute)
	check("no request for an hour", entry{2, 1}, entry{1, 3})
	l.used(key, store.ScopeRead)
	check("the next hour", entry{3, 1}, entry{2, 1}, entry{1, 3})
	if len(l.counts) != 2 {
		t.Errorf("%d counts in memory, want those of the last hour: 2", len(l.counts))
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	l.used(key, store.ScopeRead)
	l.flush(t.Context())
	now = now.Add(2 * time.Hour)
	l.flush(t.Context())
	if c := l.counts[requestKind{kind: store.KeyUsed, key: "a", scope: store.ScopeRead}]; c == nil || c.event.Count != 2 || !c.changed {
		t.Errorf("a count that was not written is %+v", c)
	}
}
