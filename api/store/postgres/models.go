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
)

const chunkSize = 1 << 20

// PutModel implements [store.Store].
func (s *Store) PutModel(ctx context.Context, m store.Model, file []byte) (store.Model, error) {
	if before, err := s.Model(ctx, m.ID); err == nil {
		return before, nil
	}
	m, err := s.putChunks(ctx, m, file)
	if err != nil {
		return m, err
	}
	defer s.dropCached(store.ModelChange, "")
	err = s.update(ctx, func(tx pgx.Tx) (err error) {
		m, err = putModel(ctx, tx, m, file)
		return err
	})
	return m, err
}

// putChunks stores the file of a model in parts, and sets the fields of the model that
// follow from the file.
func (s *Store) putChunks(ctx context.Context, m store.Model, file []byte) (store.Model, error) {
	m.Created, m.Size, m.Chunks = s.now(), int64(len(file)), nil
	for chunk := range slices.Chunk(file, chunkSize) {
		digest := sha256.Sum256(chunk)
		m.Chunks = append(m.Chunks, digest[:])
		err := s.updateRepeatably(ctx, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, "insert into chunks (digest, data) values ($1, $2) on conflict (digest) do nothing", digest[:], chunk)
			return err
		})
		if err != nil {
			return m, err
		}
	}
	return m, nil
}

// putModel stores a model whose chunks are stored. It returns the stored model, which may
// be an earlier one.
func putModel(ctx context.Context, tx pgx.Tx, m store.Model, file []byte) (store.Model, error) {
	n, err := next(ctx, tx, "models") // before the model is looked up: others wait here
	if err != nil {
		return m, err
	}
	var before store.Model
	err = get(ctx, tx, &before, pgx.ErrNoRows, "select data from models where id = $1", []byte(m.ID))
	if err == nil { // the number is not used up
		_, err = tx.Exec(ctx, "update counters set value = value - 1 where name = 'models'")
		return before, err
	}
	if !errors.Is(err, pgx.ErrNoRows) {
		return m, err
	}
	if err := putMissing(ctx, tx, m, file); err != nil {
		return m, err
	}
	m.Number = n
	return m, put(ctx, tx, m, "insert into models (number, id, subject, data) values ($1, $2, $3, $4)", int64(n), []byte(m.ID), []byte(m.Subject))
}

// putMissing stores the chunks of a model that were deleted with another model since they
// were stored.
func putMissing(ctx context.Context, tx pgx.Tx, m store.Model, file []byte) error {
	rows, err := tx.Query(ctx, "select digest from chunks where digest = any($1::bytea[])", m.Chunks)
	if err != nil {
		return err
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[[]byte])
	if err != nil {
		return err
	}
	i := 0
	for chunk := range slices.Chunk(file, chunkSize) {
		digest := m.Chunks[i]
		i++
		if slices.ContainsFunc(found, func(d []byte) bool { return bytes.Equal(d, digest) }) {
			continue
		}
		if _, err := tx.Exec(ctx, "insert into chunks (digest, data) values ($1, $2) on conflict (digest) do nothing", digest, chunk); err != nil {
			return err
		}
	}
	return nil
}

// Model implements [store.Store].
func (s *Store) Model(ctx context.Context, id string) (store.Model, error) {
	return s.model(ctx, "ID "+id, store.NotFound("model", id), "select data from models where id = $1", id)
}

// model returns the model that a query returns, which is cached under a key.
func (s *Store) model(ctx context.Context, key string, missing error, statement, arg string) (store.Model, error) {
	found, err := cached(s, cachedModels, key, func() ([]store.Model, error) {
		var m store.Model
		err := s.view(ctx, func(tx pgx.Tx) error { return get(ctx, tx, &m, missing, statement, []byte(arg)) })
		return []store.Model{m}, err
	})
	return found[0], err
}

func cachedModels(r *replica) map[string][]store.Model { return r.models }

// Models implements [store.Store].
func (s *Store) Models(ctx context.Context, subject string, before uint64, limit int) ([]store.Model, error) {
	read := func() ([]store.Model, error) {
		return list[store.Model](ctx, s, `select data from models
			where ($1::bytea = '' or subject = $1) and ($2::int8 = 0 or number < $2) order by number desc limit $3`, []byte(subject), int64(before), limitOf(limit))
	}
	if before == 0 && limit == 1 { // predictions with the latest model need it
		return cached(s, cachedModels, "latest "+subject, read)
	}
	return read()
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
	defer s.dropCached(store.ModelChange, "")
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
	defer s.dropCached(store.ModelChange, "")
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
	return s.model(ctx, "alias "+alias, store.NotFound("model", alias), "select data from models where id = (select model from aliases where name = $1)", alias)
}

// Aliases implements [store.Store].
func (s *Store) Aliases(ctx context.Context) (out []store.Alias, err error) {
	err = s.view(ctx, func(tx pgx.Tx) error {
		out, err = aliases(ctx, tx)
		return err
	})
	return out, err
}

func aliases(ctx context.Context, tx pgx.Tx) ([]store.Alias, error) {
	rows, err := tx.Query(ctx, "select name, model from aliases order by name")
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (a store.Alias, err error) {
		var name, model []byte
		err = row.Scan(&name, &model)
		a.Name, a.Model = string(name), string(model)
		return a, err
	})
}
