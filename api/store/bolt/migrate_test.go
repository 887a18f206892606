package bolt_test

import (
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/bolt"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model/observation"
)

// downgrade turns a store without grammars into one of version 2, whose values have
// no checksums.
func downgrade(t *testing.T, path string) {
	t.Helper()
	raw(t, path, func(tx *bbolt.Tx) error {
		meta := tx.Bucket([]byte("meta"))
		return errors.Join(
			tx.ForEach(func(_ []byte, b *bbolt.Bucket) error { return withoutSums(b) }),
			meta.Delete([]byte("state")), meta.Put([]byte("version"), []byte{0, 0, 0, 0, 0, 0, 0, 2}))
	})
}

func withoutSums(b *bbolt.Bucket) error {
	short := map[string][]byte{}
	err := b.ForEach(func(k, v []byte) error {
		if v == nil {
			return withoutSums(b.Bucket(k))
		}
		short[string(k)] = append([]byte{}, v[:len(v)-8]...)
		return nil
	})
	for k, v := range short {
		err = errors.Join(err, b.Put([]byte(k), v))
	}
	return err
}

// version2 returns the path of a store that the last release with layout version 2
// wrote.
func version2(t *testing.T) string {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "v2.db.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(unzipped)
	path := filepath.Join(t.TempDir(), "s.db")
	if err := errors.Join(err, os.WriteFile(path, data, 0o600)); err != nil {
		t.Fatal(err)
	}
	return path
}

// Open migrates a store of an older layout and keeps its contents, its permissions
// and the link that leads to it.
func TestMigrate(t *testing.T) {
	path := version2(t)
	link := filepath.Join(t.TempDir(), "link")
	if err := errors.Join(os.Chmod(path, 0o640), os.Symlink(path, link)); err != nil {
		t.Fatal(err)
	}
	if _, err := bolt.Open(t.Context(), path, bolt.Options{ReadOnly: true}); err == nil || !strings.HasSuffix(err.Error(), "layout version 2: must be 3") {
		t.Errorf("read-only: %v", err)
	}
	for _, name := range []string{link, path} { // migrated once
		s := open(t, name)
		if r, err := s.Check(t.Context()); err != nil || len(r.Faults) > 0 || r.Grammars != 2 || r.Observations != 9 || r.Models != 1 || r.Jobs != 1 || r.Keys != 2 {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
		got, err := contents(s)
		if err != nil {
			t.Error(err)
		}
		const id = "06ca48302a802c91cd2a15cb38e8748dd19f622b93c4a93cb38a18c9994386d5"
		grammar, _ := got["grammar 084d07846984c6d1aba117a64d619038"].(store.Grammar)
		if want := []grammars.Source{{Name: "T.g4", Text: "grammar T; r : (A | B)+ ; A : 'a' ; B : 'b' ;"}}; !reflect.DeepEqual(grammar.Sources, want) {
			t.Errorf("%s: sources %q", name, grammar.Sources)
		}
		if o, _ := got["observation p@newab"].(observation.Observation); !reflect.DeepEqual(o.Methods, []string{"f"}) {
			t.Errorf("%s: observation %+v", name, o)
		}
		if file, _ := got["file "+id].([]byte); len(file) != 900 {
			t.Errorf("%s: the model file has %d bytes", name, len(file))
		}
		if m, _ := got["named stable"].(store.Model); m.ID != id {
			t.Errorf("%s: stable is %+v", name, m)
		}
		if k, err := s.Authenticate(t.Context(), "inroad_486c98f2_fKPuW_a9bvLBvioKJCBm3-XzPqxSFIW2"); err != nil || k.Name != "ci" {
			t.Errorf("%s: key %+v, %v", name, k, err)
		}
		// Earlier changes keep their order, and later ones come after them.
		if subject, err := s.Subject(t.Context(), "p"); err != nil || subject.Commits[0].Name != "new" || subject.Commits[1].Name != "old" {
			t.Errorf("%s: commits %+v, %v", name, subject.Commits, err)
		}
		if g, err := s.Grammars(t.Context()); err != nil || g[0].Name != "T" || g[1].Name != "U" {
			t.Errorf("%s: grammars %+v, %v", name, g, err)
		}
		if keys, err := s.Keys(t.Context()); err != nil || keys[0].Name != "ci" || keys[1].Name != "other" {
			t.Errorf("%s: keys %+v, %v", name, keys, err)
		}
		s.Close()
	}
	s := open(t, path)
	if j, err := s.NewJob(t.Context(), store.Job{}); err != nil || j.ID != 2 {
		t.Errorf("the next job: %+v, %v", j, err)
	}
	if _, err := s.AddObservations(t.Context(), "p", "old", nil, nil); err != nil {
		t.Error(err)
	}
	if subject, err := s.Subject(t.Context(), "p"); err != nil || subject.Commits[0].Name != "old" {
		t.Errorf("after an update: commits %+v, %v", subject.Commits, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("permissions: %v, %v", info.Mode(), err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link: %v, %v", info.Mode(), err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) > 0 {
		t.Errorf("left-over files %v", left)
	}
}

// A large store is migrated in more than one transaction.
func TestMigrateLarge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	s := open(t, path)
	file := make([]byte, 9<<20)
	for i := range file {
		file[i] = byte(i >> 16)
	}
	if _, err := s.PutModel(t.Context(), store.Model{ID: "large"}, file); err != nil {
		t.Fatal(err)
	}
	want, err := contents(s)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	downgrade(t, path)
	s = open(t, path)
	if got, err := contents(s); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("contents differ, %v", err)
	}
	if r, err := s.Check(t.Context()); err != nil || len(r.Faults) > 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

// The first layout had neither aliases nor keys.
func TestMigrateFirst(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	s := open(t, path)
	put(t, s, "m")
	s.Close()
	downgrade(t, path)
	raw(t, path, func(tx *bbolt.Tx) error {
		return errors.Join(tx.DeleteBucket([]byte("aliases")), tx.DeleteBucket([]byte("keys")),
			tx.Bucket([]byte("meta")).Put([]byte("version"), []byte{0, 0, 0, 0, 0, 0, 0, 1}))
	})
	s = open(t, path)
	if err := s.PutAlias(t.Context(), store.Alias{Name: "a", Model: "m"}); err != nil {
		t.Error(err)
	}
	if err := reopen(t, s, path).Ping(t.Context()); err != nil {
		t.Error(err)
	}
}
