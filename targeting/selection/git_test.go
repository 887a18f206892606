package selection

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRepository reads changes of a repository with two commits.
func TestRepository(t *testing.T) {
	t.Chdir(t.TempDir())
	run := func(args ...string) string {
		t.Helper()
		out, err := git(t.Context(), append([]string{"-c", "user.name=u", "-c", "user.email=e"}, args...)...)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(out)
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run("init", "--quiet")
	write("a.go", "package a\n")
	run("add", ".")
	run("commit", "--quiet", "-m", "one")
	first := run("rev-parse", "HEAD")
	write("b.go", "package a\n")
	run("add", ".")
	run("commit", "--quiet", "-m", "two")
	write("a.go", "package b\n\nfunc f() {}\n")
	write("new", "")

	r, err := OpenRepository(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, tc := range []struct {
		name, base, head, commit string
		maxAge                   int
		files                    string
		fallback                 string
	}{
		{"since the model", first, "", first, 0, "a.go +b.go +new", ""},
		{"since a base after the model", "HEAD", "", first, 1, "a.go +new", ""},
		{"without a model", "HEAD", "", "", 0, "a.go +new", ""},
		{"a commit instead of the working tree", first, "HEAD", first, 0, "+b.go", ""},
		{"a commit that the base follows", "HEAD", first, first, 0, "", ""},
		{"an old model", "HEAD", "", first, 0, "a.go +new", ""},
		{"an unknown model", "HEAD", "", "v9", 0, "a.go +new", "stale model: the repository has no commit v9, at which the model was trained"},
		{"uncommitted changes", first, "", first + "-dirty", 0, "a.go +b.go +new", "stale model: the model was trained at " + first + " with uncommitted changes; commit them, observe and train again"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r.head = ""
			if tc.head != "" {
				if err := r.SetHead(t.Context(), tc.head); err != nil {
					t.Fatal(err)
				}
			}
			c, err := r.Change(t.Context(), ChangeOptions{Base: tc.base, Commit: tc.commit, MaxAge: tc.maxAge})
			if err != nil {
				t.Fatal(err)
			}
			var files []string
			for _, f := range c.Files {
				if f.New {
					f.Path = "+" + f.Path
				}
				files = append(files, f.Path)
			}
			fallback := ""
			for _, f := range c.Fallbacks {
				fallback += f.String()
			}
			if diff := cmp.Diff([]string{tc.files, tc.fallback}, []string{strings.Join(files, " "), fallback}); diff != "" {
				t.Errorf("files and fallback (-want +got):\n%s", diff)
			}
		})
	}
	// Between two commits, neither the working tree nor untracked files count.
	if err := r.SetHead(t.Context(), "nowhere"); err == nil || err.Error() != "head nowhere: commit not found" {
		t.Errorf("head nowhere: got %v", err)
	}
	for _, base := range []string{"nowhere", "--help"} {
		_, err = r.Change(t.Context(), ChangeOptions{Base: base, Commit: first})
		if wrong, ok := errors.AsType[*BaseError](err); !ok || wrong.Base != base {
			t.Errorf("base %s: got %v", base, err)
		}
	}
}

// TestTooOldModel limits the age of a model.
func TestTooOldModel(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range [][]string{{"init", "--quiet"}, {"commit", "--quiet", "--allow-empty", "-m", "one"}, {"commit", "--quiet", "--allow-empty", "-m", "two"}, {"commit", "--quiet", "--allow-empty", "-m", "three"}} {
		if _, err := git(t.Context(), append([]string{"-c", "user.name=u", "-c", "user.email=e"}, args...)...); err != nil {
			t.Fatal(err)
		}
	}
	r, err := OpenRepository(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c, err := r.Change(t.Context(), ChangeOptions{Base: "HEAD", Commit: "HEAD~2", MaxAge: 1})
	const want = "stale model: the model was trained 2 commits before the base: must be at most 1"
	if err != nil || len(c.Fallbacks) != 1 || c.Fallbacks[0].String() != want {
		t.Errorf("got %v and %v, want %q", c.Fallbacks, err, want)
	}
}
