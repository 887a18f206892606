package postgres

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// Version is the version of the tables. [Open] migrates older versions.
const Version = 5

// schema is the name of the schema with the tables.
const schema = "inroad"

//go:embed schema.sql
var createTables string

//go:embed replicas.sql
var addReplicas string

//go:embed policies.sql
var addPolicies string

//go:embed features.sql
var addFeatures string

//go:embed shards.sql
var addShards string

// migrations returns the statements that lead to each version from the one before.
func migrations() [Version]string {
	return [Version]string{createTables, addReplicas, addPolicies, addFeatures, addShards}
}

// migrate creates or updates the tables of this package and of river. Processes that
// start at the same time wait for each other.
func (s *Store) migrate(ctx context.Context) error {
	const lock = 0x696e726f6164 // "inroad"
	connection, err := s.pool.Acquire(ctx)
	if err != nil {
		return wrap(err)
	}
	defer connection.Release()
	if _, err := connection.Exec(ctx, "select pg_advisory_lock($1)", int64(lock)); err != nil {
		return wrap(err)
	}
	defer func() {
		unlock, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_, _ = connection.Exec(unlock, "select pg_advisory_unlock($1)", int64(lock)) // a lost connection has no lock
	}()
	if err := s.update(ctx, func(tx pgx.Tx) error { return migrateTables(ctx, tx) }); err != nil {
		return err
	}
	river, err := rivermigrate.New(riverpgxv5.New(s.pool), &rivermigrate.Config{Schema: schema, Logger: slog.New(slog.DiscardHandler)})
	if err == nil {
		_, err = river.Migrate(ctx, rivermigrate.DirectionUp, nil) // in several transactions
	}
	return wrap(err)
}

// migrateTables creates or updates the tables of this package.
func migrateTables(ctx context.Context, tx pgx.Tx) error {
	// "create schema if not exists" needs the right to create it even if it exists.
	var missing bool
	if err := tx.QueryRow(ctx, "select to_regnamespace($1) is null", schema).Scan(&missing); err != nil {
		return err
	}
	if missing {
		if _, err := tx.Exec(ctx, "create schema "+schema); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(ctx, "create table if not exists version (version int not null)"); err != nil {
		return err
	}
	version, err := readVersion(ctx, tx)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		if _, err := tx.Exec(ctx, "insert into version values (0)"); err != nil {
			return err
		}
	case err != nil:
		return err
	case version == Version:
		return nil
	case version > Version:
		return fmt.Errorf("tables of version %d: must be at most %d", version, Version)
	}
	for i, statements := range migrations() {
		if i < version {
			continue
		}
		if _, err := tx.Exec(ctx, statements); err != nil {
			return fmt.Errorf("migrate to version %d: %w", i+1, err)
		}
	}
	_, err = tx.Exec(ctx, "update version set version = $1", Version)
	return err
}

func readVersion(ctx context.Context, tx pgx.Tx) (version int, err error) {
	err = tx.QueryRow(ctx, "select version from version").Scan(&version)
	return version, err
}
