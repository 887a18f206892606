package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/inroad/inroad/api/store"
)

// NewKey implements [store.Store].
func (s *Store) NewKey(ctx context.Context, k store.Key) (_ store.Key, secret string, err error) {
	k.Created = s.now()
	err = s.update(ctx, func(tx pgx.Tx) (err error) {
		if k.Sequence, err = next(ctx, tx, "sequence"); err != nil { // others wait here, so that no two draw the same ID
			return err
		}
		if k, secret, err = store.NewSecret(k, func(id string) (store.Key, error) { return readKey(ctx, tx, id) }); err != nil {
			return err
		}
		if err := put(ctx, tx, k, "insert into keys (id, sequence, data) values ($1, $2, $3)", []byte(k.ID), int64(k.Sequence)); err != nil {
			return err
		}
		return putEvent(ctx, tx, store.CreatedKey(k))
	})
	return k, secret, err
}

// readKey returns the key with an ID, or a key without an ID if there is none.
func readKey(ctx context.Context, tx pgx.Tx, id string) (store.Key, error) {
	var k store.Key
	return k, get(ctx, tx, &k, nil, "select data from keys where id = $1 for update", []byte(id))
}

// Keys implements [store.Store].
func (s *Store) Keys(ctx context.Context) ([]store.Key, error) {
	return list[store.Key](ctx, s, "select data from keys order by sequence")
}

// RevokeKey implements [store.Store].
func (s *Store) RevokeKey(ctx context.Context, id, by string) error {
	defer s.dropCached(store.KeyChange, id)
	return s.update(ctx, func(tx pgx.Tx) error {
		k, err := readKey(ctx, tx, id)
		if err != nil {
			return err
		}
		if k.ID == "" {
			return store.NotFound("key", id)
		}
		if _, err := tx.Exec(ctx, "delete from keys where id = $1", []byte(id)); err != nil {
			return err
		}
		return putEvent(ctx, tx, store.RevokedKey(k, by, s.now()))
	})
}

// Authenticate implements [store.Store].
func (s *Store) Authenticate(ctx context.Context, secret string) (store.Key, error) {
	id := store.KeyID(secret)
	k, err := cached(s, func(r *replica) map[string]store.Key { return r.keys }, id, func() (k store.Key, err error) {
		err = s.view(ctx, func(tx pgx.Tx) error {
			return get(ctx, tx, &k, store.ErrKey, "select data from keys where id = $1", []byte(id))
		})
		return k, err
	})
	if err != nil {
		return store.Key{}, err
	}
	return k.Verify(secret, s.now())
}

// LogEvents implements [store.Store].
func (s *Store) LogEvents(ctx context.Context, events []*store.Event) error {
	numbers := make([]uint64, len(events))
	err := s.update(ctx, func(tx pgx.Tx) error {
		for i, e := range events {
			logged := *e
			if err := putEvent(ctx, tx, &logged); err != nil {
				return err
			}
			numbers[i] = logged.Number
			if e.Kind != store.KeyUsed {
				continue
			}
			k, err := readKey(ctx, tx, e.Key)
			if err != nil {
				return err
			}
			if k.ID == "" { // revoked
				continue
			}
			if e.Last.After(k.Used) { // another replica may have seen a later use
				k.Used = e.Last
			}
			if err := put(ctx, tx, k, "update keys set data = $2 where id = $1", []byte(k.ID)); err != nil {
				return err
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
func putEvent(ctx context.Context, tx pgx.Tx, e *store.Event) error {
	var known bool
	if err := tx.QueryRow(ctx, "select exists (select from key_log where number = $1)", int64(e.Number)).Scan(&known); err != nil {
		return err
	}
	if known {
		return put(ctx, tx, e, "update key_log set data = $2 where number = $1", int64(e.Number))
	}
	n, err := next(ctx, tx, "key_log")
	if err != nil {
		return err
	}
	e.Number = n
	if err := put(ctx, tx, e, "insert into key_log (number, data) values ($1, $2)", int64(n)); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, "delete from key_log where number <= $1", int64(n)-store.MaxEvents)
	return err
}

// Events implements [store.Store].
func (s *Store) Events(ctx context.Context, before uint64, limit int) ([]store.Event, error) {
	return list[store.Event](ctx, s, "select data from key_log where $1::int8 = 0 or number < $1 order by number desc limit $2", int64(before), limitOf(limit))
}
