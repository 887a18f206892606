// Package grammar holds the commands about grammars alone: check, grammars, parse
// and paths.
package grammar

import "github.com/spf13/cobra"

// Commands returns the commands of this package.
func Commands() []*cobra.Command {
	return []*cobra.Command{NewCheck(), NewGrammars(), NewParse(), NewPaths()}
}
