package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// hookMark is the line by which a hook is known to be ours.
const hookMark = "# Installed by inroad hook install; inroad hook uninstall takes it away."

// hookText is a pre-push hook. Git gives it a line for each branch: its name and
// commit here and there. A commit of zeros is none.
const hookText = `#!/bin/sh
` + hookMark + `
# It runs the inputs of a corpus that what is pushed calls for.

if ! command -v inroad >/dev/null; then
	echo 'pre-push: there is no inroad, so no inputs are run' >&2
	exit 0
fi
chosen=$(mktemp) || exit 1
trap 'rm -f "$chosen"' EXIT
while read -r _ here _ there; do
	case $here in *[!0]*) ;; *) continue ;; esac
	case $there in *[!0]*) base=$there ;; *) base=refs/remotes/$1/HEAD ;; esac
	inroad select --base "$base" --format paths0 %s </dev/null >"$chosen" || exit 1
	if [ -s "$chosen" ]; then
		xargs -0 sh -c %s sh <"$chosen" || exit 1
	fi
done
`

type hookOptions struct {
	run  string
	args []string // for select

	stdout, stderr io.Writer
}

func newHookCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "hook",
		Short: "Run the inputs that a change calls for before it is pushed",
		Long: `Run the inputs that a change calls for before it is pushed, by a hook of git.

A hook that is already there and is not ours is left as it is.`,
		Args:                  noSuchCommand,
		DisableFlagsInUseLine: true,
		RunE:                  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newHookInstallCommand(), newHookUninstallCommand())
	return cmd
}

func newHookInstallCommand() *cobra.Command {
	opt := &hookOptions{}
	printOnly := false
	cmd := &cobra.Command{
		Use:   "install --run COMMAND [--print] -- SELECT-FLAG...",
		Short: "Install a pre-push hook",
		Long: `Install a pre-push hook in the repository of the current folder.

The hook runs inroad select with the flags behind --, against what the remote
has, and then the command with the paths that were chosen behind it. If the
command fails, nothing is pushed; git push --no-verify pushes nevertheless.`,
		Example:               `  inroad hook install --run ./run-inputs -- --model p.model --corpus testdata --budget 30s`,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			opt.args, opt.stdout, opt.stderr = args, cmd.OutOrStdout(), cmd.ErrOrStderr()
			text, err := opt.text()
			if err != nil {
				return err
			}
			if printOnly {
				_, err := fmt.Fprint(opt.stdout, text)
				return err
			}
			return opt.install(cmd.Context(), text)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&opt.run, "run", "", "the shell `COMMAND` that runs inputs, given their paths")
	flags.BoolVar(&printOnly, "print", false, "print the hook and install nothing")
	return cmd
}

func newHookUninstallCommand() *cobra.Command {
	return &cobra.Command{
		Use:                   "uninstall",
		Short:                 "Take the pre-push hook away",
		Args:                  cobra.NoArgs,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			opt := &hookOptions{stdout: cmd.OutOrStdout(), stderr: cmd.ErrOrStderr()}
			return opt.uninstall(cmd.Context())
		},
	}
}

// text returns the hook. That select will take the flags is seen to now, not at
// the first push.
func (opt *hookOptions) text() (string, error) {
	if opt.run == "" {
		return "", errors.New("no command to run inputs: give --run COMMAND")
	}
	sel := newSelectCommand()
	if err := sel.ParseFlags(opt.args); err != nil {
		return "", fmt.Errorf("%w; see inroad select --help", err)
	}
	for _, name := range []string{"model", "corpus"} {
		if !sel.Flags().Changed(name) {
			return "", fmt.Errorf("select needs --%s; give it behind --", name)
		}
	}
	for _, name := range []string{"base", "diff", "format", "minimize", "learn", "report"} {
		if sel.Flags().Changed(name) {
			return "", fmt.Errorf("--%s: the hook sees to that", name)
		}
	}
	var quoted []string
	for _, arg := range opt.args {
		quoted = append(quoted, shellQuote(arg))
	}
	return fmt.Sprintf(hookText, strings.Join(quoted, " "), shellQuote(opt.run+` "$@"`)), nil
}

// shellQuote returns a word that a shell reads as the text.
func shellQuote(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// hookPath returns where git looks for the hook.
func hookPath(ctx context.Context) (string, error) {
	out, err := git(ctx, "rev-parse", "--git-path", "hooks/pre-push")
	return strings.TrimSuffix(out, "\n"), err
}

// ours tells whether a file is a hook that we wrote.
func ours(name string) (bool, error) {
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return false, err
	}
	text, err := readFile(name, maxGrammarRead)
	return err == nil && bytes.Contains(text, []byte("\n"+hookMark+"\n")), err
}

func (opt *hookOptions) install(ctx context.Context, text string) error {
	name, err := hookPath(ctx)
	if err != nil {
		return err
	}
	mine, err := ours(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		err = os.MkdirAll(filepath.Dir(name), 0o755) //nolint:gosec // as git makes it
	case err == nil && !mine:
		return fmt.Errorf("%s: there is a hook already, and it is left as it is; --print shows what to add to it", printable(name))
	case err == nil:
		err = os.Remove(name)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", printable(name), cause(err))
	}
	if err := writeNew(name, text); err != nil {
		return fmt.Errorf("%s: %w", printable(name), cause(err))
	}
	fmt.Fprintf(opt.stderr, "inroad: installed %s\n", printable(name))
	return nil
}

// writeNew writes a program that is not there yet.
func writeNew(name, text string) (err error) {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755) //nolint:gosec // git runs it
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	_, err = file.WriteString(text)
	return err
}

func (opt *hookOptions) uninstall(ctx context.Context) error {
	name, err := hookPath(ctx)
	if err != nil {
		return err
	}
	mine, err := ours(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("%s: there is no hook", printable(name))
	case err == nil && !mine:
		return fmt.Errorf("%s: the hook is not ours, and it is left as it is", printable(name))
	case err == nil:
		err = os.Remove(name)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", printable(name), cause(err))
	}
	fmt.Fprintf(opt.stderr, "inroad: removed %s\n", printable(name))
	return nil
}
