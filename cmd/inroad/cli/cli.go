// Package cli holds the code that all commands share: flags that come from the
// contract, the choice between an engine and a service, reading inputs, printing,
// progress and output files.
package cli

import (
	"errors"
	"fmt"
	"io"
	"math/big"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/targeting"
)

// ErrReported ends a command that has already printed its error.
var ErrReported = errors.New("already reported")

// Streams are the standard streams of a command.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// StreamsOf returns the streams of a command.
func StreamsOf(cmd *cobra.Command) Streams {
	return Streams{cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()}
}

// Notef prints a line for people on standard error.
func (s Streams) Notef(format string, args ...any) {
	fmt.Fprintf(s.Err, "inroad: "+format+"\n", args...)
}

// Group returns a command that only has subcommands.
func Group(use, short, long string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Long: long, Args: UnknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(commands...)
	return cmd
}

// UnknownCommand rejects arguments of a command that takes only subcommands.
func UnknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return fmt.Errorf("unknown command %q for %s; did you mean %s?", args[0], cmd.CommandPath(), strings.Join(near, " or "))
	}
	return fmt.Errorf("unknown command %q for %s; see %[2]s --help", args[0], cmd.CommandPath())
}

// Count returns a number with its noun.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Percent returns a percentage with two decimals. It rounds down, so that only the
// whole is 100.
func Percent(part int, whole *big.Int) string {
	if whole.Sign() == 0 {
		return "100.00"
	}
	hundredths := new(big.Int).Quo(big.NewInt(int64(part)*10000), whole).Int64()
	return fmt.Sprintf("%d.%02d", hundredths/100, hundredths%100)
}

// Abbreviate returns the beginning of a text on one line.
func Abbreviate(text string) string {
	const most = 60
	line := []rune(strings.Join(strings.Fields(text), " "))
	if len(line) > most {
		return string(line[:most]) + "..."
	}
	return string(line)
}

// ReportRejected reports the inputs of a corpus that do not parse. It returns
// [ErrReported] if no input parses.
func ReportRejected(s Streams, inputs, outside int, rejected []openapi.Rejected) error {
	for _, r := range rejected {
		if r.Syntax.Message == "" { // a limit, which has no position
			s.Notef("%s: %s", r.Name, Printable(r.Message))
			continue
		}
		s.Notef("%s:%s", r.Name, Printable(r.Syntax.Message))
	}
	if more := outside - len(rejected); more > 0 {
		s.Notef("%d more inputs do not parse", more)
	}
	if outside > 0 && outside == inputs {
		return ErrReported
	}
	return nil
}

// A VerdictError ends a command that has printed why it has no input.
type VerdictError struct{ Verdict targeting.Verdict }

func (e *VerdictError) Error() string { return string(e.Verdict) }
