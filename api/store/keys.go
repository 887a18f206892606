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

// ErrKey is returned for a secret that belongs to no key.
var ErrKey = errors.New("unknown key")

const keyPrefix = "inroad_"

// NewKey stores a key and sets its ID, creation time and hash. It returns the
// secret, which cannot be recovered later.
func (s *Store) NewKey(k Key) (Key, string, error) {
	var id [4]byte
	var random [24]byte
	_, _ = rand.Read(id[:]) // never fails
	_, _ = rand.Read(random[:])
	k.ID, k.Created = hex.EncodeToString(id[:]), s.now()
	secret := keyPrefix + k.ID + "_" + base64.RawURLEncoding.EncodeToString(random[:])
	hash := sha256.Sum256([]byte(secret))
	k.Hash = hash[:]
	err := s.update(func(tx *txn) error {
		k.Sequence = tx.sequence()
		value, err := encode(k)
		if err != nil {
			return err
		}
		return tx.bucket(keysBucket).put([]byte(k.ID), value)
	})
	return k, secret, err
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

// RevokeKey deletes a key.
func (s *Store) RevokeKey(id string) error {
	return s.update(func(tx *txn) error {
		b := tx.bucket(keysBucket)
		if value, err := b.get([]byte(id)); err != nil || value == nil {
			return cmp.Or[error](err, &NotFoundError{"key", id})
		}
		return b.delete([]byte(id))
	})
}

// Authenticate returns the key with a secret, or [ErrKey].
func (s *Store) Authenticate(secret string) (Key, error) {
	var k Key
	rest, ok := strings.CutPrefix(secret, keyPrefix)
	id, _, _ := strings.Cut(rest, "_")
	err := s.view(func(tx *txn) error {
		value, err := tx.bucket(keysBucket).get([]byte(id))
		if err != nil || !ok || value == nil {
			return cmp.Or(err, ErrKey)
		}
		return decode(value, &k)
	})
	if err != nil {
		return Key{}, err
	}
	if hash := sha256.Sum256([]byte(secret)); subtle.ConstantTimeCompare(hash[:], k.Hash) != 1 {
		return Key{}, ErrKey
	}
	return k, nil
}
