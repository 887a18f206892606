package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/cmd/inroad/cli"
)

func newVersionCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "version [--format json]",
		Short: "Print the version, the commit and how the program was built",
		Long: `Print the version, the commit and how the program was built. Programs of the same
commit, version of Go, platform and tags are the same byte for byte if they are
built as docs/release.md says.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			build := cli.ReadBuild()
			if format == "json" {
				return cli.WriteJSON(cmd.OutOrStdout(), build)
			}
			_, err := fmt.Fprint(cmd.OutOrStdout(), describeBuild(build))
			return err
		},
	}
	cli.BindFormat(cmd.Flags(), &format, "text", "json")
	return cmd
}

// describeBuild returns a build as lines for people.
func describeBuild(b cli.Build) string {
	var out strings.Builder
	fmt.Fprintf(&out, "inroad %s\n", b.Version)
	if b.Revision != "" {
		fmt.Fprintf(&out, "commit %s of %s", b.Revision, b.Time)
		if b.Modified {
			out.WriteString(", with uncommitted changes")
		}
		out.WriteString("\n")
	}
	fmt.Fprintf(&out, "built with %s for %s/%s", b.Go, b.OS, b.Arch)
	if len(b.Tags) > 0 {
		fmt.Fprintf(&out, ", tags %s", strings.Join(b.Tags, ", "))
	}
	out.WriteString("\n")
	return out.String()
}
