package postgres

import (
	"bytes"
	"context"
	"fmt"
	"iter"

	"github.com/jackc/pgx/v5"

	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/internal/encoding"
)

// importStep is the number of bytes that Import sends at a time.
const importStep = 4 << 20

// Import implements [store.Store]. It is one transaction, so nobody sees a part of the
// entries. No service can start meanwhile.
func (s *Store) Import(ctx context.Context, entries iter.Seq2[store.Entry, error], check func(stored iter.Seq2[store.Entry, error]) error) error {
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if err := lockEmpty(ctx, tx, s.pool.Config().ConnConfig.Database); err != nil {
			return err
		}
		in := &importer{tx: tx, blocks: s.blocks}
		for e, err := range entries {
			if err == nil {
				err = e.Check()
			}
			if err == nil {
				err = in.add(ctx, e)
			}
			if err != nil {
				return err
			}
		}
		if err := in.finish(ctx); err != nil {
			return err
		}
		return check(func(yield func(store.Entry, error) bool) {
			x := exporter{tx: tx, yield: yield}
			if err := x.export(ctx); err != nil && !x.ended {
				yield(store.Entry{}, err)
			}
		})
	})
	if ctx.Err() != nil && err != nil {
		return context.Cause(ctx)
	}
	return wrap(err)
}

// lockEmpty keeps services from starting, and makes other writers wait, until the
// transaction ends. It returns an error unless the database is empty.
func lockEmpty(ctx context.Context, tx pgx.Tx, database string) error {
	var locked bool
	if err := tx.QueryRow(ctx, "select pg_try_advisory_xact_lock($1)", int64(replicaLock)).Scan(&locked); err != nil {
		return err
	}
	if !locked {
		return fmt.Errorf("database %s: %w", database, store.ErrInUse)
	}
	if _, err := tx.Exec(ctx, "lock table counters in exclusive mode"); err != nil { // every new row needs a counter
		return err
	}
	for _, table := range []struct{ name, noun string }{
		{"grammars", "a grammar"},
		{"commits where subject <> ''", "observations"},
		{"models", "a model"},
		{"jobs", "a job"},
		{"campaigns", "a campaign"},
		{"keys", "a key"},
		{"key_log", "a log of keys"},
		{"policies", "a policy"},
	} {
		var exists bool
		if err := tx.QueryRow(ctx, "select exists (select from "+table.name+")").Scan(&exists); err != nil {
			return err
		}
		if exists {
			return fmt.Errorf("database %s: %w: it has %s", database, store.ErrNotEmpty, table.noun)
		}
	}
	if _, err := tx.Exec(ctx, "delete from commits"); err != nil { // hidden commits
		return err
	}
	_, err := tx.Exec(ctx, "delete from chunks") // of models that were never complete
	return err
}

// An importer writes entries. It collects the rows of tables that may be large, and sends
// many at a time.
type importer struct {
	tx     pgx.Tx
	blocks *encoding.Blocks

	commit int64 // ID of the last commit
	size   int   // of the rows that are not sent
	rows   map[string][][]any
	seen   struct {
		commits         []int64
		inputs, results [][]byte
	}
	told struct {
		campaigns []int64
		inputs    [][]byte
	}
}

// columns returns the columns of the tables whose rows are collected.
func columns() map[string][]string {
	return map[string][]string{
		"units": {"commit_id", "key", "data"}, "blocks": {"commit_id", "number", "data"}, "chunks": {"digest", "data"},
		"jobs": {"id", "subject", "ended", "queued", "request", "data"}, "leases": {"campaign_id", "id", "data"}, "log": {"campaign_id", "number", "data"},
		"key_log": {"number", "data"},
	}
}

// add adds an entry.
func (in *importer) add(ctx context.Context, e store.Entry) error {
	value := bytes.Clone(e.Value)
	switch e.Kind {
	case store.CommitEntry, store.UnitEntry, store.BlockEntry:
		return in.addObservations(ctx, e, value)
	case store.CampaignEntry, store.RequestEntry, store.CampaignUnitsEntry, store.HistoryEntry, store.LeaseEntry, store.LogEntry:
		return in.addCampaign(ctx, e, value)
	}
	key := []byte(e.Key[0])
	switch e.Kind {
	case store.GrammarEntry:
		var g store.Grammar
		if err := encoding.Decode(value, &g); err != nil {
			return err
		}
		return in.exec(ctx, "insert into grammars (id, sequence, data, sources) values ($1, $2, $3, '')", key, int64(g.Sequence), value)
	case store.SourcesEntry:
		return in.exec(ctx, "update grammars set sources = $2 where id = $1", key, value)
	case store.ChunkEntry:
		return in.row(ctx, "chunks", key, value)
	case store.ModelEntry:
		var m store.Model
		if err := encoding.Decode(value, &m); err != nil {
			return err
		}
		return in.exec(ctx, "insert into models (number, id, subject, data) values ($1, $2, $3, $4)", int64(e.Number()), []byte(m.ID), []byte(m.Subject), value)
	case store.AliasEntry:
		return in.exec(ctx, "insert into aliases (name, model) values ($1, $2)", key, value)
	case store.JobEntry:
		var j store.Job
		if err := encoding.Decode(value, &j); err != nil {
			return err
		}
		var request any // null if there is none
		if j.RequestKey != "" {
			request = []byte(j.RequestKey)
		}
		return in.row(ctx, "jobs", int64(e.Number()), []byte(j.Subject), j.State.Ended(), j.State == store.Queued, request, value)
	case store.KeyEntry:
		var k store.Key
		if err := encoding.Decode(value, &k); err != nil {
			return err
		}
		return in.exec(ctx, "insert into keys (id, sequence, data) values ($1, $2, $3)", key, int64(k.Sequence), value)
	case store.EventEntry:
		return in.row(ctx, "key_log", int64(e.Number()), value)
	case store.PolicyEntry:
		return in.exec(ctx, "insert into policies (subject, data) values ($1, $2)", key, value)
	case store.CounterEntry:
		return in.exec(ctx, "update counters set value = $2 where name = $1", e.Key[0], int64(store.KeyNumber(string(value))))
	}
	return nil
}

func (in *importer) addObservations(ctx context.Context, e store.Entry, value []byte) error {
	switch e.Kind {
	case store.CommitEntry:
		var c store.Commit
		if err := encoding.Decode(value, &c); err != nil {
			return err
		}
		return in.tx.QueryRow(ctx, "insert into commits (subject, name, sequence, blocks, data) values ($1, $2, $3, 0, $4) returning id",
			[]byte(e.Key[0]), []byte(e.Key[1]), int64(c.Sequence), value).Scan(&in.commit)
	case store.UnitEntry:
		return in.row(ctx, "units", in.commit, []byte(e.Key[2]), value)
	}
	var records []encoding.Record
	if err := in.blocks.Decode(value, &records); err != nil {
		return err
	}
	for _, r := range encoding.KeyRecords(encoding.Observations(records)) {
		in.seen.commits = append(in.seen.commits, in.commit)
		in.seen.inputs = append(in.seen.inputs, r.InputDigest)
		in.seen.results = append(in.seen.results, r.ResultDigest)
		in.size += len(r.InputDigest) + len(r.ResultDigest)
	}
	return in.row(ctx, "blocks", in.commit, int64(e.Number()), value)
}

func (in *importer) addCampaign(ctx context.Context, e store.Entry, value []byte) error {
	id := int64(store.KeyNumber(e.Key[0]))
	switch e.Kind {
	case store.CampaignEntry:
		var c store.Campaign
		if err := encoding.Decode(value, &c); err != nil {
			return err
		}
		return in.exec(ctx, "insert into campaigns (id, subject, last, data, request, units) values ($1, $2, 0, $3, '', '')", id, []byte(c.Subject), value)
	case store.RequestEntry:
		return in.exec(ctx, "update campaigns set request = $2 where id = $1", id, value)
	case store.CampaignUnitsEntry:
		return in.exec(ctx, "update campaigns set units = $2 where id = $1", id, value)
	case store.HistoryEntry:
		return in.exec(ctx, "update campaigns set history = $2 where id = $1", id, value)
	case store.LeaseEntry:
		return in.row(ctx, "leases", id, []byte(e.Key[1]), value)
	}
	var records []encoding.ToldRecord
	if err := in.blocks.Decode(value, &records); err != nil {
		return err
	}
	for _, r := range records {
		in.told.campaigns = append(in.told.campaigns, id)
		in.told.inputs = append(in.told.inputs, []byte(r.ID))
		in.size += len(r.ID)
	}
	return in.row(ctx, "log", id, int64(e.Number()), value)
}

// exec runs a statement that changes one row.
func (in *importer) exec(ctx context.Context, statement string, args ...any) error {
	tag, err := in.tx.Exec(ctx, statement, args...)
	if err == nil && tag.RowsAffected() != 1 {
		err = fmt.Errorf("%w: an entry belongs to none before it: %s", store.ErrUnreadable, statement)
	}
	return err
}

// row adds a row. Only the last value, which is the largest, counts as its size.
func (in *importer) row(ctx context.Context, table string, values ...any) error {
	if in.rows == nil {
		in.rows = map[string][][]any{}
	}
	in.rows[table] = append(in.rows[table], values)
	data, _ := values[len(values)-1].([]byte)
	if in.size += len(data); in.size < importStep {
		return nil
	}
	return in.send(ctx)
}

// send sends the rows that were collected.
func (in *importer) send(ctx context.Context) error {
	for table, columns := range columns() {
		if len(in.rows[table]) == 0 {
			continue
		}
		if _, err := in.tx.CopyFrom(ctx, pgx.Identifier{table}, columns, pgx.CopyFromRows(in.rows[table])); err != nil {
			return err
		}
	}
	// A store of an earlier version may have the same observation twice.
	_, err := in.tx.Exec(ctx, `insert into seen (commit_id, input, result) select * from unnest($1::bigint[], $2::bytea[], $3::bytea[])
		on conflict do nothing`, in.seen.commits, in.seen.inputs, in.seen.results)
	if err == nil {
		_, err = in.tx.Exec(ctx, "insert into told (campaign_id, input) select * from unnest($1::bigint[], $2::bytea[]) on conflict do nothing", in.told.campaigns, in.told.inputs)
	}
	*in = importer{tx: in.tx, blocks: in.blocks, commit: in.commit}
	return err
}

// finish sends the last rows, and sets the numbers of the last blocks.
func (in *importer) finish(ctx context.Context) error {
	if err := in.send(ctx); err != nil {
		return err
	}
	if _, err := in.tx.Exec(ctx, "update commits set blocks = (select coalesce(max(number), 0) from blocks where commit_id = commits.id)"); err != nil {
		return err
	}
	_, err := in.tx.Exec(ctx, "update campaigns set last = (select coalesce(max(number), 0) from log where campaign_id = campaigns.id)")
	return err
}
