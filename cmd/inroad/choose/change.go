package choose

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/targeting/selection"
)

// A change holds the flags that describe the change.
type change struct {
	base   string
	head   string
	fetch  bool
	diff   string // file
	maxAge uint   // commits
}

func (c *change) bind(flags *pflag.FlagSet) {
	flags.StringVar(&c.base, "base", "", "`REV` that the change is compared with, such as origin/main; model for the commit of the model; auto, the default, for the base of the pull request or push in GitHub or GitLab, and the default branch elsewhere")
	flags.BoolVar(&c.fetch, "fetch", false, "fetch the base and the commit of the model from origin if the clone lacks them, without their history if it is shallow")
	flags.StringVar(&c.head, "head", "", "`REV` to compare with the base instead of the working tree; the corpus stays that of the working tree")
	flags.StringVar(&c.diff, "diff", "", "`FILE` with a unified diff against the model's commit, - for standard input, instead of --base")
	flags.UintVar(&c.maxAge, "max-age", 0, "select all inputs if the model is more than `N` commits older than the base; 0 for no limit")
}

// maxDiff is the maximum size of a diff, in bytes.
const maxDiff = 256 << 20

// readGit reads the change in the repository of the current folder. Without a commit that
// the model was trained at, it only finds the changed files. It sets c.base as
// [change.findBase] does.
func (c *change) readGit(ctx context.Context, opt selection.ChangeOptions, streams cli.Streams) (_ *selection.GitChange, err error) {
	r, err := selection.OpenRepository(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if c.head != "" {
		if err := r.SetHead(ctx, c.head); err != nil {
			return nil, fmt.Errorf("--%w", err)
		}
	}
	if err := c.findBase(ctx, r, opt.Commit, streams); err != nil {
		return nil, err
	}
	opt.Base, opt.MaxAge = c.base, int(c.maxAge)
	out, err := r.Change(ctx, opt)
	if wrong, ok := errors.AsType[*selection.BaseError](err); ok {
		err = fmt.Errorf("--%w", wrong)
	}
	return out, err
}

// readDiff reads the diff.
func (c *change) readDiff(ctx context.Context, stdin io.Reader) (string, error) {
	text, err := cli.ReadInput(ctx, c.diff, stdin, maxDiff)
	if err == nil && len(text) > maxDiff {
		err = &limit.Error{What: "size of a diff", Value: fmt.Sprintf("%d bytes", maxDiff)}
	}
	if err == nil {
		_, err = selection.ParseDiff(string(text))
	}
	if err != nil {
		return "", fmt.Errorf("--diff %s: %w", cli.InputName(c.diff), err)
	}
	return string(text), nil
}
