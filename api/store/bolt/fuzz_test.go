package bolt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model/observation"
)

// small returns the path of a small store, and the store.
func small(tb testing.TB) (string, *Store) {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "s.db")
	s, err := Open(tb.Context(), path, Options{})
	if err != nil {
		tb.Fatal(err)
	}
	_, err = s.AddObservations(tb.Context(), "p", "c", []observation.Unit{{ID: "f"}}, []observation.Observation{{Input: []byte("1"), Methods: []string{"f"}}})
	if err != nil {
		tb.Fatal(err)
	}
	if _, _, err := s.PutGrammar(tb.Context(), store.Grammar{Name: "g", Sources: []grammars.Source{{Name: "g.g4", Text: "grammar g;"}}}); err != nil {
		tb.Fatal(err)
	}
	if _, _, err := s.NewKey(tb.Context(), store.Key{Name: "k"}); err != nil {
		tb.Fatal(err)
	}
	return path, s
}

// FuzzDecode decodes arbitrary values as everything that is stored.
func FuzzDecode(f *testing.F) {
	_, s := small(f)
	defer s.Close()
	for _, v := range []any{store.Grammar{Name: "g"}, store.Model{ID: "m", Chunks: [][]byte{{1}}}, store.Job{ID: 1}, store.Key{Scopes: store.Scopes()}, store.Commit{Name: "c"}, state{Entries: 1}, []grammars.Source{{Name: "a"}}, observation.Unit{ID: "f"}} {
		value, err := encode(v)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(value)
	}
	block, err := s.encodeBlock([]record{newRecord(observation.Observation{Input: []byte("1"), Methods: []string{"f"}, Failure: &observation.Failure{Type: "t"}})})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(block)
	f.Fuzz(func(t *testing.T, value []byte) {
		// What can be decoded can be stored again.
		for _, v := range []any{new(store.Grammar), new(store.Model), new(store.Job), new(store.Key), new(store.Commit), new(state), new([]grammars.Source), new(observation.Unit)} {
			if decode(value, v) == nil {
				if _, err := encode(v); err != nil {
					t.Errorf("%T: %v", v, err)
				}
			}
		}
		var records []record
		if s.decodeBlock(value, &records) == nil {
			for _, r := range records {
				_ = r.observation()
			}
		}
	})
}

// smallFile returns the file of a small store.
func smallFile(f *testing.F) []byte {
	f.Helper()
	path, s := small(f)
	if err := s.Close(); err != nil {
		f.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	return whole
}

// FuzzOpen opens arbitrary bytes as a store, or a store with changed bytes: no bytes
// stand for a whole store, and each five bytes of patch are a place and a new byte.
// It must not panic or hang, and if a check finds no fault, reading must succeed.
func FuzzOpen(f *testing.F) {
	whole := smallFile(f)
	f.Add([]byte{}, []byte{})
	f.Add([]byte("text"), []byte{})
	f.Add(whole[:len(whole)/2], []byte{})
	for page := range len(whole) / os.Getpagesize() {
		for at := range 2 {
			patch := binary.BigEndian.AppendUint32(nil, uint32(page*os.Getpagesize()+at*8))
			f.Add([]byte{}, append(patch, 0xff))
		}
	}
	f.Fuzz(func(t *testing.T, data, patch []byte) {
		if len(data) == 0 {
			data = bytes.Clone(whole)
		}
		apply(data, patch)
		path := filepath.Join(t.TempDir(), "s.db")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, opt := range []Options{{ReadOnly: true, Damaged: true}, {}} {
			s, err := Open(t.Context(), path, opt)
			if err != nil {
				continue
			}
			r, err := s.Check(t.Context())
			clean := err == nil && len(r.Faults) == 0
			if _, err := s.Subjects(t.Context()); err != nil && clean {
				t.Errorf("%+v: a check found no fault: %v", opt, err)
			}
			for _, err := range s.Observations(t.Context(), "p", "c") {
				if _, none := errors.AsType[*store.NotFoundError](err); err != nil && clean && !none {
					t.Errorf("%+v: a check found no fault: %v", opt, err)
				}
			}
			if _, err := s.NewJob(t.Context(), store.Job{}); err != nil && clean && !opt.ReadOnly {
				t.Errorf("%+v: a check found no fault: %v", opt, err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}

// apply changes bytes of data.
func apply(data, patch []byte) {
	for p := range slices.Chunk(patch, 5) {
		if len(p) == 5 {
			data[binary.BigEndian.Uint32(p)%uint32(len(data))] = p[4]
		}
	}
}

// FuzzCheckPages checks the pages of a store with changed bytes, whose meta pages have
// correct checksums nevertheless. It must not panic or hang.
func FuzzCheckPages(f *testing.F) {
	whole := smallFile(f)
	f.Add([]byte{})
	for at := 0; at < len(whole); at += 64 {
		f.Add(append(binary.BigEndian.AppendUint32(nil, uint32(at)), 0xff))
	}
	f.Fuzz(func(t *testing.T, patch []byte) {
		data := bytes.Clone(whole)
		apply(data, patch)
		for _, at := range []int{0, os.Getpagesize()} {
			page := data[at:]
			sum := fnv.New64a()
			_, _ = sum.Write(page[metaSumStart:metaSumEnd])
			binary.NativeEndian.PutUint64(page[metaSumEnd:], sum.Sum64())
		}
		report, err := checkPages(bytes.NewReader(data), int64(len(data)))
		if err == nil && len(report.all()) > 2*maxFaults+1 {
			t.Errorf("%d faults", len(report.all()))
		}
	})
}
