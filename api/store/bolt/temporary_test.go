package bolt_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/inroad/inroad/api/store/bolt"
)

// Opening a store for writing removes the temporary files that killed processes
// left next to it, and no other files.
func TestSweep(t *testing.T) {
	path := filled(t)
	dir := filepath.Dir(path)
	leftovers := []string{".s.db.123.tmp", ".s.db.4294967295.tmp"}
	others := []string{
		"s.db", "s.db.copy-1", "s.db.compacted", "s.db.123.tmp", ".s.db.tmp", ".s.db..tmp", ".s.db.12x.tmp", ".s.db.123.tmp.bak", ".t.db.123.tmp", ".s.db123",
	}
	locked, link, folder := ".s.db.7.tmp", ".s.db.8.tmp", ".s.db.9.tmp"
	for _, name := range slices.Concat(leftovers, others[1:]) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("text"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	writing, err := bbolt.Open(filepath.Join(dir, locked), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer writing.Close()
	if err := errors.Join(os.Symlink("s.db.copy-1", filepath.Join(dir, link)), os.Mkdir(filepath.Join(dir, folder), 0o700)); err != nil {
		t.Fatal(err)
	}
	names := func() []string {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	s, err := bolt.Open(t.Context(), path, bolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := names(); !slices.Contains(got, leftovers[0]) {
		t.Errorf("opened read-only: files %q", got)
	}
	s.Close()
	open(t, path).Close()
	want := slices.Sorted(slices.Values(append(others, locked, link, folder)))
	if got := names(); !slices.Equal(got, want) {
		t.Errorf("files %q, want %q", got, want)
	}
}

// A backup does not replace a store that was created while it was written.
func TestBackupNeverReplaces(t *testing.T) {
	s := open(t, filled(t))
	for name, write := range map[string]func(context.Context, string) error{"backup": s.Backup, "compact": s.Compact} {
		path := filepath.Join(t.TempDir(), "new.db")
		done := make(chan error)
		go func() { done <- write(t.Context(), path) }()
		created, err := bolt.Open(t.Context(), path, bolt.Options{})
		if err == nil {
			put(t, created, "late")
			err = created.Close()
		}
		// Either of them comes first.
		if other := <-done; err != nil || other != nil && !errors.Is(other, os.ErrExist) {
			t.Errorf("%s: %v, %v", name, err, other)
		}
		if _, err := open(t, path).Model(t.Context(), "late"); err != nil {
			t.Errorf("%s: an acknowledged model is lost: %v", name, err)
		}
	}
}
