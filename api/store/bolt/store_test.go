package bolt_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/bolt"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model/observation"
)

// open opens a store and closes it when the test ends.
func open(t *testing.T, path string) *bolt.Store {
	t.Helper()
	s, err := bolt.Open(t.Context(), path, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// reopen closes a store and opens it again.
func reopen(t *testing.T, s *bolt.Store, path string) *bolt.Store {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return open(t, path)
}

func observed(input string, methods ...string) observation.Observation {
	return observation.Observation{Input: []byte(input), Methods: methods, Outcome: observation.OK}
}

func TestDamagedModel(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	s := open(t, path)
	m, err := s.PutModel(t.Context(), store.Model{ID: "m"}, []byte("file"))
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	raw(t, path, func(tx *bbolt.Tx) error { return tx.Bucket([]byte("chunks")).Put(m.Chunks[0], []byte("fils")) })
	if _, err := open(t, path).ModelFile(t.Context(), m); err == nil || !strings.Contains(err.Error(), "a chunk of model m is missing or damaged") {
		t.Errorf("got %v", err)
	}
}

// raw changes the file of a store directly.
func raw(t *testing.T, path string, do func(tx *bbolt.Tx) error) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Update(do); err != nil {
		t.Fatal(err)
	}
}

func TestOpenFails(t *testing.T) {
	dir := t.TempDir()
	whole := filepath.Join(dir, "whole.db")
	s := open(t, whole)
	if _, err := s.PutModel(t.Context(), store.Model{ID: "m"}, make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	if _, err := bolt.Open(t.Context(), whole, bolt.Options{Wait: time.Millisecond}); !errors.Is(err, store.ErrInUse) {
		t.Errorf("store in use: %v", err)
	}
	s.Close()
	data, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(dir, "foreign.db")
	if db, err := bbolt.Open(foreign, 0o600, nil); err != nil || db.Close() != nil {
		t.Fatal(err)
	}
	raw(t, foreign, func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucket([]byte("meta"))
		if err != nil {
			return err
		}
		return b.Put([]byte("version"), []byte{0, 0, 0, 0, 0, 0, 0, 99})
	})
	for _, c := range []struct {
		name, path string
		data       []byte
		want       string
	}{
		{"a text", "text.db", []byte(strings.Repeat("text ", 4000)), "not an inroad store, or its first pages are damaged"},
		{"a short text", "short.db", []byte("text"), "not an inroad store, or its first pages are damaged"},
		{"truncated in the middle", "half.db", data[:len(data)/2], "truncated: has "},
		{"truncated after the first pages", "pages.db", data[:16384], "truncated: has 16384 bytes, needs "},
		{"a later version", "foreign.db", nil, "layout version 99: must be 3"},
		{"a folder", ".", nil, "not a regular file"},
	} {
		path := filepath.Join(dir, c.path)
		if c.data != nil {
			if err := os.WriteFile(path, c.data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		_, err := bolt.Open(t.Context(), path, bolt.Options{})
		if _, ok := errors.AsType[*bolt.FileError](err); !ok || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
	if _, err := bolt.Open(t.Context(), filepath.Join(dir, "none.db"), bolt.Options{ReadOnly: true}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing store, read-only: %v", err)
	}
	if _, err := bolt.Open(t.Context(), filepath.Join(dir, "none", "s.db"), bolt.Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing folder: %v", err)
	}
}

// A list of grammars does not read their sources.
func TestGrammarListIsSmall(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "s.db"))
	const count, size = 20, 1 << 20
	for i := range count {
		text := fmt.Sprintf("grammar g%d; %s", i, strings.Repeat("x", size))
		if _, _, err := s.PutGrammar(t.Context(), store.Grammar{Name: fmt.Sprint("g", i), Sources: []grammars.Source{{Name: "g.g4", Text: text}}}); err != nil {
			t.Fatal(err)
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	found, err := s.Grammars(t.Context())
	runtime.ReadMemStats(&after)
	if err != nil || len(found) != count || found[0].Name != "g0" || found[0].Sources != nil {
		t.Fatalf("%d grammars, %v", len(found), err)
	}
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > size {
		t.Errorf("allocated %d bytes for a list of %d grammars, want less than the sources of one", allocated, count)
	} else {
		t.Logf("allocated %d bytes", allocated)
	}
}
