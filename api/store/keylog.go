package store

import (
	"bytes"
	"time"

	"go.etcd.io/bbolt"
)

// An EventKind is what happened to a key.
type EventKind string

// The kinds of events. They are part of the file format.
const (
	KeyCreated EventKind = "created"
	KeyRevoked EventKind = "revoked"
	KeyUsed    EventKind = "used"    // requests were let in
	KeyRefused EventKind = "refused" // requests were rejected
)

// A RefusalReason is why requests were rejected.
type RefusalReason string

// The reasons of refusals. They are part of the file format.
const (
	MissingKey   RefusalReason = "missing"
	UnknownKey   RefusalReason = "unknown"
	ExpiredKey   RefusalReason = "expired"
	MissingScope RefusalReason = "scope"
)

// An Event is an entry of the key log. Uses and refusals of the same kind share an
// entry, which counts them.
type Event struct {
	Number uint64        `cbor:"1,keyasint"` // from 1, in the order of the log whatever the clock says
	Kind   EventKind     `cbor:"2,keyasint"`
	Key    string        `cbor:"3,keyasint,omitempty"` // ID; empty if requests had no known key
	Name   string        `cbor:"4,keyasint,omitempty"` // of the key
	By     string        `cbor:"5,keyasint,omitempty"` // ID of the key that created or revoked the key; empty if none was needed
	Scopes []Scope       `cbor:"6,keyasint,omitempty"` // of a new key; the scope that the requests needed
	Reason RefusalReason `cbor:"7,keyasint,omitempty"`
	Count  int64         `cbor:"8,keyasint"`
	First  time.Time     `cbor:"9,keyasint"`
	Last   time.Time     `cbor:"10,keyasint"`
}

// MaxEvents is the number of entries that the key log keeps. The oldest are dropped.
const MaxEvents = 100_000

// LogEvents writes events to the key log in one transaction, and sets the numbers of
// new ones. An event that has a number replaces its entry. The last use of each used
// key becomes the last time of its event.
func (s *Store) LogEvents(events []*Event) error {
	numbers := make([]uint64, len(events))
	err := s.update(func(tx *bbolt.Tx) error {
		for i, e := range events {
			logged := *e
			if err := putEvent(tx, &logged); err != nil {
				return err
			}
			numbers[i] = logged.Number
			if e.Kind == KeyUsed {
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
func putEvent(tx *bbolt.Tx, e *Event) error {
	b := tx.Bucket([]byte(keyLogBucket))
	if e.Number == 0 || b.Get(number(e.Number)) == nil {
		n, err := b.NextSequence()
		if err != nil {
			return err
		}
		e.Number = n
	}
	value, err := encode(e)
	if err != nil {
		return err
	}
	if err := b.Put(number(e.Number), value); err != nil {
		return err
	}
	if b.Sequence() <= MaxEvents {
		return nil
	}
	c, oldest := b.Cursor(), number(b.Sequence()-MaxEvents)
	for k, _ := c.First(); k != nil && bytes.Compare(k, oldest) <= 0; k, _ = c.First() {
		if err := b.Delete(k); err != nil {
			return err
		}
	}
	return nil
}

// touchKey sets the last use of a key, unless it was revoked.
func touchKey(tx *bbolt.Tx, id string, used time.Time) error {
	b := tx.Bucket([]byte(keysBucket))
	value := b.Get([]byte(id))
	if value == nil {
		return nil
	}
	var k Key
	if err := decode(value, &k); err != nil {
		return err
	}
	k.Used = used
	return putKey(tx, k)
}

// Events returns up to limit entries of the key log, newest first. If before is not 0,
// it returns only entries with a lower number. A negative limit means no limit.
func (s *Store) Events(before uint64, limit int) ([]Event, error) {
	var out []Event
	err := s.db.View(func(tx *bbolt.Tx) error {
		for _, value := range newest(tx.Bucket([]byte(keyLogBucket)), before) {
			var e Event
			if err := decode(value, &e); err != nil {
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
