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

// A Model says what a stored model is.
type Model struct {
	ID      string    `cbor:"1,keyasint"` // the digest of the model
	Number  uint64    `cbor:"2,keyasint"` // counts models from 1, the oldest first
	Subject string    `cbor:"3,keyasint"`
	Commit  string    `cbor:"4,keyasint"`
	Grammar string    `cbor:"5,keyasint"` // the ID of the grammar that it was trained with
	Created time.Time `cbor:"6,keyasint"`
	Size    int64     `cbor:"7,keyasint"` // of its file
	Chunks  [][]byte  `cbor:"8,keyasint"` // digests of the parts of its file
}

const (
	chunkSize = 1 << 20
	batchSize = 16 // chunks in a transaction
)

// PutModel stores the file of a model, and sets its number and when it was
// created. One that is here already stays as it is.
func (s *Store) PutModel(m Model, file []byte) (Model, error) {
	if before, err := s.Model(m.ID); err == nil {
		return before, nil
	}
	m.Created, m.Size, m.Chunks = s.now(), int64(len(file)), nil
	// Chunks that no model refers to, because the process ended in between, do no
	// harm: the next attempt finds them here.
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

// Model returns a model by its ID.
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

// Models returns up to limit models of a subject, or of all if it is empty, the
// newest first: those older than the one numbered before, if that is not 0.
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

// newest yields what a bucket has under numbers below before, or under all if
// that is 0, from the last on.
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
				return &FileError{s.path, fmt.Sprintf("a part of model %s is missing or damaged", m.ID), nil}
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
