// Package bolt is a [store.Store] in one file.
//
// [Open] opens the file for one process at a time. When a call returns, its data
// is on disk and survives a crash. Returned values are copies: no transaction
// stays open between calls.
//
// The file is a bbolt database. Its buckets:
//
//	meta              version -> version of this layout
//	                  state -> number of all other values, sum of their checksums,
//	                           last sequence number
//	grammars          id -> Grammar without its sources
//	grammar_sources   id -> sources of the grammar
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
//	key_log           number -> Event
//	campaigns         number -> Campaign
//	campaign_data
//	  NUMBER
//	    request       request that created the campaign
//	    units         units of the program at the creation
//	    history       points of the campaign's history
//	    leases        id of an input -> Lease
//	    log           number -> observations that were told, compressed
//	    told          id of an input -> number in the log
//	policies          subject -> Policy
//	features          cached features of observations
//	  SET             digest of the program, its commit and how they were extracted
//	    info          program, commit and size
//	    blocks        number -> digest of the block of observations, its features, compressed
//
// Numbers are big-endian and increase, so keys are in order of creation. The first
// byte of a CBOR value is its format; in blocks, CBOR is compressed with zstd. Every
// value ends with a checksum of the names of its buckets, its key and its content,
// which every read verifies. The state tells [Store.Check] whether values are missing.
package bolt

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"go.etcd.io/bbolt"

	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/internal/encoding"
)

// Version is the version of the layout. Open migrates older versions.
const Version = 3

// A FileError reports a file that is not a store, or that is damaged.
type FileError struct {
	Path, Reason string // the reason may be empty if there is an error
	Err          error  // may be nil
}

func (e *FileError) Error() string {
	switch {
	case e.Err == nil:
		return fmt.Sprintf("%s: %s", e.Path, e.Reason)
	case e.Reason == "":
		return fmt.Sprintf("%s: %v", e.Path, e.Err)
	}
	return fmt.Sprintf("%s: %s: %v", e.Path, e.Reason, e.Err)
}

// Unwrap returns the underlying error, if any.
func (e *FileError) Unwrap() error { return e.Err }

// Is reports whether target is [store.ErrUnreadable].
func (e *FileError) Is(target error) bool { return target == store.ErrUnreadable }

// A Store is an open store. It is safe for concurrent use.
type Store struct {
	db   *bbolt.DB
	file *os.File // of db
	path string
	now  func() time.Time

	blocks *encoding.Blocks

	damaged bool                  // outside the data; only if opened read-only
	writing chan struct{}         // holds an element while update runs
	failure atomic.Pointer[error] // that stopped the store
	stuck   atomic.Pointer[error] // with which bbolt panicked while it held its locks
}

// Names of the top-level buckets, and of the keys in meta.
const (
	metaBucket                          = "meta"
	grammarsBucket                      = "grammars"
	sourcesBucket                       = "grammar_sources" // since version 3
	subjectsBucket                      = "subjects"
	modelsBucket                        = "models"
	numbersBucket                       = "model_numbers"
	chunksBucket                        = "chunks"
	aliasesBucket                       = "aliases" // since version 2
	jobsBucket                          = "jobs"
	keysBucket                          = "keys"                       // since version 2
	keyLogBucket                        = "key_log"                    // since version 3
	campaignsBucket, campaignDataBucket = "campaigns", "campaign_data" // may be missing in version 3
	policiesBucket                      = "policies"                   // may be missing in version 3
	featuresBucket                      = "features"                   // may be missing in version 3
	versionKey                          = "version"
	stateKey                            = "state" // since version 3
)

// buckets returns the names of the top-level buckets.
func buckets() []string {
	return []string{metaBucket, grammarsBucket, sourcesBucket, subjectsBucket, modelsBucket, numbersBucket, chunksBucket, aliasesBucket, jobsBucket, keysBucket, keyLogBucket}
}

// addBuckets creates the buckets that were added to this version of the layout after
// its first release.
func (s *Store) addBuckets(ctx context.Context) error {
	missing := false
	err := s.view(ctx, func(tx *txn) error {
		for _, name := range addedBuckets() {
			missing = missing || tx.bucket(name) == nil
		}
		return nil
	})
	if err != nil || !missing {
		return err
	}
	return s.update(ctx, func(tx *txn) error {
		for _, name := range addedBuckets() {
			if _, err := tx.bolt.CreateBucketIfNotExists([]byte(name)); err != nil {
				return err
			}
		}
		return nil
	})
}

// addedBuckets returns the names of the top-level buckets that may be missing in a store
// that is opened read-only.
func addedBuckets() []string {
	return []string{campaignsBucket, campaignDataBucket, policiesBucket, featuresBucket}
}

// version returns the version of the layout.
func (s *Store) version(ctx context.Context) (version uint64, err error) {
	err = s.view(ctx, func(tx *txn) error {
		version, err = tx.version()
		return err
	})
	return version, err
}

func (t *txn) version() (uint64, error) {
	meta := t.bucket(metaBucket)
	if meta == nil {
		return 0, &FileError{t.path, "not an inroad store", nil}
	}
	value := meta.bolt.Get([]byte(versionKey))
	summed := len(value) != len(number(0)) // since version 3
	if summed {
		var err error
		if value, err = meta.get([]byte(versionKey)); err != nil {
			return 0, err
		}
	}
	if len(value) != len(number(0)) || !summed && bytes.Equal(value, number(Version)) {
		return 0, &FileError{t.path, fmt.Sprintf("malformed layout version %x", value), nil}
	}
	return binary.BigEndian.Uint64(value), nil
}

// checkVersion returns an error unless the store has this layout.
func (s *Store) checkVersion(tx *txn) error {
	version, err := tx.version()
	if err != nil {
		return err
	}
	if version != Version {
		return &FileError{s.path, fmt.Sprintf("layout version %d: must be %d", version, Version), nil}
	}
	for _, name := range buckets() {
		if tx.bucket(name) == nil {
			return &FileError{s.path, fmt.Sprintf("bucket %s is missing", name), nil}
		}
	}
	return nil
}

// Close closes the store. It waits for calls in progress.
func (s *Store) Close() error {
	s.blocks.Close()
	if s.stuck.Load() != nil {
		return s.file.Close() // bbolt would wait for its own lock
	}
	return s.db.Close()
}

// Ping returns an error if the store cannot be read.
func (s *Store) Ping(ctx context.Context) error { return s.view(ctx, s.checkVersion) }

// Size returns the size of the file in bytes.
func (s *Store) Size() int64 {
	var size int64
	_ = s.view(context.Background(), func(tx *txn) error { // fails only if the store is closed
		size = tx.bolt.Size()
		return nil
	})
	return size
}

// Failure returns an error that wraps [store.ErrStopped] and its cause once a write to
// the file has failed, and nil before.
func (s *Store) Failure() error {
	if err := s.failure.Load(); err != nil {
		return *err
	}
	return nil
}

// stop makes all later writes fail.
func (s *Store) stop(cause error) {
	err := fmt.Errorf("%s: %w: %w", s.path, store.ErrStopped, cause)
	s.failure.CompareAndSwap(nil, &err)
}

// rolledBack reports whether a transaction failed because there was no space for its
// pages. Nothing refers to them, so the store is as before. A sync that fails for
// lack of space is different: it may have lost pages.
func rolledBack(err error) bool {
	if !errors.Is(wrapFull(err), store.ErrFull) {
		return false
	}
	_, write := errors.AsType[*fs.PathError](err)
	return write || strings.HasPrefix(err.Error(), "file resize error: ") // bbolt returns only the text
}

// wrapFull wraps an error in [store.ErrFull] if a full disk caused it. When bbolt cannot
// grow its file, it returns only the text of the system's error.
func wrapFull(err error) error {
	if err == nil {
		return nil
	}
	for _, reason := range []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} {
		if errors.Is(err, reason) || strings.HasSuffix(err.Error(), ": "+reason.Error()) {
			return fmt.Errorf("%w: %w", store.ErrFull, err)
		}
	}
	return err
}

// number encodes n so that byte order is numeric order.
func number(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }
