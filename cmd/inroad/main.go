// Command inroad predicts which code an input will reach, and generates inputs that
// reach the code you name.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/cmd/inroad/choose"
	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/cmd/inroad/corpus"
	"github.com/inroad/inroad/cmd/inroad/grammar"
	"github.com/inroad/inroad/cmd/inroad/model"
	"github.com/inroad/inroad/cmd/inroad/service"
	"github.com/inroad/inroad/targeting"
)

func main() {
	// Both signals leave time to clean up, for example to remove temporary files.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C kills the process
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// Exit codes. A Go program that crashes exits with 2, so 2 is not among them.
const (
	exitDone        = 0
	exitWrong       = 1   // the request, or a file that it names, is invalid
	exitInfeasible  = 3   // it is proved that no input satisfies the request
	exitUnrealised  = 4   // trees satisfy the request, but no text was found for them
	exitUnknown     = 5   // a limit stopped the search, or nothing shows how to reach a method
	exitInterrupted = 130 // by Ctrl-C or SIGTERM; shells report this code for Ctrl-C
)

// exitOf returns the exit code for a verdict.
func exitOf(v targeting.Verdict) int {
	switch v {
	case targeting.Solved:
		return exitDone
	case targeting.Infeasible:
		return exitInfeasible
	case targeting.Unrealised:
		return exitUnrealised
	default:
		return exitUnknown
	}
}

// run runs a command line and returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	stderr = &cli.TerminalWriter{W: stderr}
	root := newRootCommand() //nolint:contextcheck // commands get ctx from ExecuteContextC
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(ctx)
	var verdict *cli.VerdictError
	switch {
	case err == nil:
		return exitDone
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "inroad: interrupted")
		return exitInterrupted
	case errors.As(err, &verdict): // the command has printed why
		return exitOf(verdict.Verdict)
	case errors.Is(err, cli.ErrReported), errors.Is(err, syscall.EPIPE): // a closed pipe wants no more
	default:
		for line := range strings.Lines(cli.Message(cmd, err)) {
			fmt.Fprintf(stderr, "inroad: %s\n", strings.TrimSuffix(line, "\n"))
		}
	}
	return exitWrong
}

func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "inroad",
		Short: "Predict which code an input will reach, and generate inputs that reach it",
		Long: `Predict which code an input will reach, without running the program, and generate
inputs that reach the code you name.

Exit status: 0 success; 1 something given is wrong; 3 no input satisfies the
request, which is proved; 4 trees satisfy it, but no text was found for them;
5 unknown, because a limit stopped the search or a method was never observed;
130 interrupted.`,
		Version:       cli.Version(),
		Args:          cli.UnknownCommand,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetVersionTemplate("inroad {{.Version}}\n")
	root.SetFlagErrorFunc(cli.FlagError)
	root.SetHelpCommand(newHelpCommand())
	root.AddCommand(slices.Concat(grammar.Commands(), corpus.Commands(), model.Commands(), choose.Commands(), service.Commands())...)
	root.AddCommand(newCompletionCommand(), newVersionCommand())
	setUp(root)
	complete(root)
	return root
}

// setUp makes help list flags in the order of their definitions. It also makes errors
// about the number of arguments show the usage; cobra only counts arguments.
func setUp(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		setUp(c)
	}
	cmd.DisableFlagsInUseLine = true // Use names them
	cmd.Flags().SortFlags = false
	check := cmd.Args
	if check == nil || cmd.HasSubCommands() {
		return
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		err := check(cmd, args)
		if err != nil && cobraCounts.MatchString(err.Error()) {
			return fmt.Errorf("got %s, expected %s; see %s --help", cli.Count(len(args), "argument", "arguments"), cmd.UseLine(), cmd.CommandPath())
		}
		return err
	}
}

// cobraCounts matches cobra's errors about the number of arguments.
var cobraCounts = regexp.MustCompile(`^(accepts|requires|unknown command) `)

// newHelpCommand returns a help command that reports unknown commands, unlike
// cobra's.
func newHelpCommand() *cobra.Command {
	return &cobra.Command{
		Use:                   "help [COMMAND]",
		Short:                 "Help about any command",
		DisableFlagsInUseLine: true, // cobra adds the command later
		RunE: func(cmd *cobra.Command, args []string) error {
			topic, rest, err := cmd.Root().Find(args)
			if err == nil {
				err = cli.UnknownCommand(topic, rest)
			}
			if err != nil {
				return err
			}
			return topic.Help()
		},
	}
}
