package selection

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// A Repository is a git repository. Its configuration is not trusted, so no program
// that it names is run.
type Repository struct {
	prefix  string // from its root to the current folder, with a slash at its end
	shallow bool
	head    string // commit that changes end at; the working tree if empty
}

// git runs git in the current folder and returns its output. The first line of its
// error output becomes the error.
func git(ctx context.Context, args ...string) (string, error) {
	return gitInput(ctx, "", args...)
}

// gitInput runs git like [git], with a text as its input.
func gitInput(ctx context.Context, stdin string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{
		"--no-pager", "-c", "core.quotePath=true", "-c", "core.fsmonitor=false",
	}, args...)...)
	cmd.Env = append(cmd.Environ(), "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0")
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
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

// OpenRepository opens the repository of the current folder.
func OpenRepository(ctx context.Context) (*Repository, error) {
	out, err := git(ctx, "rev-parse", "--is-shallow-repository", "--show-prefix")
	if err != nil {
		return nil, err
	}
	shallow, prefix, _ := strings.Cut(out, "\n")
	return &Repository{prefix: strings.TrimSuffix(prefix, "\n"), shallow: shallow == "true"}, nil
}

// HookFile returns the file of a hook in the repository of the current folder.
func HookFile(ctx context.Context, hook string) (string, error) {
	out, err := git(ctx, "rev-parse", "--git-path", "hooks/"+hook)
	return strings.TrimSuffix(out, "\n"), err
}

// commit returns the commit that a revision names, or "" if there is none.
func (r *Repository) commit(ctx context.Context, revision string) (string, error) {
	out, err := git(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if _, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", nil
	}
	return strings.TrimSpace(out), err
}

// fork returns the last common ancestor of the head and another commit, or "" if there
// is none.
func (r *Repository) fork(ctx context.Context, base string) (string, error) {
	out, err := git(ctx, "merge-base", base, cmp.Or(r.head, "HEAD"))
	if _, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", nil
	}
	return strings.TrimSpace(out), err
}

// age returns the number of commits between two commits.
func (r *Repository) age(ctx context.Context, from, to string) (int, error) {
	out, err := git(ctx, "rev-list", "--count", from+".."+to)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(out))
}

// diff returns the differences from a commit to the head.
func (r *Repository) diff(ctx context.Context, commit string) (text string, files []FileChange, err error) {
	args := []string{
		"diff", "--unified=0", "--inter-hunk-context=0", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames",
		"--no-relative", "--src-prefix=a/", "--dst-prefix=b/", "-O" + os.DevNull, "--submodule=short", "--ignore-submodules=none",
		"--end-of-options", commit,
	}
	if r.head != "" {
		args = append(args, r.head)
	}
	text, err = git(ctx, append(args, "--")...)
	if err != nil {
		return "", nil, err
	}
	files, err = ParseDiff(text)
	return text, files, err
}

// untracked returns the files that git neither tracks nor ignores. A commit has none.
func (r *Repository) untracked(ctx context.Context) ([]string, error) {
	if r.head != "" {
		return nil, nil
	}
	out, err := git(ctx, "ls-files", "--others", "--exclude-standard", "--full-name", "-z", "--", ":/")
	if err != nil {
		return nil, err
	}
	return strings.FieldsFunc(out, func(c rune) bool { return c == 0 }), nil
}

// A BaseError reports a base that a change cannot be compared with.
type BaseError struct{ Base, Reason string }

func (e *BaseError) Error() string { return fmt.Sprintf("base %s: %s", e.Base, e.Reason) }

// SetHead makes changes end at a commit instead of the working tree.
func (r *Repository) SetHead(ctx context.Context, revision string) error {
	commit, err := r.commit(ctx, revision)
	if err == nil && commit == "" {
		err = fmt.Errorf("head %s: commit not found", revision)
	}
	r.head = commit
	return err
}

// Change reads the change since the base. Its line numbers are those of modelCommit, at
// which the model was trained, or of the base if modelCommit is empty. A model that is
// more than maxAge commits older than the base is stale.
func (r *Repository) Change(ctx context.Context, base, modelCommit string, maxAge int) (*GitChange, error) {
	c := &GitChange{Prefix: r.prefix}
	from, err := r.start(ctx, base, c)
	if err != nil || from == "" {
		return c, err
	}
	if c.Diff, c.Files, err = r.diff(ctx, from); err != nil {
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
		c.fall(ShallowClone, "the clone lacks commit %.40s, at which the model was trained; fetch the full history", clean)
		return c, nil
	case trained == "":
		c.fall(StaleModel, "the repository has no commit %.40s, at which the model was trained", clean)
		return c, nil
	case isDirty: // the lines of its methods are unknown
		c.fall(StaleModel, "the model was trained at %.40s with uncommitted changes; commit them, observe and train again", clean)
		return c, nil
	case trained == from:
		return c, nil
	}
	age, err := r.age(ctx, trained, from)
	if err != nil {
		return nil, err
	}
	if age > maxAge {
		commits := "commits"
		if age == 1 {
			commits = "commit"
		}
		c.fall(StaleModel, "the model was trained %d %s before the base: must be at most %d", age, commits, maxAge)
		return c, nil
	}
	c.Touched = []string{}
	for _, f := range c.Files {
		c.Touched = append(c.Touched, f.Name())
	}
	c.Diff, c.Files, err = r.diff(ctx, trained)
	return c, err
}

// start returns the commit at which the change started. It returns "" if all inputs are
// run because the clone lacks the commit.
func (r *Repository) start(ctx context.Context, base string, c *GitChange) (string, error) {
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
	case r.shallow && commit != "":
		// The history in common is missing. The difference from the base itself has the
		// same changes, and those of the base in reverse.
		return commit, nil
	case r.shallow:
		c.fall(ShallowClone, "the clone lacks the history up to %.60s; fetch the full history", base)
		return "", nil
	case commit == "":
		return "", &BaseError{base, "commit not found"}
	}
	return "", &BaseError{base, "no history in common with the current commit"}
}
