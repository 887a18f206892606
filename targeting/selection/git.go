package selection

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// A Repository is a git repository. Its configuration is not trusted, so programs that
// the configuration names are not run.
type Repository struct {
	root    string // folder of its working tree
	prefix  string // from its root to the current folder, with a slash at its end
	shallow bool
	head    string        // commit that changes end at; the working tree if empty
	objects *objectReader // nil until an object is read
}

// gitEnvironment returns variables that keep git from prompting, taking optional locks,
// and translating messages.
func gitEnvironment() []string {
	return []string{"LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0"}
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
	cmd.Env = append(cmd.Environ(), gitEnvironment()...)
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

// OpenRepository opens the repository of the current folder. The caller must close it.
func OpenRepository(ctx context.Context) (*Repository, error) {
	out, err := git(ctx, "rev-parse", "--is-shallow-repository", "--show-prefix", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	shallow, rest, _ := strings.Cut(out, "\n")
	prefix, root, _ := strings.Cut(rest, "\n")
	return &Repository{root: strings.TrimSuffix(root, "\n"), prefix: prefix, shallow: shallow == "true"}, nil
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

// untracked returns the files that git neither tracks nor ignores.
func (r *Repository) untracked(ctx context.Context) ([]string, error) {
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

// ChangeOptions are the options of [Repository.Change].
type ChangeOptions struct {
	CompareOptions        // Inputs are relative to the current folder
	Base           string // revision that the change is compared with
	// Commit is the commit at which the model was trained. If it is empty, only the
	// changed files are found.
	Commit string
	MaxAge int  // maximum number of commits between Commit and the base; 0 for no limit
	Exact  bool // compare with the base itself, even if the head forked from it earlier
}

// Change returns the difference between the head and the commit at which the head forked
// from the base. If a commit is missing or too old, the change has a fallback.
func (r *Repository) Change(ctx context.Context, opt ChangeOptions) (*GitChange, error) {
	c := &GitChange{Prefix: r.prefix}
	from, err := r.start(ctx, opt, c)
	if err != nil || from == "" {
		return c, err
	}
	head := Version(&commitVersion{r, r.head})
	if c.Files, err = r.changedFiles(ctx, from, r.head); err != nil {
		return nil, err
	}
	if r.head == "" {
		untracked, err := r.untracked(ctx)
		if err != nil {
			return nil, err
		}
		for _, name := range untracked {
			c.Files = append(c.Files, FileStatus{Path: name, New: true, Untracked: true})
		}
		head = &workingTree{r.root, untracked}
	}
	if opt.Commit == "" {
		return c, nil
	}
	trained, err := r.trainedAt(ctx, opt, from, c)
	if err != nil || trained == "" {
		return c, err
	}
	v := Versions{Base: &commitVersion{r, from}, Head: head}
	v.Trained = v.Base
	if trained != from {
		v.Trained = &commitVersion{r, trained}
		if v.Since, err = r.changedFiles(ctx, trained, from); err != nil {
			return nil, err
		}
	}
	compare := opt.CompareOptions
	compare.Inputs = nil
	for _, name := range opt.Inputs {
		compare.Inputs = append(compare.Inputs, c.Place(name))
	}
	found, err := CompareSources(ctx, v, c.Files, compare)
	if err == nil {
		c.SourceChange = *found
	}
	return c, err
}

// trainedAt returns the commit at which the model was trained. If the commit cannot be
// used, it returns "" and adds a fallback to c.
func (r *Repository) trainedAt(ctx context.Context, opt ChangeOptions, from string, c *GitChange) (string, error) {
	clean, isDirty := strings.CutSuffix(opt.Commit, dirty)
	trained, err := r.commit(ctx, clean)
	switch {
	case err != nil:
		return "", err
	case trained == "" && r.shallow:
		c.fall(ShallowClone, "the clone lacks commit %.40s, at which the model was trained; fetch it with git fetch --depth=1 origin %.40s", clean, clean)
		return "", nil
	case trained == "":
		c.fall(StaleModel, "the repository has no commit %.40s, at which the model was trained", clean)
		return "", nil
	case isDirty: // the lines of its methods are unknown
		c.fall(StaleModel, "the model was trained at %.40s with uncommitted changes; commit them, observe and train again", clean)
		return "", nil
	case trained == from:
		return trained, nil
	}
	if c.Age, err = r.age(ctx, trained, from); err != nil {
		if r.shallow {
			return trained, nil // the age is unknown
		}
		return "", err
	}
	if opt.MaxAge > 0 && c.Age > opt.MaxAge {
		c.fall(StaleModel, "the model was trained %d %s before the base: must be at most %d", c.Age, plural(c.Age, "commit"), opt.MaxAge)
		return "", nil
	}
	return trained, nil
}

func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// start returns the commit at which the change started. If a shallow clone lacks the
// commit, it returns "" and adds a fallback to c.
func (r *Repository) start(ctx context.Context, opt ChangeOptions, c *GitChange) (string, error) {
	commit, err := r.commit(ctx, opt.Base)
	if err != nil {
		return "", err
	}
	from := ""
	if commit != "" && opt.Exact {
		from = commit
	} else if commit != "" {
		if from, err = r.fork(ctx, commit); err != nil {
			return "", err
		}
	}
	switch {
	case from != "":
		return from, nil
	case r.shallow && commit != "":
		// The common history is missing. The difference from the base itself has the same
		// changes, plus the changes of the base in reverse.
		return commit, nil
	case r.shallow:
		c.fall(ShallowClone, "the clone lacks %.60s; fetch it with git fetch --depth=1 origin %.60s", opt.Base, opt.Base)
		return "", nil
	case commit == "":
		return "", &BaseError{opt.Base, "commit not found"}
	}
	return "", &BaseError{opt.Base, "no history in common with the current commit"}
}
