package bolt

import (
	"bytes"
	"context"
	"time"

	"github.com/inroad/inroad/api/store"
)

// LogEvents writes events to the key log in one transaction, and sets the numbers of new
// events. An event that has a number replaces its entry. A [store.KeyUsed] event also
// sets the last use of its key.
func (s *Store) LogEvents(ctx context.Context, events []*store.Event) error {
	numbers := make([]uint64, len(events))
	err := s.update(ctx, func(tx *txn) error {
		for i, e := range events {
			logged := *e
			if err := putEvent(tx, &logged); err != nil {
				return err
			}
			numbers[i] = logged.Number
			if e.Kind == store.KeyUsed {
				if err := touchKey(tx, e.Key, e.Last); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i, n := range numbers {
		events[i].Number = n
	}
	return nil
}

// putEvent writes an event to the key log, and drops the oldest entries if it is full.
// An event without an entry, or whose entry was dropped, becomes the newest.
func putEvent(tx *txn, e *store.Event) error {
	b := tx.bucket(keyLogBucket)
	old, err := b.get(number(e.Number))
	if err != nil {
		return err
	}
	if e.Number == 0 || old == nil {
		if e.Number, err = b.next(); err != nil {
			return err
		}
	}
	value, err := encode(e)
	if err != nil {
		return err
	}
	if err := b.put(number(e.Number), value); err != nil {
		return err
	}
	last := b.bolt.Sequence()
	if last <= store.MaxEvents {
		return nil
	}
	for oldest := number(last - store.MaxEvents); ; {
		first, err := b.from(nil)
		if err != nil {
			return err
		}
		if first.key == nil || bytes.Compare(first.key, oldest) > 0 {
			return nil
		}
		if err := b.delete(first.key); err != nil {
			return err
		}
	}
}

// touchKey sets the last use of a key, unless it was revoked or used later.
func touchKey(tx *txn, id string, used time.Time) error {
	k, err := key(tx, id)
	if err != nil || k.ID == "" || !used.After(k.Used) { // uses with different scopes are logged in any order
		return err
	}
	k.Used = used
	return putKey(tx, k)
}

// Events returns up to limit entries of the key log, newest first. If before is not 0,
// it returns only entries with a lower number. A negative limit means no limit.
func (s *Store) Events(ctx context.Context, before uint64, limit int) ([]store.Event, error) {
	var out []store.Event
	err := s.view(ctx, func(tx *txn) error {
		for entry, err := range tx.bucket(keyLogBucket).newest(before) {
			if err != nil {
				return err
			}
			var e store.Event
			if err := decode(entry.value, &e); err != nil {
				return err
			}
			if out = append(out, e); len(out) == limit {
				return nil
			}
		}
		return nil
	})
	return out, err
}
