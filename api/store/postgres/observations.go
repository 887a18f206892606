package postgres

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/internal/encoding"
	"github.com/inroad/inroad/model/observation"
)

// AddObservations implements [store.Store].
func (s *Store) AddObservations(ctx context.Context, subject, commit string, units []observation.Unit, observations []observation.Observation) (store.Added, error) {
	var added store.Added
	records := encoding.KeyRecords(observations)
	keyed, err := encoding.KeyUnits(units)
	if err != nil {
		return added, err
	}
	err = s.update(ctx, func(tx pgx.Tx) (err error) {
		added, err = s.addObservations(ctx, tx, subject, commit, keyed, records)
		return err
	})
	return added, err
}

// A commitWriter updates a commit within one transaction. The commit's row is locked.
type commitWriter struct {
	tx     pgx.Tx
	id     int64
	blocks int64 // the number of the last block
	info   store.Commit
}

func openCommit(ctx context.Context, tx pgx.Tx, subject, commit string) (*commitWriter, error) {
	c := &commitWriter{tx: tx, info: store.Commit{Name: commit}}
	empty, err := encoding.Encode(c.info)
	if err != nil {
		return nil, err
	}
	var data []byte
	err = tx.QueryRow(ctx, `insert into commits (subject, name, sequence, blocks, data) values ($1, $2, 0, 0, $3)
		on conflict (subject, name) do update set sequence = commits.sequence returning id, blocks, data`,
		[]byte(subject), []byte(commit), empty).Scan(&c.id, &c.blocks, &data)
	if err != nil {
		return nil, err
	}
	return c, encoding.Decode(data, &c.info)
}

func (s *Store) addObservations(ctx context.Context, tx pgx.Tx, subject, commit string, units []encoding.KeyedUnit, records []encoding.KeyedRecord) (store.Added, error) {
	c, err := openCommit(ctx, tx, subject, commit)
	if err != nil {
		return store.Added{}, err
	}
	if err := c.addUnits(ctx, units); err != nil {
		return store.Added{}, err
	}
	added, fresh, err := c.markSeen(ctx, records)
	if err != nil {
		return added, err
	}
	if len(fresh) > 0 {
		c.blocks++
		data, err := s.blocks.Encode(fresh)
		if err == nil {
			_, err = tx.Exec(ctx, "insert into blocks (commit_id, number, data) values ($1, $2, $3)", c.id, c.blocks, data)
		}
		if err != nil {
			return added, err
		}
	}
	encoding.Count(&c.info, added, fresh)
	sequence, err := next(ctx, tx, "sequence")
	if err != nil {
		return added, err
	}
	c.info.Updated, c.info.Sequence = s.now(), sequence
	return added, put(ctx, tx, c.info, "update commits set sequence = $2, blocks = $3, data = $4 where id = $1", c.id, int64(sequence), c.blocks)
}

func (c *commitWriter) addUnits(ctx context.Context, units []encoding.KeyedUnit) error {
	if len(units) == 0 {
		return nil
	}
	last := map[string][]byte{} // a statement cannot change a row twice
	for _, u := range units {
		last[string(u.Key)] = u.Value
	}
	var keys, values [][]byte
	for key, value := range last {
		keys, values = append(keys, []byte(key)), append(values, value)
	}
	rows, err := c.tx.Query(ctx, `insert into units (commit_id, key, data) select $1, * from unnest($2::bytea[], $3::bytea[])
		on conflict (commit_id, key) do update set data = excluded.data where units.data <> excluded.data returning xmax = 0`, c.id, keys, values)
	if err != nil {
		return err
	}
	created, err := pgx.CollectRows(rows, pgx.RowTo[bool])
	for _, isNew := range created {
		if isNew {
			c.info.Units++
		}
	}
	return err
}

// markSeen stores the digests of records, and returns the records that the store did not
// have.
func (c *commitWriter) markSeen(ctx context.Context, records []encoding.KeyedRecord) (store.Added, []encoding.Record, error) {
	var added store.Added
	if len(records) == 0 {
		return added, nil, nil
	}
	inputs := make([][]byte, len(records))
	for i, r := range records {
		inputs[i] = r.InputDigest
	}
	seen := map[string][]string{} // by input: its results
	rows, err := c.tx.Query(ctx, "select input, result from seen where commit_id = $1 and input = any($2::bytea[])", c.id, inputs)
	if err != nil {
		return added, nil, err
	}
	var input, result []byte
	_, err = pgx.ForEachRow(rows, []any{&input, &result}, func() error {
		seen[string(input)] = append(seen[string(input)], string(result))
		return nil
	})
	if err != nil {
		return added, nil, err
	}
	var fresh []encoding.Record
	var newInputs, newResults [][]byte
	for _, r := range records {
		results := seen[string(r.InputDigest)]
		if slices.Contains(results, string(r.ResultDigest)) {
			added.Duplicates++
			continue
		}
		if len(results) > 0 {
			added.Contradictory++
		}
		added.Stored++
		seen[string(r.InputDigest)] = append(results, string(r.ResultDigest))
		newInputs, newResults = append(newInputs, r.InputDigest), append(newResults, r.ResultDigest)
		fresh = append(fresh, r.Record)
	}
	_, err = c.tx.Exec(ctx, "insert into seen (commit_id, input, result) select $1, * from unnest($2::bytea[], $3::bytea[])", c.id, newInputs, newResults)
	return added, fresh, err
}

// Subjects implements [store.Store].
func (s *Store) Subjects(ctx context.Context) ([]store.Subject, error) {
	return s.subjects(ctx, "")
}

// Subject implements [store.Store].
func (s *Store) Subject(ctx context.Context, name string) (store.Subject, error) {
	found, err := s.subjects(ctx, name)
	if err == nil && len(found) == 0 {
		err = store.NotFound("subject", name)
	}
	if err != nil {
		return store.Subject{Name: name}, err
	}
	return found[0], nil
}

// subjects returns the subject with a name, or all subjects if the name is empty.
func (s *Store) subjects(ctx context.Context, name string) ([]store.Subject, error) {
	var out []store.Subject
	err := s.view(ctx, func(tx pgx.Tx) error {
		out = nil
		rows, err := tx.Query(ctx, "select subject, data from commits where subject <> '' and ($1::bytea = '' or subject = $1) order by subject, sequence desc", []byte(name))
		if err != nil {
			return err
		}
		var subject, data []byte
		_, err = pgx.ForEachRow(rows, []any{&subject, &data}, func() error {
			if len(out) == 0 || out[len(out)-1].Name != string(subject) {
				out = append(out, store.Subject{Name: string(subject)})
			}
			var c store.Commit
			err := encoding.Decode(data, &c)
			last := &out[len(out)-1]
			last.Commits = append(last.Commits, c)
			return err
		})
		return err
	})
	return out, err
}

// readCommit returns the ID and the counts of one version of a program.
func readCommit(ctx context.Context, tx pgx.Tx, subject, commit string) (id int64, info store.Commit, err error) {
	var data []byte
	err = tx.QueryRow(ctx, "select id, data from commits where subject = $1 and name = $2", []byte(subject), []byte(commit)).Scan(&id, &data)
	if err == nil {
		return id, info, encoding.Decode(data, &info)
	}
	if !errors.Is(err, pgx.ErrNoRows) {
		return 0, info, err
	}
	var known bool
	if err := tx.QueryRow(ctx, "select exists (select from commits where subject = $1)", []byte(subject)).Scan(&known); err != nil {
		return 0, info, err
	}
	if !known {
		return 0, info, store.NotFound("subject", subject)
	}
	return 0, info, store.CommitNotFound(subject, commit)
}

// Commit implements [store.Store].
func (s *Store) Commit(ctx context.Context, subject, commit string) (store.Commit, error) {
	var info store.Commit
	err := s.view(ctx, func(tx pgx.Tx) (err error) {
		_, info, err = readCommit(ctx, tx, subject, commit)
		return err
	})
	return info, err
}

// Header implements [store.Store].
func (s *Store) Header(ctx context.Context, subject, commit string) (observation.Header, error) {
	h := observation.Header{Subject: subject, Commit: commit}
	err := s.view(ctx, func(tx pgx.Tx) error {
		id, _, err := readCommit(ctx, tx, subject, commit)
		if err != nil {
			return err
		}
		h.Units, err = query[observation.Unit](ctx, tx, "select data from units where commit_id = $1", id)
		return err
	})
	slices.SortFunc(h.Units, func(a, b observation.Unit) int { return strings.Compare(a.ID, b.ID) })
	return h, err
}

// Observations implements [store.Store].
func (s *Store) Observations(ctx context.Context, subject, commit string) iter.Seq2[[]observation.Observation, error] {
	return store.EachBlock(ctx, s, subject, commit)
}
