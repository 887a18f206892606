package bolt_test

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.etcd.io/bbolt"

	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/bolt"
)

// A key is good until the moment at which it expires.
func TestExpiredKey(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "s.db"))
	now := time.Now()
	for _, c := range []struct {
		name    string
		expires time.Time
		want    error
	}{
		{"never", time.Time{}, nil},
		{"in an hour", now.Add(time.Hour), nil},
		{"now", now, store.ErrExpired},
		{"an hour ago", now.Add(-time.Hour), store.ErrExpired},
	} {
		key, secret, err := s.NewKey(t.Context(), store.Key{Name: c.name, Expires: c.expires.UTC()})
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Authenticate(t.Context(), secret)
		if !errors.Is(err, c.want) || got.ID != key.ID {
			t.Errorf("%s: got key %q and %v, want key %q and %v", c.name, got.ID, err, key.ID, c.want)
		}
		if _, err := s.Authenticate(t.Context(), secret+"x"); !errors.Is(err, store.ErrKey) {
			t.Errorf("%s, with a wrong secret: %v, want %v", c.name, err, store.ErrKey)
		}
	}
}

// events returns the key log, newest first, without times.
func events(t *testing.T, s *bolt.Store, before uint64, limit int) []store.Event {
	t.Helper()
	found, err := s.Events(t.Context(), before, limit)
	if err != nil {
		t.Fatal(err)
	}
	for i := range found {
		if found[i].First.IsZero() || found[i].Last.Before(found[i].First) {
			t.Errorf("event %d is from %v to %v", found[i].Number, found[i].First, found[i].Last)
		}
		found[i].First, found[i].Last = time.Time{}, time.Time{}
	}
	return found
}

// Creations and revocations are logged with the key that did them. Uses are counted in
// one entry, which keeps its number, and set the last use of the key.
func TestKeyLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	s := open(t, path)
	read := []store.Scope{store.ScopeRead}
	admin, _, err := s.NewKey(t.Context(), store.Key{Name: "admin"})
	if err != nil {
		t.Fatal(err)
	}
	key, _, err := s.NewKey(t.Context(), store.Key{Name: "ci", Scopes: read, Creator: admin.ID})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now().UTC()
	used := &store.Event{Kind: store.KeyUsed, Key: key.ID, Name: "ci", Scopes: read, Count: 2, First: now, Last: now}
	refused := &store.Event{Kind: store.KeyRefused, Reason: store.UnknownKey, Scopes: read, Count: 7, First: now, Last: now}
	if err := s.LogEvents(t.Context(), []*store.Event{used, refused}); err != nil {
		t.Fatal(err)
	}
	used.Count, used.Last = 5, now.Add(time.Minute)
	if err := s.LogEvents(t.Context(), []*store.Event{used}); err != nil {
		t.Fatal(err)
	}
	s = reopen(t, s, path)
	keys, err := s.Keys(t.Context())
	if err != nil || len(keys) != 2 || !keys[0].Used.IsZero() || !keys[1].Used.Equal(used.Last) || keys[1].Creator != admin.ID {
		t.Errorf("keys are %+v, %v", keys, err)
	}
	if err := s.RevokeKey(t.Context(), key.ID, admin.ID); err != nil {
		t.Fatal(err)
	}
	used.Count = 6 // a use that was not written when the key was revoked
	if err := s.LogEvents(t.Context(), []*store.Event{used}); err != nil {
		t.Fatal(err)
	}
	if keys, err := s.Keys(t.Context()); err != nil || len(keys) != 1 {
		t.Errorf("a use of a revoked key created it again: %+v, %v", keys, err)
	}
	want := []store.Event{
		{Number: 5, Kind: store.KeyRevoked, Key: key.ID, Name: "ci", By: admin.ID, Count: 1},
		{Number: 4, Kind: store.KeyRefused, Reason: store.UnknownKey, Scopes: read, Count: 7},
		{Number: 3, Kind: store.KeyUsed, Key: key.ID, Name: "ci", Scopes: read, Count: 6},
		{Number: 2, Kind: store.KeyCreated, Key: key.ID, Name: "ci", By: admin.ID, Scopes: read, Count: 1},
		{Number: 1, Kind: store.KeyCreated, Key: admin.ID, Name: "admin", Count: 1},
	}
	if diff := cmp.Diff(want, events(t, s, 0, -1), cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want[2:4], events(t, s, 4, 2), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("two entries before 4: %s", diff)
	}
	if err := s.RevokeKey(t.Context(), key.ID, admin.ID); err == nil || len(events(t, s, 0, -1)) != len(want) {
		t.Errorf("a revocation that failed (%v) was logged", err)
	}
}

// The key log keeps entries whose numbers are among the newest, and numbers are never
// used again.
func TestKeyLogIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	s := open(t, path)
	log := func(e *store.Event) *store.Event {
		t.Helper()
		if err := s.LogEvents(t.Context(), []*store.Event{e}); err != nil {
			t.Fatal(err)
		}
		return e
	}
	now := time.Now().UTC()
	event := store.Event{Kind: store.KeyRefused, Reason: store.UnknownKey, Count: 1, First: now, Last: now}
	first := log(new(event))
	log(new(event))
	log(new(event))
	s.Close()
	raw(t, path, func(tx *bbolt.Tx) error { return tx.Bucket([]byte("key_log")).SetSequence(store.MaxEvents) })
	s = open(t, path)
	numbers := func() (out []uint64) {
		for _, e := range events(t, s, 0, -1) {
			out = append(out, e.Number)
		}
		return out
	}
	log(new(event))
	if diff := cmp.Diff([]uint64{store.MaxEvents + 1, 3, 2}, numbers()); diff != "" {
		t.Error(diff)
	}
	log(first) // its entry was dropped
	if diff := cmp.Diff([]uint64{store.MaxEvents + 2, store.MaxEvents + 1, 3}, numbers()); diff != "" || first.Number != store.MaxEvents+2 {
		t.Errorf("number %d %s", first.Number, diff)
	}
}
