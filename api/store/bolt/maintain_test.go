package bolt_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model/observation"
)

// filled returns the path of a store with an entry of every kind.
func filled(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.db")
	s := open(t, path)
	_, _, err := s.PutGrammar(t.Context(), store.Grammar{Name: "g", Sources: []grammars.Source{{Name: "g.g4", Text: "grammar g;"}}})
	_, oerr := s.AddObservations(t.Context(), "p", "c", nil, []observation.Observation{observed("1", "m"), observed("2", "m")})
	_, merr := s.PutModel(t.Context(), store.Model{ID: "m"}, []byte("file"))
	j, jerr := s.NewJob(t.Context(), store.Job{})
	j.State, j.Model = store.Done, "m"
	_, _, kerr := s.NewKey(t.Context(), store.Key{Name: "k"})
	if err := errors.Join(err, oerr, merr, jerr, kerr, s.SaveJob(t.Context(), j), s.PutAlias(t.Context(), store.Alias{Name: "a", Model: "m"}), s.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name   string
		damage func(tx *bbolt.Tx) error
		want   string // in a fault
	}{
		{"whole", func(*bbolt.Tx) error { return nil }, ""},
		{"a model without its file", func(tx *bbolt.Tx) error {
			b := tx.Bucket([]byte("chunks"))
			key, _ := b.Cursor().First()
			return b.Delete(key)
		}, "a chunk of model m is missing or damaged"},
		{"lost observations", func(tx *bbolt.Tx) error {
			b := tx.Bucket([]byte("subjects")).Bucket([]byte("p")).Bucket([]byte("=c")).Bucket([]byte("blocks"))
			key, _ := b.Cursor().First()
			return b.Delete(key)
		}, `observations of p at commit "c": found 0, expected 2`},
		{"an alias of a missing model", func(tx *bbolt.Tx) error { return tx.Bucket([]byte("model_numbers")).Delete([]byte("m")) }, "alias a: model m: not found"},
		{"a missing key", func(tx *bbolt.Tx) error {
			b := tx.Bucket([]byte("keys"))
			key, _ := b.Cursor().First()
			return b.Delete(key)
		}, "found 13 values, expected 14"},
		{"a value under another key", func(tx *bbolt.Tx) error {
			b := tx.Bucket([]byte("jobs"))
			_, value := b.Cursor().First()
			return b.Put(make([]byte, 8), value)
		}, "bucket jobs, key 0000000000000000: damaged value"},
		{"a value without checksum", func(tx *bbolt.Tx) error { return tx.Bucket([]byte("aliases")).Put([]byte("b"), []byte("m")) }, "bucket aliases, key b: damaged value"},
		{"an altered value", func(tx *bbolt.Tx) error {
			b := tx.Bucket([]byte("grammar_sources"))
			key, value := b.Cursor().First()
			altered := strings.Replace(string(value), "grammar g;", "grammar h;", 1)
			return b.Put(key, []byte(altered))
		}, "bucket grammar_sources, key "},
		{"a grammar without sources", func(tx *bbolt.Tx) error {
			b := tx.Bucket([]byte("grammar_sources"))
			key, _ := b.Cursor().First()
			return b.Delete(key)
		}, ": its sources are missing"},
	} {
		path := filled(t)
		raw(t, path, c.damage)
		s := open(t, path)
		r, err := s.Check(t.Context())
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if c.want == "" && (len(r.Faults) != 0 || r.Grammars != 1 || r.Subjects != 1 || r.Observations != 2 || r.Models != 1 || r.Jobs != 1 || r.Keys != 1 || r.Unused != 0) {
			t.Errorf("%s: %+v", c.name, r)
		}
		if c.want != "" && !strings.Contains(strings.Join(r.Faults, "\n"), c.want) {
			t.Errorf("%s: %q, want %s", c.name, r.Faults, c.want)
		}
	}
}

// Backups and compacted stores keep the contents of the store.
func TestBackupAndCompact(t *testing.T) {
	path := filled(t)
	s := open(t, path)
	for i := range 20 { // overwritten pages leave unused space
		if _, err := s.PutModel(t.Context(), store.Model{ID: strings.Repeat("x", i+1)}, make([]byte, i<<16)); err != nil {
			t.Fatal(err)
		}
	}
	want, err := s.Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, write := range map[string]func(context.Context, string) error{"backup": s.Backup, "compact": s.Compact} {
		target := filepath.Join(t.TempDir(), "t.db")
		if err := write(t.Context(), target); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, err := open(t, target).Check(t.Context())
		if err != nil || len(got.Faults) > 0 || got.Models != want.Models || got.Observations != want.Observations || got.Keys != want.Keys || got.Grammars != want.Grammars {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, want)
		}
		if err := write(t.Context(), target); !errors.Is(err, os.ErrExist) {
			t.Errorf("%s over a file: %v", name, err)
		}
		if left, _ := filepath.Glob(target + ".*"); len(left) > 0 {
			t.Errorf("%s: left-over files %v", name, left)
		}
		if err := write(t.Context(), filepath.Join(t.TempDir(), "none", "t.db")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s into a missing folder: %v", name, err)
		}
	}
}
