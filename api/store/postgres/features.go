package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/internal/encoding"
)

// Block implements [store.Store].
func (s *Store) Block(ctx context.Context, subject, commit string, from uint64, key []byte) (store.Block, error) {
	var number int64
	var data, features []byte
	err := s.view(ctx, func(tx pgx.Tx) error {
		id, _, err := readCommit(ctx, tx, subject, commit)
		if err != nil {
			return err
		}
		return tx.QueryRow(ctx, `select b.number, b.data, f.data from blocks b
			left join feature_sets s on s.commit_id = b.commit_id and s.key = $3
			left join features f on f.set_id = s.id and f.number = b.number
			where b.commit_id = $1 and b.number >= $2 order by b.number limit 1`, id, int64(from), key).Scan(&number, &data, &features)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return store.Block{}, nil
	}
	if err != nil {
		return store.Block{}, err
	}
	out := store.Block{Number: uint64(number)}
	var records []encoding.Record
	if err := s.blocks.Decode(data, &records); err != nil {
		return store.Block{}, fmt.Errorf("block %d of %s: %w", number, subject, err)
	}
	out.Observations = encoding.Observations(records)
	if features != nil && s.blocks.Decode(features, &out.Features) != nil {
		out.Features = nil // they can be extracted again
	}
	return out, nil
}

// PutFeatures implements [store.Store].
func (s *Store) PutFeatures(ctx context.Context, f store.Features, limit int64) error {
	data, err := s.blocks.Encode(f.Data)
	if err != nil {
		return err
	}
	return s.update(ctx, func(tx pgx.Tx) error {
		if err := lockFeatures(ctx, tx); err != nil {
			return err
		}
		commit, _, err := readCommit(ctx, tx, f.Subject, f.Commit)
		if err != nil {
			return err
		}
		var known bool
		if err := tx.QueryRow(ctx, "select exists (select from blocks where commit_id = $1 and number = $2)", commit, int64(f.Block)).Scan(&known); err != nil {
			return err
		}
		if !known {
			return store.NotFound("block", fmt.Sprint(f.Block))
		}
		var set int64
		if err := tx.QueryRow(ctx, `insert into feature_sets (commit_id, key, size, used) values ($1, $2, 0, $3)
			on conflict (commit_id, key) do update set used = excluded.used returning id`, commit, f.Key, s.now()).Scan(&set); err != nil {
			return err
		}
		// Replicas that share a training store the same features.
		if err := tx.QueryRow(ctx, "select exists (select from features where set_id = $1 and number = $2)", set, int64(f.Block)).Scan(&known); err != nil || known {
			return err
		}
		if ok, err := makeRoom(ctx, tx, set, int64(len(data)), limit); err != nil || !ok {
			return err
		}
		if _, err := tx.Exec(ctx, "insert into features (set_id, number, data) values ($1, $2, $3)", set, int64(f.Block), data); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "update feature_sets set size = size + $2 where id = $1", set, len(data))
		return err
	})
}

// TrimFeatures implements [store.Store].
func (s *Store) TrimFeatures(ctx context.Context, limit int64) error {
	return s.update(ctx, func(tx pgx.Tx) error {
		if err := lockFeatures(ctx, tx); err != nil {
			return err
		}
		_, err := makeRoom(ctx, tx, 0, 0, limit)
		return err
	})
}

// lockFeatures waits for other transactions that change the sizes of sets of features, so
// that the sizes stay correct.
func lockFeatures(ctx context.Context, tx pgx.Tx) error {
	const lock = 0x696e726f6166
	_, err := tx.Exec(ctx, "select pg_advisory_xact_lock($1)", int64(lock))
	return err
}

// makeRoom deletes sets of features, so that a set can grow by a number of bytes. It
// reports false if deleting all other sets is not enough. No set has the number 0.
func makeRoom(ctx context.Context, tx pgx.Tx, set, by, limit int64) (bool, error) {
	rows, err := tx.Query(ctx, "select id, size, used from feature_sets")
	if err != nil {
		return false, err
	}
	var sets []store.FeatureSet
	var id, size int64
	var used time.Time
	if _, err := pgx.ForEachRow(rows, []any{&id, &size, &used}, func() error {
		sets = append(sets, store.FeatureSet{ID: strconv.FormatInt(id, 10), Size: size, Used: used})
		return nil
	}); err != nil {
		return false, err
	}
	drop, ok := store.MakeRoom(sets, strconv.FormatInt(set, 10), by, limit)
	if !ok || len(drop) == 0 {
		return ok, nil
	}
	// The deletion of a commit may have locked its sets, and deletes them anyway.
	_, err = tx.Exec(ctx, "delete from feature_sets where id in (select id from feature_sets where id::text = any($1) for update skip locked)", drop)
	return true, err
}
