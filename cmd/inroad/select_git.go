package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/inroad/inroad/targeting/selection"
)

// A repository is one of git. Its configuration may be somebody else's, so that
// nothing it names is run.
type repository struct {
	prefix  string // from its root to the current folder, with a slash at its end
	shallow bool
}

// git runs git and returns what it prints. What it says of its troubles becomes
// the error.
func git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{
		"--no-pager", "-c", "core.quotePath=true", "-c", "core.fsmonitor=false",
	}, args...)...)
	cmd.Env = append(cmd.Environ(), "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if _, ok := errors.AsType[*exec.ExitError](err); ok && stderr.Len() > 0 {
		first, _, _ := strings.Cut(strings.TrimSpace(stderr.String()), "\n")
		return "", fmt.Errorf("git %s: %s", args[0], first)
	}
	if err != nil {
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return stdout.String(), nil
}

// openRepository finds the repository that the current folder is in.
func openRepository(ctx context.Context) (*repository, error) {
	out, err := git(ctx, "rev-parse", "--is-shallow-repository", "--show-prefix")
	if err != nil {
		return nil, err
	}
	shallow, prefix, _ := strings.Cut(out, "\n")
	return &repository{strings.TrimSuffix(prefix, "\n"), shallow == "true"}, nil
}

// commit returns the commit that a revision names; none if there is no such.
func (r *repository) commit(ctx context.Context, revision string) (string, error) {
	out, err := git(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if _, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", nil
	}
	return strings.TrimSpace(out), err
}

// fork returns the commit at which the current one and another have parted;
// none if there is no such.
func (r *repository) fork(ctx context.Context, base string) (string, error) {
	out, err := git(ctx, "merge-base", base, "HEAD")
	if _, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", nil
	}
	return strings.TrimSpace(out), err
}

// age returns how many commits one is ahead of another.
func (r *repository) age(ctx context.Context, from, to string) (int, error) {
	out, err := git(ctx, "rev-list", "--count", from+".."+to)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(out))
}

// diff returns how the files that git knows differ from those of a commit.
func (r *repository) diff(ctx context.Context, commit string) (text string, files []selection.FileChange, err error) {
	text, err = git(ctx, "diff", "--unified=0", "--inter-hunk-context=0", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames",
		"--no-relative", "--src-prefix=a/", "--dst-prefix=b/", "-O"+os.DevNull, "--submodule=short", "--ignore-submodules=none", "--end-of-options", commit, "--")
	if err != nil {
		return "", nil, err
	}
	files, err = selection.ParseDiff(text)
	return text, files, err
}

// untracked returns the files that git does not know and was not told to ignore.
func (r *repository) untracked(ctx context.Context) ([]string, error) {
	out, err := git(ctx, "ls-files", "--others", "--exclude-standard", "--full-name", "-z", "--", ":/")
	if err != nil {
		return nil, err
	}
	return strings.FieldsFunc(out, func(c rune) bool { return c == 0 }), nil
}

// pathOf returns where a file stands in the repository.
func (r *repository) pathOf(name string) string {
	if filepath.IsAbs(name) {
		here, err := os.Getwd()
		if err != nil {
			return ""
		}
		if name, err = filepath.Rel(here, name); err != nil {
			return ""
		}
	}
	return path.Join(r.prefix, filepath.ToSlash(name))
}

// dirty is what the name of a commit ends in if the program was built with
// changes that were not committed.
const dirty = "-dirty"

// readChange finds out what changed since the base, told in lines of the commit
// that a model was trained at. No model commit is a model that is not there.
func (r *repository) readChange(ctx context.Context, base, modelCommit string, maxAge int) (*toldChange, error) {
	t := &toldChange{}
	from, err := r.begin(ctx, base, t)
	if err != nil || from == "" {
		return t, err
	}
	if t.text, t.Files, err = r.diff(ctx, from); err != nil {
		return nil, err
	}
	if t.Untracked, err = r.untracked(ctx); err != nil || modelCommit == "" {
		return t, err
	}
	clean, isDirty := strings.CutSuffix(modelCommit, dirty)
	trained, err := r.commit(ctx, clean)
	switch {
	case err != nil:
		return nil, err
	case trained == "" && r.shallow:
		t.fall(selection.ShallowClone, "the clone has no commit %.40s, at which the model was trained; fetch all history", clean)
		return t, nil
	case trained == "":
		t.fall(selection.StaleModel, "there is no commit %.40s, at which the model was trained", clean)
		return t, nil
	case isDirty: // which lines were where cannot be told
		t.fall(selection.StaleModel, "it was trained at %.40s with changes that were not committed; commit them, observe and train again", clean)
		return t, nil
	case trained == from:
		return t, nil
	}
	age, err := r.age(ctx, trained, from)
	if err != nil {
		return nil, err
	}
	if age > maxAge {
		t.fall(selection.StaleModel, "it was trained %d commits before the base, and no more than %d are trusted", age, maxAge)
		return t, nil
	}
	t.Touched = []string{}
	for _, f := range t.Files {
		t.Touched = append(t.Touched, f.Name())
	}
	t.text, t.Files, err = r.diff(ctx, trained)
	return t, err
}

// begin returns the commit that the change began at.
func (r *repository) begin(ctx context.Context, base string, t *toldChange) (string, error) {
	commit, err := r.commit(ctx, base)
	if err != nil {
		return "", err
	}
	from := ""
	if commit != "" {
		if from, err = r.fork(ctx, commit); err != nil {
			return "", err
		}
	}
	switch {
	case from != "":
		return from, nil
	case r.shallow:
		t.fall(selection.ShallowClone, "the clone has no history up to %.60s; fetch all history", base)
		return "", nil
	case commit == "":
		return "", fmt.Errorf("--base %s: there is no such commit", base)
	}
	return "", fmt.Errorf("--base %s: it has no history in common with the current commit", base)
}
