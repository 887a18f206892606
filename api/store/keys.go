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
)

// A Scope is a set of requests that a key allows.
type Scope string

// The scopes. They are part of the stored format.
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

// NewSecret returns the key with an unused ID and the hash of a random secret, and the
// secret. get returns the key with an ID, or a key without an ID if there is none.
func NewSecret(k Key, get func(id string) (Key, error)) (Key, string, error) {
	for {
		var id [idLength / 2]byte
		_, _ = rand.Read(id[:]) // never fails
		k.ID = hex.EncodeToString(id[:])
		if other, err := get(k.ID); err != nil || other.ID == "" {
			secret := k.newSecret()
			return k, secret, err
		}
	}
}

// newSecret returns a random secret, and sets the hash of the key.
func (k *Key) newSecret() string {
	var random [24]byte
	_, _ = rand.Read(random[:])
	secret := keyPrefix + k.ID + "_" + base64.RawURLEncoding.EncodeToString(random[:])
	hash := sha256.Sum256([]byte(secret))
	k.Hash = hash[:]
	return secret
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

// Verify returns the key if the secret belongs to it, and [ErrKey] otherwise. If the
// key has expired, it returns the key and [ErrExpired].
func (k Key) Verify(secret string, now time.Time) (Key, error) {
	if hash := sha256.Sum256([]byte(secret)); subtle.ConstantTimeCompare(hash[:], k.Hash) != 1 {
		return Key{}, ErrKey
	}
	if k.Expired(now) {
		return k, ErrExpired
	}
	return k, nil
}
