package postgres

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/inroad/inroad/api/store"
)

// ownerLock is the advisory lock that the owner of a database holds.
const ownerLock = 0x696e726f6165

// ownerPeriod is the time between checks of the owner's connection.
const ownerPeriod = time.Second

// An owner holds a lock of the database on a connection of its own. A restart of
// PostgreSQL releases the lock; then the owner takes it again, unless another process
// was faster.
type owner struct {
	config *pgx.ConnConfig
	number int64 // of this owner
	end    context.CancelFunc
	done   sync.WaitGroup
	lost   atomic.Pointer[error]
}

// Own makes this process the only owner of the database until the store is closed. It
// returns an error that wraps [store.ErrInUse] if there is another owner.
func (s *Store) Own(ctx context.Context) error {
	o := &owner{config: s.pool.Config().ConnConfig}
	connection, owned, err := o.lock(ctx)
	if err != nil {
		return wrap(err)
	}
	if !owned {
		return fmt.Errorf("database %s: %w", o.config.Database, store.ErrInUse)
	}
	err = connection.QueryRow(ctx, "update counters set value = value + 1 where name = 'services' returning value").Scan(&o.number)
	if err != nil {
		_ = connection.Close(ctx)
		return wrap(err)
	}
	hold, end := context.WithCancel(context.WithoutCancel(ctx))
	o.end = end
	o.done.Go(func() { o.hold(hold, connection) })
	s.owner = o
	return nil
}

// lock connects to the database and reports whether it could take the lock.
func (o *owner) lock(ctx context.Context) (connection *pgx.Conn, owned bool, err error) {
	if connection, err = pgx.ConnectConfig(ctx, o.config.Copy()); err != nil {
		return nil, false, err
	}
	err = connection.QueryRow(ctx, "select pg_try_advisory_lock($1)", int64(ownerLock)).Scan(&owned)
	if err != nil || !owned {
		_ = connection.Close(ctx)
		return nil, false, err
	}
	return connection, true, nil
}

// hold keeps the lock until ctx ends or another process has taken it.
func (o *owner) hold(ctx context.Context, connection *pgx.Conn) {
	ticker := time.NewTicker(ownerPeriod)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			if connection != nil {
				_ = connection.Close(context.WithoutCancel(ctx)) // releases the lock
			}
			return
		case <-ticker.C:
		}
		if connection == nil || connection.Ping(ctx) != nil {
			if connection != nil {
				_ = connection.Close(ctx)
			}
			if connection = o.retake(ctx); o.failure() != nil {
				return
			}
		}
	}
}

// retake takes the lock again. It returns nil if that is not possible now.
func (o *owner) retake(ctx context.Context) *pgx.Conn {
	connection, owned, err := o.lock(ctx)
	if err != nil {
		return nil
	}
	var number int64
	if owned {
		if err := connection.QueryRow(ctx, "select value from counters where name = 'services'").Scan(&number); err != nil {
			_ = connection.Close(ctx)
			return nil
		}
	}
	if number == o.number {
		return connection
	}
	if connection != nil {
		_ = connection.Close(ctx)
	}
	failure := fmt.Errorf("%w: another process has taken over database %s", store.ErrStopped, o.config.Database)
	o.lost.Store(&failure)
	return nil
}

func (o *owner) failure() error {
	if err := o.lost.Load(); err != nil {
		return *err
	}
	return nil
}

// close releases the lock.
func (o *owner) close() {
	o.end()
	o.done.Wait()
}
