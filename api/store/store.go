// Package store keeps grammars, observations, models, jobs and keys in one file.
//
// [Open] opens it for one process at a time. What a call has stored when it
// returns is on the disk: a crash at any moment loses nothing of it. Values that
// are returned are copies, and no call holds a transaction while its caller
// reads or writes something else.
//
// The file is a bbolt database. Its buckets:
//
//	meta              version -> the version of this layout
//	grammars          id -> Grammar
//	subjects
//	  NAME
//	    =COMMIT
//	      info        counts
//	      units       digest of the ID -> model.Unit
//	      seen        digest of an input -> digests of what was observed, 8 bytes each
//	      blocks      number -> observations, compressed
//	models            number -> Model, with the digests of its file's chunks
//	model_numbers     id -> number
//	chunks            digest -> a part of a file
//	aliases           name -> id of a model
//	jobs              number -> Job
//	keys              id -> Key
//
// Numbers are big-endian, so that their order is that of time. A value begins
// with a byte that names its format; CBOR follows, in blocks under zstd.
package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/klauspost/compress/zstd"
	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"
)

// Version is that of the layout. Older ones are migrated when they are opened.
const Version = 2

var (
	// ErrInUse tells that another process has the store open.
	ErrInUse = errors.New("the store is in use by another process")
	// ErrFull tells that the disk is full. The store is as it was before.
	ErrFull = errors.New("no space left for the store")
)

// A NotFoundError tells that the store has no such thing.
type NotFoundError struct{ Kind, Name string }

func (e *NotFoundError) Error() string { return fmt.Sprintf("there is no %s %s", e.Kind, e.Name) }

// A FileError tells that a file is no store, or a damaged one.
type FileError struct {
	Path, Reason string
	Err          error // nil if the reason says all
}

func (e *FileError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("%s: %s", e.Path, e.Reason)
	}
	return fmt.Sprintf("%s: %s: %v", e.Path, e.Reason, e.Err)
}

// Unwrap returns what is wrong in detail.
func (e *FileError) Unwrap() error { return e.Err }

// A Store is an open store. It is safe for concurrent use.
type Store struct {
	db   *bbolt.DB
	path string
	enc  *zstd.Encoder
	dec  *zstd.Decoder
	now  func() time.Time
}

// Options say how a store is opened. The zero value creates what is not there.
type Options struct {
	ReadOnly bool
	Wait     time.Duration // for another process to close it; a second if 0
}

// names of the buckets.
const (
	metaBucket     = "meta"
	grammarsBucket = "grammars"
	subjectsBucket = "subjects"
	modelsBucket   = "models"
	numbersBucket  = "model_numbers"
	chunksBucket   = "chunks"
	aliasesBucket  = "aliases" // since version 2
	jobsBucket     = "jobs"
	keysBucket     = "keys" // since version 2
	versionKey     = "version"
)

// buckets lists those of the first level.
func buckets() []string {
	return []string{metaBucket, grammarsBucket, subjectsBucket, modelsBucket, numbersBucket, chunksBucket, aliasesBucket, jobsBucket, keysBucket}
}

// Open opens the store in a file, and makes one if there is none.
func Open(path string, opt Options) (*Store, error) {
	if err := checkSize(path); err != nil && (opt.ReadOnly || !errors.Is(err, fs.ErrNotExist)) {
		return nil, err
	}
	wait := opt.Wait
	if wait == 0 {
		wait = time.Second
	}
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: wait, ReadOnly: opt.ReadOnly, FreelistType: bbolt.FreelistMapType})
	switch {
	case errors.Is(err, bbolterrors.ErrTimeout):
		return nil, fmt.Errorf("%s: %w", path, ErrInUse)
	case errors.Is(err, bbolterrors.ErrInvalid), errors.Is(err, bbolterrors.ErrChecksum), errors.Is(err, bbolterrors.ErrVersionMismatch):
		return nil, &FileError{path, "it is no store", err}
	case err != nil:
		return nil, full(err)
	}
	s := &Store{db: db, path: path, now: func() time.Time { return time.Now().UTC() }}
	if err := s.begin(opt.ReadOnly); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return s, nil
}

// begin makes what a store needs to have.
func (s *Store) begin(readOnly bool) (err error) {
	s.enc, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedDefault))
	if err != nil {
		return err
	}
	s.dec, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxBlock))
	if err != nil {
		return err
	}
	if readOnly {
		return s.db.View(s.checkVersion)
	}
	return s.update(func(tx *bbolt.Tx) error {
		if tx.Bucket([]byte(metaBucket)) != nil {
			return s.migrate(tx)
		}
		for _, name := range buckets() {
			if _, err := tx.CreateBucketIfNotExists([]byte(name)); err != nil {
				return err
			}
		}
		return tx.Bucket([]byte(metaBucket)).Put([]byte(versionKey), number(Version))
	})
}

// migrate brings an older layout to the present one, a version at a time.
func (s *Store) migrate(tx *bbolt.Tx) error {
	meta := tx.Bucket([]byte(metaBucket))
	if bytes.Equal(meta.Get([]byte(versionKey)), number(1)) {
		for _, name := range []string{aliasesBucket, keysBucket} {
			if _, err := tx.CreateBucketIfNotExists([]byte(name)); err != nil {
				return err
			}
		}
		if err := meta.Put([]byte(versionKey), number(2)); err != nil {
			return err
		}
	}
	return s.checkVersion(tx)
}

func (s *Store) checkVersion(tx *bbolt.Tx) error {
	meta := tx.Bucket([]byte(metaBucket))
	if meta == nil {
		return &FileError{s.path, "it is no store of inroad", nil}
	}
	value := meta.Get([]byte(versionKey))
	if len(value) != 8 || binary.BigEndian.Uint64(value) != Version {
		return &FileError{s.path, fmt.Sprintf("its layout has version %x, which this program does not know; it knows %d", value, Version), nil}
	}
	for _, name := range buckets() {
		if tx.Bucket([]byte(name)) == nil {
			return &FileError{s.path, fmt.Sprintf("it has no bucket %s", name), nil}
		}
	}
	return nil
}

// Close closes the store once all calls have returned.
func (s *Store) Close() error {
	s.dec.Close()
	return s.db.Close()
}

// Ping reports whether the store can be read.
func (s *Store) Ping() error { return s.db.View(s.checkVersion) }

// Size returns the size of the file.
func (s *Store) Size() int64 {
	var size int64
	_ = s.db.View(func(tx *bbolt.Tx) error { // no error but that it is closed
		size = tx.Size()
		return nil
	})
	return size
}

// update runs a transaction that writes.
func (s *Store) update(do func(tx *bbolt.Tx) error) error { return full(s.db.Update(do)) }

// full says of an error that it is a full disk, if it is. Where a file cannot be
// made larger bbolt has only the text of the system's error.
func full(err error) error {
	if err == nil {
		return nil
	}
	for _, reason := range []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} {
		if errors.Is(err, reason) || strings.HasSuffix(err.Error(), ": "+reason.Error()) {
			return fmt.Errorf("%w: %w", ErrFull, err)
		}
	}
	return err
}

// number returns a key or value that orders as the number does.
func number(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// checkSize sees whether a file has all the pages that it says it has. Where it
// has not, because it was cut off, reading a page would end the process.
func checkSize(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	info, err := f.Stat()
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return &FileError{path, "it is no file", nil}
	case info.Size() == 0: // to be made
		return nil
	}
	var page [4096]byte
	if n, _ := f.ReadAt(page[:], 0); n < len(page) {
		return &FileError{path, "it is no store, or was cut off", nil}
	}
	// A page has 16 bytes before what it holds. A meta page holds a magic number,
	// a version, the size of a page, flags, the root (16 bytes), the list of free
	// pages, and how many pages there are. There are two: the one that is written
	// last holds the most.
	const magic = 0xED0CDAED
	order := binary.NativeEndian
	pageSize := int64(order.Uint32(page[24:]))
	if order.Uint32(page[16:]) != magic || pageSize < 512 || pageSize > 1<<16 {
		return nil // bbolt says what it thinks of it
	}
	pages := int64(order.Uint64(page[56:]))
	var second [4096]byte
	if n, _ := f.ReadAt(second[:min(pageSize, 4096)], pageSize); n >= 64 && order.Uint32(second[16:]) == magic {
		if order.Uint64(second[64:]) > order.Uint64(page[64:]) { // the later transaction
			pages = int64(order.Uint64(second[56:]))
		}
	}
	if pages > info.Size()/pageSize {
		return &FileError{path, fmt.Sprintf("it was cut off: it has %d bytes and needs %d", info.Size(), pages*pageSize), nil}
	}
	return nil
}
