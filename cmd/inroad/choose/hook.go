package choose

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/targeting/selection"
)

// hookMark is the line that identifies a hook as written by inroad.
const hookMark = "# Installed by inroad hook install; inroad hook uninstall removes it."

// hookText is a pre-push hook. Git gives it the name of the remote, and on standard input
// one line per reference.
const hookText = `#!/bin/sh
` + hookMark + `
# It runs the inputs of a corpus that are selected for the pushed commits. The command
# finds the pushed commit in INROAD_COMMIT.

if ! command -v inroad >/dev/null; then
	echo 'pre-push: inroad is not installed, so no inputs are run' >&2
	exit 0
fi
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
inroad hook changes "$1" >"$dir/changes" || exit 1
while read -r base head; do
	inroad select --base "$base" --head "$head" --format paths0 %s </dev/null >"$dir/selected" || exit 1
	if [ -s "$dir/selected" ]; then
		INROAD_COMMIT=$head xargs -0 sh -c %s sh <"$dir/selected" || exit 1
	fi
done <"$dir/changes"
`

// NewHook returns the command hook.
func NewHook() *cobra.Command {
	return cli.Group("hook", "Run the inputs selected for a change before it is pushed",
		`Run the inputs selected for a change before it is pushed, with a git hook. A
hook that inroad did not write is never changed.`, newHookInstall(), newHookUninstall(), newHookChanges())
}

func newHookInstall() *cobra.Command {
	var run string
	var printOnly bool
	cmd := &cobra.Command{
		Use:   "install --run COMMAND [--print] -- SELECT-FLAG...",
		Short: "Install a pre-push hook",
		Long: `Install a pre-push hook in the repository of the current folder.

For each pushed commit, the hook runs inroad select with the flags after --, compared
with what the remote has, and then the command with the selected paths as arguments.
The inputs, and what the command runs, are those of the working tree; INROAD_COMMIT is
the pushed commit. If the command fails, nothing is pushed; git push --no-verify skips
the hook.`,
		Example: `  inroad hook install --run ./run-inputs -- --model p.model --corpus testdata --budget 30s`,
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := hook(run, args)
			if err != nil {
				return err
			}
			if printOnly {
				_, err := fmt.Fprint(cmd.OutOrStdout(), text)
				return err
			}
			return installHook(cmd.Context(), text, cli.StreamsOf(cmd))
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&run, "run", "", "shell `COMMAND` that runs inputs; their file names are appended to it")
	flags.BoolVar(&printOnly, "print", false, "print the hook without installing it")
	return cmd
}

func newHookUninstall() *cobra.Command {
	return &cobra.Command{
		Use:   "uninstall",
		Short: "Remove the pre-push hook",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return uninstallHook(cmd.Context(), cli.StreamsOf(cmd))
		},
	}
}

// hook returns the text of a hook that runs a command on the inputs that select
// selects. It checks the flags of select now, not at the first push.
func hook(run string, args []string) (string, error) {
	if run == "" {
		return "", errors.New("no command to run inputs: give --run COMMAND")
	}
	sel := NewSelect()
	(&cobra.Command{Use: "inroad"}).AddCommand(sel) // errors name the whole command
	if err := sel.ParseFlags(args); err != nil {
		return "", cli.FlagError(sel, err)
	}
	if sel.Flags().NArg() > 0 {
		return "", fmt.Errorf("%q: only flags of select can follow --", sel.Flags().Arg(0))
	}
	for _, name := range []string{"model", "corpus"} {
		if !sel.Flags().Changed(name) {
			return "", fmt.Errorf("select needs --%s; give it after --", name)
		}
	}
	for _, name := range []string{"base", "head", "diff", "format"} {
		if sel.Flags().Changed(name) {
			return "", fmt.Errorf("--%s: must not be given, because the hook sets it", name)
		}
	}
	var quoted []string
	for _, arg := range args {
		quoted = append(quoted, shellQuote(arg))
	}
	return fmt.Sprintf(hookText, strings.Join(quoted, " "), shellQuote(run+` "$@"`)), nil
}

// shellQuote quotes a text as one word for a shell.
func shellQuote(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// findHook returns the file of the pre-push hook, and whether inroad wrote it.
func findHook(ctx context.Context) (name string, isOurs bool, err error) {
	if name, err = selection.HookFile(ctx, "pre-push"); err != nil {
		return "", false, err
	}
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return name, false, cli.FileError(name, err)
	}
	text, err := os.ReadFile(name)
	return name, bytes.Contains(text, []byte("\n"+hookMark+"\n")), cli.FileError(name, err)
}

func installHook(ctx context.Context, text string, streams cli.Streams) error {
	name, isOurs, err := findHook(ctx)
	switch {
	case name != "" && errors.Is(err, fs.ErrNotExist):
		err = os.MkdirAll(filepath.Dir(name), 0o755) //nolint:gosec // as git creates it
	case err != nil:
		return err
	case !isOurs:
		return fmt.Errorf("%s: exists and was not written by inroad; add the lines that --print prints", cli.Printable(name))
	default:
		err = os.Remove(name)
	}
	if err == nil {
		err = writeNew(name, text)
	}
	if err != nil {
		return cli.FileError(name, err)
	}
	streams.Notef("installed %s", cli.Printable(name))
	return nil
}

// writeNew writes an executable file that must not exist yet.
func writeNew(name, text string) (err error) {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755) //nolint:gosec // git runs it
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	_, err = file.WriteString(text)
	return err
}

func uninstallHook(ctx context.Context, streams cli.Streams) error {
	name, isOurs, err := findHook(ctx)
	switch {
	case name != "" && errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: no hook is installed", cli.Printable(name))
	case err != nil:
		return err
	case !isOurs:
		return fmt.Errorf("%s: was not written by inroad, so it is not removed", cli.Printable(name))
	}
	if err := os.Remove(name); err != nil {
		return cli.FileError(name, err)
	}
	streams.Notef("removed %s", cli.Printable(name))
	return nil
}
