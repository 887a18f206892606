package postgres

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/inroad/inroad/api/store"
)

// Export implements [store.Store]. Services may change the database meanwhile.
func (s *Store) Export(ctx context.Context) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		var x exporter
		err := pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
			x = exporter{tx: tx, yield: yield}
			return x.export(ctx)
		})
		if ctx.Err() != nil && err != nil {
			err = context.Cause(ctx)
		}
		if err != nil && !x.ended { // a rollback may hide errEnded
			yield(store.Entry{}, wrap(err))
		}
	}
}

// errEnded is returned when the loop over the entries has ended.
var errEnded = errors.New("the loop has ended")

// An exporter yields the entries of one transaction.
type exporter struct {
	tx    pgx.Tx
	yield func(store.Entry, error) bool
	ended bool // yield has returned false, and must not be called again
}

func (x *exporter) export(ctx context.Context) error {
	for _, step := range []func(context.Context) error{
		x.table(store.GrammarEntry, "select id, data from grammars order by id"),
		x.table(store.SourcesEntry, "select id, sources from grammars order by id"),
		x.commits,
		x.table(store.ChunkEntry, "select digest, data from chunks order by digest"),
		x.table(store.ModelEntry, "select int8send(number), data from models order by number"),
		x.table(store.AliasEntry, "select name, model from aliases order by name"),
		x.table(store.JobEntry, "select int8send(id), data from jobs order by id"),
		x.campaigns,
		x.table(store.KeyEntry, "select id, data from keys order by id"),
		x.table(store.EventEntry, "select int8send(number), data from key_log order by number"),
		x.table(store.PolicyEntry, "select subject, data from policies order by subject"),
		x.table(store.CounterEntry, `select convert_to(name, 'UTF8'), int8send(value) from counters
			where name in ('campaigns', 'jobs', 'key_log', 'models', 'sequence') order by name collate "C"`),
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// table returns a function that yields the rows of a query, which have the last part of a
// key and a value.
func (x *exporter) table(kind store.EntryKind, query string) func(context.Context) error {
	return func(ctx context.Context) error { return x.rows(ctx, kind, nil, query) }
}

// rows yields the rows of a query, which have the last part of a key and a value. The
// other parts of the keys are parents. Values that are null are left out.
func (x *exporter) rows(ctx context.Context, kind store.EntryKind, parents []string, query string, args ...any) error {
	rows, err := x.tx.Query(ctx, query, args...)
	if err != nil {
		return err
	}
	var key, value []byte
	_, err = pgx.ForEachRow(rows, []any{&key, &value}, func() error {
		if value != nil && !x.yield(store.Entry{Kind: kind, Key: append(slices.Clone(parents), string(key)), Value: value}, nil) {
			x.ended = true
			return errEnded
		}
		return nil
	})
	return err
}

func (x *exporter) commits(ctx context.Context) error {
	rows, err := x.tx.Query(ctx, "select id, subject, name from commits where subject <> '' order by subject, name")
	if err != nil {
		return err
	}
	type commit struct {
		ID            int64
		Subject, Name []byte
	}
	commits, err := pgx.CollectRows(rows, pgx.RowToStructByPos[commit])
	for _, c := range commits {
		key := []string{string(c.Subject), string(c.Name)}
		if err := x.rows(ctx, store.CommitEntry, key[:1], "select name, data from commits where id = $1", c.ID); err != nil {
			return err
		}
		if err := x.rows(ctx, store.UnitEntry, key, "select key, data from units where commit_id = $1 order by key", c.ID); err != nil {
			return err
		}
		if err := x.rows(ctx, store.BlockEntry, key, "select int8send(number), data from blocks where commit_id = $1 order by number", c.ID); err != nil {
			return err
		}
	}
	return err
}

func (x *exporter) campaigns(ctx context.Context) error {
	rows, err := x.tx.Query(ctx, "select id from campaigns order by id")
	if err != nil {
		return err
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	for _, id := range ids {
		for _, column := range []struct {
			kind store.EntryKind
			name string
		}{{store.CampaignEntry, "data"}, {store.RequestEntry, "request"}, {store.CampaignUnitsEntry, "units"}, {store.HistoryEntry, "history"}} {
			if err := x.rows(ctx, column.kind, nil, "select int8send(id), "+column.name+" from campaigns where id = $1", id); err != nil {
				return err
			}
		}
		key := []string{store.NumberKey(uint64(id))}
		if err := x.rows(ctx, store.LeaseEntry, key, "select id, data from leases where campaign_id = $1 order by id", id); err != nil {
			return err
		}
		if err := x.rows(ctx, store.LogEntry, key, "select int8send(number), data from log where campaign_id = $1 order by number", id); err != nil {
			return err
		}
	}
	return err
}
