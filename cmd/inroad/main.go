// Command inroad tells which code an input will reach, without running it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// Exit codes. There is no 2 among them: that is how a Go program ends that
// crashed.
const (
	exitDone  = 0
	exitWrong = 1 // something wrong in what was given
)

// run carries out a command line and returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRootCommand()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitDone
	}
	if !errors.Is(err, errReported) {
		for line := range strings.Lines(err.Error()) {
			fmt.Fprintf(stderr, "inroad: %s\n", strings.TrimSuffix(line, "\n"))
		}
	}
	return exitWrong
}

// errReported ends a command that has already said what is wrong.
var errReported = errors.New("already reported")

func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "inroad",
		Short:         "Tell which code an input will reach, without running it",
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(newCheckCommand(), newGrammarsCommand(), newParseCommand())
	return root
}
