package bolt

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/inroad/inroad/api/store"
)

// TestStop replaces the open file of a store by files that fail: the system calls of
// bbolt return real errors. The store must not write again, even if the file works
// again, and must still read.
func TestStop(t *testing.T) {
	for _, c := range []struct {
		name, path string
		flags      int
		want       error
	}{
		// Writes are accepted, and syncing them fails.
		{"sync", os.DevNull, os.O_RDWR, syscall.EINVAL},
		{"write", "", os.O_RDONLY, syscall.EBADF},
	} {
		path := filepath.Join(t.TempDir(), "s.db")
		s, err := Open(t.Context(), path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{"first", "second"} { // the second leaves free pages, so that the third needs no growth
			if _, err := s.PutModel(t.Context(), store.Model{ID: id}, []byte("file")); err != nil {
				t.Fatal(err)
			}
		}
		if c.path == "" {
			c.path = path
		}
		works, err := syscall.Dup(int(s.file.Fd()))
		if err != nil {
			t.Fatal(err)
		}
		broken, err := os.OpenFile(c.path, c.flags, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Dup3(int(broken.Fd()), int(s.file.Fd()), syscall.O_CLOEXEC); err != nil {
			t.Fatal(err)
		}
		if _, err := s.PutModel(t.Context(), store.Model{ID: "third"}, []byte("other file")); !errors.Is(err, store.ErrStopped) || !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want an error that wraps %v", c.name, err, c.want)
		}
		if err := syscall.Dup3(works, int(s.file.Fd()), syscall.O_CLOEXEC); err != nil {
			t.Fatal(err)
		}
		if _, err := s.NewJob(t.Context(), store.Job{}); !errors.Is(err, store.ErrStopped) {
			t.Errorf("%s: a later write: %v", c.name, err)
		}
		if err := s.Failure(); !errors.Is(err, c.want) || !strings.HasPrefix(err.Error(), path+": ") {
			t.Errorf("%s: failure is %v", c.name, err)
		}
		if _, err := s.Model(t.Context(), "first"); err != nil {
			t.Errorf("%s: reading: %v", c.name, err)
		}
		if err := errors.Join(s.Close(), syscall.Close(works), broken.Close()); err != nil {
			t.Errorf("%s: close: %v", c.name, err)
		}
		again, err := Open(t.Context(), path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := again.NewJob(t.Context(), store.Job{}); err != nil || again.Failure() != nil {
			t.Errorf("%s: after a restart: %v, %v", c.name, err, again.Failure())
		}
		if r, err := again.Check(t.Context()); err != nil || len(r.Faults) > 0 || r.Models != 2 {
			t.Errorf("%s: after a restart: %+v, %v", c.name, r, err)
		}
		again.Close()
	}
}

// Only transactions that fail for lack of space leave the store as it was.
func TestRolledBack(t *testing.T) {
	for _, c := range []struct {
		err  error
		want bool
	}{
		{&os.PathError{Op: "write", Path: "s.db", Err: syscall.ENOSPC}, true},
		{&os.PathError{Op: "write", Path: "s.db", Err: syscall.EFBIG}, true},
		{errors.New("file resize error: truncate s.db: no space left on device"), true},
		{&os.PathError{Op: "write", Path: "s.db", Err: syscall.EIO}, false},
		{syscall.ENOSPC, false}, // fdatasync
		{errors.New("file sync error: sync s.db: no space left on device"), false},
		{syscall.EIO, false},
		{errors.New("mmap allocate error: cannot allocate memory"), false},
	} {
		if got := rolledBack(c.err); got != c.want {
			t.Errorf("%v: %v, want %v", c.err, got, c.want)
		}
	}
}
