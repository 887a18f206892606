package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// choicesKey is the annotation of a flag that holds the values it takes.
const choicesKey = "inroad_choices"

// choices says which values a flag takes. No other gets to the command, and
// shells complete them.
func choices(flags *pflag.FlagSet, flag string, values ...string) {
	if err := flags.SetAnnotation(flag, choicesKey, values); err != nil {
		panic(err) // there is no such flag
	}
}

// checkChoices refuses what is not one of the values that a flag takes.
func checkChoices(cmd *cobra.Command, _ []string) (err error) {
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		values := flag.Annotations[choicesKey]
		if err != nil || len(values) == 0 || slices.Contains(values, flag.Value.String()) {
			return
		}
		last := len(values) - 1
		err = fmt.Errorf("--%s %s: it is %s or %s", flag.Name, printable(flag.Value.String()), strings.Join(values[:last], ", "), values[last])
	})
	return err
}
