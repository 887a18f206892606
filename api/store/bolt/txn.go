package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math"
	"runtime/debug"
	"slices"
	"strconv"

	"github.com/cespare/xxhash/v2"
	"go.etcd.io/bbolt"
)

// sumSize is the size of the checksum at the end of each value.
const sumSize = 8

// A txn is a transaction. Values are read and written through its buckets, which
// verify and add checksums.
type txn struct {
	bolt    *bbolt.Tx
	path    string // of the file
	state   state  // in a read-write transaction: of the store when it is committed
	changed bool
}

// state describes the whole store. It is stored in the bucket meta, and is updated
// by every transaction that writes.
type state struct {
	Entries uint64 `cbor:"1,keyasint"` // values in the store, except this one
	Sum     uint64 `cbor:"2,keyasint"` // of their checksums, modulo 2⁶⁴
	Last    uint64 `cbor:"3,keyasint"` // sequence number
}

// sequence returns the next sequence number of the store. Sequence numbers order
// changes; clocks may jump.
func (t *txn) sequence() uint64 {
	t.changed = true
	t.state.Last++
	return t.state.Last
}

// bucket returns the top-level bucket with a name. Open has checked that it exists.
func (t *txn) bucket(name string) *bucket {
	root := bucket{tx: t, bolt: nil, prefix: []byte{0}}
	return root.open(name, t.bolt.Bucket([]byte(name)))
}

// A bucket is a bucket in a transaction.
type bucket struct {
	tx     *txn
	bolt   *bbolt.Bucket
	name   string // with the names of its parents
	prefix []byte // of the data of checksums: the number of names, and the names
}

// open wraps child, which is the bucket with a name below b, or returns nil if child is
// nil.
func (b *bucket) open(name string, child *bbolt.Bucket) *bucket {
	if child == nil {
		return nil
	}
	prefix := appendString(slices.Clone(b.prefix), []byte(name))
	prefix[0]++
	full := name
	if b.name != "" {
		full = b.name + "/" + name
	}
	return &bucket{b.tx, child, full, prefix}
}

func appendString(to, s []byte) []byte {
	return append(binary.AppendUvarint(to, uint64(len(s))), s...)
}

// child returns the bucket with a name below b, or nil if b has none.
func (b *bucket) child(name string) *bucket { return b.open(name, b.bolt.Bucket([]byte(name))) }

// part returns the bucket with a name below b. A missing bucket is an error.
func (b *bucket) part(name string) (*bucket, error) {
	if part := b.child(name); part != nil {
		return part, nil
	}
	return nil, &FileError{b.tx.path, fmt.Sprintf("bucket %s/%s is missing", b.name, name), nil}
}

// create returns the bucket with a name below b, which is created if necessary.
func (b *bucket) create(name string) (*bucket, error) {
	child, err := b.bolt.CreateBucketIfNotExists([]byte(name))
	return b.open(name, child), err
}

// children yields the names of the buckets below b.
func (b *bucket) children() iter.Seq[string] {
	return func(yield func(string) bool) {
		c := b.bolt.Cursor()
		for k, v := c.First(); k != nil; k, v = c.Next() {
			if v == nil && !yield(string(k)) {
				return
			}
		}
	}
}

// sum returns the checksum of a value. It covers the bucket and the key, so that a value
// in the wrong place counts as damaged.
func (b *bucket) sum(key, content []byte) uint64 {
	var buffer [256]byte
	h := xxhash.New()
	_, _ = h.Write(appendString(append(buffer[:0], b.prefix...), key)) // never fails
	_, _ = h.Write(content)
	return h.Sum64()
}

// verify checks the checksum of a stored value, and returns the content of the value.
func (b *bucket) verify(key, value []byte) ([]byte, error) {
	if n := len(value) - sumSize; n >= 0 && binary.BigEndian.Uint64(value[n:]) == b.sum(key, value[:n]) {
		return value[:n:n], nil
	}
	return nil, &FileError{b.tx.path, fmt.Sprintf("bucket %s, key %s: damaged value", b.name, printable(key)), nil}
}

// printable returns a key as text if it is printable, and in hexadecimal otherwise.
func printable(key []byte) string {
	for _, c := range key {
		if !strconv.IsPrint(rune(c)) || c > '~' {
			return fmt.Sprintf("%x", key)
		}
	}
	return string(key)
}

// get returns the value of a key, or nil if there is none. The value is valid until
// the transaction ends.
func (b *bucket) get(key []byte) ([]byte, error) {
	value := b.bolt.Get(key)
	if value == nil {
		return nil, nil
	}
	return b.verify(key, value)
}

// put sets the value of a key.
func (b *bucket) put(key, content []byte) error {
	if err := b.forget(key); err != nil {
		return err
	}
	sum := b.sum(key, content)
	if !b.isState(key) {
		b.tx.state.Entries++
		b.tx.state.Sum += sum
		b.tx.changed = true
	}
	return b.bolt.Put(key, binary.BigEndian.AppendUint64(slices.Clip(content), sum))
}

// delete deletes a key.
func (b *bucket) delete(key []byte) error {
	if err := b.forget(key); err != nil {
		return err
	}
	return b.bolt.Delete(key)
}

// remove deletes the bucket with a name below b, and everything in it.
func (b *bucket) remove(name string) error {
	if err := b.child(name).forgetAll(); err != nil {
		return err
	}
	return b.bolt.DeleteBucket([]byte(name))
}

// forgetAll removes all values of a bucket from the state of the store.
func (b *bucket) forgetAll() error {
	c := b.bolt.Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		var err error
		if v == nil {
			err = b.child(string(k)).forgetAll()
		} else {
			err = b.forget(k)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// forget removes the value of a key, if any, from the state of the store.
func (b *bucket) forget(key []byte) error {
	value := b.bolt.Get(key)
	if value == nil || b.isState(key) {
		return nil
	}
	if _, err := b.verify(key, value); err != nil {
		return err
	}
	b.tx.state.Entries--
	b.tx.state.Sum -= binary.BigEndian.Uint64(value[len(value)-sumSize:])
	b.tx.changed = true
	return nil
}

func (b *bucket) isState(key []byte) bool { return b.name == metaBucket && string(key) == stateKey }

// all yields the values of a bucket in the order of their keys. It ends with the
// first error.
func (b *bucket) all() iter.Seq2[entry, error] {
	return func(yield func(entry, error) bool) {
		c := b.bolt.Cursor()
		for k, v := c.First(); k != nil; k, v = c.Next() {
			if v != nil && !b.yield(k, v, yield) {
				return
			}
		}
	}
}

// An entry is a value with its key. Both are valid until the transaction ends.
type entry struct{ key, value []byte }

func (b *bucket) yield(key, value []byte, yield func(entry, error) bool) bool {
	content, err := b.verify(key, value)
	return yield(entry{key, content}, err) && err == nil
}

// newest yields the values of a bucket whose keys are numbers, highest key first. If
// before is not 0, it yields only values with lower keys. It ends with the first
// error.
func (b *bucket) newest(before uint64) iter.Seq2[entry, error] {
	return func(yield func(entry, error) bool) {
		c := b.bolt.Cursor()
		k, v := c.Last()
		if before > 0 {
			if k, _ = c.Seek(number(before)); k != nil {
				k, v = c.Prev()
			} else {
				k, v = c.Last()
			}
		}
		for ; k != nil; k, v = c.Prev() {
			if !b.yield(k, v, yield) {
				return
			}
		}
	}
}

// from returns the first entry whose key is at least key, or an empty entry if there
// is none.
func (b *bucket) from(key []byte) (entry, error) {
	k, v := b.bolt.Cursor().Seek(key)
	if k == nil {
		return entry{}, nil
	}
	content, err := b.verify(k, v)
	return entry{k, content}, err
}

// next returns the next number of a bucket whose keys are numbers. It returns an
// error if this number is in use: then the bucket's sequence number is damaged.
func (b *bucket) next() (uint64, error) {
	n, err := b.bolt.NextSequence()
	if err != nil {
		return 0, err
	}
	if last, _ := b.bolt.Cursor().Last(); last != nil && bytes.Compare(last, number(n)) >= 0 || n == math.MaxUint64 {
		return 0, &FileError{b.tx.path, fmt.Sprintf("bucket %s: damaged sequence number %d", b.name, n), nil}
	}
	return n, nil
}

// begin begins a transaction.
func (s *Store) begin(writable bool) (tx *bbolt.Tx, err error) {
	err = s.guardLocks(func() (err error) {
		tx, err = s.db.Begin(writable)
		return err
	})
	return tx, err
}

// guardLocks is guard for calls that begin a transaction. If bbolt panics in such a
// call, it keeps its locks, so later transactions must not wait for them.
func (s *Store) guardLocks(do func() error) error {
	if err := s.stuck.Load(); err != nil {
		return *err
	}
	panicked := true
	err := s.guard(func() error {
		err := do()
		panicked = false
		return err
	})
	if panicked {
		s.stuck.CompareAndSwap(nil, &err)
	}
	return err
}

// guard calls do, and turns a panic into an error. bbolt panics on damaged pages.
// Reading its memory-mapped file faults on pages that the disk cannot read.
func (s *Store) guard(do func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if cause := recover(); cause != nil {
			err = &FileError{s.path, "damaged", fmt.Errorf("%v", cause)}
		}
	}()
	return do()
}

// view runs a read-only transaction, unless ctx has ended.
func (s *Store) view(ctx context.Context, do func(tx *txn) error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	tx, err := s.begin(false)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	return s.guard(func() error { return do(&txn{bolt: tx, path: s.path}) })
}

// update runs a read-write transaction, unless ctx ends before it begins.
func (s *Store) update(ctx context.Context, do func(tx *txn) error) error {
	select {
	case s.writing <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-s.writing }()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := s.Failure(); err != nil {
		return err
	}
	tx, err := s.begin(true)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // unless committed
	panicked := true
	err = s.guard(func() error {
		err := s.change(&txn{bolt: tx, path: s.path}, do)
		panicked = false
		return err
	})
	if err != nil {
		if panicked {
			s.stop(err)
		}
		return err
	}
	if err := s.guard(tx.Commit); err != nil {
		if !rolledBack(err) {
			s.stop(err)
			return s.Failure()
		}
		return wrapFull(err)
	}
	return nil
}

// change calls do, and updates the state of the store.
func (s *Store) change(tx *txn, do func(tx *txn) error) error {
	metas := tx.bucket(metaBucket)
	if metas != nil { // else the store is new
		value, err := metas.get([]byte(stateKey))
		if err != nil {
			return err
		}
		if err := decode(value, &tx.state); err != nil {
			return errors.Join(&FileError{s.path, "bucket meta, key state: damaged value", nil}, err)
		}
	}
	if err := do(tx); err != nil || !tx.changed {
		return err
	}
	value, err := encode(tx.state)
	if err != nil {
		return err
	}
	return tx.bucket(metaBucket).put([]byte(stateKey), value)
}
