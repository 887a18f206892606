package store

import (
	"bytes"
	"time"
)

// An EventKind says whether a key was created, revoked, used or refused.
type EventKind string

// The kinds of events. They are part of the file format.
const (
	KeyCreated EventKind = "created"
	KeyRevoked EventKind = "revoked"
	KeyUsed    EventKind = "used"    // requests were accepted
	KeyRefused EventKind = "refused" // requests were rejected
)

// A RefusalReason is the reason why requests were rejected.
type RefusalReason string

// The reasons for refusals. They are part of the file format.
const (
	MissingKey   RefusalReason = "missing"
	UnknownKey   RefusalReason = "unknown"
	ExpiredKey   RefusalReason = "expired"
	MissingScope RefusalReason = "scope"
)

// An Event is an entry of the key log. Uses and refusals of the same kind share an
// entry, which counts them.
type Event struct {
	Number uint64        `cbor:"1,keyasint"` // from 1, in the order of the log; does not depend on the clock
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
// new events. An event that has a number replaces its entry. A [KeyUsed] event also
// sets the last use of its key.
func (s *Store) LogEvents(events []*Event) error {
	numbers := make([]uint64, len(events))
	err := s.update(func(tx *txn) error {
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
func putEvent(tx *txn, e *Event) error {
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
	if last <= MaxEvents {
		return nil
	}
	for oldest := number(last - MaxEvents); ; {
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

// touchKey sets the last use of a key, unless it was revoked.
func touchKey(tx *txn, id string, used time.Time) error {
	k, err := key(tx, id)
	if err != nil || k.ID == "" {
		return err
	}
	k.Used = used
	return putKey(tx, k)
}

// Events returns up to limit entries of the key log, newest first. If before is not 0,
// it returns only entries with a lower number. A negative limit means no limit.
func (s *Store) Events(before uint64, limit int) ([]Event, error) {
	var out []Event
	err := s.view(func(tx *txn) error {
		for entry, err := range tx.bucket(keyLogBucket).newest(before) {
			if err != nil {
				return err
			}
			var e Event
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
