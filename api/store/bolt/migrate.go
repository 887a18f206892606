package bolt

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"github.com/inroad/inroad/api/outfile"
	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/grammars"
)

// migrate replaces the file of a store with an older layout by one with the current
// layout. It copies the values into a new file, in small transactions to save memory.
// A crash leaves the old file in place.
func (s *Store) migrate(ctx context.Context, version uint64) error {
	if version < 1 {
		return &FileError{s.path, fmt.Sprintf("layout version %d: must be between 1 and %d", version, Version), nil}
	}
	target, err := filepath.EvalSymlinks(s.path)
	if err != nil {
		return err
	}
	info, err := s.file.Stat()
	if err != nil {
		return err
	}
	f, err := createTemporary(target)
	if err != nil {
		return err
	}
	to, err := newStore(f, f.Name(), Options{})
	if err == nil {
		err = errors.Join(f.Chmod(info.Mode().Perm()), s.guardLocks(func() error { return migrateTo(ctx, to, s.db) }), to.Close())
	}
	if err == nil {
		err = outfile.Replace(f.Name(), target)
	}
	if err != nil {
		return errors.Join(err, removeIfExists(f.Name()))
	}
	return nil
}

// A migration copies the values of a store with an older layout, which has no
// checksums.
type migration struct {
	to    *Store
	last  uint64 // sequence number
	batch []migrated
	size  int // bytes in batch
}

// A migrated is a change to the new store: an entry to write or, without a key, a
// bucket to create.
type migrated struct {
	path       []string
	sequence   uint64 // of the bucket, unless there is a key
	key, value []byte
}

func migrateTo(ctx context.Context, to *Store, from *bbolt.DB) error {
	if err := to.create(ctx); err != nil {
		return err
	}
	m := &migration{to: to}
	err := from.View(func(tx *bbolt.Tx) error {
		return tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
			if string(name) == metaBucket || !slices.Contains(buckets(), string(name)) {
				return nil
			}
			return m.bucket(ctx, []string{string(name)}, b)
		})
	})
	if err != nil {
		return err
	}
	if err := m.flush(ctx); err != nil {
		return err
	}
	return to.update(ctx, func(tx *txn) error {
		tx.state.Last, tx.changed = m.last, true
		return nil
	})
}

func (m *migration) bucket(ctx context.Context, path []string, b *bbolt.Bucket) error {
	if err := m.add(ctx, migrated{path: path, sequence: b.Sequence()}); err != nil {
		return err
	}
	return b.ForEach(func(key, value []byte) error {
		if value == nil {
			return m.bucket(ctx, append(slices.Clone(path), string(key)), b.Bucket(key))
		}
		return m.value(ctx, path, slices.Clone(key), value)
	})
}

// value converts an entry and adds it. Older layouts keep the sources of a grammar in
// its entry, and have no sequence numbers: they order changes by time.
func (m *migration) value(ctx context.Context, path []string, key, old []byte) error {
	var err error
	value := slices.Clone(old)
	switch {
	case path[0] == grammarsBucket:
		var sources struct {
			Sources []grammars.Source `cbor:"4,keyasint"`
		}
		if err := decode(old, &sources); err != nil {
			return err
		}
		encoded, err := encode(sources.Sources)
		if err != nil {
			return err
		}
		if err := m.add(ctx, migrated{path: []string{sourcesBucket}, key: key, value: encoded}); err != nil {
			return err
		}
		value, err = convert(old, func(g *store.Grammar) { g.Sequence = m.sequence(g.Created) })
		if err != nil {
			return err
		}
	case path[0] == keysBucket:
		value, err = convert(old, func(k *store.Key) { k.Sequence = m.sequence(k.Created) })
	case path[0] == subjectsBucket && len(path) == 3 && string(key) == infoKey:
		value, err = convert(old, func(c *store.Commit) { c.Sequence = m.sequence(c.Updated) })
	}
	if err != nil {
		return err
	}
	return m.add(ctx, migrated{path: path, key: key, value: value})
}

// convert decodes a value, changes it, and encodes it again.
func convert[T any](value []byte, change func(v *T)) ([]byte, error) {
	var v T
	if err := decode(value, &v); err != nil {
		return nil, err
	}
	change(&v)
	return encode(v)
}

// sequence returns the sequence number of a change that was made at the given time.
func (m *migration) sequence(at time.Time) uint64 {
	n := uint64(max(0, at.UnixNano()))
	m.last = max(m.last, n)
	return n
}

// add adds a change, and writes the batch if it is large enough.
func (m *migration) add(ctx context.Context, c migrated) error {
	const (
		maxSize = 4 << 20
		perItem = 128
	)
	m.batch = append(m.batch, c)
	if m.size += len(c.key) + len(c.value) + perItem; m.size < maxSize {
		return nil
	}
	return m.flush(ctx)
}

func (m *migration) flush(ctx context.Context) error {
	err := m.to.update(ctx, func(tx *txn) error {
		for _, c := range m.batch {
			b := tx.bucket(c.path[0])
			for _, name := range c.path[1:] {
				var err error
				if b, err = b.create(name); err != nil {
					return err
				}
			}
			if c.key == nil {
				if err := b.bolt.SetSequence(c.sequence); err != nil {
					return err
				}
				continue
			}
			if err := b.put(c.key, c.value); err != nil {
				return err
			}
		}
		return nil
	})
	m.batch, m.size = m.batch[:0], 0
	return err
}
