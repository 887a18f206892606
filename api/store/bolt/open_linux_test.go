package bolt_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/bolt"
)

var create = flag.String("create", "", "create a store in a file, and do nothing else")

// TestMain runs as the process that [TestCreationIsSynced] traces, if asked to.
func TestMain(m *testing.M) {
	flag.Parse()
	if *create == "" {
		m.Run()
		return
	}
	s, err := bolt.Open(context.Background(), *create, bolt.Options{})
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		panic(err)
	}
}

// A FIFO has no other end here: opening it must not wait for one.
func TestOpenFIFO(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600), os.Symlink("fifo", filepath.Join(dir, "link"))); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"fifo", "link"} {
		for _, opt := range []bolt.Options{{}, {ReadOnly: true}} {
			if _, err := bolt.Open(t.Context(), filepath.Join(dir, name), opt); err == nil || !strings.HasSuffix(err.Error(), name+": not a regular file") {
				t.Errorf("%s, %+v: %v", name, opt, err)
			}
		}
	}
}

// straceTool returns the path of strace, and skips the test if it is not installed.
func straceTool(t *testing.T) string {
	t.Helper()
	tool, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed")
	}
	return tool
}

// strace runs this test as a process under strace, and returns the output of strace.
func strace(t *testing.T, options []string, args ...string) (string, error) {
	t.Helper()
	tool := straceTool(t)
	log := filepath.Join(t.TempDir(), "log")
	options = append(options, "-f", "-y", "-o", log, os.Args[0])
	out, err := exec.CommandContext(t.Context(), tool, append(options, args...)...).CombinedOutput()
	trace, _ := os.ReadFile(log)
	if len(trace) == 0 {
		t.Skipf("strace cannot trace here: %v: %s", err, out)
	}
	return string(trace), err
}

// The name of a new store is written to its folder: otherwise a power failure
// could lose the whole file.
func TestCreationIsSynced(t *testing.T) {
	dir := t.TempDir()
	folder, linked := filepath.Join(dir, "real"), filepath.Join(dir, "linked")
	if err := errors.Join(os.Mkdir(folder, 0o700), os.Mkdir(linked, 0o700), os.Symlink("../real/b.db", filepath.Join(linked, "b.db"))); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(folder, "a.db"), filepath.Join(linked, "b.db")} {
		trace, err := strace(t, []string{"-e", "trace=fsync"}, "-create", path)
		if synced := regexp.MustCompile(`fsync\(\d+<` + regexp.QuoteMeta(folder) + `>\) += 0`); err != nil || !synced.MatchString(trace) {
			t.Errorf("%s: the folder was not synced, %v:\n%s", path, err, trace)
		}
	}
}

// A disk that cannot read a page of a memory-mapped file raises a fault, as reading
// beyond the end of the file does. It becomes an error, and the process lives on.
func TestFault(t *testing.T) {
	for _, size := range []int64{0, 2 * int64(os.Getpagesize())} { // without and with the pages that each transaction reads
		path := varied(t)
		s := open(t, path)
		if err := os.Truncate(path, size); err != nil {
			t.Fatal(err)
		}
		for name, call := range map[string]func() error{
			"read":    func() error { _, err := s.Keys(t.Context()); return err },
			"write":   func() error { _, _, err := s.NewKey(t.Context(), store.Key{}); return err },
			"check":   func() error { _, err := s.Check(t.Context()); return err },
			"ping":    func() error { return s.Ping(t.Context()) },
			"backup":  func() error { return s.Backup(t.Context(), filepath.Join(t.TempDir(), "b.db")) },
			"compact": func() error { return s.Compact(t.Context(), filepath.Join(t.TempDir(), "c.db")) },
		} {
			if err := call(); err == nil {
				t.Errorf("truncated to %d bytes: %s succeeds", size, name)
			}
		}
		_ = s.Close() // must not wait
	}
}
