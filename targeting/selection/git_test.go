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
	write("a.go", "package b\n")
	write("new", "")

	r, err := OpenRepository(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, base, commit string
		maxAge             int
		files, touched     []string
		fallback           string
	}{
		{"since the model", first, first, 0, []string{"a.go", "b.go"}, nil, ""},
		{"since a base after the model", "HEAD", first, 1, []string{"a.go", "b.go"}, []string{"a.go"}, ""},
		{"without a model", "HEAD", "", 0, []string{"a.go"}, nil, ""},
		{"an old model", "HEAD", first, 0, []string{"a.go"}, nil, "stale model: the model was trained 1 commit before the base: must be at most 0"},
		{"an unknown model", "HEAD", "v9", 0, []string{"a.go"}, nil, "stale model: the repository has no commit v9, at which the model was trained"},
		{"uncommitted changes", first, first + "-dirty", 0, []string{"a.go", "b.go"}, nil, "stale model: the model was trained at " + first + " with uncommitted changes; commit them, observe and train again"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, err := r.Change(t.Context(), tc.base, tc.commit, tc.maxAge)
			if err != nil {
				t.Fatal(err)
			}
			var files []string
			for _, f := range c.Files {
				files = append(files, f.Name())
			}
			fallback := ""
			for _, f := range c.Fallbacks {
				fallback += f.String()
			}
			if diff := cmp.Diff([]any{tc.files, tc.touched, []string{"new"}, tc.fallback}, []any{files, c.Touched, c.Untracked, fallback}); diff != "" {
				t.Errorf("files, touched, untracked and fallback (-want +got):\n%s", diff)
			}
		})
	}
	// Between two commits, neither the working tree nor untracked files count.
	if err := r.SetHead(t.Context(), "HEAD"); err != nil {
		t.Fatal(err)
	}
	c, err := r.Change(t.Context(), first, first, 0)
	if err != nil || len(c.Files) != 1 || c.Files[0].Name() != "b.go" || c.Untracked != nil {
		t.Errorf("change to a commit: %v, files %v, untracked %v; want only b.go", err, c.Files, c.Untracked)
	}
	if err := r.SetHead(t.Context(), "nowhere"); err == nil || err.Error() != "head nowhere: commit not found" {
		t.Errorf("head nowhere: got %v", err)
	}
	for _, base := range []string{"nowhere", "--help"} {
		_, err = r.Change(t.Context(), base, first, 0)
		if wrong, ok := errors.AsType[*BaseError](err); !ok || wrong.Base != base {
			t.Errorf("base %s: got %v", base, err)
		}
	}
}
