package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// documents returns the files of the repository that every archive contains.
func documents() []string {
	return []string{"CHANGELOG.md", "LICENSE", "NOTICE", "README.md", "SECURITY.md"}
}

// A platform is a target of a build: a GOOS and a GOARCH.
type platform struct{ system, machine string }

// parsePlatform parses a platform such as linux/amd64.
func parsePlatform(name string) (platform, error) {
	system, machine, ok := strings.Cut(name, "/")
	if !ok || system == "" || machine == "" {
		return platform{}, fmt.Errorf("platform %q: must be SYSTEM/MACHINE, such as linux/amd64", name)
	}
	return platform{system, machine}, nil
}

// A release is built from one commit of a repository.
type release struct {
	repository string
	commit     string
	out        string
	tags       string
	platforms  []platform
	log        io.Writer
}

// build writes the archives, the SBOMs and SHA256SUMS.
func (r *release) build(ctx context.Context) (err error) {
	if err := makeEmpty(r.out); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "inroad-release-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	clone := filepath.Join(scratch, "clone")
	commit, err := r.clone(ctx, clone)
	if err != nil {
		return err
	}
	digests := map[string][sha256.Size]byte{}
	for _, p := range r.platforms {
		fmt.Fprintf(r.log, "release: %s/%s\n", p.system, p.machine)
		binary := filepath.Join(scratch, "inroad")
		if err := r.compile(ctx, clone, binary, p); err != nil {
			return err
		}
		files, err := r.files(clone, binary, commit, p)
		if err != nil {
			return fmt.Errorf("%s/%s: %w", p.system, p.machine, err)
		}
		for name, data := range files {
			if err := os.WriteFile(filepath.Join(r.out, name), data, 0o666); err != nil {
				return err
			}
			digests[name] = sha256.Sum256(data)
		}
	}
	return os.WriteFile(filepath.Join(r.out, "SHA256SUMS"), checksums(digests), 0o666)
}

// makeEmpty creates a folder, and refuses one with files in it.
func makeEmpty(folder string) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	entries, err := os.ReadDir(folder)
	if err == nil && len(entries) > 0 {
		err = fmt.Errorf("%s: must be empty or missing", folder)
	}
	return err
}

// clone clones the repository into a folder, checks the commit out and returns its
// full name. Go finds a version only in a clone, not in a linked working tree.
func (r *release) clone(ctx context.Context, folder string) (string, error) {
	root, err := output(ctx, r.repository, nil, "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return "", err
	}
	commit, err := output(ctx, r.repository, nil, "git", "rev-parse", "--verify", "--end-of-options", r.commit+"^{commit}")
	if err != nil {
		return "", err
	}
	if _, err := output(ctx, root, nil, "git", "clone", "--quiet", "--no-checkout", "--", root, folder); err != nil {
		return "", err
	}
	_, err = output(ctx, folder, nil, "git", "-c", "core.autocrlf=false", "checkout", "--quiet", "--detach", commit)
	return commit, err
}

// compile builds the program for a platform. Settings of the machine that would
// change the binary are overridden.
func (r *release) compile(ctx context.Context, clone, binary string, p platform) error {
	env := []string{
		"GOOS=" + p.system, "GOARCH=" + p.machine, "GOAMD64=v1", "GOARM64=v8.0", "CGO_ENABLED=0",
		"GOFLAGS=", "GOEXPERIMENT=", "GOFIPS140=off", "GOWORK=off",
	}
	_, err := output(ctx, clone, env, "go", "build", "-trimpath", "-buildvcs=true", "-tags="+r.tags, "-o", binary, "./cmd/inroad")
	return err
}

// files returns the files of a platform by name: the archive and the SBOM.
func (r *release) files(clone, binary, commit string, p platform) (map[string][]byte, error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	if setting(info, "vcs.revision") != commit || setting(info, "vcs.modified") != "false" {
		return nil, fmt.Errorf("the binary is of commit %q, modified %q; want %s and no changes",
			setting(info, "vcs.revision"), setting(info, "vcs.modified"), commit)
	}
	modified, err := time.Parse(time.RFC3339, setting(info, "vcs.time"))
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("inroad_%s_%s_%s", info.Main.Version, p.system, p.machine)
	if r.tags != "" {
		name += "_" + strings.ReplaceAll(r.tags, ",", "_")
	}
	program, pack, extension := "inroad", packTar, ".tar.gz"
	if p.system == "windows" {
		program, pack, extension = "inroad.exe", packZip, ".zip"
	}
	var entries []entry
	var notice []byte
	for _, document := range documents() {
		data, err := os.ReadFile(filepath.Join(clone, document))
		if err != nil {
			return nil, err
		}
		if document == "NOTICE" {
			notice = data
		}
		entries = append(entries, entry{name + "/" + document, 0o644, data})
	}
	data, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	entries = append(entries, entry{name + "/" + program, 0o755, data})
	bom, err := sbom(info, notice)
	if err != nil {
		return nil, err
	}
	var archive bytes.Buffer
	if err := pack(&archive, entries, modified); err != nil {
		return nil, err
	}
	return map[string][]byte{name + extension: archive.Bytes(), name + ".cdx.json": bom}, nil
}

// setting returns a setting of a build, or "".
func setting(info *debug.BuildInfo, key string) string {
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// checksums returns digests by file name in the format of sha256sum.
func checksums(digests map[string][sha256.Size]byte) []byte {
	var lines []string
	for name, digest := range digests {
		lines = append(lines, fmt.Sprintf("%x  %s\n", digest, name))
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[2*sha256.Size:], b[2*sha256.Size:]) })
	return []byte(strings.Join(lines, ""))
}

// output runs a command in a folder and returns its output without the line end.
func output(ctx context.Context, folder string, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = folder
	cmd.Env = append(cmd.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, stderr.Bytes())
	}
	return strings.TrimRight(string(text), "\r\n"), nil
}
