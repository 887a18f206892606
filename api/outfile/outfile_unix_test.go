//go:build !windows

package outfile_test

import (
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/api/outfile"
)

// TestMain runs as the program that [TestStandardOutput] starts, if asked to.
func TestMain(m *testing.M) {
	if name := os.Getenv("INROAD_TEST_OUTPUT"); name != "" { //nolint:forbidigo // the test is its own child
		_, err := os.Stdout.WriteString("before\n")
		err = errors.Join(err, outfile.Write(name, 0o644, text("written\n")))
		_, last := os.Stdout.WriteString("after\n")
		if err := errors.Join(err, last); err != nil {
			panic(err)
		}
		return
	}
	m.Run()
}

// A FIFO stands for every file that must not be replaced; devices are not at risk in this test.
func TestFIFO(t *testing.T) {
	for _, name := range []string{"fifo", "link"} {
		dir := t.TempDir()
		fifo := filepath.Join(dir, "fifo")
		if err := errors.Join(syscall.Mkfifo(fifo, 0o600), os.Symlink("fifo", filepath.Join(dir, "link"))); err != nil {
			t.Fatal(err)
		}
		read := make(chan string, 1)
		go func() {
			file, err := os.Open(fifo)
			if err != nil {
				read <- err.Error()
				return
			}
			defer file.Close()
			text, _ := io.ReadAll(file)
			read <- string(text)
		}()
		if err := outfile.Write(filepath.Join(dir, name), 0o644, text("new")); err != nil {
			t.Fatal(err)
		}
		if got := <-read; got != "new" {
			t.Errorf("%s: read %q", name, got)
		}
		if diff := cmp.Diff(map[string]string{"fifo": fs.ModeNamedPipe.String(), "link": "-> fifo"}, contents(t, dir)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
}

func TestReplaceRefuses(t *testing.T) {
	dir := t.TempDir()
	fifo, temporary := filepath.Join(dir, "fifo"), filepath.Join(dir, "temporary")
	if err := errors.Join(syscall.Mkfifo(fifo, 0o600), os.WriteFile(temporary, []byte("new"), 0o600)); err != nil {
		t.Fatal(err)
	}
	before := contents(t, dir)
	if err := outfile.Replace(temporary, fifo); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("got error %v", err)
	}
	if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestSocket(t *testing.T) {
	t.Chdir(t.TempDir()) // the name of a socket is short
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", "socket")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	before := contents(t, ".")
	if err := outfile.Write("socket", 0o644, text("new")); err == nil {
		t.Error("wrote to a socket, want an error")
	}
	if diff := cmp.Diff(before, contents(t, ".")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A device is opened and written to, and is a device afterwards.
func TestDevices(t *testing.T) {
	for name, want := range map[string]error{"/dev/full": syscall.ENOSPC, "/dev/null": nil} {
		before, err := os.Stat(name)
		if err != nil || before.Mode()&fs.ModeCharDevice == 0 {
			t.Logf("no device %s: %v", name, err)
			continue
		}
		for _, size := range []int{1, 1 << 20} {
			if err := outfile.Write(name, 0o644, text(strings.Repeat("x", size))); !errors.Is(err, want) {
				t.Errorf("%s: got error %v, want %v", name, err, want)
			}
		}
		after, err := os.Stat(name)
		if err != nil || after.Mode() != before.Mode() || !os.SameFile(before, after) {
			t.Errorf("%s was %v and is %v, %v", name, before.Mode(), after.Mode(), err)
		}
	}
}

func TestPermissions(t *testing.T) {
	umask := syscall.Umask(0o027)
	defer syscall.Umask(umask)
	dir := t.TempDir()
	old := filepath.Join(dir, "old")
	if err := errors.Join(os.WriteFile(old, nil, 0o600), os.Chmod(old, 0o606)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]fs.FileMode{"old": 0o606, "new": 0o640} {
		file := filepath.Join(dir, name)
		if err := outfile.Write(file, 0o644, text("new")); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(file); err != nil || info.Mode() != want {
			t.Errorf("%s: got mode %v, %v; want %v", name, info.Mode(), err, want)
		}
	}
}

func TestReadOnlyFolder(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("permissions of folders do not apply to root")
	}
	dir := t.TempDir()
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "old"), []byte("text"), 0o600), os.Chmod(dir, 0o500)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o700) }) // or it could not be removed
	for _, name := range []string{"old", "new"} {
		if err := outfile.Write(filepath.Join(dir, name), 0o644, text("new")); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s: got error %v", name, err)
		}
	}
	if diff := cmp.Diff(map[string]string{"old": "text"}, contents(t, dir)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// What a program writes to /dev/stdout stands between its other output, also if
// standard output is a file.
func TestStandardOutput(t *testing.T) {
	if _, err := os.Stat("/proc/self/fd/1"); err != nil {
		t.Skipf("no /proc, so an open file has no name here: %v", err)
	}
	for _, name := range []string{"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"} {
		for mode, flags := range map[string]int{"truncated": os.O_TRUNC, "appended to": os.O_APPEND} {
			file, err := os.CreateTemp(t.TempDir(), "out")
			if err != nil {
				t.Fatal(err)
			}
			file.Close()
			out, err := os.OpenFile(file.Name(), os.O_WRONLY|flags, 0)
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Env = append(cmd.Environ(), "INROAD_TEST_OUTPUT="+name)
			cmd.Stdout = out
			if err := errors.Join(cmd.Run(), out.Close()); err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(file.Name()); err != nil || string(got) != "before\nwritten\nafter\n" {
				t.Errorf("%s, a file that is %s: got %q, %v", name, mode, got, err)
			}
		}
	}
}

// The previous file is there while the next one is written, so that a process
// that is killed leaves it.
func TestPreviousFileStays(t *testing.T) {
	name := filepath.Join(t.TempDir(), "out")
	if err := os.WriteFile(name, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := outfile.Create(name, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := text(strings.Repeat("x", 1<<20))(file); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(name); err != nil || string(got) != "old" {
		t.Errorf("while it is written: %q, %v", got, err)
	}
}
