package bolt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"

	"github.com/inroad/inroad/api/outfile"
	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/internal/encoding"
)

// Options are the options of [Open]. The zero value creates missing files.
type Options struct {
	ReadOnly bool
	Damaged  bool          // with ReadOnly: open a file that is damaged outside its data, or whose last change may be lost
	Existing bool          // do not create a missing file; implied by ReadOnly
	Wait     time.Duration // how long to wait for another process to close the store; 1 s if 0
}

// Open opens the store in a file. Unless opened read-only, a missing file is
// created and an older layout is migrated. A file with damaged pages is refused;
// see [Options].Damaged for an exception.
func Open(ctx context.Context, path string, opt Options) (*Store, error) {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) && !opt.ReadOnly && !opt.Existing {
		if err := createFile(ctx, path); err != nil {
			return nil, wrapFull(err)
		}
	}
	for {
		s, err := openOnce(ctx, path, opt)
		if err != nil {
			return nil, wrapFull(err)
		}
		version, err := s.version(ctx)
		if err == nil && version < Version && !opt.ReadOnly {
			// The migrated file replaces this one.
			if err = errors.Join(s.migrate(ctx, version), s.Close()); err == nil {
				continue
			}
			return nil, err
		}
		if err == nil {
			err = s.view(ctx, s.checkVersion)
		}
		if err == nil && !opt.ReadOnly {
			err = s.addBuckets(ctx)
		}
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		if !opt.ReadOnly {
			sweep(path)
		}
		return s, nil
	}
}

// openOnce opens a store of any version, and creates a new one in an empty file.
func openOnce(ctx context.Context, path string, opt Options) (*Store, error) {
	f, err := openLocked(path, opt)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if info.Size() == 0 && opt.ReadOnly {
		return nil, errors.Join(&FileError{Path: path, Reason: "empty: not an inroad store"}, f.Close())
	}
	var pages *pageReport
	if info.Size() > 0 {
		if pages, err = checkPages(f, info.Size()); err != nil {
			return nil, errors.Join(&FileError{Path: path, Err: err}, f.Close())
		}
		if faults := pages.all(); len(pages.faults) > 0 || len(faults) > 0 && (!opt.ReadOnly || !opt.Damaged) {
			return nil, errors.Join(&FileError{path, "damaged: " + strings.Join(faults, "; "), nil}, f.Close())
		}
	}
	s, err := newStore(f, path, opt)
	if err != nil {
		return nil, err
	}
	s.damaged = pages != nil && len(pages.minor) > 0
	empty := pages == nil
	if !empty && !opt.ReadOnly {
		empty, err = s.isEmpty(ctx)
	}
	if err == nil && empty {
		err = errors.Join(s.create(ctx), syncName(path))
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// createFile creates a store in a new file. The file appears when it is complete,
// so that a crash does not leave half a store.
func createFile(ctx context.Context, path string) error {
	f, err := createTemporary(path)
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: "create", Path: path, Err: e.Err}
	}
	if err != nil {
		return err
	}
	s, err := newStore(f, f.Name(), Options{})
	if err == nil {
		err = errors.Join(s.create(ctx), s.Close())
	}
	if err != nil {
		return errors.Join(err, removeIfExists(f.Name()))
	}
	if err := publish(f.Name(), path); !errors.Is(err, fs.ErrExist) { // else another process was faster
		return err
	}
	return nil
}

// isEmpty reports whether the file has no buckets: a crash interrupted its creation.
// Only a store in an empty file, or behind a link to a missing file, is created in
// place.
func (s *Store) isEmpty(ctx context.Context) (empty bool, err error) {
	err = s.view(ctx, func(tx *txn) error {
		first, _ := tx.bolt.Cursor().First()
		empty = first == nil
		return nil
	})
	return empty, err
}

// newStore returns the store in a locked file. The file is empty, or its pages are
// correct.
func newStore(f *os.File, path string, opt Options) (*Store, error) {
	s := &Store{file: f, path: path, writing: make(chan struct{}, 1), now: func() time.Time { return time.Now().UTC() }}
	err := s.guard(func() (err error) {
		s.db, err = bbolt.Open(path, 0, &bbolt.Options{
			Timeout: wait(opt), ReadOnly: opt.ReadOnly, FreelistType: bbolt.FreelistMapType,
			OpenFile: func(string, int, os.FileMode) (*os.File, error) { return f, nil },
		})
		return err
	})
	if errors.Is(err, bbolterrors.ErrTimeout) {
		err = fmt.Errorf("%s: %w", path, store.ErrInUse)
	}
	if err != nil {
		_ = f.Close() // unless bbolt has closed it
		return nil, err
	}
	s.blocks, err = encoding.NewBlocks()
	if err != nil {
		return nil, errors.Join(err, s.db.Close())
	}
	return s, nil
}

// create creates the buckets of a new store.
func (s *Store) create(ctx context.Context) error {
	return s.update(ctx, func(tx *txn) error {
		for _, name := range slices.Concat(buckets(), addedBuckets()) {
			if _, err := tx.bolt.CreateBucketIfNotExists([]byte(name)); err != nil {
				return err
			}
		}
		return tx.bucket(metaBucket).put([]byte(versionKey), number(Version))
	})
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
			return nil, fmt.Errorf("%s: %w", path, store.ErrInUse)
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
