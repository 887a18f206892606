// Command inroad tells which code an input will reach, without running it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/targeting"
)

func main() {
	// Both ways to end it leave time to clean up, such as to remove temporary files.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process wherever it is
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// Exit codes. There is no 2 among them: that is how a Go program ends that
// crashed.
const (
	exitDone        = 0
	exitWrong       = 1   // something wrong in what was given
	exitInfeasible  = 3   // no input can be what was asked for, which is proved
	exitUnrealised  = 4   // no input was found that is
	exitUnknown     = 5   // a limit stopped the search, or the method was never observed
	exitInterrupted = 130 // by Ctrl-C or SIGTERM; what shells say of a program that Ctrl-C killed
)

// run carries out a command line and returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	stderr = &terminalWriter{w: stderr}
	root := newRootCommand() //nolint:contextcheck // commands get ctx from ExecuteContext
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	var end *verdictError
	switch {
	case err == nil:
		return exitDone
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "inroad: interrupted")
		return exitInterrupted
	case errors.As(err, &end):
		return exitOf(end.verdict)
	case errors.Is(err, errReported), errors.Is(err, syscall.EPIPE): // who closes a pipe wants no more
	default:
		for line := range strings.Lines(err.Error()) {
			fmt.Fprintf(stderr, "inroad: %s\n", strings.TrimSuffix(line, "\n"))
		}
	}
	return exitWrong
}

// exitOf returns the exit code of a verdict.
func exitOf(v targeting.Verdict) int {
	switch v {
	case targeting.Solved:
		return exitDone
	case targeting.Infeasible:
		return exitInfeasible
	case targeting.Unrealised:
		return exitUnrealised
	default: // a limit, never observed, or a verdict that only a newer service knows
		return exitUnknown
	}
}

// errReported ends a command that has already said what is wrong.
var errReported = errors.New("already reported")

func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "inroad",
		Short: "Tell which code an input will reach, without running it",
		Long: `Tell which code an input will reach, without running it.

Exit status: 0 when all went well, 1 when something is wrong in what was given,
3 when no input can be what was asked for, 4 when none was found, 5 when that is
unknown because a limit stopped the search or the method was never observed, 130
when interrupted.`,
		Version:               version(),
		Args:                  noSuchCommand,
		DisableFlagsInUseLine: true,
		SilenceErrors:         true,
		SilenceUsage:          true,
		PersistentPreRunE:     checkChoices,
		RunE:                  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetVersionTemplate("inroad {{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())
	})
	root.SetHelpCommand(newHelpCommand())
	root.AddCommand(
		newCheckCommand(),
		newCompareCommand(),
		newCompletionCommand(),
		newEvaluateCommand(),
		newExplainCommand(),
		newGenerateCommand(),
		newGrammarsCommand(),
		newHookCommand(),
		newImportCommand(),
		newKeysCommand(),
		newObserveCommand(),
		newParseCommand(),
		newPathsCommand(),
		newPredictCommand(),
		newProbabilitiesCommand(),
		newSelectCommand(),
		newServeCommand(),
		newSolveCommand(),
		newStoreCommand(),
		newTargetCommand(),
		newTrainCommand(),
	)
	sayHowToUse(root)
	complete(root)
	return root
}

// sayHowToUse has commands that get too many or too few arguments say what they
// take; cobra only counts.
func sayHowToUse(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		sayHowToUse(c)
	}
	check := cmd.Args
	if check == nil || cmd.HasSubCommands() {
		return
	}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		err := check(cmd, args)
		if err != nil && cobraCounts.MatchString(err.Error()) {
			return fmt.Errorf("%s given, and it takes others: %s; see %s --help", count(len(args), "argument", "arguments"), cmd.UseLine(), cmd.CommandPath())
		}
		return err
	}
}

// cobraCounts matches what cobra says of the number of arguments.
var cobraCounts = regexp.MustCompile(`^(accepts|requires|unknown command) `)

// newHelpCommand makes a help that knows what is no command, unlike cobra's.
func newHelpCommand() *cobra.Command {
	return &cobra.Command{
		Use:                   "help [COMMAND]",
		Short:                 "Help about any command",
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			topic, rest, err := cmd.Root().Find(args)
			if err == nil {
				err = noSuchCommand(topic, rest)
			}
			if err != nil {
				return err
			}
			return topic.Help()
		},
	}
}

// noSuchCommand refuses arguments where only commands can follow.
func noSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return fmt.Errorf("unknown command %q for %s; did you mean %s?", args[0], cmd.CommandPath(), strings.Join(near, " or "))
	}
	return fmt.Errorf("unknown command %q for %s; see %[2]s --help", args[0], cmd.CommandPath())
}

// version returns what the go command knows of the build: a tag, or a commit
// and its time.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(unknown)"
	}
	return info.Main.Version
}
