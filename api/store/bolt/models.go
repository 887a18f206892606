package bolt

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/inroad/inroad/api/store"
)

const (
	chunkSize = 1 << 20
	batchSize = 16 // chunks per transaction
)

// PutModel stores a model and its file, and sets the model's number and creation
// time. If the store has the model already, it returns the stored one.
func (s *Store) PutModel(ctx context.Context, m store.Model, file []byte) (store.Model, error) {
	if before, err := s.Model(ctx, m.ID); err == nil {
		return before, nil
	}
	m, err := s.putChunks(ctx, m, file)
	if err != nil {
		return m, err
	}
	err = s.update(ctx, func(tx *txn) (err error) {
		m, err = tx.putModel(m, file)
		return err
	})
	return m, err
}

// CompleteJob implements [store.Store].
func (s *Store) CompleteJob(ctx context.Context, j store.Job, m store.Model, file []byte) (store.Job, error) {
	m, err := s.putChunks(ctx, m, file)
	if err != nil {
		return j, err
	}
	err = s.update(ctx, func(tx *txn) error {
		stored, err := tx.putModel(m, file)
		if err != nil {
			return err
		}
		j.Model = stored.ID
		return putJob(tx, j)
	})
	return j, err
}

// putChunks stores the file of a model in parts, and sets the fields of the model that
// follow from the file. A crash may leave chunks without a model. They are harmless: the
// next attempt reuses them.
func (s *Store) putChunks(ctx context.Context, m store.Model, file []byte) (store.Model, error) {
	m.Created, m.Size, m.Chunks = s.now(), int64(len(file)), nil
	for batch := range slices.Chunk(slices.Collect(slices.Chunk(file, chunkSize)), batchSize) {
		err := s.update(ctx, func(tx *txn) error {
			for _, chunk := range batch {
				digest := sha256.Sum256(chunk)
				if err := tx.bucket(chunksBucket).put(digest[:], chunk); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return m, err
		}
		for _, chunk := range batch {
			digest := sha256.Sum256(chunk)
			m.Chunks = append(m.Chunks, digest[:])
		}
	}
	return m, nil
}

// putModel stores a model whose chunks are stored. It returns the stored model, which may
// be an earlier one.
func (t *txn) putModel(m store.Model, file []byte) (store.Model, error) {
	numbers, models := t.bucket(numbersBucket), t.bucket(modelsBucket)
	before, err := numbers.get([]byte(m.ID))
	if err != nil {
		return m, err
	}
	if before != nil {
		return t.model(m.ID)
	}
	i := 0
	for chunk := range slices.Chunk(file, chunkSize) {
		// A chunk may have been deleted with another model since it was stored.
		if stored, err := t.bucket(chunksBucket).get(m.Chunks[i]); err != nil || stored == nil {
			if err = cmp.Or(err, t.bucket(chunksBucket).put(m.Chunks[i], chunk)); err != nil {
				return m, err
			}
		}
		i++
	}
	if m.Number, err = models.next(); err != nil {
		return m, err
	}
	value, err := encode(m)
	if err != nil {
		return m, err
	}
	if err := numbers.put([]byte(m.ID), number(m.Number)); err != nil {
		return m, err
	}
	return m, models.put(number(m.Number), value)
}

// Model returns the model with an ID.
func (s *Store) Model(ctx context.Context, id string) (store.Model, error) {
	var m store.Model
	err := s.view(ctx, func(tx *txn) (err error) {
		m, err = tx.model(id)
		return err
	})
	return m, err
}

func (t *txn) model(id string) (m store.Model, err error) {
	n, err := t.bucket(numbersBucket).get([]byte(id))
	if err != nil || n == nil {
		return m, cmp.Or(err, store.NotFound("model", id))
	}
	value, err := t.bucket(modelsBucket).get(n)
	if err != nil {
		return m, err
	}
	return m, decode(value, &m)
}

// Models returns up to limit models of a subject, or of all subjects if it is
// empty, newest first. If before is not 0, it returns only models with a lower
// number. A negative limit means no limit.
func (s *Store) Models(ctx context.Context, subject string, before uint64, limit int) ([]store.Model, error) {
	var out []store.Model
	err := s.view(ctx, func(tx *txn) error {
		for e, err := range tx.bucket(modelsBucket).newest(before) {
			var m store.Model
			if err == nil {
				err = decode(e.value, &m)
			}
			if err != nil {
				return err
			}
			if subject != "" && m.Subject != subject {
				continue
			}
			if out = append(out, m); len(out) == limit {
				return nil
			}
		}
		return nil
	})
	return out, err
}

// ModelFile returns the file of a model.
func (s *Store) ModelFile(ctx context.Context, m store.Model) ([]byte, error) {
	var file bytes.Buffer
	for _, digest := range m.Chunks {
		err := s.view(ctx, func(tx *txn) error {
			chunk, err := tx.bucket(chunksBucket).get(digest)
			if err != nil || chunk == nil {
				return &FileError{s.path, fmt.Sprintf("a chunk of model %s is missing or damaged", m.ID), err}
			}
			_, err = file.Write(chunk)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return file.Bytes(), nil
}
