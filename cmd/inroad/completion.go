package main

import (
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/grammars/bundled"
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
		Short: "Print a completion script for a shell",
		Long: `Print a script that makes a shell complete commands, flags and their values:
grammars, rules, formats, and the methods of a model.`,
		Example: `  source <(inroad completion bash)
  inroad completion zsh >"${fpath[1]}/_inroad"
  inroad completion fish >~/.config/fish/completions/inroad.fish`,
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		RunE: func(cmd *cobra.Command, args []string) error {
			return shells[args[0]](cmd.Root(), cmd.OutOrStdout())
		},
	}
}

// complete registers the values of flags and arguments for shell completion. Where
// nothing is registered, shells complete file names.
func complete(cmd *cobra.Command) {
	for _, c := range cmd.Commands() {
		complete(c)
	}
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		switch values := flag.Annotations[cli.EnumKey]; {
		case len(values) > 0:
			register(cmd, flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
		case flag.Name == "grammar":
			register(cmd, flag, cobra.FixedCompletions(bundled.Names(), cobra.ShellCompDirectiveDefault)) // and files
		case flag.Name == "start":
			register(cmd, flag, completeRules)
		case flag.Name == "method" || flag.Name == "avoid":
			register(cmd, flag, completeMethods)
		case flag.Name == "outcome" && flag.Value.Type() != "bool": // it is a switch of train
			register(cmd, flag, completeOutcomes)
		case !strings.HasPrefix(flag.Value.Type(), "string"):
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

// completeRules completes the parser rules of the grammar on the command line.
func completeRules(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	name := strings.Join(args, ",") // of check
	if flag := cmd.Flags().Lookup("grammar"); flag != nil {
		name = flag.Value.String()
	}
	g, err := new(api.Files).Grammar(cmd.Context(), name)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, rule := range g.ParserRules() {
		out = append(out, rule.Name)
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// completeMethods completes the methods of the model on the command line, by name where
// the name is unique. It sends no request to a service.
func completeMethods(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	m := localModel(cmd)
	if m == nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, unit := range m.Units {
		name := unit.ID[strings.LastIndex(unit.ID, "#")+1:]
		if i, err := m.Unit(name); err != nil || m.Units[i].ID != unit.ID {
			name = unit.ID
		}
		out = append(out, name)
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// completeOutcomes completes the outcomes that the model on the command line predicts.
func completeOutcomes(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	m := localModel(cmd)
	if m == nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return m.Outcomes, cobra.ShellCompDirectiveNoFileComp
}

// localModel returns the model on the command line; nil if it is no file that can be
// read, or a model of a service.
func localModel(cmd *cobra.Command) *api.Model {
	m, err := new(api.Files).Model(cmd.Context(), cmd.Flags().Lookup("model").Value.String())
	if err != nil || cmd.Flags().Lookup("server").Value.String() != "" {
		return nil
	}
	return m
}
