package postgres

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/inroad/inroad/api/store"
)

const (
	// replicaLock is the advisory lock that all replicas share. A process that holds it
	// alone excludes replicas.
	replicaLock = 0x696e726f6165

	// checkPeriod is the time between checks of the connection on which a replica learns
	// of changes. Cached values are used for at most maxUnchecked after a check, by the
	// monotonic clock.
	checkPeriod  = 2 * time.Second
	maxUnchecked = 5 * time.Second

	// livePeriod is how long a replica counts as alive after its last report, by the
	// clock of the database.
	livePeriod = 15 * time.Second
)

// A replica is this process among those that use the database at the same time. It
// listens to changes on a connection of its own, and reports that it is alive.
type replica struct {
	store  *Store
	id     string
	serves bool
	config *pgx.ConnConfig
	end    context.CancelFunc
	done   sync.WaitGroup

	idle atomic.Bool // runs no job, but could

	mu          sync.Mutex
	live        int
	subscribers map[*func(store.Change)]bool
	checked     time.Time // when the connection was checked last; zero if there is none
	generation  uint64    // increases whenever cached values are dropped
	keys        map[string]store.Key
	models      map[string][]store.Model
}

// Join makes this process one of the replicas that use the database, until the store is
// closed. serves says whether it takes requests. The error wraps [store.ErrInUse] if
// another process has exclusive use of the database.
func (s *Store) Join(ctx context.Context, serves bool) error {
	r := &replica{
		store: s, id: rand.Text(), serves: serves, config: s.pool.Config().ConnConfig.Copy(), live: 1,
		subscribers: map[*func(store.Change)]bool{}, keys: map[string]store.Key{}, models: map[string][]store.Model{},
	}
	delete(r.config.RuntimeParams, "idle_in_transaction_session_timeout")
	r.config.OnNotification = func(_ *pgconn.PgConn, n *pgconn.Notification) { r.announce(parseChange(n.Payload)) }
	connection, err := r.listen(ctx)
	if err != nil {
		return wrap(err)
	}
	if err := r.report(ctx); err != nil {
		_ = connection.Close(ctx)
		return err
	}
	hold, end := context.WithCancel(context.WithoutCancel(ctx))
	r.end = end
	r.done.Go(func() { r.follow(hold, connection) })
	r.done.Go(func() { r.reportAlways(hold) })
	s.replica = r
	return nil
}

// listen connects to the database and subscribes to its changes.
func (r *replica) listen(ctx context.Context) (*pgx.Conn, error) {
	connection, err := pgx.ConnectConfig(ctx, r.config.Copy())
	if err != nil {
		return nil, err
	}
	var joined bool
	if err = connection.QueryRow(ctx, "select pg_try_advisory_lock_shared($1)", int64(replicaLock)).Scan(&joined); err == nil && !joined {
		err = fmt.Errorf("database %s: %w", r.config.Database, store.ErrInUse)
	}
	if err == nil {
		_, err = connection.Exec(ctx, "listen inroad")
	}
	if err != nil {
		_ = connection.Close(ctx)
		return nil, err
	}
	r.setChecked(time.Now())
	return connection, nil
}

// follow announces changes until ctx ends. While there is no connection, it repeatedly
// announces [store.AnyChange].
func (r *replica) follow(ctx context.Context, connection *pgx.Conn) {
	const retry = 500 * time.Millisecond
	for {
		if connection != nil {
			r.receive(ctx, connection)
			end, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			_, _ = connection.Exec(end, "select pg_advisory_unlock_shared($1)", int64(replicaLock)) // now; the server notices the end of a connection later
			_ = connection.Close(end)
			cancel()
			connection = nil
		}
		if ctx.Err() != nil {
			return
		}
		r.setChecked(time.Time{})
		r.announce(store.Change{})
		select {
		case <-ctx.Done():
			return
		case <-time.After(retry):
		}
		connect, cancel := context.WithTimeout(ctx, checkPeriod)
		found, err := r.listen(connect)
		cancel()
		if err == nil {
			connection = found
			r.announce(store.Change{}) // changes between the connections were missed
		}
	}
}

// receive receives changes until the connection fails or ctx ends.
func (r *replica) receive(ctx context.Context, connection *pgx.Conn) {
	for ctx.Err() == nil {
		begun := time.Now()
		for ctx.Err() == nil && time.Since(begun) < checkPeriod {
			wait, cancel := context.WithTimeout(ctx, checkPeriod-time.Since(begun))
			err := connection.PgConn().WaitForNotification(wait)
			cancel()
			if err != nil && !pgconn.Timeout(err) {
				return
			}
		}
		// Changes that were committed before the check are announced before its answer.
		now := time.Now()
		check, cancel := context.WithTimeout(ctx, checkPeriod)
		err := connection.Ping(check)
		cancel()
		if err != nil {
			return
		}
		r.setChecked(now)
	}
}

// setChecked records that all changes until a time were announced.
func (r *replica) setChecked(at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.checked = at
}

// parseChange returns the change that a trigger has announced.
func parseChange(payload string) store.Change {
	parts := strings.SplitN(payload, " ", 3)
	c := store.Change{Kind: store.ChangeKind(parts[0]), Deleted: len(parts) > 1 && parts[1] == "delete"}
	if len(parts) > 2 {
		c.ID = parts[2]
	}
	return c
}

// announce drops cached values that a change concerns, and tells the subscribers.
func (r *replica) announce(c store.Change) {
	r.drop(c)
	r.mu.Lock()
	subscribers := slices.Collect(maps.Keys(r.subscribers))
	r.mu.Unlock()
	for _, notify := range subscribers {
		(*notify)(c)
	}
}

// drop drops cached values that a change concerns.
func (r *replica) drop(c store.Change) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch c.Kind {
	case store.AnyChange:
		clear(r.keys)
		clear(r.models)
	case store.KeyChange:
		delete(r.keys, c.ID)
	case store.ModelChange:
		clear(r.models)
	case store.JobChange, store.CampaignChange:
		return
	}
	r.generation++
}

// dropCached drops cached values that a change of this process concerns, so that its next
// call sees the change.
func (s *Store) dropCached(kind store.ChangeKind, id string) {
	if s.replica != nil {
		s.replica.drop(store.Change{Kind: kind, ID: id})
	}
}

// cached returns the cached value of a key, or reads and caches the value. Cached values
// are used only while this process receives changes. entries returns the cache in the
// replica.
func cached[V any](s *Store, entries func(r *replica) map[string]V, key string, read func() (V, error)) (V, error) {
	r := s.replica
	if r == nil {
		return read()
	}
	r.mu.Lock()
	generation := r.generation
	value, ok := entries(r)[key]
	ok = ok && time.Since(r.checked) < maxUnchecked
	r.mu.Unlock()
	if ok {
		return value, nil
	}
	value, err := read()
	if err != nil {
		return value, err
	}
	const maxCached = 10_000
	r.mu.Lock()
	defer r.mu.Unlock()
	if generation == r.generation && !r.checked.IsZero() { // otherwise the value may have changed since it was read
		if len(entries(r)) >= maxCached {
			clear(entries(r))
		}
		entries(r)[key] = value
	}
	return value, nil
}

// reportAlways reports at intervals that this replica is alive, until ctx ends.
func (r *replica) reportAlways(ctx context.Context) {
	const period = 3 * time.Second
	ticker := time.NewTicker(period)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			r.leave(ctx)
			return
		case <-ticker.C:
			_ = r.report(ctx) // without the database, the number of replicas stays
		}
	}
}

// report reports that this replica is alive, and counts those that take requests.
func (r *replica) report(ctx context.Context) error {
	var live int
	err := r.store.update(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `insert into replicas (id, serves, idle, seen) values ($1, $2, $3, clock_timestamp())
			on conflict (id) do update set seen = excluded.seen, idle = excluded.idle`, r.id, r.serves, r.idle.Load()); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "delete from replicas where seen < clock_timestamp() - interval '1 hour'"); err != nil {
			return err
		}
		return tx.QueryRow(ctx, "select count(*) from replicas where serves and seen > clock_timestamp() - $1::interval", livePeriod).Scan(&live)
	})
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.live = max(1, live)
	return nil
}

// close ends the use of the database by this replica.
func (r *replica) close() {
	r.end()
	r.done.Wait()
}

// leave reports that this replica ends. If that fails, the others count it as alive for
// up to livePeriod.
func (r *replica) leave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_, _ = r.store.pool.Exec(ctx, "delete from replicas where id = $1", r.id)
}

// Subscribe implements [store.Shared]. Changes are announced only after [Store.Join].
func (s *Store) Subscribe(notify func(c store.Change)) (end func()) {
	r := s.replica
	if r == nil {
		return func() {}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.subscribers[&notify] = true
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.subscribers, &notify)
	}
}

// Replicas implements [store.Shared].
func (s *Store) Replicas() int {
	r := s.replica
	if r == nil {
		return 1
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.live
}
