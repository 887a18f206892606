package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var long = flag.Bool("long", false, "build this repository twice, each time with an empty build cache")

// TestReproducible builds a release of one commit in two clones. A file that is not
// committed and settings of the machine must have no effect.
func TestReproducible(t *testing.T) {
	first := newRepository(t)
	second := filepath.Join(t.TempDir(), "another", "folder")
	git(t, ".", "clone", "--quiet", first, second)
	if err := os.WriteFile(filepath.Join(second, "cmd", "inroad", "extra.go"), []byte("package main\n\nfunc init() { println() }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	one := buildRelease(t, "--repository", first)
	t.Setenv("GOFLAGS", "-buildvcs=false -tags=other")
	two := buildRelease(t, "--repository", filepath.Join(second, "cmd"))
	if diff := cmp.Diff(one, two); diff != "" {
		t.Errorf("SHA256SUMS differ:\n%s", diff)
	}
	for _, want := range []string{"_" + runtime.GOOS + "_" + runtime.GOARCH, ".cdx.json\n", "  inroad_v1.2.3_"} {
		if !strings.Contains(one, want) {
			t.Errorf("SHA256SUMS without %q:\n%s", want, one)
		}
	}
}

// TestReproducibleInroad does the same with this repository, and compiles everything
// twice.
func TestReproducibleInroad(t *testing.T) {
	if !*long {
		t.Skip("takes minutes: give -long")
	}
	second := filepath.Join(t.TempDir(), "another", "folder")
	git(t, ".", "clone", "--quiet", strings.TrimSpace(git(t, ".", "rev-parse", "--show-toplevel")), second)
	t.Setenv("GOCACHE", t.TempDir())
	one := buildRelease(t)
	t.Setenv("GOCACHE", t.TempDir())
	two := buildRelease(t, "--repository", second)
	if diff := cmp.Diff(one, two); diff != "" {
		t.Errorf("SHA256SUMS differ:\n%s", diff)
	}
}

// buildRelease builds a release for this platform and returns SHA256SUMS.
func buildRelease(t *testing.T, args ...string) string {
	t.Helper()
	out := t.TempDir()
	args = append(args, "--out", out, "--platforms", runtime.GOOS+"/"+runtime.GOARCH)
	if err := run(t.Context(), args, io.Discard); err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(out, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	return string(sums)
}

// newRepository returns a repository with a tiny program, tagged v1.2.3.
func newRepository(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	files := map[string]string{
		"go.mod":             "module example.org/tiny\n\ngo 1.26.0\n",
		"cmd/inroad/main.go": "package main\n\nfunc main() {}\n",
	}
	for _, name := range documents() {
		files[name] = name + "\n"
	}
	for name, text := range files {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	git(t, folder, "init", "--quiet")
	git(t, folder, "add", "--all")
	git(t, folder, "-c", "user.name=test", "-c", "user.email=", "commit", "--quiet", "--message=all")
	git(t, folder, "tag", "v1.2.3")
	return folder
}

func git(t *testing.T, folder string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skipf("releases are built from a repository: %v", err)
	}
	text, err := output(t.Context(), folder, nil, "git", args...)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestArchives reads archives back.
func TestArchives(t *testing.T) {
	modified := time.Date(2026, 1, 2, 3, 4, 6, 0, time.FixedZone("east", 3600))
	entries := []entry{{"inroad_v1/README.md", 0o644, []byte("read")}, {"inroad_v1/inroad", 0o755, []byte("run")}}
	want := []string{
		"inroad_v1/README.md -rw-r--r-- 2026-01-02T02:04:06Z read",
		"inroad_v1/inroad -rwxr-xr-x 2026-01-02T02:04:06Z run",
	}
	for _, tt := range []struct {
		name string
		pack func(w io.Writer, entries []entry, modified time.Time) error
		list func(t *testing.T, data []byte) []string
	}{
		{"tar.gz", packTar, listTar},
		{"zip", packZip, listZip},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var archive, again bytes.Buffer
			if err := errors.Join(tt.pack(&archive, entries, modified), tt.pack(&again, entries, modified.UTC())); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(archive.Bytes(), again.Bytes()) {
				t.Error("the time zone changes the archive")
			}
			if diff := cmp.Diff(want, tt.list(t, archive.Bytes())); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func listTar(t *testing.T, data []byte) []string {
	t.Helper()
	compressed, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for archive := tar.NewReader(compressed); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		if header.Uid != 0 || header.Gid != 0 || header.Uname != "" || header.Gname != "" {
			t.Errorf("%s has an owner", header.Name)
		}
		text, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprintf("%s %s %s %s", header.Name, header.FileInfo().Mode(), header.ModTime.UTC().Format(time.RFC3339), text))
	}
}

func listZip(t *testing.T, data []byte) []string {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprintf("%s %s %s %s", f.Name, f.Mode(), f.Modified.UTC().Format(time.RFC3339), text))
	}
	return out
}

// TestSBOM expects every module of the binary with the licence from NOTICE.
func TestSBOM(t *testing.T) {
	notice := []byte("modules:\n\n  example.org/a v1.0.0 MIT AND Apache-2.0\n  example.org/b v0.1.0 LicenseRef-b\n")
	info := &debug.BuildInfo{
		GoVersion: "go1.26.8",
		Main:      debug.Module{Path: "github.com/inroad/inroad", Version: "v1.2.3"},
		Deps:      []*debug.Module{{Path: "example.org/a", Version: "v1.0.0", Sum: "h1:aaa="}, {Path: "example.org/b", Version: "v0.1.0"}},
		Settings:  []debug.BuildSetting{{Key: "vcs.time", Value: "2026-01-02T03:04:05Z"}, {Key: "GOOS", Value: "linux"}},
	}
	text, err := sbom(info, notice)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		SpecVersion  string
		SerialNumber string
		Metadata     struct {
			Timestamp string
			Component struct{ Purl string }
		}
		Components []struct {
			Purl     string
			Licenses []struct{ Expression string }
		}
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	lines := []string{got.SpecVersion, got.SerialNumber, got.Metadata.Timestamp, got.Metadata.Component.Purl}
	for _, c := range got.Components {
		lines = append(lines, c.Purl+" "+c.Licenses[0].Expression)
	}
	want := []string{
		"1.6", "", "2026-01-02T03:04:05Z", "pkg:golang/github.com/inroad/inroad@v1.2.3",
		"pkg:golang/std@1.26.8 BSD-3-Clause",
		"pkg:golang/example.org/a@v1.0.0 MIT AND Apache-2.0",
		"pkg:golang/example.org/b@v0.1.0 LicenseRef-b",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	info.Deps = slices.Insert(info.Deps, 0, &debug.Module{Path: "example.org/new", Version: "v1.0.0"})
	if _, err := sbom(info, notice); err == nil || err.Error() != "module example.org/new v1.0.0: NOTICE does not list its licence" {
		t.Errorf("a module that NOTICE does not list: got %v", err)
	}
}

// TestRefusals reads what is printed for wrong arguments.
func TestRefusals(t *testing.T) {
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "file"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args []string
		want string
	}{
		{nil, "no folder for the files: give --out FOLDER"},
		{[]string{"--out", "x", "now"}, `unexpected argument "now": give flags only`},
		{[]string{"--out", "x", "--platforms", "linux"}, `platform "linux": must be SYSTEM/MACHINE, such as linux/amd64`},
		{[]string{"--out", full}, full + ": must be empty or missing"},
	} {
		if err := run(t.Context(), tt.args, io.Discard); err == nil || err.Error() != tt.want {
			t.Errorf("%q: got %v, want %s", tt.args, err, tt.want)
		}
	}
}

// TestContainerfile expects the image of the Go version that go.mod names, which an
// older one would refuse to build.
func TestContainerfile(t *testing.T) {
	root := filepath.Join("..", "..")
	containerfile, err := os.ReadFile(filepath.Join(root, "Containerfile"))
	if err != nil {
		t.Fatal(err)
	}
	module, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`(?m)^go (\S+)$`).FindSubmatch(module)
	if version == nil {
		t.Fatal("go.mod names no version of Go")
	}
	if want := "/golang:" + string(version[1]) + " AS build\n"; !strings.Contains(string(containerfile), want) {
		t.Errorf("Containerfile has no %q", want)
	}
}
