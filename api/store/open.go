package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"

	"github.com/inroad/inroad/api/outfile"
)

// Options are the options of [Open]. The zero value creates missing files.
type Options struct {
	ReadOnly bool
	Existing bool          // do not create a missing file; implied by ReadOnly
	Wait     time.Duration // how long to wait for another process to close the store; 1 s if 0
}

// Open opens the store in a file. Unless opened read-only, a missing file is
// created and an older layout is migrated.
func Open(path string, opt Options) (*Store, error) {
	f, err := openLocked(path, opt)
	if err != nil {
		return nil, wrapFull(err)
	}
	created, err := checkSize(f)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	db, err := bbolt.Open(path, 0, &bbolt.Options{
		Timeout: wait(opt), ReadOnly: opt.ReadOnly, FreelistType: bbolt.FreelistMapType,
		OpenFile: func(string, int, os.FileMode) (*os.File, error) { return f, nil }, // bbolt closes it
	})
	switch {
	case errors.Is(err, bbolterrors.ErrTimeout):
		return nil, fmt.Errorf("%s: %w", path, ErrInUse)
	case errors.Is(err, bbolterrors.ErrInvalid), errors.Is(err, bbolterrors.ErrChecksum), errors.Is(err, bbolterrors.ErrVersionMismatch):
		return nil, &FileError{path, "not an inroad store", err}
	case err != nil:
		return nil, wrapFull(err)
	}
	s := &Store{db: db, file: f, path: path, now: func() time.Time { return time.Now().UTC() }}
	err = s.init(opt.ReadOnly)
	if err == nil && created {
		err = syncName(path)
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return s, nil
}

func wait(opt Options) time.Duration {
	if opt.Wait == 0 {
		return time.Second
	}
	return opt.Wait
}

// openLocked opens and locks the file of a store. Another process may replace the
// file while this one waits for the lock, as a compaction does; then openLocked
// starts again with the new file.
func openLocked(path string, opt Options) (*os.File, error) {
	deadline := time.Now().Add(wait(opt))
	for {
		f, err := openRegular(path, opt)
		if err != nil {
			return nil, err
		}
		if err = lock(f, !opt.ReadOnly, deadline); err == nil {
			var current bool
			if current, err = hasName(f, path); current {
				return f, nil
			}
		}
		switch err = errors.Join(err, f.Close()); {
		case err != nil:
			return nil, err
		case time.Now().After(deadline):
			return nil, fmt.Errorf("%s: %w", path, ErrInUse)
		}
	}
}

// openRegular opens a regular file. Opening a FIFO would wait for its other end.
func openRegular(path string, opt Options) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, &FileError{path, "not a regular file", nil}
	}
	flags := os.O_RDWR | os.O_CREATE
	switch {
	case opt.ReadOnly:
		flags = os.O_RDONLY
	case opt.Existing:
		flags = os.O_RDWR
	}
	const private = 0o600
	return os.OpenFile(path, flags|syscall.O_NONBLOCK, private)
}

// hasName reports whether path leads to the open file f.
func hasName(f *os.File, path string) (bool, error) {
	opened, err := f.Stat()
	if err != nil {
		return false, err
	}
	named, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(opened, named), err
}

// syncName writes the name of a new file to disk.
func syncName(path string) error {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	return outfile.SyncFolder(filepath.Dir(target))
}

// checkSize returns an error if a file is shorter than its page count requires:
// reading a missing page of a memory-mapped file would kill the process. It reports
// whether the file is new.
func checkSize(f *os.File) (created bool, err error) {
	info, err := f.Stat()
	switch {
	case err != nil:
		return false, err
	case info.Size() == 0:
		return true, nil
	}
	var page [4096]byte
	if n, _ := f.ReadAt(page[:], 0); n < len(page) {
		return false, &FileError{f.Name(), "not an inroad store, or truncated", nil}
	}
	// The first two pages are meta pages. After a header of 16 bytes, a meta page
	// holds a magic number, the version, the page size, flags, the root (16 bytes),
	// the page of the free list, the page count and the transaction number. The meta
	// page with the higher transaction number is the valid one.
	const magic = 0xED0CDAED
	order := binary.NativeEndian
	pageSize := int64(order.Uint32(page[24:]))
	if order.Uint32(page[16:]) != magic || pageSize < 512 || pageSize > 1<<16 {
		return false, nil // bbolt reports the error
	}
	pages := int64(order.Uint64(page[56:]))
	var second [4096]byte
	if n, _ := f.ReadAt(second[:min(pageSize, 4096)], pageSize); n >= 64 && order.Uint32(second[16:]) == magic {
		if order.Uint64(second[64:]) > order.Uint64(page[64:]) {
			pages = int64(order.Uint64(second[56:]))
		}
	}
	if pages > info.Size()/pageSize {
		return false, &FileError{f.Name(), fmt.Sprintf("truncated: has %d bytes, needs %d", info.Size(), pages*pageSize), nil}
	}
	return false, nil
}
