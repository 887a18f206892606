package main

import (
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
)

func newCompletionCommand() *cobra.Command {
	shells := map[string]func(root *cobra.Command, w io.Writer) error{
		"bash":       func(root *cobra.Command, w io.Writer) error { return root.GenBashCompletionV2(w, true) },
		"zsh":        (*cobra.Command).GenZshCompletion,
		"fish":       func(root *cobra.Command, w io.Writer) error { return root.GenFishCompletion(w, true) },
		"powershell": (*cobra.Command).GenPowerShellCompletionWithDesc,
	}
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print what makes a shell complete commands",
		Long: `Print what makes a shell complete commands, flags and their values: grammars,
rules, formats, and the methods of a model.`,
		Example: `  source <(inroad completion bash)
  inroad completion zsh >"${fpath[1]}/_inroad"
  inroad completion fish >~/.config/fish/completions/inroad.fish`,
		Args:                  cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs:             []string{"bash", "zsh", "fish", "powershell"},
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			return shells[args[0]](cmd.Root(), cmd.OutOrStdout())
		},
	}
}

// complete tells shells which values flags and arguments have. Where nothing is
// told they complete the names of files.
func complete(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		complete(c)
	}
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		switch values := flag.Annotations[choicesKey]; {
		case len(values) > 0:
			register(cmd, flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
		case flag.Name == "grammar":
			register(cmd, flag, cobra.FixedCompletions(bundled.Names(), cobra.ShellCompDirectiveDefault)) // and files
		case flag.Name == "start":
			register(cmd, flag, completeRules)
		case flag.Name == "methods" || flag.Name == "avoid":
			register(cmd, flag, completeMethods)
		case flag.Value.Type() != "string" && !strings.HasPrefix(flag.Value.Type(), "string"):
			register(cmd, flag, cobra.NoFileCompletions)
		}
	})
	switch cmd.CommandPath() {
	case "inroad explain", "inroad target":
		cmd.ValidArgsFunction = completeMethods
	case "inroad check":
		cmd.ValidArgsFunction = cobra.FixedCompletions(bundled.Names(), cobra.ShellCompDirectiveDefault)
	case "inroad grammars show":
		cmd.ValidArgsFunction = cobra.FixedCompletions(bundled.Names(), cobra.ShellCompDirectiveNoFileComp)
	}
}

func register(cmd *cobra.Command, flag *pflag.Flag, complete cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag.Name, complete); err != nil {
		panic(err) // it was registered twice
	}
}

// completeRules completes the parser rules of the grammar that was named before.
func completeRules(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	names := args // of check
	if flag := cmd.Flags().Lookup("grammar"); flag != nil {
		names = strings.Split(flag.Value.String(), ",")
	}
	g, err := loadNamed("", names)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, rule := range g.ParserRules() {
		out = append(out, rule.Name)
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// completeMethods completes the methods of the model that was named before, by
// their names where these are enough. A service is not asked.
func completeMethods(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	m, err := readModel(cmd.Flags().Lookup("model").Value.String())
	if err != nil || cmd.Flags().Lookup("server").Value.String() != "" {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, unit := range m.Units {
		out = append(out, shortName(m, unit))
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// shortName returns the shortest name that means a unit.
func shortName(m *model.Model, unit observation.Unit) string {
	name := unit.ID[strings.LastIndex(unit.ID, "#")+1:]
	if i, err := m.Unit(name); err == nil && m.Units[i].ID == unit.ID {
		return name
	}
	return unit.ID
}
