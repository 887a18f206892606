package selection

import (
	"context"
	"errors"
	"os/exec"
	"strings"
)

// Commit returns the commit that a revision names, or "" if the repository has none.
func (r *Repository) Commit(ctx context.Context, revision string) (string, error) {
	return r.commit(ctx, revision)
}

// Kind returns the type of the object that a revision names, such as commit or blob; tags
// stand for the objects that they name.
func (r *Repository) Kind(ctx context.Context, revision string) (string, error) {
	out, err := git(ctx, "cat-file", "-t", revision+"^{}")
	return strings.TrimSpace(out), err
}

// Published returns the nearest ancestor of a commit that a remote has, according to the
// remote-tracking branches. It returns "" if there is none. If the remote has no
// remote-tracking branches, those of all remotes count.
func (r *Repository) Published(ctx context.Context, commit, remote string) (string, error) {
	branches, err := r.branches(ctx, "refs/remotes/"+remote+"/")
	if err == nil && len(branches) == 0 {
		branches, err = r.branches(ctx, "refs/remotes/")
	}
	if err != nil || len(branches) == 0 {
		return "", err
	}
	// Branches may be too many for arguments.
	out, err := gitInput(ctx, "^"+strings.Join(branches, "\n^")+"\n", "rev-list", "--boundary", "--stdin", commit)
	if err != nil {
		return "", err
	}
	if out == "" {
		return commit, nil
	}
	nearest, least := "", 0
	for line := range strings.Lines(out) {
		boundary, ok := strings.CutPrefix(strings.TrimSpace(line), "-")
		if !ok {
			continue
		}
		n, err := r.age(ctx, boundary, commit)
		if err != nil {
			return "", err
		}
		if nearest == "" || n < least {
			nearest, least = boundary, n
		}
	}
	return nearest, nil
}

// branches returns the commits of the branches below a prefix.
func (r *Repository) branches(ctx context.Context, prefix string) ([]string, error) {
	out, err := git(ctx, "for-each-ref", "--format=%(objectname)", prefix)
	return strings.Fields(out), err
}

// Fetch fetches a commit, or a branch by its full name at origin, from the remote origin.
// A shallow clone stays shallow: it gets no history.
func (r *Repository) Fetch(ctx context.Context, name string) error {
	args := []string{"fetch", "--quiet", "--no-tags", "--no-recurse-submodules"}
	if r.shallow {
		args = append(args, "--depth=1")
	}
	if branch, ok := strings.CutPrefix(name, "refs/remotes/origin/"); ok {
		name = "+refs/heads/" + branch + ":" + name
	}
	_, err := git(ctx, append(args, "--end-of-options", "origin", name)...)
	return err
}

// DefaultBranch returns the full name of the default branch of the remote origin, as far
// as it is known here, or else of a branch named main or master. It returns "" if there is
// none.
func (r *Repository) DefaultBranch(ctx context.Context) (string, error) {
	for _, ref := range []string{"refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master", "refs/heads/main", "refs/heads/master"} {
		if commit, err := r.commit(ctx, ref); err != nil || commit != "" {
			return ref, err
		}
	}
	return "", nil
}

// Branch returns the full name of the current branch, or "" if there is none.
func (r *Repository) Branch(ctx context.Context) (string, error) {
	return r.lookup(ctx, "symbolic-ref", "--quiet", "HEAD")
}

// Upstream returns the full name of the branch that the current branch follows, or "" if
// there is none.
func (r *Repository) Upstream(ctx context.Context) (string, error) {
	branch, err := r.Branch(ctx)
	if err != nil || branch == "" {
		return "", err
	}
	return r.lookup(ctx, "for-each-ref", "--format=%(upstream)", branch)
}

// Parents returns the parents of a commit, even those that a shallow clone lacks.
func (r *Repository) Parents(ctx context.Context, commit string) ([]string, error) {
	out, err := git(ctx, "cat-file", "commit", commit)
	if err != nil {
		return nil, err
	}
	var parents []string
	header, _, _ := strings.Cut(out, "\n\n")
	for line := range strings.Lines(header) {
		if parent, ok := strings.CutPrefix(line, "parent "); ok {
			parents = append(parents, strings.TrimSpace(parent))
		}
	}
	return parents, nil
}

// IsClean reports whether the working tree has the files of a commit, apart from
// untracked files.
func (r *Repository) IsClean(ctx context.Context, commit string) (bool, error) {
	out, err := git(ctx, "diff", "--name-only", "--no-ext-diff", "--no-textconv", "--no-renames", "--ignore-submodules=none", "--end-of-options", commit, "--")
	return out == "", err
}

// lookup runs git and returns a line of output, or "" if git finds nothing.
func (r *Repository) lookup(ctx context.Context, args ...string) (string, error) {
	out, err := git(ctx, args...)
	if _, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", nil
	}
	return strings.TrimSpace(out), err
}

// IsZero reports whether a commit is empty or all zeros, which git uses for no commit.
func IsZero(commit string) bool { return strings.Trim(commit, "0") == "" }
