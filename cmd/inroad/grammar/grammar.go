// Package grammar holds the commands that need only a grammar: check, grammars, parse
// and paths.
package grammar

import "github.com/spf13/cobra"

// Commands returns the commands of this package.
func Commands() []*cobra.Command {
	return []*cobra.Command{NewCheck(), NewGrammars(), NewParse(), NewPaths()}
}
