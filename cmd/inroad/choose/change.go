package choose

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/targeting/selection"
)

// A change is the flags that say what changed.
type change struct {
	base   string
	diff   string // file
	maxAge uint   // commits
}

func (c *change) bind(flags *pflag.FlagSet) {
	flags.StringVar(&c.base, "base", "", "`REV` that the change is compared with, such as origin/main")
	flags.StringVar(&c.diff, "diff", "", "`FILE` with a unified diff against the model's commit, - for standard input, instead of --base")
	flags.UintVar(&c.maxAge, "max-age", 100, "select all inputs if the model is more than `N` commits older than the base")
}

// A foundChange is a change as git or a diff reports it.
type foundChange struct {
	selection.GitChange
	text      string // diff of the files
	fallbacks []openapi.Fallback
	place     func(name string) string // returns the place of a file in the repository
}

// fall adds a reason to run all inputs.
func (f *foundChange) fall(cause selection.Cause, format string, args ...any) {
	f.fallbacks = append(f.fallbacks, openapi.Fallback{Cause: string(cause), Detail: fmt.Sprintf(format, args...)})
}

// addTo adds the change to a request.
func (f *foundChange) addTo(req *openapi.SelectRequest) {
	req.Diff, req.Untracked, req.Fallbacks = f.text, f.Untracked, f.fallbacks
	req.Root = filepath.ToSlash(req.Root)
	if f.Touched != nil {
		req.Touched = &f.Touched
	}
}

// maxDiff is the most bytes of a diff.
const maxDiff = 256 << 20

// read reads the change, in lines of the commit that the model was trained at.
// Without a commit, it reads the change since the base.
func (c *change) read(ctx context.Context, commit string, stdin io.Reader) (*foundChange, error) {
	if c.diff != "" {
		return c.readDiff(ctx, stdin)
	}
	r, err := openRepository(ctx)
	if err != nil {
		return nil, err
	}
	return r.readChange(ctx, c.base, commit, int(c.maxAge))
}

func (c *change) readDiff(ctx context.Context, stdin io.Reader) (*foundChange, error) {
	text, err := cli.ReadInput(ctx, c.diff, stdin, maxDiff)
	if err == nil && len(text) > maxDiff {
		err = &limit.Error{What: "size of a diff", Value: fmt.Sprintf("%d bytes", maxDiff)}
	}
	found := &foundChange{text: string(text), place: filepath.ToSlash}
	if err == nil {
		found.Files, err = selection.ParseDiff(found.text)
	}
	if err != nil {
		return nil, fmt.Errorf("--diff %s: %w", cli.InputName(c.diff), err)
	}
	return found, nil
}
