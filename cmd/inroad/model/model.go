// Package model holds the commands about observations and models: observe, import,
// failures, fuzz, train, evaluate, predict, methods, explain, target, refine, reduce,
// compare, model and report.
package model

import "github.com/spf13/cobra"

// Commands returns the commands of this package.
func Commands() []*cobra.Command {
	return []*cobra.Command{
		NewObserve(),
		NewImport(),
		NewFailures(),
		NewFuzz(),
		NewTrain(),
		NewEvaluate(),
		NewPredict(),
		NewMethods(),
		NewExplain(),
		NewTarget(),
		NewRefine(),
		NewReduce(),
		NewCompare(),
		NewModel(),
		NewReport(),
	}
}
