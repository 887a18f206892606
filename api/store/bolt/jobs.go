package bolt

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/inroad/inroad/api/store"
)

// NewJob stores a queued job and sets its ID and creation time.
func (s *Store) NewJob(ctx context.Context, j store.Job) (store.Job, error) {
	err := s.update(ctx, func(tx *txn) error {
		n, err := tx.bucket(jobsBucket).next()
		if err != nil {
			return err
		}
		j.ID, j.State, j.Created = n, store.Queued, s.now()
		return putJob(tx, j)
	})
	return j, err
}

// SaveJob replaces the stored job with the same ID.
func (s *Store) SaveJob(ctx context.Context, j store.Job) error {
	return s.update(ctx, func(tx *txn) error { return putJob(tx, j) })
}

func putJob(tx *txn, j store.Job) error {
	value, err := encode(j)
	if err != nil {
		return err
	}
	return tx.bucket(jobsBucket).put(number(j.ID), value)
}

// Job returns the job with an ID.
func (s *Store) Job(ctx context.Context, id uint64) (store.Job, error) {
	var j store.Job
	err := s.view(ctx, func(tx *txn) error {
		value, err := tx.bucket(jobsBucket).get(number(id))
		if err != nil || value == nil {
			return cmp.Or(err, store.NotFound("job", fmt.Sprint(id)))
		}
		return decode(value, &j)
	})
	return j, err
}

// Jobs returns up to limit jobs of a subject, or of all subjects if it is empty,
// newest first. If before is not 0, it returns only jobs with a lower ID. A negative
// limit means no limit.
func (s *Store) Jobs(ctx context.Context, subject string, before uint64, limit int) ([]store.Job, error) {
	return s.jobs(ctx, before, limit, func(j store.Job) bool { return subject == "" || j.Subject == subject })
}

// OpenJobs returns the queued and running jobs, oldest first.
func (s *Store) OpenJobs(ctx context.Context) ([]store.Job, error) {
	out, err := s.jobs(ctx, 0, -1, func(j store.Job) bool { return !j.State.Ended() })
	slices.Reverse(out)
	return out, err
}

func (s *Store) jobs(ctx context.Context, before uint64, limit int, keep func(store.Job) bool) ([]store.Job, error) {
	var out []store.Job
	err := s.view(ctx, func(tx *txn) error {
		for e, err := range tx.bucket(jobsBucket).newest(before) {
			var j store.Job
			if err == nil {
				err = decode(e.value, &j)
			}
			if err != nil {
				return err
			}
			if !keep(j) {
				continue
			}
			if out = append(out, j); len(out) == limit {
				return nil
			}
		}
		return nil
	})
	return out, err
}
