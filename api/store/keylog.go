package store

import "time"

// An EventKind says whether a key was created, revoked, used or refused.
type EventKind string

// The kinds of events. They are part of the stored format.
const (
	KeyCreated EventKind = "created"
	KeyRevoked EventKind = "revoked"
	KeyUsed    EventKind = "used"    // requests were accepted
	KeyRefused EventKind = "refused" // requests were rejected
)

// A RefusalReason is the reason why requests were rejected.
type RefusalReason string

// The reasons for refusals. They are part of the stored format.
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
