package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/inroad/inroad/api/store"
)

// NewJob implements [store.Store].
func (s *Store) NewJob(ctx context.Context, j store.Job) (store.Job, error) {
	err := s.update(ctx, func(tx pgx.Tx) error {
		n, err := next(ctx, tx, "jobs")
		if err != nil {
			return err
		}
		j.ID, j.State, j.Created = n, store.Queued, s.now()
		return put(ctx, tx, j, "insert into jobs (id, subject, ended, data) values ($1, $2, false, $3)", int64(n), []byte(j.Subject))
	})
	return j, err
}

// SaveJob implements [store.Store].
func (s *Store) SaveJob(ctx context.Context, j store.Job) error {
	return s.update(ctx, func(tx pgx.Tx) error { return saveJob(ctx, tx, j) })
}

func saveJob(ctx context.Context, tx pgx.Tx, j store.Job) error {
	if j.State.Ended() {
		if _, err := tx.Exec(ctx, "delete from shards where job_id = $1", int64(j.ID)); err != nil {
			return err
		}
	}
	return put(ctx, tx, j, "update jobs set ended = $2, queued = $3, data = $4 where id = $1", int64(j.ID), j.State.Ended(), j.State == store.Queued)
}

// CompleteJob implements [store.Store].
func (s *Store) CompleteJob(ctx context.Context, j store.Job, m store.Model, file []byte) (store.Job, error) {
	m, err := s.putChunks(ctx, m, file)
	if err != nil {
		return j, err
	}
	err = s.update(ctx, func(tx pgx.Tx) error {
		stored, err := putModel(ctx, tx, m, file)
		if err != nil {
			return err
		}
		j.Model = stored.ID
		return saveJob(ctx, tx, j)
	})
	return j, err
}

// Job implements [store.Store].
func (s *Store) Job(ctx context.Context, id uint64) (store.Job, error) {
	var j store.Job
	err := s.view(ctx, func(tx pgx.Tx) error {
		return get(ctx, tx, &j, store.NotFound("job", fmt.Sprint(id)), "select data from jobs where id = $1", int64(id))
	})
	return j, err
}

// Jobs implements [store.Store].
func (s *Store) Jobs(ctx context.Context, subject string, before uint64, limit int) ([]store.Job, error) {
	return list[store.Job](ctx, s, `select data from jobs
		where ($1::bytea = '' or subject = $1) and ($2::int8 = 0 or id < $2) order by id desc limit $3`, []byte(subject), int64(before), limitOf(limit))
}

// OpenJobs implements [store.Store].
func (s *Store) OpenJobs(ctx context.Context) ([]store.Job, error) {
	return list[store.Job](ctx, s, "select data from jobs where not ended order by id")
}
