// Package service holds the commands that run and maintain the service: serve, store and keys.
package service

import "github.com/spf13/cobra"

// Commands returns the commands of this package.
func Commands() []*cobra.Command {
	return []*cobra.Command{NewServe(), NewStore(), NewKeys()}
}
