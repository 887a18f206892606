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
	flags.UintVar(&c.maxAge, "max-age", 100, "select all inputs if the model is more than `N` commits older than the base")
}

// maxDiff is the maximum size of a diff, in bytes.
const maxDiff = 256 << 20

// read reads the change, in lines of the commit that the model was trained at.
// Without a commit, it reads the change since the base. It sets the base if it is to be
// found.
func (c *change) read(ctx context.Context, commit string, streams cli.Streams) (*selection.GitChange, error) {
	if c.diff != "" {
		return c.readDiff(ctx, streams.In)
	}
	r, err := selection.OpenRepository(ctx)
	if err != nil {
		return nil, err
	}
	if c.head != "" {
		if err := r.SetHead(ctx, c.head); err != nil {
			return nil, fmt.Errorf("--%w", err)
		}
	}
	if err := c.findBase(ctx, r, commit, streams); err != nil {
		return nil, err
	}
	out, err := r.Change(ctx, c.base, commit, int(c.maxAge))
	if wrong, ok := errors.AsType[*selection.BaseError](err); ok {
		err = fmt.Errorf("--%w", wrong)
	}
	return out, err
}

func (c *change) readDiff(ctx context.Context, stdin io.Reader) (*selection.GitChange, error) {
	text, err := cli.ReadInput(ctx, c.diff, stdin, maxDiff)
	if err == nil && len(text) > maxDiff {
		err = &limit.Error{What: "size of a diff", Value: fmt.Sprintf("%d bytes", maxDiff)}
	}
	out := &selection.GitChange{Diff: string(text)}
	if err == nil {
		out.Files, err = selection.ParseDiff(out.Diff)
	}
	if err != nil {
		return nil, fmt.Errorf("--diff %s: %w", cli.InputName(c.diff), err)
	}
	return out, nil
}
