package choose

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/targeting/selection"
)

func newHookChanges() *cobra.Command {
	return &cobra.Command{
		Use:   "changes REMOTE",
		Short: "Print the changes of a push, for a pre-push hook",
		Long: `Print the changes of a push, each as a line with the commit that it starts at and
the commit that is pushed. Standard input has the lines that git gives a pre-push
hook, and REMOTE is the hook's first argument.

A branch is compared with the remote's. A new branch, a tag, and a branch whose
commit at the remote is unknown here are compared with the nearest commit that the
remote has; if there is none, the line starts with "model", for the commit that the
model was trained at. Deletions, and commits that the remote has, are not printed.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return printPushed(cmd.Context(), args[0], cli.StreamsOf(cmd))
		},
	}
}

// A pushedChange is a change from a base to a commit that is pushed.
type pushedChange struct{ base, head string }

// printPushed prints the changes of a push.
func printPushed(ctx context.Context, remote string, streams cli.Streams) error {
	r, err := selection.OpenRepository(ctx)
	if err != nil {
		return err
	}
	changes, err := pushedChanges(ctx, r, remote, streams.In)
	if err != nil {
		return err
	}
	noted := map[string]bool{}
	out := bufio.NewWriter(streams.Out)
	for _, c := range changes {
		fmt.Fprintln(out, c.base, c.head)
		clean, err := r.IsClean(ctx, c.head)
		if err != nil {
			return err
		}
		if !clean && !noted[c.head] {
			noted[c.head] = true
			streams.Notef("note: the working tree differs from the pushed commit %.12s, and the command runs the working tree", c.head)
		}
	}
	return out.Flush()
}

// pushedChanges reads the references that are pushed and returns the changes, each once.
func pushedChanges(ctx context.Context, r *selection.Repository, remote string, in io.Reader) ([]pushedChange, error) {
	var out []pushedChange
	known := map[pushedChange]bool{}
	lines := bufio.NewScanner(in)
	for n := 1; lines.Scan(); n++ {
		// LOCAL-REFERENCE COMMIT REMOTE-REFERENCE COMMIT, where the first may contain spaces
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 {
			return nil, fmt.Errorf("stdin:%d: %q: must have a reference and a commit here, and those at the remote", n, lines.Text())
		}
		c, err := pushed(ctx, r, remote, fields[len(fields)-3], fields[len(fields)-1])
		if err != nil {
			return nil, err
		}
		if c.head != "" && c.base != c.head && !known[c] {
			known[c] = true
			out = append(out, c)
		}
	}
	return out, lines.Err()
}

// pushed returns the change that a push makes to a reference, which names the object here
// locally, and the object there at the remote. The change has no head if no commit is
// pushed.
func pushed(ctx context.Context, r *selection.Repository, remote, here, there string) (pushedChange, error) {
	var none pushedChange
	if selection.IsZero(here) { // the reference is deleted
		return none, nil
	}
	if kind, err := r.Kind(ctx, here); err != nil || kind != "commit" { // a tag may name a file
		return none, err
	}
	head, err := r.Commit(ctx, here)
	if err != nil {
		return none, err
	}
	base := ""
	if !selection.IsZero(there) {
		if base, err = r.Commit(ctx, there); err != nil {
			return none, err
		}
	}
	if base == "" {
		if base, err = r.Published(ctx, head, remote); err != nil {
			return none, err
		}
	}
	if base == "" {
		base = baseModel
	}
	return pushedChange{base, head}, nil
}
