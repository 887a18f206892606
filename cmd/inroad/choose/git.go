package choose

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

	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/targeting/selection"
)

// A repository is a git repository. Its configuration may come from a stranger, so
// no program that it names is run.
type repository struct {
	prefix  string // from its root to the current folder, with a slash at its end
	shallow bool
}

// git runs git and returns its output. The first line of its error output becomes
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

// openRepository opens the repository of the current folder.
func openRepository(ctx context.Context) (*repository, error) {
	out, err := git(ctx, "rev-parse", "--is-shallow-repository", "--show-prefix")
	if err != nil {
		return nil, err
	}
	shallow, prefix, _ := strings.Cut(out, "\n")
	return &repository{strings.TrimSuffix(prefix, "\n"), shallow == "true"}, nil
}

// commit returns the commit that a revision names; empty if there is none.
func (r *repository) commit(ctx context.Context, revision string) (string, error) {
	out, err := git(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if _, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", nil
	}
	return strings.TrimSpace(out), err
}

// fork returns the last commit that the current commit and another have in common;
// empty if there is none.
func (r *repository) fork(ctx context.Context, base string) (string, error) {
	out, err := git(ctx, "merge-base", base, "HEAD")
	if _, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", nil
	}
	return strings.TrimSpace(out), err
}

// age returns the number of commits between two commits.
func (r *repository) age(ctx context.Context, from, to string) (int, error) {
	out, err := git(ctx, "rev-list", "--count", from+".."+to)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(out))
}

// diff returns the differences of tracked files from those of a commit.
func (r *repository) diff(ctx context.Context, commit string) (text string, files []selection.FileChange, err error) {
	text, err = git(ctx, "diff", "--unified=0", "--inter-hunk-context=0", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames",
		"--no-relative", "--src-prefix=a/", "--dst-prefix=b/", "-O"+os.DevNull, "--submodule=short", "--ignore-submodules=none", "--end-of-options", commit, "--")
	if err != nil {
		return "", nil, err
	}
	files, err = selection.ParseDiff(text)
	return text, files, err
}

// untracked returns the files that git neither tracks nor ignores.
func (r *repository) untracked(ctx context.Context) ([]string, error) {
	out, err := git(ctx, "ls-files", "--others", "--exclude-standard", "--full-name", "-z", "--", ":/")
	if err != nil {
		return nil, err
	}
	return strings.FieldsFunc(out, func(c rune) bool { return c == 0 }), nil
}

// place returns the path of a file from the root of the repository.
func (r *repository) place(name string) string {
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

// dirty ends the name of a commit if the program had uncommitted changes.
const dirty = "-dirty"

// readChange reads the change since the base, in lines of the commit that the model
// was trained at. Without that commit, the lines are those of the base.
func (r *repository) readChange(ctx context.Context, base, modelCommit string, maxAge int) (*foundChange, error) {
	c := &foundChange{place: r.place}
	from, err := r.start(ctx, base, c)
	if err != nil || from == "" {
		return c, err
	}
	if c.text, c.Files, err = r.diff(ctx, from); err != nil {
		return nil, err
	}
	if c.Untracked, err = r.untracked(ctx); err != nil || modelCommit == "" {
		return c, err
	}
	clean, isDirty := strings.CutSuffix(modelCommit, dirty)
	trained, err := r.commit(ctx, clean)
	switch {
	case err != nil:
		return nil, err
	case trained == "" && r.shallow:
		c.fall(selection.ShallowClone, "the clone lacks commit %.40s, at which the model was trained; fetch the full history", clean)
		return c, nil
	case trained == "":
		c.fall(selection.StaleModel, "the repository has no commit %.40s, at which the model was trained", clean)
		return c, nil
	case isDirty: // the lines of its methods are unknown
		c.fall(selection.StaleModel, "the model was trained at %.40s with uncommitted changes; commit them, observe and train again", clean)
		return c, nil
	case trained == from:
		return c, nil
	}
	age, err := r.age(ctx, trained, from)
	if err != nil {
		return nil, err
	}
	if age > maxAge {
		c.fall(selection.StaleModel, "the model was trained %s before the base, and --max-age is %d", cli.Count(age, "commit", "commits"), maxAge)
		return c, nil
	}
	c.Touched = []string{}
	for _, f := range c.Files {
		c.Touched = append(c.Touched, f.Name())
	}
	c.text, c.Files, err = r.diff(ctx, trained)
	return c, err
}

// start returns the commit at which the change started; empty if all inputs are run
// because the clone lacks it.
func (r *repository) start(ctx context.Context, base string, c *foundChange) (string, error) {
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
		c.fall(selection.ShallowClone, "the clone lacks the history up to %.60s; fetch the full history", base)
		return "", nil
	case commit == "":
		return "", fmt.Errorf("--base %s: no such commit", base)
	}
	return "", fmt.Errorf("--base %s: no history in common with the current commit", base)
}
