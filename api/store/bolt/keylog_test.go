package bolt_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"

	"github.com/inroad/inroad/api/store"
)

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
		found, err := s.Events(t.Context(), 0, -1)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range found {
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

// The last use of a key is the latest of its uses, in whatever order they are logged.
func TestLastUse(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "s.db"))
	key, _, err := s.NewKey(t.Context(), store.Key{Name: "ci"})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now().UTC()
	used := func(last time.Time, scope store.Scope) *store.Event {
		return &store.Event{Kind: store.KeyUsed, Key: key.ID, Scopes: []store.Scope{scope}, Count: 1, First: now, Last: last}
	}
	if err := s.LogEvents(t.Context(), []*store.Event{used(now.Add(time.Minute), store.ScopeWrite), used(now, store.ScopeRead)}); err != nil {
		t.Fatal(err)
	}
	if keys, err := s.Keys(t.Context()); err != nil || !keys[0].Used.Equal(now.Add(time.Minute)) {
		t.Errorf("last use %v, %v; want %v", keys[0].Used, err, now.Add(time.Minute))
	}
}
