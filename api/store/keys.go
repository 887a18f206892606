package store

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"time"
)

// A Scope is a set of requests that a key allows.
type Scope string

// The scopes. They are part of the file format.
const (
	ScopeRead  Scope = "read"  // read and compute
	ScopeWrite Scope = "write" // upload, train, and set aliases
	ScopeAdmin Scope = "admin" // manage keys, and back up
)

// Scopes returns all scopes.
func Scopes() []Scope { return []Scope{ScopeRead, ScopeWrite, ScopeAdmin} }

// A Key grants access to the service to whoever has its secret. The store keeps
// only a hash of the secret.
type Key struct {
	ID      string    `cbor:"1,keyasint"`
	Name    string    `cbor:"2,keyasint"` // the owner
	Scopes  []Scope   `cbor:"3,keyasint"`
	Hash    []byte    `cbor:"4,keyasint"` // SHA-256 of the secret, which is random and needs no salt
	Created time.Time `cbor:"5,keyasint"`
	Limits  Limits    `cbor:"6,keyasint,omitzero"`
	Expires time.Time `cbor:"7,keyasint,omitzero"`  // zero if never
	Used    time.Time `cbor:"8,keyasint,omitzero"`  // last use as of the last [Store.LogEvents]; zero if none
	Creator string    `cbor:"9,keyasint,omitempty"` // ID of the key that created this key; empty if none was needed

	Sequence uint64 `cbor:"15,keyasint"` // increases with each key
}

// Limits are the rate limits and quotas of a key. Zero fields mean the service's
// defaults.
type Limits struct {
	Rate   float64 `cbor:"1,keyasint,omitempty"` // requests per second
	Active int     `cbor:"2,keyasint,omitempty"` // concurrent requests
	Upload int64   `cbor:"3,keyasint,omitempty"` // bytes of request bodies per hour
}

// Allows reports whether the key has a scope.
func (k Key) Allows(s Scope) bool { return slices.Contains(k.Scopes, s) }

// Expired reports whether the key has expired at a time.
func (k Key) Expired(now time.Time) bool { return !k.Expires.IsZero() && !now.Before(k.Expires) }

var (
	// ErrKey is returned for a secret that belongs to no key.
	ErrKey = errors.New("unknown key")
	// ErrExpired is returned for the secret of a key that has expired.
	ErrExpired = errors.New("expired")
)

const (
	keyPrefix = "inroad_"
	idLength  = 8
)

// NewKey stores and logs a key, and sets its ID, sequence number, creation time and hash. It
// returns the secret, which cannot be recovered later.
func (s *Store) NewKey(k Key) (Key, string, error) {
	var id [idLength / 2]byte
	var random [24]byte
	_, _ = rand.Read(id[:]) // never fails
	_, _ = rand.Read(random[:])
	k.ID, k.Created = hex.EncodeToString(id[:]), s.now()
	secret := keyPrefix + k.ID + "_" + base64.RawURLEncoding.EncodeToString(random[:])
	hash := sha256.Sum256([]byte(secret))
	k.Hash = hash[:]
	err := s.update(func(tx *txn) error {
		k.Sequence = tx.sequence()
		if err := putKey(tx, k); err != nil {
			return err
		}
		return putEvent(tx, &Event{Kind: KeyCreated, Key: k.ID, Name: k.Name, By: k.Creator, Scopes: k.Scopes, Count: 1, First: k.Created, Last: k.Created})
	})
	return k, secret, err
}

func putKey(tx *txn, k Key) error {
	value, err := encode(k)
	if err != nil {
		return err
	}
	return tx.bucket(keysBucket).put([]byte(k.ID), value)
}

// key returns the key with an ID, or a key without an ID if there is none.
func key(tx *txn, id string) (k Key, err error) {
	value, err := tx.bucket(keysBucket).get([]byte(id))
	if err != nil || value == nil {
		return k, err
	}
	return k, decode(value, &k)
}

// Keys returns all keys, oldest first.
func (s *Store) Keys() ([]Key, error) {
	var out []Key
	err := s.view(func(tx *txn) (err error) {
		out, err = decodeAll[Key](tx.bucket(keysBucket))
		return err
	})
	slices.SortFunc(out, func(a, b Key) int { return cmp.Compare(a.Sequence, b.Sequence) })
	return out, err
}

// RevokeKey deletes a key and logs the revocation. by is the ID of the key that
// revoked it, or empty if no key was needed.
func (s *Store) RevokeKey(id, by string) error {
	return s.update(func(tx *txn) error {
		k, err := key(tx, id)
		if err != nil {
			return err
		}
		if k.ID == "" {
			return &NotFoundError{"key", id}
		}
		if err := tx.bucket(keysBucket).delete([]byte(id)); err != nil {
			return err
		}
		now := s.now()
		return putEvent(tx, &Event{Kind: KeyRevoked, Key: id, Name: k.Name, By: by, Count: 1, First: now, Last: now})
	})
}

// KeyID returns the ID that a secret contains, or "" if it contains none. The store
// may have no key with this ID.
func KeyID(secret string) string {
	rest, ok := strings.CutPrefix(secret, keyPrefix)
	id, _, found := strings.Cut(rest, "_")
	if !ok || !found || len(id) != idLength {
		return ""
	}
	return id
}

// Authenticate returns the key that a secret belongs to. The error is [ErrKey] if
// there is none, and [ErrExpired], together with the key, if the key has expired.
func (s *Store) Authenticate(secret string) (Key, error) {
	var k Key
	err := s.view(func(tx *txn) (err error) {
		k, err = key(tx, KeyID(secret))
		return err
	})
	if err != nil {
		return Key{}, err
	}
	if hash := sha256.Sum256([]byte(secret)); subtle.ConstantTimeCompare(hash[:], k.Hash) != 1 {
		return Key{}, ErrKey
	}
	if k.Expired(s.now()) {
		return k, ErrExpired
	}
	return k, nil
}
