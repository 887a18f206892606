package bolt

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"

	"github.com/inroad/inroad/api/outfile"
	"github.com/inroad/inroad/api/store"
)

// Copy writes a snapshot of the store to a new file next to it, and returns that
// file at offset 0. The caller closes and removes it.
func (s *Store) Copy(ctx context.Context) (*os.File, error) {
	target, err := filepath.EvalSymlinks(s.path)
	if err != nil {
		return nil, err
	}
	f, err := createTemporary(target)
	if err != nil {
		return nil, wrapFull(err)
	}
	err = s.writeTo(ctx, f)
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		_, err = f.Seek(0, 0)
	}
	if err != nil {
		return nil, errors.Join(wrapFull(err), f.Close(), os.Remove(f.Name()))
	}
	return f, nil
}

// Backup writes a snapshot of the store to a new file, which appears once it is
// complete.
func (s *Store) Backup(ctx context.Context, path string) error {
	if s.damaged { // in pages that a compaction does not copy
		return s.Compact(ctx, path)
	}
	if err := checkNew(path); err != nil {
		return err
	}
	f, err := createTemporary(path)
	if err != nil {
		return wrapFull(err)
	}
	if err := errors.Join(s.writeTo(ctx, f), f.Close()); err != nil {
		return errors.Join(wrapFull(err), removeIfExists(f.Name()))
	}
	return publish(f.Name(), path)
}

// writeTo writes a snapshot of the store until ctx ends.
func (s *Store) writeTo(ctx context.Context, w io.Writer) error {
	err := s.view(ctx, func(tx *txn) error {
		_, err := tx.bolt.WriteTo(contextWriter{ctx, w})
		return err
	})
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx) // bbolt returns only the text
	}
	return err
}

// A contextWriter writes until its context ends.
type contextWriter struct {
	ctx context.Context // of the call
	io.Writer
}

func (w contextWriter) Write(p []byte) (int, error) {
	if w.ctx.Err() != nil {
		return 0, context.Cause(w.ctx)
	}
	return w.Writer.Write(p)
}

// Compact writes the store without its unused space to a new file, which appears
// once it is complete.
func (s *Store) Compact(ctx context.Context, path string) error {
	if err := checkNew(path); err != nil {
		return err
	}
	const private = 0o600
	compacted, err := s.compactNextTo(path, private)
	if err != nil {
		return err
	}
	return publish(compacted, path)
}

// compactNextTo writes the store without its unused space to a temporary file in
// the folder of path, and returns the name of that file.
func (s *Store) compactNextTo(path string, perm os.FileMode) (string, error) {
	f, err := createTemporary(path)
	if err != nil {
		return "", wrapFull(err)
	}
	out, err := bbolt.Open(f.Name(), 0, &bbolt.Options{
		Timeout: time.Second, FreelistType: bbolt.FreelistMapType,
		OpenFile: func(string, int, os.FileMode) (*os.File, error) { return f, nil }, // bbolt closes it
	})
	if err == nil {
		const batch = 16 << 20
		err = errors.Join(f.Chmod(perm), s.guardLocks(func() error { return bbolt.Compact(out, s.db, batch) }), out.Close())
	}
	if err != nil {
		return "", errors.Join(wrapFull(err), removeIfExists(f.Name()))
	}
	return f.Name(), nil
}

// checkNew returns an error if path exists, even as a dangling link.
func checkNew(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s: %w", path, os.ErrExist)
	}
	return nil
}

func removeIfExists(path string) error {
	if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// A Report is the result of [Store.Check].
type Report struct {
	Grammars     int      `json:"grammars"`
	Subjects     int      `json:"subjects"`
	Observations int64    `json:"observations"`
	Models       int      `json:"models"`
	Jobs         int      `json:"jobs"`
	Campaigns    int      `json:"campaigns"`
	Keys         int      `json:"keys"`
	Unused       int      `json:"unused"` // chunks without a model, which are harmless
	Size         int64    `json:"size"`   // bytes of the file
	Free         int64    `json:"free"`   // unused bytes in the file
	Faults       []string `json:"faults"`
}

// Check reads the whole store and reports faults. It blocks writers while it checks
// pages and checksums.
func (s *Store) Check(ctx context.Context) (*Report, error) {
	r := &Report{Faults: []string{}}
	if readable, err := s.checkFile(r); err != nil || !readable {
		return r, err
	}
	return r, errors.Join(s.checkGrammars(ctx, r), s.checkObservations(ctx, r), s.checkModels(ctx, r), s.checkJobs(ctx, r), s.checkCampaigns(ctx, r))
}

// checkFile checks the pages of the file, the checksums of all values, and whether
// values are missing. It reports whether all values can be read.
func (s *Store) checkFile(r *Report) (readable bool, err error) {
	tx, err := s.begin(!s.db.IsReadOnly())
	if err != nil {
		return false, err
	}
	defer func() { _ = tx.Rollback() }() // nothing was written
	info, err := s.file.Stat()
	if err != nil {
		return false, err
	}
	r.Size = tx.Size()
	pages, err := checkPages(s.file, info.Size())
	if err != nil {
		return false, &FileError{Path: s.path, Err: err}
	}
	r.Free = pages.free
	for _, fault := range pages.all() {
		r.fault("%s", fault)
	}
	if len(pages.faults) > 0 {
		return false, nil // reading them may never end
	}
	return readable, s.guard(func() error {
		t := &txn{bolt: tx, path: s.path}
		if err = s.checkVersion(t); err == nil {
			readable, err = r.checkValues(t)
		}
		return err
	})
}

// checkValues checks the checksum of each value, and the sum of all checksums. It
// reports whether all values are undamaged.
func (r *Report) checkValues(tx *txn) (bool, error) {
	var found, want state
	before := len(r.Faults)
	_ = tx.bolt.ForEach(func(name []byte, _ *bbolt.Bucket) error { // never fails
		r.checkBucket(tx.bucket(string(name)), &found)
		return nil
	})
	if len(r.Faults) > before {
		return false, nil
	}
	value, err := tx.bucket(metaBucket).get([]byte(stateKey))
	if err == nil {
		err = decode(value, &want)
	}
	switch {
	case err != nil:
		return false, &FileError{tx.path, "state", err}
	case found.Entries != want.Entries:
		r.fault("found %d values, expected %d", found.Entries, want.Entries)
	case found.Sum != want.Sum:
		r.fault("some values are of an earlier state of the store")
	}
	return true, nil
}

func (r *Report) checkBucket(b *bucket, found *state) {
	c := b.bolt.Cursor()
	for key, value := c.First(); key != nil; key, value = c.Next() {
		if value == nil {
			r.checkBucket(b.child(string(key)), found)
			continue
		}
		if _, err := b.verify(key, value); err != nil {
			r.fault("%v", err)
			continue
		}
		if !b.isState(key) {
			found.Entries++
			found.Sum += binary.BigEndian.Uint64(value[len(value)-sumSize:])
		}
	}
}

func (r *Report) fault(format string, args ...any) {
	r.Faults = append(r.Faults, fmt.Sprintf(format, args...))
}

func (s *Store) checkGrammars(ctx context.Context, r *Report) error {
	found, err := s.Grammars(ctx)
	r.Grammars = len(found)
	for _, g := range found {
		g, err := s.Grammar(ctx, g.ID)
		if err != nil {
			r.fault("%v", err)
			continue
		}
		if store.GrammarID(g.Start, g.Sources) != g.ID {
			r.fault("grammar %s: files do not match the ID", g.ID)
		}
	}
	return err
}

func (s *Store) checkObservations(ctx context.Context, r *Report) error {
	subjects, err := s.Subjects(ctx)
	r.Subjects = len(subjects)
	for _, subject := range subjects {
		for _, c := range subject.Commits {
			n := int64(0)
			for block, err := range s.Observations(ctx, subject.Name, c.Name) {
				if err != nil {
					r.fault("observations of %s at commit %q: %v", subject.Name, c.Name, err)
					break
				}
				n += int64(len(block))
			}
			if n != c.Observations {
				r.fault("observations of %s at commit %q: found %d, expected %d", subject.Name, c.Name, n, c.Observations)
			}
			r.Observations += n
		}
	}
	return err
}

func (s *Store) checkModels(ctx context.Context, r *Report) error {
	models, err := s.Models(ctx, "", 0, -1)
	if err != nil {
		return err
	}
	r.Models = len(models)
	used := map[string]bool{}
	for _, m := range models {
		if file, err := s.ModelFile(ctx, m); err != nil {
			r.fault("model %s: %v", m.ID, err)
		} else if int64(len(file)) != m.Size {
			r.fault("model %s: file has %d bytes, expected %d", m.ID, len(file), m.Size)
		}
		if again, err := s.Model(ctx, m.ID); err != nil || again.Number != m.Number {
			r.fault("model %s: not found by its ID", m.ID)
		}
		for _, digest := range m.Chunks {
			used[string(digest)] = true
		}
	}
	return s.view(ctx, func(tx *txn) error {
		for e, err := range tx.bucket(chunksBucket).all() {
			if err != nil {
				return err
			}
			if sum := sha256.Sum256(e.value); !bytes.Equal(sum[:], e.key) {
				r.fault("chunk %x: damaged", e.key)
			}
			if !used[string(e.key)] {
				r.Unused++
			}
		}
		for e, err := range tx.bucket(aliasesBucket).all() {
			if err != nil {
				return err
			}
			if n, err := tx.bucket(numbersBucket).get(e.value); err != nil || n == nil {
				r.fault("alias %s: model %s: not found", e.key, e.value)
			}
		}
		return nil
	})
}

func (s *Store) checkJobs(ctx context.Context, r *Report) error {
	jobs, err := s.Jobs(ctx, "", 0, -1)
	if err != nil {
		return err
	}
	r.Jobs = len(jobs) // their models may have been deleted
	keys, err := s.Keys(ctx)
	if err != nil {
		return err
	}
	r.Keys = len(keys)
	_, err = s.Events(ctx, 0, -1)
	return err
}

// checkCampaigns reads the requests, leases and logs of all campaigns.
func (s *Store) checkCampaigns(ctx context.Context, r *Report) error {
	campaigns, err := s.Campaigns(ctx, "", 0, -1)
	r.Campaigns = len(campaigns)
	for _, c := range campaigns {
		_, _, err := s.CampaignRequest(ctx, c.ID)
		_, leases := s.CampaignLeases(ctx, c.ID)
		_, history := s.CampaignHistory(ctx, c.ID)
		if err := errors.Join(err, leases, history); err != nil {
			r.fault("campaign %d: %v", c.ID, err)
		}
		runs := 0
		for block, err := range s.CampaignLog(ctx, c.ID, 0) {
			if err != nil {
				r.fault("campaign %d: %v", c.ID, err)
				break
			}
			runs += len(block.Told)
		}
		if runs != c.Runs {
			r.fault("campaign %d: found %d observations, expected %d", c.ID, runs, c.Runs)
		}
	}
	return err
}

// CompactFile rewrites the file of a store without the space that it no longer
// uses, and returns its size before and after. The file is locked meanwhile.
func CompactFile(ctx context.Context, path string) (before, after int64, err error) {
	s, err := Open(ctx, path, Options{Existing: true})
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	old, err := s.file.Stat()
	if err != nil {
		return 0, 0, err
	}
	// The lock is on the old file: only its holder may replace it. A process that
	// waits for the lock notices that the file was replaced.
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return 0, 0, err
	}
	compacted, err := s.compactNextTo(target, old.Mode().Perm())
	if err != nil {
		return 0, 0, err
	}
	compact, err := os.Stat(compacted)
	if err == nil {
		err = outfile.Replace(compacted, target)
	}
	if err != nil {
		return 0, 0, errors.Join(wrapFull(err), removeIfExists(compacted))
	}
	return old.Size(), compact.Size(), nil
}
