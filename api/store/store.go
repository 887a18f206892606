// Package store keeps grammars, observations, models, jobs and keys in one file.
//
// [Open] opens the file for one process at a time. When a call returns, its data
// is on disk and survives a crash. Returned values are copies: no transaction
// stays open between calls.
//
// The file is a bbolt database. Its buckets:
//
//	meta              version -> version of this layout
//	grammars          id -> Grammar
//	subjects
//	  NAME
//	    =COMMIT
//	      info        counts
//	      units       digest of the ID -> observation.Unit
//	      seen        digest of an input -> digests of its observations, 8 bytes each
//	      blocks      number -> observations, compressed
//	models            number -> Model, with the digests of its file's chunks
//	model_numbers     id -> number
//	chunks            digest -> part of a model file
//	aliases           name -> id of a model
//	jobs              number -> Job
//	keys              id -> Key
//
// Numbers are big-endian and increase, so keys are in order of creation. The first
// byte of a value is its format; the rest is CBOR, compressed with zstd in blocks.
package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/klauspost/compress/zstd"
	"go.etcd.io/bbolt"
)

// Version is the version of the layout. Open migrates older versions.
const Version = 2

var (
	// ErrInUse is returned when another process has the store open.
	ErrInUse = errors.New("store is in use by another process")
	// ErrFull is returned when the disk is full. The store is unchanged.
	ErrFull = errors.New("no space left for the store")
	// ErrStopped is returned by every write after a write to the file failed. The
	// system may have dropped data that it had accepted, so only a restart, which
	// reads the file again, tells what is on disk. Reads continue.
	ErrStopped = errors.New("the store stopped writing after an I/O error")
)

// A NotFoundError reports a name that is not in the store.
type NotFoundError struct{ Kind, Name string }

func (e *NotFoundError) Error() string { return fmt.Sprintf("%s %s: not found", e.Kind, e.Name) }

// A FileError reports a file that is not a store, or that is damaged.
type FileError struct {
	Path, Reason string
	Err          error // may be nil
}

func (e *FileError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("%s: %s", e.Path, e.Reason)
	}
	return fmt.Sprintf("%s: %s: %v", e.Path, e.Reason, e.Err)
}

// Unwrap returns the underlying error, if any.
func (e *FileError) Unwrap() error { return e.Err }

// A Store is an open store. It is safe for concurrent use.
type Store struct {
	db   *bbolt.DB
	file *os.File // of db
	path string
	enc  *zstd.Encoder
	dec  *zstd.Decoder
	now  func() time.Time

	writing sync.Mutex            // held by update
	failure atomic.Pointer[error] // that stopped the store
}

// Names of the top-level buckets, and of the key in meta.
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

// buckets returns the names of the top-level buckets.
func buckets() []string {
	return []string{metaBucket, grammarsBucket, subjectsBucket, modelsBucket, numbersBucket, chunksBucket, aliasesBucket, jobsBucket, keysBucket}
}

// init creates the encoder and decoder, and creates or migrates the buckets.
func (s *Store) init(readOnly bool) (err error) {
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

// migrate upgrades an older layout to Version, one version at a time.
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
		return &FileError{s.path, "not an inroad store", nil}
	}
	value := meta.Get([]byte(versionKey))
	if len(value) != 8 {
		return &FileError{s.path, fmt.Sprintf("malformed layout version %x", value), nil}
	}
	if v := binary.BigEndian.Uint64(value); v != Version {
		return &FileError{s.path, fmt.Sprintf("layout version %d: must be %d", v, Version), nil}
	}
	for _, name := range buckets() {
		if tx.Bucket([]byte(name)) == nil {
			return &FileError{s.path, fmt.Sprintf("bucket %s is missing", name), nil}
		}
	}
	return nil
}

// Close closes the store. It waits for calls in progress.
func (s *Store) Close() error {
	s.dec.Close()
	return s.db.Close()
}

// Ping returns an error if the store cannot be read.
func (s *Store) Ping() error { return s.db.View(s.checkVersion) }

// Size returns the size of the file in bytes.
func (s *Store) Size() int64 {
	var size int64
	_ = s.db.View(func(tx *bbolt.Tx) error { // fails only if the store is closed
		size = tx.Size()
		return nil
	})
	return size
}

// update runs a read-write transaction.
func (s *Store) update(do func(tx *bbolt.Tx) error) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := s.Failure(); err != nil {
		return err
	}
	tx, err := s.db.Begin(true)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // unless committed
	if err := do(tx); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		if !rolledBack(err) {
			s.stop(err)
			return s.Failure()
		}
		return wrapFull(err)
	}
	return nil
}

// Failure returns an error that wraps [ErrStopped] and its cause once a write to the
// file has failed, and nil before.
func (s *Store) Failure() error {
	if err := s.failure.Load(); err != nil {
		return *err
	}
	return nil
}

// stop makes all later writes fail.
func (s *Store) stop(cause error) {
	err := fmt.Errorf("%s: %w: %w", s.path, ErrStopped, cause)
	s.failure.CompareAndSwap(nil, &err)
}

// rolledBack reports whether a transaction failed because there was no space for its
// pages. Nothing refers to them, so the store is as before. A sync that fails for
// lack of space is different: it may have lost pages.
func rolledBack(err error) bool {
	if !errors.Is(wrapFull(err), ErrFull) {
		return false
	}
	_, write := errors.AsType[*fs.PathError](err)
	return write || strings.HasPrefix(err.Error(), "file resize error: ") // bbolt returns only the text
}

// wrapFull wraps an error in [ErrFull] if a full disk caused it. When bbolt cannot
// grow its file, it returns only the text of the system's error.
func wrapFull(err error) error {
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

// number encodes n so that byte order is numeric order.
func number(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }
