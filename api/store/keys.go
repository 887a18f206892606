package store

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"time"

	"go.etcd.io/bbolt"
)

// A Scope is what a key allows.
type Scope string

// The scopes. The words are part of the format.
const (
	ScopeRead  Scope = "read"  // to ask
	ScopeWrite Scope = "write" // to upload, train and name models
	ScopeAdmin Scope = "admin" // to make keys and to take a backup
)

// Scopes returns all scopes.
func Scopes() []Scope { return []Scope{ScopeRead, ScopeWrite, ScopeAdmin} }

// A Key allows whoever has its secret to use the service. The secret itself is
// not kept.
type Key struct {
	ID      string    `cbor:"1,keyasint"`
	Name    string    `cbor:"2,keyasint"` // whose it is
	Scopes  []Scope   `cbor:"3,keyasint"`
	Hash    []byte    `cbor:"4,keyasint"` // of the secret, which is too long to be guessed
	Created time.Time `cbor:"5,keyasint"`
	Limits  Limits    `cbor:"6,keyasint,omitzero"`
}

// Limits bound what a key may do. Those that are zero are as the service has
// them for all keys.
type Limits struct {
	Rate   float64 `cbor:"1,keyasint,omitempty"` // requests a second
	Active int     `cbor:"2,keyasint,omitempty"` // requests at the same time
	Upload int64   `cbor:"3,keyasint,omitempty"` // bytes of bodies an hour
}

// Allows reports whether the key has a scope.
func (k Key) Allows(s Scope) bool { return slices.Contains(k.Scopes, s) }

// ErrKey tells that a secret is not one of a key.
var ErrKey = errors.New("the key is unknown")

const keyPrefix = "inroad_"

// NewKey stores a key, and sets its ID, when it was created, and the hash of the
// secret. The secret is returned, and cannot be had again.
func (s *Store) NewKey(k Key) (Key, string, error) {
	var id [4]byte
	var random [24]byte
	_, _ = rand.Read(id[:]) // does not fail
	_, _ = rand.Read(random[:])
	k.ID, k.Created = hex.EncodeToString(id[:]), s.now()
	secret := keyPrefix + k.ID + "_" + base64.RawURLEncoding.EncodeToString(random[:])
	hash := sha256.Sum256([]byte(secret))
	k.Hash = hash[:]
	err := s.update(func(tx *bbolt.Tx) error {
		value, err := encode(k)
		if err != nil {
			return err
		}
		return tx.Bucket([]byte(keysBucket)).Put([]byte(k.ID), value)
	})
	return k, secret, err
}

// Keys returns all keys, the oldest first.
func (s *Store) Keys() ([]Key, error) {
	var out []Key
	err := s.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte(keysBucket)).ForEach(func(_, value []byte) error {
			var k Key
			if err := decode(value, &k); err != nil {
				return err
			}
			out = append(out, k)
			return nil
		})
	})
	slices.SortStableFunc(out, func(a, b Key) int { return a.Created.Compare(b.Created) })
	return out, err
}

// RevokeKey ends what a key allows.
func (s *Store) RevokeKey(id string) error {
	return s.update(func(tx *bbolt.Tx) error {
		b := tx.Bucket([]byte(keysBucket))
		if b.Get([]byte(id)) == nil {
			return &NotFoundError{"key", id}
		}
		return b.Delete([]byte(id))
	})
}

// Authenticate returns the key that a secret is of, or [ErrKey].
func (s *Store) Authenticate(secret string) (Key, error) {
	var k Key
	rest, ok := strings.CutPrefix(secret, keyPrefix)
	id, _, _ := strings.Cut(rest, "_")
	err := s.db.View(func(tx *bbolt.Tx) error {
		value := tx.Bucket([]byte(keysBucket)).Get([]byte(id))
		if !ok || value == nil {
			return ErrKey
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
