package outfile_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/api/outfile"
)

// text returns a function that writes s.
func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

// contents returns the text of each regular file in a folder, and the type of everything else.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, entry := range entries {
		name := filepath.Join(dir, entry.Name())
		switch {
		case entry.Type().IsRegular():
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			out[entry.Name()] = string(text)
		case entry.Type() == fs.ModeSymlink:
			target, err := os.Readlink(name)
			if err != nil {
				t.Fatal(err)
			}
			out[entry.Name()] = "-> " + target
		default:
			out[entry.Name()] = entry.Type().String()
		}
	}
	return out
}

func TestWrite(t *testing.T) {
	for _, tc := range []struct {
		name    string
		prepare func(dir string) error
		file    string
		want    map[string]string
	}{
		{
			"a new file", func(string) error { return nil }, "out",
			map[string]string{"out": "new"},
		},
		{
			"an existing file", func(dir string) error { return os.WriteFile(filepath.Join(dir, "out"), []byte("a longer text"), 0o600) }, "out",
			map[string]string{"out": "new"},
		},
		{
			"a link", func(dir string) error {
				return errors.Join(os.WriteFile(filepath.Join(dir, "real"), []byte("old"), 0o600), os.Symlink("real", filepath.Join(dir, "out")))
			}, "out",
			map[string]string{"real": "new", "out": "-> real"},
		},
		{
			"a link to a link", func(dir string) error {
				return errors.Join(os.WriteFile(filepath.Join(dir, "real"), nil, 0o600),
					os.Symlink("real", filepath.Join(dir, "first")), os.Symlink("first", filepath.Join(dir, "out")))
			}, "out",
			map[string]string{"real": "new", "first": "-> real", "out": "-> first"},
		},
		{
			"a dangling link", func(dir string) error { return os.Symlink("real", filepath.Join(dir, "out")) }, "out",
			map[string]string{"real": "new", "out": "-> real"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := tc.prepare(dir); err != nil {
				t.Fatal(err)
			}
			if err := outfile.Write(filepath.Join(dir, tc.file), 0o644, text("new")); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, contents(t, dir)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestLinkThroughFolder follows a link whose target passes through a linked
// folder: the .. after that folder is not the folder that has the link.
func TestLinkThroughFolder(t *testing.T) {
	dir := t.TempDir()
	err := errors.Join(
		os.MkdirAll(filepath.Join(dir, "far", "deep"), 0o755),
		os.Symlink(filepath.Join("far", "deep"), filepath.Join(dir, "near")),
		os.Symlink("near/../real", filepath.Join(dir, "out")))
	if err != nil {
		t.Fatal(err)
	}
	if err := outfile.Write(filepath.Join(dir, "out"), 0o644, text("new")); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "far", "real")); err != nil || string(got) != "new" {
		t.Errorf("got %q, %v", got, err)
	}
}

// A write that does not succeed leaves the folder as it was.
func TestWriteFails(t *testing.T) {
	broken := errors.New("interrupted")
	for name, write := range map[string]func(io.Writer) error{
		"at once": func(io.Writer) error { return broken },
		"after more than the buffer holds": func(w io.Writer) error {
			return errors.Join(text(strings.Repeat("x", 1<<20))(w), broken)
		},
	} {
		for _, file := range []string{"old", "new", "link", "dangling"} {
			dir := t.TempDir()
			err := errors.Join(os.WriteFile(filepath.Join(dir, "old"), []byte("text"), 0o600),
				os.Symlink("old", filepath.Join(dir, "link")), os.Symlink("none", filepath.Join(dir, "dangling")))
			if err != nil {
				t.Fatal(err)
			}
			want := contents(t, dir)
			if err := outfile.Write(filepath.Join(dir, file), 0o644, write); !errors.Is(err, broken) {
				t.Errorf("%s, %s: got error %v", name, file, err)
			}
			if diff := cmp.Diff(want, contents(t, dir)); diff != "" {
				t.Errorf("%s, %s: -want +got:\n%s", name, file, diff)
			}
		}
	}
}

func TestWritePanics(t *testing.T) {
	dir := t.TempDir()
	func() {
		defer func() { _ = recover() }()
		_ = outfile.Write(filepath.Join(dir, "out"), 0o644, func(io.Writer) error { panic("a bug") })
	}()
	if left := contents(t, dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "out")
	file, err := outfile.Create(name, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	if err := text("new")(file); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before Commit: %v", err)
	}
	if err := file.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := file.Commit(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("second Commit: %v", err)
	}
	if _, err := file.Write([]byte("x")); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Write after Commit: %v", err)
	}
	if err := file.Close(); err != nil {
		t.Errorf("Close after Commit: %v", err)
	}
	if diff := cmp.Diff(map[string]string{"out": "new"}, contents(t, dir)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestRefused(t *testing.T) {
	dir := t.TempDir()
	err := errors.Join(os.Symlink("loop", filepath.Join(dir, "loop")), os.Symlink(".", filepath.Join(dir, "folder")))
	if err != nil {
		t.Fatal(err)
	}
	before := contents(t, dir)
	for name, want := range map[string]error{
		dir:                               syscall.EISDIR,
		filepath.Join(dir, "folder"):      syscall.EISDIR,
		dir + "/new/":                     syscall.EISDIR,
		filepath.Join(dir, "loop"):        syscall.ELOOP,
		filepath.Join(dir, "none", "out"): fs.ErrNotExist,
		"":                                fs.ErrNotExist,
	} {
		if err := outfile.Write(name, 0o644, text("new")); !errors.Is(err, want) {
			t.Errorf("%q: got error %v, want %v", name, err, want)
		}
		if err := outfile.Check(name); !errors.Is(err, want) {
			t.Errorf("check of %q: got error %v, want %v", name, err, want)
		}
	}
	if err := outfile.Check(filepath.Join(dir, "new")); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	err := errors.Join(os.WriteFile(filepath.Join(dir, "temporary"), []byte("new"), 0o600),
		os.WriteFile(filepath.Join(dir, "real"), []byte("old"), 0o600), os.Symlink("real", filepath.Join(dir, "out")))
	if err != nil {
		t.Fatal(err)
	}
	if err := outfile.Replace(filepath.Join(dir, "temporary"), filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"real": "new", "out": "-> real"}, contents(t, dir)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
