package bolt

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/inroad/inroad/api/store"
)

// DeleteCommit implements [store.Store].
func (s *Store) DeleteCommit(ctx context.Context, subject, commit string, sequence uint64) error {
	return s.updateUsed(ctx, func(tx *txn, u *store.Usage) error {
		subjects := tx.bucket(subjectsBucket)
		versions := subjects.child(subject)
		if versions == nil {
			return store.NotFound("subject", subject)
		}
		found := versions.child("=" + commit)
		if found == nil {
			return store.CommitNotFound(subject, commit)
		}
		info, err := readInfo(found)
		if err = cmp.Or(err, u.CheckCommit(subject, commit)); err != nil {
			return err
		}
		if sequence != 0 && info.Sequence != sequence {
			return store.UpdatedError(subject, commit)
		}
		if err := errors.Join(versions.remove("="+commit), tx.removeFeatures(subject, commit)); err != nil {
			return err
		}
		for range versions.children() {
			return nil
		}
		return subjects.remove(subject)
	})
}

// DeleteSubject implements [store.Store].
func (s *Store) DeleteSubject(ctx context.Context, name string) error {
	return s.updateUsed(ctx, func(tx *txn, u *store.Usage) error {
		subject, err := readSubject(tx, name)
		for _, c := range subject.Commits {
			err = cmp.Or(err, u.CheckCommit(name, c.Name))
		}
		if err != nil {
			return err
		}
		for _, c := range subject.Commits {
			err = errors.Join(err, tx.removeFeatures(name, c.Name))
		}
		return errors.Join(err, tx.bucket(subjectsBucket).remove(name))
	})
}

// DeleteModel implements [store.Store].
func (s *Store) DeleteModel(ctx context.Context, id string) error {
	return s.updateUsed(ctx, func(tx *txn, u *store.Usage) error {
		m, err := tx.model(id)
		if err == nil {
			err = u.CheckModel(m)
		}
		if err != nil {
			return err
		}
		used := map[string]bool{}
		for _, other := range u.Models {
			for _, digest := range other.Chunks {
				used[string(digest)] = used[string(digest)] || other.ID != id
			}
		}
		for _, digest := range m.Chunks {
			if !used[string(digest)] {
				err = errors.Join(err, tx.bucket(chunksBucket).delete(digest))
			}
		}
		return errors.Join(err, tx.bucket(numbersBucket).delete([]byte(id)), tx.bucket(modelsBucket).delete(number(m.Number)))
	})
}

// DeleteGrammar implements [store.Store].
func (s *Store) DeleteGrammar(ctx context.Context, id string) error {
	return s.updateUsed(ctx, func(tx *txn, u *store.Usage) error {
		value, err := tx.bucket(grammarsBucket).get([]byte(id))
		if err == nil && value == nil {
			err = store.NotFound("grammar", id)
		}
		if err = cmp.Or(err, u.CheckGrammar(id)); err != nil {
			return err
		}
		return errors.Join(tx.bucket(grammarsBucket).delete([]byte(id)), tx.bucket(sourcesBucket).delete([]byte(id)))
	})
}

// DeleteEvents implements [store.Store].
func (s *Store) DeleteEvents(ctx context.Context, until time.Time) (deleted int64, err error) {
	err = s.update(ctx, func(tx *txn) error {
		b := tx.bucket(keyLogBucket)
		var old [][]byte
		for entry, err := range b.all() {
			var e store.Event
			if err == nil {
				err = decode(entry.value, &e)
			}
			if err != nil {
				return err
			}
			if e.Last.Before(until) {
				old = append(old, bytes.Clone(entry.key))
			}
		}
		deleted = int64(len(old))
		for _, key := range old {
			if err := b.delete(key); err != nil {
				return err
			}
		}
		return nil
	})
	return deleted, err
}

// Usage implements [store.Store].
func (s *Store) Usage(ctx context.Context) (u *store.Usage, err error) {
	err = s.view(ctx, func(tx *txn) error {
		u, err = tx.usage()
		return err
	})
	return u, err
}

// updateUsed runs a read-write transaction with the usage of the store.
func (s *Store) updateUsed(ctx context.Context, do func(tx *txn, u *store.Usage) error) error {
	return s.update(ctx, func(tx *txn) error {
		u, err := tx.usage()
		if err != nil {
			return err
		}
		return do(tx, u)
	})
}

func (t *txn) usage() (*store.Usage, error) {
	var u store.Usage
	var err error
	if u.Models, err = decodeAll[store.Model](t.bucket(modelsBucket)); err != nil {
		return nil, err
	}
	if u.Jobs, err = decodeAll[store.Job](t.bucket(jobsBucket)); err != nil {
		return nil, err
	}
	u.Jobs = slices.DeleteFunc(u.Jobs, func(j store.Job) bool { return j.State.Ended() })
	if b := t.bucket(campaignsBucket); b != nil { // else an earlier version wrote the store, which is opened read-only
		if u.Campaigns, err = decodeAll[store.Campaign](b); err != nil {
			return nil, err
		}
	}
	for e, err := range t.bucket(aliasesBucket).all() {
		if err != nil {
			return nil, err
		}
		u.Aliases = append(u.Aliases, store.Alias{Name: string(e.key), Model: string(e.value)})
	}
	return &u, nil
}

// PutPolicy implements [store.Store].
func (s *Store) PutPolicy(ctx context.Context, p store.Policy) error {
	value, err := encode(p)
	if err != nil {
		return err
	}
	return s.update(ctx, func(tx *txn) error { return tx.bucket(policiesBucket).put([]byte(p.Subject), value) })
}

// DeletePolicy implements [store.Store].
func (s *Store) DeletePolicy(ctx context.Context, subject string) error {
	return s.update(ctx, func(tx *txn) error {
		b := tx.bucket(policiesBucket)
		if value, err := b.get([]byte(subject)); err != nil || value == nil {
			return cmp.Or(err, store.NotFound("policy", subject))
		}
		return b.delete([]byte(subject))
	})
}

// Policies implements [store.Store].
func (s *Store) Policies(ctx context.Context) (out []store.Policy, err error) {
	err = s.view(ctx, func(tx *txn) error {
		if b := tx.bucket(policiesBucket); b != nil { // else an earlier version wrote the store, which is opened read-only
			out, err = decodeAll[store.Policy](b)
		}
		return err
	})
	return out, err
}
