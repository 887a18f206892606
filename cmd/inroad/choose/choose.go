// Package choose holds the commands that select inputs for a change: select, tests and hook.
package choose

import "github.com/spf13/cobra"

// Commands returns the commands of this package.
func Commands() []*cobra.Command {
	return []*cobra.Command{NewSelect(), NewTests(), NewHook()}
}
