// Package model holds the commands about observations and models: observe, import,
// train, evaluate, predict, explain, target, reduce and compare.
package model

import "github.com/spf13/cobra"

// Commands returns the commands of this package.
func Commands() []*cobra.Command {
	return []*cobra.Command{
		NewObserve(),
		NewImport(),
		NewTrain(),
		NewEvaluate(),
		NewPredict(),
		NewExplain(),
		NewTarget(),
		NewReduce(),
		NewCompare(),
	}
}
