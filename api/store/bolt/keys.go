package bolt

import (
	"cmp"
	"context"
	"slices"

	"github.com/inroad/inroad/api/store"
)

// NewKey stores and logs a key, and sets its ID, sequence number, creation time and hash. It
// returns the secret, which cannot be recovered later.
func (s *Store) NewKey(ctx context.Context, k store.Key) (_ store.Key, secret string, err error) {
	k.Created = s.now()
	err = s.update(ctx, func(tx *txn) (err error) {
		if k, secret, err = store.NewSecret(k, func(id string) (store.Key, error) { return key(tx, id) }); err != nil {
			return err
		}
		k.Sequence = tx.sequence()
		if err := putKey(tx, k); err != nil {
			return err
		}
		return putEvent(tx, store.CreatedKey(k))
	})
	return k, secret, err
}

func putKey(tx *txn, k store.Key) error {
	value, err := encode(k)
	if err != nil {
		return err
	}
	return tx.bucket(keysBucket).put([]byte(k.ID), value)
}

// key returns the key with an ID, or a key without an ID if there is none.
func key(tx *txn, id string) (k store.Key, err error) {
	value, err := tx.bucket(keysBucket).get([]byte(id))
	if err != nil || value == nil {
		return k, err
	}
	return k, decode(value, &k)
}

// Keys returns all keys, oldest first.
func (s *Store) Keys(ctx context.Context) ([]store.Key, error) {
	var out []store.Key
	err := s.view(ctx, func(tx *txn) (err error) {
		out, err = decodeAll[store.Key](tx.bucket(keysBucket))
		return err
	})
	slices.SortFunc(out, func(a, b store.Key) int { return cmp.Compare(a.Sequence, b.Sequence) })
	return out, err
}

// RevokeKey deletes a key and logs the revocation. by is the ID of the key that
// revoked it, or empty if no key was needed.
func (s *Store) RevokeKey(ctx context.Context, id, by string) error {
	return s.update(ctx, func(tx *txn) error {
		k, err := key(tx, id)
		if err != nil {
			return err
		}
		if k.ID == "" {
			return store.NotFound("key", id)
		}
		if err := tx.bucket(keysBucket).delete([]byte(id)); err != nil {
			return err
		}
		return putEvent(tx, store.RevokedKey(k, by, s.now()))
	})
}

// Authenticate returns the key that a secret belongs to. The error is [store.ErrKey] if
// there is none, and [store.ErrExpired], together with the key, if the key has expired.
func (s *Store) Authenticate(ctx context.Context, secret string) (store.Key, error) {
	var k store.Key
	err := s.view(ctx, func(tx *txn) (err error) {
		k, err = key(tx, store.KeyID(secret))
		return err
	})
	if err != nil {
		return store.Key{}, err
	}
	return k.Verify(secret, s.now())
}
