// Package postgres is a [store.Store] in a PostgreSQL database.
//
// The tables are in the schema inroad. Each call is one transaction, except for
// [Store.PutModel] and [Store.CompleteJob], which store a large file in parts first.
// Numbers of models, jobs, campaigns and events come from rows that stay locked until the
// transaction ends, so a number is visible only after all lower numbers.
//
// Several processes may use a database at the same time, as replicas of one service:
// [Store.Join]. Triggers announce changes. A replica uses cached values only while it
// receives the announcements. Leases and the lifetimes of replicas follow the clock of
// the database.
package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/internal/encoding"
)

// A Store is an open database.
type Store struct {
	pool   *pgxpool.Pool
	blocks *encoding.Blocks
	now    func() time.Time

	patience   time.Duration // for an unavailable database
	closeLimit time.Duration // for calls in progress
	closing    sync.Once
	replica    *replica // nil until Join
}

var (
	_ store.Store  = (*Store)(nil)
	_ store.Shared = (*Store)(nil)
)

// Defaults of connections, which the URL can change.
const (
	maxConnections = 10
	// A process that is stopped during a transaction must not block others for longer.
	maxIdleTransaction = 10 * time.Second
)

const (
	// defaultPatience is how long a call waits for a database that restarts.
	defaultPatience = 10 * time.Second
	// defaultCloseLimit is how long Close waits for calls in progress.
	defaultCloseLimit = 10 * time.Second
)

// Open opens the database with a URL such as postgres://user@host/name. Missing tables
// are created.
func Open(ctx context.Context, url string) (*Store, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	config.ConnConfig.RuntimeParams["search_path"] = schema
	config.ConnConfig.RuntimeParams["application_name"] = "inroad"
	if config.ConnConfig.RuntimeParams["idle_in_transaction_session_timeout"] == "" {
		config.ConnConfig.RuntimeParams["idle_in_transaction_session_timeout"] = fmt.Sprint(maxIdleTransaction.Milliseconds())
	}
	if !strings.Contains(url, "pool_max_conns") {
		config.MaxConns = max(config.MaxConns, maxConnections)
	}
	blocks, err := encoding.NewBlocks()
	if err != nil {
		return nil, err
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	s := &Store{
		pool: pool, blocks: blocks, patience: defaultPatience, closeLimit: defaultCloseLimit,
		now: func() time.Time { return time.Now().UTC() },
	}
	if err := s.migrate(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Close closes the connections. It waits for calls in progress, for at most 10 seconds: a
// call may wait for a database that is stuck. The error then wraps [store.ErrUnavailable],
// and the connections are closed when the calls end.
func (s *Store) Close() error {
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		s.closing.Do(func() {
			if s.replica != nil {
				s.replica.close()
			}
			s.pool.Close()
			s.blocks.Close()
		})
	}()
	select {
	case <-closed:
		return nil
	case <-time.After(s.closeLimit):
		return fmt.Errorf("%w: calls in progress did not end within %v", store.ErrUnavailable, s.closeLimit)
	}
}

// Ping returns an error if the database cannot be read.
func (s *Store) Ping(ctx context.Context) error {
	return s.view(ctx, func(tx pgx.Tx) error {
		_, err := readVersion(ctx, tx)
		return err
	})
}

// Failure implements [store.Store]. PostgreSQL recovers from failed writes by itself.
func (s *Store) Failure() error { return nil }

// Size returns the size of the database in bytes, or 0 if it cannot be read in a second.
func (s *Store) Size() (size int64) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = s.pool.QueryRow(ctx, "select pg_database_size(current_database())").Scan(&size)
	return size
}

// view runs a read-only transaction, which sees the database at one time.
func (s *Store) view(ctx context.Context, do func(tx pgx.Tx) error) error {
	return s.run(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, true, do)
}

// update runs a read-write transaction.
func (s *Store) update(ctx context.Context, do func(tx pgx.Tx) error) error {
	return s.run(ctx, pgx.TxOptions{}, false, do)
}

// updateRepeatably runs a read-write transaction that may be committed more than once.
func (s *Store) updateRepeatably(ctx context.Context, do func(tx pgx.Tx) error) error {
	return s.run(ctx, pgx.TxOptions{}, true, do)
}

// run runs a transaction, again after a conflict with another one. While the database is
// unavailable, it waits and tries again, unless the transaction may have been committed
// and is not repeatable.
func (s *Store) run(ctx context.Context, opt pgx.TxOptions, repeatable bool, do func(tx pgx.Tx) error) error {
	const attempts, pause = 10, 100 * time.Millisecond
	begun := time.Now()
	for attempt := 1; ; attempt++ {
		committing, err := s.try(ctx, opt, do)
		if ctx.Err() != nil && err != nil {
			return context.Cause(ctx)
		}
		if failure, ok := errors.AsType[*pgconn.PgError](err); ok && attempt < attempts && isConflict(failure.Code) {
			continue
		}
		err = wrap(err)
		if committing && !repeatable || !errors.Is(err, store.ErrUnavailable) || time.Since(begun) >= s.patience {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(pause):
		}
	}
}

// try runs a transaction. committing reports whether it began to commit.
func (s *Store) try(ctx context.Context, opt pgx.TxOptions, do func(tx pgx.Tx) error) (committing bool, err error) {
	tx, err := s.pool.BeginTx(ctx, opt)
	if err != nil {
		return false, err
	}
	defer func() {
		rollback, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = tx.Rollback(rollback) // has no effect after a commit
	}()
	if err := do(tx); err != nil {
		return false, err
	}
	return true, tx.Commit(ctx)
}

// isConflict reports whether a transaction failed because of another one.
func isConflict(code string) bool {
	const serialization, deadlock = "40001", "40P01"
	return code == serialization || code == deadlock
}

// wrap wraps errors of the connection in [store.ErrUnavailable], and those of a full disk
// in [store.ErrFull].
func wrap(err error) error {
	if err == nil {
		return nil
	}
	if failure, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch class := failure.Code[:2]; {
		case failure.Code == "53100":
			return fmt.Errorf("%w: %w", store.ErrFull, err)
		case class == "08" || class == "53" || class == "57": // connection, resources, shutdown
			return fmt.Errorf("%w: %w", store.ErrUnavailable, err)
		}
		return err
	}
	var network net.Error
	var connect *pgconn.ConnectError
	if errors.As(err, &connect) || errors.As(err, &network) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || pgconn.SafeToRetry(err) {
		return fmt.Errorf("%w: %w", store.ErrUnavailable, &oneLineError{err})
	}
	return err
}

// A oneLineError puts the message of an error on one line. pgx writes a line for each
// attempt to connect, even if the attempts fail in the same way.
type oneLineError struct{ err error }

func (e *oneLineError) Error() string {
	var lines []string
	for line := range strings.Lines(e.err.Error()) {
		if line = strings.TrimSpace(line); !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return strings.Replace(strings.Join(lines, "; "), ":; ", ": ", 1)
}

func (e *oneLineError) Unwrap() error { return e.err }

// next returns the next number of a counter, which stays locked until the transaction
// ends.
func next(ctx context.Context, tx pgx.Tx, counter string) (uint64, error) {
	var n int64
	err := tx.QueryRow(ctx, "update counters set value = value + 1 where name = $1 returning value", counter).Scan(&n)
	return uint64(n), err
}

// get decodes the value that a query returns. It returns missing if there is none.
func get(ctx context.Context, tx pgx.Tx, v any, missing error, query string, args ...any) error {
	var data []byte
	err := tx.QueryRow(ctx, query, args...).Scan(&data)
	if errors.Is(err, pgx.ErrNoRows) {
		return missing
	}
	if err != nil {
		return err
	}
	return encoding.Decode(data, v)
}

// list decodes the values that a query returns.
func list[T any](ctx context.Context, s *Store, statement string, args ...any) ([]T, error) {
	var out []T
	err := s.view(ctx, func(tx pgx.Tx) (err error) {
		out, err = query[T](ctx, tx, statement, args...)
		return err
	})
	return out, err
}

func query[T any](ctx context.Context, tx pgx.Tx, statement string, args ...any) ([]T, error) {
	rows, err := tx.Query(ctx, statement, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (v T, err error) {
		var data []byte
		if err := row.Scan(&data); err != nil {
			return v, err
		}
		return v, encoding.Decode(data, &v)
	})
}

// put encodes a value, and runs a statement with it as the last argument.
func put(ctx context.Context, tx pgx.Tx, v any, statement string, args ...any) error {
	data, err := encoding.Encode(v)
	if err == nil {
		_, err = tx.Exec(ctx, statement, append(args, data)...)
	}
	return err
}

// limitOf returns a limit for a query: nil means no limit.
func limitOf(limit int) any {
	if limit < 0 {
		return nil
	}
	return limit
}
