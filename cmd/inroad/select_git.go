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
func (r *repository) diff(ctx context.Context, commit string) ([]selection.FileChange, error) {
	out, err := git(ctx, "diff", "--unified=0", "--inter-hunk-context=0", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames",
		"--no-relative", "--src-prefix=a/", "--dst-prefix=b/", "-O"+os.DevNull, "--submodule=short", "--ignore-submodules=none", "--end-of-options", commit, "--")
	if err != nil {
		return nil, err
	}
	return selection.ReadDiff(strings.NewReader(out))
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

// A gitChange is what git says of a change.
type gitChange struct {
	files     []selection.FileChange
	fallbacks []selection.Fallback
	untracked []string
}

func fallback(cause selection.Cause, format string, args ...any) selection.Fallback {
	return selection.Fallback{Cause: cause, Detail: fmt.Sprintf(format, args...)}
}

// readChange finds out what changed since the base, told in lines of the commit
// that a model was trained at. No model commit is a model that is not there.
func (r *repository) readChange(ctx context.Context, base, modelCommit string, maxAge int) (*gitChange, error) {
	c := &gitChange{}
	from, err := r.begin(ctx, base, c)
	if err != nil || from == "" {
		return c, err
	}
	if c.files, err = r.diff(ctx, from); err != nil {
		return nil, err
	}
	if c.untracked, err = r.untracked(ctx); err != nil || modelCommit == "" {
		return c, err
	}
	trained, err := r.commit(ctx, modelCommit)
	switch {
	case err != nil:
		return nil, err
	case trained == "" && r.shallow:
		c.fallbacks = append(c.fallbacks, fallback(selection.ShallowClone, "the clone has no commit %.40s, at which the model was trained; fetch all history", modelCommit))
		return c, nil
	case trained == "":
		c.fallbacks = append(c.fallbacks, fallback(selection.StaleModel, "there is no commit %.40s, at which the model was trained", modelCommit))
		return c, nil
	case trained == from:
		return c, nil
	}
	age, err := r.age(ctx, trained, from)
	if err != nil {
		return nil, err
	}
	if age > maxAge {
		c.fallbacks = append(c.fallbacks, fallback(selection.StaleModel, "it was trained %d commits before the base, and no more than %d are trusted", age, maxAge))
		return c, nil
	}
	since, err := r.diff(ctx, trained)
	if err != nil {
		return nil, err
	}
	c.files = inLinesOf(since, c.files)
	return c, nil
}

// begin returns the commit that the change began at.
func (r *repository) begin(ctx context.Context, base string, c *gitChange) (string, error) {
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
		c.fallbacks = append(c.fallbacks, fallback(selection.ShallowClone, "the clone has no history up to %.60s; fetch all history", base))
		return "", nil
	case commit == "":
		return "", fmt.Errorf("--base %s: there is no such commit", base)
	}
	return "", fmt.Errorf("--base %s: it has no history in common with the current commit", base)
}

// inLinesOf returns the changes that a diff since the model's commit tells of
// the files that changed since the base. A file that is now as it was for the
// model was another in between, and all of it counts.
func inLinesOf(since, touched []selection.FileChange) []selection.FileChange {
	byName := map[string]selection.FileChange{}
	for _, f := range since {
		byName[f.Name()] = f
	}
	var out []selection.FileChange
	for _, f := range touched {
		told, ok := byName[f.Name()]
		if !ok {
			told = selection.FileChange{Old: f.Name(), New: f.Name()}
		}
		out = append(out, told)
	}
	return out
}
