package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
)

// A timeline is the first-parent history of a repository, newest commit first.
type timeline struct {
	commits []string
	code    map[string]bool // commits that change the library's code
}

// A step is a commit that changes code, and its parent.
type step struct {
	Commit string
	Parent string
	at     int // of the parent in the timeline
}

// steps returns the newest n commits that change code and have a parent.
func (t timeline) steps(n int) []step {
	var out []step
	for i := 0; i+1 < len(t.commits) && len(out) < n; i++ {
		if t.code[t.commits[i]] {
			out = append(out, step{t.commits[i], t.commits[i+1], i + 1})
		}
	}
	return out
}

// state returns the newest commit at or before the one at an index that changed
// code: both have the same code. It is empty if the history is too short.
func (t timeline) state(at int) string {
	for ; at < len(t.commits); at++ {
		if t.code[t.commits[at]] {
			return t.commits[at]
		}
	}
	return ""
}

// A repository is a clone that git runs in.
type repository string

// cloneOf returns a clone of a checkout, which is not touched itself.
func cloneOf(ctx context.Context, checkout, dir string) (repository, error) {
	r := repository(dir)
	if _, err := r.git(ctx, "rev-parse", "--git-dir"); err == nil {
		return r, nil
	}
	out, err := exec.CommandContext(ctx, "git", "clone", "--quiet", "--shared", "--no-checkout", checkout, dir).CombinedOutput()
	if err != nil {
		return r, fmt.Errorf("git clone %s: %w: %s", checkout, err, out)
	}
	return r, nil
}

// git runs git and returns its output.
func (r repository) git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = string(r)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, &stderr)
	}
	return string(out), nil
}

// lines runs git and returns the lines of its output.
func (r repository) lines(ctx context.Context, args ...string) ([]string, error) {
	out, err := r.git(ctx, args...)
	return strings.FieldsFunc(out, func(c rune) bool { return c == '\n' }), err
}

// timeline returns the history of a revision, in which the files that match the
// pathspecs are code.
func (r repository) timeline(ctx context.Context, revision string, sources []string) (timeline, error) {
	all, err := r.lines(ctx, "rev-list", "--first-parent", revision)
	if err != nil {
		return timeline{}, err
	}
	code, err := r.lines(ctx, append([]string{"rev-list", "--first-parent", revision, "--"}, sources...)...)
	out := timeline{all, map[string]bool{}}
	for _, c := range code {
		out.code[c] = true
	}
	return out, err
}

// checkOut replaces the work tree of the clone.
func (r repository) checkOut(ctx context.Context, commit string) error {
	if _, err := r.git(ctx, "checkout", "--quiet", "--force", "--detach", commit); err != nil {
		return err
	}
	_, err := r.git(ctx, "clean", "-ffdxq")
	return err
}

// export writes the files of a commit into a folder.
func (r repository) export(ctx context.Context, commit, dir string) error {
	_, err := r.git(ctx, "--work-tree="+dir, "checkout", "--quiet", "--force", commit, "--", ".")
	return err
}
