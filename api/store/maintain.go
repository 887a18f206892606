package store

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"

	"github.com/inroad/inroad/api/outfile"
)

// Copy returns a file with a copy of the store as it is now, to be read from its
// beginning. It stands beside the store; the caller closes and removes it.
func (s *Store) Copy() (*os.File, error) {
	f, err := os.CreateTemp(filepath.Dir(s.path), filepath.Base(s.path)+".copy-*")
	if err != nil {
		return nil, full(err)
	}
	err = s.db.View(func(tx *bbolt.Tx) error {
		_, err := tx.WriteTo(f)
		return err
	})
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		_, err = f.Seek(0, 0)
	}
	if err != nil {
		return nil, errors.Join(full(err), f.Close(), os.Remove(f.Name()))
	}
	return f, nil
}

// Backup writes a copy of the store as it is now to a new file. The file appears
// when it is complete.
func (s *Store) Backup(path string) error {
	if err := checkNew(path); err != nil {
		return err
	}
	return full(outfile.Write(path, 0o600, func(w io.Writer) error {
		return s.db.View(func(tx *bbolt.Tx) error {
			_, err := tx.WriteTo(w)
			return err
		})
	}))
}

// Compact writes the store to a new file, without the space that is not in use any
// more. The file appears when it is complete.
func (s *Store) Compact(path string) error {
	if err := checkNew(path); err != nil {
		return err
	}
	temporary := fmt.Sprintf("%s.part-%d", path, os.Getpid())
	err := s.compactTo(temporary)
	if err == nil {
		err = outfile.Replace(temporary, path)
	}
	if err != nil {
		return errors.Join(full(err), removeIfThere(temporary))
	}
	return nil
}

func (s *Store) compactTo(path string) error {
	out, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: time.Second, FreelistType: bbolt.FreelistMapType})
	if err != nil {
		return err
	}
	const batch = 16 << 20
	return errors.Join(bbolt.Compact(out, s.db, batch), out.Close())
}

// checkNew refuses a name that exists, be it as a link that leads nowhere.
func checkNew(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s: %w", path, os.ErrExist)
	}
	return nil
}

func removeIfThere(path string) error {
	if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// A Report counts what a store has, and says what is wrong with it.
type Report struct {
	Grammars     int      `json:"grammars"`
	Subjects     int      `json:"subjects"`
	Observations int64    `json:"observations"`
	Models       int      `json:"models"`
	Jobs         int      `json:"jobs"`
	Keys         int      `json:"keys"`
	Unused       int      `json:"unused"` // chunks that no model refers to; no harm
	Size         int64    `json:"size"`   // bytes of the file
	Free         int64    `json:"free"`   // of them to be used again
	Faults       []string `json:"faults"`
}

// Check reads all that is in the store. Who writes waits while pages are checked.
func (s *Store) Check() (*Report, error) {
	r := &Report{Faults: []string{}}
	if err := s.checkPages(r); err != nil {
		return r, err
	}
	return r, errors.Join(s.checkGrammars(r), s.checkObservations(r), s.checkModels(r), s.checkJobs(r))
}

// checkPages sees whether each page is either in use or free. Which are free is
// known to those who write.
func (s *Store) checkPages(r *Report) error {
	tx, err := s.db.Begin(!s.db.IsReadOnly())
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // nothing was written
	r.Size = tx.Size()
	for err := range tx.Check() {
		r.fault("pages: %v", err)
	}
	r.Free = int64(s.db.Stats().FreeAlloc)
	return s.checkVersion(tx)
}

func (r *Report) fault(format string, args ...any) {
	r.Faults = append(r.Faults, fmt.Sprintf(format, args...))
}

func (s *Store) checkGrammars(r *Report) error {
	found, err := s.Grammars()
	r.Grammars = len(found)
	for _, g := range found {
		if GrammarID(g.Start, g.Sources) != g.ID {
			r.fault("grammar %s: its files are others than its id says", g.ID)
		}
	}
	return err
}

func (s *Store) checkObservations(r *Report) error {
	subjects, err := s.Subjects()
	r.Subjects = len(subjects)
	for _, subject := range subjects {
		for _, c := range subject.Commits {
			n := int64(0)
			for block, err := range s.Observations(subject.Name, c.Name) {
				if err != nil {
					r.fault("observations of %s at commit %q: %v", subject.Name, c.Name, err)
					break
				}
				n += int64(len(block))
			}
			if n != c.Observations {
				r.fault("observations of %s at commit %q: there are %d, and there should be %d", subject.Name, c.Name, n, c.Observations)
			}
			r.Observations += n
		}
	}
	return err
}

func (s *Store) checkModels(r *Report) error {
	models, err := s.Models("", 0, -1)
	if err != nil {
		return err
	}
	r.Models = len(models)
	used := map[string]bool{}
	for _, m := range models {
		if file, err := s.ModelFile(m); err != nil {
			r.fault("model %s: %v", m.ID, err)
		} else if int64(len(file)) != m.Size {
			r.fault("model %s: it has %d bytes, and should have %d", m.ID, len(file), m.Size)
		}
		if again, err := s.Model(m.ID); err != nil || again.Number != m.Number {
			r.fault("model %s: it is not found by its id", m.ID)
		}
		for _, digest := range m.Chunks {
			used[string(digest)] = true
		}
	}
	return s.db.View(func(tx *bbolt.Tx) error {
		err := tx.Bucket([]byte(chunksBucket)).ForEach(func(digest, chunk []byte) error {
			if sum := sha256.Sum256(chunk); !bytes.Equal(sum[:], digest) {
				r.fault("chunk %x: it is damaged", digest)
			}
			if !used[string(digest)] {
				r.Unused++
			}
			return nil
		})
		if err != nil {
			return err
		}
		return tx.Bucket([]byte(aliasesBucket)).ForEach(func(name, model []byte) error {
			if tx.Bucket([]byte(numbersBucket)).Get(model) == nil {
				r.fault("alias %s: there is no model %s", name, model)
			}
			return nil
		})
	})
}

func (s *Store) checkJobs(r *Report) error {
	jobs, err := s.Jobs(0, -1)
	if err != nil {
		return err
	}
	r.Jobs = len(jobs)
	for _, j := range jobs {
		if j.State != Done {
			continue
		}
		if _, err := s.Model(j.Model); err != nil {
			r.fault("job %d: %v, which it made", j.ID, err)
		}
	}
	keys, err := s.Keys()
	r.Keys = len(keys)
	return err
}
