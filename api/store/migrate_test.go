package store_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/inroad/inroad/api/store"
)

// downgrade turns a store into one of version 2, whose values have no checksums.
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

// Open migrates a store of an older layout and keeps its contents, its permissions
// and the link that leads to it.
func TestMigrate(t *testing.T) {
	path := varied(t)
	s := open(t, path)
	if _, err := s.PutModel(store.Model{ID: "large"}, make([]byte, 9<<20)); err != nil { // more than one transaction
		t.Fatal(err)
	}
	want, err := contents(s)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	downgrade(t, path)
	link := filepath.Join(t.TempDir(), "link")
	if err := errors.Join(os.Chmod(path, 0o640), os.Symlink(path, link)); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Open(path, store.Options{ReadOnly: true}); err == nil || !strings.HasSuffix(err.Error(), "layout version 2: must be 3") {
		t.Errorf("read-only: %v", err)
	}
	for _, name := range []string{link, path} {
		s = open(t, name)
		got, err := contents(s)
		if !reflect.DeepEqual(got, want) || err != nil {
			t.Errorf("%s: contents differ, %v", name, err)
		}
		if r, err := s.Check(); err != nil || len(r.Faults) > 0 {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
		j, err := s.NewJob(store.Job{})
		if _, known := want[fmt.Sprint("job ", j.ID)]; known || err != nil {
			t.Errorf("%s: the next job has the number %d, %v", name, j.ID, err)
		}
		if want[fmt.Sprint("job ", j.ID)], err = s.Job(j.ID); err != nil {
			t.Error(err)
		}
		s.Close()
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
	if err := s.PutAlias(store.Alias{Name: "a", Model: "m"}); err != nil {
		t.Error(err)
	}
	if err := reopen(t, s, path).Ping(); err != nil {
		t.Error(err)
	}
}
