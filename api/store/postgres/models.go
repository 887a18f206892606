package postgres

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/internal/encoding"
)

// PutGrammar implements [store.Store].
func (s *Store) PutGrammar(ctx context.Context, g store.Grammar) (stored store.Grammar, created bool, err error) {
	g.ID, g.Created = store.GrammarID(g.Start, g.Sources), s.now()
	if before, err := s.Grammar(ctx, g.ID); err == nil {
		return before, false, nil
	}
	sources, err := encoding.Encode(g.Sources)
	if err != nil {
		return g, false, err
	}
	err = s.update(ctx, func(tx pgx.Tx) error {
		n, err := next(ctx, tx, "sequence")
		if err != nil {
			return err
		}
		g.Sequence = n
		data, err := encoding.Encode(g)
		if err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, "insert into grammars (id, sequence, data, sources) values ($1, $2, $3, $4) on conflict (id) do nothing", []byte(g.ID), int64(n), data, sources)
		created = tag.RowsAffected() == 1
		return err
	})
	if err == nil && !created { // by another process meanwhile
		g, err = s.Grammar(ctx, g.ID)
	}
	return g, created, err
}

// Grammar implements [store.Store].
func (s *Store) Grammar(ctx context.Context, id string) (store.Grammar, error) {
	var g store.Grammar
	err := s.view(ctx, func(tx pgx.Tx) error {
		missing := store.NotFound("grammar", id)
		if err := get(ctx, tx, &g, missing, "select data from grammars where id = $1", []byte(id)); err != nil {
			return err
		}
		return get(ctx, tx, &g.Sources, missing, "select sources from grammars where id = $1", []byte(id))
	})
	return g, err
}

// Grammars implements [store.Store].
func (s *Store) Grammars(ctx context.Context) ([]store.Grammar, error) {
	return list[store.Grammar](ctx, s, "select data from grammars order by sequence")
}

const chunkSize = 1 << 20

// PutModel implements [store.Store].
func (s *Store) PutModel(ctx context.Context, m store.Model, file []byte) (store.Model, error) {
	if before, err := s.Model(ctx, m.ID); err == nil {
		return before, nil
	}
	m.Created, m.Size, m.Chunks = s.now(), int64(len(file)), nil
	for chunk := range slices.Chunk(file, chunkSize) {
		digest := sha256.Sum256(chunk)
		m.Chunks = append(m.Chunks, digest[:])
		err := s.update(ctx, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, "insert into chunks (digest, data) values ($1, $2) on conflict (digest) do nothing", digest[:], chunk)
			return err
		})
		if err != nil {
			return m, err
		}
	}
	err := s.update(ctx, func(tx pgx.Tx) error {
		n, err := next(ctx, tx, "models") // before the model is looked up: others wait here
		if err != nil {
			return err
		}
		var before store.Model
		err = get(ctx, tx, &before, pgx.ErrNoRows, "select data from models where id = $1", []byte(m.ID))
		if err == nil {
			m = before
			return errExists // so that the number is not used up
		}
		if !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		m.Number = n
		return put(ctx, tx, m, "insert into models (number, id, subject, data) values ($1, $2, $3, $4)", int64(n), []byte(m.ID), []byte(m.Subject))
	})
	if errors.Is(err, errExists) {
		err = nil
	}
	return m, err
}

var errExists = errors.New("the model exists")

// Model implements [store.Store].
func (s *Store) Model(ctx context.Context, id string) (store.Model, error) {
	var m store.Model
	err := s.view(ctx, func(tx pgx.Tx) error {
		return get(ctx, tx, &m, store.NotFound("model", id), "select data from models where id = $1", []byte(id))
	})
	return m, err
}

// Models implements [store.Store].
func (s *Store) Models(ctx context.Context, subject string, before uint64, limit int) ([]store.Model, error) {
	return list[store.Model](ctx, s, `select data from models
		where ($1::bytea = '' or subject = $1) and ($2 = 0 or number < $2) order by number desc limit $3`, []byte(subject), int64(before), limitOf(limit))
}

// ModelFile implements [store.Store].
func (s *Store) ModelFile(ctx context.Context, m store.Model) ([]byte, error) {
	var file bytes.Buffer
	for _, digest := range m.Chunks {
		var chunk []byte
		err := s.view(ctx, func(tx pgx.Tx) error {
			return tx.QueryRow(ctx, "select data from chunks where digest = $1", digest).Scan(&chunk)
		})
		if sum := sha256.Sum256(chunk); err == nil && !bytes.Equal(sum[:], digest) || errors.Is(err, pgx.ErrNoRows) {
			err = fmt.Errorf("%w: a chunk of model %s is missing or damaged", store.ErrUnreadable, m.ID)
		}
		if err != nil {
			return nil, err
		}
		file.Write(chunk)
	}
	return file.Bytes(), nil
}

// PutAlias implements [store.Store].
func (s *Store) PutAlias(ctx context.Context, a store.Alias) error {
	return s.update(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `insert into aliases (name, model) select $1, id from models where id = $2
			on conflict (name) do update set model = excluded.model`, []byte(a.Name), []byte(a.Model))
		if err == nil && tag.RowsAffected() == 0 {
			err = store.NotFound("model", a.Model)
		}
		return err
	})
}

// DeleteAlias implements [store.Store].
func (s *Store) DeleteAlias(ctx context.Context, name string) error {
	return s.update(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, "delete from aliases where name = $1", []byte(name))
		if err == nil && tag.RowsAffected() == 0 {
			err = store.NotFound("alias", name)
		}
		return err
	})
}

// Named implements [store.Store].
func (s *Store) Named(ctx context.Context, alias string) (store.Model, error) {
	var m store.Model
	err := s.view(ctx, func(tx pgx.Tx) error {
		return get(ctx, tx, &m, store.NotFound("model", alias), "select data from models where id = (select model from aliases where name = $1)", []byte(alias))
	})
	return m, err
}

// Aliases implements [store.Store].
func (s *Store) Aliases(ctx context.Context) ([]store.Alias, error) {
	var out []store.Alias
	err := s.view(ctx, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, "select name, model from aliases order by name")
		if err != nil {
			return err
		}
		out, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (a store.Alias, err error) {
			var name, model []byte
			err = row.Scan(&name, &model)
			a.Name, a.Model = string(name), string(model)
			return a, err
		})
		return err
	})
	return out, err
}

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
	return s.update(ctx, func(tx pgx.Tx) error {
		return put(ctx, tx, j, "update jobs set ended = $2, data = $3 where id = $1", int64(j.ID), j.State.Ended())
	})
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
		where ($1::bytea = '' or subject = $1) and ($2 = 0 or id < $2) order by id desc limit $3`, []byte(subject), int64(before), limitOf(limit))
}

// OpenJobs implements [store.Store].
func (s *Store) OpenJobs(ctx context.Context) ([]store.Job, error) {
	return list[store.Job](ctx, s, "select data from jobs where not ended order by id")
}
