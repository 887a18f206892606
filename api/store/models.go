package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"go.etcd.io/bbolt"
)

// A Model describes a stored model.
type Model struct {
	ID      string    `cbor:"1,keyasint"` // digest of the model
	Number  uint64    `cbor:"2,keyasint"` // from 1, in order of creation
	Subject string    `cbor:"3,keyasint"`
	Commit  string    `cbor:"4,keyasint"`
	Grammar string    `cbor:"5,keyasint"` // ID of the grammar
	Created time.Time `cbor:"6,keyasint"`
	Size    int64     `cbor:"7,keyasint"` // bytes of the file
	Chunks  [][]byte  `cbor:"8,keyasint"` // digests of the file's chunks
}

const (
	chunkSize = 1 << 20
	batchSize = 16 // chunks per transaction
)

// PutModel stores a model and its file, and sets the model's number and creation
// time. If the store has the model already, it returns the stored one.
func (s *Store) PutModel(m Model, file []byte) (Model, error) {
	if before, err := s.Model(m.ID); err == nil {
		return before, nil
	}
	m.Created, m.Size, m.Chunks = s.now(), int64(len(file)), nil
	// A crash may leave chunks without a model. They are harmless: the next attempt
	// reuses them.
	for batch := range slices.Chunk(slices.Collect(slices.Chunk(file, chunkSize)), batchSize) {
		err := s.update(func(tx *bbolt.Tx) error {
			for _, chunk := range batch {
				digest := sha256.Sum256(chunk)
				if err := tx.Bucket([]byte(chunksBucket)).Put(digest[:], chunk); err != nil {
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
	err := s.update(func(tx *bbolt.Tx) error {
		numbers, models := tx.Bucket([]byte(numbersBucket)), tx.Bucket([]byte(modelsBucket))
		if before := numbers.Get([]byte(m.ID)); before != nil {
			return decode(models.Get(before), &m)
		}
		n, err := models.NextSequence()
		if err != nil {
			return err
		}
		m.Number = n
		value, err := encode(m)
		if err != nil {
			return err
		}
		if err := numbers.Put([]byte(m.ID), number(n)); err != nil {
			return err
		}
		return models.Put(number(n), value)
	})
	return m, err
}

// Model returns the model with an ID.
func (s *Store) Model(id string) (Model, error) {
	var m Model
	err := s.db.View(func(tx *bbolt.Tx) error {
		n := tx.Bucket([]byte(numbersBucket)).Get([]byte(id))
		if n == nil {
			return &NotFoundError{"model", id}
		}
		return decode(tx.Bucket([]byte(modelsBucket)).Get(n), &m)
	})
	return m, err
}

// Models returns up to limit models of a subject, or of all subjects if it is
// empty, newest first. If before is not 0, it returns only models with a lower
// number. A negative limit means no limit.
func (s *Store) Models(subject string, before uint64, limit int) ([]Model, error) {
	var out []Model
	err := s.db.View(func(tx *bbolt.Tx) error {
		for _, value := range newest(tx.Bucket([]byte(modelsBucket)), before) {
			var m Model
			if err := decode(value, &m); err != nil {
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

// newest yields the numbered entries of a bucket in descending order, starting
// below before unless it is 0.
func newest(b *bbolt.Bucket, before uint64) func(yield func(uint64, []byte) bool) {
	return func(yield func(uint64, []byte) bool) {
		c := b.Cursor()
		k, v := c.Last()
		if before > 0 {
			if k, _ = c.Seek(number(before)); k != nil {
				k, v = c.Prev()
			} else {
				k, v = c.Last()
			}
		}
		for ; k != nil; k, v = c.Prev() {
			if !yield(binary.BigEndian.Uint64(k), v) {
				return
			}
		}
	}
}

// ModelFile returns the file of a model.
func (s *Store) ModelFile(m Model) ([]byte, error) {
	var file bytes.Buffer
	for _, digest := range m.Chunks {
		err := s.db.View(func(tx *bbolt.Tx) error {
			chunk := tx.Bucket([]byte(chunksBucket)).Get(digest)
			if sum := sha256.Sum256(chunk); !bytes.Equal(sum[:], digest) {
				return &FileError{s.path, fmt.Sprintf("a chunk of model %s is missing or damaged", m.ID), nil}
			}
			_, err := file.Write(chunk)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return file.Bytes(), nil
}
